"""A store's put as a Python function of plain values: fencebench check examples/function_put.py:SOUND."""

from collections.abc import Callable

from fencebench import REFERENCE, Fence
from fencebench.checker.answered import Request, View, answered_by


def put(request: Request, view: View) -> str | None:
    """Keep an artifact, or refuse it with a class."""
    return made_wrong(request, view) or unfit(request, view, view.now_seconds)


def made_wrong(request: Request, view: View) -> str | None:
    """Refuse a repeat, and what was not made as the grant says."""
    keyed = [a for a in view.artifacts if a.epoch == request.epoch]
    if any(a.digest == request.digest for a in keyed):
        return "ALREADY_STORED"
    if request.revision != view.run.revision:
        return "REVISION_MISMATCH"
    if request.input_digest != request.granted_digest:
        return "INPUT_MISMATCH"
    return "CONFLICT" if keyed else None


def unfit(request: Request, view: View, now_seconds: int | None) -> str | None:
    """Refuse the stale, the late and the incomplete."""
    register = view.shard.register_epoch
    if register is not None and (request.epoch or 0) < register:
        return "STALE_EPOCH"
    if view.grant and (now_seconds or 0) >= view.grant.lease_until_seconds:
        return "LEASE_EXPIRED"
    return "INCOMPLETE" if (request.cases or 0) < view.run.cases else None


def client_time(request: Request, view: View) -> str | None:
    """The lease is compared with the client's time."""
    return made_wrong(request, view) or unfit(request, view, request.client_now_seconds)


def strict_lease(request: Request, view: View) -> str | None:
    """A lease that ends now is taken to run: `>` for `>=`."""
    return made_wrong(request, view) or unfit(request, view, view.now_seconds - 1)


def last_wins(request: Request, view: View) -> str | None:
    """Whatever is put is kept, and a repeat is a new object."""
    return unfit(request, view, view.now_seconds)


def any_epoch(request: Request, view: View) -> str | None:
    """An epoch of 0 is taken for none, `or` for `is not None`, and nobody looks at the lease."""
    stale = (request.epoch or view.shard.register_epoch or 0) < (view.shard.register_epoch or 0)
    return made_wrong(request, view) or ("STALE_EPOCH" if stale else None)


def put_by(function: Callable[[Request, View], str | None]) -> Fence:
    """Return the reference with its put answered by a function."""
    return REFERENCE.having(put=answered_by(function))


SOUND = put_by(put)
CLIENT_TIME, STRICT_LEASE, LAST_WINS, ANY_EPOCH = map(put_by, (client_time, strict_lease, last_wins, any_epoch))
FLAWED = {f.respondent("put").name: f for f in (CLIENT_TIME, STRICT_LEASE, LAST_WINS, ANY_EPOCH)}  # type: ignore[union-attr]
