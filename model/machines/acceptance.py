"""Which results count under a fence's acceptance, and which consumed rows do not.

Source: `seeds/000` (a store that takes every put), `seeds/002` (a ledger that classifies rows).
"""

from typing import TYPE_CHECKING

from fencebench.model.machines.ledger import Identity, Ledger
from fencebench.model.settings import Setup

if TYPE_CHECKING:
    from fencebench.model.machines.store import Store


def accepted(ledger: Ledger, store: "Store", setup: Setup) -> list[Identity]:
    """Return what counts as an accepted artifact under the fence's acceptance, each once."""
    if setup.fence.acceptance != "receipt":
        wins = {store.winner[0]} if setup.fence.acceptance == "latest" else {a.epoch for a in store.artifacts}
        return [(a.epoch, a.content) for a in store.artifacts if a.epoch in wins]
    return sorted({row.identity for row in ledger.receipts})


def unaccepted(reduced: tuple[Identity, ...], ledger: Ledger, store: "Store", setup: Setup) -> int:
    """Return how many consumed rows are not accepted."""
    counts = accepted(ledger, store, setup) if reduced else []
    return sum(row not in counts for row in reduced)
