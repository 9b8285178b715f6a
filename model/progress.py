"""`can_finish`: when a run must still be able to come to its end, and what its end is."""

from typing import Any

from model.ledger import Grant
from model.machine import State
from model.setup import Setup


def all_sealed(state: State, *, setup: Setup) -> bool:
    """Say whether every shard is sealed."""
    return bool(state.shared.sealed == setup.bound.shards)


def may_finish(state: State, *, setup: Setup) -> bool:
    """While each unsealed shard has an epoch left and the ceiling covers an attempt for each, all can be sealed.

    This is the premise. What is burned counts against it, and what live holds can still draw.
    Source: design section 5, `can_finish`; seeds/000 step 2, a crashed attempt must not consume budget forever.
    """
    units: Any = state.units
    open_units = [unit for unit in units if unit[1].sealed < 0]
    if any(unit[1].highest + 1 >= setup.bound.epochs for unit in open_units):
        return False
    free = state.shared.ceiling - state.shared.burned - sum(still_to_draw(unit) for unit in units)
    return bool(free >= len(open_units) * setup.settings.plan_tokens)


def still_to_draw(unit: Any) -> int:
    """Return the tokens that the live holds of a shard can still draw."""
    left = 0
    for i, part in enumerate(unit):
        if isinstance(part, Grant) and part.hold.live:
            left += max(0, part.hold.tokens - unit[i - 1])  # an attempt's meter stands before its grant
    return left
