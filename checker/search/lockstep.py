"""Explores two machines in lockstep: the same choices, the same faults, until they first answer differently.

Both are asked the same thing at each step and go on together while their answers have the same outcome; what they
keep may already differ. A step that only one of them has is *housekeeping* (the other waits), or, if it has an
answer, a difference. What strikes only one of them, or passes without an answer, is not followed: the two do not
share that choice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import zip_longest
from math import inf
from typing import NamedTuple

from fencebench.checker.search.limits import Clock, Limits, Stop, Watch
from fencebench.checker.search.replay import StoredStep, stored
from fencebench.checker.search.uniform_cost import Way, cheapest_first
from fencebench.model.machine import Machine, State, Transition

ENDLESS = (inf, inf)
"""More faults and steps than any run has."""


class Pair(NamedTuple):
    """Where the two machines stand after the same run."""

    old: State
    new: State


class Move(NamedTuple):
    """A step of both, or of one while the other waits (None) or has no such step."""

    old: Transition | None
    new: Transition | None

    @property
    def faults(self) -> int:
        """How many faults strike in this move."""
        return int(any(t is not None and t.event.fault for t in self))


@dataclass(frozen=True)
class Difference:
    """The shortest run to an answer that differs: its last move is the one; faults first, then steps."""

    faults: int
    steps: int
    run: tuple[Move, ...]

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.faults, self.steps

    @property
    def last(self) -> Move:
        """The move in which the answers differ."""
        return self.run[-1]

    def trace(self, side: str) -> tuple[Transition, ...]:
        """Return the steps of one machine, `old` or `new`, as far as it has them."""
        return tuple(step for move in self.run if (step := getattr(move, side)) is not None)


@dataclass(frozen=True)
class Lockstep:
    """What was found; where a `limit` stopped the search before its end, a shorter run may exist."""

    difference: Difference | None
    states: int
    limit: Stop | None = None


class Choices(NamedTuple):
    """What can happen at a pair: moves that both have, and steps that only one of them has."""

    both: tuple[Move, ...]
    old: tuple[Transition, ...]
    new: tuple[Transition, ...]


def asked(machine: Machine, state: State) -> dict[StoredStep, list[Transition]]:
    """Group a state's steps by what is asked in them; a step that changes nothing is an answer like any other."""
    groups: dict[StoredStep, list[Transition]] = {}
    for step in machine.successors(state):
        groups.setdefault(stored(step), []).append(step)
    return groups


def choices(old: Machine, new: Machine, pair: Pair) -> Choices:
    """Pair the steps of both machines by what is asked."""
    mine, theirs = asked(old, pair.old), asked(new, pair.new)
    moves = [
        Move(a, b)
        for question in dict.fromkeys((*mine, *theirs))
        for a, b in zip_longest(mine.get(question, ()), theirs.get(question, ()))
    ]
    both = tuple(m for m in moves if None not in m)
    return Choices(
        both, tuple(m.old for m in moves if m.old and not m.new), tuple(m.new for m in moves if m.new and not m.old)
    )


def alone(step: Transition, machine: Machine) -> bool:
    """Say whether the step is one that the other machine may lack without being asked anything else."""
    return step.event.action in machine.housekeeping and not step.event.fault


def tells(step: Transition, mine: Machine, others: tuple[Transition, ...], theirs: Machine) -> bool:
    """Say whether a step that the other machine has not got is another answer: not while the other has to catch up."""
    if step.event.fault or not step.event.outcome:
        return False
    if alone(step, mine):
        return bool(step.event.rule)
    return not any(alone(o, theirs) and not o.event.rule and step.unit in (None, o.unit) for o in others)


def instead(step: Transition, others: tuple[Transition, ...]) -> Transition | None:
    """Return what the other machine is answered in the place of the step: same unit, same epoch, no fault."""
    of = (step.unit, step.event.epoch)
    same = (o for o in others if (o.unit, o.event.epoch) == of and not o.event.fault)
    return next((o for o in same if o.event.outcome), None)


def differing(old: Machine, new: Machine, found: Choices) -> Iterator[Move]:
    """Yield the moves in which the answers differ."""
    yield from (m for m in found.both if m.old and m.new and m.old.event.outcome != m.new.event.outcome)
    yield from (Move(t, instead(t, found.new)) for t in found.old if tells(t, old, found.new, new))
    yield from (Move(instead(t, found.old), t) for t in found.new if tells(t, new, found.old, old))


def together(old: Machine, new: Machine, pair: Pair, found: Choices) -> Iterator[tuple[Move, Pair]]:
    """Yield the moves after which the two can still be compared."""
    for move in found.both:
        if move.old and move.new and move.old.event.outcome == move.new.event.outcome:
            yield move, Pair(move.old.after, move.new.after)
    yield from ((Move(t, None), Pair(t.after, pair.new)) for t in found.old if alone(t, old))
    yield from ((Move(None, t), Pair(pair.old, t.after)) for t in found.new if alone(t, new))


def lockstep(
    old: Machine, new: Machine, limits: Limits, watch: Watch = lambda *_: None, below: tuple[float, float] = ENDLESS
) -> Lockstep:
    """Find the cheapest run, cheaper than `below`, after which the two machines answer differently, or none."""
    clock, states = Clock(limits), 0
    best: Difference | None = None
    look = lru_cache(maxsize=1)(partial(choices, old, new))
    ways: Iterator[Way[Pair, Move]] = cheapest_first(
        Pair(old.initial, new.initial),
        lambda pair: together(old, new, pair, look(pair)),
        lambda pair: old.faults(pair.old.shared),
    )
    for states, way in enumerate(ways):
        if way.cost >= below:
            break
        if limit := clock.over(states):
            return Lockstep(best, states, limit)
        for move in differing(old, new, look(way.place)):
            cost = (way.faults + move.faults, way.steps + 1)
            if cost < below:
                best, below = Difference(*cost, (*way.moves(), move)), cost
        watch(states + 1, 0, way.steps)
    return Lockstep(best, states)
