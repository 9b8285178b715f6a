"""Who listens to walks: a survey that keeps count and what breaks, and a shrinker after one promise's best story."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from fencebench.checker.search.coverage import Counting
from fencebench.checker.search.limits import FIRST, Stop, StopKind
from fencebench.checker.search.result import Finding
from fencebench.checker.walk.least import finding_of
from fencebench.checker.walk.rules import Broken
from fencebench.checker.walk.walker import Walker
from fencebench.model.machine import State, Transition

Watch = Callable[[int, int, int], None]
"""Told after each walk: walks, steps, promises found broken."""


class Enough(BaseException):
    """A walk is stopped from outside; no `Exception`, so that hypothesis lets it through."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(str(stop))
        self.stop = stop


@dataclass(frozen=True)
class Plan:
    """How much to walk. `shrink_steps` caps all shrinking, shared out among promises; seconds are wall time."""

    examples: int = 300
    steps: int = 200
    seed: int = 0
    max_seconds: float | None = None
    stop_at: Literal["first", "all"] = "all"
    promise: str | None = None
    shrink_steps: int = 8_000


@dataclass(frozen=True)
class Round:
    """A run of hypothesis: so many walks of so many steps under one seed."""

    seed: int
    walks: int
    steps: int


@dataclass
class Tally:
    """What a survey has seen; `limit` is what stopped it, if anything."""

    counting: Counting
    walks: int = 0
    steps: int = 0
    faults: int = 0
    finals: int = 0
    most_faults: int = 0
    longest: int = 0
    limit: Stop | None = None
    found: dict[str, Finding] = field(default_factory=dict)
    found_in: dict[str, Round] = field(default_factory=dict)


@dataclass(frozen=True)
class SurveyListener:
    """Listens to a survey: counts, and keeps the first story of each broken promise."""

    tally: Tally
    plan: Plan
    deadline: float
    watch: Watch

    def step(self, before: State, step: Transition) -> None:
        """Count a step."""
        tally = self.tally
        tally.steps += 1
        tally.counting.step(before, step)
        tally.counting.arrival(step.after, step)
        if tally.steps % 32 == 0 and time.monotonic() > self.deadline:
            raise Enough(Stop(StopKind.SECONDS, f"{self.plan.max_seconds:g} seconds"))

    def broken(self, walker: Walker) -> None:
        """Keep what is broken for the first time; stop where that is all that was wanted."""
        wanted = (name for name in walker.broken if self.plan.promise in (None, name))
        new = {name: finding_of(walker, name) for name in wanted if name not in self.tally.found}
        self.tally.found.update(new)
        if new and (self.plan.stop_at == "first" or self.plan.promise):
            self.ended(walker)
            raise Enough(FIRST)

    def ended(self, walker: Walker) -> None:
        """Count a walk; those that hypothesis gives up before their first step are none."""
        if not walker.trace:
            return
        tally = self.tally
        tally.walks += 1
        tally.faults += walker.faults
        tally.most_faults = max(tally.most_faults, walker.faults)
        tally.longest = max(tally.longest, len(walker.trace))
        tally.finals += walker.is_final()
        self.watch(tally.walks, tally.steps, len(tally.found))


@dataclass
class Shrinker:
    """Listens to walks for one promise, and keeps the cheapest story of it."""

    promise: str
    deadline: float
    steps_left: int
    best: Finding | None = None

    def step(self, before: State, step: Transition) -> None:
        """Count what shrinking takes."""
        self.steps_left -= self.best is not None

    def broken(self, walker: Walker) -> None:
        """Fail the walk at the promise."""
        if self.promise in walker.broken:
            found = finding_of(walker, self.promise)
            if self.best is None or found.cost < self.best.cost:
                self.best = found
            raise Broken(f"{self.promise}: {found.why}")

    def ended(self, walker: Walker) -> None:
        """Stop when shrinking takes too long."""
        if self.steps_left < 0 or time.monotonic() > self.deadline:
            raise Enough(Stop(StopKind.SHRINKING, "shrinking"))
