"""When a refusal is allowed: each class has one condition, asked at whichever op it is answered.

A condition is None when the class is true of the context, `UNSEEN` when the log does not show it, else the clause that
denies it. A refusal that names its class needs only not to be denied; one without a class, or with a word of the
implementer's own, needs a class that is seen to be true, or a guard of the acceptance that is false.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from fencebench.checker.oracle.judge.context import (
    PUTS,
    Context,
    accepted_elsewhere,
    current,
    granted_config,
    granted_input,
    holds_seen,
    inputs_in,
    is_newest,
    lease_may_be_over,
    leases_seen,
    other_lease,
    puts_seen,
    revisions_in,
    same,
    same_case,
    same_content,
    same_grant,
    same_hold,
    same_put,
    same_row,
    shards_maybe_missing,
)
from fencebench.checker.oracle.judge.guards_work import artifact_stored, checkpoint_of, named, sealed_cases
from fencebench.checker.oracle.judge.spend import own_spend
from fencebench.checker.oracle.judge.state import NEVER, Names
from fencebench.checker.oracle.log.events import Name
from fencebench.checker.oracle.log.ops import OPS
from fencebench.model.fence import Refusal

UNSEEN: Final = ""
GRANTS: Final = ("ledger.reserve", "lease.grant", "lease.wait")


class Condition(NamedTuple):
    """A class of refusal: when it is right, the ops where it makes sense, and the function that denies it.

    At another op the class counts as a word of the implementer's own.
    """

    sentence: str
    ops: tuple[str, ...]
    denied: Callable[[Context], str | None]


def already_reserved(s: Context) -> str | None:
    """The same hold or lease is there."""
    alike = same_hold(s) if s.event.op == "ledger.reserve" else same_grant(s)
    if alike is None:
        return UNSEEN
    return None if alike else f"nothing of that content is there under epoch {s.epoch}"


def already_stored(s: Context) -> str | None:
    """The same artifact is there, under this key or as the accepted one."""
    if s.event.op == "row.accept":
        return _case_there(s)
    found = (same_put(s, s.attempt.stored), same_put(s, s.shard.accepted))
    if True in found:
        return None
    return UNSEEN if None in found else f"nothing of that content is there under epoch {s.epoch}"


def already_committed(s: Context) -> str | None:
    """The same row is there; for a seal, the shard is sealed."""
    if s.event.op == "seal":
        return None if s.shard.sealed or s.shard.state == "sealed" else f"shard {s.event.shard} was not sealed"
    if s.event.op == "row.accept":
        return _case_there(s)
    alike = same_row(s, s.shard.receipt)
    if alike is None:
        return UNSEEN
    return None if alike else f"nothing of that content is there under epoch {s.epoch}"


def _case_there(s: Context) -> str | None:
    alike = same_case(s)
    return f"case {s.event.case} has no such row of epoch {s.epoch}" if alike is False else None


def conflict(s: Context) -> str | None:
    """The same key with other content is there, or another holder, row, artifact or version stands against it."""
    own = _own_change(s)
    if own is not None:
        return own
    if other_lease(s) is not None or _lease_runs(s):
        return None
    found = _KEYED.get(s.event.op, _nothing_kept)(s)
    return None if found is True else UNSEEN if found is None else "nothing else is there under that key"


def _own_change(s: Context) -> str | None:
    if same_content(s) is True:
        return f"what is there under epoch {s.epoch} is this very content"
    if s.event.op not in ("lease.renew", "state.set"):
        return None
    found = s.shard.version
    if found is not None and s.shard.version_by == s.epoch:
        return f"the record is at version {found} because epoch {s.epoch} changed it itself"
    return None


def _lease_runs(s: Context) -> bool:
    return s.event.op == "lease.expire" and not lease_may_be_over(s)


def _put_differs(s: Context) -> bool | None:
    if accepted_elsewhere(s):
        return True
    return False if s.attempt.stored is None else _negated(same_put(s, s.attempt.stored))


def _row_differs(s: Context) -> bool | None:
    if s.shard.receipt is None:
        return accepted_elsewhere(s)
    return _negated(same_row(s, s.shard.receipt))


def _hold_differs(s: Context) -> bool | None:
    return s.attempt.hold is not None or (s.attempt.granted and same_grant(s) is False)


def _grant_differs(s: Context) -> bool | None:
    return s.attempt.granted


def _version_differs(s: Context) -> bool | None:
    expected = s.event.version if s.event.op == "state.set" else s.event.version_expected
    return _negated(same(expected, s.shard.version)) is True


def _case_differs(s: Context) -> bool | None:
    return s.event.case in s.shard.rows and _negated(same_case(s)) is not False


def _nothing_kept(s: Context) -> bool | None:
    return False


def _negated(content: bool | None) -> bool | None:
    return None if content is None else not content


_KEYED: Final[dict[str, Callable[[Context], bool | None]]] = {
    **dict.fromkeys(sorted(PUTS), _put_differs),
    "ledger.commit": _row_differs,
    "ledger.reserve": _hold_differs,
    "lease.grant": _grant_differs,
    "lease.wait": _grant_differs,
    "lease.renew": _version_differs,
    "state.set": _version_differs,
    "row.accept": _case_differs,
}


def revision_mismatch(s: Context) -> str | None:
    """What was served or is named differs from the pinned revision."""
    pinned, made = s.plan.revision, checkpoint_of(s) if s.event.op == "ckpt.resume" else None
    found = revisions_in(s) | s.attempt.revisions | (made.revisions if made else frozenset())
    if pinned is None:
        return None if len(found) > 1 else UNSEEN
    if not found <= {pinned} or s.event.unproven:
        return None
    if s.event.op == "row.accept" and s.event.revision_served is not None:
        return f"served by {s.event.revision_served}, which is pinned"
    return f"all that is seen of epoch {s.epoch} was served by the pinned {pinned}" if s.attempt.called else UNSEEN


def input_mismatch(s: Context) -> str | None:
    """The input differs from what the grant names or from what the shard has now."""
    made = checkpoint_of(s) if s.event.op == "ckpt.resume" else None
    brought = inputs_in(s) | s.attempt.inputs | (made.inputs if made else frozenset())
    return _differs("input", brought, (granted_input(s), s.shard.input))


def config_mismatch(s: Context) -> str | None:
    """The configuration differs from what the grant names or from what the shard has now."""
    made = checkpoint_of(s) if s.event.op == "ckpt.resume" else None
    brought = {digest for digest in (s.event.config_digest, made and made.config) if digest is not None}
    return _differs("config", frozenset(brought), (granted_config(s), s.shard.config))


def _differs(word: str, brought: Names, wanted: tuple[Name | None, ...]) -> str | None:
    seen = brought | {digest for digest in wanted if digest is not None}
    if len(seen) > 1:
        return None
    return f"the {word} is {named(seen)} throughout" if brought else UNSEEN


def stale_epoch(s: Context) -> str | None:
    """The epoch is below the highest granted; at a grant or reserve, not above it."""
    if s.event.op in GRANTS:
        return _not_new(s)
    now = current(s)
    newest = s.shard.told if now is None else max(now, s.shard.told)
    if newest == NEVER:
        return UNSEEN
    if s.epoch < newest:
        return None
    return f"epoch {s.epoch} is not below the highest granted, epoch {newest}"


def _not_new(s: Context) -> str | None:
    taken = s.attempt.granted if s.event.op != "ledger.reserve" else s.attempt.hold is not None
    if taken or s.epoch < max(s.shard.granted, s.shard.issued):
        return None
    return f"epoch {s.epoch} is above the highest before it"


def sealed(s: Context) -> str | None:
    """The shard has its receipt or its seal; a seal after the commit may find that the commit sealed."""
    if s.event.op == "seal" and s.shard.receipt is not None and not s.shard.sealed:
        return UNSEEN
    if s.shard.sealed or s.shard.receipt is not None or s.shard.state == "sealed":
        return None
    return f"shard {s.event.shard} has no receipt"


def lease_expired(s: Context) -> str | None:
    """The lease is over on the control plane's clock."""
    if s.event.op in GRANTS and not s.attempt.granted:
        return f"epoch {s.epoch} has no lease yet"
    if s.event.op == "lease.expire" and not s.attempt.ended:
        return f"the lease of epoch {s.epoch} was not declared over"
    if lease_may_be_over(s):
        return None if leases_seen(s) else UNSEEN
    return f"the lease of epoch {s.epoch} runs until {s.attempt.low:g}, it is {s.event.latest_t:g}"


