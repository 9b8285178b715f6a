"""The next-state relation on arrays: what units can do, what the shared part answers, what strikes."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import Flags, Growing, Ids, Words, distinct
from fencebench.checker.tables.machine_tables import FORBIDDEN, Tables
from fencebench.checker.tables.memo import FILLING, Column, Pair, each
from fencebench.checker.tables.unit_arrays import UNSEEN, Units
from fencebench.checker.tables.unit_rows import Rows


class Relation:
    """The tables by which steps are looked up, for any search over the same machine."""

    def __init__(self, tables: Tables, rows: Rows) -> None:
        self.tables, self.rows = tables, rows
        self.units = Units(tables, rows)
        self.answers = Pair(each(tables.answer))
        self.verdicts = Pair(each(self.verdict))
        self.meetings = Pair(each(rows.meeting))

    def verdict(self, shared: int, label: int) -> int:
        """Return the alarm of a step with this label from a shared part."""
        after = self.tables.answer(shared, self.rows.labels.values[label].effect)
        return self.rows.verdict(shared, after, label)


QUIET, STRUCK, STILL = range(3)
"""Kinds of steps: without a new fault, with one, and those that change nothing."""


class Book(NamedTuple):
    """Turns and, behind them, their steps.

    Of a turn: where its steps begin, the quiet ones first, then the struck, then the rest; how many are quiet, struck,
    and there at all; the alarm of states with this turn. Of a step: unit and shared part after it, event, alarm.
    """

    first: Column
    quiet: Column
    struck: Column
    steps: Column
    alarm: Column
    unit: Column
    shared: Column
    event: Column
    strikes: Column


def book(alarm: Ids, turn: Words, kind: Ids, columns: tuple[Ids, Ids, Ids, Ids]) -> Book:
    """Return the book of turns with these alarms; each step has its turn, its kind and the columns of a book."""
    order = np.argsort(3 * turn + kind, kind="stable")
    counts = np.bincount(3 * turn + kind, minlength=3 * len(alarm)).reshape(-1, 3)
    steps = counts.sum(axis=1)
    first = np.cumsum(steps) - steps
    return Book(first, counts[:, QUIET], counts[:, STRUCK], steps, alarm, *(column[order] for column in columns))


class Turns:
    """Turns by number, how often each was taken in this search, and which may still have something to say."""

    def __init__(self, work_out: Callable[[Column, Column], Book]) -> None:
        self.work_out = work_out
        self.numbers = Pair(self.learn)
        self.columns = [Growing() for _ in Book._fields]
        self.visits, self.loud = Growing(np.int64), Growing(np.bool_)

    def __call__(self, shareds: Column, units: Column) -> Ids:
        """Return the number of each turn."""
        return self.numbers(shareds, units)

    def learn(self, shareds: Column, units: Column) -> Ids:
        """Number turns that are new and all different."""
        with FILLING:
            old, new = self.book, self.work_out(shareds, units)
            for column, values in zip(self.columns, new._replace(first=new.first + len(old.unit)), strict=True):
                column.push(values)
        return np.arange(len(old.first), len(old.first) + len(shareds), dtype=np.int32)

    @property
    def book(self) -> Book:
        """All that is known, at least of every turn that has a number."""
        return Book(*(column.array for column in self.columns))

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the turns take."""
        return sum(column.room.nbytes for column in (*self.columns, self.visits, self.loud))

    def visit(self, numbers: Ids) -> None:
        """Count turns that were taken."""
        counts = np.bincount(numbers, minlength=self.visits.size)
        self.visits.grow(len(counts))
        self.visits.array[:] += counts

    def events(self) -> Words:
        """Return how often each event happened in the turns counted so far, and begin anew."""
        with FILLING:
            known = self.book
        visits = np.zeros(len(known.steps), np.int64)
        visits[: self.visits.size] = self.visits.array
        self.visits.array[:] = 0
        return np.bincount(known.event, np.repeat(visits, known.steps)).astype(np.int64)


