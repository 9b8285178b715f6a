"""Plain and fast on the same bounds in one run, at growing sizes; then how cost grows with shards, epochs, faults.

    python benchmarks/compare.py                      # up to two minutes a search
    python benchmarks/compare.py --fence spend-sketch --seconds 600

Prints two Markdown tables. Each search runs in a process of its own, so that its peak memory is its own. The model is
built anew each time: its tables count. Ratios are of the time for the same work; counts that differ end the run. A
search past `--seconds` is stopped, and its rate is that of the states reached until then.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

FEW = ("preempt", "stall", "lose_reply")
"""Faults of which three shards have somewhat more than a million states."""


class Case(NamedTuple):
    """A bound: shards, epochs, sum of faults, attempts that the ceiling spares, and faults if not every one."""

    shards: int
    epochs: int
    faults: int
    spare: int = 0
    only: tuple[str, ...] = ()

    def __str__(self) -> str:
        chosen = f" of {', '.join(self.only)}" if self.only else ""
        return f"{self.shards} | {self.epochs} | {self.faults}{chosen} | {self.spare}"


SHAPE = ("shards", "epochs", "faults", "spare attempts")
COMPARED = (Case(1, 2, 1), Case(1, 2, 2), Case(2, 2, 1), Case(3, 2, 1, 1, FEW))
GROWING = (
    *(Case(shards, 2, 1) for shards in (1, 2, 3)),
    *(Case(1, epochs, 2) for epochs in (1, 2, 3, 4)),
    *(Case(1, 2, faults) for faults in (0, 1, 2, 3, 4)),
    Case(2, 2, 2),
    Case(3, 2, 1, 1),
)
ENGINES = ("plain", "fast", "sorted")
"""The plain explorer, the fast one unreduced, the fast one with symmetry."""


def measure(fence: str, case: Case, engine: str, seconds: float) -> dict[str, Any]:
    """Explore a bound in this process."""
    from fencebench.checker import fast
    from fencebench.checker.search import explore as plain
    from fencebench.checker.search.limits import Limits
    from fencebench.model.build import build
    from fencebench.model.fences import FENCES
    from fencebench.model.settings import FAULTS, Bound

    caps = {fault: int(not case.only or fault in case.only) for fault in FAULTS}
    bound = Bound(case.shards, case.epochs, case.faults, caps, case.spare)
    started, limits, machine = time.monotonic(), Limits(max_seconds=seconds), build(FENCES[fence], bound)
    if engine == "plain":
        result = plain.explore(machine, limits)
    else:
        result = fast.explore(machine, limits, options=fast.Options(symmetry=engine == "sorted"))
    return {
        "counts": [result.states, result.transitions, result.depth, str(result.verdict)],
        "limit": result.limit,
        "seconds": time.monotonic() - started,
        "cpu": time.process_time(),
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10),
    }


def measured(fence: str, case: Case, engine: str, seconds: float) -> dict[str, Any]:
    """Explore a bound in another process."""
    arguments = ["--one", engine, "--case", json.dumps(case), "--fence", fence, "--seconds", str(seconds)]
    ran = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(ran.stdout))


def cells(found: dict[str, Any]) -> list[str]:
    """Write what was measured."""
    states, transitions = found["counts"][:2]
    return [
        f"{states:,}{' (stopped)' if found['limit'] else ''}",
        f"{found['seconds']:.1f}",
        f"{found['cpu']:.1f}",
        f"{states / found['seconds']:,.0f}",
        f"{transitions / found['seconds']:,.0f}",
        f"{found['mebibytes']:,.0f}",
    ]


def heading(*columns: str) -> Iterator[str]:
    """Yield the head of a table of numbers."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---:|' * len(columns)}"


MEASURED = ("states", "seconds", "CPU seconds", "states/s", "transitions/s", "MiB")


def compared(fence: str, seconds: float) -> Iterator[str]:
    """Yield the lines of the table of engines as they are measured."""
    yield from heading(*SHAPE, "engine", *MEASURED, "times plain")
    for case in COMPARED:
        all_found = {}
        for engine in ENGINES:
            found = all_found[engine] = measured(fence, case, engine, seconds)
            plain = all_found["plain"]
            ratio = "" if plain["limit"] or found["limit"] else f"{plain['seconds'] / found['seconds']:.1f}"
            yield f"| {case} | {engine} | {' | '.join([*cells(found), ratio])} |"
        whole = [found["counts"] for found in all_found.values() if not found["limit"]]
        if len(whole) == len(ENGINES) and whole[0] != whole[1]:
            raise SystemExit(f"plain and fast differ at {case}: {all_found}")


def growth(fence: str, seconds: float) -> Iterator[str]:
    """Yield the lines of the table of growing bounds as they are measured, with symmetry."""
    yield from heading(*SHAPE, *MEASURED)
    for case in GROWING:
        yield f"| {case} | {' | '.join(cells(measured(fence, case, 'sorted', seconds)))} |"


def main() -> None:
    """Print the tables, or measure one search for them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fence", default="reference")
    parser.add_argument("--seconds", type=float, default=120, help="stop a search after so long")
    parser.add_argument("--one", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--case", type=json.loads, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.fence, Case(*options.case), options.one, options.seconds)))
        return
    for table in (compared, growth):
        for line in table(options.fence, options.seconds):
            print(line, flush=True)
        print()


if __name__ == "__main__":
    main()
