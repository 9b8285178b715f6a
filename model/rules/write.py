"""Rules at `write`: what a worker looks at before it puts and before it sends, its own clock alone."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.ledger import Request
from fencebench.model.machines.worker import WriteView


@rule(Refusal.LEASE_MARGIN)
def lease_margin(request: Request, view: WriteView) -> bool:
    """The worker's own clock is within the margin of the lease's end, or past it."""
    settings = view.setup.settings
    return view.reading_seconds >= settings.lease_seconds - settings.margin_seconds


@rule(Refusal.LEASE_MARGIN)
def lease_over(request: Request, view: WriteView) -> bool:
    """The lease is over on the worker's own clock."""
    return view.reading_seconds >= view.setup.settings.lease_seconds
