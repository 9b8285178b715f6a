"""What the actions template, as arrays: a row of templates for each distinct value of what an action reads."""

from collections.abc import Callable

import numpy as np

from fencebench.checker.tables.arrays import Growing, Ids, Words
from fencebench.checker.tables.machine_tables import UNASKED, ActionTable, Projection, StepTemplate, Tables
from fencebench.checker.tables.memo import MemoTable
from fencebench.checker.tables.property_tables import View

SAME = -1
"""An template leaves the part as it is."""


def spread(starts: Ids | Words, counts: Ids | Words) -> tuple[Words, Words]:
    """Return (source, index) for the `counts` consecutive indices from each of `starts`."""
    source = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts, dtype=np.int64) - counts
    index = np.repeat(starts - before, counts)
    index += np.arange(len(source))
    return source, index


def seen(projection: Projection, column: Ids) -> Ids:
    """Return what is seen of parts."""
    if projection.look is None or not len(column):
        return column
    projection(int(column.max()))
    return np.array(projection.known, np.int32)[column]


class StepTemplates:
    """All rows of all actions."""

    def __init__(self, tables: Tables) -> None:
        self.actions = [(actions, MemoTable(len(actions.places), self.filler(actions))) for actions in tables.actions]
        self.groups = {group: i for i, group in enumerate(tables.properties.of_move)}
        self.fresh: list[tuple[StepTemplate, ...]] = []
        self.starts, self.counts = Growing(), Growing()
        self.event, self.effect, self.fired = Growing(), Growing(), Growing(default=UNASKED)
        self.flat: list[StepTemplate] = []
        self.change = [Growing(default=SAME) for _ in tables.parts]
        self.open = [Growing(np.bool_) for _ in self.groups]

    def filler(self, actions: ActionTable) -> Callable[[View], int]:
        """Return the function that adds a row of one action."""
        return lambda ids: self.add(actions.row(ids))

    def add(self, row: tuple[StepTemplate, ...]) -> int:
        """Add a row, to be entered later, and return its number."""
        self.fresh.append(row)
        return self.starts.size + len(self.fresh) - 1

    def enter(self) -> None:
        """Enter the rows that were added."""
        rows, self.fresh = self.fresh, []
        first, counts = self.effect.size, np.array([len(row) for row in rows], np.int32)
        flat = [template for row in rows for template in row]
        self.starts.push(first + np.cumsum(counts) - counts)
        self.counts.push(counts)
        self.effect.push([a.effect for a in flat])
        self.flat.extend(flat)
        for array in (self.event, self.fired, *self.change, *self.open):
            array.grow(self.effect.size)

    def fill(self, actions: Ids) -> None:
        """Enter the rest of templates that are allowed for the first time."""
        for at in np.unique(actions[self.fired.array[actions] == UNASKED]).tolist():
            template = self.flat[at]
            if template.fired == UNASKED:
                template.actions.fill(template)
            self.event.room[at], self.fired.room[at] = template.event, template.fired
            for place, part in template.changes:
                self.change[place].room[at] = part
            for group in template.open:
                self.open[self.groups[group]].room[at] = True

    def of(self, columns: list[Ids]) -> tuple[Words, Words]:
        """Return (unit, template) for every template of some units, sorted by unit."""
        parts = [self.of_action(actions, memo, columns) for actions, memo in self.actions]
        source = np.concatenate([source for source, _ in parts])
        order = np.argsort(source, kind="stable")
        return source[order], np.concatenate([template for _, template in parts])[order]

    def of_action(self, actions: ActionTable, memo: MemoTable, columns: list[Ids]) -> tuple[Words, Words]:
        """Return (unit, template) for every template of one action."""
        projections = zip(actions.projections, (columns[place] for place in actions.places), strict=True)
        row = memo([seen(projection, column) for projection, column in projections], len(columns[0]))
        if self.fresh:
            self.enter()
        return spread(self.starts.array[row], self.counts.array[row])

    def changed(self, actions: Ids, before: list[Ids]) -> list[Ids]:
        """Return the parts after some templates."""
        news = [change.array[actions] for change in self.change]
        return [np.where(new == SAME, old, new) for new, old in zip(news, before, strict=True)]
