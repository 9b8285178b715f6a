"""Which promises a state or a step breaks: properties sorted by what they look at, each asked where it can fail."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from model.machine import Event, Machine, Property, Shared, State, Transition, Unit, Witness

SHARED = {"shared", "after_shared"}


@dataclass(frozen=True)
class Moment:
    """A step as a property sees it; for a question about a state, before and after are the same."""

    event: Event | None
    before: Unit
    after: Unit
    shared: Shared
    after_shared: Shared
    units: tuple[Unit, ...] = ()

    def read(self, machine: Machine, names: tuple[str, ...]) -> Iterator[Any]:
        """Yield the value behind each name."""
        for name in names:
            if name in ("event", "shared", "after_shared", "units"):
                yield getattr(self, name)
            elif name.startswith("after_"):
                yield self.after[machine.place[name.removeprefix("after_")]]
            else:
                yield self.before[machine.place[name]]


def on_final(claim: Property | Witness) -> bool:
    """Say whether it is asked of final states only."""
    return "units" in claim.reads


def on_step(claim: Property | Witness) -> bool:
    """Say whether it is asked of steps."""
    return any(name == "event" or name.startswith("after_") for name in claim.reads)


def on_shared(claim: Property | Witness) -> bool:
    """Say whether it looks at the shared part alone."""
    return all(name in SHARED or name == "event" for name in claim.reads)


def broken(machine: Machine, claims: tuple[Property, ...], moment: Moment) -> Iterator[tuple[str, str]]:
    """Yield the name of each property that fails at this moment, and why."""
    for claim in claims:
        why = claim.fails(*moment.read(machine, claim.reads))
        if why is not None:
            yield claim.name, why


def moment_of_step(before: State, step: Transition) -> Moment:
    """Show a step to its properties: only the unit that moved."""
    i = step.unit
    units = ((), ()) if i is None else (before.units[i], step.after.units[i])
    return Moment(step.event, *units, before.shared, step.after.shared)


def moment_of_unit(state: State, i: int) -> Moment:
    """Show one unit of a state to its properties."""
    return Moment(None, state.units[i], state.units[i], state.shared, state.shared, state.units)


@dataclass(frozen=True)
class Promises:
    """A machine's properties by the moment at which each is asked."""

    machine: Machine
    unit_step: tuple[Property, ...]
    shared_step: tuple[Property, ...]
    unit_state: tuple[Property, ...]
    shared_state: tuple[Property, ...]
    final: tuple[Property, ...]

    @classmethod
    def of(cls, machine: Machine) -> "Promises":
        """Sort the machine's properties."""
        final = tuple(p for p in machine.properties if on_final(p))
        rest = [p for p in machine.properties if not on_final(p)]

        def pick(step: bool, shared: bool) -> tuple[Property, ...]:
            return tuple(p for p in rest if on_step(p) is step and on_shared(p) is shared)

        return cls(machine, pick(True, False), pick(True, True), pick(False, False), pick(False, True), final)

    def of_step(self, before: State, step: Transition) -> Iterator[tuple[str, str]]:
        """Yield what the step itself breaks."""
        moment = moment_of_step(before, step)
        yield from broken(self.machine, self.shared_step, moment)
        if step.unit is not None:
            yield from broken(self.machine, self.unit_step, moment)

    def of_arrival(self, state: State, step: Transition | None) -> Iterator[tuple[str, str]]:
        """Yield what the state breaks: the unit that just moved, as the others were asked when they did."""
        moved = range(len(state.units)) if step is None else () if step.unit is None else (step.unit,)
        for i in moved:
            yield from broken(self.machine, self.unit_state, moment_of_unit(state, i))
        yield from broken(self.machine, self.shared_state, Moment(None, (), (), state.shared, state.shared))

    def of_final(self, state: State) -> Iterator[tuple[str, str]]:
        """Yield what is broken because nothing can happen any more."""
        yield from broken(self.machine, self.final, moment_of_unit(state, 0))
