"""Rules at `put`: what the store looks at before it keeps an artifact."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.ledger import Request
from fencebench.model.machines.store import Artifact, PutView


@rule(Refusal.ALREADY_STORED, behind=("call.hold_exhausted", "call.no_hold"))
def already_stored(request: Request, view: PutView) -> bool:
    """This very artifact is stored under this key: go on."""
    return Artifact(request.epoch, request.content) in view.store.artifacts


@rule(Refusal.REVISION_MISMATCH)
def other_revision(request: Request, view: PutView) -> bool:
    """Some case was not served by the pinned revision."""
    return request.content.revisions != (view.pinned,)


@rule(Refusal.INPUT_MISMATCH, behind=("call.other_input",))
def other_input(request: Request, view: PutView) -> bool:
    """Some case was graded on another input than the grant names."""
    return request.content.inputs != (request.named,)


@rule(Refusal.CONFLICT, behind=("call.hold_exhausted", "call.no_hold"))
def conflict(request: Request, view: PutView) -> bool:
    """Another artifact is stored under this key."""
    return any(a.epoch == request.epoch and a.content != request.content for a in view.store.artifacts)


@rule(Refusal.STALE_EPOCH)
def stale_epoch(request: Request, view: PutView) -> bool:
    """The epoch is below the register."""
    return request.claimed < view.store.register


@rule(Refusal.LEASE_EXPIRED)
def lease_over(request: Request, view: PutView) -> bool:
    """The lease is over on the control plane's clock."""
    return view.lease_over


@rule(Refusal.LEASE_EXPIRED)
def no_heartbeat(request: Request, view: PutView) -> bool:
    """The host of the attempt does not look alive."""
    return not view.heartbeat


@rule(Refusal.LEASE_EXPIRED)
def lease_over_by_worker(request: Request, view: PutView) -> bool:
    """The lease is over on the worker's clock, as the worker reads it in this very step."""
    return request.reading_seconds >= view.setup.settings.lease_seconds


@rule(Refusal.INCOMPLETE, behind=("cut_off=end",))
def incomplete(request: Request, view: PutView) -> bool:
    """Planned cases are missing."""
    return request.content.cases < view.setup.settings.cases
