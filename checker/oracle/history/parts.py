"""The parts of a history that can be searched apart, and the unknown calls in each that could make a difference.

Runs share nothing. The shards of a run share the ceiling and the report: they are searched apart only where no order of
the calls could reach the ceiling, and nothing is printed or counted over the whole run.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from fencebench.checker.oracle.history.history import Call, History
from fencebench.checker.oracle.history.ledger import Ledger, World, entry_of
from fencebench.checker.oracle.history.search import Part
from fencebench.checker.oracle.judge.state import Plan, Shard
from fencebench.checker.oracle.log.events import Name

NO_PLAN: Final = Plan(None, None, None, None, None, None, None, None, False)
OF_THE_RUN: Final = ("report.print", "ledger.rebuild")
TAKES: Final = ("ledger.reserve", "ledger.commit", "ledger.waste", "model.call", "lease.renew")
"""Ops by which more may count against the ceiling."""
FREES: Final = ("lease.expire", "ledger.release", "attempt.end", "lease.grant", "lease.wait", "ledger.commit")
"""Ops by which less may."""


def parts_of(history: History) -> list[Part]:
    """The parts that can be searched apart."""
    runs: dict[Name, list[Call]] = defaultdict(list)
    for call in history.calls:
        runs[call.event.run].append(call)
    return [part for run, calls in runs.items() for part in _parts(history.plans.get(run, NO_PLAN), calls)]


def _parts(plan: Plan, calls: list[Call]) -> Iterable[Part]:
    if not _shards_are_apart(plan, calls):
        yield part_of(plan, calls)
        return
    for group in _by_shard(calls):
        yield part_of(plan._replace(ceiling=None), group)


def _by_shard(calls: list[Call]) -> list[list[Call]]:
    groups: dict[Name | None, list[Call]] = defaultdict(list)
    for call in calls:
        groups[call.event.shard].append(call)
    return list(groups.values())


def _shards_are_apart(plan: Plan, calls: list[Call]) -> bool:
    """Whether no order of the calls can bring shards together: the ceiling is out of reach, nothing is of the run."""
    if any(call.event.op in OF_THE_RUN or call.event.ceiling is not None for call in calls):
        return False
    if any(call.event.answer == "refuse" and _by_ceiling(call) for call in calls):
        return plan.ceiling is None
    return plan.ceiling is None or sum(call.event.tokens or 0 for call in calls if _may_take(call)) <= plan.ceiling


def _may_take(call: Call) -> bool:
    return call.event.op in TAKES and call.event.answer != "refuse"


def _by_ceiling(call: Call) -> bool:
    """Whether a refusal may rest on the ceiling: it says so, or gives no class."""
    return call.event.op in TAKES and call.event.refusal in (None, "OVER_CEILING")


def part_of(plan: Plan, calls: list[Call]) -> Part:
    """A part with its shards: those of the calls, and where the run is counted, those of the plan."""
    names: dict[Name | None, int] = {}
    counted = any(call.event.op in OF_THE_RUN for call in calls)
    for name in (*((plan.shards or ()) if counted else ()), *(call.event.shard for call in calls)):
        if name is not None:
            names.setdefault(name, len(names))
    entry = entry_of(Shard(plan.input, plan.config))
    return Part(World(names), Ledger((entry,) * len(names), plan), tuple(calls), tuple(_relevant(plan, calls)))


def _relevant(plan: Plan, calls: list[Call]) -> list[int]:
    """The numbers of unknown calls that could make a difference to a known one, or to another such call."""
    unknown = [(n, call) for n, call in enumerate(calls) if not call.known]
    touched = [call for call in calls if call.known] if unknown else []
    kept: set[int] = set()
    while True:
        more = [(n, call) for n, call in unknown if n not in kept and any(_touches(plan, call, d) for d in touched)]
        if not more:
            return sorted(kept)
        kept |= {n for n, _ in more}
        touched = [call for _, call in more]


def _touches(plan: Plan, unknown: Call, other: Call) -> bool:
    """Whether an effect of the one can change the answer of the other, which is not over when the one begins."""
    one, two = unknown.event, other.event
    if other.completed < unknown.invoked or two.answer == "observe":
        return False
    if one.shard == two.shard or two.op in OF_THE_RUN or one.ceiling is not None:
        return True
    if plan.ceiling is None or two.op not in TAKES:
        return False
    return (
        one.op in TAKES if two.answer == "refuse" and _by_ceiling(other) else one.op in FREES and two.answer != "refuse"
    )