def lease_margin(s: Context) -> str | None:
    """The worker's own clock is within the margin or past the end; a margin is shorter than the lease."""
    clock = s.event.clock_of_actor
    if clock is None or not leases_seen(s) or clock > s.attempt.since:
        return UNSEEN
    return f"the actor's own clock says {clock:g}, the lease of epoch {s.epoch} began at {s.attempt.since:g}"


def no_hold(s: Context) -> str | None:
    """No live hold is there under the key; a sweep does not end one."""
    if not holds_seen(s):
        return UNSEEN
    if _ended(s) or s.attempt.receipt is not None or s.attempt.least_unclosed == 0:
        return None
    return f"{s.attempt.unclosed} tokens are held for epoch {s.epoch}"


def _ended(s: Context) -> bool:
    """Whether the attempt is over; to declare that is right only once, so for an expire the clock is not enough."""
    by_clock = s.event.op != "lease.expire" and s.attempt.granted and lease_may_be_over(s)
    return s.attempt.ended or by_clock or not is_newest(s.shard, s.epoch)


def unreserved_spend(s: Context) -> str | None:
    """No live hold, or the tokens named are not those drawn or pass the hold."""
    drawn, tokens = s.attempt.drawn, s.event.tokens or 0
    if (s.attempt.called and tokens != drawn) or (holds_seen(s) and tokens > s.attempt.least_unclosed):
        return None
    denied = no_hold(s)
    if not denied or not s.attempt.called:
        return denied and UNSEEN
    return f"{denied} and {tokens} tokens were drawn, as named"


