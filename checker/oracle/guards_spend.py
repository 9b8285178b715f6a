"""Guards of spend: what is held, booked, written off and given back, in tokens.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.queries import repeats_hold
from fencebench.checker.oracle.state import Scene


def fits(s: Scene) -> str | None:
    """Booked, written off, held and this hold stay under the ceiling."""
    used = s.others.least + s.own.least - s.others.burned - s.own.burned
    return _over(s, used, "booked, written off or held")


def fits_with_burned(s: Scene) -> str | None:
    """The same with what was burned and is not booked yet."""
    return _over(s, s.others.least + s.own.least, "booked, written off, held or burned")


def _over(s: Scene, used: int, what: str) -> str | None:
    ceiling, tokens = s.run.plan.ceiling, s.event.tokens or 0
    if ceiling is None or repeats_hold(s) or used + tokens <= ceiling:
        return None
    return f"{used} tokens are {what} and {tokens} more pass the ceiling of {ceiling}"


def hold_reserved(s: Scene) -> str | None:
    """Where holds are observed, one was reserved for this epoch."""
    if "ledger.reserve" not in s.run.observed or s.attempt.hold is not None:
        return None
    return f"no hold was reserved for epoch {s.epoch}"


def tokens_drawn(s: Scene) -> str | None:
    """Where calls of this epoch are observed, the tokens committed are those drawn."""
    if not s.attempt.called or s.event.tokens == s.attempt.drawn:
        return None
    return f"the row says {s.event.tokens} tokens, {s.attempt.drawn} were drawn"


def counted(s: Scene) -> str | None:
    """A commit that took place is booked."""
    return f"{s.event.tokens} tokens were committed and not counted" if s.event.counted is False else None


def releasable(s: Scene) -> int:
    """Tokens of the hold that may be given back: what no closed part took and nobody burned."""
    return max(0, s.attempt.unclosed - s.attempt.owed)


def part_of_the_hold(s: Scene) -> str | None:
    """What is released is a part of the hold that is still open."""
    tokens = s.event.tokens or 0
    if "ledger.reserve" not in s.run.observed or tokens <= s.attempt.unclosed:
        return None
    return f"{tokens} tokens are released, {s.attempt.unclosed} of the hold of epoch {s.epoch} are open"


def not_burned(s: Scene) -> str | None:
    """What is released was not burned."""
    tokens = s.event.tokens or 0
    if "ledger.reserve" not in s.run.observed or tokens <= releasable(s):
        return None
    return f"{tokens} tokens are released, {s.attempt.owed} of them were burned and are not written off"


def nothing_added(s: Scene) -> str | None:
    """A rebuilt total is not above what is committed: a set, not an addition."""
    booked, total = s.others.booked, s.event.total or 0
    return f"{total} tokens after the rebuild, {booked} are committed" if total > booked else None


def nothing_lost(s: Scene) -> str | None:
    """A rebuilt total is not below what is committed."""
    booked, total = _least_booked(s), s.event.total or 0
    return f"{total} tokens after the rebuild, {booked} are committed" if total < booked else None


def _least_booked(s: Scene) -> int:
    doubts = (s.run.shards[shard] for shard in s.run.doubtful)
    spread = sum(max(b.spend.booked for b in group) - min(b.spend.booked for b in group) for group in doubts)
    return s.others.booked - spread
