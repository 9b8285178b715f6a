"""What an answer changes: the shard and the attempt after an op that was accepted or observed, or was refused.

Effects change the context's shard in place; who needs the shard as it was copies it first.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from fencebench.checker.oracle.judge.context import (
    PUTS,
    Context,
    asked_holder,
    is_retry,
    parts_of,
    repeats_part,
    revisions_in,
    same,
)
from fencebench.checker.oracle.judge.guards_work import checkpoint_of
from fencebench.checker.oracle.judge.spend import releasable
from fencebench.checker.oracle.judge.state import Artifact, Checkpoint, Names, Receipt, Row, Settled
from fencebench.checker.oracle.log.events import Name
from fencebench.model.fence import Refusal

Effect = Callable[[Context], None]


def nothing(s: Context) -> None:
    """Everything stays."""


def grant(s: Context) -> None:
    """The lease runs from now; the attempt is bound to the digests that the shard has now."""
    attempt, expires, holder = s.attempt, s.event.expires, asked_holder(s.event)
    if holder is not None:
        attempt.holder = holder
    attempt.granted, attempt.ended, attempt.expired, attempt.since = True, False, False, s.event.t
    attempt.low = s.event.t if expires is None else expires
    attempt.high = math.inf if expires is None else expires
    attempt.input, attempt.config = s.shard.input, s.shard.config
    s.shard.granted = max(s.shard.granted, s.epoch)
    _version(s)


def renew(s: Context) -> None:
    """The lease ends at the new time; without one, at most a full lease from now."""
    attempt, expires = s.attempt, s.event.expires
    if expires is None:
        length = max(s.plan.lease_ttl or 0, attempt.low - attempt.since)
        attempt.high = max(attempt.high, s.event.latest_t + length)
    else:
        attempt.low = attempt.high = expires
    _version(s)


def _version(s: Context) -> None:
    if s.event.version_new is not None:
        s.shard.version, s.shard.version_by = s.event.version_new, s.epoch


def expire(s: Context) -> None:
    """The lease is over and its hold with it."""
    s.attempt.ended = s.attempt.expired = True


def reserve(s: Context) -> None:
    """Tokens are held. The same amount again may be a retry: it adds to what is held at most, not at least."""
    attempt, tokens = s.attempt, s.event.tokens or 0
    alike = any(p.op == "ledger.reserve" and p.tokens == tokens for p in attempt.settled)
    fresh = all(same(p.req, s.event.req) is False for p in attempt.settled if p.op == "ledger.reserve")
    if not repeats_part(s):
        attempt.hold = (attempt.hold or 0) + tokens
        attempt.least_hold += 0 if alike and not fresh else tokens
    _settle(s)
    _issue(s)


def _settle(s: Context) -> None:
    """Remember the request, by which a retry of it is known; a reply that arrives settles one that was lost."""
    event = s.event
    made = Settled(event.op, event.tokens or 0, event.req, event.answer == "unknown")
    again = repeats_part(s)
    kept = tuple(
        p for p in s.attempt.settled if not (p.lost and (p.op, p.tokens) == (made.op, made.tokens) and not made.lost)
    )
    s.attempt.settled = kept if again and made in kept else (*kept, made)


def dispatch(s: Context) -> None:
    """The attempt is out."""
    s.attempt.sent, s.attempt.host = True, s.event.host
    _issue(s)


def _issue(s: Context) -> None:
    if s.epoch > s.shard.issued:
        s.shard.issued = s.epoch
    if not s.attempt.granted and s.attempt.input is None:
        s.attempt.input, s.attempt.config = s.shard.input, s.shard.config


def tell(s: Context) -> None:
    """The store's register is raised."""
    s.shard.told = max(s.shard.told, s.epoch)


def call(s: Context) -> None:
    """Tokens are burned, whether the reply arrived or not; a reply adds to the work."""
    attempt = s.attempt
    attempt.drawn += s.event.tokens or 0
    attempt.called = True
    if s.event.revision is not None:
        attempt.revisions |= parts_of(s.event.revision)
    if s.event.input_digest is not None:
        attempt.inputs |= parts_of(s.event.input_digest)


def write_checkpoint(s: Context) -> None:
    """The attempt's checkpoint is this one, made of the attempt's work and what the line names."""
    done, event = (None if s.event.done is None else _shared(tuple(s.event.done))), s.event
    revisions = s.attempt.revisions | parts_of(event.revision)
    inputs = s.attempt.inputs | parts_of(event.input_digest)
    s.attempt.checkpoint = Checkpoint(done, event.input_digest, event.config_digest, revisions, inputs)


@lru_cache(maxsize=256)
def _shared(cases: tuple[Name, ...]) -> Names:
    """The set of cases; one object for the many checkpoints that record the same."""
    return frozenset(cases)


def resume(s: Context) -> None:
    """The work goes on from the checkpoint, and is what that was made of; a restart begins with nothing."""
    made = None if s.event.outcome == "restarted" else checkpoint_of(s)
    restarted = s.event.outcome == "restarted"
    if restarted:
        s.attempt.revisions = s.attempt.inputs = frozenset()
    elif made is not None:
        s.attempt.revisions = made.revisions
        s.attempt.inputs = made.inputs | parts_of(s.event.input_digest)


def put(s: Context) -> None:
    """The artifact is stored; with acceptance `put` it counts."""
    event, attempt = s.event, s.attempt
    attempt.pending -= {event.digest}
    revisions = attempt.revisions | parts_of(event.revision)
    inputs = attempt.inputs | parts_of(event.input_digest)
    attempt.stored = Artifact(s.epoch, event.digest, event.req, event.revision, event.input_digest, revisions, inputs)
    if not s.plan.by_receipt:
        s.shard.accepted = attempt.stored


