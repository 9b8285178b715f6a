"""Guards of artifacts, rows and checkpoints: what is stored and counts, what it was made of, what is deleted.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.judge.context import (
    PUTS,
    Context,
    accepted_elsewhere,
    artifact_of,
    cases_missing,
    granted_config,
    granted_input,
    inputs_in,
    parts_of,
    puts_seen,
    revisions_in,
    same,
    same_case,
    same_put,
    same_row,
)
from fencebench.checker.oracle.judge.state import Checkpoint, Names
from fencebench.checker.oracle.log.events import Name


def named(names: Names) -> str:
    """The names in order, as one text."""
    return " and ".join(sorted(map(str, names)))


def accepts(s: Context) -> bool:
    """Whether a yes makes something count; with acceptance `receipt` a put only stores a candidate."""
    return not (s.plan.by_receipt and s.event.op in PUTS)


def whole(s: Context) -> str | None:
    """Every part of the artifact is there, and as many as are planned where parts are cases."""
    parts = s.event.parts
    return f"{parts[0]} of {parts[1]} parts are there" if parts and parts[0] != parts[1] else None


def one_input(s: Context) -> str | None:
    """What counts was made on one input version."""
    found = inputs_in(s)
    return f"it was made on {named(found)}" if accepts(s) and len(found) > 1 else None


def input_as_granted(s: Context) -> str | None:
    """What counts was made on the input version that the shard had when its epoch was granted."""
    granted, found = granted_input(s), inputs_in(s)
    if granted is None or not accepts(s) or found <= {granted}:
        return None
    return f"made on input {named(found - {granted})}, epoch {s.epoch} was granted on {granted}"


def config_as_granted(s: Context) -> str | None:
    """What counts was made with the configuration that the shard had when its epoch was granted."""
    granted = granted_config(s)
    if not accepts(s) or same(s.event.config_digest, granted) is not False:
        return None
    return f"made with config {s.event.config_digest}, epoch {s.epoch} was granted on {granted}"


def attributable(s: Context) -> str | None:
    """What counts was served by the pinned revision; where none is pinned, by one."""
    pinned, found = s.plan.revision, revisions_in(s)
    if not accepts(s):
        return None
    if s.event.unproven and pinned is not None:
        return f"the row says that the served revision is not known, pinned is {pinned}"
    if pinned is not None and not found <= {pinned}:
        return f"{named(found - {pinned})} is in the work of epoch {s.epoch}, pinned is {pinned}"
    return f"{named(found)} are in the work of epoch {s.epoch}" if len(found) > 1 else None


def nothing_else_accepted(s: Context) -> str | None:
    """No other artifact counts for the shard."""
    if not accepted_elsewhere(s) or s.shard.accepted is None:
        return None
    return f"{_artifact(s.shard.accepted.digest)} of epoch {s.shard.accepted.epoch} counts for shard {s.event.shard}"


def nothing_else_under_key(s: Context) -> str | None:
    """Nothing else is stored under the attempt's key."""
    stored = s.attempt.stored
    if stored is None or same_put(s, stored) is not False:
        return None
    return f"epoch {s.epoch} has stored {_artifact(stored.digest)}, this is {_artifact(s.event.digest)}"


def _artifact(digest: object) -> str:
    return "an artifact" if digest is None else f"artifact {digest}"


def artifact_stored(s: Context) -> str | None:
    """The artifact that a commit names is in the store."""
    if not puts_seen(s) or artifact_of(s) is not None:
        return None
    stored = [attempt.stored for attempt in s.shard.attempts.values() if attempt.stored]
    if any(each.digest is None for each in stored):
        return None
    return f"{_artifact(s.event.digest)} is not in the store"


def not_accepted(s: Context) -> str | None:
    """What is deleted does not count for the shard: it is neither accepted nor named by the receipt."""
    for kept in (s.shard.accepted, s.shard.receipt):
        if kept is None:
            continue
        alike = same(kept.digest, s.event.digest)
        if alike or (alike is None and kept.epoch == s.epoch):
            return f"{_artifact(kept.digest)} of epoch {kept.epoch} counts for shard {s.event.shard}"
    return None


def not_possibly_accepted(s: Context) -> str | None:
    """What is deleted cannot be a put without a reply that may still land, and then counts."""
    pending = s.attempt.pending
    if not pending or (s.event.digest is not None and s.event.digest not in pending and None not in pending):
        return None
    return f"a put of {_artifact(s.event.digest)} by epoch {s.epoch} had no reply and was not refused since"


def one_row(s: Context) -> str | None:
    """The shard has no other row; the same row again is a retry, unless it says that it was booked again."""
    receipt = s.shard.receipt
    if receipt is None or (same_row(s, receipt) is not False and s.event.counted is not True):
        return None
    again = "booked this very row already" if same_row(s, receipt) else "has its row"
    return f"shard {s.event.shard} {again}, of epoch {receipt.epoch}"


