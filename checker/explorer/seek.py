"""Searches from where a person stands, in a process beside the server, which can be stopped."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from fencebench.checker.explorer.place import Desk, Place, breaks, written
from fencebench.checker.search.properties import concerns, lookup, of_state, of_step, on_step
from fencebench.checker.search.replay import is_final
from fencebench.checker.search.uniform_cost import cheapest_first
from fencebench.model.machine import State, Transition, Witness

Goal = Callable[[State, Transition], bool]
VIOLATION, END = "violation", "end"
EVERY = 500
"""States between two reports of how far the search is."""


def goals(desk: Desk) -> dict[str, str]:
    """Return what can be searched for, and what that is."""
    named = {f"witness {w.name}": w.name for w in desk.machine.witnesses}
    return {VIOLATION: "the shortest violation from here", END: "the nearest end", **named}


def goal_of(place: Place, name: str) -> Goal:
    """Return the test of a step and the state before it; a promise that is broken already is no find."""
    desk = place.desk
    if name == VIOLATION:
        return lambda before, step: bool(place.newly(breaks(desk, before, step)))
    if name == END:
        return lambda before, step: step.after != before and is_final(desk.machine, step.after)
    witnesses = [w for w in desk.machine.witnesses if f"witness {w.name}" == name]
    return lambda before, step: any(seen(desk, witness, before, step) for witness in witnesses)


def seen(desk: Desk, witness: Witness, before: State, step: Transition) -> bool:
    """Say whether a step, or the state it leads to, is what a witness names."""
    view = of_step(before, step) if on_step(witness) else of_state(step.after, step.unit)
    if step.unit is None or not concerns(witness, view):
        return False
    return bool(witness.seen(*lookup(desk.machine.parts, witness)(view)))


def search(place: Place, name: str) -> Iterator[int | str | None]:
    """Yield now and then how many states were seen, at last the address of the nearest goal, or None: there is none."""
    goal, machine = goal_of(place, name), place.desk.machine
    ways = cheapest_first(
        place.state,
        lambda state: ((step, step.after) for step in machine.successors(state)),
        lambda state: machine.faults(state.shared),
    )
    best: tuple[tuple[int, int], tuple[Transition, ...]] | None = None
    for number, way in enumerate(ways, 1):
        if best is not None and way.cost >= best[0]:
            break
        for step in machine.successors(way.place):
            cost = machine.faults(step.after.shared), way.steps + 1
            if (best is None or cost < best[0]) and goal(way.place, step):
                best = cost, (*way.moves(), step)
        if number % EVERY == 0:
            yield number
    yield written(place.after(best[1]).choices) if best else None


@dataclass
class Seeking:
    """A search in a process of its own; `states` is how many it has seen, `answer` what it found once it is `done`."""

    process: BaseProcess
    reports: Connection
    states: int = 0
    done: bool = False
    answer: str | None = None

    @classmethod
    def begin(cls, place: Place, name: str) -> "Seeking":
        """Start the search; the process is forked, as a fence holds functions that no other could find by name."""
        reports, tell = get_context("fork").Pipe(duplex=False)
        process = get_context("fork").Process(target=work, args=(place, name, tell), daemon=True)
        process.start()
        tell.close()
        return cls(process, reports)

    def look(self, seconds: float) -> None:
        """Take in what the search has reported, and wait at most so long for its answer."""
        while not self.done and self.reports.poll(seconds):
            try:
                said = self.reports.recv()
            except EOFError:
                self.done = True
                return
            self.done = not isinstance(said, int)
            self.states, self.answer = (self.states, said) if self.done else (said, None)

    def stop(self) -> None:
        """End the search."""
        self.process.kill()
        self.process.join()
        self.done = True


def work(place: Place, name: str, tell: Connection) -> None:
    """Search, and report."""
    for said in search(place, name):
        tell.send(said)


@dataclass
class Searches:
    """The searches of a server, by address and goal; a new one ends the others."""

    running: dict[tuple[str, str], Seeking] = field(default_factory=dict)

    def of(self, place: Place, name: str) -> Seeking:
        """Return the search, begun if it is new."""
        key = written(place.choices), name
        if key not in self.running:
            self.stop()
            self.running = {key: Seeking.begin(place, name)}
        return self.running[key]

    def stop(self) -> None:
        """End all of them."""
        for one in self.running.values():
            one.stop()
        self.running = {}
