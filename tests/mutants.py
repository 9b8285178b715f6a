"""Plants one bug after the other, in the model and in the checker, and says which test turned red.

    python -m tests.mutants            # all of them, half an hour
    python -m tests.mutants model/machines/lease checker/fast

Each bug goes into a copy of the project. A bug that no test notices is a hole in the tests: the exit code is then 1.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TESTS = {
    "model": (
        "tests/model/test_conjuncts.py",
        "tests/model/test_promises.py",
        "tests/model/test_orders.py",
        "tests/model/test_fences.py",
        "tests/model/test_seed_tables.py",
    ),
    "checker/search": ("tests/search", "tests/fast/test_agreement.py"),
    "checker/tables": ("tests/fast",),
    "checker/fast": ("tests/fast",),
    "checker/reduce": (
        "tests/reduce/test_counts.py",
        "tests/reduce/test_bisimulation.py",
        "tests/reduce/test_small_units.py",
    ),
    "checker/walk": ("tests/walk/test_walk.py",),
    "checker/analysis": ("tests/analysis", "tests/report/test_formats.py", "tests/model/test_seed_tables.py"),
    "checker/report": ("tests/report/test_two_shards.py", "tests/model/test_settings.py"),
    "checker/oracle": ("tests/oracle",),
}
"""Which tests are to notice a bug in a room, the quickest first; the quick suite runs all of them."""

TIMEOUT_SECONDS = 600


class Mutant(NamedTuple):
    """A bug: the file it is in, what it is, and the text that it replaces."""

    file: str
    bug: str
    old: str
    new: str


MUTANTS = (
    Mutant(
        "model/machines/lease",
        "a lease still runs at its very end",
        ">= setup.settings.lease_seconds",
        "> setup.settings.lease_seconds",
    ),
    Mutant(
        "model/machines/lease", "a renewal makes the worker's clock right", "Clock(0, clock.offset_seconds)", "Clock(0)"
    ),
    Mutant(
        "model/machines/ledger",
        "a commit does not release its hold",
        "Effect(held=-freed, committed",
        "Effect(committed",
    ),
    Mutant("model/machines/ledger", "a row is booked and not sealed", 'sealing == "with commit"', 'sealing == "never"'),
    Mutant("model/machines/driver", "an expiry ignores the receipt", "lapsed and not ledger.receipts", "lapsed"),
    Mutant("model/machines/driver", "an expiry writes off nothing", '"write off drawn": drawn', '"write off drawn": 0'),
    Mutant(
        "model/machines/driver",
        "the register is raised after the dispatch",
        'ready = "told" if',
        'ready = "granted" if',
    ),
    Mutant(
        "model/machines/store",
        "the register stays one behind",
        "max(store.register, driver.epoch)",
        "max(store.register, driver.epoch - 1)",
    ),
    Mutant(
        "model/machines/channel",
        "whoever sent last is answered",
        'booking.answer, setup) if attempt.phase == "sent"',
        "booking.answer, setup) if attempt.phase",
    ),
    Mutant(
        "model/machines/worker",
        "a refused checkpoint is used",
        "checkpoint is not None and answer.refusal is None",
        "checkpoint is not None",
    ),
    Mutant(
        "model/machines/worker",
        "a commit names the plan",
        'meter if setup.fence.claims == "drawn"',
        'meter if setup.fence.claims == "held"',
    ),
    Mutant(
        "model/machines/endpoint",
        "a call whose reply is lost is not drawn",
        '("attempt", "checkpoint")',
        '("attempt", "checkpoint", "meter")',
    ),
    Mutant("model/machines/host", "a redelivered attempt has a fresh lease", "Clock(clock.age_seconds)", "Clock()"),
    Mutant("model/machines/fixture", "a change leaves the slice as it was", "fixture + 1", "fixture"),
    Mutant(
        "model/machines/reducer",
        "a stale row is kept",
        "kept = tuple(row for row in reduced if not stale(row, ledger))",
        "kept = reduced",
    ),
    Mutant(
        "model/machines/shared", "a hold that just fits is refused", "asks <= shared.ceiling", "asks < shared.ceiling"
    ),
    Mutant("model/machines/shared", "one fault too many strikes", ">= limits.faults", "> limits.faults"),
    Mutant(
        "model/rules/commit",
        "the newest epoch is stale",
        "claimed < view.ledger.highest",
        "claimed <= view.ledger.highest",
    ),
    Mutant(
        "model/rules/put",
        "the newest epoch may not put",
        "claimed < view.store.register",
        "claimed <= view.store.register",
    ),
    Mutant(
        "model/machines/host",
        "one that stays away for good comes back",
        'ended(attempt, clock), Effect(fault="preempt")',
        '(("attempt", attempt._replace(gone=True)),), Effect(fault="preempt")',
    ),
    Mutant(
        "model/machines/driver",
        "a grant does not answer a replay",
        "highest=setup.epoch, replay=False",
        "highest=setup.epoch",
    ),
    Mutant(
        "model/promises/provenance",
        "a conflict on record is no evidence",
        "(*ledger.receipts, *ledger.conflicts)",
        "ledger.receipts",
    ),
    Mutant(
        "model/promises/progress",
        "the premise wants a token more",
        "free >= len(unsealed)",
        "free > len(unsealed)",
    ),
    Mutant(
        "model/promises/refusals",
        "the newest epoch may be called stale",
        "facts.request.epoch < facts.ledger.highest",
        "facts.request.epoch <= facts.ledger.highest",
    ),
    Mutant(
        "model/rules/publish",
        "one shard need not be consumed",
        "view.consumed < view.sealed",
        "view.consumed < view.sealed - 1",
    ),
    Mutant(
        "checker/search/replay",
        "a story that stops after a refusal is fixed",
        "return judged(machine, taken, property_, number, answered)",
        "return judged(machine, taken, property_, None if answered else number, answered)",
    ),
    Mutant(
        "checker/search/explore",
        "a step that changes nothing goes on",
        "final and (step.after == node.state or child.faults > node.faults)",
        "final and child.faults > node.faults",
    ),
    Mutant(
        "checker/search/coverage",
        "a rule is counted once an event",
        "coverage.rules[event.rule] += times",
        "coverage.rules[event.rule] += 1",
    ),
    Mutant(
        "checker/search/limits",
        "a limit of states does not hold",
        "if self.left(states) == 0",
        "if self.left(states) == -1",
    ),
    Mutant(
        "checker/search/uniform_cost",
        "a way is as long as the one before",
        "way.steps + 1, place",
        "way.steps, place",
    ),
    Mutant(
        "checker/search/progress",
        "a fault may lead to the goal",
        "(t.after.shared) == struck)",
        "(t.after.shared) >= struck)",
    ),
    Mutant(
        "checker/search/lockstep",
        "answers differ by their rule",
        "m.old.event.outcome != m.new.event.outcome",
        "m.old.event.rule != m.new.event.rule",
    ),
    Mutant(
        "checker/fast/layers",
        "a layer has all that is nearer, too",
        "run.steps == steps",
        "run.steps <= steps",
    ),
    Mutant(
        "checker/fast/layers",
        "a third segment is out of order",
        "bounds.insert(at, bound)",
        "bounds.append(bound)",
    ),
    Mutant(
        "checker/fast/violations",
        "any story settles a promise",
        "found is not None and found.cost <= (faults, steps + 1)",
        "found is not None",
    ),
    Mutant(
        "checker/fast/small",
        "a step that changes nothing goes on",
        "after == word or faults > cost[0]",
        "faults > cost[0]",
    ),
    Mutant(
        "checker/fast/monitor",
        "a step is broken from anywhere",
        "source[where & (faults == fault)]",
        "source[where]",
    ),
    Mutant(
        "checker/tables/property_tables",
        "a claim is about every event",
        "if (event is None or claim.about(event)) and strikes",
        "if strikes",
    ),
    Mutant(
        "checker/reduce/blocks",
        "steps that nobody sees lead nowhere",
        "(label != HIDDEN) | (source != target)",
        "label != HIDDEN",
    ),
    Mutant(
        "checker/reduce/blocks",
        "blocks of any phase stand for each other",
        "column[phase >= now]",
        "column[phase > now]",
    ),
    Mutant(
        "checker/reduce/bisimulation",
        "a hidden step is inert across blocks",
        "(edges.label == HIDDEN) & (blocks[edges.source] == blocks[edges.target])",
        "edges.label == HIDDEN",
    ),
    Mutant(
        "checker/walk/judge",
        "a promise that reads a changed part is not asked",
        "not set(q.question.claim.reads) <= kept",
        "not set(q.question.claim.reads) & kept",
    ),
    Mutant(
        "checker/walk/least",
        "later epochs are not counted down",
        "(s.epoch or 0) > epoch else s",
        "(s.epoch or 0) > epoch + 9 else s",
    ),
    Mutant(
        "checker/analysis/check",
        "a vacuous run holds",
        "Verdict.VACUOUS if self.unreached",
        "Verdict.HOLDS if self.unreached",
    ),
    Mutant(
        "checker/analysis/bounds",
        "a lease of margin and skew will do",
        "s.lease_seconds <= s.margin_seconds + skew",
        "s.lease_seconds < s.margin_seconds + skew",
    ),
    Mutant(
        "checker/analysis/roles",
        "what breaks a promise bears no load",
        "if lost(trial, found.whole):",
        "if not lost(trial, found.whole):",
    ),
    Mutant(
        "checker/report/narrate",
        "all workers are those of shard 0",
        'f"worker {unit or 0}/',
        'f"worker 0/',
    ),
    Mutant(
        "checker/report/stored",
        "sizes are not stored",
        " | unusual(case.settings)",
        "",
    ),
    Mutant(
        "checker/oracle/judge/guards_lease",
        "a lease may end at once",
        "expires > s.event.t:",
        "expires >= s.event.t:",
    ),
    Mutant(
        "checker/oracle/rows/audit",
        "two rows a shard are fine",
        "header.max_rows_a_shard > 1",
        "header.max_rows_a_shard > 2",
    ),
)


SOUND = Mutant("model/fence", "no bug at all", "BOUNDARIES = ", "BOUNDARIES = ")
"""What the tests must not notice: where they are red without a bug, they say nothing of one."""


def plant(mutant: Mutant, folder: Path) -> None:
    """Copy the project into a folder, with the bug."""
    for name in ("model", "checker", "tests", "fencebench"):
        shutil.copytree(ROOT / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    path = folder / f"{mutant.file}.py"
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{path.name}: expected {mutant.old!r} once; mend tests/mutants.py")
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")


def tests_of(mutant: Mutant) -> tuple[str, ...]:
    """Return the tests that are to notice a bug."""
    return next(tests for room, tests in TESTS.items() if mutant.file.startswith(room))


def verdict(mutant: Mutant, tests: tuple[str, ...]) -> str:
    """Run the tests on a copy with the bug; return the first that failed, or nothing."""
    with TemporaryDirectory() as name:
        plant(mutant, Path(name))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-n0", "--no-header", "-p", "no:cacheprovider", *tests]
        try:
            ran = subprocess.run(
                command, cwd=name, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return "nothing ended in time"
    return next((line for line in ran.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))), "")[:110]


def main(asked: list[str]) -> int:
    """Plant the bugs whose file begins with one of these, or all."""
    chosen = [mutant for mutant in MUTANTS if not asked or mutant.file.startswith(tuple(asked))]
    for tests in dict.fromkeys(map(tests_of, chosen)):
        if red := verdict(SOUND, tests):
            raise SystemExit(f"the tests are red without a bug; mend them first: {red}")
    unnoticed = 0
    for mutant in chosen:
        started = time.monotonic()
        red = verdict(mutant, tests_of(mutant))
        unnoticed += not red
        seconds = f"{time.monotonic() - started:4.0f} s"
        print(f"{mutant.file:32} {mutant.bug:50} {seconds}  {red or 'NOT NOTICED'}", flush=True)
    return int(bool(unnoticed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
