"""Plain and fast on the same bounds in one run: states/s, transitions/s, memory and the ratio, at growing sizes.

    python benchmarks/compare.py                      # up to two minutes a search
    python benchmarks/compare.py --fence spend-sketch --seconds 600

Each search runs in a process of its own, so that its peak memory is its own. The model is built anew each time: its
tables count. A search past `--seconds` is stopped and its rate is that of the states reached until then. Where the
plain one was stopped, larger bounds compare with its last whole rate.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

BOUNDS = ((1, 2, 1), (1, 2, 2), (2, 2, 1), (3, 2, 1), (1, 2, 3), (1, 3, 2), (2, 2, 2))
"""Shards, epochs, sum of faults; from 10^3 to 10^7 states."""

ENGINES = ("plain", "fast", "sorted")
"""The plain explorer, the fast one unreduced, the fast one with symmetry."""


def measure(fence: str, bound: tuple[int, int, int], engine: str, seconds: float) -> dict[str, Any]:
    """Explore a bound in this process."""
    from checker import explore as plain
    from checker import fast
    from checker.result import Limits
    from model.composition import build
    from model.fences import FENCES
    from model.settings import Bound

    started, limits = time.monotonic(), Limits(max_seconds=seconds)
    machine = build(FENCES[fence], Bound(shards=bound[0], epochs=bound[1], faults=bound[2]))
    if engine == "plain":
        result = plain.explore(machine, limits)
    else:
        result = fast.explore(machine, limits, options=fast.Options(symmetry=engine == "sorted"))
    return {
        "states": result.states,
        "transitions": result.transitions,
        "verdict": str(result.verdict),
        "depth": result.depth,
        "limit": result.limit,
        "seconds": time.monotonic() - started,
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 10),
    }


def measured(fence: str, bound: tuple[int, int, int], engine: str, seconds: float) -> dict[str, Any]:
    """Explore a bound in another process."""
    arguments = ["--one", engine, "--bound", *map(str, bound), "--fence", fence, "--seconds", str(seconds)]
    ran = subprocess.run([sys.executable, __file__, *arguments], stdout=subprocess.PIPE, text=True, check=True)
    return dict(json.loads(ran.stdout))


def row(bound: tuple[int, int, int], engine: str, found: dict[str, Any], slow: float) -> str:
    """Format a line of the table; `slow` is the plain explorer's rate."""
    rate = found["states"] / found["seconds"]
    cells = (
        " ".join(map(str, bound)),
        engine,
        f"{found['states']:,}{' (stopped)' if found['limit'] else ''}",
        f"{found['seconds']:.1f}",
        f"{rate:,.0f}",
        f"{found['transitions'] / found['seconds']:,.0f}",
        f"{found['mebibytes']:,.0f}",
        f"{rate / slow:.1f}",
    )
    return "| " + " | ".join(cells) + " |"


def table(fence: str, seconds: float) -> Iterator[str]:
    """Yield the lines of the table as they are measured."""
    yield "| shards epochs faults | engine | states | seconds | states/s | transitions/s | MiB | times plain |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|"
    slow, stopped = 1.0, False
    for bound in BOUNDS:
        counts = {}
        for engine in ENGINES[stopped:]:
            found = measured(fence, bound, engine, seconds)
            if engine == "plain":
                slow, stopped = found["states"] / found["seconds"], bool(found["limit"])
            counts[engine] = tuple(found[key] for key in ("states", "transitions", "depth", "verdict"))
            yield row(bound, engine, found, slow)
        if not stopped and not found["limit"] and counts["plain"] != counts["fast"]:
            raise SystemExit(f"plain and fast differ at {bound}: {counts}")


def main() -> None:
    """Print the table, or measure one search for it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fence", default="reference")
    parser.add_argument("--seconds", type=float, default=120, help="stop a search after so long")
    parser.add_argument("--one", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--bound", type=int, nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.fence, tuple(options.bound), options.one, options.seconds)))
        return
    for line in table(options.fence, options.seconds):
        print(line, flush=True)


if __name__ == "__main__":
    main()
