"""The promises. Each function says which conjunct failed and for which value, or None while the promise holds.

Each looks at one shard (its parameters name the parts), at one step of it (`event`, `after_…`), at the run's totals
(`shared`), or at a final state (`units`). A promise claims no more than its sentence.
"""

from collections.abc import Iterable
from typing import Any

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event
from fencebench.model.machines.driver import tokens_asked
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Grant, Ledger
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Store
from fencebench.model.machines.worker import Attempt
from fencebench.model.settings import Setup, digest, revision_name


def accepted(ledger: Ledger, store: Store, setup: Setup) -> list[tuple[int, Content]]:
    """Return what counts as an accepted artifact under the fence's acceptance, each once."""
    if setup.fence.acceptance != "receipt":
        wins = {store.winner[0]} if setup.fence.acceptance == "latest" else {a.epoch for a in store.artifacts}
        return [(a.epoch, a.content) for a in store.artifacts if a.epoch in wins]
    return sorted({(r.epoch, r.content) for r in ledger.receipts})


def books(event: Event) -> bool:
    """Say whether the step books a row."""
    return event.outcome == "COMMITTED"


def ages(clock: Clock, setup: Setup) -> str:
    """Say how old a lease is on both clocks."""
    driver, worker = clock.age_seconds, clock.reading_seconds
    return f"{driver} s into a lease of {setup.settings.lease_seconds} s (worker's clock: {worker} s)"


def first(reasons: Iterable[str]) -> str | None:
    """Return the first reason, if there is one."""
    return next(iter(reasons), None)


def spend_under_ceiling(shared: Shared, after_shared: Shared, *, setup: Setup) -> str | None:
    """No step raises committed + held + written off above the ceiling of that moment.

    Source: seeds/000, "a budget overshoot is prevented rather than detected".
    """
    now = after_shared.promised
    if shared.promised < now > after_shared.ceiling:
        kinds = (
            f"committed {after_shared.committed} + held {after_shared.held} + written off {after_shared.written_off}"
        )
        return f"{kinds} = {now} tokens, above the ceiling of {after_shared.ceiling}"
    return None


def holds_end_once(grant: Grant | None, *, setup: Setup) -> str | None:
    """The booked, written off and released parts of an ended hold add up to the hold, once.

    Source: seeds/000 step 2, reservations that are reclaimable and receipts that are append-only.
    """
    hold = grant.hold if grant else None
    if hold is None or hold.live or not hold.tokens:
        return None
    parts = (hold.booked, hold.written_off, hold.released)
    if min(parts) < 0 or sum(parts) != hold.tokens:
        told = f"booked {parts[0]}, written off {parts[1]} and released {parts[2]}"
        return f"the hold of {hold.tokens} tokens of epoch {setup.epoch} ended as {told}"
    return None


def billed_once(ledger: Ledger, *, setup: Setup) -> str | None:
    """A shard has at most one receipt.

    Source: seeds/000, "committed spend counted twice"; seeds/002, two rows for one shard.
    """
    if len(ledger.receipts) > 1:
        rows = " and ".join(f"epoch {r.epoch} ({r.tokens} tokens)" for r in ledger.receipts)
        return f"{len(ledger.receipts)} receipts for one shard: {rows}"
    return None


def meter_under_ceiling(ledger: Ledger, meters: tuple[int, ...], *, setup: Setup) -> str | None:
    """A shard never burns more than one plan for each epoch granted, and no call lifts the run above its ceiling.

    Source: seeds/000, tokens of dead attempts burn unseen; "it fails quietly by truncating, which is worse".
    """
    most, granted = setup.settings.plan_tokens * (ledger.highest + 1), ledger.highest + 1
    if sum(meters) > most:
        return (
            f"the shard burned {sum(meters)} tokens under {granted} granted epoch(s) of {most // max(granted, 1)} each"
        )
    return None


def meter_of_run(shared: Shared, after_shared: Shared, *, setup: Setup) -> str | None:
    """No call raises the run's burned total above the ceiling of that moment.

    Source: as `meter_under_ceiling`, of which this is the run's part.
    """
    if shared.burned < after_shared.burned > after_shared.ceiling:
        return f"the run burned {after_shared.burned} tokens, above the ceiling of {after_shared.ceiling}"
    return None


