"""Outcome classes: what a refusal may say, and what must have struck before it can be said.

The classes and when each is right are those of the design; `checker` and the oracle count each on its own.
"""

from enum import StrEnum


class Refusal(StrEnum):
    """The class of an answer that is not plain success; the first three are success told again."""

    ALREADY_RESERVED = "ALREADY_RESERVED"
    ALREADY_STORED = "ALREADY_STORED"
    ALREADY_COMMITTED = "ALREADY_COMMITTED"
    CONFLICT = "CONFLICT"
    REVISION_MISMATCH = "REVISION_MISMATCH"
    INPUT_MISMATCH = "INPUT_MISMATCH"
    CONFIG_MISMATCH = "CONFIG_MISMATCH"
    STALE_EPOCH = "STALE_EPOCH"
    SEALED = "SEALED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    LEASE_MARGIN = "LEASE_MARGIN"
    UNRESERVED_SPEND = "UNRESERVED_SPEND"
    NO_HOLD = "NO_HOLD"
    HOLD_EXHAUSTED = "HOLD_EXHAUSTED"
    OVER_CEILING = "OVER_CEILING"
    NO_ARTIFACT = "NO_ARTIFACT"
    INCOMPLETE = "INCOMPLETE"
    MISSING_SHARDS = "MISSING_SHARDS"
    UNRESOLVED_CONFLICT = "UNRESOLVED_CONFLICT"
    MIXED_REVISIONS = "MIXED_REVISIONS"
    NO_RECEIPT = "NO_RECEIPT"


GO_ON = frozenset({Refusal.ALREADY_RESERVED, Refusal.ALREADY_STORED, Refusal.ALREADY_COMMITTED})