def has_receipt(s: Context) -> str | None:
    """A sealed shard has its receipt; where nobody commits, what was put or the rows of its cases."""
    shard = s.shard
    if "ledger.commit" in s.seen:
        return None if shard.receipt is not None else f"shard {s.event.shard} has no receipt"
    if not puts_seen(s) or shard.accepted is not None or shard.rows or s.plan.by_receipt:
        return None
    return f"nothing of shard {s.event.shard} was accepted"


def rows_whole(s: Context) -> str | None:
    """Where rows are logged and cases planned, each planned case has a row when the shard is booked or sealed."""
    missing = cases_missing(s, s.shard)
    return f"{len(missing)} planned cases have no row: {missing[:5]}" if missing else None


def sealed_cases(s: Context) -> bool:
    """Whether a seal or a row comes while planned cases have no row."""
    return s.event.op in ("seal", "ledger.commit") and bool(cases_missing(s, s.shard))


def case_planned(s: Context) -> str | None:
    """The row is of a planned case."""
    if s.plan.cases is None or s.event.case is None or s.event.case in s.plan.cases:
        return None
    return f"case {s.event.case} is not among the {len(s.plan.cases)} planned"


def one_row_a_case(s: Context) -> str | None:
    """A case has one row of this epoch, or the same row again."""
    row = None if s.event.case is None else s.shard.rows.get(s.event.case)
    if row is None or row.epoch != s.epoch or same_case(s) is not False:
        return None
    return f"case {s.event.case} has another row of epoch {s.epoch}: {row.digest}"


def served_as_claimed(s: Context) -> str | None:
    """The row was served by the revision that it claims."""
    if same(s.event.revision_served, s.event.revision) is not False:
        return None
    return f"served by revision {s.event.revision_served}, the row claims {s.event.revision}"


def checkpoint_of(s: Context) -> Checkpoint | None:
    """The checkpoint that a resume goes on from: that of `from_epoch`, else the newest of the shard."""
    if s.event.from_epoch is not None:
        source = s.shard.attempts.get(s.event.from_epoch)
        return source.checkpoint if source else None
    found = [number for number, attempt in s.shard.attempts.items() if attempt.checkpoint]
    return s.shard.attempts[max(found)].checkpoint if found else None


def input_as_now(s: Context) -> str | None:
    """A resume goes on only on the input version that the shard has now."""
    made = checkpoint_of(s)
    return _as_now(s, (s.event.input_digest, made.input if made else None), s.shard.input, "on input")


def config_as_now(s: Context) -> str | None:
    """A resume goes on only with the configuration that the shard has now."""
    made = checkpoint_of(s)
    return _as_now(s, (s.event.config_digest, made.config if made else None), s.shard.config, "with config")


def _as_now(s: Context, made: tuple[Name | None, ...], now: Name | None, words: str) -> str | None:
    for digest in made:
        if s.event.outcome != "restarted" and same(digest, now) is False:
            return f"the checkpoint was made {words} {digest}, shard {s.event.shard} has {now} now"
    return None


def checkpoint_attributable(s: Context) -> str | None:
    """A resume goes on only from work of the pinned revision."""
    made, pinned = checkpoint_of(s), s.plan.revision
    if made is None or pinned is None or s.event.outcome == "restarted":
        return None
    found = made.revisions | parts_of(s.event.revision)
    return None if found <= {pinned} else f"the checkpoint was made by {named(found - {pinned})}, pinned is {pinned}"


def done_as_recorded(s: Context) -> str | None:
    """A resume counts as done what the checkpoint recorded, no more and no less."""
    if s.event.done is None or "ckpt.write" not in s.seen or s.event.outcome == "restarted":
        return None
    made = checkpoint_of(s)
    if made is None:
        return f"{len(s.event.done)} cases count as done, no checkpoint recorded them" if s.event.done else None
    if made.done is None or made.done == frozenset(s.event.done):
        return None
    differing = sorted(made.done ^ frozenset(s.event.done), key=str)
    amounts = f"the checkpoint recorded {len(made.done)} cases, {len(s.event.done)} count as done"
    return f"{amounts}; they differ in {differing[:5]}"


def pending_is_the_rest(s: Context) -> str | None:
    """What is still to do is exactly the rest of the planned cases."""
    if s.event.pending is None or s.plan.cases is None:
        return None
    done, pending = _done(s), frozenset(s.event.pending)
    if done is None:
        return None
    missing = [case for case in s.plan.cases if case not in done and case not in pending]
    again = sorted((case for case in pending if case in done or case not in s.plan.cases), key=str)
    if missing:
        return f"{len(missing)} planned cases are neither done nor pending, the first is {missing[0]}"
    if again or len(pending) != len(s.event.pending):
        return f"pending names cases that are done, not planned or named twice: {again[:5]}"
    return None


def _done(s: Context) -> Names | None:
    if s.event.outcome == "restarted":
        return frozenset()
    if s.event.done is not None:
        return frozenset(s.event.done)
    made = checkpoint_of(s)
    return made.done if made else None
