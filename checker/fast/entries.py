"""What is known of a function of two small numbers: one array while that is small, a hash table from there on."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .arrays import Ids, Words

DENSE = 22
"""A table of up to two to this power entries is one array, indexed by both numbers; a larger one is a hash table."""

FREE = -1
"""What a slot of a hash table holds that holds no key."""

MIX = np.uint64(0x9E3779B97F4A7C15)
"""What a key is multiplied by; the highest bits of the product are its hash."""

Column = NDArray[Any]


class Entries(NamedTuple):
    """What is known of a function: by the key, the first number above `width` bits for the second, its stored value.

    `table` has an entry for each key; where that would be too large it is None, and `taken` slots of a hash table
    hold keys, each at or behind the place that its hash names. While entries are added, others may read: what they
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

    def added(self, keys: Words, values: Ids) -> "Entries":
        """Return the entries with more; the keys are new and all different."""
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

    def widened(self, widths: tuple[int, int]) -> "Entries":
        """Return the entries with room for larger numbers."""
        keys, values = self.known()
        keys = (keys >> self.widths[1] << widths[1]) | (keys & ((1 << self.widths[1]) - 1))
        return entries(widths).added(keys, values)


def entries(widths: tuple[int, int]) -> Entries:
    """Return no entries yet, for numbers of so many bits."""
    table = np.zeros(1 << sum(widths), np.int32) if sum(widths) <= DENSE else None
    return Entries(widths, table, np.full(2, FREE), np.zeros(2, np.int32))
