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


Dish = dict[str, tuple[Offer, ...]]
"""What one action proposes to one view, by rule: the fault's name, else the action's."""
NOTHING: Dish = {}
NOBODY: dict[int, Any] = {}


def look(places: list[int]) -> Callable[[Numbered], Any]:
    """Return the function that picks what stands at these places."""
    return itemgetter(*places) if places else lambda numbers: ()


class Kitchen:
    """Makes the dishes of one machine, each once for each view of its action."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.actions, self.place = machine, machine.actions, machine.place
        self.looks = [[machine.place[name] for name in action.reads] for action in machine.actions]
        self.views = [look(places) for places in self.looks]
        self.tables: list[dict[Any, Dish]] = [{} for _ in machine.actions]
        self.parts: list[Numbers[Part]] = [Numbers() for _ in machine.parts]
        self.effects, self.events = Numbers[Effect](), Numbers[Event]()
        self.readers = cache(self.find_readers)

    def find_readers(self, changed: Numbered) -> tuple[int, ...]:
        """Return the actions that read any of the parts at these places."""
        return tuple(n for n, places in enumerate(self.looks) if set(places) & set(changed))

    def numbered(self, unit: Unit) -> Numbered:
        """Return a unit by the numbers of its parts."""
        return tuple(number(part) for number, part in zip(self.parts, unit, strict=True))

    def cook(self, n: int, numbers: Numbered, unit: Unit) -> Dish:
        """Ask an action for the first time with this view, and sort its steps by rule."""
        action, dish = self.actions[n], dict[str, tuple[Offer, ...]]()
        for step in self.machine.ask(action, *action.seen([unit[i] for i in self.looks[n]])):
            rule = step.event.fault or action.name
            dish[rule] = (*dish.get(rule, ()), self.offer(step))
        return self.tables[n].setdefault(self.views[n](numbers), dish or NOTHING)

    def offer(self, step: Step) -> Offer:
        """Number what a step presumes, tells and changes."""
        places = ((self.place[name], part) for name, part in step.changes)
        moves = tuple((i, self.parts[i](part)) for i, part in places)
        return Offer(self.effects(step.effect), self.events(step.event), moves, step)


class Menu:
    """What each unit of a run proposes now; both maps have only what offers something."""

    def __init__(self, kitchen: Kitchen, units: tuple[Unit, ...], off: frozenset[str] = frozenset()) -> None:
        self.kitchen = kitchen
        on = {n for n, action in enumerate(kitchen.actions) if action.name not in off}
        self.asked = cache(lambda changed: tuple(n for n in kitchen.readers(changed) if n in on))
        self.dishes: list[dict[int, Dish]] = [{} for _ in units]
        self.by_rule: dict[str, dict[int, dict[int, tuple[Offer, ...]]]] = {}
        for i, unit in enumerate(units):
            self.renew(i, unit, kitchen.numbered(unit), tuple(range(len(unit))))

    def copy(self, off: frozenset[str]) -> "Menu":
        """Return the same menu, to go its own way without the actions that bear the name of a fault that is off."""
        other = Menu(self.kitchen, (), off)
        other.dishes = list(map(dict, self.dishes))
        for rule, units in self.by_rule.items():
            other.by_rule[rule] = {i: dict(offers) for i, offers in units.items()}
        for i, dishes in enumerate(self.dishes):
            for n in dishes:
                if self.kitchen.actions[n].name in off:
                    other.serve(i, n, NOTHING)
        return other

    def renew(self, i: int, unit: Unit, numbers: Numbered, changed: Numbered) -> set[str]:
        """Ask what is proposed to a unit now that these parts changed; return the rules under which the offer did."""
        dishes, tables, views, touched = self.dishes[i], self.kitchen.tables, self.kitchen.views, set[str]()
        for n in self.asked(changed):
            dish = tables[n].get(views[n](numbers))
            if dish is None:
                dish = self.kitchen.cook(n, numbers, unit)
            old = dishes.get(n, NOTHING)
            if dish is not old:
                touched |= dish.keys() | old.keys()
                self.serve(i, n, dish)
        return touched

    def serve(self, i: int, n: int, dish: Dish) -> None:
        """Replace what an action proposes to a unit."""
        for rule in self.dishes[i].pop(n, NOTHING):
            del self.by_rule[rule][i][n]
            if not self.by_rule[rule][i]:
                del self.by_rule[rule][i]
        for rule, offers in dish.items():
            self.by_rule.setdefault(rule, {}).setdefault(i, {})[n] = offers
        if dish:
            self.dishes[i][n] = dish

    def under(self, rule: str, active: int) -> Iterator[Offer]:
        """Yield what the first so many units offer under a rule, in no particular order."""
        for i, by_action in self.by_rule.get(rule, NOBODY).items():
            if i < active:
                for offers in by_action.values():
                    yield from offers

    def offers(self, rule: str, i: int) -> Iterator[Offer]:
        """Yield what a unit offers under a rule, in the fixed order of the actions."""
        for _, offers in sorted(self.by_rule.get(rule, NOBODY).get(i, NOBODY).items()):
            yield from offers

    def all_offers(self, i: int) -> Iterator[Offer]:
        """Yield all that a unit offers, in the same order."""
        for _, dish in sorted(self.dishes[i].items()):
            for offers in dish.values():
                yield from offers


def names(actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the actions' names, each once, in order."""
    return tuple(dict.fromkeys(action.name for action in actions))
