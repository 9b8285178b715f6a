"""Rules at `commit`: what the ledger looks at before it books a row."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.ledger import CommitView, Request


@rule(Refusal.ALREADY_COMMITTED)
def already_committed(request: Request, view: CommitView) -> bool:
    """This very row is booked, whatever was burned since: go on."""
    return any(row.identity == request.identity for row in view.ledger.receipts)


@rule(Refusal.ALREADY_COMMITTED)
def key_committed(request: Request, view: CommitView) -> bool:
    """Some row is booked under this key, whatever its content."""
    return any(row.epoch == request.epoch for row in view.ledger.receipts)


@rule(Refusal.REVISION_MISMATCH, behind=("put.other_revision",))
def other_revision(request: Request, view: CommitView) -> bool:
    """Some case was not served by the pinned revision."""
    return request.content.revisions != (view.setup.pinned(request.epoch),)


@rule(Refusal.INPUT_MISMATCH, behind=("put.other_input", "call.other_input"))
def other_input(request: Request, view: CommitView) -> bool:
    """Some case was graded on another input than the grant names."""
    return view.grant is not None and request.content.inputs != (view.grant.named,)


@rule(Refusal.CONFLICT, behind=("commit.other_revision",))
def conflict(request: Request, view: CommitView) -> bool:
    """Another row is booked under this key."""
    return any(row.epoch == request.epoch and row.identity != request.identity for row in view.ledger.receipts)


@rule(Refusal.STALE_EPOCH)
def stale_epoch(request: Request, view: CommitView) -> bool:
    """The epoch is below the highest granted."""
    return request.claimed < view.ledger.highest


@rule(Refusal.STALE_EPOCH)
def below_committed(request: Request, view: CommitView) -> bool:
    """The epoch is below the highest committed one of this shard, in whichever run."""
    mark = max((row.epoch for row in view.ledger.receipts), default=-1)
    return request.epoch < max(mark, view.ledger.earlier)


@rule(Refusal.STALE_EPOCH)
def below_sealed(request: Request, view: CommitView) -> bool:
    """The epoch is below the sealed one."""
    return request.epoch < view.ledger.sealed


@rule(Refusal.SEALED)
def sealed(request: Request, view: CommitView) -> bool:
    """The shard has its receipt."""
    return bool(view.ledger.receipts)


@rule(Refusal.LEASE_EXPIRED)
def lease_over(request: Request, view: CommitView) -> bool:
    """The lease is over on the control plane's clock."""
    return view.lease_over


@rule(Refusal.LEASE_EXPIRED)
def no_heartbeat(request: Request, view: CommitView) -> bool:
    """The host of the attempt does not look alive."""
    return not view.heartbeat


@rule(Refusal.UNRESERVED_SPEND)
def not_drawn(request: Request, view: CommitView) -> bool:
    """There is no live hold under this key, or the tokens named are not those drawn under it."""
    return not view.hold.live or request.tokens != view.drawn


@rule(Refusal.UNRESERVED_SPEND)
def not_held(request: Request, view: CommitView) -> bool:
    """There is no live hold under this key of just the tokens named."""
    return not view.hold.live or request.tokens != view.hold.tokens


@rule(Refusal.NO_ARTIFACT, behind=("commit.not_drawn",))
def no_artifact(request: Request, view: CommitView) -> bool:
    """The artifact that the row names is not in the store."""
    return request.identity not in view.stored
