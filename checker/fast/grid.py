"""Functions of small numbers, applied to whole arrays: the Python function is called once for each distinct input."""

from collections.abc import Callable
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Ids, Words
from .numbers import Numbers

DENSE = 26
"""A table of up to two to this power entries is one array, indexed by both numbers; a larger one is searched."""

OFFSET = 2
"""Entries are stored with this added, so that 0 means unknown and the least value is -1."""

UNKNOWN = -OFFSET
"""What `peek` answers where the function was not called yet."""

FILLING = RLock()
"""Held while tables of any kind are filled: the model is asked by one thread at a time."""

Column = NDArray[Any]


class Entries(NamedTuple):
    """What is known of a function: by the key, the first number above `width` bits for the second, its stored value.

    `table` has an entry for each key; where that would be too large it is None, and `keys` are sorted.
    """

    widths: tuple[int, int]
    table: Ids | None
    keys: Words
    values: Ids

    def key(self, first: Column, second: Column) -> Words:
        """Return two numbers as one."""
        keys = first.astype(np.int64)
        keys <<= self.widths[1]
        keys |= second
        return keys

    def codes(self, keys: Words) -> Ids:
        """Return the stored values at some keys, 0 where there is none."""
        if self.table is not None:
            return self.table.take(keys)
        if not len(self.keys):
            return np.zeros(len(keys), np.int32)
        at = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        return np.where(self.keys[at] == keys, self.values[at], np.int32(0))

    def known(self) -> tuple[Words, Ids]:
        """Return all keys and their stored values."""
        if self.table is None:
            return self.keys, self.values
        keys = np.flatnonzero(self.table)
        return keys, self.table[keys]

    def added(self, keys: Words, values: Ids) -> "Entries":
        """Return the entries with more; the keys are sorted and new."""
        if self.table is not None:
            self.table[keys] = values
            return self
        at = np.searchsorted(self.keys, keys)
        return self._replace(keys=np.insert(self.keys, at, keys), values=np.insert(self.values, at, values))

    def widened(self, widths: tuple[int, int]) -> "Entries":
        """Return the entries with room for larger numbers."""
        keys, values = self.known()
        keys = (keys >> self.widths[1] << widths[1]) | (keys & ((1 << self.widths[1]) - 1))
        return entries(widths).added(keys, values)


def entries(widths: tuple[int, int]) -> Entries:
    """Return no entries yet, for numbers of so many bits."""
    table = np.zeros(1 << sum(widths), np.int32) if sum(widths) <= DENSE else None
    return Entries(widths, table, np.empty(0, np.int64), np.empty(0, np.int32))


class Pair:
    """A function of two numbers. Threads may share it: what is known is read at once, and changed under a lock."""

    def __init__(self, fill: Callable[[int, int], int]) -> None:
        self.fill = fill
        self.entries = entries((0, 0))

    def __call__(self, first: Column, second: Column) -> Ids:
        """Return the function's values."""
        codes = self.codes(first, second)
        if len(codes) and not codes.all():
            unknown = np.flatnonzero(codes == 0)
            first, second = first[unknown], second[unknown]
            with FILLING:
                self.learn(first, second)
            codes[unknown] = self.codes(first, second)
        codes -= OFFSET
        return codes

    def peek(self, first: Column, second: Column) -> Ids:
        """Return the function's values where they are known, `UNKNOWN` elsewhere."""
        return self.codes(first, second) - np.int32(OFFSET)

    def codes(self, first: Column, second: Column) -> Ids:
        """Return the stored values, 0 where there is none."""
        if not len(first):
            return np.empty(0, np.int32)
        known = self.entries
        widths = (int(first.max()).bit_length(), int(second.max()).bit_length())
        if widths[0] > known.widths[0] or widths[1] > known.widths[1]:
            known = self.widen(widths)
        return known.codes(known.key(first, second))

    def widen(self, widths: tuple[int, int]) -> Entries:
        """Make room for larger numbers."""
        with FILLING:
            known = self.entries
            self.entries = known.widened((max(widths[0], known.widths[0]), max(widths[1], known.widths[1])))
            return self.entries

    def learn(self, first: Column, second: Column) -> None:
        """Call the function where it was not called yet."""
        known = self.entries
        keys = np.unique(known.key(first, second))
        keys = keys[known.codes(keys) == 0]
        mask = (1 << known.widths[1]) - 1
        new = [self.fill(key >> known.widths[1], key & mask) + OFFSET for key in keys.tolist()]
        self.entries = self.entries.added(keys, np.array(new, np.int32))


class Grid:
    """A function of any count of numbers, as a chain of pairs: what came so far is numbered, then paired on."""

    def __init__(self, arity: int, fill: Callable[[tuple[int, ...]], int]) -> None:
        self.fill = fill
        self.arity = arity
        self.prefixes: list[Numbers[tuple[int, ...]]] = [Numbers() for _ in range(arity)]
        self.pairs = [self.link(position) for position in range(1, arity)]

    def link(self, position: int) -> Pair:
        """Return the pair of the numbers before a position, themselves numbered, and the number at it."""
        before, after, last = self.prefixes[position - 1], self.prefixes[position], position == self.arity - 1

        def extend(prefix: int, number: int) -> int:
            whole = (*before.values[prefix], number) if position > 1 else (prefix, number)
            return self.fill(whole) if last else after(whole)

        return Pair(extend)

    def __call__(self, columns: list[Column], size: int) -> Ids:
        """Return the function's values at `size` places."""
        if self.arity == 0:
            return np.full(size, self.fill(()), np.int32)
        if self.arity == 1:
            return self.alone(columns[0])
        number = columns[0]
        for pair, column in zip(self.pairs, columns[1:], strict=True):
            number = pair(number, column)
        return np.asarray(number)

    def alone(self, column: Column) -> Ids:
        """Return the values of a function of one number."""
        if not self.pairs:
            self.pairs = [Pair(lambda number, _: self.fill((number,)))]
        return self.pairs[0](column, np.zeros(len(column), np.int8))
