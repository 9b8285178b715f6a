"""When an acceptance is allowed: for each op its guards, in the order in which they are looked at.

A guard is the rule that it is, the promises that it serves (the first is the one that a verdict names), the code of the
table of examples where one fits, and the named function that tells what is false.
"""

from collections.abc import Callable
from typing import Final, NamedTuple

from fencebench.checker.oracle.judge import guards_lease as lease
from fencebench.checker.oracle.judge import guards_spend as spend
from fencebench.checker.oracle.judge import guards_work as work
from fencebench.checker.oracle.judge.context import Context


class Guard(NamedTuple):
    """A condition of an acceptance: `failing` says what is false, with values, or None."""

    rule: str
    promises: tuple[str, ...]
    failing: Callable[[Context], str | None]
    code: str | None = None

    @property
    def promise(self) -> str:
        """The promise that a verdict names."""
        return self.promises[0]


_NO_STALE = ("no_stale_commit", "winner_by_epoch")
_WRITES = ("lease_gates_writes",)
_RESUME = ("lease_gates_resume",)
_FINAL = ("sealed_is_final",)
_INPUT = ("one_input_version", "input_as_granted")
_ENDS = ("holds_end_once",)
_CEILING = ("spend_under_ceiling",)
_WHOLE = ("whole_artifact",)

STALE: Final = Guard("stale_epoch", _NO_STALE, lease.not_replaced, "STALE_EPOCH_ACCEPTED")
_STALE_SECOND: Final = Guard(
    "stale_epoch",
    ("one_accepted_artifact", *_NO_STALE),
    lease.not_replaced_and_second,
    "STALE_EPOCH_ACCEPTED",
)
_SEALED: Final = Guard("sealed", _FINAL, lease.not_sealed)
_EXPIRED: Final = Guard("lease_expired", _WRITES, lease.lease_running, "EXPIRED_WRITE")
_MADE: Final = (
    Guard("revision_mismatch", ("attributable",), work.attributable, "REVISION_MIX"),
    Guard("one_input", _INPUT, work.one_input, "FIXTURE_MIX"),
    Guard("input_mismatch", _INPUT[::-1], work.input_as_granted, "FIXTURE_MIX"),
    Guard("config_mismatch", ("one_input_version",), work.config_as_granted),
)
_SECOND: Final = Guard("second_artifact", ("one_accepted_artifact",), work.nothing_else_accepted, "SECOND_ARTIFACT")
_ROWS_WHOLE: Final = Guard("incomplete", _WHOLE, work.rows_whole)
_PUT: Final = (
    _STALE_SECOND,
    STALE,
    _SEALED,
    _EXPIRED,
    Guard("incomplete", _WHOLE, work.whole),
    *_MADE,
    _SECOND,
    Guard("conflict", ("one_accepted_artifact",), work.nothing_else_under_key, "SECOND_ARTIFACT"),
)
_GRANT: Final = (
    Guard("planned", ("denominator_is_shards",), lease.planned),
    _SEALED,
    Guard("stale_epoch", _NO_STALE, lease.higher_epoch),
    Guard("lease_running", _WRITES, lease.no_other_lease),
    Guard("lease_ends_later", _WRITES, lease.ends_later),
)

