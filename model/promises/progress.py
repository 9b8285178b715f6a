"""`can_finish`: when a run must still be able to come to its end, and what its end is."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from fencebench.model.machine import Progress, Unit
from fencebench.model.machines.ledger import Grant, Hold
from fencebench.model.machines.shared import Shared
from fencebench.model.settings import Setup


class Outlook(NamedTuple):
    """What a shard can still need: whether it is sealed, has an epoch left, and what its live holds can still draw."""

    sealed: bool
    epoch_left: bool
    to_draw_tokens: int


def all_sealed(shared: Shared) -> bool:
    """Say whether every shard is sealed."""
    return shared.sealed == shared.limits.shards


def outlook(unit: Unit, *, setup: Setup) -> Outlook:
    """Look at a shard."""
    ledger: Any = unit[1]
    to_draw = sum(max(0, hold.tokens - drawn) for hold, drawn in holds(unit) if hold.live)
    return Outlook(ledger.sealed >= 0, ledger.highest + 1 < setup.bound.epochs, to_draw)


def holds(unit: Any) -> Iterator[tuple[Hold, int]]:
    """Yield each hold of a shard and what was drawn on it: an attempt's meter stands before its grant."""
    for i, part in enumerate(unit):
        if isinstance(part, Grant):
            yield part.hold, unit[i - 1]


def may_finish(shared: Shared, outlooks: tuple[Outlook, ...], *, setup: Setup) -> bool:
    """While each unsealed shard has an epoch left and the ceiling covers an attempt for each, all can be sealed.

    This is the premise. What is burned counts against it, and what live holds can still draw.
    Source: design section 5, `can_finish`; seeds/000 step 2, a crashed attempt must not consume budget forever.
    """
    unsealed = [shard for shard in outlooks if not shard.sealed]
    free = shared.ceiling - shared.burned - sum(shard.to_draw_tokens for shard in outlooks)
    return all(shard.epoch_left for shard in unsealed) and free >= len(unsealed) * setup.settings.plan_tokens


def can_finish(setup: Setup) -> Progress:
    """Return the promise, bound."""
    return Progress("can_finish", all_sealed, partial(outlook, setup=setup), partial(may_finish, setup=setup))
