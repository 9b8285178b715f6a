"""Runs walks: a survey of many, then, for each promise that one broke, the same walks again with hypothesis shrinking.

The survey goes on past a broken promise, as a shallow break would hide a deep one. It goes in rounds: after ten walks
hypothesis turns to variations of what it has, five for each new one, and of long walks those are near-copies. A
promise's own run takes the seed of its round and so the same walks, up to the first that breaks it.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from fencebench.checker.search.coverage import Counting
from fencebench.checker.search.limits import Stop
from fencebench.checker.search.result import Coverage, Finding
from fencebench.checker.walk.least import least
from fencebench.checker.walk.listeners import Enough, Plan, Round, Shrinker, SurveyListener, Tally, Watch
from fencebench.checker.walk.rules import Broken, Listener, walk_class
from fencebench.checker.walk.swarm import STRETCH
from fencebench.checker.walk.tables import WalkSource

ROUND = 10
"""Walks between two seeds."""
FURTHER = 1_000_003
"""How far the seeds of two walks commands are apart, in rounds."""


def rounds(plan: Plan) -> Iterator[Round]:
    """Yield the rounds of a plan."""
    for number, start in enumerate(range(0, plan.examples, ROUND)):
        yield Round(plan.seed * FURTHER + number, min(ROUND, plan.examples - start), plan.steps)


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
    limit: Stop | None
    coverage: Coverage
    first: Mapping[str, Finding]
    shrunk: Mapping[str, Finding]
    least: Mapping[str, Finding]


def hypothesis_runs(source: WalkSource, listener: Listener, round_: Round, *phases: Phase) -> None:
    """Let hypothesis walk, without a deadline and health checks as is its own default for state machines.

    Its database and its output stay out of it, so that the seed alone decides.
    """
    wanted = settings(
        max_examples=round_.walks,
        stateful_step_count=1 + -(-round_.steps // STRETCH),
        phases=phases,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    run_state_machine_as_test(seed(round_.seed)(walk_class(source, listener, round_.steps)), settings=wanted)


def survey(source: WalkSource, plan: Plan, deadline: float, watch: Watch) -> Tally:
    """Walk, and see what breaks."""
    tally = Tally(Counting(source.tables.machine))
    listener = SurveyListener(tally, plan, deadline, watch)
    try:
        for round_ in rounds(plan):
            hypothesis_runs(source, listener, round_, Phase.generate)
            tally.found_in.update({name: round_ for name in tally.found if name not in tally.found_in})
    except Enough as enough:
        tally.limit = enough.stop
        tally.found_in.update({name: round_ for name in tally.found if name not in tally.found_in})
    return tally


def shrunk(source: WalkSource, round_: Round, found: Finding, steps: int, deadline: float) -> Finding:
    """Let hypothesis find the promise's story again and shrink it."""
    shrinker = Shrinker(found.property, deadline, steps)
    with suppress(Broken, Enough):
        hypothesis_runs(source, shrinker, round_, Phase.generate, Phase.shrink)
    return min((f for f in (shrinker.best, found) if f is not None), key=lambda f: f.cost)


def walk(source: WalkSource, plan: Plan, watch: Watch = lambda *_: None) -> Walked:
    """Survey, shrink and minimise."""
    started = time.monotonic()
    deadline = started + plan.max_seconds if plan.max_seconds else float("inf")
    tally = survey(source, plan, deadline, watch)
    seconds = time.monotonic() - started
    share = plan.shrink_steps // max(len(tally.found), 1)
    small = {
        name: shrunk(source.only(name), tally.found_in[name], found, share, deadline)
        for name, found in tally.found.items()
    }
    smallest = {name: least(source.only(name).tables, found) for name, found in small.items()}
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
