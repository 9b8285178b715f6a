"""One batch of the acceptance rule: a run at random to its end, and what of the rule it breaks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from fencebench.checker.search.coverage import add_event
from fencebench.checker.search.result import Coverage
from fencebench.checker.walk.walker import Walker
from fencebench.model.machine import State, Transition
from fencebench.model.machines.acceptance import accepted
from fencebench.model.settings import FAULTS, Bound, Setup
from fencebench.model.shard import shard_of

Steps = Iterator[tuple[State, Transition]]
"""Steps, each with the state before it."""
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


def run_batch(
    number: int, setup: Setup, walker: Walker, steps: Iterator[tuple[State, Transition]], owes: bool
) -> Batch:
    """Let a batch's steps be taken to their end; `owes`: it has to complete."""
    answers, most_held, failures = Coverage(), 0, dict[str, str]()
    ceiling = walker.state.shared.ceiling
    for before, step in steps:
        add_event(answers, step.event, 1)
        most_held = max(most_held, step.after.shared.held)
        failures |= dict(step_failures(ceiling, before, step.after))
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


def at_random(walker: Walker, chance: Random, lazy: frozenset[str]) -> Steps:
    """Take steps, until nothing can happen but faults: what is lazy only where nothing else can."""
    tables = walker.tables
    while not walker.is_final() and len(walker.trace) < MOST_STEPS:
        faults = [fault for fault in tables.faults if walker.can(fault)] if chance.random() < FAULT_CHANCE else []
        ordinary = [name for name in tables.ordinary if walker.can(name)]
        rule = chance.choice(faults or [name for name in ordinary if name not in lazy] or ordinary)
        yield walker.state, walker.take(chance.choice(list(walker.options(rule))))


def step_failures(ceiling: int, before: State, after: State) -> Iterator[tuple[str, str]]:
    """Yield what of the rule a step breaks; a ceiling cut below what is promised already is no failure."""
    if before.shared.committed < after.shared.committed > ceiling:
        yield SPEND, f"{after.shared.committed} tokens committed, above the ceiling of {ceiling}"


def is_complete(bound: Bound, state: State) -> bool:
    """Say whether every shard is sealed and the report printed."""
    return bool(state.shared.sealed == bound.shards and "printed" in str(state.shared.report))


def end_failures(setup: Setup, state: State, owes_completion: bool) -> Iterator[tuple[str, str]]:
    """Yield what of the rule is broken at the end of a batch."""
    for i, shard in enumerate(map(shard_of, state.units)):
        found = accepted(shard.ledger, shard.store, setup)
        if shard.ledger.sealed >= 0 and len(found) != 1:
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
