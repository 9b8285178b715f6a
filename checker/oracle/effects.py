"""What an answer changes: the facts of a shard and the attempt after an op that was accepted or observed."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from fencebench.checker.oracle.events import Name
from fencebench.checker.oracle.guards_spend import releasable
from fencebench.checker.oracle.queries import asked_holder
from fencebench.checker.oracle.state import Accepted, Attempt, Checkpoint, Facts, Receipt, Scene, Stored


class After(NamedTuple):
    """Facts and attempt after an event."""

    facts: Facts
    attempt: Attempt


Effect = Callable[[Scene], After]


def nothing(s: Scene) -> After:
    """Everything stays."""
    return After(s.facts, s.attempt)


def grant(s: Scene) -> After:
    """The lease runs from now; the attempt is bound to the digests that the shard has now."""
    if s.event.epoch is None:
        return nothing(s)
    expires = s.event.expires
    attempt = s.attempt._replace(
        granted=True,
        holder=s.attempt.holder if asked_holder(s) is None else asked_holder(s),
        since=s.event.t,
        low=s.event.t if expires is None else expires,
        high=math.inf if expires is None else expires,
        ended=False,
        expired=False,
        input=s.facts.input,
        config=s.facts.config,
    )
    return After(_versioned(s, s.facts._replace(granted=max(s.facts.granted, s.epoch))), attempt)


def renew(s: Scene) -> After:
    """The lease ends at the new time; without one, at most a full lease from now."""
    old, expires = s.attempt, s.event.expires
    length = max(s.run.plan.lease_ttl or 0, old.low - old.since)
    low, high = (old.low, max(old.high, s.event.t + length)) if expires is None else (expires, expires)
    return After(_versioned(s, s.facts), old._replace(low=low, high=high))


def _versioned(s: Scene, facts: Facts) -> Facts:
    if s.event.version_new is None:
        return facts
    return facts._replace(version=s.event.version_new, version_by=s.epoch)


def expire(s: Scene) -> After:
    """The lease is over and its hold with it."""
    return After(s.facts, s.attempt._replace(ended=True, expired=True))


def reserve(s: Scene) -> After:
    """Tokens are held; the same amount again is the same hold while that is open, another amount comes on top."""
    old, tokens = s.attempt, s.event.tokens or 0
    hold = tokens if old.hold == tokens and old.open_hold else (old.hold or 0) + tokens
    return After(_issued(s), _bound(s)._replace(hold=hold))


def dispatch(s: Scene) -> After:
    """The attempt is out."""
    return After(_issued(s), _bound(s))


def _issued(s: Scene) -> Facts:
    return s.facts if s.epoch <= s.facts.issued else s.facts._replace(issued=s.epoch)


def _bound(s: Scene) -> Attempt:
    if s.attempt.granted or s.attempt.input is not None:
        return s.attempt
    return s.attempt._replace(input=s.facts.input, config=s.facts.config)


def call(s: Scene) -> After:
    """Tokens are burned, whether the reply arrived or not."""
    pinned, served = s.run.plan.revision, s.event.revision
    attempt = s.attempt._replace(
        drawn=s.attempt.drawn + (s.event.tokens or 0),
        called=True,
        served_pinned=s.attempt.served_pinned or served is None or served == pinned,
        served_other=s.attempt.served_other or (None not in (served, pinned) and served != pinned),
    )
    return After(s.facts, attempt)


def write_checkpoint(s: Scene) -> After:
    """The attempt's checkpoint is this one."""
    done = None if s.event.done is None else _shared(tuple(s.event.done))
    return After(s.facts, s.attempt._replace(checkpoint=Checkpoint(done, s.event.input_digest, s.event.config_digest)))


@lru_cache(maxsize=256)
def _shared(cases: tuple[Name, ...]) -> frozenset[Name]:
    """The set of cases; one object for the many checkpoints that record the same."""
    return frozenset(cases)


def put(s: Scene) -> After:
    """The artifact is stored; with acceptance `put` it counts."""
    stored = Stored(s.event.digest, s.event.req)
    attempt = s.attempt._replace(stored=stored, pending=s.attempt.pending - {s.event.digest})
    if s.run.plan.acceptance == "receipt":
        return After(s.facts, attempt)
    return After(s.facts._replace(accepted=Accepted(s.epoch, s.event.digest)), attempt)


def put_pending(s: Scene) -> After:
    """A put had no reply and has not landed: it may."""
    return After(s.facts, s.attempt._replace(pending=s.attempt.pending | {s.event.digest}))


