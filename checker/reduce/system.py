"""A unit's labelled transition system: every state that it may be in by itself, and what it shows of each step.

Built on the fast explorer's tables, a level of states at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fencebench.checker.tables import known as tables
from fencebench.checker.tables.arrays import Words, distinct, union, within
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.memo import MemoTable
from fencebench.checker.tables.successors import Moves
from fencebench.model.local_view import Known, LocalView
from fencebench.model.machine import Effect, Event

HIDDEN = 0
"""The label of a step of which nothing is seen."""

WIDTH = 32


class Label(NamedTuple):
    """All that is seen of a step: its effect, its fault, promises that it is first to break, its event if observed.

    `phase` is that in which it is possible; `common` is the event of something that happens to all units at once.
    """

    effect: Effect = None
    fault: str = ""
    breaks: tuple[str, ...] = ()
    observed: Event | None = None
    phase: int = 0
    common: Event | None = None


@dataclass(frozen=True)
class System:
    """States by number, edges as three columns, labels by number, and the state for each way to begin."""

    states: int
    source: Words
    label: Words
    target: Words
    labels: tuple[Label, ...]
    roots: tuple[int, ...]


Columns = tuple[Words, Words, Words]


def joined(parts: list[Columns]) -> Columns:
    """Put columns of edges one after the other."""
    source, label, target = (np.concatenate(column) for column in zip(*parts, strict=True))
    return source, label, target


class Building:
    """The tables of one unit, and the labels met so far."""

    def __init__(self, local: LocalView) -> None:
        self.local = local
        self.relation = tables.Known(local.machine).relation
        self.tables = self.relation.tables
        self.moves = Moves(self.relation)
        self.labels: Numbers[Label] = Numbers()
        self.labels(Label())
        self.seen = MemoTable(6, lambda ids: self.label(*ids))

    def label(self, known: int, effect: int, event: int, fired: int, before: int, after: int) -> int:
        """Number the label of a step."""
        fresh = {*self.names(after)} - {*self.names(before)}
        breaks = tuple(sorted({*self.names(fired), *fresh}))
        values = self.tables.shareds.values[known], self.tables.effects.values[effect], self.tables.events.values[event]
        return self.labels(shown(self.local, *values, breaks))

    def names(self, fired: int) -> Iterator[str]:
        """Yield the names of the promises that an fired is about."""
        properties = self.tables.properties
        yield from (properties.names.values[number][0] for number in properties.sets.values[fired])

    def roots(self, starts: tuple[Known, ...]) -> Words:
        """Return the words of the states to begin in, one for each distinct thing a unit may know."""
        unit = self.relation.units.number(self.tables.unit(self.local.machine.initial.units[0]))
        return np.array([self.tables.shared(known) << WIDTH | unit for known in starts], np.int64)

    def steps(self, words: Words) -> Columns:
        """Return source, label and target of every step from some states."""
        known, units = words >> WIDTH, words & ((1 << WIDTH) - 1)
        table = self.relation.units
        table.learn(distinct(units.copy()))
        turn, move, after = self.moves.allowed(known, units)
        self.moves.complete(units[turn], move)
        target, event = table.target.array[move], table.templates.event.array[table.template.array[move]]
        table.learn(distinct(target.astype(np.int64)))
        fired_in = table.fired.array[move], table.fired_in.array[units[turn]], table.fired_in.array[target]
        label = self.seen([known[turn], table.effect.array[move], event, *fired_in], len(move))
        return words[turn], label.astype(np.int64), after.astype(np.int64) << WIDTH | target

    def turns(self, words: Words) -> Columns:
        """Return source, label and target of what happens to all units at once."""
        known = words >> WIDTH
        own = [
            (number, step)
            for number in np.unique(known).tolist()
            for step in self.relation.unit_table.own_steps(number)
        ]
        empty = np.empty(0, np.int64)
        parts = [(empty, empty, empty)]
        for number, step in own:
            source = words[known == number]
            label = np.full(len(source), self.labels(Label(common=self.tables.events.values[step.event])))
            parts.append((source, label, source + (step.shared - number << WIDTH)))
        return joined(parts)


def shown(local: LocalView, known: object, effect: Effect, event: Event, breaks: tuple[str, ...]) -> Label:
    """Return what is seen of a step."""
    observed = event if local.observable(event, effect) else None
    seen = local.shows(known, effect, bool(breaks or observed))
    if seen is None and not (breaks or observed):
        return Label()
    return Label(seen, event.fault, breaks, observed, local.phase(known))


def system(local: LocalView, starts: tuple[Known, ...]) -> System:
    """Explore a unit by itself, from everything that it may know in the beginning."""
    building = Building(local)
    roots = building.roots(starts)
    reached, frontier = distinct(roots.copy()), distinct(roots.copy())
    edges = list[Columns]()
    while len(frontier):
        new = [building.steps(frontier), building.turns(frontier)]
        edges += new
        targets = union([target for _, _, target in new])
        frontier = targets[~within(targets, reached)]
        reached = union([reached, frontier])
    source, label, target = joined(edges)
    source, target, begin = (np.searchsorted(reached, words) for words in (source, target, roots))
    labels = tuple(building.labels.values)
    for one, other in of_no_consequence(local, labels):
        to, at = source * len(reached) + target, [np.flatnonzero(label == number) for number in (one, other)]
        both = np.intersect1d(to[at[0]], to[at[1]])
        label[np.concatenate(at)[np.isin(to[np.concatenate(at)], both)]] = HIDDEN
    return System(len(reached), source, label, target, labels, tuple(begin.tolist()))


def of_no_consequence(local: LocalView, labels: tuple[Label, ...]) -> Iterator[tuple[int, int]]:
    """Yield the pairs of labels of which one is possible in any case; where both lead to one state, nothing is seen."""
    for (i, one), (j, other) in combinations(enumerate(labels), 2):
        if inconsequential(local, one, other):
            yield i, j


def inconsequential(local: LocalView, one: Label, other: Label) -> bool:
    """Say whether one of two labels is possible in any case, and neither changes what others see."""
    if one.effect is None or other.effect is None or one._replace(effect=None) != other._replace(effect=None):
        return False
    return not (one.fault or one.breaks or one.observed) and local.either(one.effect, other.effect)
