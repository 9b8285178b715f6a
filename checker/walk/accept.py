"""The blunt acceptance rule: batches at random until so many preemptions have struck, and what must be true of each.

Source: `seeds/000`, its last section. Even batches know preemptions and faults that cost no attempt, have an epoch more
than preemptions and the ceiling of as many plans, and must complete. Odd batches know every fault, half of them at the
plan's own ceiling, and need not.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import cast

from checker.count import add_event
from checker.result import Coverage
from checker.walk.walker import Ground, Walker
from model.composition import build, parts
from model.fence import Fence
from model.ledger import Ledger
from model.machine import State
from model.outcomes import Refusal
from model.properties import accepted
from model.settings import FAULTS, Bound, Settings
from model.setup import Setup
from model.store import Store

HARMLESS = ("duplicate", "skew")
"""Faults that cost a sound fence no attempt. (A forged row may leave a conflict, which rightly stops the report.)"""
LOADS = ((3, False, 3), (3, True, 0), (6, False, 6), (6, True, 6))
"""Preemptions of a batch, whether every fault strikes, plans that its ceiling has to spare; batches take turns."""
FAULT_CHANCE = 0.2
MOST_STEPS = 4000
SPEND, ONE_ARTIFACT, CLASSES, REPORT, COMPLETE = (
    "committed spend stays under the run's ceiling",
    "each sealed shard has exactly one accepted artifact",
    "every rejection carries the right class",
    "every refusal of the report is true at that moment",
    "every batch with an epoch and a plan to spare for each preemption completes",
)
RULES = (SPEND, ONE_ARTIFACT, CLASSES, REPORT, COMPLETE)


@dataclass(frozen=True)
class Failure:
    """A part of the rule that failed: in which batch first, in how many, and why that first time."""

    rule: str
    batch: int
    times: int
    why: str


@dataclass(frozen=True)
class Batch:
    """One batch: whether it had to complete and did, its tokens by kind, and what failed in it, each with a reason."""

    number: int
    owes_completion: bool
    complete: bool
    preemptions: int
    faults: int
    steps: int
    ceiling: int
    plan: int
    held: int
    most_held: int
    committed: int
    written_off: int
    burned: int
    failures: tuple[tuple[str, str], ...]
    answers: Coverage = field(compare=False, repr=False)


@dataclass(frozen=True)
class Acceptance:
    """All batches of a fence, and what failed: parts of the rule first, then promises beyond it."""

    fence: Fence
    seed: int
    batches: tuple[Batch, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What failed, each once."""
        first: dict[str, tuple[int, str]] = {}
        times: Counter[str] = Counter()
        for batch in self.batches:
            for rule, why in batch.failures:
                first.setdefault(rule, (batch.number, why))
                times[rule] += 1
        order = sorted(first, key=lambda rule: RULES.index(rule) if rule in RULES else len(RULES))
        return tuple(Failure(rule, first[rule][0], times[rule], first[rule][1]) for rule in order)

    @property
    def accepted(self) -> bool:
        """Say whether nothing failed."""
        return not self.failures

    @property
    def classes(self) -> Counter[str]:
        """How often each class of refusal was answered."""
        counts: Counter[str] = Counter()
        for batch in self.batches:
            counts.update({c: n for c, n in batch.answers.outcomes.items() if c in Refusal.__members__})
        return counts

    @property
    def worst(self) -> Batch:
        """The batch that burned most for its plan, incomplete ones first; among equals the first."""
        return max(self.batches, key=lambda b: (len(b.failures), b.burned / b.plan, -b.number))


def bound_of(number: int, shards: int) -> Bound:
    """Return the bound of a batch."""
    preemptions, hard, spare = LOADS[number % len(LOADS)]
    others = FAULTS if hard else HARMLESS
    caps = {fault: 2 if fault in others else 0 for fault in FAULTS} | {"preempt": preemptions}
    return Bound(
        shards=shards,
        epochs=preemptions + 1,
        faults=sum(caps.values()),
        caps=MappingProxyType(caps),
        spare_attempts=shards * spare,
    )


def grounds(fence: Fence, shards: int, settings: Settings) -> tuple[tuple[Bound, Ground], ...]:
    """Return the bounds that batches take turns in, each with its ground."""
    bounds = [bound_of(number, shards) for number in range(len(LOADS))]
    return tuple((bound, Ground(build(fence, bound, settings), FAULTS)) for bound in bounds)


