"""Rules at `call`: what the gateway looks at before it lets a model call through."""

from fencebench.model.fence import Refusal, rule
from fencebench.model.machines.endpoint import CallView
from fencebench.model.machines.ledger import Request


@rule(Refusal.NO_HOLD)
def no_hold(request: Request, view: CallView) -> bool:
    """The attempt has no live hold."""
    return not view.hold.live


@rule(Refusal.INPUT_MISMATCH)
def other_input(request: Request, view: CallView) -> bool:
    """The loaded slice is not the one that the grant names."""
    return view.loaded != view.grant.named


@rule(Refusal.OVER_CEILING)
def over_ceiling(request: Request, view: CallView) -> bool:
    """The call would lift what the run has burned above the ceiling of now."""
    return not view.covered


@rule(Refusal.HOLD_EXHAUSTED)
def hold_exhausted(request: Request, view: CallView) -> bool:
    """The call would draw more than the hold."""
    return view.drawn + request.tokens > view.hold.tokens
