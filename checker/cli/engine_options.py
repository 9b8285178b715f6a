"""The engine that the options of a command ask for: memory limits, files, checkpoints."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from fencebench.checker.analysis.check import Engine
from fencebench.checker.analysis.engines import ENGINES, most_bytes, on_tables, reduced
from fencebench.checker.errors import BadInput
from fencebench.checker.fast.explore import Options
from fencebench.checker.search.limits import Limits
from fencebench.model.fence import Fence

SIZES = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


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
    from fencebench.checker.cli.saved import Saved, identity  # checkpoints need NumPy, which takes a while to load

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
