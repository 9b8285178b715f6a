"""One check of a fence as part of a larger question: the usual engine, with progress on standard error."""

from checker.command.bounds import Asked
from checker.command.check import Checked, check
from checker.command.engines import ENGINES
from checker.command.progress import clear, watcher
from checker.fast.clock import INTERRUPTED
from checker.result import Limits
from model.fence import Fence


def searched(fence: Fence, wanted: Asked, limits: Limits, label: str = "") -> Checked:
    """Check the fence over the bounds; a Ctrl-C ends the question, not only this search."""
    try:
        found = check(fence, wanted, limits, ENGINES["auto"](True), watcher(label or fence.name))
    finally:
        clear()
    if found.limit == INTERRUPTED:
        raise KeyboardInterrupt
    return found
