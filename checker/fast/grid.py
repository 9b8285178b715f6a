"""Functions of small numbers, applied to whole arrays: the Python function is called once for each distinct input."""

from collections.abc import Callable
from threading import RLock

import numpy as np

from .arrays import Ids, Words, distinct
from .entries import Column, Entries, entries
from .numbers import Numbers

OFFSET = 2
"""Entries are stored with this added, so that 0 means unknown and the least value is -1."""

UNKNOWN = -OFFSET
"""What `peek` answers where the function was not called yet."""

FILLING = RLock()
"""Held while tables of any kind are filled: the model is asked by one thread at a time."""

Fill = Callable[[Words, Words], Ids | list[int]]
"""A function of two numbers, called for arrays of inputs that are all different."""


def each(function: Callable[[int, int], int]) -> Fill:
    """Turn a function of two numbers into one of two arrays."""
    return lambda first, second: [function(a, b) for a, b in zip(first.tolist(), second.tolist(), strict=True)]


class Pair:
    """A function of two numbers. Threads may share it: what is known is read at once, and changed under a lock."""

    def __init__(self, fill: Fill) -> None:
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
        keys = distinct(known.key(first, second))
        keys = keys[known.codes(keys) == 0]
        mask = (1 << known.widths[1]) - 1
        new = np.asarray(self.fill(keys >> known.widths[1], keys & mask), np.int32) + np.int32(OFFSET)
        self.entries = self.entries.added(keys, new)


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

        return Pair(each(extend))

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
            self.pairs = [Pair(each(lambda number, _: self.fill((number,))))]
        return self.pairs[0](column, np.zeros(len(column), np.int8))
