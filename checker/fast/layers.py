"""Arrays in files, for searches that outgrow memory."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.tables.arrays import Words, places, split, union, within

Array = NDArray[Any]


class Full(Exception):
    """Neither memory nor files have room for more, in one line."""


@dataclass(frozen=True)
class Room:
    """How many bytes the words of states may take in memory, and the directory for those that do not fit, if any.

    The files have no name: nothing is left behind, however the program ends.
    """

    max_bytes: int | None = None
    directory: Path | None = None

    def empty(self, size: int, dtype: type[np.generic], like: Array) -> Array:
        """Return an array to be filled, in a file if the array that it replaces is in one."""
        return self.mapped(size, dtype) if isinstance(like, np.memmap) and size else np.empty(size, dtype)

    def mapped(self, size: int, dtype: Any) -> Array:
        """Return an array to be filled that lives in a file, or raise `Full`."""
        try:
            with TemporaryFile(dir=self.directory) as file:
                if hasattr(os, "posix_fallocate"):  # else a full disk would kill the program when a page is written
                    os.posix_fallocate(file.fileno(), 0, size * np.dtype(dtype).itemsize)
                return np.memmap(file, dtype, "w+", shape=(size,))
        except OSError as error:
            raise Full(f"memory, and {self.directory} has no room for files ({error.strerror})") from None

    def moved(self, array: Array) -> Array:
        """Return the array, moved into a file."""
        if isinstance(array, np.memmap) or not len(array):
            return array
        copy = self.mapped(len(array), array.dtype)
        copy[:] = array
        return copy


def in_memory(array: Array) -> int:
    """Return the bytes of memory that an array takes."""
    return 0 if isinstance(array, np.memmap) else array.nbytes


Steps = NDArray[np.uint16]

SEGMENT = 1 << 21
"""A segment of more states than this is cut in two."""

RATIO = 2
"""A run is merged with the next unless it is so many times larger: fewer runs to look into, or fewer merges."""


class Each(Protocol):
    """`map`, or something like it that works with several threads."""

    def __call__(self, work: Callable[[Any], Any], tasks: Iterable[Any], /) -> Iterator[Any]:
        """Yield the answers to tasks."""


class Run(NamedTuple):
    """Sorted words and, for each, the fewest steps to it: ten bytes a state."""

    words: Words
    steps: Steps

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the run takes."""
        return in_memory(self.words) + in_memory(self.steps)

    def part(self, start: int, end: int, room: Room) -> "Run":
        """Return a copy of a part of the run, in a file if the run is in one."""
        part = Run(room.empty(end - start, np.int64, self.words), room.empty(end - start, np.uint16, self.steps))
        part.words[:], part.steps[:] = self.words[start:end], self.steps[start:end]
        return part


class Segment:
    """The states of a layer between two values: runs, merged so that each is far larger than the next."""

    def __init__(self, room: Room, runs: Iterable[Run] = ()) -> None:
        self.room, self.runs = room, list(runs)

    def __len__(self) -> int:
        return sum(len(run.words) for run in self.runs)

    def add(self, run: Run) -> None:
        """Add states that are not in yet."""
        if len(run.words):
            self.runs.append(run)
        while len(self.runs) > 1 and len(self.runs[-2].words) < RATIO * len(self.runs[-1].words):
            large, small = self.runs[-2:]
            self.runs[-2:] = [merged(large, small, self.room)]

    def missing(self, words: Words) -> Words:
        """Return those of some sorted words that are not in."""
        for run in self.runs:
            if len(words):
                words = words[~within(words, run.words)]
        return words

    def cut(self) -> tuple[int, "Segment", "Segment"]:
        """Return the least value of the upper half, and both halves."""
        bound = max((run.words for run in self.runs), key=len)
        value = int(bound[len(bound) // 2])
        ends = [places(run.words, np.array([value])) for run in self.runs]
        lower, upper = (
            Segment(
                self.room, [run.part(end[i], end[i + 1], self.room) for run, end in zip(self.runs, ends, strict=True)]
            )
            for i in (0, 1)
        )
        return value, lower, upper


class Layer:
    """A set of states that grows by whole levels; `bounds` are the least values of all segments but the first."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.bounds: Words = np.empty(0, np.int64)
        self.segments = [Segment(room)]

    def __len__(self) -> int:
        return sum(map(len, self.segments))

    @property
    def runs(self) -> list[Run]:
        """All runs of all segments."""
        return [run for segment in self.segments for run in segment.runs]

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the layer takes."""
        return sum(run.nbytes for run in self.runs)

    def add(self, words: Words, steps: int, each: Each = map) -> None:
        """Add sorted words that are not in yet."""
        self.insert(Run(words, np.full(len(words), steps, np.uint16)), each)

    def insert(self, run: Run, each: Each = map) -> None:
        """Add a run of words that are not in yet."""
        parts = (run.part(start, end, self.room) for start, end in pairwise(places(run.words, self.bounds)))
        for _ in each(lambda task: task[0].add(task[1]), zip(self.segments, parts, strict=True)):
            pass
        self.divide()

    def divide(self) -> None:
        """Cut segments that have grown too large."""
        at, bounds = 0, self.bounds.tolist()
        while at < len(self.segments):
            if len(self.segments[at]) <= SEGMENT:
                at += 1
            else:
                bound, *self.segments[at : at + 1] = self.segments[at].cut()
                bounds.insert(at, bound)
        self.bounds = np.array(bounds, np.int64)

    def missing(self, words: Words) -> Words:
        """Return those of some sorted words that are not in."""
        if not len(words):
            return words
        first, last = np.searchsorted(self.bounds, words[[0, -1]], side="right")
        parts = split(words, self.bounds[first:last])
        segments = self.segments[first : last + 1]
        return np.concatenate([segment.missing(part) for segment, part in zip(segments, parts, strict=True)])

    def translate(self, into: Callable[[Words], Words]) -> None:
        """Replace every word; the order may change. One run after the other, so that little is held twice."""
        runs, self.bounds, self.segments = self.runs, self.bounds[:0], [Segment(self.room)]
        while runs:
            old = runs.pop()
            words = into(old.words)
            order = np.argsort(words, kind="stable")
            self.insert(Run(words[order], old.steps[order]))

    def spill(self) -> None:
        """Move the layer into files."""
        for segment in self.segments:
            segment.runs = [Run(self.room.moved(run.words), self.room.moved(run.steps)) for run in segment.runs]

    def at(self, steps: int) -> Words:
        """Return the states that are so many steps from the start."""
        return union([np.asarray(run.words[run.steps == steps]) for run in self.runs])


def merged(large: Run, small: Run, room: Room) -> Run:
    """Merge two runs."""
    size = len(large.words) + len(small.words)
    at = np.searchsorted(large.words, small.words) + np.arange(len(small.words))
    old = np.ones(size, np.bool_)
    old[at] = False
    whole = Run(room.empty(size, np.int64, large.words), room.empty(size, np.uint16, large.steps))
    whole.words[at], whole.steps[at] = small
    whole.words[old], whole.steps[old] = large
    return whole
