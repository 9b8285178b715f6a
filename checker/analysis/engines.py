"""The engines that `check` can be told to use, and what only the fast one can do: memory limits and checkpoints."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from fencebench.checker.analysis.check import Engine
from fencebench.checker.errors import BadInput
from fencebench.checker.fast.explore import Options
from fencebench.checker.fast.explore import explore as explore_fast
from fencebench.checker.search.explore import Watch, explore
from fencebench.checker.search.result import Limits, Result
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine

SIZES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
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
    from fencebench.model.budget_split import solo

    return lambda machine, limits, watch: explore_reduced(machine, solo(machine), engine, limits, watch)


ENGINES: dict[str, Callable[[bool], Engine]] = {"auto": fast, "fast": fast, "plain": plain}


def engine_asked(options: Mapping[str, Any], fences: Sequence[Fence], limits: Limits) -> Engine:
    """Return the engine of the command's options for searching these fences.

    Raises:
        BadInput: an option cannot be used.
    """
    if options["reduce"] and (options["checkpoint"] or options["resume"]):
        raise BadInput("--reduce makes many searches of one; leave --checkpoint and --resume out")
    if options["reduce"]:
        return reduced(engine_asked({**options, "reduce": False}, fences, limits))
    directory = directory_asked(options)
    if directory is None and options["max_memory"] is None:
        return ENGINES[options["engine"]](options["symmetry"])
    if options["engine"] == "plain":
        raise BadInput("--max-memory, --checkpoint and --resume need the fast engine; leave --engine plain out")
    wanted = Options(
        options["symmetry"],
        max_bytes=most_bytes() if options["max_memory"] is None else bytes_of(options["max_memory"]),
        spill=directory or Path(gettempdir()),
        checkpoint_seconds=options["checkpoint_seconds"],
    )
    if directory is None:
        return on_tables(wanted)
    from fencebench.checker.cli.saved import Saved, identity

    saved = Saved(directory, identity(fences, limits, options), wanted)
    saved.open() if options["resume"] else saved.create()
    return saved.search


def directory_asked(options: Mapping[str, Any]) -> Path | None:
    """Return the directory for checkpoints, if there is to be one."""
    if options["checkpoint"] and options["resume"]:
        raise BadInput("--resume goes on saving where it read; leave --checkpoint out")
    directory: Path | None = options["checkpoint"] or options["resume"]
    return directory


def bytes_of(size: str) -> int:
    """Return the bytes of a size with its unit.

    Raises:
        BadInput: the size is none.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]iB)", size)
    if found is None or not float(found[1]):
        raise BadInput(f"--max-memory: expected a size above 0 such as 500MiB or 12GiB; found {size!r}")
    return int(float(found[1]) * SIZES[found[2]])


def most_bytes() -> int:
    """Return the bytes that a search may use by default."""
    return int(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * SHARE)
