"""From words to words: every step of a chunk of states at once, by table look-up."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from model.machine import State

from .arrays import Flags, Ids, Words
from .grid import FILLING, Pair
from .layout import Layout, Overflow, roomy, sorted_units
from .menu import spread
from .rows import Rows
from .tables import REFUSED, Tables
from .units import UNSEEN, Units

LARGE = 1 << 14
"""Chunks of fewer states are not worth to sort out the moves that none of them can take."""


class Steps(NamedTuple):
    """Steps from a chunk of states: index of the state before, word after, shared part after, event, alarms.

    `away` is false where a step changes nothing.
    """

    source: Words
    after: Words
    shared: Ids
    event: Ids
    alarms: tuple[Ids, ...]
    away: Flags


class Choice(NamedTuple):
    """Where the moves of each unit begin and how many they are, in `moves` or, if that is None, among all."""

    starts: Words
    counts: Words | Ids
    moves: Words | None


class Stepper:
    """The tables of one search and the layout of its words."""

    def __init__(self, tables: Tables, symmetry: bool) -> None:
        self.tables, self.symmetry = tables, symmetry
        self.rows = Rows(tables)
        self.units = Units(tables, self.rows)
        self.answers = Pair(tables.answer)
        self.verdicts = Pair(self.verdict)
        self.meetings = Pair(self.rows.meeting)
        self.count = len(tables.machine.initial.units)
        self.layout: Layout = roomy(1 << 10, 1 << 10, self.count)

    def verdict(self, shared: int, label: int) -> int:
        """Return the alarm of a step with this label from a shared part."""
        after = self.tables.answer(shared, self.rows.labels.values[label].effect)
        return self.rows.verdict(shared, after, label)

    def steps(self, words: Words) -> Iterator[Steps]:
        """Yield the steps from a chunk of states: of each unit, then of the shared part."""
        shareds = self.layout.shared(words)
        units = [self.layout.unit(words, place) for place in range(self.count)]
        choice = self.choice(shareds)
        for place in range(self.count):
            yield self.unit_steps(shareds, units, place, choice)
        if self.tables.machine.shared_actions:
            yield self.own_steps(shareds, units)

    def choice(self, shareds: Words) -> Choice:
        """Return the moves of every unit that one of these shared parts may allow."""
        table = self.units
        starts, counts = table.starts.array, table.counts.array
        if len(shareds) < LARGE:
            return Choice(starts, counts, None)
        live = ~self.dead(np.flatnonzero(np.bincount(shareds)))[table.effect.array]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(live)])
        ends = before[starts + np.maximum(counts, 0)]
        return Choice(before[starts], ends - before[starts], np.flatnonzero(live))

    def dead(self, shareds: Words) -> Flags:
        """Say of each effect whether none of these shared parts allows it; asked only where that is likely."""
        effects = np.arange(len(self.tables.effects))
        known = self.answers.peek(np.repeat(shareds, len(effects)), np.tile(effects, len(shareds)))
        known = known.reshape(len(shareds), -1)
        likely: Flags = ~(known > REFUSED).any(axis=0) & (2 * (known == REFUSED).sum(axis=0) >= len(shareds))
        asked = effects[likely]
        answers = self.answers(np.repeat(shareds, len(asked)), np.tile(asked, len(shareds)))
        likely[asked] = (answers.reshape(len(shareds), -1) == REFUSED).all(axis=0)
        return likely

    def unit_steps(self, shareds: Words, units: list[Words], place: int, choice: Choice) -> Steps:
        """Return the steps that one unit takes and the shared part allows."""
        table = self.units
        source, move = spread(choice.starts[units[place]], choice.counts[units[place]])
        if choice.moves is not None:
            move = choice.moves[move]
        before = shareds[source]
        shared = self.answers(before, table.effect.array[move])
        allowed = np.flatnonzero(shared != REFUSED)
        source, move, shared, before = source[allowed], move[allowed], shared[allowed], before[allowed]
        was = units[place][source]
        self.complete(was, move)
        alarms = (table.alarm.array[move], self.verdicts(before, table.label.array[move]))
        target = table.target.array[move]
        after = self.pack(shared, [target if i == place else unit[source] for i, unit in enumerate(units)])
        event = table.menu.event.array[table.offer.array[move]]
        return Steps(source, after, shared, event, alarms, (target != was) | (shared != before))

    def complete(self, units: Words, moves: Words) -> None:
        """Fill in moves that are allowed for the first time."""
        if (self.units.target.array[moves] == UNSEEN).any():
            with FILLING:
                unfilled = np.flatnonzero(self.units.target.array[moves] == UNSEEN)
                fresh, first = np.unique(moves[unfilled], return_index=True)
                if len(fresh):
                    self.units.complete(units[unfilled[first]], fresh)

    def pack(self, shared: Ids | Words, units: list[Any]) -> Words:
        """Return the words of states, or raise `Overflow`."""
        if not self.layout.room(len(self.tables.shareds), self.units.index.size):
            raise Overflow
        return self.layout.pack(np.asarray(shared, np.int64), sorted_units(units) if self.symmetry else units)

    def own_steps(self, shareds: Words, units: list[Words]) -> Steps:
        """Return the steps that the shared part takes by itself."""
        present, which = np.unique(shareds, return_inverse=True)
        with FILLING:
            own = [self.rows.own_steps(shared) for shared in present.tolist()]
        flat = [(step.shared, step.event, step.alarm) for steps in own for step in steps]
        counts = np.array([len(steps) for steps in own], np.int64)
        source, row = spread((np.cumsum(counts) - counts)[which], counts[which])
        shared, event, alarm = np.array(flat, np.int32).reshape(-1, 3)[row].T
        after = self.pack(shared, [unit[source] for unit in units])
        return Steps(source, after, shared, event, (alarm,), shared != shareds[source])

    def encode(self, state: State) -> Words:
        """Return the word of a state, alone in an array."""
        units = [np.array([self.units.number(self.tables.unit(unit))], np.int64) for unit in state.units]
        return self.pack(np.array([self.tables.shared(state.shared)], np.int64), units)

    def decode(self, words: Words) -> Iterator[State]:
        """Yield the states of words."""
        columns = [self.layout.unit(words, place).tolist() for place in range(self.count)]
        for shared, *numbers in zip(self.layout.shared(words).tolist(), *columns, strict=True):
            units = (self.tables.unit_value(self.units.ids(number)) for number in numbers)
            yield State(self.tables.shareds.values[shared], tuple(units))

    def translate(self, words: Words, old: Layout) -> Words:
        """Bring words from another layout into this one."""
        units = [old.unit(words, place) for place in range(self.count)]
        return self.layout.pack(old.shared(words), units)
