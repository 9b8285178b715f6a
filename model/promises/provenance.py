"""Promises about where a number comes from: attempts, revisions, successors."""

from fencebench.model.machines.ledger import Grant, Ledger
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Store
from fencebench.model.promises.promise import ORIGIN, Promise, Scope, first
from fencebench.model.settings import Setup, revision_name


def attributable(ledger: Ledger, store: Store, *, setup: Setup) -> str | None:
    """No key has two revisions among stored artifacts, receipts and conflicts on record.

    Source: seeds/002, every row belongs to exactly one (job, shard, epoch, revision).
    """
    seen: dict[int, set[int]] = {}
    for epoch, content in (*store.artifacts, *(row.identity for row in (*ledger.receipts, *ledger.conflicts))):
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


def superseded_chain(ledger: Ledger, grant: Grant | None, *, setup: Setup) -> str | None:
    """Every attempt with a successor and no receipt links to that successor.

    Source: seeds/002, what it would change next (an explicit chain instead of a silent replacement).
    """
    booked_here = any(row.epoch == setup.epoch for row in ledger.receipts)
    if grant is None or setup.epoch >= ledger.highest or booked_here or grant.superseded_by == setup.epoch + 1:
        return None
    return f"epoch {setup.epoch} was replaced by epoch {setup.epoch + 1}, and nothing says so"


PROMISES = (
    Promise(
        attributable,
        title="One key has two model revisions",
        group=ORIGIN,
        failure="One key carries results of two model revisions, so nobody can say who produced the number.",
        question="Is the revision that served a call compared with the one that was pinned?",
    ),
    Promise(
        one_revision,
        scope=Scope.RECEIPTS,
        title="One run mixes two model revisions",
        group=ORIGIN,
        failure="Shards of one run were graded by different model revisions and are averaged all the same.",
        question="Is the revision a fact of the run, or of each attempt?",
    ),
    Promise(
        superseded_chain,
        title="A dead attempt is replaced without a trace",
        group=ORIGIN,
        failure="An attempt was replaced and nothing on record says by which.",
        question="Is the link to the successor written together with the successor's grant?",
    ),
)
