"""Writes anew what the README and the pages show of the program: `python -m tests.write_pages [PAGE…]`."""

import sys
import tempfile
from pathlib import Path

from tests.pages import CONSOLE, PAGES, beside_files, rerun, with_tables


def rewritten(text: str) -> str:
    """Return a page with its tables, and every block as the program prints it now."""
    with tempfile.TemporaryDirectory() as folder, beside_files(text, Path(folder)):
        return CONSOLE.sub(lambda m: f"```console\n{rerun(m[1])}```", with_tables(text))


if __name__ == "__main__":
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text = page.read_text(encoding="utf-8")
        page.write_text(rewritten(text), encoding="utf-8")
