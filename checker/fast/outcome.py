"""From a finished search to a result: counts, coverage, and the stories of what is broken."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from fencebench.checker.fast.trace import Member, finding, walk
from fencebench.checker.fast.violations import Violation, Violations
from fencebench.checker.search.coverage import add_event
from fencebench.checker.search.limits import FIRST, Clock, Stop
from fencebench.checker.search.progress import blocked
from fencebench.checker.search.result import Coverage, Finding, Result
from fencebench.model.machine import Event, Machine, Progress

GRAPH_STATES = 4_000_000
"""Progress is judged on graphs of up to so many states: all steps of one number of faults are held in memory."""


@dataclass
class Tally:
    """The counts of one search."""

    states: int = 0
    transitions: int = 0
    depth: int = 0
    finals: int = 0
    events: Counter[Event] = field(default_factory=Counter)


@dataclass(frozen=True)
class Outcome:
    """What a search leaves: counts, violations, ways to trace one back and to judge progress, and what stopped it."""

    tally: Tally
    violations: Violations
    path_sets: Callable[[Violation], list[Member]]
    limit: Stop | None
    stranded: Callable[[Progress], Violation | None] = lambda _: None


def coverage(outcome: Outcome) -> Coverage:
    """Add up the events, and name the witnesses that showed."""
    names = outcome.violations.properties.names.values
    total = Coverage(witnesses={names[number][0] for number in outcome.violations.seen})
    for event, times in outcome.tally.events.items():
        if times:
            add_event(total, event, times)
    return total


def findings(machine: Machine, outcome: Outcome) -> dict[str, Finding]:
    """Tell the cheapest story of every broken promise; after a stop at the first violation, of the cheapest alone."""
    best, names = outcome.violations.best(), outcome.violations.properties.names.values
    told = {names[number][0]: violation for number, violation in outcome.violations.cheapest.items()}
    order = dict.fromkeys(claim.name for claim in machine.properties)
    kept = [n for n in order if n in told and (outcome.limit != FIRST or told[n].cost == best)]
    return {name: finding(machine, name, told[name], outcome.path_sets(told[name])) for name in kept}


def stuck(machine: Machine, outcome: Outcome) -> tuple[bool, dict[str, Finding]]:
    """Judge progress, if the search is whole and not too large; return whether it was, and what is broken."""
    progress = machine.progress
    if progress is None or outcome.limit or outcome.tally.states > GRAPH_STATES:
        return False, {}
    violation = outcome.stranded(progress)
    if violation is None:
        return True, {}
    state, trace = walk(machine, outcome.path_sets(violation))
    return True, {progress.name: Finding(progress.name, *violation.cost, blocked(machine, state), trace)}


def result(machine: Machine, outcome: Outcome, clock: Clock, notes: tuple[str, ...]) -> Result:
    """Put it all together."""
    tally = outcome.tally
    judged, lost = stuck(machine, outcome)
    return Result(
        states=tally.states,
        transitions=tally.transitions,
        depth=tally.depth,
        seconds=clock.seconds,
        findings={**findings(machine, outcome), **lost},
        coverage=coverage(outcome),
        limit=outcome.limit,
        finals=tally.finals,
        engine="fast",
        notes=notes,
        progress=judged,
    )
