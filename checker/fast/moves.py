"""Works out turns: which moves of a unit the shared part allows, where they lead, what strikes there."""

from typing import NamedTuple

import numpy as np

from .arrays import Flags, Growing, Ids, Words, distinct
from .entries import Column
from .menu import spread
from .relation import Relation
from .tables import REFUSED
from .turns import QUIET, STILL, STRUCK, Book, book
from .units import UNSEEN

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
        allowed = np.flatnonzero(after != REFUSED)
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
        likely: Flags = ~(known > REFUSED).any(axis=0) & (2 * (known == REFUSED).sum(axis=0) >= len(shareds))
        asked = effects[likely]
        answers = self.answers(np.repeat(shareds, len(asked)), np.tile(asked, len(shareds)))
        likely[asked] = (answers.reshape(len(shareds), -1) == REFUSED).all(axis=0)
        return likely

    def complete(self, units: Column, moves: Words) -> None:
        """Fill in moves that are allowed for the first time."""
        unfilled = np.flatnonzero(self.units.target.array[moves] == UNSEEN)
        if len(unfilled):
            fresh, first = np.unique(moves[unfilled], return_index=True)
            self.units.complete(units[unfilled[first]], fresh)
