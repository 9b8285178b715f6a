"""One event in one alternative of its shard, as guards, conditions and effects see it, and questions about it."""

from collections.abc import Callable
from typing import NamedTuple

from fencebench.checker.oracle.judge.state import EMPTY, NEVER, Artifact, Attempt, Names, Plan, Receipt, Shard, Spend
from fencebench.checker.oracle.log.events import Event, Name

FINAL_STATES = ("sealed", "completed")
PUTS = frozenset({"store.put", "store.apply"})

Content = bool | None
"""Whether two contents are the same; None when the log does not show it."""


class RunView(NamedTuple):
    """What is asked of the run as a whole: only where a guard or a condition needs it.

    `others` is what counts against the ceiling beside an attempt; `shards` gives, by name, the alternatives of a shard;
    `committed` are the bounds of what is in receipts; `conflicts` are shards with a conflict at commit that
    was not resolved, `disputed` says whether any conflict was told; `revisions` are
    those of receipts, the certain ones or the possible ones; `printed` the value by sealed names.
    """

    others: Callable[["Context"], Spend]
    shards: Callable[[Name], list[Shard]]
    committed: Callable[[], tuple[int, int]]
    conflicts: Callable[[], list[Name]]
    disputed: Callable[[], bool]
    revisions: Callable[[bool], Names]
    printed: Callable[[Names], float | None]


class Context(NamedTuple):
    """What a guard, a condition and an effect may look at.

    `seen` are the ops that occurred in the run so far, this one among them. `epoch` is the event's, or the one that
    the event must mean; `attempt` is that of the epoch, a fresh one where it was not heard of.
    """

    event: Event
    plan: Plan
    seen: frozenset[str] | set[str]
    shard: Shard
    attempt: Attempt
    epoch: int
    run: RunView


def current(s: Context) -> int | None:
    """The highest epoch granted, or where nobody grants, the highest reserved or dispatched; None: not observed."""
    if leases_seen(s):
        return s.shard.granted
    if "ledger.reserve" in s.seen or "dispatch" in s.seen:
        return s.shard.issued
    return None


def leases_seen(s: Context) -> bool:
    """Whether leases are granted in this run."""
    return "lease.grant" in s.seen


def holds_seen(s: Context) -> bool:
    """Whether tokens are reserved in this run."""
    return "ledger.reserve" in s.seen


def puts_seen(s: Context) -> bool:
    """Whether artifacts are put in this run."""
    return not PUTS.isdisjoint(s.seen)


def same(one: Name | None, other: Name | None) -> Content:
    """Whether two names are equal; None when one of them was not observed."""
    return None if one is None or other is None else one == other


def parts_of(name: Name | None) -> Names:
    """The revisions or inputs that one name stands for: rev-A+rev-B are two."""
    if name is None:
        return EMPTY
    return frozenset(name.split("+")) if isinstance(name, str) and "+" in name else frozenset((name,))


def asked_holder(event: Event) -> Name | None:
    """Who asks for a lease: the holder, else the host."""
    return event.holder if event.holder is not None else event.host


def meant_epoch(shard: Shard, event: Event) -> int:
    """The epoch of an event that names none: that of the put which it must be about, else the current one.

    Who waits for a lease asks for the next epoch, unless it is the holder by name.
    """
    if event.op == "lease.wait":
        holder = shard.attempts[shard.granted].holder if shard.granted in shard.attempts else None
        return shard.granted if same(holder, asked_holder(event)) else shard.granted + 1
    for number, attempt in shard.attempts.items():
        stored = attempt.stored is not None and attempt.stored.digest == event.digest
        if event.digest is not None and (stored or event.digest in attempt.pending):
            return number
    return max(shard.granted, shard.issued)


def lease_may_run(s: Context) -> bool:
    """Whether the attempt's lease may be running: t < expires, as far as expires is observed."""
    if not leases_seen(s):
        return True
    return s.attempt.granted and not s.attempt.expired and s.event.t < s.attempt.high


def lease_may_be_over(s: Context) -> bool:
    """Whether the attempt's lease may be over: its end has come, it was declared over, or it never was."""
    attempt = s.attempt
    return not leases_seen(s) or not attempt.granted or attempt.ended or s.event.latest_t >= attempt.low


def is_replaced(s: Context) -> bool:
    """Whether a higher epoch than the event's was granted."""
    now = current(s)
    return now is not None and s.epoch < now


def is_newest(shard: Shard, epoch: int) -> bool:
    """Whether no newer epoch of the shard was granted, or where nobody grants, issued."""
    return epoch >= (shard.granted if shard.granted != NEVER else shard.issued)


def other_lease(s: Context) -> Attempt | None:
    """The attempt of another epoch whose lease certainly runs."""
    holder = s.shard.attempts.get(s.shard.granted)
    if holder is None or s.shard.granted == s.epoch or not holder.granted or holder.ended:
        return None
    return holder if s.event.latest_t < holder.low else None


def same_put(s: Context, stored: Artifact | None) -> Content:
    """Whether the event brings the artifact; by digest, else by request. False if there is none."""
    if stored is None:
        return False
    if False in (same(stored.revision, s.event.revision), same(stored.input, s.event.input_digest)):
        return False
    by_digest = same(stored.digest, s.event.digest)
    if by_digest is None and same(stored.req, s.event.req):
        return True
    return by_digest


def same_row(s: Context, receipt: Receipt | None) -> Content:
    """Whether the event brings the committed row: same key, provenance and content; the meter is no part of it."""
    if receipt is None or receipt.epoch != s.epoch:
        return False
    if False in (same(receipt.revision, s.event.revision), same(receipt.input, s.event.input_digest)):
        return False
    by_digest = same(receipt.digest, s.event.digest)
    return True if by_digest is None and same(receipt.req, s.event.req) else by_digest


