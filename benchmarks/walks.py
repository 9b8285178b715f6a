"""How many walks it takes to break what a search breaks: each story of the gallery, over several seeds.

    python benchmarks/walks.py                          # all fences of the gallery
    python benchmarks/walks.py --fence spend-sketch --seeds 20
    python benchmarks/walks.py --fence last-write-wins --shards 2 --epochs 3

Prints a Markdown table: the faults and steps of the search's minimal story, and for each seed the walk, in the default
bound of `walk` or a smaller one, that first breaks the promise; "-" where none of so many did. `can_finish` is no
promise of a walk.
"""

import argparse
import json
import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fencebench.checker.analysis.bounds import SHAPE, TIMES  # noqa: E402
from fencebench.checker.analysis.walk_profiles import PROFILES  # noqa: E402
from fencebench.checker.analysis.walks import walk_bound  # noqa: E402
from fencebench.checker.walk.listeners import Enough, Plan  # noqa: E402
from fencebench.checker.walk.run import survey  # noqa: E402
from fencebench.checker.walk.tables import WalkSource  # noqa: E402
from fencebench.model.build import build  # noqa: E402
from fencebench.model.fences import FENCES  # noqa: E402
from fencebench.model.settings import FAULTS  # noqa: E402


def stories(fence: str) -> dict[str, str]:
    """Return the promises that the gallery has stories of, each with the story's faults and steps."""
    found = {}
    for path in sorted((ROOT / "counterexamples" / fence).glob("*.itf.json")):
        trace = json.loads(path.read_text(encoding="utf-8"))
        meta = trace["#meta"]
        if meta["property"] != "can_finish":
            found[meta["property"]] = f"{meta['faults']}, {len(trace['states']) - 1}"
    return found


def first_broken(fence: str, promises: set[str], plan: Plan, shape: dict[str, int | None]) -> dict[str, int]:
    """Return the walk that first breaks each promise; stop when all of these are broken."""
    wanted = walk_bound({**dict.fromkeys((*SHAPE, *TIMES, *FAULTS, "bounds_file")), **shape})
    [bound], walks = wanted.bounds, list[int]()

    def watch(walk: int, steps: int, found: int) -> None:
        walks.extend([walk] * (found - len(walks)))
        if found == len(promises):
            raise Enough("all are broken")

    machine = build(FENCES[fence], bound, wanted.settings)
    asked = replace(machine, properties=tuple(p for p in machine.properties if p.name in promises))
    source = WalkSource(lambda: asked, FAULTS, PROFILES)
    tally = survey(source, plan, float("inf"), watch)
    return dict(zip(tally.found, walks, strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fence", action="append")
    parser.add_argument("--examples", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--shards", type=int)
    parser.add_argument("--epochs", type=int)
    args = parser.parse_args()
    shape = {"shards": args.shards, "epochs": args.epochs}
    named = args.fence or sorted(path.name for path in (ROOT / "counterexamples").iterdir() if path.is_dir())
    print("| fence | promise | faults, steps | walks needed, by seed |\n|---|---|---|---|")
    for fence in named:
        minimal, started = stories(fence), time.process_time()
        plans = [Plan(examples=args.examples, seed=seed) for seed in range(args.seeds)]
        runs = [first_broken(fence, set(minimal), plan, shape) for plan in plans]
        for promise, size in minimal.items():
            needed = ", ".join(str(run.get(promise, "-")) for run in runs)
            print(f"| {fence} | {promise} | {size} | {needed} |", flush=True)
        print(f"{fence}: {time.process_time() - started:.0f} s of processor time", file=sys.stderr)


if __name__ == "__main__":
    main()
