"""Finds the shortest run that does given things in a given order: a story told by hand becomes a trace.

Only the faults that the order names may strike, each where it is named; whatever else has to happen in between is
filled in, shortest first.
"""

from collections import deque
from typing import NamedTuple

from fencebench.model.machine import Machine, State, Transition


class Wish(NamedTuple):
    """A thing that has to happen next: an action, the epoch it is about, and its answer where that matters."""

    action: str
    epoch: int | None = None
    outcome: str = ""


class Place(NamedTuple):
    """Where a run stands: the state, and how many wishes are fulfilled."""

    state: State
    fulfilled: int


def grants(wish: Wish, step: Transition) -> bool:
    """Say whether a step is what is wished for."""
    event = step.event
    return event.action == wish.action and wish.epoch in (None, event.epoch) and wish.outcome in ("", event.outcome)


def guide(machine: Machine, wishes: list[Wish], max_places: int = 200_000) -> tuple[Transition, ...]:
    """Return the shortest run that fulfils the wishes in their order, or () where there is none."""
    start = Place(machine.initial, 0)
    came: dict[Place, tuple[Place, Transition] | None] = {start: None}
    queue = deque([start])
    while queue and len(came) < max_places:
        place = queue.popleft()
        if place.fulfilled == len(wishes):
            return way(came, place)
        for step in machine.successors(place.state):
            wished = grants(wishes[place.fulfilled], step)
            after = Place(step.after, place.fulfilled + wished)
            if after not in came and (wished or not step.event.fault):
                came[after] = place, step
                queue.append(after)
    return ()


def way(came: dict[Place, tuple[Place, Transition] | None], place: Place) -> tuple[Transition, ...]:
    """Return the steps that led to a place."""
    steps = []
    while (link := came[place]) is not None:
        place, step = link
        steps.append(step)
    return tuple(reversed(steps))
