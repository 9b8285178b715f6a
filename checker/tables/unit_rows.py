"""Units by number and what each can do: the pure Python tables, for searches that end soon."""

from dataclasses import dataclass
from typing import NamedTuple

from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.machine_tables import UNASKED, Alternative, OwnStep, Tables
from fencebench.checker.tables.property_tables import Panel, View


class Label(NamedTuple):
    """All that, with the shared part, decides a step: its effect and what the claims on both read of the unit."""

    effect: int
    views: tuple[View, ...]


@dataclass(slots=True)
class Move:
    """What a unit can do. Most moves are never allowed: all but the alternative is filled in by the first that is.

    `delta` is the unit's number afterwards less its number now, `label` is what is asked of the shared part.
    """

    offer: Alternative
    delta: int | None = None
    label: int = 0
    alarm: int = 0


class Row(NamedTuple):
    """What is known of a unit: its moves, what it breaks alone, what claims on it and the shared part read of it."""

    moves: tuple[Move, ...]
    alarm: int
    stance: int


class Rows:
    """Tables over whole units, filled for those that occur."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.questions = tables.questions
        self.units: Numbers[View] = Numbers()
        self.labels: Numbers[Label] = Numbers()
        self.stances: Numbers[Label] = Numbers()
        self.rows: dict[int, Row] = {}
        self.own: dict[int, tuple[OwnStep, ...]] = {}

    def row(self, number: int) -> Row:
        """Return what is known of a unit."""
        if number not in self.rows:
            ids = self.units.values[number]
            sight = (*ids, *ids, 0)
            moves = tuple(Move(offer) for action in self.tables.offers for offer in action(ids))
            stance = Label(0, tuple(panel.view(sight) for panel in self.questions.of_both))
            self.rows[number] = Row(moves, self.tables.alarm(self.questions.of_unit, sight), self.stances(stance))
        return self.rows[number]

    def complete(self, number: int, move: Move) -> None:
        """Fill in where a unit's move leads, and judge it by what it does to the unit."""
        ids, offer = self.units.values[number], move.offer
        if offer.alarm == UNASKED:
            offer.offers.fill(offer)
        after = list(ids)
        for place, part in offer.changes:
            after[place] = part
        both = (*ids, *after)
        move.alarm = self.questions.join(offer.alarm, self.tables.alarm(offer.open, (*both, offer.event)))
        heard = ((panel, self.tables.heard(panel, offer.event)) for panel in self.questions.of_passage)
        move.label = self.labels(Label(offer.effect, tuple(panel.view((*both, event)) for panel, event in heard)))
        move.delta = self.units(tuple(after)) - number

    def verdict(self, shared: int, after: int, label: int) -> int:
        """Return the alarm of a step with this label from one shared part to another."""
        return self.judged(self.questions.of_passage, self.labels.values[label].views, shared, after)

    def meeting(self, shared: int, stance: int) -> int:
        """Return the alarm of a unit's stance under a shared part."""
        return self.judged(self.questions.of_both, self.stances.values[stance].views, shared, shared)

    def judged(self, panels: tuple[Panel, ...], views: tuple[View, ...], shared: int, after: int) -> int:
        """Return the alarm of panels that read both sides."""
        alarm = 0
        for panel, view in zip(panels, views, strict=True):
            alarm = self.questions.join(alarm, self.tables.ask(panel, panel.whole((*view, shared, after))))
        return alarm

    def alarm_of_shared(self, shared: int) -> int:
        """Return what a shared part breaks by itself."""
        alarm = 0
        for panel in self.questions.of_shared:
            alarm = self.questions.join(alarm, self.tables.ask(panel, (shared,) * len(panel.reads)))
        return alarm

    def own_steps(self, shared: int) -> tuple[OwnStep, ...]:
        """Return the steps of the shared part itself."""
        if shared not in self.own:
            self.own[shared] = self.tables.own_steps(shared)
        return self.own[shared]
