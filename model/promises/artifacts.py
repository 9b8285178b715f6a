"""Promises about results: which is accepted, under which lease, on which input, and that it stays."""

from fencebench.model.machine import Event
from fencebench.model.machines.acceptance import accepted
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Grant, Ledger
from fencebench.model.machines.store import Store
from fencebench.model.machines.worker import Attempt
from fencebench.model.promises.promise import ORIGIN, RESULT, Promise, first
from fencebench.model.settings import Setup, digest


def ages(clock: Clock, setup: Setup) -> str:
    """Say how old a lease is on both clocks."""
    driver, worker = clock.age_seconds, clock.reading_seconds
    return f"{driver} s into a lease of {setup.settings.lease_seconds} s (worker's clock: {worker} s)"


def books(event: Event) -> bool:
    """Say whether the step books a row."""
    return event.outcome == "COMMITTED"


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
    lost = (r.epoch for r in ledger.receipts if r.identity not in store.artifacts)
    return first(f"the receipt of epoch {epoch} names an artifact that is not stored" for epoch in lost)


def whole_artifact(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Every accepted artifact has every planned case.

    Source: seeds/000 assumption 6, an allowance that changes "fails quietly by truncating, which is worse".
    """
    planned = setup.settings.cases
    short = ((epoch, content.cases) for epoch, content in accepted(ledger, store, setup) if content.cases < planned)
    return first(f"the accepted artifact of epoch {epoch} has {cases} of {planned} cases" for epoch, cases in short)


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


def input_as_granted(ledger: Ledger, store: Store, grant: Grant | None, *, setup: Setup) -> str | None:
    """Every accepted artifact was graded on the input that the grant of its epoch names.

    Source: seeds/000 step 3 (a checkpoint carries the digest of its input); design section 5.
    """
    named = grant.named if grant else None
    mine = (content.inputs for epoch, content in accepted(ledger, store, setup) if epoch == setup.epoch)
    other = (inputs for inputs in mine if named is not None and inputs != (named,))
    return first(
        f"the artifact of epoch {setup.epoch} was graded on {' and '.join(map(digest, inputs))}, and its grant names "
        f"{digest(named or 0)}"
        for inputs in other
    )


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
    counted, counts = accepted(ledger, store, setup), accepted(after_ledger, after_store, setup)
    if {*counted} & ({*store.artifacts} - {*after_store.artifacts}):
        return f"the artifact of epoch {event.epoch} is removed after the seal of epoch {ledger.sealed}"
    if counted != counts:
        return f"the artifact of epoch {event.epoch} is accepted after the seal of epoch {ledger.sealed}"
    return None


def winner_by_epoch(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """Where attempts of several epochs have put, no accepted artifact is below the highest of them.

    Source: seeds/002, "order by control-plane epoch, not wall time".
    """
    highest = max((a.epoch for a in store.artifacts), default=-1)
    below = (epoch for epoch, _ in accepted(ledger, store, setup) if epoch < highest)
    return first(f"epoch {epoch} is accepted, and epoch {highest} has put as well" for epoch in below)


PROMISES = (
    Promise(
        one_accepted_artifact,
        title="Two results of one shard are accepted",
        group=RESULT,
        failure="An attempt that was given up comes back, and both "
        "its result and its successor's count for the same shard.",
        question="What makes the second of two finished results lose, whichever comes first?",
    ),
    Promise(
        no_stale_commit,
        title="A dead epoch is committed",
        group=RESULT,
        failure="The ledger books a row of an attempt although a "
        "newer one was granted: it compares with the wrong mark.",
        question="Is the gate raised when an epoch is granted, or only when one commits or is sealed?",
    ),
    Promise(
        receipt_has_artifact,
        title="A receipt names an artifact that nobody stored",
        group=ORIGIN,
        failure="A receipt exists and the result that it names does not.",
        question="Does the ledger look into the store before it books?",
    ),
    Promise(
        whole_artifact,
        title="An artifact of fewer cases than planned is accepted",
        group=ORIGIN,
        failure="A result with fewer cases than planned is accepted as if it were whole.",
        question="What happens to an attempt that the provider cuts off?",
    ),
    Promise(
        lease_gates_writes,
        about=("put", "deliver", "forge"),
        title="A write is accepted after its lease has ended",
        group=RESULT,
        failure="Something is written for an attempt whose lease is over, while its successor may already be at work.",
        question="Whose clock judges the lease at the moment of the write?",
    ),
    Promise(
        lease_gates_resume,
        about=("restart", "resume_checkpoint"),
        title="Work is started after its lease has ended",
        group=RESULT,
        failure="An attempt starts or goes on under a lease that has run out, and spends for nothing.",
        question="Is the lease looked at before every start, also where there is no checkpoint?",
    ),
    Promise(
        one_input_version,
        title="One artifact mixes two versions of its input",
        group=ORIGIN,
        failure="The cases of one result were graded on two versions of the input.",
        question="Is the digest of the input compared when a checkpoint is used, and again before it counts?",
    ),
    Promise(
        input_as_granted,
        title="A result is accepted that was graded on another input than was granted",
        group=ORIGIN,
        failure="A result counts although the slice that was graded is not the one that was planned and granted.",
        question="Is the digest of the grant compared with what was loaded, and again with what is committed?",
    ),
    Promise(
        sealed_is_final,
        title="A sealed shard is written again",
        group=RESULT,
        failure="A shard is closed, and a late row still changes what it says.",
        question="Does everything that can write ask first whether the shard is sealed?",
    ),
    Promise(
        winner_by_epoch,
        title="A later clock wins over a later epoch",
        group=RESULT,
        failure="Of two results the one with the later timestamp wins, "
        "so a clock decides and not the order of the grants.",
        question="Does any comparison of two results look at a time?",
    ),
)
