"""The other classes of refusal: what makes each of them true, told as in `truths_key`."""

from fencebench.checker.oracle.events import Name
from fencebench.checker.oracle.guards_checkpoint import checkpoint_of
from fencebench.checker.oracle.guards_store import artifact_stored
from fencebench.checker.oracle.queries import (
    current,
    granted_config,
    granted_input,
    is_newest,
    lease_may_be_over,
    leases_observed,
    possible_sealed,
    repeats_hold,
    same,
)
from fencebench.checker.oracle.state import Scene
from fencebench.checker.oracle.truths_key import UNSEEN


def revision_mismatch(s: Scene) -> str | None:
    """What was served or is named differs from the pinned revision; a row served by an unknown one is unproven."""
    pinned, named = s.run.plan.revision, (s.event.revision, s.event.revision_served)
    if s.attempt.served_other or any(same(name, pinned) is False for name in named):
        return None
    if s.event.op == "row.accept" and pinned is not None:
        return None if s.event.revision_served is None else f"served by {s.event.revision_served}, which is pinned"
    return f"all that is seen of epoch {s.epoch} was served by the pinned {pinned}" if s.attempt.called else UNSEEN


def input_mismatch(s: Scene) -> str | None:
    """The input differs from what the grant names or from what the shard has now."""
    made = checkpoint_of(s) if s.event.op == "ckpt.resume" else None
    return _differs("input", (s.event.input_digest, made and made.input), (granted_input(s), s.facts.input))


def config_mismatch(s: Scene) -> str | None:
    """The configuration differs from what the grant names or from what the shard has now."""
    made = checkpoint_of(s) if s.event.op == "ckpt.resume" else None
    return _differs("config", (s.event.config_digest, made and made.config), (granted_config(s), s.facts.config))


def _differs(word: str, brought: tuple[Name | None, ...], wanted: tuple[Name | None, ...]) -> str | None:
    seen = {digest for digest in (*brought, *wanted) if digest is not None}
    if len(seen) > 1:
        return None
    if not any(digest is not None for digest in brought):
        return UNSEEN
    return f"the {word} is {seen.pop()} throughout"


def stale_epoch(s: Scene) -> str | None:
    """The epoch is below the highest granted."""
    now = current(s)
    if now is None or s.epoch < now:
        return None
    return f"epoch {s.epoch} is not below the highest granted, epoch {now}"


def not_a_new_epoch(s: Scene) -> str | None:
    """The epoch that is asked for is not above the highest."""
    taken = s.attempt.granted if s.event.op.startswith("lease") else s.attempt.hold is not None
    if s.epoch < max(s.facts.granted, s.facts.issued) or taken:
        return None
    return f"epoch {s.epoch} is above the highest before it"


def sealed(s: Scene) -> str | None:
    """The shard has its receipt."""
    if s.facts.sealed or s.facts.receipt_epoch is not None or s.facts.state == "sealed":
        return None
    return f"shard {s.event.shard} has no receipt"


def already_sealed(s: Scene) -> str | None:
    """The shard was sealed before."""
    return None if s.facts.sealed or s.facts.state == "sealed" else f"shard {s.event.shard} was not sealed"


def lease_expired(s: Scene) -> str | None:
    """The lease is over on the control plane's clock."""
    if lease_may_be_over(s):
        return None
    return f"the lease of epoch {s.epoch} runs until {s.attempt.low:g}, it is {s.event.t:g}"


def own_lease_expired(s: Scene) -> str | None:
    """A lease that was granted before its hold is over."""
    return lease_expired(s) if s.attempt.granted else f"epoch {s.epoch} has no lease yet"


def lease_margin(s: Scene) -> str | None:
    """The worker's own clock is within the margin or past the end; a margin is shorter than the lease."""
    clock = s.event.clock_of_actor
    if clock is None or not leases_observed(s) or clock > s.attempt.since:
        return UNSEEN
    return f"the actor's own clock says {clock:g}, the lease of epoch {s.epoch} began at {s.attempt.since:g}"


def no_live_hold(s: Scene) -> str | None:
    """No live hold is there under the key; a sweep does not end one."""
    if "ledger.reserve" not in s.run.observed:
        return UNSEEN
    over = s.attempt.ended or not is_newest(s.facts, s.epoch) or (s.attempt.granted and lease_may_be_over(s))
    return None if over or s.attempt.open_hold == 0 else f"{s.attempt.open_hold} tokens are held for epoch {s.epoch}"


def unreserved_spend(s: Scene) -> str | None:
    """No live hold, or the tokens named are not those drawn."""
    if s.attempt.called and s.event.tokens != s.attempt.drawn:
        return None
    denied = no_live_hold(s)
    if not denied or not s.attempt.called:
        return denied and UNSEEN
    return f"{denied} and {s.event.tokens} tokens were drawn, as named"


def hold_exhausted(s: Scene) -> str | None:
    """The call would draw more than the hold."""
    hold, tokens = s.attempt.hold, s.event.tokens or 0
    if hold is None:
        return UNSEEN
    if s.attempt.drawn + tokens > hold:
        return None
    return f"{s.attempt.drawn} and {tokens} tokens are within the hold of {hold}"


def over_ceiling(s: Scene) -> str | None:
    """What counts already and this hold pass the ceiling; a repeated request does not count itself."""
    ceiling, tokens = s.run.plan.ceiling, s.event.tokens
    if ceiling is None or tokens is None:
        return UNSEEN
    used = s.others.most + (0 if repeats_hold(s) else s.own.most)
    return None if used + tokens > ceiling else f"{used} and {tokens} tokens are within the ceiling of {ceiling}"


def cut_by_provider(s: Scene) -> str | None:
    """The provider's own allowance may be lower than the plan's; a log does not show it."""
    return UNSEEN


def no_artifact(s: Scene) -> str | None:
    """The artifact is not in the store."""
    return None if artifact_stored(s) else (f"artifact {s.event.digest} is in the store" if _stores(s) else UNSEEN)


def _stores(s: Scene) -> bool:
    return not {"store.put", "store.apply"}.isdisjoint(s.run.observed)


def incomplete(s: Scene) -> str | None:
    """Parts are missing."""
    parts = s.event.parts
    if parts is None:
        return UNSEEN
    return f"{parts[0]} of {parts[1]} parts are there" if parts[0] == parts[1] else None


def missing_shards(s: Scene) -> str | None:
    """A planned shard may be unsealed."""
    shards = s.run.plan.shards
    if shards is None:
        return UNSEEN
    if any(possible_sealed(s.run, shard)[1] for shard in shards):
        return None
    return f"all {len(shards)} planned shards are sealed"


def unresolved_conflict(s: Scene) -> str | None:
    """A conflict was recorded in the run."""
    return None if s.run.conflicts else "no conflict was recorded"


def mixed_revisions(s: Scene) -> str | None:
    """Receipts name more than one revision."""
    return None if len(s.run.revisions) > 1 else f"the receipts name {len(s.run.revisions)} revisions"


def no_receipt(s: Scene) -> str | None:
    """A receipt is missing."""
    if s.event.shard is None:
        return missing_shards(s)
    if s.facts.receipt_epoch is None:
        return None
    return f"shard {s.event.shard} has its receipt, of epoch {s.facts.receipt_epoch}"
