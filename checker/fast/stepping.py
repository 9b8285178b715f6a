"""From words to words: every step of a chunk of states at once."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from fencebench.checker.fast.layout import Layout, Overflow, roomy, sorted_units
from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import PIECE, Ids, Words, union
from fencebench.checker.tables.successors import Moves, Relation, SuccessorTable
from fencebench.model.machine import State


class UnitRows(NamedTuple):
    """The rows of one unit, or of the shared part itself (None), in each state of a chunk."""

    place: int | None
    table: SuccessorTable
    numbers: Ids


class Lead(NamedTuple):
    """Where steps of a chunk lead: index of the state before, shared part after, word after."""

    source: Words
    shared: Ids
    after: Words


class Chunk(NamedTuple):
    """States taken apart: their words, the number of each unit, their rows."""

    words: Words
    units: list[Ids]
    rows: list[UnitRows]


class Taken(NamedTuple):
    """A chunk of states and, sorted, where its fault_free steps lead, and by faults where those with a new one lead."""

    chunk: Chunk
    fault_free: Words
    faulty: list[tuple[int, Words]]


class Stepper:
    """A relation between states of `count` units, and the layout of their words."""

    def __init__(self, relation: Relation, count: int, symmetry: bool) -> None:
        self.relation, self.units = relation.tables, relation.units
        self.count, self.symmetry = count, symmetry
        self.moves = Moves(relation)
        self.rows, self.own_rows = SuccessorTable(self.moves.of_units), SuccessorTable(self.moves.of_shared)
        few = 1 << 10
        shareds, units = len(self.relation.shareds), self.units.index.size
        self.layout: Layout = roomy(max(few, 2 * shareds), max(few, 2 * units), count)

    @property
    def tables(self) -> tuple[SuccessorTable, ...]:
        """The rows that are kept."""
        return self.rows, self.own_rows

    def chunk(self, words: Words) -> Chunk:
        """Take states apart, and look up what each unit can do."""
        shareds = self.layout.shared(words)
        units = [self.layout.unit(words, place).astype(np.int32) for place in range(self.count)]
        rows = [self.rows_of(place, shareds, unit) for place, unit in enumerate(units)]
        own = self.own_rows(shareds, np.zeros(len(words), np.int32))
        return Chunk(words, units, [*rows, UnitRows(None, self.own_rows, own)])

    def rows_of(self, place: int, shareds: Words, units: Ids) -> UnitRows:
        """Look up the rows of one unit; where it is the only one, each row occurs once and is not kept."""
        table = self.rows if self.count > 1 else SuccessorTable(self.moves.of_units)
        return UnitRows(place, table, table(shareds, units) if self.count > 1 else table.learn(shareds, units))

    def leads(self, chunk: Chunk, faulty: bool) -> Iterator[Lead]:
        """Yield where the steps without a new fault, or those with one, lead: of each unit, then of the shared part."""
        for row in chunk.rows:
            successors = row.table.successors
            first, counts = successors.first[row.numbers], successors.fault_free[row.numbers]
            if faulty:
                first, counts = first + counts, successors.faulty[row.numbers]
            source, step = spread(first, counts)
            if len(source):
                shared = successors.shared[step]
                yield Lead(source, shared, self.after(chunk, row.place, source, shared, successors.unit[step]))

    def take(self, words: Words) -> Taken:
        """Take every step from a chunk of states."""
        chunk = self.chunk(words)
        fault_free = union([lead.after for lead in self.leads(chunk, faulty=False)])
        faulty = [(self.moves.faults.array[lead.shared], lead.after) for lead in self.leads(chunk, faulty=True)]
        present = sorted({fault for faults, _ in faulty for fault in np.flatnonzero(np.bincount(faults)).tolist()})
        return Taken(chunk, fault_free, [(fault, union([w[f == fault] for f, w in faulty])) for fault in present])

    def after(self, chunk: Chunk, place: int | None, source: Words, shared: Ids, target: Ids) -> Words:
        """Return the words of states that steps lead to, or raise `Overflow`."""
        if not self.layout.room(len(self.relation.shareds), self.units.index.size):
            raise Overflow
        if place is None:
            return self.layout.reshared(chunk.words[source], shared)
        others = [unit[source] for unit in chunk.units[:place] + chunk.units[place + 1 :]]
        units = inserted(others, target) if self.symmetry else [*others[:place], target, *others[place:]]
        return self.layout.pack(shared, units)

    def encode(self, state: State) -> Words:
        """Return the word of a state, alone in an array, or raise `Overflow`."""
        units = [np.array([self.units.number(self.relation.unit(unit))], np.int32) for unit in state.units]
        shared = np.array([self.relation.shared(state.shared)], np.int32)
        if not self.layout.room(len(self.relation.shareds), self.units.index.size):
            raise Overflow
        return self.layout.pack(shared, sorted_units(units) if self.symmetry else units)

    def decode(self, words: Words) -> Iterator[State]:
        """Yield the states of words."""
        columns = [self.layout.unit(words, place).tolist() for place in range(self.count)]
        for shared, *numbers in zip(self.layout.shared(words).tolist(), *columns, strict=True):
            units = (self.relation.unit_value(self.units.ids(number)) for number in numbers)
            yield State(self.relation.shareds.values[shared], tuple(units))

    def translate(self, words: Words, old: Layout) -> Words:
        """Bring words from another layout into this one, piece by piece."""
        into = np.empty(len(words), np.int64)
        for start in range(0, len(words), PIECE):
            piece = words[start : start + PIECE]
            units = [old.unit(piece, place) for place in range(self.count)]
            into[start : start + PIECE] = self.layout.pack(old.shared(piece), units)
        return into


def inserted(columns: list[Ids], more: Ids) -> list[Ids]:
    """Insert a number into each row of sorted columns."""
    rows = []
    for column in columns:
        rows.append(np.minimum(column, more))
        more = np.maximum(column, more)
    return [*rows, more]
