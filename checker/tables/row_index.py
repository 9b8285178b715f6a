"""Numbers for rows of small numbers, a whole batch at a time."""

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.tables.arrays import Growing, Ids, Words

Hashes = NDArray[np.uint64]


class Clash(Exception):
    """Two different rows have the same hash: another hash must be taken."""


class Index:
    """Rows by number. They are found by a hash and compared in full, so the hash can cost time but not truth."""

    def __init__(self, width: int, seed: int = 1) -> None:
        self.columns = [Growing() for _ in range(width)]
        self.seed = seed
        self.hashes: Hashes = np.empty(0, np.uint64)
        self.numbers: Ids = np.empty(0, np.int32)

    @property
    def size(self) -> int:
        """How many rows have a number."""
        return self.columns[0].size

    def __call__(self, rows: list[Ids]) -> Ids:
        """Return the number of each row, given as columns; a new row gets a new one."""
        while True:
            try:
                return self.find(rows)
            except Clash:
                self.rehash()

    def adopt(self, rows: list[Ids]) -> None:
        """Take rows that are all different, in the order of their numbers, into an index that is empty.

        Raises:
            ValueError: it is not.
        """
        if self.size:
            raise ValueError(f"rows can be taken over by an empty index only; this one has {self.size}")
        for column, values in zip(self.columns, rows, strict=True):
            column.push(values)
        self.sort()

    def rehash(self) -> None:
        """Take another hash."""
        self.seed += 1
        self.sort()

    def sort(self) -> None:
        """Hash every row."""
        hashes = self.hash([column.array for column in self.columns])
        order = np.argsort(hashes)
        self.hashes, self.numbers = hashes[order], order.astype(np.int32)

    def hash(self, rows: list[Ids]) -> Hashes:
        """Mix each row into one word."""
        mixed = np.zeros(len(rows[0]), np.uint64)
        for place, column in enumerate(rows):
            mixed ^= column.astype(np.uint64)
            mixed *= np.uint64(multiplier(self.seed, place))
            mixed ^= mixed >> np.uint64(32)
        return mixed

    def find(self, rows: list[Ids]) -> Ids:
        """Number the rows, or find two that clash."""
        hashes = self.hash(rows)
        order = np.argsort(hashes)
        ordered = hashes[order]
        first = np.ones(len(ordered), np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
        leaders = order[first]
        group = np.cumsum(first) - 1
        check([column[order] for column in rows], [column[leaders][group] for column in rows])
        found = self.numbered(ordered[first], [column[leaders] for column in rows])
        numbers = np.empty(len(order), np.int32)
        numbers[order] = found[group]
        return numbers

    def numbered(self, hashes: Hashes, rows: list[Ids]) -> Ids:
        """Return the numbers of rows that are all different and sorted by hash."""
        at = np.searchsorted(self.hashes, hashes)
        old = np.zeros(len(hashes), np.bool_)
        inside = at < len(self.hashes)
        old[inside] = self.hashes[at[inside]] == hashes[inside]
        numbers = np.empty(len(hashes), np.int32)
        numbers[old] = self.numbers[at[old]]
        check([column[old] for column in rows], [column.array[numbers[old]] for column in self.columns])
        numbers[~old] = np.arange(self.size, self.size + np.count_nonzero(~old))
        self.add(at[~old], hashes[~old], numbers[~old], [column[~old] for column in rows])
        return numbers

    def add(self, at: Words, hashes: Hashes, numbers: Ids, rows: list[Ids]) -> None:
        """Keep new rows, to be inserted `at` these places of the sorted hashes."""
        self.hashes, self.numbers = np.insert(self.hashes, at, hashes), np.insert(self.numbers, at, numbers)
        for column, values in zip(self.columns, rows, strict=True):
            column.push(values)


def check(rows: list[Ids], same: list[Ids]) -> None:
    """Raise `Clash` unless rows of equal hash are equal."""
    if not all(np.array_equal(a, b) for a, b in zip(rows, same, strict=True)):
        raise Clash


def multiplier(seed: int, place: int) -> int:
    """Return an odd 64-bit number; the first seed's are good, the zeroth's would make every row clash."""
    return (0x9E3779B97F4A7C15 * (2 * place + 1) * seed ^ 0xD1B54A32D192ED03 * seed * seed) % (1 << 64) | (seed > 0)