def accept(fence: Fence, preemptions: int, shards: int, seed: int, settings: Settings) -> Acceptance:
    """Run batches until so many preemptions have struck."""
    chance, turns, batches = Random(seed), grounds(fence, shards, settings), list[Batch]()
    while sum(batch.preemptions for batch in batches) < preemptions:
        number = len(batches)
        bound, ground = turns[number % len(turns)]
        batches.append(run_batch(number, Setup(fence, settings, bound), ground, Random(chance.random())))
    return Acceptance(fence, seed, tuple(batches))


def run_batch(number: int, setup: Setup, ground: Ground, chance: Random) -> Batch:
    """Run one batch to its end."""
    walker, answers, most_held = Walker(ground), Coverage(), 0
    failures: dict[str, str] = {}
    ceiling = walker.state.shared.ceiling
    for name in choices(walker, chance):
        before = walker.state
        step = walker.take(chance.choice(list(walker.options(name))))
        add_event(answers, step.event, 1)
        most_held = max(most_held, step.after.shared.held)
        failures |= dict(step_failures(ceiling, before, step.after))
    owes = not LOADS[number % len(LOADS)][1]
    failures |= dict(end_failures(setup, walker.state, owes))
    failures |= promise_failures(walker, failures)
    shared = walker.state.shared
    return Batch(
        number=number,
        owes_completion=owes,
        complete=is_complete(setup.bound, walker.state),
        preemptions=shared.struck[FAULTS.index("preempt")],
        faults=walker.faults,
        steps=len(walker.trace),
        ceiling=ceiling,
        plan=setup.bound.shards * setup.settings.plan_tokens,
        held=shared.held,
        most_held=most_held,
        committed=shared.committed,
        written_off=shared.written_off,
        burned=shared.burned,
        failures=tuple(failures.items()),
        answers=answers,
    )


def choices(walker: Walker, chance: Random) -> Iterator[str]:
    """Yield which action or fault comes next, until nothing can happen but faults."""
    ground = walker.ground
    while not walker.is_final() and len(walker.trace) < MOST_STEPS:
        faults = [fault for fault in ground.faults if walker.can(fault)] if chance.random() < FAULT_CHANCE else []
        yield chance.choice(faults or [name for name in ground.ordinary if walker.can(name)])


def step_failures(ceiling: int, before: State, after: State) -> Iterator[tuple[str, str]]:
    """Yield what of the rule a step breaks; a ceiling cut below what is promised already is no failure."""
    if before.shared.committed < after.shared.committed > ceiling:
        yield SPEND, f"{after.shared.committed} tokens committed, above the ceiling of {ceiling}"


def is_complete(bound: Bound, state: State) -> bool:
    """Say whether every shard is sealed and the report printed."""
    return bool(state.shared.sealed == bound.shards and "printed" in str(state.shared.report))


def end_failures(setup: Setup, state: State, owes_completion: bool) -> Iterator[tuple[str, str]]:
    """Yield what of the rule is broken at the end of a batch."""
    place = {name: i for i, name in enumerate(parts(setup.bound))}
    for i, unit in enumerate(state.units):
        ledger, store = cast(Ledger, unit[place["ledger"]]), cast(Store, unit[place["store"]])
        found = accepted(ledger, store, setup)
        if ledger.sealed >= 0 and len(found) != 1:
            yield ONE_ARTIFACT, f"shard {i} is sealed with {len(found)} accepted artifacts"
    if owes_completion and not is_complete(setup.bound, state):
        sealed, told = state.shared.sealed, state.shared.report or "never asked"
        yield COMPLETE, f"{sealed} of {setup.bound.shards} shards are sealed, and the report said: {told}"


def promise_failures(walker: Walker, known: dict[str, str]) -> dict[str, str]:
    """Return the broken promises: classes are part of the rule, the report's apart; the others stand for themselves."""
    broken = {name: why for name, (_, why) in walker.broken.items()}
    why = broken.pop("rejections_classified", "")
    named = {REPORT if why.startswith("publish") else CLASSES: why} if why else {}
    return {**known, **named, **{f"promise {name}": reason for name, reason in broken.items()}}
