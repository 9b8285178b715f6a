"""What claims see of a batch of units, or of their moves: sights as columns, and labels made from them."""

import numpy as np

from .arrays import Ids
from .grid import Grid
from .numbers import Numbers
from .questions import Panel
from .rows import Label
from .tables import Tables

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