def put_pending(s: Context) -> None:
    """A put had no reply and has not landed: it may."""
    s.attempt.pending |= {s.event.digest}


def put_refused(s: Context) -> None:
    """An acknowledged refusal: that put will not land."""
    s.attempt.pending -= {s.event.digest}
    s.shard.disputed = s.shard.disputed or s.event.refusal is Refusal.CONFLICT


def delete(s: Context) -> None:
    """The artifact is gone."""
    accepted, stored, digest = s.shard.accepted, s.attempt.stored, s.event.digest
    if accepted is not None and (accepted.epoch == s.epoch if digest is None else accepted.digest == digest):
        s.shard.accepted = None
    if stored is not None and digest in (None, stored.digest):
        s.attempt.stored = None
    s.attempt.pending -= {digest}


def commit(s: Context) -> None:
    """The row is there and closes the hold; tokens that were not counted are lost."""
    event, attempt = s.event, s.attempt
    counted = event.counted is not False
    receipt = Receipt(
        s.epoch,
        event.tokens or 0,
        event.digest,
        event.revision,
        event.input_digest,
        event.req,
        counted,
        revisions_in(s),
    )
    attempt.receipt = s.shard.receipt = receipt
    if not counted:
        attempt.forgiven = attempt.drawn
    if s.shard.accepted is None:
        s.shard.accepted = attempt.stored or Artifact(s.epoch, event.digest, None, event.revision, event.input_digest)


def recount(s: Context) -> None:
    """What a commit that was not counted should have done."""
    commit(s._replace(event=s.event._replace(counted=True)))


def commit_refused(s: Context) -> None:
    """A conflict with the row under this very key is on record."""
    receipt = s.shard.receipt
    if s.event.refusal is not Refusal.CONFLICT:
        return
    s.shard.disputed = True
    if receipt is not None and receipt.epoch == s.epoch:
        s.shard.conflict = s.event.line


def row(s: Context) -> None:
    """The case has its row."""
    if s.event.case is not None:
        s.shard.rows[s.event.case] = Row(s.epoch, s.event.digest, s.event.revision)


def release(s: Context) -> None:
    """A part of the hold is given back; burned tokens in it are lost."""
    attempt, tokens = s.attempt, s.event.tokens or 0
    if not repeats_part(s):
        attempt.forgiven += max(0, min(tokens, attempt.unclosed) - releasable(s))
        attempt.released += tokens
    _settle(s)


def release_what_is_open(s: Context) -> None:
    """What a release that took too much should have given back."""
    s.attempt.released += releasable(s)


def waste(s: Context) -> None:
    """Tokens are written off."""
    if not repeats_part(s):
        s.attempt.wasted += s.event.tokens or 0
    _settle(s)


def sweep(s: Context) -> None:
    """The hold is marked as late."""
    s.attempt.swept = True


def seal(s: Context) -> None:
    """The shard is final."""
    s.shard.sealed = True


def end(s: Context) -> None:
    """The attempt ended by itself, and its hold with it."""
    s.attempt.ended = True


def set_state(s: Context) -> None:
    """The shard's record says so."""
    if s.event.state is not None:
        s.shard.state = s.event.state
    if s.event.version is not None:
        s.shard.version, s.shard.version_by = s.event.version, s.event.epoch


def change_fixture(s: Context) -> None:
    """The shard has another input version."""
    s.shard.input = s.event.input_digest


def change_config(s: Context) -> None:
    """The shard has another configuration; a line that only changes the run's ceiling leaves it."""
    if s.event.config_digest is not None or s.event.ceiling is None:
        s.shard.config = s.event.config_digest


EFFECTS: Final[dict[str, Effect]] = {
    "lease.grant": grant,
    "lease.wait": grant,
    "lease.renew": renew,
    "lease.expire": expire,
    "ledger.reserve": reserve,
    "dispatch": dispatch,
    "model.call": call,
    "ckpt.write": write_checkpoint,
    "ckpt.resume": resume,
    "store.tell": tell,
    "store.put": put,
    "store.apply": put,
    "store.delete": delete,
    "ledger.commit": commit,
    "row.accept": row,
    "ledger.release": release,
    "ledger.sweep": sweep,
    "ledger.waste": waste,
    "seal": seal,
    "attempt.end": end,
    "state.set": set_state,
    "fixture.change": change_fixture,
    "config.change": change_config,
}
"""Ops that are not named here change nothing of a shard."""

OBSERVED: Final = frozenset({"model.call", "attempt.end", "fixture.change", "config.change"})
"""Observations that change the state; the others only tell that something was seen."""

UNAPPLIED: Final[dict[str, Effect]] = {"store.put": put_pending}
"""What a request without a reply that has not taken effect leaves behind."""

REFUSED: Final[dict[str, Effect]] = {
    "store.put": put_refused,
    "store.apply": put_refused,
    "ledger.commit": commit_refused,
}

CORRECTED: Final[dict[str, Effect]] = {
    "commit_is_booked": recount,
    "hold_ends_once": release_what_is_open,
    "refund_of_burned": release_what_is_open,
}
"""By the rule that was broken: what the right answer would have done, where that is more than to refuse."""


def accepted_effect(s: Context) -> Effect:
    """What a yes changes here: nothing where it repeats what is there, but for the parts of a hold."""
    effect = EFFECTS.get(s.event.op, nothing)
    if effect in (reserve, release, waste) or s.event.op not in _KEYED or not is_retry(s):
        return effect
    return nothing if s.event.counted is not True else effect


_KEYED: Final = frozenset({*PUTS, "ledger.commit", "row.accept", "lease.grant", "lease.wait"})
