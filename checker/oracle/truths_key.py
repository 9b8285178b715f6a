"""The classes that say that something is there already under a key, with the same or with other content."""

from collections.abc import Callable
from typing import Final

from fencebench.checker.oracle.queries import (
    accepted_elsewhere,
    asked_holder,
    earlier_lease_runs,
    same,
    same_commit,
    same_content,
    same_grant,
    same_put,
    same_reserve,
)
from fencebench.checker.oracle.state import Scene

Truth = Callable[[Scene], str | None]
"""None when a class is true of the scene, `UNSEEN` when that is not observed, else the clause that denies it."""

UNSEEN: Final = ""


def already(s: Scene) -> str | None:
    """The same key with the same content is there."""
    if s.event.op == "row.accept":
        return None if s.event.case in s.attempt.rows else f"case {s.event.case} has no row of epoch {s.epoch}"
    alike = same_content(s)
    if alike is None:
        return UNSEEN
    return None if alike else f"nothing of that content is there under epoch {s.epoch}"


def already_stored(s: Scene) -> str | None:
    """The same artifact is there, under this key or as the accepted one."""
    accepted = s.facts.accepted
    if accepted is not None and same(accepted.digest, s.event.digest):
        return None
    return already(s)


def conflict(s: Scene) -> str | None:
    """The same key with other content is there; the key is the shard's where one artifact or row a shard is kept."""
    return _CONFLICTS[s.event.op](s)


def _put_conflict(s: Scene) -> str | None:
    alike = same_put(s)
    if alike is not True and (accepted_elsewhere(s) or (s.attempt.stored is not None and alike is False)):
        return None
    if s.attempt.stored is None:
        return f"nothing is stored under epoch {s.epoch}"
    if alike is None:
        return UNSEEN
    return f"what is stored under epoch {s.epoch} is this very content ({s.attempt.stored.digest or s.event.req})"


def _commit_conflict(s: Scene) -> str | None:
    if s.facts.receipt_epoch is None:
        return f"shard {s.event.shard} has no receipt"
    return f"what is committed under epoch {s.epoch} is this very row" if same_commit(s) is True else None


def _reserve_conflict(s: Scene) -> str | None:
    if s.attempt.hold is None:
        return f"no hold is there under epoch {s.epoch}"
    return f"the hold of epoch {s.epoch} is of {s.attempt.hold} tokens as asked" if same_reserve(s) else None


def _grant_conflict(s: Scene) -> str | None:
    if earlier_lease_runs(s) or (s.attempt.granted and same_grant(s) is not True):
        return None
    if s.attempt.granted:
        return f"epoch {s.epoch} was granted to {asked_holder(s)} itself"
    return "no other lease of the shard is running"


def _version_conflict(s: Scene) -> str | None:
    expected, found = s.event.version_expected, s.facts.version
    if s.event.op == "state.set":
        expected = s.event.version
    if found is not None and s.facts.version_by == s.epoch:
        return f"the record is at version {found} because epoch {s.epoch} changed it itself"
    if expected is None or found is None or expected == found:
        return f"nobody is seen to have changed the record (expected {expected}, found {found})"
    return None


def _row_conflict(s: Scene) -> str | None:
    return None if s.event.case in s.attempt.rows else f"case {s.event.case} has no row of epoch {s.epoch}"


_CONFLICTS: Final[dict[str, Truth]] = {
    "store.put": _put_conflict,
    "store.apply": _put_conflict,
    "ledger.commit": _commit_conflict,
    "ledger.reserve": _reserve_conflict,
    "lease.grant": _grant_conflict,
    "lease.wait": _grant_conflict,
    "lease.renew": _version_conflict,
    "state.set": _version_conflict,
    "row.accept": _row_conflict,
}