def one_accepted_artifact(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Each shard has at most one accepted artifact.

    Source: seeds/000 assumption 5; seeds/002, the denominator is the shard count.
    """
    found = accepted(ledger, store, setup)
    if len(found) > 1:
        what = "rows in the ledger" if setup.fence.acceptance == "receipt" else "artifacts in the store"
        return f"{len(found)} {what} for one shard: epochs {' and '.join(str(epoch) for epoch, _ in found)}"
    return None


def no_stale_commit(ledger: Ledger, *, setup: Setup) -> str | None:
    """No receipt is below the highest epoch granted.

    Source: seeds/000, "lower epochs must never commit".
    """
    stale = (r.epoch for r in ledger.receipts if r.epoch < ledger.highest)
    return first(f"epoch {epoch} is committed, and epoch {ledger.highest} is granted" for epoch in stale)


def receipt_has_artifact(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Every receipt names an artifact that is in the store.

    Source: seeds/000 step 2, commit only after the artifact digest exists.
    """
    lost = (r.epoch for r in ledger.receipts if (r.epoch, r.content) not in store.artifacts)
    return first(f"the receipt of epoch {epoch} names an artifact that is not stored" for epoch in lost)


def whole_artifact(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Every accepted artifact has every planned case.

    Source: seeds/000 assumption 6, an allowance that changes "fails quietly by truncating, which is worse".
    """
    planned = setup.settings.cases
    short = ((epoch, content.cases) for epoch, content in accepted(ledger, store, setup) if content.cases < planned)
    return first(f"the accepted artifact of epoch {epoch} has {cases} of {planned} cases" for epoch, cases in short)


def winner_by_epoch(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Where attempts of several epochs have put, no accepted artifact is below the highest of them.

    Source: seeds/002, "order by control-plane epoch, not wall time".
    """
    highest = max((a.epoch for a in store.artifacts), default=-1)
    below = (epoch for epoch, _ in accepted(ledger, store, setup) if epoch < highest)
    return first(f"epoch {epoch} is accepted, and epoch {highest} has put as well" for epoch in below)


def superseded_chain(ledger: Ledger, grant: Grant | None, *, setup: Setup) -> str | None:
    """Every attempt with a successor and no receipt links to that successor.

    Source: seeds/002, what it would change next (an explicit chain instead of a silent replacement).
    """
    booked_here = any(row.epoch == setup.epoch for row in ledger.receipts)
    if grant is None or setup.epoch >= ledger.highest or booked_here or grant.superseded_by == setup.epoch + 1:
        return None
    return f"epoch {setup.epoch} was replaced by epoch {setup.epoch + 1}, and nothing says so"


def lease_gates_writes(event: Event, clock: Clock, *, setup: Setup) -> str | None:
    """No put, and no first acceptance by a receipt, after the lease ended on the control plane's clock.

    Source: seeds/000 step 4, a worker should refuse to write when its lease has expired.
    """
    accepts = event.outcome == "created" or (books(event) and setup.fence.acceptance == "receipt")
    if accepts and over(clock, setup):
        what = "put" if event.outcome == "created" else "commit"
        return f"{what} of epoch {setup.epoch} accepted after its lease ended: {ages(clock, setup)}"
    return None


def lease_gates_resume(event: Event, clock: Clock, after_attempt: Attempt, *, setup: Setup) -> str | None:
    """No start from a checkpoint or from the first case after the lease ended on the control plane's clock.

    Source: seeds/000 step 4, gate resumption on lease validity. The host's `resume` is a fault and not judged.
    """
    if after_attempt.phase == "grading" and over(clock, setup):
        return f"epoch {setup.epoch} does a {event.action} after its lease ended: {ages(clock, setup)}"
    return None


def one_input_version(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Every accepted artifact was graded on one version of its input slice.

    Source: seeds/000 step 3 and the injection "fixture change mid-run".
    """
    mixed = ((epoch, content.inputs) for epoch, content in accepted(ledger, store, setup) if len(content.inputs) > 1)
    return first(f"the artifact of epoch {epoch} mixes {' and '.join(map(digest, v))}" for epoch, v in mixed)


def sealed_is_final(
    event: Event, ledger: Ledger, after_ledger: Ledger, store: Store, after_store: Store, *, setup: Setup
) -> str | None:
    """After the seal no row of the shard is booked, accepted or removed.

    Source: seeds/002 assumption 2 and "late row lands after the seal".
    """
    if ledger.sealed < 0:
        return None
    if ledger.receipts != after_ledger.receipts:
        return f"epoch {event.epoch} is committed after the seal of epoch {ledger.sealed}"
    if accepted(ledger, store, setup) != accepted(after_ledger, after_store, setup):
        return f"the artifact of epoch {event.epoch} is accepted after the seal of epoch {ledger.sealed}"
    return None


def attributable(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """No key has two revisions among stored artifacts, receipts and conflicts on record.

    Source: seeds/002, every row belongs to exactly one (job, shard, epoch, revision).
    """
    seen: dict[int, set[int]] = {}
    for epoch, content in (*store.artifacts, *((r.epoch, r.content) for r in (*ledger.receipts, *ledger.conflicts))):
        seen.setdefault(epoch, set()).update(content.revisions)
    mixed = ((epoch, sorted(revisions)) for epoch, revisions in sorted(seen.items()) if len(revisions) > 1)
    return first(f"epoch {epoch} has {' and '.join(map(revision_name, r))} under one key" for epoch, r in mixed)


def one_revision(shared: Shared, *, setup: Setup) -> str | None:
    """All receipts of a run carry one model revision.

    Source: seeds/002, scenario B: two models mixed inside one aggregate.
    """
    if len(shared.revisions) > 1:
        return f"receipts of this run carry {' and '.join(map(revision_name, shared.revisions))}"
    return None


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


def consumed_is_accepted(units: tuple[Any, ...], *, setup: Setup) -> str | None:
    """In a final state, so after any compensation, every consumed row is an accepted one.

    Source: seeds/000, an explicit compensation path for what a downstream reducer already took.
    """
    lost = (
        (i, epoch)
        for i, unit in enumerate(units)
        for epoch, content in unit[6]
        if not taken(unit, epoch, content, setup)
    )
    return first(f"the report holds epoch {epoch} of shard {i}, which was never accepted" for i, epoch in lost)


def taken(unit: Any, epoch: int, content: Content, setup: Setup) -> bool:
    """Say whether a consumed row is accepted."""
    return (epoch, content) in accepted(unit[1], unit[2], setup)


def ends_well(shared: Shared, units: tuple[Any, ...], *, setup: Setup) -> str | None:
    """In a final state no hold is live, and every shard is sealed and the report printed, or it refused for a reason.

    The reason of each missing shard must be true now: no epoch left, or the ceiling does not cover another attempt.
    Source: seeds/000 step 2 ("a crashed attempt consumes budget forever"); seeds/002, refuse when a shard is missing.
    """
    return first(reason for i, unit in enumerate(units) for reason in unfinished(i, unit, shared, setup)) or reported(
        shared, setup
    )


def unfinished(i: int, unit: Any, shared: Shared, setup: Setup) -> Iterable[str]:
    """Yield what is wrong with a shard that nothing will happen to any more."""
    driver, ledger, fixture, checkpoint = unit[0], unit[1], unit[3], unit[4]
    grants = [part for part in unit if isinstance(part, Grant)]
    for epoch, grant in enumerate(grants):
        if grant.hold.live:
            yield f"shard {i} ends with {grant.hold.tokens} tokens of epoch {epoch} still held for nobody"
    short = shared.promised + tokens_asked(checkpoint, fixture, setup) > shared.ceiling
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
    }
    if not true_now.get(shared.report, False):
        short = f"{missing} of {shared.limits.shards} shard(s) missing"
        return f"{short}, and the report says: {shared.report or 'nothing'}"
    return None