def hold_exhausted(s: Context) -> str | None:
    """The call or the row takes more than the hold."""
    attempt, tokens = s.attempt, s.event.tokens or 0
    if attempt.hold is None:
        return UNSEEN
    if (attempt.drawn if s.event.op == "model.call" else 0) + tokens > attempt.least_hold:
        return None
    return f"{attempt.drawn} and {tokens} tokens are within the hold of {attempt.hold}"


def over_ceiling(s: Context) -> str | None:
    """What counts already and this pass the ceiling; at a call, the provider's own allowance may be lower."""
    ceiling, tokens = s.plan.ceiling, s.event.tokens
    if ceiling is None or tokens is None or s.event.op == "model.call":
        return UNSEEN
    used = s.run.others(s).most + _own_use(s)
    return None if used + tokens > ceiling else f"{used} and {tokens} tokens are within the ceiling of {ceiling}"


def _own_use(s: Context) -> int:
    """What the attempt itself counts beside the tokens that it asks for; a repeated request does not count itself."""
    if s.event.op != "ledger.reserve":
        return s.attempt.booked + s.attempt.wasted
    return 0 if same_hold(s) is True and s.attempt.unclosed else own_spend(s).most


def no_artifact(s: Context) -> str | None:
    """The artifact is not in the store."""
    if artifact_stored(s):
        return None
    return f"artifact {s.event.digest} is in the store" if puts_seen(s) else UNSEEN


def incomplete(s: Context) -> str | None:
    """Parts or rows are missing."""
    if sealed_cases(s):
        return None
    parts = s.event.parts
    if parts is None:
        return UNSEEN
    return f"{parts[0]} of {parts[1]} parts are there" if parts[0] == parts[1] else None


def missing_shards(s: Context) -> str | None:
    """A planned shard is not sealed, or the report itself has not taken it."""
    if s.plan.shards is None:
        return UNSEEN
    if s.event.sealed is not None and not set(s.plan.shards) <= set(s.event.sealed):
        return None
    return None if shards_maybe_missing(s) else f"all {len(s.plan.shards)} planned shards are sealed"


def unresolved_conflict(s: Context) -> str | None:
    """A conflict is on record in the run."""
    return None if s.run.disputed() else "no conflict was recorded"


