"""What counts as an accepted artifact, and how a promise says why it fails."""

from collections.abc import Iterable

from fencebench.model.machines.ledger import Content, Ledger
from fencebench.model.machines.store import Store
from fencebench.model.settings import Setup


def accepted(ledger: Ledger, store: Store, setup: Setup) -> list[tuple[int, Content]]:
    """Return what counts as an accepted artifact under the fence's acceptance, each once."""
    if setup.fence.acceptance != "receipt":
        wins = {store.winner[0]} if setup.fence.acceptance == "latest" else {a.epoch for a in store.artifacts}
        return [(a.epoch, a.content) for a in store.artifacts if a.epoch in wins]
    return sorted({(r.epoch, r.content) for r in ledger.receipts})


def first(reasons: Iterable[str]) -> str | None:
    """Return the first reason, if there is one."""
    return next(iter(reasons), None)
