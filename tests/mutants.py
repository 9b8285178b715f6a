"""Plants one semantic bug after the other in the machines, and says which test turned red.

    python -m tests.mutants            # all of them, some minutes
    python -m tests.mutants lease rules/put

Each bug goes into a copy of the project. A bug that no test notices is a hole in the tests: the exit code is then 1.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = ("tests/model/test_orders.py", "tests/model/test_fences.py", "tests/model/test_seed_tables.py")
TIMEOUT_SECONDS = 600


class Mutant(NamedTuple):
    """A bug: the file of the model it is in, what it is, and the text that it replaces."""

    file: str
    bug: str
    old: str
    new: str


MUTANTS = (
    Mutant(
        "machines/lease",
        "a lease still runs at its very end",
        ">= setup.settings.lease_seconds",
        "> setup.settings.lease_seconds",
    ),
    Mutant("machines/lease", "a renewal makes the worker's clock right", "Clock(0, clock.offset_seconds)", "Clock(0)"),
    Mutant(
        "machines/ledger", "a commit does not release its hold", "Effect(held=-freed, committed", "Effect(committed"
    ),
    Mutant("machines/ledger", "a row is booked and not sealed", 'sealing == "with commit"', 'sealing == "never"'),
    Mutant("machines/driver", "an expiry ignores the receipt", "lapsed and not ledger.receipts", "lapsed"),
    Mutant("machines/driver", "an expiry writes off nothing", '"write off drawn": drawn', '"write off drawn": 0'),
    Mutant("machines/driver", "the register is raised after the dispatch", 'ready = "told" if', 'ready = "granted" if'),
    Mutant(
        "machines/store",
        "the register stays one behind",
        "max(store.register, driver.epoch)",
        "max(store.register, driver.epoch - 1)",
    ),
    Mutant(
        "machines/channel",
        "whoever sent last is answered",
        'booking.answer, setup) if attempt.phase == "sent"',
        "booking.answer, setup) if attempt.phase",
    ),
    Mutant(
        "machines/worker",
        "a refused checkpoint is used",
        "checkpoint is not None and answer.refusal is None",
        "checkpoint is not None",
    ),
    Mutant(
        "machines/worker",
        "a commit names the plan",
        'meter if setup.fence.claims == "drawn"',
        'meter if setup.fence.claims == "held"',
    ),
    Mutant(
        "machines/endpoint",
        "a call whose reply is lost is not drawn",
        '("attempt", "checkpoint")',
        '("attempt", "checkpoint", "meter")',
    ),
    Mutant("machines/host", "a redelivered attempt has a fresh lease", "Clock(clock.age_seconds)", "Clock()"),
    Mutant("machines/fixture", "a change leaves the slice as it was", "fixture + 1", "fixture"),
    Mutant(
        "machines/reducer",
        "a stale row is kept",
        "kept = tuple(row for row in reduced if not stale(row, ledger))",
        "kept = reduced",
    ),
    Mutant("machines/shared", "a hold that just fits is refused", "asks <= shared.ceiling", "asks < shared.ceiling"),
    Mutant("machines/shared", "one fault too many strikes", ">= limits.faults", "> limits.faults"),
    Mutant(
        "rules/commit", "the newest epoch is stale", "claimed < view.ledger.highest", "claimed <= view.ledger.highest"
    ),
    Mutant(
        "rules/put", "the newest epoch may not put", "claimed < view.store.register", "claimed <= view.store.register"
    ),
)


SOUND = Mutant("fence", "no bug at all", "BOUNDARIES = ", "BOUNDARIES = ")
"""What the tests must not notice: where they are red without a bug, they say nothing of one."""


def plant(mutant: Mutant, folder: Path) -> None:
    """Copy the project into a folder, with the bug."""
    for name in ("model", "checker", "tests", "fencebench"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / "model" / f"{mutant.file}.py"
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{path.name}: expected {mutant.old!r} once; mend tests/mutants.py")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def verdict(mutant: Mutant) -> str:
    """Run the tests on a copy with the bug; return the first that failed, or nothing."""
    with TemporaryDirectory() as name:
        plant(mutant, Path(name))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider", *TESTS]
        try:
            ran = subprocess.run(
                command, cwd=name, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return "nothing ended in time"
    return next((line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), "")[:110]


def main(asked: list[str]) -> int:
    """Plant the bugs of these machines or files, or all."""
    if red := verdict(SOUND):
        raise SystemExit(f"the tests are red without a bug; mend them first: {red}")
    unnoticed = 0
    for mutant in MUTANTS:
        if not asked or mutant.file in asked or mutant.file.removeprefix("machines/") in asked:
            red = verdict(mutant)
            unnoticed += not red
            print(f"{mutant.file:18} {mutant.bug:45} {red or 'NOT NOTICED'}", flush=True)
    return int(bool(unnoticed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
