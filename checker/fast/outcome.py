"""From a finished search to a result: counts, coverage, and the stories of what is broken."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from checker.count import add_event
from checker.result import Coverage, Finding, Result
from model.machine import Event, Machine

from .clock import FIRST, Clock
from .docket import Docket, Suspicion
from .retrace import Member, finding


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
    """What a search leaves: counts, suspicions, a way to trace one back, the limit that ended it or nothing."""

    tally: Tally
    docket: Docket
    gates: Callable[[Suspicion], list[Member]]
    limit: str


def coverage(outcome: Outcome) -> Coverage:
    """Add up the events, and name the witnesses that showed."""
    names = outcome.docket.questions.names.values
    total = Coverage(witnesses={names[number][0] for number in outcome.docket.seen})
    for event, times in outcome.tally.events.items():
        if times:
            add_event(total, event, times)
    return total


def findings(machine: Machine, outcome: Outcome) -> dict[str, Finding]:
    """Tell the cheapest story of every broken promise; after a stop at the first violation, of the cheapest alone."""
    best, names = outcome.docket.best(), outcome.docket.questions.names.values
    told = {names[number][0]: suspicion for number, suspicion in outcome.docket.suspicions.items()}
    order = dict.fromkeys(claim.name for claim in machine.properties)
    kept = [n for n in order if n in told and (outcome.limit != FIRST or told[n].cost == best)]
    return {name: finding(machine, name, told[name], outcome.gates(told[name])) for name in kept}


def result(machine: Machine, outcome: Outcome, clock: Clock, notes: tuple[str, ...]) -> Result:
    """Put it all together."""
    tally = outcome.tally
    return Result(
        states=tally.states,
        transitions=tally.transitions,
        depth=tally.depth,
        seconds=clock.seconds,
        findings=findings(machine, outcome),
        coverage=coverage(outcome),
        limit=outcome.limit,
        finals=tally.finals,
        engine="fast",
        notes=notes,
    )
