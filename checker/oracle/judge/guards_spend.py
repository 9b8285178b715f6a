"""Guards of spend and of the report: what is held, booked, written off and given back, in tokens; what is printed.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.judge.context import Context, cases_missing, holds_seen, same_hold, shards_missing
from fencebench.checker.oracle.judge.spend import over_when, own_spend, releasable
from fencebench.checker.oracle.judge.state import Names


def reserve_fits(s: Context) -> str | None:
    """Booked, written off, held, burned and this hold stay under the ceiling; a hold that is there may be a retry."""
    tokens, own = s.event.tokens or 0, own_spend(s).least
    if s.plan.ceiling is None or (same_hold(s) is True and s.attempt.unclosed):
        return None
    return over_when(s, own + tokens, f"{tokens} tokens more for epoch {s.epoch}, which counts {own}")


def commit_fits(s: Context) -> str | None:
    """What is booked is within the attempt's own hold, or fits under the ceiling."""
    tokens = s.event.tokens or 0
    if holds_seen(s) and tokens <= s.attempt.unclosed:
        return None
    return over_when(s, s.attempt.wasted + tokens, f"{tokens} tokens booked on {_own_hold(s)}")


def waste_fits(s: Context) -> str | None:
    """What is written off is within the attempt's own hold, or fits under the ceiling."""
    tokens, attempt = s.event.tokens or 0, s.attempt
    if holds_seen(s) and tokens <= attempt.unclosed:
        return None
    own = attempt.booked + attempt.wasted + tokens
    return over_when(s, own, f"{tokens} tokens written off on {_own_hold(s)}")


def _own_hold(s: Context) -> str:
    return "no hold" if s.attempt.hold is None else f"{s.attempt.unclosed} open tokens of its hold"


def commit_within_hold(s: Context) -> str | None:
    """A hold of which parts were given back or written off is not booked as if it were whole."""
    attempt, tokens = s.attempt, s.event.tokens or 0
    closed = attempt.released + attempt.wasted
    if not holds_seen(s) or attempt.hold is None or not closed or tokens <= attempt.unclosed:
        return None
    parts = f"{attempt.released} released and {attempt.wasted} written off before"
    return f"{tokens} tokens booked of a hold of {attempt.hold}, with {parts}"


def tokens_drawn(s: Context) -> str | None:
    """Where calls are observed, the tokens committed are those drawn, or what of them is not written off yet."""
    attempt, tokens = s.attempt, s.event.tokens
    if "model.call" not in s.seen or tokens in (attempt.drawn, attempt.drawn - attempt.wasted):
        return None
    return f"the row says {tokens} tokens, {attempt.drawn} were drawn"


def counted(s: Context) -> str | None:
    """A commit that took place is booked."""
    return f"{s.event.tokens} tokens were committed and not counted" if s.event.counted is False else None


def part_of_the_hold(s: Context) -> str | None:
    """What is released is a part of the hold that is still open."""
    tokens = s.event.tokens or 0
    if not holds_seen(s) or tokens <= s.attempt.unclosed:
        return None
    return f"{tokens} tokens are released, {s.attempt.unclosed} of the hold of epoch {s.epoch} are open"


def wasted_as_held(s: Context) -> str | None:
    """What is written off is a part of the hold that is still open, or was drawn beyond it."""
    tokens, attempt = s.event.tokens or 0, s.attempt
    if not holds_seen(s) or attempt.hold is None or tokens <= max(attempt.unclosed, attempt.owed):
        return None
    return f"{tokens} tokens are written off, {attempt.unclosed} of the hold of epoch {s.epoch} are open"


def not_burned(s: Context) -> str | None:
    """What is released was not burned."""
    tokens = s.event.tokens or 0
    if not holds_seen(s) or tokens <= releasable(s):
        return None
    return f"{tokens} tokens are released, {s.attempt.owed} of the hold were burned and are not written off"


def not_booked(s: Context) -> str | None:
    """What is written off is of an attempt that has no row, or of tokens that its row leaves out."""
    tokens, attempt = s.event.tokens or 0, s.attempt
    if attempt.receipt is None or not attempt.receipt.counted or not tokens or tokens <= attempt.owed:
        return None
    return f"epoch {s.epoch} is booked with {attempt.receipt.tokens} tokens, {attempt.owed} more were drawn"


def wasted_as_drawn(s: Context) -> str | None:
    """Where calls are observed, no more is written off than was drawn."""
    tokens, attempt = s.event.tokens or 0, s.attempt
    if "model.call" not in s.seen or attempt.wasted + tokens <= attempt.drawn:
        return None
    return f"{attempt.wasted + tokens} tokens are written off, {attempt.drawn} were drawn"


def nothing_added(s: Context) -> str | None:
    """A rebuilt total is not above what is committed: a set, not an addition."""
    most, total = s.run.committed()[1], s.event.total or 0
    return f"{total} tokens after the rebuild, {most} are committed" if total > most else None


def nothing_lost(s: Context) -> str | None:
    """A rebuilt total is not below what is committed."""
    least, total = s.run.committed()[0], s.event.total or 0
    return f"{total} tokens after the rebuild, {least} are committed" if total < least else None


def all_sealed(s: Context) -> str | None:
    """Every planned shard is sealed, and the report names it as sealed."""
    absent = shards_missing(s)
    if not absent and s.event.sealed is not None:
        told = set(s.event.sealed)
        absent = [shard for shard in s.plan.shards or () if shard not in told]
    if absent:
        return f"{len(absent)} of {len(s.plan.shards or ())} planned shards are missing: {absent[:5]}"
    return f"the report itself counts {s.event.missing} as missing" if s.event.missing else None


def each_shard_once(s: Context) -> str | None:
    """The report counts each planned shard once, and no other."""
    names = s.event.sealed or []
    strange = [name for name in names if s.plan.names is not None and name not in s.plan.names]
    if strange:
        return f"the report counts shards that are not planned: {strange[:5]}"
    if len(names) == len(set(names)):
        return None
    return f"the report counts {len(names)} rows for {len(set(names))} shards"


def same_value(s: Context) -> str | None:
    """The report prints one value over the same sealed names."""
    before = s.run.printed(sealed_names(s))
    if s.event.value is None or before is None or before == s.event.value:
        return None
    return f"the value over these shards was {before:g} before, and is {s.event.value:g} now"


def sealed_names(s: Context) -> Names:
    """The names that the report counts; those planned where it names none."""
    return frozenset(s.plan.shards or ()) if s.event.sealed is None else frozenset(s.event.sealed)


def no_conflict(s: Context) -> str | None:
    """No conflict at commit is on record."""
    torn = s.run.conflicts()
    return f"a conflict of shard {torn[0]} is on record and was not resolved" if torn else None


def receipts_of_one_revision(s: Context) -> str | None:
    """The receipts of the run name one revision."""
    found = s.run.revisions(True)
    return f"the receipts name {', '.join(sorted(map(str, found)))}" if len(found) > 1 else None


def rows_whole_at_print(s: Context) -> str | None:
    """Where rows are logged and cases planned, each planned case of each shard has a row."""
    for name in s.plan.shards or ():
        found = [cases_missing(s, each) for each in s.run.shards(name)]
        if found and all(found):
            return f"shard {name} has no row of case {found[0][0]}"
    return None
