"""Brings a story of small units back to the whole machine: each unit finds a way to show what its blocks showed."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fencebench.checker.reduce.system import Label, inconsequential, shown
from fencebench.checker.search.properties import Promises
from fencebench.checker.search.result import Finding
from fencebench.model.local_view import Known, LocalView
from fencebench.model.machine import REFUSED, Event, Machine, Shared, SharedStep, State, Step, Transition, Unit


class Alone(NamedTuple):
    """A unit by itself: what it knows, and its parts."""

    known: Known
    unit: Unit


class Move(NamedTuple):
    """What a unit may do by itself: what is seen, where it leads, by which step; one of several is always allowed.

    There is no step where something happens to all units.
    """

    label: Label
    after: Alone
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Way:
    """How a unit came to a place, having shown some of its labels."""

    place: Alone
    shown: int
    before: "Way | None" = None
    move: Move | None = None


def moves(local: LocalView, promises: Promises, place: Alone) -> Iterator[Move]:
    """Yield what a unit may do by itself, as its transition system has it."""
    before = State(place.known, (place.unit,))
    for step in local.machine.unit_steps(place.unit):
        known = local.machine.answer(place.known, step.effect)
        if known is not REFUSED:
            after = Alone(known, local.machine.changed(place.unit, step.changes))
            passage = Transition(0, step.event, State(known, (after.unit,)))
            breaks = tuple(sorted({*fresh(promises, before, passage)}))
            yield Move(shown(local, place.known, step.effect, step.event, breaks), after, (step,))
    for own in local.machine.own_steps(place.known):
        yield Move(Label(common=own.event), place._replace(known=own.shared))


def as_seen(local: LocalView, found: Sequence[Move]) -> Iterator[Move]:
    """Yield the moves of a unit; nothing is seen of one of two that are possible in any case."""
    for move in found:
        near = (other for other in found if other.after == move.after)
        twins = [step for other in near if inconsequential(local, move.label, other.label) for step in other.steps]
        yield move._replace(label=Label(), steps=(*move.steps, *twins)) if twins else move


def fresh(promises: Promises, before: State, step: Transition) -> Iterator[str]:
    """Yield the promises that a step breaks, or is the first to lead to a state that does."""
    yield from (name for name, _ in promises.of_step(before, step))
    old = {name for name, _ in promises.of_arrival(before, Transition(0, step.event, before))}
    yield from (name for name, _ in promises.of_arrival(step.after, step) if name not in old)


def way_to_show(local: LocalView, start: Alone, told: Sequence[Label]) -> list[Move]:
    """Return a shortest way for a unit to show these labels one after the other."""
    promises, waiting = Promises.of(local.machine), deque([Way(start, 0)])
    met = {(start, 0)}
    while waiting:
        way = waiting.popleft()
        if way.shown == len(told):
            return taken(way)
        for move in as_seen(local, [*moves(local, promises, way.place)]):
            unseen = move.label == Label() or move.label.common is not None
            if unseen or move.label == told[way.shown]:
                after = Way(move.after, way.shown + (not unseen), way, move)
                if (after.place, after.shown) not in met:
                    met.add((after.place, after.shown))
                    waiting.append(after)
    raise AssertionError("a block shows what none of its states can show")


def taken(way: Way) -> list[Move]:
    """Return the moves from the start to here."""
    moves_ = list[Move]()
    while way.before is not None and way.move is not None:
        moves_.append(way.move)
        way = way.before
    return moves_[::-1]


class Lifting:
    """A run of the whole machine that grows along a story."""

    def __init__(self, machine: Machine, start: State) -> None:
        self.machine, self.state = machine, start
        self.trace = list[Transition]()

    def take(self, unit: int, move: Move) -> None:
        """Let a unit take the first step of a move that is allowed."""
        shared = self.state.shared
        answers = ((step, self.machine.answer(shared, step.effect)) for step in move.steps)
        step, after = next((step, after) for step, after in answers if after is not REFUSED)
        units = (*self.state.units[:unit], move.after.unit, *self.state.units[unit + 1 :])
        self.add(Transition(unit, step.event, State(after, units)))

    def own(self, event: Event, place: int) -> None:
        """Let the shared part take its step with this event, that at a place if there are several."""
        step = own_steps(self.machine, self.state.shared, event)[place]
        self.add(Transition(None, event, State(step.shared, self.state.units)))

    def add(self, step: Transition) -> None:
        """Add a step to the run."""
        self.trace.append(step)
        self.state = step.after


def own_steps(machine: Machine, shared: Shared, event: Event) -> list[SharedStep]:
    """Return the steps of the shared part that have this event."""
    return [step for step in machine.own_steps(shared) if step.event == event]


def lifted(
    machine: Machine, local: LocalView, known: Sequence[Known], small: Machine, story: Sequence[Transition]
) -> tuple[Transition, ...]:
    """Return a run of the whole machine in which every unit shows what it shows in the story of the small one.

    Before something happens to all units, each takes the steps that nobody sees and that come before it on its way.
    """
    begin = map(Alone, known, machine.initial.units)
    queues = [deque(way_to_show(local, alone, labels(story, unit))) for unit, alone in enumerate(begin)]
    run, shared = Lifting(machine, machine.initial), small.initial.shared
    for step in story:
        if step.unit is None:
            for unit, queue in enumerate(queues):
                turn(run, unit, queue, step.event)
            steps = [own.shared for own in own_steps(small, shared, step.event)]
            run.own(step.event, steps.index(step.after.shared))
        else:
            catch_up(run, step.unit, queues[step.unit])
        shared = step.after.shared
    return tuple(run.trace)


def labels(story: Sequence[Transition], unit: int) -> list[Label]:
    """Return what a unit shows in a story."""
    return [t.event.message for t in story if t.unit == unit and isinstance(t.event.message, Label)]


def catch_up(run: Lifting, unit: int, queue: deque[Move]) -> None:
    """Take the unseen steps of a unit, and the one that is seen next."""
    while queue[0].label == Label():
        run.take(unit, queue.popleft())
    run.take(unit, queue.popleft())


def turn(run: Lifting, unit: int, queue: deque[Move], event: Event) -> None:
    """Take the unseen steps of a unit up to where it notices this event, if that is what comes next to be seen."""
    ahead = 0
    while ahead < len(queue) and queue[ahead].label == Label():
        ahead += 1
    if ahead < len(queue) and queue[ahead].label.common == event:
        for _ in range(ahead):
            run.take(unit, queue.popleft())
        queue.popleft()


def as_finding(machine: Machine, name: str, trace: Sequence[Transition]) -> Finding:
    """Cut a run after the first step that breaks the promise."""
    promises, before = Promises.of(machine), machine.initial
    for number, step in enumerate(trace, 1):
        broken = (*promises.of_step(before, step), *promises.of_arrival(step.after, step))
        why = dict(reversed(broken)).get(name)
        if why is not None:
            return Finding(name, machine.faults(step.after.shared), number, why, tuple(trace[:number]))
        before = step.after
    raise AssertionError(f"the lifted run does not break {name}")
