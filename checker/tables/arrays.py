"""Sorted arrays without repetition as sets, and arrays that grow."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int64]
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]

PIECE = 1 << 18
"""Sorted arrays are worked on in pieces of so many values: small enough for a cache, large enough to be worth it."""


def distinct(words: Words) -> Words:
    """Sort an array in place and return its values, each once. A neighbour mask is far cheaper than `np.unique`."""
    if len(words) < 2:
        return words
    words.sort()
    fresh = np.empty(len(words), np.bool_)
    fresh[0] = True
    np.not_equal(words[1:], words[:-1], out=fresh[1:])
    return words[fresh]


def union(parts: list[Words]) -> Words:
    """Return every value of the arrays once, sorted."""
    if not parts:
        return np.empty(0, np.int64)
    return distinct(np.concatenate(parts))


def cuts(arrays: list[Words]) -> Words:
    """Return the values at which to cut sorted arrays, so that the pieces of all together are alike in size."""
    longest, count = max(arrays, key=len), sum(map(len, arrays)) // PIECE
    return np.asarray(longest[np.arange(1, count + 1) * len(longest) // (count + 1)])


def places(array: Words, at: Words) -> list[int]:
    """Return where the pieces of a sorted array that is cut at some values begin and end."""
    return [0, *np.searchsorted(array, at).tolist(), len(array)]


def split(array: Words, at: Words) -> list[Words]:
    """Return the pieces of a sorted array that is cut at some values."""
    return [array[start:end] for start, end in pairwise(places(array, at))]


def within(needles: Words, reached: Words) -> Flags:
    """Say of each value whether it is in a sorted array; fast if the values are sorted, too."""
    if not len(reached):
        return np.zeros(len(needles), np.bool_)
    at = np.searchsorted(reached, needles)
    at[at == len(reached)] = 0
    return np.asarray(reached[at] == needles)


class Growing:
    """An array with room at its end."""

    def __init__(self, dtype: type[np.generic] = np.int32, default: int = 0) -> None:
        self.default = default
        self.room: NDArray[Any] = np.full(1024, default, dtype)
        self.size = 0

    def grow(self, size: int) -> None:
        """Make the array `size` long, new values being the default."""
        if size > len(self.room):
            room = np.full(max(size, 2 * len(self.room)), self.default, self.room.dtype)
            room[: self.size] = self.room[: self.size]
            self.room = room
        self.size = max(self.size, size)

    def push(self, values: Any) -> None:
        """Add values at the end."""
        start = self.size
        self.grow(start + len(values))
        self.room[start : self.size] = values

    @property
    def array(self) -> NDArray[Any]:
        """The values."""
        return self.room[: self.size]
