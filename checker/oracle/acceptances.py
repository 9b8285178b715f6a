"""When an acceptance is allowed: for each op its guards, in the order in which they are looked at.

A guard is the rule that it is, the property that it protects, the code of the table of examples where one fits, and the
named function that tells what is false.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from fencebench.checker.oracle.guards_checkpoint import (
    config_as_now,
    done_as_recorded,
    input_as_now,
    pending_is_the_rest,
)
from fencebench.checker.oracle.guards_lease import (
    at_current_epoch,
    ends_later,
    higher_epoch,
    lease_over,
    lease_running,
    lease_running_or_accepted,
    no_earlier_lease,
    not_older,
    not_out_of_final,
    not_sealed,
    planned,
    set_by_current_epoch,
)
from fencebench.checker.oracle.guards_report import (
    all_sealed,
    each_shard_once,
    has_receipt,
    not_committed,
    pinned_revision,
    served_by_pinned,
)
from fencebench.checker.oracle.guards_spend import (
    counted,
    fits,
    fits_with_burned,
    hold_reserved,
    not_burned,
    nothing_added,
    nothing_lost,
    part_of_the_hold,
    tokens_drawn,
)
from fencebench.checker.oracle.guards_store import (
    artifact_stored,
    config_as_granted,
    input_as_granted,
    not_accepted,
    not_possibly_stored,
    nothing_else_accepted,
    nothing_else_under_key,
    whole,
)
from fencebench.checker.oracle.state import Scene


class Guard(NamedTuple):
    """A condition of an acceptance: `failing` says what is false, with values, or None."""

    rule: str
    property: str
    code: str | None
    failing: Callable[[Scene], str | None]


_STALE = Guard("stale_epoch", "one_accepted_artifact", "STALE_EPOCH_ACCEPTED", at_current_epoch)
_EXPIRED = Guard("lease_expired", "lease_gates_writes", "EXPIRED_WRITE", lease_running)
_PUT: Final = (
    _STALE,
    _EXPIRED,
    Guard("incomplete", "whole_artifact", None, whole),
    Guard("input_mismatch", "one_input_version", "FIXTURE_MIX", input_as_granted),
    Guard("config_mismatch", "one_input_version", "FIXTURE_MIX", config_as_granted),
    Guard("second_artifact", "one_accepted_artifact", "SECOND_ARTIFACT", nothing_else_accepted),
    Guard("conflict", "one_accepted_artifact", "SECOND_ARTIFACT", nothing_else_under_key),
)
_GRANT: Final = (
    Guard("planned", "denominator_is_shards", None, planned),
    Guard("sealed", "sealed_is_final", None, not_sealed),
    Guard("stale_epoch", "attributable", None, higher_epoch),
    Guard("lease_running", "lease_gates_writes", None, no_earlier_lease),
    Guard("lease_ends_later", "lease_gates_writes", None, ends_later),
)

ACCEPTANCES: Final[dict[str, tuple[Guard, ...]]] = {
    "lease.grant": _GRANT,
    "lease.wait": _GRANT,
    "lease.renew": (
        Guard("stale_epoch", "lease_gates_writes", None, at_current_epoch),
        Guard("lease_expired", "lease_gates_writes", None, lease_running),
    ),
    "lease.expire": (Guard("lease_over", "lease_gates_writes", None, lease_over),),
    "ledger.reserve": (
        Guard("over_ceiling", "spend_under_ceiling", None, fits),
        Guard("burned_over_ceiling", "meter_under_ceiling", None, fits_with_burned),
    ),
    "dispatch": (
        Guard("stale_epoch", "winner_by_epoch", None, not_older),
        Guard("sealed", "sealed_is_final", None, not_sealed),
    ),
    "store.put": _PUT,
    "store.apply": _PUT,
    "ledger.commit": (
        Guard("stale_epoch", "no_stale_commit", "STALE_EPOCH_ACCEPTED", at_current_epoch),
        Guard("already_committed", "billed_once", None, not_committed),
        Guard("revision_mismatch", "one_revision", "REVISION_MIX", pinned_revision),
        Guard("no_artifact", "receipt_has_artifact", None, artifact_stored),
        Guard("lease_expired", "lease_gates_writes", "EXPIRED_WRITE", lease_running_or_accepted),
        Guard("unreserved_spend", "spend_under_ceiling", None, hold_reserved),
        Guard("tokens_drawn", "meter_under_ceiling", None, tokens_drawn),
        Guard("commit_is_booked", "meter_under_ceiling", "SPEND_VANISHED", counted),
    ),
    "seal": (Guard("no_receipt", "receipt_has_artifact", None, has_receipt),),
    "ckpt.resume": (
        Guard("input_mismatch", "one_input_version", "FIXTURE_MIX", input_as_now),
        Guard("config_mismatch", "one_input_version", "FIXTURE_MIX", config_as_now),
        Guard("done_as_recorded", "whole_artifact", None, done_as_recorded),
        Guard("pending_is_the_rest", "whole_artifact", None, pending_is_the_rest),
    ),
    "row.accept": (Guard("revision_mismatch", "attributable", "REVISION_MIX", served_by_pinned),),
    "ledger.release": (
        Guard("hold_ends_once", "holds_end_once", None, part_of_the_hold),
        Guard("refund_of_burned", "holds_end_once", "REFUND_OF_BURNED", not_burned),
    ),
    "ledger.rebuild": (
        Guard("rebuild_adds", "billed_once", None, nothing_added),
        Guard("rebuild_loses", "meter_under_ceiling", "SPEND_VANISHED", nothing_lost),
    ),
    "report.print": (
        Guard("missing_shards", "no_aggregate_when_missing", "MISSING_SHARD", all_sealed),
        Guard("each_shard_once", "denominator_is_shards", None, each_shard_once),
    ),
    "store.delete": (
        Guard("accepted_artifact", "sealed_is_final", "ACCEPTED_ARTIFACT_DELETED", not_accepted),
        Guard("unknown_outcome", "receipt_has_artifact", "ACCEPTED_ARTIFACT_DELETED", not_possibly_stored),
    ),
    "state.set": (
        Guard("sealed", "sealed_is_final", None, not_out_of_final),
        Guard("stale_epoch", "no_stale_commit", None, set_by_current_epoch),
    ),
}
"""Ops that are not named here have no guard: what they accept is always allowed."""
