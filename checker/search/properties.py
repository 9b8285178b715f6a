"""Which promises a state or a step breaks: properties sorted by what they look at, each asked where it can fail."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any

from fencebench.model.machine import Machine, Property, State, Transition, Witness

Claim = Property | Witness
SHARED = ("event", "shared", "after_shared")
Sight = tuple[Any, ...]
"""All that a claim may look at, flat: a unit's parts before, the same after, event, shared before and after, units."""


def sight_of_step(before: State, step: Transition) -> Sight:
    """Show a step: the unit that moved, if any, and the shared part."""
    units = ((), ()) if step.unit is None else (before.units[step.unit], step.after.units[step.unit])
    return (*units[0], *units[1], step.event, before.shared, step.after.shared, step.after.units)


def sight_of_state(state: State, unit: int | None) -> Sight:
    """Show a state from the side of one unit, or of the shared part alone."""
    parts = () if unit is None else state.units[unit]
    return (*parts, *parts, None, state.shared, state.shared, state.units)


def on_final(claim: Claim) -> bool:
    """Say whether it is asked of final states only."""
    return "units" in claim.reads


def on_step(claim: Claim) -> bool:
    """Say whether it is asked of steps."""
    return any(name == "event" or name.startswith("after_") for name in claim.reads)


def on_shared(claim: Claim) -> bool:
    """Say whether it looks at the shared part alone."""
    return all(name in SHARED for name in claim.reads)


def promising(machine: Machine, name: str) -> Machine:
    """Return the machine with one of its promises alone."""
    return replace(machine, properties=tuple(claim for claim in machine.properties if claim.name == name))


def concerns(claim: Claim, sight: Sight) -> bool:
    """Say whether the claim is about the event of this sight, if it looks at one."""
    return sight[-4] is None or claim.about(sight[-4]) or "event" not in claim.reads


def lookup(machine: Machine, claim: Claim) -> Callable[[Sight], tuple[Any, ...]]:
    """Return the function that picks from a sight what the claim reads."""
    alone = on_shared(claim) or on_final(claim)
    n = 0 if alone else len(machine.parts)
    places = {name: 2 * n + i for i, name in enumerate((*SHARED, "units"))}
    for i, part in enumerate(() if alone else machine.parts):
        places |= {part: i, f"after_{part}": n + i}
    indexes = [places[name] for name in claim.reads]
    pick = itemgetter(*indexes)
    return pick if len(indexes) > 1 else lambda sight: (pick(sight),)


@dataclass(frozen=True)
class Question:
    """A property with its look-up."""

    claim: Property
    look: Callable[[Sight], tuple[Any, ...]]


def broken(questions: tuple[Question, ...], sight: Sight) -> Iterator[tuple[str, str]]:
    """Yield the name of each property that fails at this sight, and why."""
    for question in questions:
        why = question.claim.why(*question.look(sight)) if concerns(question.claim, sight) else None
        if why is not None:
            yield question.claim.name, why


@dataclass(frozen=True)
class Promises:
    """A machine's properties by the moment at which each is asked."""

    unit_step: tuple[Question, ...]
    shared_step: tuple[Question, ...]
    unit_state: tuple[Question, ...]
    shared_state: tuple[Question, ...]
    final: tuple[Question, ...]

    @classmethod
    def of(cls, machine: Machine) -> "Promises":
        """Sort the machine's properties."""
        questions = [Question(p, lookup(machine, p)) for p in machine.properties]
        final = tuple(q for q in questions if on_final(q.claim))
        rest = [q for q in questions if not on_final(q.claim)]

        def pick(step: bool, shared: bool) -> tuple[Question, ...]:
            return tuple(q for q in rest if on_step(q.claim) is step and on_shared(q.claim) is shared)

        return cls(pick(True, False), pick(True, True), pick(False, False), pick(False, True), final)

    def of_step(self, before: State, step: Transition) -> Iterator[tuple[str, str]]:
        """Yield what the step itself breaks."""
        sight = sight_of_step(before, step)
        if step.unit is not None:
            yield from broken(self.unit_step, sight)
        yield from broken(self.shared_step, sight[-4:])

    def of_arrival(self, state: State, step: Transition | None) -> Iterator[tuple[str, str]]:
        """Yield what the state breaks: the unit that just moved, as the others were asked when they did."""
        moved = range(len(state.units)) if step is None else () if step.unit is None else (step.unit,)
        for i in moved:
            yield from broken(self.unit_state, sight_of_state(state, i))
        yield from broken(self.shared_state, sight_of_state(state, None))

    def of_final(self, state: State) -> Iterator[tuple[str, str]]:
        """Yield what is broken because nothing can happen any more."""
        yield from broken(self.final, sight_of_state(state, None))
