"""CPU seconds of whole commands, against another tree of the bench in the same run, interleaved.

    git worktree add /tmp/before b3c8e8a
    python benchmarks/commands.py /tmp/before --module checker
    python benchmarks/commands.py /tmp/before --module checker "check spend-sketch" "diff reference shard-keyed"

Each command runs in a process of its own with this Python; the least of all rounds counts. The other tree may have
another model: then its counts of states differ, and so does the work.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
COMMANDS = ("check reference --shards 1 --faults 1", "check spend-sketch", "check")


def cpu_seconds(tree: Path, module: str, command: str) -> float:
    """Run a command of a tree; return the CPU seconds of its process."""
    before = os.times()
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    subprocess.run(
        [sys.executable, "-m", module, *command.split()],
        cwd=tree,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="another tree")
    parser.add_argument("commands", nargs="*", default=COMMANDS)
    parser.add_argument("--module", default="fencebench", help="what `python -m` runs there")
    parser.add_argument("--rounds", type=int, default=2)
    asked = parser.parse_intermixed_args()
    print("| command | there, CPU s | here, CPU s | ratio |\n|---|---|---|---|")
    for command in asked.commands:
        there, here = [], []
        for _ in range(asked.rounds):
            there.append(cpu_seconds(asked.other.resolve(), asked.module, command))
            here.append(cpu_seconds(HERE, "fencebench", command))
        ratio = min(here) / min(there)
        print(f"| `{command}` | {min(there):.2f} | {min(here):.2f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
