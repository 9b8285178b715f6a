"""A hypothesis state machine over a model's own actions and faults: one source of truth.

Hypothesis varies runs by switching whole rules off, and a run without, say, `reserve` goes nowhere. So there is one
rule, and each run draws its own swarm: a part of the faults is switched off, and a part of the actions is lazy, taken
only where no other can be. The rule's argument names a step in a way that survives shrinking: an order in which the
actions are asked, a unit, one of its alternatives.
"""

from random import Random
from typing import NamedTuple, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from checker.walk.walker import Ground, Site, Walker
from model.machine import State, Transition

PAUSES = (0, 0, 1, 2, 4, 8)
"""Ordinary steps between two faults, at least; each run draws its own. Without, a fault meets the narrowest window."""
KINDS = (1, 1, 2, 2, 3, 4, 6)
"""Kinds of faults in a run, at most: most stories need few, and the others only end them early."""
LAZY = (0, 2, 4, 8)
"""Lazy actions of a run, at most: where many are lazy, none is."""
ORDERS = 64
"""Orders in which the actions and faults may be asked; the first is the model's own."""


class Broken(AssertionError):
    """A promise is broken on this walk; the message names it and the reason."""


class Ears(Protocol):
    """Who listens to walks."""

    def step(self, before: State, step: Transition) -> None:
        """Hear of a step."""

    def broken(self, walker: Walker) -> None:
        """Hear of a step after which promises are broken; raise Broken to end the walk."""

    def ended(self, walker: Walker) -> None:
        """Hear of the end of a walk."""


class Swarm(NamedTuple):
    """Which faults may strike, which actions are lazy, ordinary steps between two faults, how many units begin."""

    faults: frozenset[str]
    lazy: frozenset[str]
    pause: int
    units: int


class Pick(NamedTuple):
    """Which step to take: the order of asking, the unit, the alternative."""

    order: int
    unit: int
    which: int


def swarms(ground: Ground) -> st.SearchStrategy[Swarm]:
    """Draw the swarm of a run. The fewer units begin, the deeper each gets; the others begin when those are at rest.

    Drawn as bytes: hypothesis draws whole numbers unevenly, and some from the constants of whatever code is loaded.
    """
    size, most = 4 + KINDS[-1], KINDS[-1] + LAZY[-1]

    def swarm(drawn: bytes) -> Swarm:
        kinds, lazy, pause, units = drawn[:4]
        faults = drawn[4:size][: KINDS[kinds % len(KINDS)]]
        actions = drawn[size:][: LAZY[lazy % len(LAZY)]]
        return Swarm(
            frozenset(ground.faults[n % len(ground.faults)] for n in faults),
            frozenset(ground.ordinary[n % len(ground.ordinary)] for n in actions),
            PAUSES[pause % len(PAUSES)],
            1 + units % len(ground.proposals),
        )

    return st.binary(min_size=4 + most, max_size=4 + most).map(swarm)


def picks(units: int) -> st.SearchStrategy[Pick]:
    """Draw which step to take, as bytes for the same reason."""
    return st.binary(min_size=3, max_size=3).map(lambda b: Pick(b[0] % ORDERS, b[1] % units, b[2]))


def orders(ground: Ground) -> tuple[tuple[str, ...], ...]:
    """Return the orders of asking: the same for the same model, each rule first in its share of them."""
    names, chance = [*ground.ordinary, *ground.faults], Random(0)
    return (tuple(names), *(tuple(chance.sample(names, len(names))) for _ in range(ORDERS - 1)))


class Walking:
    """A walk under its swarm: which rule comes next."""

    def __init__(self, ground: Ground, swarm: Swarm) -> None:
        self.walker = Walker(ground)
        self.walker.activate(swarm.units)
        self.ground, self.swarm = ground, swarm
        self.calm_steps = swarm.pause

    def may(self, rule: str) -> bool:
        """Say whether a step under the rule may be taken now."""
        if rule in self.ground.faults and not (rule in self.swarm.faults and self.calm_steps >= self.swarm.pause):
            return False
        return self.walker.can(rule)

    def first(self, order: tuple[str, ...]) -> str | None:
        """Return the first rule of the order that may, the lazy ones last."""
        lazy = self.swarm.lazy
        eager = next((rule for rule in order if rule not in lazy and self.may(rule)), None)
        return eager or next((rule for rule in order if rule in lazy and self.may(rule)), None)

    def next_rule(self, order: tuple[str, ...]) -> str | None:
        """Return the rule that comes next; where none may, wake whoever waits, then stop pausing."""
        chosen, everybody = self.first(order), len(self.walker.proposals)
        if chosen is None and self.walker.active < everybody:
            self.walker.activate(everybody)
            chosen = self.first(order)
        if chosen is None and self.calm_steps < self.swarm.pause:
            self.calm_steps = self.swarm.pause
            chosen = self.first(order)
        return chosen

    def take(self, rule: str, pick: Pick) -> Transition:
        """Take the step that was picked."""
        self.calm_steps = 0 if rule in self.ground.faults else self.calm_steps + 1
        return self.walker.take(self.walker.pick(rule, pick.unit, pick.which))


def walk_class(site: Site, ears: Ears) -> type[RuleBasedStateMachine]:
    """Return the state machine of a model; hypothesis runs it, shrinks it, and pytest can collect its TestCase."""
    units, asking = len(site.ground.machine.initial.units), orders(site.ground)

    class Walk(RuleBasedStateMachine):
        """A walk through the model."""

        walking: Walking | None = None

        @initialize(swarm=swarms(site.ground))
        def begin(self, swarm: Swarm) -> None:
            self.walking = Walking(site.next_ground(), swarm)

        @rule(pick=picks(units))
        def take(self, pick: Pick) -> None:
            assert self.walking is not None
            chosen = self.walking.next_rule(asking[pick.order])
            if chosen is not None:
                before = self.walking.walker.state
                ears.step(before, self.walking.take(chosen, pick))

        @invariant()
        def promises_are_kept(self) -> None:
            if self.walking is not None and self.walking.walker.broken:
                ears.broken(self.walking.walker)

        def teardown(self) -> None:
            if self.walking is not None:
                ears.ended(self.walking.walker)

    return Walk
