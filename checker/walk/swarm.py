"""Which step comes next: each walk draws its own swarm, and each step names the next one within it.

A swarm switches a part of the faults off, makes some rules lazy (taken only where no other can be), keeps faults
apart, and lets only some units begin. Some walks have a profile instead, which also makes rules keen (asked first): it
brings about what chance alone hardly would. What is drawn names a step in a way that survives shrinking: an order in
which the rules are asked, a unit, one of its alternatives.
"""

from collections.abc import Iterator
from functools import cache
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from fencebench.checker.walk.tables import Profile, WalkTables
from fencebench.checker.walk.walker import Walker
from fencebench.model.machine import Transition

PAUSES = (0, 1, 2, 4, 6, 8, 11)
"""Ordinary steps between two faults, at least; each run draws its own. Without, a fault meets the narrowest window."""
KINDS = (1, 1, 2, 2, 3, 4, 6)
"""Kinds of faults in a run, at most: most stories need few, and the others only end them early."""
LAZY = (0, 2, 4, 8)
"""Lazy rules of a run, at most: where many are lazy, none is."""
SHARE = 10
"""Each profile that a source has is that of one walk in so many."""
ORDERS = 64
"""Orders in which the rules may be asked; the first is the model's own."""
STRETCH = 4
"""Steps drawn at once: hypothesis takes longer over a rule than a model over a step."""


class Swarm(NamedTuple):
    """The profile of a walk, ordinary steps between two faults, how many units begin."""

    profile: Profile
    pause: int
    units: int


class Pick(NamedTuple):
    """Which step to take: the order of asking, the unit, the alternative."""

    order: int
    unit: int
    which: int


def swarms(tables: WalkTables, profiles: tuple[Profile, ...]) -> st.SearchStrategy[Swarm]:
    """Draw the swarm of a run. The fewer units begin, the deeper each gets; the others begin when those are at rest.

    Drawn as bytes: hypothesis draws whole numbers unevenly, and some from the constants of whatever code is loaded.
    """
    size = 5 + KINDS[-1] + LAZY[-1]

    def swarm(drawn: bytes) -> Swarm:
        bent, pause, units = drawn[:3]
        given = profiles[bent % SHARE : bent % SHARE + 1]
        profile = given[0] if given else any_profile(tables, drawn[3:])
        begin = 1 if profile.alone else 1 + units % len(tables.numbers)
        return Swarm(profile, PAUSES[pause % len(PAUSES)], begin)

    return st.binary(min_size=size, max_size=size).map(swarm)


def any_profile(tables: WalkTables, drawn: bytes) -> Profile:
    """Return the profile that is drawn: a few kinds of faults, some lazy rules."""
    kinds, lazy = KINDS[drawn[0] % len(KINDS)], LAZY[drawn[1] % len(LAZY)]
    faults, rules = drawn[2 : 2 + kinds], drawn[2 + KINDS[-1] :][:lazy]
    return Profile(
        faults=frozenset(tables.faults[n % len(tables.faults)] for n in faults),
        lazy=frozenset(tables.ordinary[n % len(tables.ordinary)] for n in rules),
    )


def stretches() -> st.SearchStrategy[tuple[Pick, ...]]:
    """Draw the next steps, as bytes for the same reason."""
    size = 3 * STRETCH
    return st.binary(min_size=size, max_size=size).map(lambda drawn: tuple(map(Pick, *(drawn[i::3] for i in range(3)))))


@cache
def orders(tables: WalkTables) -> tuple[tuple[str, ...], ...]:
    """Return the orders of asking: the same for the same model, each rule first in its share of them."""
    names, chance = [*tables.ordinary, *tables.faults], Random(0)
    return (tuple(names), *(tuple(chance.sample(names, len(names))) for _ in range(ORDERS - 1)))


class Walking:
    """A walk under its swarm: which rule comes next."""

    def __init__(self, tables: WalkTables, swarm: Swarm) -> None:
        self.tables, self.swarm, self.faults = tables, swarm, swarm.profile.faults
        self.walker = Walker(tables, frozenset(tables.faults) - self.faults)
        self.walker.activate(swarm.units)
        self.calm_steps, self.over = swarm.pause, False
        self.asking = cache(self.order)

    def order(self, number: int) -> tuple[str, ...]:
        """Return an order of asking the rules that may come at all, by tiers."""
        rules = orders(self.tables)[number % ORDERS]
        on = (rule for rule in rules if rule in self.faults or rule not in self.tables.faults)
        return tuple(sorted(on, key=self.swarm.profile.tier))

    def first(self, order: tuple[str, ...]) -> str | None:
        """Return the first rule of the order under which a step can be taken, no fault during a pause."""
        calm, can, faults = self.over or self.calm_steps < self.swarm.pause, self.walker.can, self.faults
        return next((rule for rule in order if can(rule) and not (calm and rule in faults)), None)

    def next_rule(self, order: tuple[str, ...]) -> str | None:
        """Return the rule that comes next; where none may, wake whoever waits, then stop pausing."""
        chosen, everybody = self.first(order), len(self.walker.numbers)
        if chosen is None and self.walker.active < everybody:
            self.walker.activate(everybody)
            self.over = self.swarm.profile.alone
            chosen = self.first(order)
        if chosen is None and self.calm_steps < self.swarm.pause:
            self.calm_steps = self.swarm.pause
            chosen = self.first(order)
        return chosen

    def steps(self, stretch: tuple[Pick, ...]) -> Iterator[Transition]:
        """Take the steps of a stretch that can be taken."""
        for pick in stretch:
            rule = self.next_rule(self.asking(pick.order))
            if rule is not None:
                self.calm_steps = 0 if rule in self.faults else self.calm_steps + 1
                yield self.walker.take(self.walker.pick(rule, pick.unit, pick.which))