def put_refused(s: Scene) -> After:
    """An acknowledged refusal: that put will not land."""
    return After(s.facts, s.attempt._replace(pending=s.attempt.pending - {s.event.digest}))


def delete(s: Scene) -> After:
    """The artifact is gone."""
    accepted = s.facts.accepted
    key = (s.epoch if s.event.digest is None else s.event.digest,)
    gone = accepted is not None and key == (accepted.epoch if s.event.digest is None else accepted.digest,)
    facts = s.facts._replace(accepted=None) if gone else s.facts
    stored = s.attempt.stored
    kept = stored if stored and s.event.digest not in (None, stored.digest) else None
    return After(facts, s.attempt._replace(stored=kept, pending=s.attempt.pending - {s.event.digest}))


def commit(s: Scene) -> After:
    """The row is there and closes the hold; tokens that were not counted are lost."""
    counted = s.event.counted is not False
    receipt = Receipt(s.event.tokens or 0, s.event.digest, s.event.revision, counted)
    forgiven = s.attempt.forgiven if counted else s.attempt.drawn
    facts = s.facts._replace(receipt_epoch=s.epoch)
    if facts.accepted is None:
        facts = facts._replace(accepted=Accepted(s.epoch, s.event.digest))
    return After(facts, s.attempt._replace(receipt=receipt, forgiven=forgiven))


def recount(s: Scene) -> After:
    """What a commit that was not counted should have done."""
    return commit(s._replace(event=s.event._replace(counted=True)))


def row(s: Scene) -> After:
    """The case has its row."""
    if s.event.case is None or s.event.case in s.attempt.rows:
        return nothing(s)
    return After(s.facts, s.attempt._replace(rows=s.attempt.rows | {s.event.case}))


def release(s: Scene) -> After:
    """A part of the hold is given back; burned tokens in it are lost."""
    tokens = s.event.tokens or 0
    lost = max(0, min(tokens, s.attempt.unclosed) - releasable(s))
    released, forgiven = s.attempt.released + tokens, s.attempt.forgiven + lost
    return After(s.facts, s.attempt._replace(released=released, forgiven=forgiven))


def release_what_is_open(s: Scene) -> After:
    """What a release that took too much should have given back."""
    return After(s.facts, s.attempt._replace(released=s.attempt.released + releasable(s)))


def sweep(s: Scene) -> After:
    """The hold is marked as late."""
    return After(s.facts, s.attempt._replace(swept=True))


def waste(s: Scene) -> After:
    """Tokens are written off."""
    return After(s.facts, s.attempt._replace(wasted=s.attempt.wasted + (s.event.tokens or 0)))


def seal(s: Scene) -> After:
    """The shard is final."""
    return After(s.facts._replace(sealed=True), s.attempt)


def end(s: Scene) -> After:
    """The attempt ended by itself, and its hold with it."""
    return After(s.facts, s.attempt._replace(ended=True))


def set_state(s: Scene) -> After:
    """The shard's record says so."""
    facts = s.facts if s.event.state is None else s.facts._replace(state=s.event.state)
    if s.event.version is not None:
        facts = facts._replace(version=s.event.version, version_by=s.event.epoch)
    return After(facts, s.attempt)


def change_fixture(s: Scene) -> After:
    """The shard has another input version."""
    return After(s.facts._replace(input=s.event.input_digest), s.attempt)


def change_config(s: Scene) -> After:
    """The shard has another configuration; a line that only changes the run's ceiling leaves it."""
    if s.event.config_digest is None and s.event.ceiling is not None:
        return nothing(s)
    return After(s.facts._replace(config=s.event.config_digest), s.attempt)


EFFECTS: Final[dict[str, Effect]] = {
    "lease.grant": grant,
    "lease.wait": grant,
    "lease.renew": renew,
    "lease.expire": expire,
    "ledger.reserve": reserve,
    "dispatch": dispatch,
    "model.call": call,
    "ckpt.write": write_checkpoint,
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

REFUSED: Final[dict[str, Effect]] = {"store.put": put_refused, "store.apply": put_refused}

CORRECTED: Final[dict[str, Effect]] = {
    "commit_is_booked": recount,
    "hold_ends_once": release_what_is_open,
    "refund_of_burned": release_what_is_open,
}
"""By the rule that was broken: what the right answer would have done, where that is more than to refuse."""
