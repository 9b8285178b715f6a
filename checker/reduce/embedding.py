"""Finds a run of a whole machine in which one unit lives through a given story, whatever the others do meanwhile."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fencebench.checker.search.properties import Promises
from fencebench.checker.search.result import Finding
from fencebench.checker.search.uniform_cost import Way, cheapest_first
from fencebench.model.machine import Event, Machine, State, Transition, Unit

Script = tuple[tuple[Event, Unit], ...]
"""What one unit does: each of its steps, and what it is after it."""


class Place(NamedTuple):
    """A state of the whole machine, and how many steps of the script are done."""

    state: State
    done: int


@dataclass(frozen=True)
class Embedding:
    """The cheapest run that was found, and whether all were tried: a limit may have come first."""

    finding: Finding | None
    states: int
    exhausted: bool


def script(story: Sequence[Transition]) -> Script:
    """Return what the only unit of a story does; steps of the shared part are for others to find."""
    return tuple((step.event, step.after.units[0]) for step in story if step.unit is not None)


def embed(machine: Machine, story: Script, promise: str, max_states: int) -> Embedding:
    """Search, cheapest first, for a run whose first unit follows the story and breaks the promise by its last step."""
    promises, count = Promises.of(machine), 0

    def expand(place: Place) -> Iterator[tuple[Transition, Place]]:
        for step in machine.successors(place.state) if place.done < len(story) else ():
            if step.unit != 0:
                yield step, Place(step.after, place.done)
            elif (step.event, step.after.units[0]) == story[place.done]:
                yield step, Place(step.after, place.done + 1)

    for way in cheapest_first(Place(machine.initial, 0), expand, lambda place: machine.faults(place.state.shared)):
        count += 1
        why = reason(promises, way, promise) if way.place.done == len(story) else None
        if why is not None:
            return Embedding(Finding(promise, *way.cost, why, way.moves()), count, True)
        if count >= max_states:
            return Embedding(None, count, False)
    return Embedding(None, count, True)


def reason(promises: Promises, way: Way[Place, Transition], promise: str) -> str | None:
    """Say how the last step of a way, or the state it leads to, breaks the promise, or None."""
    if way.before is None or way.move is None:
        return None
    broken = (*promises.of_step(way.before.place.state, way.move), *promises.of_arrival(way.place.state, way.move))
    return dict(reversed(broken)).get(promise)
