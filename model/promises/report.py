"""Promises about the report: what it consumes, divides by and prints."""

from fencebench.model.machine import Event, Unit
from fencebench.model.machines.acceptance import accepted
from fencebench.model.machines.shared import Shared
from fencebench.model.promises.promise import REPORT, Claim, Promise, Scope, first
from fencebench.model.settings import Setup
from fencebench.model.shard import shard_of


def denominator_is_shards(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """A printed aggregate is divided by the number of shards in it: one row each.

    Source: seeds/002, "the aggregate's denominator is the shard count, not the row count".
    """
    if event.outcome == "printed" and shared.rows != shared.reduced:
        return f"the report averages {shared.rows} rows of {shared.reduced} shard(s)"
    return None


def no_aggregate_when_missing(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """No aggregate is printed while a planned shard is missing.

    Source: seeds/002, refuse to print an aggregate when missing_shards is not zero.
    """
    if event.outcome == "printed" and shared.reduced < shared.limits.shards:
        return f"the report is printed with {shared.reduced} of {shared.limits.shards} planned shard(s)"
    return None


def conflict_never_averaged(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """No aggregate is printed while a conflict is on record.

    Source: seeds/002, scenario D: re-run the batch, never average the conflict.
    """
    if event.outcome == "printed" and shared.disputed:
        return "the report is printed although two rows under one key are in conflict"
    return None


def consumed_is_accepted(units: tuple[Unit, ...], *, setup: Setup) -> str | None:
    """In a final state, and whenever a number is printed, every consumed row is an accepted one.

    Source: seeds/000, an explicit compensation path for what a downstream reducer already took.
    """
    for i, shard in enumerate(map(shard_of, units)):
        counts = accepted(shard.ledger, shard.store, setup)
        lost = first(str(epoch) for epoch, content in shard.reduced if (epoch, content) not in counts)
        if lost is not None:
            return f"the report holds epoch {lost} of shard {i}, which was never accepted"
    return None


def printed_is_accepted(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """When a number is printed, every consumed row is an accepted one.

    Source: as `consumed_is_accepted`, of which this is the printed part.
    """
    if event.outcome == "printed" and shared.unaccepted:
        return f"the report is printed over {shared.unaccepted} row(s) that are not accepted"
    return None


PROMISES = (
    Promise(
        denominator_is_shards,
        about=("publish",),
        scope=Scope.REPORT,
        title="The average is over rows and not over shards",
        group=REPORT,
        failure="The average is taken over what happens to be there and not over what was planned.",
        question="What is the number divided by when a shard is missing or counted twice?",
    ),
    Promise(
        no_aggregate_when_missing,
        about=("publish",),
        scope=Scope.REPORT,
        title="A number is printed although a shard is missing",
        group=REPORT,
        failure="A total is printed although a planned shard has no result.",
        question="What does the report do when it is asked too early?",
    ),
    Promise(
        conflict_never_averaged,
        about=("publish",),
        scope=Scope.REPORT,
        title="A number is printed over an open conflict",
        group=REPORT,
        failure="Two results that contradict each other are both taken into the average.",
        question="Does a recorded conflict stop the report until somebody decides?",
    ),
    Promise(
        consumed_is_accepted,
        more=(Claim(printed_is_accepted, ("publish",)),),
        scope=Scope.FINAL,
        title="The report holds a row that was never accepted",
        group=REPORT,
        failure="The reducer used a result that was never accepted, or was taken back later.",
        question="Can anything be consumed before its shard is sealed, and is it ever retracted?",
    ),
)
