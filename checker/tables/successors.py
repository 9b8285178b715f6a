"""The next-state relation on arrays: what units can do, what the shared part answers, what strikes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import Flags, Growing, Ids, Words, distinct
from fencebench.checker.tables.machine_tables import FORBIDDEN, Tables
from fencebench.checker.tables.memo import FILLING, Column, Pair, each
from fencebench.checker.tables.unit_arrays import UNSEEN, Units
from fencebench.checker.tables.unit_rows import UnitTable


class Relation:
    """The tables by which steps are looked up, for any search over the same machine."""

    def __init__(self, tables: Tables, unit_table: UnitTable) -> None:
        self.tables, self.unit_table = tables, unit_table
        self.units = Units(tables, unit_table)
        self.answers = Pair(each(tables.answer))
        self.verdicts = Pair(each(self.verdict))
        self.meetings = Pair(each(unit_table.meeting))

    def verdict(self, shared: int, label: int) -> int:
        """Return what fires at a step with this label from a shared part."""
        after = self.tables.answer(shared, self.unit_table.labels.values[label].effect)
        return self.unit_table.verdict(shared, after, label)


FAULT_FREE, FAULTY, SELF_LOOP = range(3)
"""Kinds of steps: without a new fault, with one, and those that change nothing."""


class Successors(NamedTuple):
    """Rows of a successor table and, behind them, their steps (compressed sparse rows).

    Of a row: where its steps begin, fault-free ones first, then faulty ones, then self-loops; how many there are of the
    first two kinds, and in all; the claims that fire in states with this row. Of a step: unit and shared part after it,
    event, claims that fire on it.
    """

    first: Column
    fault_free: Column
    faulty: Column
    steps: Column
    fired: Column
    unit: Column
    shared: Column
    event: Column
    strikes: Column


def successors(fired: Ids, row: Words, kind: Ids, columns: tuple[Ids, Ids, Ids, Ids]) -> Successors:
    """Return rows in which these claims fire; each step has its row, its kind and four columns."""
    order = np.argsort(3 * row + kind)
    counts = np.bincount(3 * row + kind, minlength=3 * len(fired)).reshape(-1, 3)
    steps = counts.sum(axis=1)
    first = np.cumsum(steps) - steps
    return Successors(
        first, counts[:, FAULT_FREE], counts[:, FAULTY], steps, fired, *(column[order] for column in columns)
    )


class SuccessorTable:
    """SuccessorTable by number, how often each was taken in this search, and which may still have something to say."""

    def __init__(self, work_out: Callable[[Column, Column], Successors]) -> None:
        self.work_out = work_out
        self.numbers = Pair(self.learn)
        self.columns = [Growing() for _ in Successors._fields]
        self.visits, self.relevant = Growing(np.int64), Growing(np.bool_)

    def __call__(self, shareds: Column, units: Column) -> Ids:
        """Return the number of each row."""
        return self.numbers(shareds, units)

    def learn(self, shareds: Column, units: Column) -> Ids:
        """Number rows that are new and all different."""
        with FILLING:
            old, new = self.successors, self.work_out(shareds, units)
            for column, values in zip(self.columns, new._replace(first=new.first + len(old.unit)), strict=True):
                column.push(values)
        return np.arange(len(old.first), len(old.first) + len(shareds), dtype=np.int32)

    @property
    def successors(self) -> Successors:
        """All that is known, at least of every row that has a number."""
        return Successors(*(column.array for column in self.columns))

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the rows take."""
        return sum(column.room.nbytes for column in (*self.columns, self.visits, self.relevant))

    def visit(self, numbers: Ids) -> None:
        """Count rows that were taken."""
        counts = np.bincount(numbers, minlength=self.visits.size)
        self.visits.grow(len(counts))
        self.visits.array[:] += counts

    def events(self) -> Words:
        """Return how often each event happened in the rows counted so far, and begin anew."""
        with FILLING:
            known = self.successors
        visits = np.zeros(len(known.steps), np.int64)
        visits[: self.visits.size] = self.visits.array
        self.visits.array[:] = 0
        return np.bincount(known.event, np.repeat(visits, known.steps)).astype(np.int64)


LARGE = 1 << 12
"""For fewer rows it is not worth to sort out the moves that none of them can take."""


