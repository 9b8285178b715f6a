import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
sys.path.append(str(EXAMPLES))
