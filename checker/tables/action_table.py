"""What the actions offer, as arrays: a row of alternatives for each distinct value of what an action reads."""

from collections.abc import Callable

import numpy as np

from fencebench.checker.tables.arrays import Growing, Ids, Words
from fencebench.checker.tables.machine_tables import UNASKED, Alternative, Facet, Offers, Tables
from fencebench.checker.tables.memo import Grid
from fencebench.checker.tables.property_tables import View

SAME = -1
"""An alternative leaves the part as it is."""


def spread(starts: Ids | Words, counts: Ids | Words) -> tuple[Words, Words]:
    """Return (source, index) for the `counts` consecutive indices from each of `starts`."""
    source = np.repeat(np.arange(len(counts)), counts)
    before = np.cumsum(counts, dtype=np.int64) - counts
    index = np.repeat(starts - before, counts)
    index += np.arange(len(source))
    return source, index


def seen(facet: Facet, column: Ids) -> Ids:
    """Return what is seen of parts."""
    if facet.look is None or not len(column):
        return column
    facet(int(column.max()))
    return np.array(facet.known, np.int32)[column]


class Menu:
    """All rows of all actions."""

    def __init__(self, tables: Tables) -> None:
        self.actions = [(offers, Grid(len(offers.places), self.filler(offers))) for offers in tables.offers]
        self.panels = {panel: i for i, panel in enumerate(tables.questions.of_move)}
        self.fresh: list[tuple[Alternative, ...]] = []
        self.starts, self.counts = Growing(), Growing()
        self.event, self.effect, self.alarm = Growing(), Growing(), Growing(default=UNASKED)
        self.flat: list[Alternative] = []
        self.change = [Growing(default=SAME) for _ in tables.parts]
        self.open = [Growing(np.bool_) for _ in self.panels]

    def filler(self, offers: Offers) -> Callable[[View], int]:
        """Return the function that adds a row of one action."""
        return lambda ids: self.add(offers.row(ids))

    def add(self, row: tuple[Alternative, ...]) -> int:
        """Add a row, to be entered later, and return its number."""
        self.fresh.append(row)
        return self.starts.size + len(self.fresh) - 1

    def enter(self) -> None:
        """Enter the rows that were added."""
        rows, self.fresh = self.fresh, []
        first, counts = self.effect.size, np.array([len(row) for row in rows], np.int32)
        flat = [alternative for row in rows for alternative in row]
        self.starts.push(first + np.cumsum(counts) - counts)
        self.counts.push(counts)
        self.effect.push([a.effect for a in flat])
        self.flat.extend(flat)
        for array in (self.event, self.alarm, *self.change, *self.open):
            array.grow(self.effect.size)

    def fill(self, offers: Ids) -> None:
        """Enter the rest of alternatives that are allowed for the first time."""
        for at in np.unique(offers[self.alarm.array[offers] == UNASKED]).tolist():
            offer = self.flat[at]
            if offer.alarm == UNASKED:
                offer.offers.fill(offer)
            self.event.room[at], self.alarm.room[at] = offer.event, offer.alarm
            for place, part in offer.changes:
                self.change[place].room[at] = part
            for panel in offer.open:
                self.open[self.panels[panel]].room[at] = True

    def of(self, columns: list[Ids]) -> tuple[Words, Words]:
        """Return (unit, alternative) for every alternative of some units, sorted by unit."""
        parts = [self.of_action(offers, grid, columns) for offers, grid in self.actions]
        source = np.concatenate([source for source, _ in parts])
        order = np.argsort(source, kind="stable")
        return source[order], np.concatenate([offer for _, offer in parts])[order]

    def of_action(self, offers: Offers, grid: Grid, columns: list[Ids]) -> tuple[Words, Words]:
        """Return (unit, alternative) for every alternative of one action."""
        facets = zip(offers.facets, (columns[place] for place in offers.places), strict=True)
        row = grid([seen(facet, column) for facet, column in facets], len(columns[0]))
        if self.fresh:
            self.enter()
        return spread(self.starts.array[row], self.counts.array[row])

    def changed(self, offers: Ids, before: list[Ids]) -> list[Ids]:
        """Return the parts after some alternatives."""
        news = [change.array[offers] for change in self.change]
        return [np.where(new == SAME, old, new) for new, old in zip(news, before, strict=True)]
