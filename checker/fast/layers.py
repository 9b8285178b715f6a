"""What was reached with one number of faults: sorted runs of words, with the steps to each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Words, union, within
from .disk import Room, in_memory

Steps = NDArray[np.uint16]


class Run(NamedTuple):
    """Sorted words and, for each, the fewest steps to it: ten bytes a state."""

    words: Words
    steps: Steps

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the run takes."""
        return in_memory(self.words) + in_memory(self.steps)


class Layer:
    """A set of states that grows by whole levels. Runs are merged so that each is far larger than the next."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.runs: list[Run] = []

    def __len__(self) -> int:
        return sum(len(run.words) for run in self.runs)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the layer takes, and as many as its largest run for the next merge."""
        return sum(run.nbytes for run in self.runs) + max((run.nbytes for run in self.runs), default=0)

    def add(self, words: Words, steps: int) -> None:
        """Add sorted words that are not in yet."""
        self.runs.append(Run(words, np.full(len(words), steps, np.uint16)))
        while len(self.runs) > 1 and len(self.runs[-2].words) < 4 * len(self.runs[-1].words):
            small, large = self.runs.pop(), self.runs.pop()
            self.runs.append(merged(large, small, self.room))

    def missing(self, words: Words) -> Words:
        """Return those of some sorted words that are not in."""
        for run in self.runs:
            if len(words):
                words = words[~within(words, run.words)]
        return words

    def translate(self, into: Callable[[Words], Words]) -> None:
        """Replace every word; the order may change."""
        runs = [Run(into(run.words), run.steps) for run in self.runs]
        orders = [np.argsort(run.words, kind="stable") for run in runs]
        self.runs = [Run(run.words[order], run.steps[order]) for run, order in zip(runs, orders, strict=True)]

    def spill(self) -> None:
        """Move the layer into files."""
        self.runs = [Run(self.room.moved(run.words), self.room.moved(run.steps)) for run in self.runs]

    def at(self, steps: int) -> Words:
        """Return the states that are so many steps from the start."""
        return union([np.asarray(run.words[run.steps == steps]) for run in self.runs])


def merged(large: Run, small: Run, room: Room) -> Run:
    """Merge two runs."""
    at = np.searchsorted(large.words, small.words) + np.arange(len(small.words))
    size = len(large.words) + len(small.words)
    old = np.ones(size, np.bool_)
    old[at] = False
    words, steps = room.empty(size, np.int64, large.words), room.empty(size, np.uint16, large.words)
    words[at], steps[at] = small
    words[old], steps[old] = large
    return Run(words, steps)
