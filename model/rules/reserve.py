"""Rules at `reserve`: what the ledger looks at before it grants an epoch."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.driver import ReserveView
from fencebench.model.machines.ledger import Request


def same(request: Request, view: ReserveView) -> bool:
    """The grant under this key has the content asked for."""
    return view.grant is not None and (view.grant.named, view.grant.hold.tokens) == (request.named, request.tokens)


@rule(Refusal.ALREADY_RESERVED)
def already_reserved(request: Request, view: ReserveView) -> bool:
    """This very grant is on record: go on with it."""
    return same(request, view)


@rule(Refusal.CONFLICT, behind=("epochs=driver",))
def conflict(request: Request, view: ReserveView) -> bool:
    """Another grant is on record under this key."""
    return view.grant is not None and not same(request, view)


@rule(Refusal.STALE_EPOCH, behind=("reserve.already_reserved",))
def stale_epoch(request: Request, view: ReserveView) -> bool:
    """The epoch is not above the highest granted."""
    return request.epoch <= view.ledger.highest


@rule(Refusal.SEALED, behind=("commit.lease_over", "commit.not_drawn"))
def sealed(request: Request, view: ReserveView) -> bool:
    """The shard has its receipt."""
    return bool(view.ledger.receipts)


@rule(Refusal.OVER_CEILING)
def over_ceiling(request: Request, view: ReserveView) -> bool:
    """Committed, written off, held and this hold together are above the ceiling."""
    return not view.fits
