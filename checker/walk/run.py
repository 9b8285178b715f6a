"""Runs walks: a survey of many, then, for each promise that one broke, the same walks again with hypothesis shrinking.

The survey goes on past a broken promise, as a shallow break would hide a deep one. It goes in rounds: after ten walks
hypothesis turns to variations of what it has, five for each new one, and of long walks those are near-copies. A
promise's own run takes the seed of its round and so the same walks, up to the first that breaks it.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Literal

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from checker.count import Counting
from checker.result import Coverage, Finding
from checker.walk.least import cost, finding_of, least
from checker.walk.rules import Broken, Ears, walk_class
from checker.walk.walker import Site, Walker
from model.machine import State, Transition

Watch = Callable[[int, int, int], None]
"""Told after each walk: walks, steps, promises found broken."""


ROUND = 10
"""Walks between two seeds."""
FURTHER = 1_000_003
"""How far the seeds of two walks commands are apart, in rounds."""


class Enough(BaseException):
    """A walk is stopped from outside; no `Exception`, so that hypothesis lets it through. The message is the limit."""


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


def rounds(plan: Plan) -> Iterator[Round]:
    """Yield the rounds of a plan."""
    for number, start in enumerate(range(0, plan.examples, ROUND)):
        yield Round(plan.seed * FURTHER + number, min(ROUND, plan.examples - start), plan.steps)


@dataclass
class Tally:
    """What a survey has seen; `limit` is the limit that stopped it, or "" when it went to its end."""

    counting: Counting
    walks: int = 0
    steps: int = 0
    faults: int = 0
    finals: int = 0
    most_faults: int = 0
    longest: int = 0
    limit: str = ""
    found: dict[str, Finding] = field(default_factory=dict)
    found_in: dict[str, Round] = field(default_factory=dict)


@dataclass(frozen=True)
class Walked:
    """The outcome: each broken promise's story as first walked, as shrunk by hypothesis, as minimised after that."""

    walks: int
    steps: int
    faults: int
    finals: int
    most_faults: int
    longest: int
    seconds: float
    limit: str
    coverage: Coverage
    first: Mapping[str, Finding]
    shrunk: Mapping[str, Finding]
    least: Mapping[str, Finding]


@dataclass(frozen=True)
class Surveyor:
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
            raise Enough(f"{self.plan.max_seconds:g} seconds")

    def broken(self, walker: Walker) -> None:
        """Keep what is broken for the first time; stop where that is all that was wanted."""
        wanted = (name for name in walker.broken if self.plan.promise in (None, name))
        new = {name: finding_of(walker, name) for name in wanted if name not in self.tally.found}
        self.tally.found.update(new)
        if new and (self.plan.stop_at == "first" or self.plan.promise):
            self.ended(walker)
            raise Enough("first violation")

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
            if self.best is None or cost(found) < cost(self.best):
                self.best = found
            raise Broken(f"{self.promise}: {found.why}")

    def ended(self, walker: Walker) -> None:
        """Stop when shrinking takes too long."""
        if self.steps_left < 0 or time.monotonic() > self.deadline:
            raise Enough("shrinking")


def hypothesis_runs(site: Site, ears: Ears, round_: Round, *phases: Phase) -> None:
    """Let hypothesis walk; its database and its own output stay out of it, so that the seed alone decides."""
    wanted = settings(
        max_examples=round_.walks,
        stateful_step_count=round_.steps,
        phases=phases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(seed(round_.seed)(walk_class(site, ears)), settings=wanted)


def survey(site: Site, plan: Plan, deadline: float, watch: Watch) -> Tally:
    """Walk, and see what breaks."""
    tally = Tally(Counting(site.ground.machine))
    surveyor = Surveyor(tally, plan, deadline, watch)
    try:
        for round_ in rounds(plan):
            hypothesis_runs(site, surveyor, round_, Phase.generate)
            tally.found_in.update({name: round_ for name in tally.found if name not in tally.found_in})
    except Enough as limit:
        tally.limit = str(limit)
        tally.found_in.update({name: round_ for name in tally.found if name not in tally.found_in})
    return tally


def shrunk(site: Site, round_: Round, found: Finding, steps: int, deadline: float) -> Finding:
    """Let hypothesis find the promise's story again and shrink it."""
    shrinker = Shrinker(found.property, deadline, steps)
    with suppress(Broken, Enough):
        hypothesis_runs(site, shrinker, round_, Phase.generate, Phase.shrink)
    return min((f for f in (shrinker.best, found) if f is not None), key=cost)


def walk(site: Site, plan: Plan, watch: Watch = lambda *_: None) -> Walked:
    """Survey, shrink and minimise."""
    started = time.monotonic()
    deadline = started + plan.max_seconds if plan.max_seconds else float("inf")
    tally = survey(site, plan, deadline, watch)
    seconds = time.monotonic() - started
    share = plan.shrink_steps // max(len(tally.found), 1)
    small = {
        name: shrunk(site.only(name), tally.found_in[name], found, share, deadline)
        for name, found in tally.found.items()
    }
    smallest = {name: least(site.only(name).ground, found) for name, found in small.items()}
    return Walked(
        walks=tally.walks,
        steps=tally.steps,
        faults=tally.faults,
        finals=tally.finals,
        most_faults=tally.most_faults,
        longest=tally.longest,
        seconds=seconds,
        limit=tally.limit,
        coverage=tally.counting.coverage,
        first=tally.found,
        shrunk=small,
        least=smallest,
    )
