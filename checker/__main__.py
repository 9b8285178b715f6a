"""`python -m checker` is `fencebench`."""

import sys

from checker.cli import main

sys.exit(main())
