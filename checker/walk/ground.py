"""What all runs of one machine have in common: what it proposes, what it promises, who may answer instead of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fencebench.checker.search.properties import promising
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.walk.judge import Judge
from fencebench.checker.walk.proposals import Kitchen, Menu, names
from fencebench.model.machine import Machine, Shared, State, Transition, name_of

Subject = Callable[[State, Transition], str | None]
"""A system under test: it is told the state and each step taken in it, and says where its own answer differs."""
SUBJECT = "answers_as_modelled"
"""The promise that a system under test keeps while its answers are the model's."""
RUNS_A_GROUND = 200
"""After so many runs the answers kept here are given up, as walks ask ever new ones; the model's own tables stay."""


class Ground:
    """A machine made ready for runs: `faults` names those that may strike, `ordinary` all other rules."""

    def __init__(self, machine: Machine, faults: tuple[str, ...], subject: Subject | None = None) -> None:
        self.machine = machine
        self.faults = faults
        self.subject = subject
        self.judge = Judge(machine)
        self.kitchen = Kitchen(machine)
        self.shareds = Numbers[Shared]()
        self.menu = Menu(self.kitchen, machine.initial.units)
        self.numbers = tuple(map(self.kitchen.numbered, machine.initial.units))
        self.own: dict[str, list[Any]] = {}
        for action in machine.shared_actions:  # one that is a fault bears the fault's name
            self.own.setdefault(name_of(action), []).append(action)
        self.ordinary = tuple(name for name in (*names(machine.actions), *self.own) if name not in faults)
        self.broken_at_first = tuple(self.judge.promises.of_arrival(machine.initial, None))


class Temper(NamedTuple):
    """What a walk is bent on: which faults may strike, which rules are keen (asked first), which lazy (asked last).

    With `alone` one unit begins, and no fault strikes any more when the others do.
    """

    faults: frozenset[str]
    keen: frozenset[str] = frozenset()
    lazy: frozenset[str] = frozenset()
    alone: bool = False

    def tier(self, rule: str) -> int:
        """Return when the rule is asked: the keen before the others, the lazy after them."""
        return (rule in self.lazy) - (rule in self.keen)


class Site:
    """Ground for many runs, laid anew from time to time."""

    def __init__(
        self,
        make: Callable[[], Machine],
        faults: tuple[str, ...],
        tempers: tuple[Temper, ...] = (),
        subject: Subject | None = None,
    ) -> None:
        self.make, self.faults, self.tempers, self.subject = make, faults, tempers, subject
        self.ground = self.lay()
        self.runs = 0

    def lay(self) -> Ground:
        """Lay new ground."""
        return Ground(self.make(), self.faults, self.subject)

    def only(self, promise: str) -> "Site":
        """Return a site on which nothing but this promise is asked for."""

        def make() -> Machine:
            return promising(self.make(), promise)

        return Site(make, self.faults, self.tempers, self.subject if promise == SUBJECT else None)

    def next_ground(self) -> Ground:
        """Return the ground of the next run."""
        self.runs += 1
        if self.runs % RUNS_A_GROUND == 0:
            self.ground = self.lay()
        return self.ground
