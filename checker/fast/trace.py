"""Rebuilds a story forward through sets of states that are known to lie on the cheapest stories.

Among the cheapest stories of a broken promise the fixed order prefers the one whose faults strike latest, then the
one whose first step comes first in the machine's order of steps, then its second, and so on.
"""

from collections.abc import Callable, Sequence

from fencebench.checker.fast.violations import Violation
from fencebench.checker.search.properties import (
    concerns,
    lookup,
    of_state,
    of_step,
    on_final,
    on_shared,
    on_step,
)
from fencebench.checker.search.result import Finding
from fencebench.model.machine import Machine, Property, State, Transition

Member = Callable[[State], bool]


def walk(machine: Machine, path_sets: Sequence[Member]) -> tuple[State, tuple[Transition, ...]]:
    """Take, from the initial state, always the first step through the next gate; return where that ends."""
    state, trace = machine.initial, []
    for passes in path_sets:
        step = next(t for t in machine.successors(state) if passes(t.after))
        trace.append(step)
        state = step.after
    return state, tuple(trace)


def fails_on(machine: Machine, claim: Property, state: State, step: Transition) -> str | None:
    """Say why a step breaks a promise, or None."""
    seen = of_step(state, step)
    if (step.unit is None and not on_shared(claim)) or not concerns(claim, seen):
        return None
    return claim.why(*lookup(machine.parts, claim)(seen))


def fails_in(machine: Machine, claim: Property, state: State, unit: int | None) -> str | None:
    """Say why a state breaks a promise from the side of one unit, or from that of the shared part."""
    return claim.why(*lookup(machine.parts, claim)(of_state(state, unit)))


def finding(machine: Machine, name: str, violation: Violation, path_sets: Sequence[Member]) -> Finding:
    """Tell the story that the path_sets lead along, with the step that breaks the promise if a step does."""
    state, trace = walk(machine, path_sets)
    claims = [claim for claim in machine.properties if claim.name == name]
    if violation.before is not None:
        step, why = breaking(machine, [c for c in claims if on_step(c)], violation.faults, state)
        return Finding(name, *violation.cost, why, (*trace, step))
    return Finding(name, *violation.cost, broken(machine, [c for c in claims if not on_step(c)], state), trace)


def breaking(machine: Machine, claims: Sequence[Property], faults: int, state: State) -> tuple[Transition, str]:
    """Return the first step from the state, to one with so many faults, that breaks a promise, and why it does."""
    order = sorted(claims, key=on_shared)
    for step in machine.successors(state):
        reasons = (fails_on(machine, claim, state, step) for claim in order)
        why = next((why for why in reasons if why is not None), None)
        if why is not None and machine.faults(step.after.shared) == faults:
            return step, why
    raise AssertionError("the promise holds where its story ends")


def broken(machine: Machine, claims: Sequence[Property], state: State) -> str:
    """Say why a state breaks a promise: for a unit, for the shared part, or because nothing can happen any more."""
    of_unit = [c for c in claims if not on_shared(c) and not on_final(c)]
    sides: list[tuple[Property, int | None]] = [(claim, unit) for unit in range(len(state.units)) for claim in of_unit]
    sides += [(claim, None) for claim in claims if on_shared(claim)]
    sides += [(claim, None) for claim in claims if on_final(claim)]
    reasons = (fails_in(machine, claim, state, unit) for claim, unit in sides)
    return next(why for why in reasons if why is not None)
