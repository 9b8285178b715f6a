"""The engines that `check` can be told to use, and what only the fast one can do: memory limits and checkpoints."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.analysis.check import Checked, Engine, Watching, check, unwatched
from fencebench.checker.fast.explore import Options
from fencebench.checker.fast.explore import explore as explore_fast
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import INTERRUPTED, Limits, Watch
from fencebench.checker.search.result import Result
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine

GRAPH_STATES = 6_000
"""The plain explorer judges progress on graphs of up to so many states: they hold every step in memory."""

SHARE = 0.75
"""Of the machine's memory so much may be used unless `--max-memory` says otherwise."""


def plain(symmetry: bool) -> Engine:
    """Return the plain explorer; it knows no reduction, and judges progress on small state graphs."""
    return explore_plain


def explore_plain(machine: Machine, limits: Limits, watch: Watch) -> Result:
    """Explore with the plain explorer, and judge progress if that is not too much for it."""
    result = explore(machine, limits, watch)
    if machine.progress is None or result.limit or result.states > GRAPH_STATES:
        return result
    from fencebench.checker.search.progress_graph import stuck  # networkx takes a while to load

    lost = stuck(machine, machine.progress)
    found = {**result.findings, lost.property: lost} if lost else result.findings
    return replace(result, findings=found, progress=True)


def fast(symmetry: bool) -> Engine:
    """Return the explorer on tables, with or without symmetry of the shards."""
    return on_tables(Options(symmetry, max_bytes=most_bytes(), spill=Path(gettempdir())))


def on_tables(options: Options) -> Engine:
    """Return the explorer on tables with all that it can be told."""

    def engine(machine: Machine, limits: Limits, watch: Watch) -> Result:
        return explore_fast(machine, limits, watch, options)

    return engine


def reduced(engine: Engine) -> Engine:
    """Return an engine that makes each shard small before the other explores them all."""
    from fencebench.checker.reduce.explore import explore as explore_reduced
    from fencebench.model.budget_split import local_view

    return lambda machine, limits, watch: explore_reduced(machine, local_view(machine), engine, limits, watch)


ENGINES: dict[str, Callable[[bool], Engine]] = {"auto": fast, "fast": fast, "plain": plain}


def searched(fence: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched, label: str = "") -> Checked:
    """Check a fence as part of a larger question, with the usual engine.

    Raises:
        KeyboardInterrupt: Ctrl-C ends the question, not only this search.
    """
    found = check(fence, wanted, limits, ENGINES["auto"](True), watching(label or fence.name))
    if found.limit == INTERRUPTED:
        raise KeyboardInterrupt
    return found


def most_bytes() -> int:
    """Return the bytes that a search may use by default."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * SHARE)
