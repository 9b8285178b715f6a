"""Units by number and what each can do: the pure Python tables, for searches that end soon."""

from dataclasses import dataclass
from functools import cache, reduce
from typing import NamedTuple

from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.machine_tables import UNASKED, OwnStep, StepTemplate, Tables
from fencebench.checker.tables.property_tables import PropertyGroup, View


class Label(NamedTuple):
    """All that, with the shared part, decides a step: its effect and what the claims on both read of the unit."""

    effect: int
    views: tuple[View, ...]


@dataclass(slots=True)
class Move:
    """What a unit can do. Most moves are never allowed: all but the template is filled in by the first that is.

    `delta` is the unit's number afterwards less its number now, `label` is what is asked of the shared part.
    """

    template: StepTemplate
    delta: int | None = None
    label: int = 0
    fired: int = 0


class Row(NamedTuple):
    """What is known of a unit: its moves, what it breaks alone, what claims on it and the shared part read of it.

    `offered` is what each action offers to it.
    """

    offered: list[tuple[StepTemplate, ...]]
    moves: tuple[Move, ...]
    fired: int
    outlook: int


class UnitTable:
    """Tables over whole units, filled for those that occur."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.properties = tables.properties
        self.units: Numbers[View] = Numbers()
        self.labels: Numbers[Label] = Numbers()
        self.outlooks: Numbers[Label] = Numbers()
        self.rows: dict[int, Row] = {}
        self.own: dict[int, tuple[OwnStep, ...]] = {}
        self.of_shared: dict[int, int] = {}
        self.origins: dict[int, tuple[int, View]] = {}
        self.readers = cache(self.find_readers)

    def row(self, number: int) -> Row:
        """Return what is known of a unit."""
        if number not in self.rows:
            ids = self.units.values[number]
            valuation = (*ids, *ids, 0)
            offered = self.offered(number, ids)
            moves = tuple([Move(template) for templates in offered if templates for template in templates])
            outlook = Label(0, tuple(group.view(valuation) for group in self.properties.of_both))
            self.rows[number] = Row(
                offered, moves, self.tables.fired(self.properties.of_unit, valuation), self.outlooks(outlook)
            )
        return self.rows[number]

    def offered(self, number: int, ids: View) -> list[tuple[StepTemplate, ...]]:
        """Return what each action offers to a unit; only those that read what changed on the way to it are asked."""
        source, changed = self.origins.get(number, (number, ()))
        known = self.rows.get(source)
        if known is None:
            return [action(ids) for action in self.tables.actions]
        offered = list(known.offered)
        for i in self.readers(changed):
            offered[i] = self.tables.actions[i](ids)
        return offered

    def find_readers(self, changed: View) -> View:
        """Return the actions that read any of these places."""
        return tuple(i for i, action in enumerate(self.tables.actions) if not {*changed}.isdisjoint(action.places))

    def complete(self, number: int, move: Move) -> None:
        """Fill in where a unit's move leads, and judge it by what it does to the unit."""
        ids, template = self.units.values[number], move.template
        if template.fired == UNASKED:
            template.actions.fill(template)
        after = list(ids)
        for place, part in template.changes:
            after[place] = part
        both = (*ids, *after)
        move.fired = self.properties.join(template.fired, self.tables.fired(template.open, (*both, template.event)))
        heard = ((group, self.tables.event_for(group, template.event)) for group in self.properties.of_passage)
        move.label = self.labels(Label(template.effect, tuple(group.view((*both, event)) for group, event in heard)))
        target = self.units(tuple(after))
        if target == len(self.units) - 1 and target not in self.origins:
            self.origins[target] = number, tuple([place for place, _ in template.changes])
        move.delta = target - number

    def verdict(self, shared: int, after: int, label: int) -> int:
        """Return what fires at a step with this label from one shared part to another."""
        return self.judged(self.properties.of_passage, self.labels.values[label].views, shared, after)

    def meeting(self, shared: int, outlook: int) -> int:
        """Return what fires at a unit's outlook under a shared part."""
        return self.judged(self.properties.of_both, self.outlooks.values[outlook].views, shared, shared)

    def judged(self, groups: tuple[PropertyGroup, ...], views: tuple[View, ...], shared: int, after: int) -> int:
        """Return what fires at groups that read both sides."""
        fired = 0
        for group, view in zip(groups, views, strict=True):
            fired = self.properties.join(fired, self.tables.ask(group, group.whole((*view, shared, after))))
        return fired

    def fired_by_shared(self, shared: int) -> int:
        """Return what a shared part breaks by itself."""
        if shared not in self.of_shared:
            asked = [self.tables.ask(group, (shared,) * len(group.reads)) for group in self.properties.of_shared]
            self.of_shared[shared] = reduce(self.properties.join, asked, 0)
        return self.of_shared[shared]

    def own_steps(self, shared: int) -> tuple[OwnStep, ...]:
        """Return the steps of the shared part itself."""
        if shared not in self.own:
            self.own[shared] = self.tables.own_steps(shared)
        return self.own[shared]
