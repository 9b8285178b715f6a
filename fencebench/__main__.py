"""`python -m fencebench` is the command line."""

import sys

from fencebench.checker.cli.main import main

sys.exit(main())
