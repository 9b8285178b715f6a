"""Questions about one event in one alternative of its shard, shared by guards and classes."""

from fencebench.checker.oracle.events import Event, Name
from fencebench.checker.oracle.state import NEVER, Branch, Facts, Run, Scene

FINAL_STATES = ("sealed", "completed")

Content = bool | None
"""Whether two contents are the same; None when the log does not show it."""


def current_epoch(run: Run, facts: Facts) -> int | None:
    """The highest epoch granted, or where nobody grants, the highest reserved or dispatched; None: not observed."""
    if "lease.grant" in run.observed:
        return facts.granted
    if "ledger.reserve" in run.observed or "dispatch" in run.observed:
        return facts.issued
    return None


def current(scene: Scene) -> int | None:
    """The current epoch of the event's shard; None when epochs are not observed."""
    return current_epoch(scene.run, scene.facts)


def meant_epoch(branch: Branch, event: Event) -> int:
    """The epoch of an event that names none: that of the put which it must be about, else the current one.

    Who waits for a lease asks for the next epoch, unless it is the holder by name.
    """
    facts = branch.facts
    if event.op == "lease.wait":
        holder = branch.attempts[facts.granted].holder if facts.granted in branch.attempts else None
        return facts.granted if same(holder, named_holder(event)) else facts.granted + 1
    for number, attempt in branch.attempts.items():
        stored = attempt.stored is not None and attempt.stored.digest == event.digest
        if event.digest is not None and (stored or event.digest in attempt.pending):
            return number
    return max(facts.granted, facts.issued)


def leases_observed(scene: Scene) -> bool:
    """Whether leases were ever granted in this run."""
    return "lease.grant" in scene.run.observed


def lease_may_run(scene: Scene) -> bool:
    """Whether the attempt's lease may be running: t < expires, as far as expires is observed."""
    attempt = scene.attempt
    if not leases_observed(scene):
        return True
    return attempt.granted and not attempt.expired and scene.event.t < attempt.high


def lease_may_be_over(scene: Scene) -> bool:
    """Whether the attempt's lease may be over: its end has come, it was declared over, or it never was."""
    attempt = scene.attempt
    return not leases_observed(scene) or not attempt.granted or attempt.ended or scene.event.t >= attempt.low


def same(one: Name | None, other: Name | None) -> Content:
    """Whether two names are equal; None when one of them was not observed."""
    return None if one is None or other is None else one == other


def same_put(scene: Scene) -> Content:
    """Whether the event brings what is stored under its key; by digest, else by request. False if nothing is there."""
    stored = scene.attempt.stored
    if stored is None:
        return False
    by_digest = same(stored.digest, scene.event.digest)
    if by_digest is None and same(stored.req, scene.event.req):
        return True
    return by_digest


def same_commit(scene: Scene) -> Content:
    """Whether the event brings the row that is committed under its key. False if nothing is there."""
    receipt, event = scene.attempt.receipt, scene.event
    if receipt is None:
        return False
    if receipt.tokens != event.tokens or same(receipt.revision, event.revision) is False:
        return False
    return same(receipt.digest, event.digest)


def same_reserve(scene: Scene) -> Content:
    """Whether the event asks for the hold that is there under its key. False if nothing is there."""
    return scene.attempt.hold is not None and scene.attempt.hold == scene.event.tokens


def same_grant(scene: Scene) -> Content:
    """Whether the event asks for the grant that is there under its key; None when a holder is not named."""
    return scene.attempt.granted and same(scene.attempt.holder, asked_holder(scene))


def asked_holder(scene: Scene) -> Name | None:
    """Who asks for a lease: the holder, else the host."""
    return named_holder(scene.event)


def named_holder(event: Event) -> Name | None:
    """The holder that an event names, else its host."""
    return event.holder if event.holder is not None else event.host


def same_content(scene: Scene) -> Content:
    """Whether the event repeats what is already there under its key, for the ops that have a key."""
    comparison = _COMPARISONS.get(scene.event.op)
    return False if comparison is None else comparison(scene)


_COMPARISONS = {
    "store.put": same_put,
    "store.apply": same_put,
    "ledger.commit": same_commit,
    "ledger.reserve": same_reserve,
    "lease.grant": same_grant,
    "lease.wait": same_grant,
}


def accepted_elsewhere(scene: Scene) -> bool:
    """Whether another artifact than the event's counts for the shard already (acceptance `put`)."""
    accepted = scene.facts.accepted
    if accepted is None or scene.run.plan.acceptance == "receipt":
        return False
    alike = same(accepted.digest, scene.event.digest)
    return accepted.epoch != scene.epoch if alike is None else not alike


def earlier_lease_runs(scene: Scene) -> bool:
    """Whether another attempt's lease on the shard certainly runs."""
    holder = scene.attempts.get(scene.facts.granted)
    if holder is None or scene.facts.granted == scene.epoch:
        return False
    return holder.granted and not holder.ended and scene.event.t < holder.low


def is_sealed(run: Run, facts: Facts) -> bool:
    """Whether a report may count the shard: sealed; where nobody seals, committed; where nobody commits, accepted."""
    if facts.sealed or facts.state in FINAL_STATES[:1]:
        return True
    if "seal" in run.observed:
        return False
    if "ledger.commit" in run.observed:
        return facts.receipt_epoch is not None
    return facts.accepted is not None or facts.state in FINAL_STATES


def is_final(facts: Facts) -> bool:
    """Whether the shard was sealed or completed by a line that says so."""
    return facts.sealed or facts.state in FINAL_STATES


def possible_sealed(run: Run, shard: Name) -> tuple[bool, bool]:
    """Whether the shard may be sealed, and whether it may not be, over its alternatives."""
    found = {is_sealed(run, branch.facts) for branch in run.shards.get(shard, ())}
    return True in found, False in found or not found


def unsealed(run: Run) -> list[Name]:
    """The planned shards that are sealed in no alternative, in the order of the plan."""
    return [shard for shard in run.plan.shards or () if not possible_sealed(run, shard)[0]]


def granted_input(scene: Scene) -> Name | None:
    """The input digest that the shard had when this epoch was granted; the present one where that is not observed."""
    known = scene.attempt.granted or scene.attempt.input is not None
    return scene.attempt.input if known else scene.facts.input


def granted_config(scene: Scene) -> Name | None:
    """The config digest that the shard had when this epoch was granted; the present one where that is not observed."""
    known = scene.attempt.granted or scene.attempt.config is not None
    return scene.attempt.config if known else scene.facts.config


def repeats_hold(scene: Scene) -> bool:
    """Whether a reserve asks again for the hold that is still open under its key."""
    return same_reserve(scene) is True and scene.attempt.open_hold > 0


def is_newest(facts: Facts, epoch: int) -> bool:
    """Whether no newer epoch of the shard was granted, or where nobody grants, issued."""
    return epoch >= (facts.granted if facts.granted != NEVER else facts.issued)


def stale(scene: Scene) -> bool:
    """Whether the event's epoch is certainly not the current one."""
    now = current(scene)
    return now is not None and scene.epoch != now