GUARDS: Final[dict[str, tuple[Guard, ...]]] = {
    "lease.grant": _GRANT,
    "lease.wait": _GRANT,
    "lease.renew": (
        Guard("stale_epoch", _WRITES, lease.not_replaced),
        Guard("lease_expired", _WRITES, lease.lease_running),
        Guard("lease_ends_later", _WRITES, lease.ends_later),
        Guard("lease_ends_no_earlier", _WRITES, lease.ends_no_earlier),
    ),
    "lease.expire": (Guard("lease_over", _WRITES, lease.lease_over),),
    "ledger.reserve": (Guard("over_ceiling", _CEILING, spend.reserve_fits),),
    "dispatch": (
        STALE._replace(code=None),
        _SEALED,
        Guard("lease_expired", _RESUME, lease.lease_running_at_dispatch),
    ),
    "store.put": _PUT,
    "store.apply": _PUT,
    "ledger.commit": (
        Guard("already_committed", ("billed_once", "one_accepted_artifact"), work.one_row),
        STALE,
        _SEALED,
        *_MADE,
        Guard("no_artifact", ("receipt_has_artifact",), work.artifact_stored),
        _ROWS_WHOLE,
        Guard("lease_expired", _WRITES, lease.lease_running_or_accepted, "EXPIRED_WRITE"),
        Guard("over_ceiling", _CEILING, spend.commit_fits),
        Guard("hold_ends_once", _ENDS, spend.commit_within_hold),
        Guard("tokens_drawn", ("books_cover_meter",), spend.tokens_drawn),
        Guard("commit_is_booked", ("meter_under_ceiling", "books_cover_meter"), spend.counted, "SPEND_VANISHED"),
    ),
    "seal": (
        STALE._replace(code=None),
        Guard("no_receipt", ("receipt_has_artifact",), work.has_receipt),
        _ROWS_WHOLE,
    ),
    "ckpt.resume": (
        Guard("stale_epoch", _RESUME, lease.not_replaced),
        Guard("lease_expired", _RESUME, lease.lease_running),
        Guard("input_mismatch", _INPUT, work.input_as_now, "FIXTURE_MIX"),
        Guard("config_mismatch", ("one_input_version",), work.config_as_now),
        Guard("revision_mismatch", ("attributable",), work.checkpoint_attributable, "REVISION_MIX"),
        Guard("done_as_recorded", ("one_input_version", *_WHOLE), work.done_as_recorded),
        Guard("pending_is_the_rest", ("one_input_version", *_WHOLE), work.pending_is_the_rest),
    ),
    "row.accept": (
        STALE,
        _SEALED,
        _EXPIRED,
        Guard("case_planned", _WHOLE, work.case_planned),
        *_MADE,
        Guard("revision_mismatch", ("attributable",), work.served_as_claimed, "REVISION_MIX"),
        Guard("conflict", _WHOLE, work.one_row_a_case),
    ),
    "ledger.release": (
        Guard("hold_ends_once", _ENDS, spend.part_of_the_hold),
        Guard("refund_of_burned", _ENDS, spend.not_burned, "REFUND_OF_BURNED"),
    ),
    "ledger.waste": (
        Guard("already_booked", _ENDS, spend.not_booked),
        Guard("wasted_as_drawn", _ENDS, spend.wasted_as_drawn),
        Guard("hold_ends_once", _ENDS, spend.wasted_as_held),
        Guard("over_ceiling", _CEILING, spend.waste_fits),
    ),
    "ledger.rebuild": (
        Guard("rebuild_adds", _CEILING, spend.nothing_added),
        Guard("rebuild_loses", ("spend_under_ceiling", "meter_under_ceiling"), spend.nothing_lost, "SPEND_VANISHED"),
    ),
    "report.print": (
        Guard("missing_shards", ("no_aggregate_when_missing",), spend.all_sealed, "MISSING_SHARD"),
        Guard("each_shard_once", ("denominator_is_shards",), spend.each_shard_once),
        Guard("unresolved_conflict", ("conflict_never_averaged",), spend.no_conflict),
        Guard("mixed_revisions", ("one_revision",), spend.receipts_of_one_revision),
        Guard("incomplete", _WHOLE, spend.rows_whole_at_print),
        Guard("same_value", ("denominator_is_shards",), spend.same_value),
    ),
    "store.delete": (
        Guard("accepted_artifact", (*_FINAL, "receipt_has_artifact"), work.not_accepted, "ACCEPTED_ARTIFACT_DELETED"),
        Guard(
            "unknown_outcome",
            ("receipt_has_artifact",),
            work.not_possibly_accepted,
            "ACCEPTED_ARTIFACT_DELETED",
        ),
    ),
    "state.set": (
        Guard("sealed", _FINAL, lease.not_out_of_final),
        Guard("stale_epoch", _NO_STALE, lease.set_by_current_epoch),
    ),
}
"""Ops that are not named here have no guard: what they accept is always allowed."""

UNSEEN_PROMISES: Final[dict[str, str]] = {
    "superseded_chain": "no field of the log names the successor of an attempt",
    "consumed_is_accepted": "no op of the log tells what a reducer took; what it prints is judged at report.print",
    "ends_well": "a log may end anywhere; what is still open at its end is told in the closing list",
    "can_finish": "it is about runs that are still possible, and a log is one run",
}
"""Promises that no line of a log can show to be broken, each with the reason."""

REFUSALS_PROMISE: Final = "rejections_classified"
"""The promise that the conditions of refusals serve."""
