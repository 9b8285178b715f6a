"""Replays a stored story, step by step, against a machine that may have changed since."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from fencebench.checker.search.progress import out_of_reach
from fencebench.checker.search.properties import Promises
from fencebench.model.machine import Event, Machine, State, Transition


class StoredStep(NamedTuple):
    """What a story asks for: who acts and what is called. The answer is the machine's to give."""

    unit: int | None
    action: str
    epoch: int | None
    label: str
    fault: str


@dataclass(frozen=True)
class Replay:
    """The answer: `step` is where it stopped or first diverged (from 1), `broken` the promises broken on the way.

    `answered` is (step, class) of each answer that is now a refusal and ended its attempt's part of the story.
    """

    verdict: Literal["still violates", "fixed", "no longer executable"]
    step: int | None
    trace: tuple[Transition, ...]
    broken: tuple[tuple[str, str], ...]
    answered: tuple[tuple[int, str], ...] = ()


def stored(step: Transition) -> StoredStep:
    """Return what a story keeps of a step to ask for it again."""
    e = step.event
    return StoredStep(step.unit, e.action, e.epoch, e.label, e.fault)


def matches(machine: Machine, state: State, wanted: StoredStep) -> Transition | None:
    """Return the first step of this state that is what the story asks for."""
    return next((t for t in machine.successors(state) if stored(t) == wanted), None)


def housekeeping(machine: Machine, state: State, unit: int | None, depth: int) -> Iterator[tuple[Transition, ...]]:
    """Yield runs of up to `depth` steps that this variant may have to insert, shorter ones first."""
    runs: list[tuple[Transition, ...]] = [()]
    for _ in range(depth + 1):
        yield from runs
        runs = [
            (*run, t)
            for run in runs
            for t in machine.successors(run[-1].after if run else state)
            if t.event.action in machine.housekeeping and t.unit == unit
        ]


def follow(machine: Machine, state: State, wanted: StoredStep) -> tuple[Transition, ...]:
    """Return the shortest way to take the wanted step from here, or () where there is none."""
    for run in housekeeping(machine, state, wanted.unit, 2):
        step = matches(machine, run[-1].after if run else state, wanted)
        if step is not None:
            return (*run, step)
    return ()


def stopped(machine: Machine, state: State, wanted: StoredStep) -> tuple[Transition, ...]:
    """Return the housekeeping step that refuses the attempt before it comes to the wanted step, or ()."""
    for t in machine.successors(state):
        if t.event.action in machine.housekeeping and t.event.rule and (t.unit, t.event.epoch) == wanted[:3:2]:
            return (t,)
    return ()


def refused(event: Event, expected: str) -> bool:
    """Say whether the answer is another one than the story had, from a rule."""
    return bool(event.rule) and event.outcome != expected


def replay(machine: Machine, story: list[tuple[StoredStep, str]], property_: str | None = None) -> Replay:
    """Replay (step, answer then) pairs; steps of an attempt that is now refused earlier are void.

    Without `property_` any broken promise counts.
    """
    state, taken = machine.initial, list[Transition]()
    void, answered = set[tuple[int | None, int | None]](), list[tuple[int, str]]()
    for number, (wanted, expected) in enumerate(story, 1):
        run = follow(machine, state, wanted) or stopped(machine, state, wanted)
        if not run:
            if (wanted.unit, wanted.epoch) in void or wanted.action in machine.housekeeping:
                continue
            return judged(machine, taken, property_, number, answered)
        taken += run
        state = run[-1].after
        if refused(run[-1].event, expected):
            void.add((wanted.unit, wanted.epoch))
            answered.append((number, run[-1].event.outcome))
    return judged(machine, taken, property_, None, answered)


def judged(
    machine: Machine, taken: list[Transition], property_: str | None, stop: int | None, answered: list[tuple[int, str]]
) -> Replay:
    """Judge what was replayed: a broken promise outweighs a stop."""
    broken = tuple(dict(broken_on_the_way(machine, taken)).items())
    violates = [name for name, _ in broken if property_ in (None, name)]
    if violates:
        return Replay("still violates", stop, tuple(taken), broken, tuple(answered))
    if stop is not None:
        return Replay("no longer executable", stop, tuple(taken), broken, tuple(answered))
    return Replay("fixed", answered[0][0] if answered else None, tuple(taken), broken, tuple(answered))


def is_final(machine: Machine, state: State) -> bool:
    """Say whether nothing can happen any more but faults and steps that change nothing."""
    struck = machine.faults(state.shared)
    return all(t.after == state or machine.faults(t.after.shared) > struck for t in machine.successors(state))


def broken_on_the_way(machine: Machine, taken: list[Transition]) -> Iterator[tuple[str, str]]:
    """Yield every promise broken along the steps, with its reason; the last reason of each stays."""
    promises, before = Promises.of(machine), machine.initial
    yield from promises.of_arrival(before, None)
    for step in taken:
        yield from promises.of_step(before, step)
        yield from promises.of_arrival(step.after, step)
        before = step.after
    if promises.final and is_final(machine, before):
        yield from promises.of_final(before)
    yield from stuck_at_last(machine, before)


def stuck_at_last(machine: Machine, state: State) -> Iterator[tuple[str, str]]:
    """Yield the promise on the state graph if the state that a run ends in breaks it."""
    why = out_of_reach(machine, state)
    if machine.progress is not None and why is not None:
        yield machine.progress.name, why