def same_case(s: Context) -> Content:
    """Whether the event brings the row that its case has from this epoch. False if there is none."""
    row = None if s.event.case is None else s.shard.rows.get(s.event.case)
    if row is None or row.epoch != s.epoch:
        return False
    if same(row.revision, s.event.revision) is False:
        return False
    return same(row.digest, s.event.digest)


def same_grant(s: Context) -> Content:
    """Whether the event asks for the grant that is there under its key; None when a holder is not named."""
    return s.attempt.granted and same(s.attempt.holder, asked_holder(s.event))


def same_hold(s: Context) -> Content:
    """Whether the event asks for a hold that is there under its key. False if nothing is there."""
    if s.attempt.hold is None:
        return False
    return any(part.op == "ledger.reserve" and part.tokens == s.event.tokens for part in s.attempt.settled)


def same_content(s: Context) -> Content:
    """Whether the event repeats what is already there under its key, for the ops that have a key."""
    compare = _COMPARED.get(s.event.op)
    return False if compare is None else compare(s)


_COMPARED: dict[str, Callable[[Context], Content]] = {
    **dict.fromkeys(sorted(PUTS), lambda s: same_put(s, s.attempt.stored)),
    "ledger.commit": lambda s: same_row(s, s.shard.receipt),
    "ledger.reserve": same_hold,
    "lease.grant": same_grant,
    "lease.wait": same_grant,
    "row.accept": same_case,
}


def is_retry(s: Context) -> bool:
    """Whether the event repeats, as a whole, what was done before: to say yes to it again changes nothing."""
    event = s.event
    if event.op in ("lease.grant", "lease.wait"):
        return same_grant(s) is True and (event.expires is None or event.expires == s.attempt.low)
    if event.op in ("ledger.reserve", "ledger.release", "ledger.waste"):
        return repeats_part(s)
    return same_content(s) is True


def repeats_part(s: Context) -> bool:
    """Whether a reserve, release or waste repeats one before it: the same request, or one whose reply was lost."""
    event = s.event
    for part in s.attempt.settled:
        if part.op != event.op or part.tokens != event.tokens:
            continue
        if same(part.req, event.req) or (part.lost and same(part.req, event.req) is not False):
            return True
    return False


def artifact_of(s: Context) -> Artifact | None:
    """The stored artifact that the event names by its digest, else the one under its key."""
    if s.event.digest is None:
        return s.attempt.stored
    named = [a.stored for a in s.shard.attempts.values() if a.stored and a.stored.digest == s.event.digest]
    return named[0] if named else None


def revisions_in(s: Context) -> Names:
    """The revisions known to be in what the event brings: in the artifact that it names, else in the attempt's work."""
    return _in_work(s, "revisions") | parts_of(s.event.revision) | parts_of(s.event.revision_served)


def inputs_in(s: Context) -> Names:
    """The input digests known to be in what the event brings."""
    return _in_work(s, "inputs") | parts_of(s.event.input_digest)


def _in_work(s: Context, which: str) -> Names:
    if s.event.op == "row.accept":
        return EMPTY
    made = artifact_of(s) if s.event.op == "ledger.commit" else None
    found: Names = getattr(s.attempt if made is None else made, which)
    return found


def granted_input(s: Context) -> Name | None:
    """The input digest that the shard had when this epoch was granted; the present one where that is not observed."""
    return s.attempt.input if s.attempt.granted or s.attempt.input is not None else s.shard.input


def granted_config(s: Context) -> Name | None:
    """The config digest that the shard had when this epoch was granted; the present one where that is not observed."""
    return s.attempt.config if s.attempt.granted or s.attempt.config is not None else s.shard.config


def accepted_elsewhere(s: Context) -> bool:
    """Whether another artifact than the event's counts for the shard already (acceptance `put`)."""
    accepted = s.shard.accepted
    if accepted is None or s.plan.by_receipt:
        return False
    alike = same_put(s, accepted)
    return accepted.epoch != s.epoch if alike is None else not alike


def is_sealed(s: Context, shard: Shard) -> bool:
    """Whether a report may count the shard: sealed; where nobody seals, committed; where nobody commits, accepted."""
    if shard.sealed or shard.state == "sealed":
        return True
    if "seal" in s.seen:
        return False
    if "ledger.commit" in s.seen:
        return shard.receipt is not None
    return shard.accepted is not None or shard.state in FINAL_STATES or rows_whole(s, shard)


def rows_whole(s: Context, shard: Shard) -> bool:
    """Whether every planned case of the shard has a row."""
    return bool(shard.rows) and s.plan.cases is not None and not cases_missing(s, shard)


def cases_missing(s: Context, shard: Shard) -> list[Name]:
    """The planned cases of the shard without a row; none where rows are not logged or cases not planned."""
    if s.plan.cases is None or "row.accept" not in s.seen:
        return []
    return [case for case in s.plan.cases if case not in shard.rows]


def is_final(shard: Shard) -> bool:
    """Whether the shard was sealed or completed by a line that says so."""
    return shard.sealed or shard.state in FINAL_STATES


def shards_missing(s: Context) -> list[Name]:
    """The planned shards that are sealed in no alternative, in the order of the plan."""
    return [name for name in s.plan.shards or () if not any(is_sealed(s, each) for each in s.run.shards(name))]


def shards_maybe_missing(s: Context) -> bool:
    """Whether a planned shard is not sealed in some alternative."""
    for name in s.plan.shards or ():
        found = s.run.shards(name)
        if not found or not all(is_sealed(s, each) for each in found):
            return True
    return False
