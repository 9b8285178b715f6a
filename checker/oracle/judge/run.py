"""A run as a log shows it: its shards, each in the alternatives that unknown answers leave, and its totals.

The totals are bounds over all alternatives of all shards. Shards are kept apart: what one answer says about the
alternatives of two shards together is used for each of them on its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Final

from fencebench.checker.oracle.judge.context import Context, RunView, meant_epoch
from fencebench.checker.oracle.judge.spend import beside, shard_spend
from fencebench.checker.oracle.judge.state import EMPTY, NOTHING, Names, Plan, Shard, Spend, plan_of
from fencebench.checker.oracle.log.events import Event, Name

LIMIT: Final = 64
"""Alternatives kept of one shard; beyond them a divergence is undetermined."""

MOVES_SPEND: Final = frozenset(
    [
        "lease.grant",
        "lease.wait",
        "lease.renew",
        "lease.expire",
        "ledger.reserve",
        "dispatch",
        "model.call",
        "ledger.commit",
        "ledger.release",
        "ledger.waste",
        "attempt.end",
    ]
)
LOOKS_AT_TOTALS: Final = frozenset({"ledger.reserve", "lease.grant", "lease.renew", "ledger.commit", "ledger.waste"})


@dataclass(slots=True)
class Run:
    """All that is known of a run.

    `seen` are the ops that occurred, `spend` is what counts against the ceiling and `counted` the part of each shard.
    `leases` are (end, line, shard) of leases that end by the clock, a heap. `doubtful` are shards with more than one
    alternative, `torn` those with a conflict on record.
    `cut` is the line from which alternatives were dropped because there were too many.
    """

    plan: Plan
    shards: dict[Name, list[Shard]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    spend: Spend = NOTHING
    counted: dict[Name, Spend] = field(default_factory=dict)
    leases: list[tuple[float, int, Name]] = field(default_factory=list)
    doubtful: set[Name] = field(default_factory=set)
    torn: set[Name] = field(default_factory=set)
    disputed: bool = False
    printed: dict[Names, float] = field(default_factory=dict)
    cut: int | None = None
    view: RunView = field(init=False)

    def __post_init__(self) -> None:
        self.view = RunView(
            self.others,
            lambda name: self.shards.get(name, []),
            self.committed,
            self.conflicts,
            lambda: self.disputed,
            self.revisions,
            self.printed.get,
        )

    def copy(self) -> "Run":
        """An independent copy, to be continued with other answers."""
        return Run(
            self.plan,
            {name: [each.copy() for each in branches] for name, branches in self.shards.items()},
            set(self.seen),
            self.spend,
            dict(self.counted),
            list(self.leases),
            set(self.doubtful),
            set(self.torn),
            self.disputed,
            dict(self.printed),
            self.cut,
        )

    def branches(self, shard: Name) -> list[Shard]:
        """The alternatives of a shard, at least one."""
        found = self.shards.get(shard)
        if found is None:
            found = self.shards[shard] = [Shard(self.plan.input, self.plan.config)]
        return found

    def others(self, s: Context) -> Spend:
        """What counts against the ceiling beside the attempt of the context."""
        shard = s.event.shard
        if shard is None:
            return self.spend
        return self.spend.minus(self.counted.get(shard, NOTHING)).plus(beside(s))

    def committed(self) -> tuple[int, int]:
        """The committed total, at least and at most."""
        doubts = [[sum(a.booked for a in b.attempts.values()) for b in self.shards[name]] for name in self.doubtful]
        most = self.spend.booked
        return most - sum(max(each) - min(each) for each in doubts), most

    def conflicts(self) -> list[Name]:
        """Shards with a conflict at commit that is on record, in every alternative."""
        return sorted((n for n in self.torn if all(b.conflict is not None for b in self.shards[n])), key=str)

    def revisions(self, certain: bool) -> Names:
        """The revisions of the receipts, those of every alternative or of some."""
        found: Names = EMPTY
        for branches in self.shards.values():
            named = [each.receipt.revisions if each.receipt else EMPTY for each in branches]
            found |= frozenset.intersection(*named) if certain else frozenset.union(*named)
        return found


def opened(plan: Event) -> Run:
    """The state of a run that was just opened."""
    return Run(plan_of(plan))


def context_of(run: Run, shard: Shard, event: Event) -> Context:
    """What the judge looks at."""
    epoch = event.epoch if event.epoch is not None else meant_epoch(shard, event)
    return Context(event, run.plan, run.seen, shard, shard.attempt(epoch), epoch, run.view)


def bounds(run: Run, branches: list[Shard], t: float) -> Spend:
    """What a shard counts against the ceiling over its alternatives."""
    calls = "model.call" in run.seen
    if len(branches) == 1:
        return shard_spend(branches[0], t, calls)
    spends = [shard_spend(each, t, calls) for each in branches]
    return Spend(min(s.least for s in spends), max(s.most for s in spends), max(s.booked for s in spends))


def count(run: Run, shard: Name, t: float) -> None:
    """Move the totals by what a shard counts now."""
    branches = run.shards[shard]
    after, before = bounds(run, branches, t), run.counted.get(shard, NOTHING)
    if after != before:
        run.counted[shard] = after
        run.spend = run.spend.minus(before).plus(after)


def put_in_place(run: Run, shard: Name, branches: list[Shard], event: Event) -> None:
    """Put changed alternatives in place, equal ones once, and move the totals."""
    if len(branches) > 1:
        branches = _distinct(branches)
        run.doubtful.add(shard)
    if len(branches) == 1:
        run.doubtful.discard(shard)
    run.shards[shard] = branches
    if event.op in MOVES_SPEND:
        count(run, shard, event.t)
        if event.op.startswith("lease.") and event.epoch is not None:
            for each in branches:
                heappush(run.leases, (each.attempt(event.epoch).low, event.line, shard))


def _distinct(branches: list[Shard]) -> list[Shard]:
    kept: dict[object, Shard] = {}
    for branch in branches:
        kept.setdefault(branch.key(), branch)
    return list(kept.values())


def close_leases(run: Run, t: float) -> None:
    """End the holds of leases that ended by the clock."""
    while run.leases and run.leases[0][0] <= t:
        count(run, heappop(run.leases)[2], t)


def count_all(run: Run, t: float) -> None:
    """Count every shard anew, when calls are seen for the first time."""
    for shard in run.shards:
        count(run, shard, t)


def keep_possible(run: Run, t: float, possible: Callable[[Spend], bool]) -> None:
    """Drop alternatives of shards under which an answer about the totals could not have been given."""
    for shard in sorted(run.doubtful, key=str):
        rest = run.spend.minus(run.counted.get(shard, NOTHING))
        kept = [each for each in run.shards[shard] if possible(rest.plus(bounds(run, [each], t)))]
        if kept and len(kept) < len(run.shards[shard]):
            run.shards[shard] = kept
            count(run, shard, t)
            if len(kept) == 1:
                run.doubtful.discard(shard)


def contexts(run: Run, event: Event) -> Iterator[Context]:
    """The event in each alternative of its shard."""
    if event.shard is not None:
        for branch in run.branches(event.shard):
            yield context_of(run, branch, event)
