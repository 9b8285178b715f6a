"""`can_finish`: when a run must still be able to come to its end, and what its end is."""

from functools import partial
from typing import NamedTuple

from fencebench.model.machine import Progress, Unit
from fencebench.model.machines.shared import Shared
from fencebench.model.settings import Setup
from fencebench.model.shard import shard_of


class Outlook(NamedTuple):
    """What a shard can still need: whether it is sealed, and whether it has an epoch left."""

    sealed: bool
    epoch_left: bool


def all_sealed(shared: Shared) -> bool:
    """Say whether every shard is sealed."""
    return shared.sealed == shared.limits.shards


def outlook(unit: Unit, *, setup: Setup) -> Outlook:
    """Look at a shard."""
    ledger = shard_of(unit).ledger
    return Outlook(ledger.sealed >= 0, ledger.highest + 1 < setup.bound.epochs)


def may_finish(shared: Shared, outlooks: tuple[Outlook, ...], *, setup: Setup) -> bool:
    """While each unsealed shard has an epoch left and the ceiling covers an attempt for each, all can be sealed.

    This is the premise: burned and one plan for each unsealed shard are at most the ceiling. What live holds can still
    draw does not count against it, as a live hold is for that very shard.
    Source: design section 5, `can_finish`; seeds/000 step 2, a crashed attempt must not consume budget forever.
    """
    unsealed = [shard for shard in outlooks if not shard.sealed]
    free = shared.ceiling - shared.burned
    return all(shard.epoch_left for shard in unsealed) and free >= len(unsealed) * setup.settings.plan_tokens


def can_finish(setup: Setup) -> Progress:
    """Return the promise, bound."""
    return Progress("can_finish", all_sealed, partial(outlook, setup=setup), partial(may_finish, setup=setup))
