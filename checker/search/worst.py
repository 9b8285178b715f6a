"""The worst that a measure of the shared part can become for each number of faults, and the shortest run to it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from fencebench.checker.search.limits import Clock, Limits, Stop, Watch
from fencebench.checker.search.uniform_cost import Way, cheapest_first
from fencebench.model.machine import Machine, Shared, State, Transition

Measure = Callable[[Shared], int]


@dataclass(frozen=True)
class Peak:
    """The highest value that exactly `faults` faults reach, and the shortest run to it."""

    value: int
    faults: int
    steps: int
    trace: tuple[Transition, ...]


@dataclass(frozen=True)
class Worst:
    """Peaks of each measure by number of faults, ascending; with a `limit` they are only lower bounds."""

    peaks: Mapping[str, tuple[Peak, ...]]
    states: int
    limit: Stop | None = None


def steps(machine: Machine, state: State) -> Iterator[tuple[Transition, State]]:
    """Yield each step of a state and where it leads."""
    yield from ((step, step.after) for step in machine.successors(state))


def worst(machine: Machine, measures: Mapping[str, Measure], limits: Limits, watch: Watch = lambda *_: None) -> Worst:
    """Search every reachable state and keep, for each measure and number of faults, the first of the highest."""
    clock, states, limit = Clock(limits), 0, None
    best: dict[tuple[str, int], tuple[int, Way[State, Transition]]] = {}
    ways = cheapest_first(machine.initial, lambda s: steps(machine, s), lambda s: machine.faults(s.shared))
    for way in ways:
        if limit := clock.over(states):
            break
        states += 1
        for name, measure in measures.items():
            value, kept = measure(way.place.shared), best.get((name, way.faults))
            if kept is None or value > kept[0]:
                best[name, way.faults] = value, way
        watch(states, 0, way.steps)
    peaks = {name: tuple(peaks_of(name, best)) for name in measures}
    return Worst(peaks, states, limit)


def peaks_of(name: str, best: Mapping[tuple[str, int], tuple[int, Way[State, Transition]]]) -> Iterator[Peak]:
    """Yield the peaks of one measure, fewest faults first."""
    for (of, faults), (value, way) in sorted(best.items(), key=lambda item: item[0]):
        if of == name:
            yield Peak(value, faults, way.steps, way.moves())
