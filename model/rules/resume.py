"""Rules at `resume`: what a worker looks at before it starts, from a checkpoint or anew."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.ledger import Request
from fencebench.model.machines.worker import ResumeView


@rule(Refusal.LEASE_MARGIN)
def lease_margin(request: Request, view: ResumeView) -> bool:
    """The worker's own clock is within the margin of the lease's end, or past it."""
    settings = view.setup.settings
    return view.reading_seconds >= settings.lease_seconds - settings.margin_seconds


@rule(Refusal.LEASE_MARGIN)
def checkpoint_needs_lease(request: Request, view: ResumeView) -> bool:
    """There is a checkpoint, and the lease is over on the worker's own clock."""
    return view.checkpoint is not None and view.reading_seconds >= view.setup.settings.lease_seconds


@rule(Refusal.INPUT_MISMATCH)
def other_input(request: Request, view: ResumeView) -> bool:
    """The checkpoint carries another input digest than the slice just loaded."""
    return view.checkpoint is not None and view.checkpoint.inputs not in ((), (view.loaded,))


@rule(Refusal.REVISION_MISMATCH)
def other_revision(request: Request, view: ResumeView) -> bool:
    """The checkpoint was graded by another revision than the pinned one."""
    return view.checkpoint is not None and view.checkpoint.revisions != (view.pinned,)
