"""What a unit can do under a shared part: looked up by the pair of their numbers, worked out once for each pair.

Such a pair is a *turn*. Turns are far fewer than states, so a state's steps are found, not computed.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .arrays import Growing, Ids, Words
from .entries import Column
from .grid import FILLING, Pair

QUIET, STRUCK, STILL = range(3)
"""Kinds of steps: without a new fault, with one, and those that change nothing."""


class Book(NamedTuple):
    """Turns and, behind them, their steps.

    Of a turn: where its steps begin, the quiet ones first, then the struck, then the rest; how many are quiet, struck,
    and there at all; the alarm of states with this turn. Of a step: unit and shared part after it, event, alarm.
    """

    first: Column
    quiet: Column
    struck: Column
    steps: Column
    alarm: Column
    unit: Column
    shared: Column
    event: Column
    strikes: Column


def book(alarm: Ids, turn: Words, kind: Ids, columns: tuple[Ids, Ids, Ids, Ids]) -> Book:
    """Return the book of turns with these alarms; each step has its turn, its kind and the columns of a book."""
    order = np.argsort(3 * turn + kind, kind="stable")
    counts = np.bincount(3 * turn + kind, minlength=3 * len(alarm)).reshape(-1, 3)
    steps = counts.sum(axis=1)
    first = np.cumsum(steps) - steps
    return Book(first, counts[:, QUIET], counts[:, STRUCK], steps, alarm, *(column[order] for column in columns))


class Turns:
    """Turns by number, how often each was taken in this search, and which may still have something to say."""

    def __init__(self, work_out: Callable[[Column, Column], Book]) -> None:
        self.work_out = work_out
        self.numbers = Pair(self.learn)
        self.columns = [Growing() for _ in Book._fields]
        self.visits, self.loud = Growing(np.int64), Growing(np.bool_)

    def __call__(self, shareds: Column, units: Column) -> Ids:
        """Return the number of each turn."""
        return self.numbers(shareds, units)

    def learn(self, shareds: Column, units: Column) -> Ids:
        """Number turns that are new and all different."""
        with FILLING:
            old, new = self.book, self.work_out(shareds, units)
            for column, values in zip(self.columns, new._replace(first=new.first + len(old.unit)), strict=True):
                column.push(values)
        return np.arange(len(old.first), len(old.first) + len(shareds), dtype=np.int32)

    @property
    def book(self) -> Book:
        """All that is known, at least of every turn that has a number."""
        return Book(*(column.array for column in self.columns))

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the turns take."""
        return sum(column.room.nbytes for column in (*self.columns, self.visits, self.loud))

    def visit(self, numbers: Ids) -> None:
        """Count turns that were taken."""
        counts = np.bincount(numbers, minlength=self.visits.size)
        self.visits.grow(len(counts))
        self.visits.array[:] += counts

    def events(self) -> Words:
        """Return how often each event happened in the turns counted so far, and begin anew."""
        with FILLING:
            known = self.book
        visits = np.zeros(len(known.steps), np.int64)
        visits[: self.visits.size] = self.visits.array
        self.visits.array[:] = 0
        return np.bincount(known.event, np.repeat(visits, known.steps)).astype(np.int64)
