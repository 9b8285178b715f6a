"""What claims see of a batch of units, or of their moves: valuations as columns, and labels made from them."""

from collections.abc import Callable

import numpy as np

from fencebench.checker.tables.action_table import StepTemplates
from fencebench.checker.tables.arrays import Growing, Ids, Words
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.machine_tables import Tables
from fencebench.checker.tables.memo import MemoTable
from fencebench.checker.tables.property_tables import PropertyGroup, View
from fencebench.checker.tables.row_index import Index
from fencebench.checker.tables.unit_rows import Label, UnitTable

Valuation = list[Ids]
"""A column for each place of a valuation: parts before, parts after, event."""


class Chain:
    """Labels of a batch: an effect, then what one group after the other reads of the unit."""

    def __init__(self, tables: Tables, groups: tuple[PropertyGroup, ...], labels: Numbers[Label]) -> None:
        self.tables, self.groups = tables, groups
        self.heard_events = [self.event_memo(group) for group in groups]
        self.stages: list[Numbers[Label]] = [*(Numbers[Label]() for _ in groups), labels]
        self.start = MemoTable(1, lambda ids: self.stages[0](Label(ids[0], ())))
        self.memos = [self.link(position) for position in range(len(groups))]

    def event_memo(self, group: PropertyGroup) -> MemoTable:
        """Return the memo that turns an event into what a group hears of it."""
        return MemoTable(1, lambda ids: self.tables.event_for(group, ids[0]))

    def link(self, position: int) -> MemoTable:
        """Return the memo that adds the view of one group."""
        before, after = self.stages[position], self.stages[position + 1]

        def extend(ids: tuple[int, ...]) -> int:
            effect, views = before.values[ids[0]]
            return after(Label(effect, (*views, ids[1:])))

        return MemoTable(1 + len(self.groups[position].places), extend)

    def __call__(self, effect: Ids, valuation: Valuation) -> Ids:
        """Return the label of each of a batch."""
        number = self.start([effect], len(effect))
        for group, events, memo in zip(self.groups, self.heard_events, self.memos, strict=True):
            heard = [*valuation[:-1], events([valuation[-1]], len(effect))]
            number = memo([number, *(heard[place] for place in group.places)], len(effect))
        return np.asarray(number)


UNSEEN = -1
"""The count of moves of a unit that no reached state holds, and the target of a move that was never allowed."""


class Units:
    """All units met so far: the numbers of their parts, their moves, and what strikes in them.

    Most moves are never allowed: where a move leads, its label and its fired are filled in by the first that is.
    """

    def __init__(self, tables: Tables, table: UnitTable) -> None:
        self.properties = tables.properties
        self.index = Index(len(tables.parts))
        self.templates = StepTemplates(tables)
        self.starts, self.counts = Growing(np.int64), Growing(default=UNSEEN)
        self.fired_in, self.outlooks = Growing(), Growing()
        self.template, self.effect, self.target, self.label, self.fired = (Growing() for _ in range(5))
        self.judges = {p: MemoTable(len(p.reads), group_fired(tables, p)) for p in tables.properties.of_unit}
        self.judges |= {p: MemoTable(len(p.reads), group_fired(tables, p)) for p in tables.properties.of_move}
        self.joins = MemoTable(2, lambda pair: self.properties.join(*pair))
        self.labels = Chain(tables, self.properties.of_passage, table.labels)
        self.outlook = Chain(tables, self.properties.of_both, table.outlooks)

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
        for array in (self.starts, self.counts, self.fired_in, self.outlooks):
            array.grow(self.index.size)

    def learn(self, units: Words) -> None:
        """Tabulate those of the units that occur for the first time."""
        units = units[self.counts.array[units] == UNSEEN]
        columns = self.columns(units)
        source, template = self.templates.of(columns)
        counts = np.bincount(source, minlength=len(units))
        self.starts.array[units] = self.template.size + np.cumsum(counts) - counts
        self.counts.array[units] = counts
        self.fired_in.array[units] = self.asked(self.properties.of_unit, [*columns, *columns])
        silence: Ids = np.zeros(len(units), np.int32)
        self.outlooks.array[units] = self.outlook(silence, [*columns, *columns, silence])
        self.template.push(template)
        self.effect.push(self.templates.effect.array[template])
        self.target.push(np.full(len(template), UNSEEN, np.int32))
        for array in (self.label, self.fired):
            array.grow(self.template.size)

    def complete(self, units: Words, moves: Words) -> None:
        """Fill in where moves of units lead, and judge them by what they do to the unit."""
        actions, before = self.template.array[moves], self.columns(units)
        self.templates.fill(actions)
        after = self.templates.changed(actions, before)
        valuation = [*before, *after, self.templates.event.array[actions]]
        self.label.array[moves] = self.labels(self.effect.array[moves], valuation)
        fired = self.templates.fired.array[actions]
        for group, flags in zip(self.properties.of_move, self.templates.open, strict=True):
            ask = np.flatnonzero(flags.array[actions])
            fired[ask] = self.joined(fired[ask], group, [column[ask] for column in valuation])
        self.fired.array[moves] = fired
        self.target.array[moves] = self.index(after)  # last: another thread may use the move once it has a target
        self.grow()

    def columns(self, units: Ids | Words) -> list[Ids]:
        """Return the part numbers of some units."""
        return [column.array[units] for column in self.index.columns]

    def asked(self, groups: tuple[PropertyGroup, ...], valuation: Valuation) -> Ids:
        """Return what fires at several groups."""
        fired: Ids = np.zeros(len(valuation[0]), np.int32)
        for group in groups:
            fired = self.joined(fired, group, valuation)
        return fired

    def joined(self, fired: Ids, group: PropertyGroup, valuation: Valuation) -> Ids:
        """Return fired_in together with those of one more group."""
        new = self.judges[group]([valuation[place] for place in group.places], len(fired))
        return self.joins([fired, new], len(fired)) if new.any() else fired


def group_fired(tables: Tables, group: PropertyGroup) -> Callable[[View], int]:
    """Return a group's fired as a function of what it reads."""
    return lambda ids: tables.ask(group, ids)
