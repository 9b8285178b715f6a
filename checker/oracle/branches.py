"""The alternatives of a shard: how an event changes them, and how the run's totals follow.

The totals are bounds over all alternatives of all shards. Shards are kept apart: what one answer says about the
alternatives of two shards together is used for each of them on its own.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final

from fencebench.checker.oracle.effects import After
from fencebench.checker.oracle.events import Event, Name
from fencebench.checker.oracle.queries import is_newest, meant_epoch
from fencebench.checker.oracle.spend import attempt_spend
from fencebench.checker.oracle.state import FRESH, NOTHING, Branch, Run, Scene, Spend, fresh_branch

LIMIT: Final = 64
"""Alternatives kept of one shard; beyond them a divergence is undetermined."""

_MOVES_SPEND: Final = frozenset(
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
        "ledger.sweep",
        "ledger.waste",
        "attempt.end",
    ]
)
_LOOKS_AT_TOTALS: Final = frozenset({"ledger.reserve", "lease.grant", "lease.wait"})


def branches_of(run: Run, shard: Name) -> list[Branch]:
    """The alternatives of a shard, at least one."""
    branches = run.shards.get(shard)
    if branches is None:
        branches = run.shards[shard] = [fresh_branch(run)]
    return branches


def scene_of(run: Run, branch: Branch, event: Event) -> Scene:
    """What the judge looks at."""
    epoch = event.epoch if event.epoch is not None else meant_epoch(branch, event)
    attempt = branch.attempts.get(epoch, FRESH)
    if event.op not in _LOOKS_AT_TOTALS or event.shard is None:
        return Scene(event, run, branch.facts, attempt, branch.attempts, epoch, NOTHING, NOTHING)
    own = branch.spends.get(epoch, NOTHING)
    others = run.spend.minus(bounds(branches_of(run, event.shard))).plus(branch.spend).minus(own)
    return Scene(event, run, branch.facts, attempt, branch.attempts, epoch, own, others)


def bounds(branches: list[Branch]) -> Spend:
    """What a shard counts against the ceiling over its alternatives."""
    if len(branches) == 1:
        return branches[0].spend
    spends = [branch.spend for branch in branches]
    most, booked = max(spend.most for spend in spends), max(spend.booked for spend in spends)
    return Spend(min(spend.least for spend in spends), most, booked, min(spend.burned for spend in spends))


def change(run: Run, branch: Branch, scene: Scene, after: After) -> None:
    """Let an event change one alternative."""
    before = branch.facts
    branch.facts = after.facts
    branch.attempts[scene.epoch] = after.attempt
    if scene.event.op not in _MOVES_SPEND:
        return
    respend(run, branch, scene.epoch, scene.event.t)
    if branch.facts is not before:
        for epoch in {before.granted, before.issued} - {scene.epoch}:
            respend(run, branch, epoch, scene.event.t)
    if after.attempt.low != scene.attempt.low and scene.event.shard is not None:
        heappush(run.leases, (after.attempt.low, scene.event.line, scene.event.shard, scene.epoch))


def respend(run: Run, branch: Branch, epoch: int, t: float) -> None:
    """Count an attempt anew."""
    attempt = branch.attempts.get(epoch)
    if attempt is None:
        return
    new = attempt_spend(attempt, is_newest(branch.facts, epoch), t, "model.call" in run.observed)
    old = branch.spends.get(epoch, NOTHING)
    if new != old:
        branch.spends[epoch] = new
        branch.spend = branch.spend.minus(old).plus(new)


def settle(run: Run, shard: Name, branches: list[Branch], before: Spend) -> None:
    """Put changed alternatives in place, equal ones once, and move the totals."""
    if len(branches) > 1:
        branches = _distinct(branches)
        run.doubtful.add(shard)
    if len(branches) == 1:
        run.doubtful.discard(shard)
    run.shards[shard] = branches
    after = bounds(branches)
    if after != before:
        run.spend = run.spend.minus(before).plus(after)


def _distinct(branches: list[Branch]) -> list[Branch]:
    kept: list[Branch] = []
    for branch in branches:
        if not any(branch == other for other in kept):
            kept.append(branch)
    return kept


def cut(run: Run, branches: list[Branch], line: int) -> list[Branch]:
    """Keep as many alternatives as can be followed."""
    if len(branches) > LIMIT and run.cut is None:
        run.cut = line
    return branches[:LIMIT]


def close_leases(run: Run, t: float) -> None:
    """End the holds of leases that ended by the clock."""
    while run.leases and run.leases[0][0] <= t:
        _, _, shard, epoch = heappop(run.leases)
        recount_shard(run, shard, (epoch,), t)


def recount_shard(run: Run, shard: Name, epochs: tuple[int, ...], t: float) -> None:
    """Count some attempts of a shard anew in each alternative."""
    branches = branches_of(run, shard)
    before = bounds(branches)
    for branch in branches:
        for epoch in epochs:
            respend(run, branch, epoch, t)
    settle(run, shard, branches, before)


def recount_all(run: Run, t: float) -> None:
    """Count every attempt anew, when calls are seen for the first time."""
    for shard, branches in run.shards.items():
        recount_shard(run, shard, tuple({epoch for branch in branches for epoch in branch.attempts}), t)


def keep_possible(run: Run, possible: Callable[[Spend], bool]) -> None:
    """Drop alternatives of shards under which an answer about the totals could not have been given."""
    for shard in sorted(run.doubtful, key=str):
        branches = run.shards[shard]
        before = bounds(branches)
        rest = run.spend.minus(before)
        kept = [branch for branch in branches if possible(rest.plus(branch.spend))]
        if kept and len(kept) < len(branches):
            settle(run, shard, kept, before)
