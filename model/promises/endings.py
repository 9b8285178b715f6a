"""Promises about how a run ends: well, and that it still can."""

from collections.abc import Iterable
from typing import Any

from fencebench.model.fence import Refusal
from fencebench.model.machines.driver import tokens_asked
from fencebench.model.machines.shared import Shared
from fencebench.model.promises.progress import can_finish, may_finish
from fencebench.model.promises.promise import (
    PROGRESS,
    Promise,
    Scope,
    first,
    first_line,
)
from fencebench.model.settings import Setup
from fencebench.model.shard import Shard, shard_of


def ends_well(shared: Shared, units: tuple[Any, ...], *, setup: Setup) -> str | None:
    """In a final state no hold is live, and every shard is sealed and the report printed, or it refused for a reason.

    The reason of each missing shard must be true now: no epoch left, or the ceiling does not cover another attempt.
    Source: seeds/000 step 2 ("a crashed attempt consumes budget forever"); seeds/002, refuse when a shard is missing.
    """
    return first(
        reason for i, unit in enumerate(units) for reason in unfinished(i, shard_of(unit), shared, setup)
    ) or reported(shared, setup)


def unfinished(i: int, shard: Shard, shared: Shared, setup: Setup) -> Iterable[str]:
    """Yield what is wrong with a shard that nothing will happen to any more."""
    driver, ledger = shard.driver, shard.ledger
    for epoch, grant in enumerate(shard.grants):
        if grant.hold.live:
            yield f"shard {i} ends with {grant.hold.tokens} tokens of epoch {epoch} still held for nobody"
    short = shared.promised + tokens_asked(shard.checkpoint, shard.fixture, setup) > shared.ceiling
    reasons = {"over ceiling": short, "given up": ledger.highest + 1 >= setup.bound.epochs}
    if ledger.sealed < 0 and not reasons.get(driver.phase, False):
        yield f"shard {i} is missing without a reason that is true now (driver: {driver.phase})"


def reported(shared: Shared, setup: Setup) -> str | None:
    """Say what is wrong with the report of a run that is over."""
    missing = shared.limits.shards - shared.sealed
    if shared.report == "printed" and missing:
        return f"the report was printed although {missing} planned shard(s) are missing"
    true_now = {
        "printed": not missing,
        Refusal.MISSING_SHARDS: missing > 0,
        Refusal.UNRESOLVED_CONFLICT: shared.disputed,
        Refusal.MIXED_REVISIONS: len(shared.revisions) > 1,
        Refusal.NO_RECEIPT: shared.unaccepted > 0,
    }
    if not true_now.get(shared.report, False):
        short = f"{missing} of {shared.limits.shards} shard(s) missing"
        return f"{short}, and the report says: {shared.report or 'nothing'}"
    return None


PROMISES = (
    Promise(
        ends_well,
        scope=Scope.FINAL,
        title="The run ends, and something is left open",
        group=PROGRESS,
        failure="All is over, and tokens are still held, a shard is missing without a reason, or the report is silent.",
        question="Who gives back what a dead attempt has reserved?",
    ),
    Promise(
        name="can_finish",
        sentence=first_line(may_finish),
        progress=can_finish,
        scope=Scope.GRAPH,
        title="Nothing can bring the run to its end any more",
        group=PROGRESS,
        failure="There is budget and there are epochs left, and still the run can never be completed.",
        question="After this fault, is there any way at all to a sealed run?",
    ),
)
