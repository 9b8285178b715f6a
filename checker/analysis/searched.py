"""One check of a fence as part of a larger question: the usual engine, with progress on standard error."""

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.analysis.check import Checked, check
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.cli.progress import clear, watcher
from fencebench.checker.search.result import Limits
from fencebench.checker.search.stopping import INTERRUPTED
from fencebench.model.fence import Fence


def searched(fence: Fence, wanted: Asked, limits: Limits, label: str = "") -> Checked:
    """Check the fence over the bounds; a Ctrl-C ends the question, not only this search."""
    try:
        found = check(fence, wanted, limits, ENGINES["auto"](True), watcher(label or fence.name))
    finally:
        clear()
    if found.limit == INTERRUPTED:
        raise KeyboardInterrupt
    return found
