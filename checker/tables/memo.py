"""What is known of a function of two small numbers: one array while that is small, a hash table from there on."""

from collections.abc import Callable
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.tables.arrays import Ids, Words, distinct
from fencebench.checker.tables.interning import Numbers

DENSE = 22
"""A table of up to two to this power hash_map is one array, indexed by both numbers; a larger one is a hash table."""

FREE = -1
"""What a slot of a hash table holds that holds no key."""

MIX = np.uint64(0x9E3779B97F4A7C15)
"""What a key is multiplied by; the highest bits of the product are its hash."""

Column = NDArray[Any]


class HashMap(NamedTuple):
    """What is known of a function: by the key, the first number above `width` bits for the second, its stored value.

    `table` has an entry for each key; where that would be too large it is None, and `taken` slots of a hash table
    hold keys, each at or behind the place that its hash names. While hash_map are added, others may read: what they
    miss is merely unknown.
    """

    widths: tuple[int, int]
    table: Ids | None
    slots: Words
    values: Ids
    taken: int = 0

    def key(self, first: Column, second: Column) -> Words:
        """Return two numbers as one."""
        keys = first.astype(np.int64)
        keys <<= self.widths[1]
        keys |= second
        return keys

    def place(self, keys: Words) -> Words:
        """Return the slots where keys are to be looked for first."""
        shift = np.uint64(65 - len(self.slots).bit_length())
        return np.asarray(((keys.view(np.uint64) * MIX) >> shift).view(np.int64))

    def codes(self, keys: Words) -> Ids:
        """Return the stored values at some keys, 0 where there is none."""
        if self.table is not None:
            return self.table.take(keys)
        at = self.place(keys)
        found = self.slots[at]
        codes = np.where(found == keys, self.values[at], np.int32(0))
        left = np.flatnonzero((found != keys) & (found != FREE))
        if len(left):
            codes[left] = self.codes_behind(keys[left], at[left])
        return codes

    def codes_behind(self, keys: Words, at: Words) -> Ids:
        """Return the stored values at some keys that are behind these slots, if they are anywhere."""
        codes, left = np.zeros(len(keys), np.int32), np.arange(len(keys))
        while len(left):
            at = (at + 1) & (len(self.slots) - 1)
            found = self.slots[at]
            here = found == keys[left]
            codes[left[here]] = self.values[at[here]]
            on = ~here & (found != FREE)
            left, at = left[on], at[on]
        return codes

    def known(self) -> tuple[Words, Ids]:
        """Return all keys and their stored values."""
        if self.table is None:
            taken = self.slots != FREE
            return self.slots[taken], self.values[taken]
        keys = np.flatnonzero(self.table)
        return keys, self.table[keys]

    def added(self, keys: Words, values: Ids) -> "HashMap":
        """Return the hash_map with more; the keys are new and all different."""
        if self.table is not None:
            self.table[keys] = values
            return self
        taken = self.taken + len(keys)
        if 2 * taken > len(self.slots):
            roomier = self._replace(slots=np.full(2 << taken.bit_length(), FREE), taken=0)
            roomier = roomier._replace(values=np.zeros(len(roomier.slots), np.int32))
            return roomier.added(*self.known()).added(keys, values)
        self.enter(keys, values)
        return self._replace(taken=taken)

    def enter(self, keys: Words, values: Ids) -> None:
        """Put each key into the first free slot."""
        at = self.place(keys)
        while len(keys):
            free = self.slots[at] == FREE
            self.slots[at[free]] = keys[free]  # of several keys one gets the slot
            here = self.slots[at] == keys
            self.values[at[here]] = values[here]
            keys, values, at = keys[~here], values[~here], (at[~here] + 1) & (len(self.slots) - 1)

    def widened(self, widths: tuple[int, int]) -> "HashMap":
        """Return the hash_map with room for larger numbers."""
        keys, values = self.known()
        keys = (keys >> self.widths[1] << widths[1]) | (keys & ((1 << self.widths[1]) - 1))
        return hash_map(widths).added(keys, values)


def hash_map(widths: tuple[int, int]) -> HashMap:
    """Return no hash_map yet, for numbers of so many bits."""
    table = np.zeros(1 << sum(widths), np.int32) if sum(widths) <= DENSE else None
    return HashMap(widths, table, np.full(2, FREE), np.zeros(2, np.int32))


OFFSET = 2
"""HashMap are stored with this added, so that 0 means unknown and the least value is -1."""

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
        self.hash_map = hash_map((0, 0))

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
        known = self.hash_map
        widths = (int(first.max()).bit_length(), int(second.max()).bit_length())
        if widths[0] > known.widths[0] or widths[1] > known.widths[1]:
            known = self.widen(widths)
        return known.codes(known.key(first, second))

    def widen(self, widths: tuple[int, int]) -> HashMap:
        """Make room for larger numbers."""
        with FILLING:
            known = self.hash_map
            self.hash_map = known.widened((max(widths[0], known.widths[0]), max(widths[1], known.widths[1])))
            return self.hash_map

    def learn(self, first: Column, second: Column) -> None:
        """Call the function where it was not called yet."""
        known = self.hash_map
        keys = distinct(known.key(first, second))
        keys = keys[known.codes(keys) == 0]
        mask = (1 << known.widths[1]) - 1
        new = np.asarray(self.fill(keys >> known.widths[1], keys & mask), np.int32) + np.int32(OFFSET)
        self.hash_map = self.hash_map.added(keys, new)


class MemoTable:
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