def mixed_revisions(s: Context) -> str | None:
    """Receipts name more than one revision."""
    found = s.run.revisions(False)
    return None if len(found) > 1 else f"the receipts name {len(found)} revisions"


def no_receipt(s: Context) -> str | None:
    """The receipt is missing."""
    if s.event.shard is None:
        return missing_shards(s)
    if s.shard.receipt is None:
        return None
    return f"shard {s.event.shard} has its receipt, of epoch {s.shard.receipt.epoch}"


_EVERY: Final = tuple(op for op, each in OPS.items() if each.answered and op not in ("report.print", "ledger.rebuild"))
_WORK: Final = tuple(op for op in _EVERY if op not in ("ledger.release", "ledger.sweep", "ledger.waste"))
_BRINGS: Final = ("ckpt.resume", "ckpt.write", *sorted(PUTS), "ledger.commit", "row.accept", "dispatch", "model.call")
_SPENDS: Final = ("ledger.reserve", "ledger.commit", "ledger.waste", "lease.grant", "lease.wait", "model.call")

CONDITIONS: Final[dict[Refusal, Condition]] = {
    Refusal.ALREADY_RESERVED: Condition("the same hold or lease is there under the key", GRANTS, already_reserved),
    Refusal.ALREADY_STORED: Condition(
        "the same artifact or row is there under the key", (*sorted(PUTS), "row.accept"), already_stored
    ),
    Refusal.ALREADY_COMMITTED: Condition(
        "the same row is there under the key, however many tokens it names",
        ("ledger.commit", "seal", "row.accept"),
        already_committed,
    ),
    Refusal.CONFLICT: Condition(
        "the same key with other content is there, or another lease, artifact or version stands against it",
        _EVERY,
        conflict,
    ),
    Refusal.REVISION_MISMATCH: Condition("a revision in the work is not the pinned one", _BRINGS, revision_mismatch),
    Refusal.INPUT_MISMATCH: Condition(
        "an input in the work differs from the grant's or the shard's now", (*_BRINGS, *GRANTS), input_mismatch
    ),
    Refusal.CONFIG_MISMATCH: Condition(
        "a configuration differs from the grant's or the shard's now", (*_BRINGS, *GRANTS), config_mismatch
    ),
    Refusal.STALE_EPOCH: Condition("a higher epoch was granted", _EVERY, stale_epoch),
    Refusal.SEALED: Condition("the shard has its receipt or its seal", _EVERY, sealed),
    Refusal.LEASE_EXPIRED: Condition("the lease is over on the control plane's clock", _WORK, lease_expired),
    Refusal.LEASE_MARGIN: Condition("the worker's own clock is within the margin", _WORK, lease_margin),
    Refusal.UNRESERVED_SPEND: Condition(
        "no live hold, or the tokens named are not those drawn", ("ledger.commit",), unreserved_spend
    ),
    Refusal.NO_HOLD: Condition(
        "no live hold is there under the key", tuple(op for op in _EVERY if op != "ledger.reserve"), no_hold
    ),
    Refusal.HOLD_EXHAUSTED: Condition(
        "the call or the row takes more than the hold", ("model.call", "ledger.commit"), hold_exhausted
    ),
    Refusal.OVER_CEILING: Condition("what counts and this pass the ceiling", _SPENDS, over_ceiling),
    Refusal.NO_ARTIFACT: Condition(
        "the artifact is not in the store", ("ledger.commit", "seal", "store.delete"), no_artifact
    ),
    Refusal.INCOMPLETE: Condition(
        "parts or rows are missing", (*sorted(PUTS), "ledger.commit", "seal", "row.accept"), incomplete
    ),
    Refusal.MISSING_SHARDS: Condition(
        "a planned shard is not sealed, or not among those that the report names", ("report.print",), missing_shards
    ),
    Refusal.UNRESOLVED_CONFLICT: Condition("a conflict is on record", ("report.print",), unresolved_conflict),
    Refusal.MIXED_REVISIONS: Condition("the receipts name several revisions", ("report.print",), mixed_revisions),
    Refusal.NO_RECEIPT: Condition("the receipt is missing", ("seal", "report.print"), no_receipt),
}
"""Every class of the design."""
