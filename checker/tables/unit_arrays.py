"""What claims see of a batch of units, or of their moves: sights as columns, and labels made from them."""

from collections.abc import Callable

import numpy as np

from fencebench.checker.tables.action_table import Menu
from fencebench.checker.tables.arrays import Growing, Ids, Words
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.machine_tables import Tables
from fencebench.checker.tables.memo import Grid
from fencebench.checker.tables.property_tables import Panel, View
from fencebench.checker.tables.row_index import Index
from fencebench.checker.tables.unit_rows import Label, Rows

Sight = list[Ids]
"""A column for each place of a sight: parts before, parts after, event."""


class Chain:
    """Labels of a batch: an effect, then what one panel after the other reads of the unit."""

    def __init__(self, tables: Tables, panels: tuple[Panel, ...], labels: Numbers[Label]) -> None:
        self.tables, self.panels = tables, panels
        self.ears = [self.ear(panel) for panel in panels]
        self.stages: list[Numbers[Label]] = [*(Numbers[Label]() for _ in panels), labels]
        self.start = Grid(1, lambda ids: self.stages[0](Label(ids[0], ())))
        self.grids = [self.link(position) for position in range(len(panels))]

    def ear(self, panel: Panel) -> Grid:
        """Return the grid that turns an event into what a panel hears of it."""
        return Grid(1, lambda ids: self.tables.heard(panel, ids[0]))

    def link(self, position: int) -> Grid:
        """Return the grid that adds the view of one panel."""
        before, after = self.stages[position], self.stages[position + 1]

        def extend(ids: tuple[int, ...]) -> int:
            effect, views = before.values[ids[0]]
            return after(Label(effect, (*views, ids[1:])))

        return Grid(1 + len(self.panels[position].places), extend)

    def __call__(self, effect: Ids, sight: Sight) -> Ids:
        """Return the label of each of a batch."""
        number = self.start([effect], len(effect))
        for panel, ear, grid in zip(self.panels, self.ears, self.grids, strict=True):
            heard = [*sight[:-1], ear([sight[-1]], len(effect))]
            number = grid([number, *(heard[place] for place in panel.places)], len(effect))
        return np.asarray(number)


UNSEEN = -1
"""The count of moves of a unit that no reached state holds, and the target of a move that was never allowed."""


class Units:
    """All units met so far: the numbers of their parts, their moves, and what strikes in them.

    Most moves are never allowed: where a move leads, its label and its alarm are filled in by the first that is.
    """

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self.questions = tables.questions
        self.index = Index(len(tables.parts))
        self.menu = Menu(tables)
        self.starts, self.counts = Growing(np.int64), Growing(default=UNSEEN)
        self.alarms, self.stances = Growing(), Growing()
        self.offer, self.effect, self.target, self.label, self.alarm = (Growing() for _ in range(5))
        self.judges = {p: Grid(len(p.reads), panel_alarm(tables, p)) for p in tables.questions.of_unit}
        self.judges |= {p: Grid(len(p.reads), panel_alarm(tables, p)) for p in tables.questions.of_move}
        self.joins = Grid(2, lambda pair: self.questions.join(*pair))
        self.labels = Chain(tables, self.questions.of_passage, rows.labels)
        self.stance = Chain(tables, self.questions.of_both, rows.stances)

    def number(self, ids: tuple[int, ...]) -> int:
        """Number one unit."""
        number = int(self.index([np.array([i], np.int32) for i in ids])[0])
        self.grow()
        return number

    def adopt(self, rows: list[Ids]) -> None:
        """Take units, in the order of their numbers, while there are none."""
        self.index.adopt(rows)
        self.grow()

    def ids(self, number: int) -> tuple[int, ...]:
        """Return the numbers of a unit's parts."""
        return tuple(int(column.array[number]) for column in self.index.columns)

    def grow(self) -> None:
        """Make room for every unit that has a number."""
        for array in (self.starts, self.counts, self.alarms, self.stances):
            array.grow(self.index.size)

    def learn(self, units: Words) -> None:
        """Tabulate those of the units that occur for the first time."""
        units = units[self.counts.array[units] == UNSEEN]
        columns = self.columns(units)
        source, offer = self.menu.of(columns)
        counts = np.bincount(source, minlength=len(units))
        self.starts.array[units] = self.offer.size + np.cumsum(counts) - counts
        self.counts.array[units] = counts
        self.alarms.array[units] = self.asked(self.questions.of_unit, [*columns, *columns])
        silence: Ids = np.zeros(len(units), np.int32)
        self.stances.array[units] = self.stance(silence, [*columns, *columns, silence])
        self.offer.push(offer)
        self.effect.push(self.menu.effect.array[offer])
        self.target.push(np.full(len(offer), UNSEEN, np.int32))
        for array in (self.label, self.alarm):
            array.grow(self.offer.size)

    def complete(self, units: Words, moves: Words) -> None:
        """Fill in where moves of units lead, and judge them by what they do to the unit."""
        offers, before = self.offer.array[moves], self.columns(units)
        self.menu.fill(offers)
        after = self.menu.changed(offers, before)
        sight = [*before, *after, self.menu.event.array[offers]]
        self.label.array[moves] = self.labels(self.effect.array[moves], sight)
        alarm = self.menu.alarm.array[offers]
        for panel, flags in zip(self.questions.of_move, self.menu.open, strict=True):
            ask = np.flatnonzero(flags.array[offers])
            alarm[ask] = self.joined(alarm[ask], panel, [column[ask] for column in sight])
        self.alarm.array[moves] = alarm
        self.target.array[moves] = self.index(after)  # last: another thread may use the move once it has a target
        self.grow()

    def columns(self, units: Ids | Words) -> list[Ids]:
        """Return the part numbers of some units."""
        return [column.array[units] for column in self.index.columns]

    def asked(self, panels: tuple[Panel, ...], sight: Sight) -> Ids:
        """Return the alarm of several panels."""
        alarm: Ids = np.zeros(len(sight[0]), np.int32)
        for panel in panels:
            alarm = self.joined(alarm, panel, sight)
        return alarm

    def joined(self, alarm: Ids, panel: Panel, sight: Sight) -> Ids:
        """Return alarms together with those of one more panel."""
        new = self.judges[panel]([sight[place] for place in panel.places], len(alarm))
        return self.joins([alarm, new], len(alarm)) if new.any() else alarm


def panel_alarm(tables: Tables, panel: Panel) -> Callable[[View], int]:
    """Return a panel's alarm as a function of what it reads."""
    return lambda ids: tables.ask(panel, ids)
