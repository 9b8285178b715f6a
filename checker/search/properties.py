"""Which promises a state or a step breaks: properties sorted by what they look at, each asked where it can fail."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

from fencebench.model.machine import Machine, Property, State, Transition, Witness

Claim = Property | Witness
SHARED = ("event", "shared", "after_shared")


class Valuation(NamedTuple):
    """All that a claim may look at: a unit before and after, event, shared part before and after, all units."""

    before: tuple[Any, ...]
    after: tuple[Any, ...]
    event: Any
    shared: Any
    after_shared: Any
    units: Any


def of_step(before: State, step: Transition) -> Valuation:
    """Return what claims see of a step: the unit that moved, if any, and the shared part."""
    units = ((), ()) if step.unit is None else (before.units[step.unit], step.after.units[step.unit])
    return Valuation(units[0], units[1], step.event, before.shared, step.after.shared, step.after.units)


def of_state(state: State, unit: int | None) -> Valuation:
    """Return what claims see of a state from the side of one unit, or of the shared part alone."""
    parts = () if unit is None else state.units[unit]
    return Valuation(parts, parts, None, state.shared, state.shared, state.units)


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
    """Return the machine with one of its promises alone, be it on states and steps or on the state graph."""
    progress = machine.progress if machine.progress is not None and machine.progress.name == name else None
    kept = tuple(claim for claim in machine.properties if claim.name == name)
    return replace(machine, properties=kept, progress=progress)


def concerns(claim: Claim, seen: Valuation) -> bool:
    """Say whether the claim is about the event that is seen, if it looks at one."""
    return seen.event is None or claim.about(seen.event) or "event" not in claim.reads


def place_of(parts: tuple[str, ...], name: str) -> tuple[int, int | None]:
    """Return the field of a valuation that holds what a claim reads, and the place in that field if it is of a unit."""
    if name in (*SHARED, "units"):
        return Valuation._fields.index(name), None
    return int(name not in parts), parts.index(name.removeprefix("after_"))


def lookup(parts: tuple[str, ...], claim: Claim) -> Callable[[Valuation], tuple[Any, ...]]:
    """Return the function that picks from a valuation what the claim reads."""
    places = [place_of(parts, name) for name in claim.reads]
    if all(place is None for _, place in places):
        return picker([field for field, _ in places])
    return lambda seen: tuple([seen[field] if i is None else seen[field][i] for field, i in places])


def picker(places: Sequence[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return the function that picks what is at these places."""
    if len(places) > 1:
        return itemgetter(*places)
    return (lambda values: (values[places[0]],)) if places else (lambda _: ())


@dataclass(frozen=True)
class Question:
    """A property with its look-up."""

    claim: Property
    look: Callable[[Valuation], tuple[Any, ...]]


def broken(questions: tuple[Question, ...], seen: Valuation) -> Iterator[tuple[str, str]]:
    """Yield the name of each property that fails at what is seen, and why."""
    for question in questions:
        why = question.claim.why(*question.look(seen)) if concerns(question.claim, seen) else None
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
        return promises_of(machine.parts, machine.properties)

    @classmethod
    def sorted(cls, questions: list[Question]) -> "Promises":
        """Sort questions by the moment at which each is asked."""
        final = tuple(q for q in questions if on_final(q.claim))
        rest = [q for q in questions if not on_final(q.claim)]

        def pick(step: bool, shared: bool) -> tuple[Question, ...]:
            return tuple(q for q in rest if on_step(q.claim) is step and on_shared(q.claim) is shared)

        return cls(pick(True, False), pick(True, True), pick(False, False), pick(False, True), final)

    def of_step(self, before: State, step: Transition) -> Iterator[tuple[str, str]]:
        """Yield what the step itself breaks."""
        seen = of_step(before, step)
        if step.unit is not None:
            yield from broken(self.unit_step, seen)
        yield from broken(self.shared_step, seen)

    def of_arrival(self, state: State, step: Transition | None) -> Iterator[tuple[str, str]]:
        """Yield what the state breaks: the unit that just moved, as the others were asked when they did."""
        moved = range(len(state.units)) if step is None else () if step.unit is None else (step.unit,)
        for i in moved:
            yield from broken(self.unit_state, of_state(state, i))
        yield from broken(self.shared_state, of_state(state, None))

    def of_final(self, state: State) -> Iterator[tuple[str, str]]:
        """Yield what is broken because nothing can happen any more."""
        yield from broken(self.final, of_state(state, None))


@lru_cache(maxsize=64)
def promises_of(parts: tuple[str, ...], properties: tuple[Property, ...]) -> Promises:
    """Return the promises of all machines that have these parts and properties."""
    return Promises.sorted([Question(claim, lookup(parts, claim)) for claim in properties])
