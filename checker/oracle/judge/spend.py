"""What counts against the ceiling, in tokens, as far as a log can show it: at least so much, at most so much.

A live hold counts whole. A hold ends with its attempt; from then on what was burned counts, and more only if a `waste`
line books it. A sweep ends nothing. Between the end of a lease by the clock and the line that says so, both are sound.
"""

from fencebench.checker.oracle.judge.context import Context, is_newest, other_lease
from fencebench.checker.oracle.judge.state import NOTHING, Attempt, Shard, Spend


def attempt_spend(attempt: Attempt, newest: bool, t: float, calls_seen: bool) -> Spend:
    """The tokens of one attempt at a second; `newest` when no newer epoch was granted."""
    booked = attempt.booked
    settled = booked + attempt.wasted
    if attempt.receipt is not None:
        return Spend(settled, settled + attempt.owed, booked)
    owed = attempt.owed
    closed = attempt.ended or not newest
    most = settled + (owed if closed and calls_seen else max(attempt.unclosed, owed))
    if closed or (attempt.granted and t >= attempt.low):
        return Spend(settled + owed, most, booked)
    return Spend(settled + max(attempt.least_unclosed, owed), most, booked)


def shard_spend(shard: Shard, t: float, calls_seen: bool) -> Spend:
    """The tokens of a shard."""
    if len(shard.attempts) == 1:
        ((epoch, attempt),) = shard.attempts.items()
        return attempt_spend(attempt, is_newest(shard, epoch), t, calls_seen)
    total = NOTHING
    for epoch, attempt in shard.attempts.items():
        total = total.plus(attempt_spend(attempt, is_newest(shard, epoch), t, calls_seen))
    return total


def beside(s: Context) -> Spend:
    """The tokens of the shard's other attempts; a reserve for a newer epoch ends older holds without a lease."""
    newer = s.event.op == "ledger.reserve" and s.epoch > max(s.shard.granted, s.shard.issued) and not other_lease(s)
    total = NOTHING
    for epoch, attempt in s.shard.attempts.items():
        if epoch != s.epoch:
            newest = is_newest(s.shard, epoch)
            spend = attempt_spend(attempt, newest, s.event.latest_t, "model.call" in s.seen)
            if newer and newest:
                ended = attempt_spend(attempt, False, s.event.latest_t, "model.call" in s.seen)
                spend = spend._replace(least=ended.least)
            total = total.plus(spend)
    return total


def own_spend(s: Context) -> Spend:
    """What the attempt of the event counts now."""
    return attempt_spend(s.attempt, is_newest(s.shard, s.epoch), s.event.latest_t, "model.call" in s.seen)


def releasable(s: Context) -> int:
    """Tokens of the hold that may be given back: what no closed part took and nobody burned."""
    return max(0, s.attempt.unclosed - s.attempt.owed)


def over_when(s: Context, own: int, what: str) -> str | None:
    """Why the ceiling does not cover that the attempt counts `own` tokens, or None when it does."""
    ceiling = s.plan.ceiling
    if ceiling is None:
        return None
    others = s.run.others(s).least
    if others + own <= ceiling:
        return None
    return f"{what}; with {others} tokens of others that is {others + own}, above the ceiling of {ceiling}"
