"""The command `gallery`: checks fences over the union of bounds, and writes what breaks them."""

import sys
from pathlib import Path

from checker.command.bounds import asked
from checker.command.engines import ENGINES
from checker.command.fences import find_fence
from checker.command.gallery import Exhibit, exhibits, files, usable, write
from checker.command.gallery_index import index
from checker.command.run_check import checked
from checker.errors import BadInput
from checker.result import Limits
from model.fences import EXPECTED, FENCES


def run_gallery(fences: tuple[str, ...], output: Path, bounds_file: Path | None) -> int:
    """Write the gallery of these fences, of the whole catalogue if none is named; return the exit code."""
    usable(output)
    shown = [e for name in fences or FENCES for e in collected(name, bounds_file)]
    if not shown:
        raise BadInput("none of these fences breaks a promise, so there is nothing to show; name one that fails")
    kept = [name for name in fences or FENCES if name not in {e.fence for e in shown}]
    stale = write(output, files(shown, index(shown, kept)))
    print(f"{output}: {len(shown)} stories of {len({e.fence for e in shown})} fences; index {output / 'README.md'}")
    for path in stale:
        print(f"removed {path}")
    return 0


def one_shard(name: str) -> dict[str, int]:
    """Return the bound that stories are told in: one shard, two faults, without those that shorten every story."""
    without = EXPECTED[name].told_without if name in EXPECTED else ()
    return {"shards": 1, "faults": 2, **dict.fromkeys(without, 0)}


def collected(name: str, bounds_file: Path | None) -> list[Exhibit]:
    """Check one fence over the bounds and tell everything that breaks."""
    wanted = asked({} if bounds_file else one_shard(name), bounds_file)
    found = checked(find_fence(name), wanted, Limits(stop_at="all"), ENGINES["auto"](True))
    print(f"{name}: {found.verdict}, {len(found.findings)} promises broken", file=sys.stderr, flush=True)
    return list(exhibits(found))
