"""What all runs of one machine have in common: what it proposes, what it promises, who may answer instead of it."""

from collections.abc import Callable
from typing import Any, NamedTuple

from fencebench.checker.search.properties import promising
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.walk.judge import Judge
from fencebench.checker.walk.proposals import ProposalTables, Proposed, names
from fencebench.model.machine import Machine, Shared, State, Transition, name_of

Subject = Callable[[State, Transition], str | None]
"""A system under test: it is told the state and each step taken in it, and says where its own answer differs."""
SUBJECT = "answers_as_modelled"
"""The promise that a system under test keeps while its answers are the model's."""
RUNS_A_TABLE = 200
"""After so many runs the answers kept here are given up, as walks ask ever new ones; the model's own tables stay."""


class WalkTables:
    """A machine made ready for runs: `faults` names those that may strike, `ordinary` all other rules."""

    def __init__(self, machine: Machine, faults: tuple[str, ...], subject: Subject | None = None) -> None:
        self.machine = machine
        self.faults = faults
        self.subject = subject
        self.judge = Judge(machine)
        self.action_tables = ProposalTables(machine)
        self.shareds = Numbers[Shared]()
        self.proposed = Proposed(self.action_tables, machine.initial.units)
        self.numbers = tuple(map(self.action_tables.numbered, machine.initial.units))
        self.own: dict[str, list[Any]] = {}
        for action in machine.shared_actions:  # one that is a fault bears the fault's name
            self.own.setdefault(name_of(action), []).append(action)
        self.ordinary = tuple(name for name in (*names(machine.actions), *self.own) if name not in faults)
        self.broken_at_first = tuple(self.judge.promises.of_arrival(machine.initial, None))


class Profile(NamedTuple):
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


class WalkSource:
    """WalkTables for many runs, laid anew from time to time."""

    def __init__(
        self,
        make: Callable[[], Machine],
        faults: tuple[str, ...],
        profiles: tuple[Profile, ...] = (),
        subject: Subject | None = None,
    ) -> None:
        self.make, self.faults, self.profiles, self.subject = make, faults, profiles, subject
        self.tables = self.make_tables()
        self.runs = 0

    def make_tables(self) -> WalkTables:
        """Lay new tables."""
        return WalkTables(self.make(), self.faults, self.subject)

    def only(self, promise: str) -> "WalkSource":
        """Return a source on which nothing but this promise is asked for."""

        def make() -> Machine:
            return promising(self.make(), promise)

        return WalkSource(make, self.faults, self.profiles, self.subject if promise == SUBJECT else None)

    def next_tables(self) -> WalkTables:
        """Return the tables of the next run."""
        self.runs += 1
        if self.runs % RUNS_A_TABLE == 0:
            self.tables = self.make_tables()
        return self.tables