LARGE = 1 << 12
"""For fewer turns it is not worth to sort out the moves that none of them can take."""


class Choice(NamedTuple):
    """Where the moves of each unit begin and how many they are, in `moves` or, if that is None, among all."""

    starts: Words
    counts: Words | Ids
    moves: Words | None


class Moves:
    """What a relation says of batches of turns."""

    def __init__(self, relation: Relation) -> None:
        self.tables, self.rows, self.units = relation.tables, relation.rows, relation.units
        self.answers, self.verdicts, self.meetings = relation.answers, relation.verdicts, relation.meetings
        self.faults = Growing()

    def sync(self) -> None:
        """Take in the shared parts that got a number since the last time."""
        self.faults.push(self.tables.faults[self.faults.size :])

    def of_units(self, shareds: Column, units: Column) -> Book:
        """Work out the turns of units under shared parts."""
        self.units.learn(distinct(units.astype(np.int64)))
        turn, move, after = self.allowed(shareds, units)
        was, before = units[turn], shareds[turn]
        self.complete(was, move)
        target = self.units.target.array[move]
        strikes = self.joined(self.units.alarm.array[move], self.verdicts(before, self.units.label.array[move]))
        event = self.units.menu.event.array[self.units.offer.array[move]]
        kind = self.kind(before, after, (target != was) | (after != before))
        return book(self.alarms(shareds, units), turn, kind, (target, after, event, strikes))

    def of_shared(self, shareds: Column, _: Column) -> Book:
        """Work out what shared parts do by themselves."""
        own = [self.rows.own_steps(shared) for shared in shareds.tolist()]
        turn = np.repeat(np.arange(len(own)), [len(steps) for steps in own])
        flat = [(step.shared, step.event, step.alarm) for steps in own for step in steps]
        after, event, strikes = np.array(flat, np.int32).reshape(-1, 3).T
        alarms = np.array([self.rows.alarm_of_shared(shared) for shared in shareds.tolist()], np.int32)
        kind = self.kind(shareds[turn], after, after != shareds[turn])
        return book(alarms, turn, kind, (np.zeros_like(after), after, event, strikes))

    def kind(self, before: Words, after: Ids, away: Flags) -> Ids:
        """Return the kind of steps between shared parts; `away` says which change anything at all."""
        self.sync()
        worse = self.faults.array[after] > self.faults.array[before]
        return np.where(away, np.where(worse, STRUCK, QUIET), STILL).astype(np.int32)

    def alarms(self, shareds: Column, units: Column) -> Ids:
        """Return what strikes in states with these turns: in the unit alone, and as it meets the shared part."""
        alone = self.units.alarms.array[units]
        if not self.tables.questions.of_both:
            return alone
        return self.joined(alone, self.meetings(shareds, self.units.stances.array[units]))

    def joined(self, one: Ids, other: Ids) -> Ids:
        """Return the alarms of everything that strikes in either."""
        return self.units.joins([one, other], len(one)) if one.any() and other.any() else one | other

    def allowed(self, shareds: Column, units: Column) -> tuple[Words, Words, Ids]:
        """Return (turn, move, shared part after it) for the moves that are allowed."""
        choice = self.choice(shareds)
        turn, move = spread(choice.starts[units], choice.counts[units])
        if choice.moves is not None:
            move = choice.moves[move]
        after = self.answers(shareds[turn], self.units.effect.array[move])
        allowed = np.flatnonzero(after != FORBIDDEN)
        return turn[allowed], move[allowed], after[allowed]

    def choice(self, shareds: Column) -> Choice:
        """Return the moves of every unit that one of these shared parts may allow."""
        starts, counts = self.units.starts.array, self.units.counts.array
        if len(shareds) < LARGE:
            return Choice(starts, counts, None)
        live = ~self.dead(np.flatnonzero(np.bincount(shareds)))[self.units.effect.array]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(live)])
        ends = before[starts + np.maximum(counts, 0)]
        return Choice(before[starts], ends - before[starts], np.flatnonzero(live))

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
