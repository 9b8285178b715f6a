"""States as 64-bit words: the shared part's number in the highest bits, the units' numbers below.

Where the units' numbers do not fit, pairs of units are numbered in their stead.
"""

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from fencebench.checker.tables.arrays import Ids, Words
from fencebench.checker.tables.memo import FILLING, Column
from fencebench.checker.tables.row_index import Index

BITS = 63


class Overflow(Exception):
    """Numbers no longer fit their fields."""


class Layout(Protocol):
    """How a state is laid out in a word."""

    @property
    def count(self) -> int:
        """How many units there are."""

    @property
    def width(self) -> int:
        """Bits of a field."""

    def room(self, shareds: int, units: int) -> bool:
        """Say whether so many different shared parts and units fit."""

    def shared(self, words: Words) -> Words:
        """Return the shared part's number in each word."""

    def unit(self, words: Words, place: int) -> Words:
        """Return a unit's number in each word."""

    def pack(self, shared: Column, units: list[Column]) -> Words:
        """Return the words of states, or raise `Overflow`."""

    def reshared(self, words: Words, shared: Column) -> Words:
        """Return the words with another shared part in each."""


@dataclass(frozen=True)
class Narrow:
    """A field of `width` bits for each unit."""

    count: int
    width: int

    def room(self, shareds: int, units: int) -> bool:
        """Say whether so many different shared parts and units fit."""
        return units <= 1 << self.width and shareds <= 1 << (BITS - self.count * self.width)

    def shared(self, words: Words) -> Words:
        """Return the shared part's number in each word."""
        return words >> (self.count * self.width)

    def unit(self, words: Words, place: int) -> Words:
        """Return a unit's number in each word."""
        return (words >> (place * self.width)) & ((1 << self.width) - 1)

    def pack(self, shared: Column, units: list[Column]) -> Words:
        """Return the words of states."""
        words: Words = shared.astype(np.int64)
        for unit in reversed(units):
            words <<= self.width
            words |= unit
        return words

    def reshared(self, words: Words, shared: Column) -> Words:
        """Return the words with another shared part in each."""
        top = self.count * self.width
        return (words & ((1 << top) - 1)) | (shared.astype(np.int64) << top)


@dataclass(frozen=True)
class Paired:
    """A field for each pair of units; `pairs` numbers them. An odd unit is paired with itself."""

    count: int
    width: int
    pairs: Index = field(default_factory=lambda: Index(2))

    @property
    def inner(self) -> Narrow:
        """The layout of the pairs' numbers."""
        return Narrow((self.count + 1) // 2, self.width)

    def room(self, shareds: int, units: int) -> bool:
        """Say whether so many different shared parts, and the pairs met, fit."""
        return self.inner.room(shareds, self.pairs.size)

    def shared(self, words: Words) -> Words:
        """Return the shared part's number in each word."""
        return self.inner.shared(words)

    def unit(self, words: Words, place: int) -> Words:
        """Return a unit's number in each word."""
        return self.pairs.columns[place % 2].array[self.inner.unit(words, place // 2)].astype(np.int64)

    def pack(self, shared: Column, units: list[Column]) -> Words:
        """Return the words of states, or raise `Overflow`."""
        narrow: list[Ids] = [unit.astype(np.int32) for unit in units]
        with FILLING:
            pairs = [self.pairs([a, b]) for a, b in zip(narrow[::2], [*narrow[1::2], narrow[-1]], strict=False)]
        if not self.room(int(shared.max(initial=0)) + 1, 0):
            raise Overflow
        return self.inner.pack(shared, [*pairs])

    def reshared(self, words: Words, shared: Column) -> Words:
        """Return the words with another shared part in each."""
        return self.inner.reshared(words, shared)


def sorted_units(units: list[Column]) -> list[Column]:
    """Sort the units of each state by their numbers, as interchangeable ones may be."""
    units = list(units)
    for last in range(len(units) - 1, 0, -1):
        for i in range(last):
            units[i], units[i + 1] = np.minimum(units[i], units[i + 1]), np.maximum(units[i], units[i + 1])
    return units


def bits(numbers: int) -> int:
    """Return the bits that so many different numbers need."""
    return max(numbers - 1, 1).bit_length()


def roomy(shareds: int, units: int, count: int, pairs: int = 1) -> Layout:
    """Return a layout for `count` units with as much room for growth as there is; raise `Overflow` if there is none.

    `pairs` is the number of different pairs of units that were met, if they are numbered already.
    """
    spare = BITS - bits(shareds) - count * bits(units)
    if spare >= 0:
        return Narrow(count, bits(units) + spare // (count + 1))
    return paired(shareds, count, pairs)


def paired(shareds: int, count: int, pairs: int) -> Paired:
    """Return a layout by pairs, with room for twice as many shared parts."""
    fields = (count + 1) // 2
    width = (BITS - bits(2 * shareds)) // fields
    if bits(pairs) > width:
        raise Overflow
    return Paired(count, width)
