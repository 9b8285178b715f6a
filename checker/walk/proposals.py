"""What units propose, kept up to date from step to step: only actions that read a changed part are asked again.

Parts, effects and events are known by numbers here, as hashing what they are made of costs more than the step itself.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import itemgetter
from typing import Any, NamedTuple

from fencebench.checker.tables.interning import Numbers
from fencebench.model.machine import Action, Effect, Event, Machine, Part, Step, Unit

Numbered = tuple[int, ...]
"""A unit by the numbers of its parts."""


class Offer(NamedTuple):
    """A step as it is offered: the numbers of the effect it presumes and of its event, and of parts by place after."""

    presumes: int
    event: int
    moves: tuple[tuple[int, int], ...]
    step: Step


ByRule = dict[str, tuple[Offer, ...]]
"""What one action proposes to one view, by rule: the fault's name, else the action's."""
NOTHING: ByRule = {}
NO_UNIT: dict[int, Any] = {}


def look(places: list[int]) -> Callable[[Numbered], Any]:
    """Return the function that picks what stands at these places."""
    return itemgetter(*places) if places else lambda numbers: ()


class ProposalTables:
    """Makes the proposals of one machine, each once for each view of its action."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.actions, self.place = machine, machine.actions, machine.place
        self.looks = [[machine.place[name] for name in action.reads] for action in machine.actions]
        self.views = [look(places) for places in self.looks]
        self.tables: list[dict[Any, ByRule]] = [{} for _ in machine.actions]
        self.parts: list[Numbers[Part]] = [Numbers() for _ in machine.parts]
        self.effects, self.events = Numbers[Effect](), Numbers[Event]()
        self.readers = cache(self.find_readers)

    def find_readers(self, changed: Numbered) -> tuple[int, ...]:
        """Return the actions that read any of the parts at these places."""
        return tuple(n for n, places in enumerate(self.looks) if set(places) & set(changed))

    def numbered(self, unit: Unit) -> Numbered:
        """Return a unit by the numbers of its parts."""
        return tuple(number(part) for number, part in zip(self.parts, unit, strict=True))

    def ask_action(self, n: int, numbers: Numbered, unit: Unit) -> ByRule:
        """Ask an action for the first time with this view, and sort its steps by rule."""
        action, proposal = self.actions[n], dict[str, tuple[Offer, ...]]()
        for step in self.machine.ask(action, *action.seen([unit[i] for i in self.looks[n]])):
            rule = step.event.fault or action.name
            proposal[rule] = (*proposal.get(rule, ()), self.offer(step))
        return self.tables[n].setdefault(self.views[n](numbers), proposal or NOTHING)

    def offer(self, step: Step) -> Offer:
        """Number what a step presumes, tells and changes."""
        places = ((self.place[name], part) for name, part in step.changes)
        moves = tuple((i, self.parts[i](part)) for i, part in places)
        return Offer(self.effects(step.effect), self.events(step.event), moves, step)


class Proposed:
    """What each unit of a run proposes now; both maps have only what offers something."""

    def __init__(
        self, action_tables: ProposalTables, units: tuple[Unit, ...], off: frozenset[str] = frozenset()
    ) -> None:
        self.action_tables = action_tables
        on = {n for n, action in enumerate(action_tables.actions) if action.name not in off}
        self.asked = cache(lambda changed: tuple(n for n in action_tables.readers(changed) if n in on))
        self.proposals: list[dict[int, ByRule]] = [{} for _ in units]
        self.by_rule: dict[str, dict[int, dict[int, tuple[Offer, ...]]]] = {}
        for i, unit in enumerate(units):
            self.renew(i, unit, action_tables.numbered(unit), tuple(range(len(unit))))

    def copy(self, off: frozenset[str]) -> "Proposed":
        """Return the same proposed, to go its own way without the actions that bear the name of a fault that is off."""
        other = Proposed(self.action_tables, (), off)
        other.proposals = list(map(dict, self.proposals))
        for rule, units in self.by_rule.items():
            other.by_rule[rule] = {i: dict(offers) for i, offers in units.items()}
        for i, proposals in enumerate(self.proposals):
            for n in proposals:
                if self.action_tables.actions[n].name in off:
                    other.put(i, n, NOTHING)
        return other

    def renew(self, i: int, unit: Unit, numbers: Numbered, changed: Numbered) -> set[str]:
        """Ask what is proposed to a unit now that these parts changed; return the rules under which the offer did."""
        proposals, tables, views, touched = (
            self.proposals[i],
            self.action_tables.tables,
            self.action_tables.views,
            set[str](),
        )
        for n in self.asked(changed):
            proposal = tables[n].get(views[n](numbers))
            if proposal is None:
                proposal = self.action_tables.ask_action(n, numbers, unit)
            old = proposals.get(n, NOTHING)
            if proposal is not old:
                touched |= proposal.keys() | old.keys()
                self.put(i, n, proposal)
        return touched

    def put(self, i: int, n: int, proposal: ByRule) -> None:
        """Replace what an action proposes to a unit."""
        for rule in self.proposals[i].pop(n, NOTHING):
            del self.by_rule[rule][i][n]
            if not self.by_rule[rule][i]:
                del self.by_rule[rule][i]
        for rule, offers in proposal.items():
            self.by_rule.setdefault(rule, {}).setdefault(i, {})[n] = offers
        if proposal:
            self.proposals[i][n] = proposal

    def under(self, rule: str, active: int) -> Iterator[Offer]:
        """Yield what the first so many units offer under a rule, in no particular order."""
        for i, by_action in self.by_rule.get(rule, NO_UNIT).items():
            if i < active:
                for offers in by_action.values():
                    yield from offers

    def offers(self, rule: str, i: int) -> Iterator[Offer]:
        """Yield what a unit offers under a rule, in the fixed order of the actions."""
        for _, offers in sorted(self.by_rule.get(rule, NO_UNIT).get(i, NO_UNIT).items()):
            yield from offers

    def all_offers(self, i: int) -> Iterator[Offer]:
        """Yield all that a unit offers, in the same order."""
        for _, proposal in sorted(self.proposals[i].items()):
            for offers in proposal.values():
                yield from offers


def names(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the actions' names, each once, in order."""
    return tuple(dict.fromkeys(action.name for action in actions))