class Moves:
    """What a relation says of batches of rows."""

    def __init__(self, relation: Relation) -> None:
        self.tables, self.unit_table, self.units = relation.tables, relation.unit_table, relation.units
        self.answers, self.verdicts, self.meetings = relation.answers, relation.verdicts, relation.meetings
        self.faults = Growing()

    def sync(self) -> None:
        """Take in the shared parts that got a number since the last time."""
        self.faults.push(self.tables.faults[self.faults.size :])

    def of_units(self, shareds: Column, units: Column) -> Successors:
        """Work out the rows of units under shared parts."""
        self.units.learn(distinct(units.astype(np.int64)))
        row, move, after = self.allowed(shareds, units)
        was, before = units[row], shareds[row]
        self.complete(was, move)
        target = self.units.target.array[move]
        strikes = self.joined(self.units.fired.array[move], self.verdicts(before, self.units.label.array[move]))
        event = self.units.templates.event.array[self.units.template.array[move]]
        kind = self.kind(before, after, (target != was) | (after != before))
        return successors(self.fired_in(shareds, units), row, kind, (target, after, event, strikes))

    def of_shared(self, shareds: Column, _: Column) -> Successors:
        """Work out what shared parts do by themselves."""
        own = [self.unit_table.own_steps(shared) for shared in shareds.tolist()]
        row = np.repeat(np.arange(len(own)), [len(steps) for steps in own])
        flat = [(step.shared, step.event, step.fired) for steps in own for step in steps]
        after, event, strikes = np.array(flat, np.int32).reshape(-1, 3).T
        fired_in = np.array([self.unit_table.fired_by_shared(shared) for shared in shareds.tolist()], np.int32)
        kind = self.kind(shareds[row], after, after != shareds[row])
        return successors(fired_in, row, kind, (np.zeros_like(after), after, event, strikes))

    def kind(self, before: Words, after: Ids, away: Flags) -> Ids:
        """Return the kind of steps between shared parts; `away` says which change anything at all."""
        self.sync()
        worse = self.faults.array[after] > self.faults.array[before]
        return np.where(away, np.where(worse, FAULTY, FAULT_FREE), SELF_LOOP).astype(np.int32)

    def fired_in(self, shareds: Column, units: Column) -> Ids:
        """Return what strikes in states with these rows: in the unit alone, and as it meets the shared part."""
        alone = self.units.fired_in.array[units]
        if not self.tables.properties.of_both:
            return alone
        return self.joined(alone, self.meetings(shareds, self.units.outlooks.array[units]))

    def joined(self, one: Ids, other: Ids) -> Ids:
        """Return the fired_in of everything that strikes in either."""
        return self.units.joins([one, other], len(one)) if one.any() and other.any() else one | other

    def allowed(self, shareds: Column, units: Column) -> tuple[Words, Words, Ids]:
        """Return (row, move, shared part after it) for the moves that are allowed."""
        row, move = self.likely(shareds, units)
        after = self.answers(shareds[row], self.units.effect.array[move])
        allowed = np.flatnonzero(after != FORBIDDEN)
        return row[allowed], move[allowed], after[allowed]

    def likely(self, shareds: Column, units: Column) -> tuple[Words, Words]:
        """Return (row, move) for the moves that the shared parts may allow: what none of them allows is left out.

        Moves of units that occur often are sorted out before they are listed, those of many different ones after it.
        """
        starts, counts = self.units.starts.array, self.units.counts.array
        first, number = starts[units], counts[units]
        if len(shareds) < LARGE:
            return spread(first, number)
        live = ~self.dead(np.flatnonzero(np.bincount(shareds)))
        if int(number.sum()) < self.units.effect.size:
            row, move = spread(first, number)
            kept = np.flatnonzero(live[self.units.effect.array[move]])
            return row[kept], move[kept]
        of_moves = live[self.units.effect.array]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(of_moves)])
        ends = before[starts + np.maximum(counts, 0)]
        row, move = spread(before[first], (ends - before[starts])[units])
        return row, np.flatnonzero(of_moves)[move]

    def dead(self, shareds: Column) -> Flags:
        """Say of each effect whether none of these shared parts allows it; asked only where that is likely."""
        effects = np.arange(len(self.tables.effects))
        known = self.answers.peek(np.repeat(shareds, len(effects)), np.tile(effects, len(shareds)))
        known = known.reshape(len(shareds), -1)
        likely: Flags = ~(known > FORBIDDEN).any(axis=0) & (2 * (known == FORBIDDEN).sum(axis=0) >= len(shareds))
        asked = effects[likely]
        answers = self.answers(np.repeat(shareds, len(asked)), np.tile(asked, len(shareds)))
        likely[asked] = (answers.reshape(len(shareds), -1) == FORBIDDEN).all(axis=0)
        return likely

    def complete(self, units: Column, moves: Words) -> None:
        """Fill in moves that are allowed for the first time."""
        unfilled = np.flatnonzero(self.units.target.array[moves] == UNSEEN)
        if len(unfilled):
            fresh, first = np.unique(moves[unfilled], return_index=True)
            self.units.complete(units[unfilled[first]], fresh)
