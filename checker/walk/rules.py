"""A hypothesis state machine over a model's own actions and faults: one source of truth.

Hypothesis varies runs by switching whole rules off, and a run without, say, `reserve` goes nowhere. So there is one
rule, which takes a stretch of steps, and each run draws its own swarm (`checker.walk.swarm`).
"""

from itertools import islice
from typing import Protocol

from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from fencebench.checker.walk.swarm import Pick, Swarm, Walking, stretches, swarms
from fencebench.checker.walk.tables import WalkSource
from fencebench.checker.walk.walker import Walker
from fencebench.model.machine import State, Transition


class Broken(AssertionError):
    """A promise is broken on this walk; the message names it and the reason."""


class Listener(Protocol):
    """Who listens to walks."""

    def step(self, before: State, step: Transition) -> None:
        """Hear of a step."""

    def broken(self, walker: Walker) -> None:
        """Hear of a step after which promises are broken; raise Broken to end the walk."""

    def ended(self, walker: Walker) -> None:
        """Hear of the end of a walk."""


def walk_class(source: WalkSource, listener: Listener, most_steps: int) -> type[RuleBasedStateMachine]:
    """Return the state machine of a model; hypothesis runs it, shrinks it, and pytest can collect its TestCase."""

    class Walk(RuleBasedStateMachine):
        """A walk through the model."""

        walking: Walking

        @initialize(swarm=swarms(source.tables, source.profiles))
        def begin(self, swarm: Swarm) -> None:
            self.walking = Walking(source.next_tables(), swarm)

        @rule(stretch=stretches())
        def take(self, stretch: tuple[Pick, ...]) -> None:
            walker = self.walking.walker
            before = walker.state
            for step in islice(self.walking.steps(stretch), most_steps - len(walker.trace)):
                listener.step(before, step)
                before = step.after
                if walker.broken:
                    listener.broken(walker)

        def teardown(self) -> None:
            if hasattr(self, "walking"):
                listener.ended(self.walking.walker)

    return Walk
