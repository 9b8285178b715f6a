"""Guards of receipts, rows and the report.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.queries import same, unsealed
from fencebench.checker.oracle.state import Scene


def not_committed(s: Scene) -> str | None:
    """The shard has no receipt."""
    epoch = s.facts.receipt_epoch
    return None if epoch is None else f"shard {s.event.shard} has its receipt, of epoch {epoch}"


def has_receipt(s: Scene) -> str | None:
    """Where commits are observed, a sealed shard has its receipt."""
    if "ledger.commit" not in s.run.observed or s.facts.receipt_epoch is not None:
        return None
    return f"shard {s.event.shard} has no receipt"


def pinned_revision(s: Scene) -> str | None:
    """The row names the pinned revision, and some call of the attempt was served by it."""
    pinned = s.run.plan.revision
    if same(s.event.revision, pinned) is False:
        return f"the row names revision {s.event.revision}, pinned is {pinned}"
    if s.attempt.served_other and not s.attempt.served_pinned:
        return f"no call of epoch {s.epoch} was served by the pinned revision {pinned}"
    return None


def served_by_pinned(s: Scene) -> str | None:
    """A row was served by the pinned revision, which it also claims; served by an unknown one is not proven."""
    pinned, served = s.run.plan.revision, s.event.revision_served
    if served is None and pinned is not None:
        return f"the served revision is not known, pinned is {pinned}"
    if pinned is not None and served != pinned:
        return f"served by revision {served}, pinned is {pinned}"
    if same(served, s.event.revision) is False:
        return f"served by revision {served}, the row claims {s.event.revision}"
    return None


def all_sealed(s: Scene) -> str | None:
    """Every planned shard is sealed, and the report names it as sealed."""
    absent = unsealed(s.run)
    if not absent and s.event.sealed is not None:
        absent = [shard for shard in s.run.plan.shards or () if shard not in set(s.event.sealed)]
    if absent:
        return f"{len(absent)} of {len(s.run.plan.shards or ())} planned shards are missing: {absent[:5]}"
    return f"the report itself counts {s.event.missing} as missing" if s.event.missing else None


def each_shard_once(s: Scene) -> str | None:
    """The report counts each planned shard once, and no other."""
    names = s.event.sealed or []
    strange = [name for name in names if s.run.planned is not None and name not in s.run.planned]
    if strange:
        return f"the report counts shards that are not planned: {strange[:5]}"
    if len(names) == len(set(names)):
        return None
    return f"the report counts {len(names)} rows for {len(set(names))} shards"
