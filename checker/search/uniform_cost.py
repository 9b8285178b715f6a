"""Uniform-cost search for engines that follow something else than one machine: fewest faults, then fewest steps."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Generic, TypeVar

Place = TypeVar("Place", bound=Hashable)
Move = TypeVar("Move")


@dataclass(frozen=True, eq=False)
class Way(Generic[Place, Move]):
    """The cheapest way to a place; `move` is the last one of it, None at the start."""

    faults: int
    steps: int
    place: Place
    before: "Way[Place, Move] | None" = None
    move: Move | None = None

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.faults, self.steps

    def moves(self) -> tuple[Move, ...]:
        """Return all moves from the start to here."""
        way, taken = self, list[Move]()
        while way.before is not None and way.move is not None:
            taken.append(way.move)
            way = way.before
        return tuple(reversed(taken))


def cheapest_first(
    start: Place, expand: Callable[[Place], Iterable[tuple[Move, Place]]], faults: Callable[[Place], int]
) -> Iterator[Way[Place, Move]]:
    """Yield every reachable place once, in the order of its cost; equals come in the order of `expand`."""
    numbers, root = count(), Way[Place, Move](faults(start), 0, start)
    best: dict[Place, tuple[int, int]] = {start: root.cost}
    frontier: list[tuple[tuple[int, int], int, Way[Place, Move]]] = [(root.cost, next(numbers), root)]
    while frontier:
        cost, _, way = heappop(frontier)
        if best[way.place] != cost or way.cost != cost:
            continue
        best[way.place] = (-1, -1)  # settled: whatever comes later is no cheaper
        yield way
        for move, place in expand(way.place):
            child = Way(faults(place), way.steps + 1, place, way, move)
            if place not in best or child.cost < best[place]:
                best[place] = child.cost
                heappush(frontier, (child.cost, next(numbers), child))
