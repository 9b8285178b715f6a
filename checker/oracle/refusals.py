"""When a refusal is allowed: its class is true of the state. For each op the classes that it can be refused with.

A refusal that names its class needs only not to be denied; one that names none needs a class that is seen to be true.
"""

from typing import Final

from fencebench.checker.oracle.truths import (
    already_sealed,
    config_mismatch,
    cut_by_provider,
    hold_exhausted,
    incomplete,
    input_mismatch,
    lease_expired,
    lease_margin,
    missing_shards,
    mixed_revisions,
    no_artifact,
    no_live_hold,
    no_receipt,
    not_a_new_epoch,
    over_ceiling,
    own_lease_expired,
    revision_mismatch,
    sealed,
    stale_epoch,
    unreserved_spend,
    unresolved_conflict,
)
from fencebench.checker.oracle.truths_key import Truth, already, already_stored, conflict
from fencebench.model.fence import Refusal

_LEASE: Final[dict[Refusal, Truth]] = {Refusal.LEASE_EXPIRED: lease_expired, Refusal.LEASE_MARGIN: lease_margin}
_MADE_ON: Final[dict[Refusal, Truth]] = {
    Refusal.REVISION_MISMATCH: revision_mismatch,
    Refusal.INPUT_MISMATCH: input_mismatch,
    Refusal.CONFIG_MISMATCH: config_mismatch,
}
_WORK: Final[dict[Refusal, Truth]] = {**_MADE_ON, Refusal.STALE_EPOCH: stale_epoch, Refusal.SEALED: sealed, **_LEASE}
_NEW: Final[dict[Refusal, Truth]] = {
    Refusal.ALREADY_RESERVED: already,
    **_MADE_ON,
    Refusal.CONFLICT: conflict,
    Refusal.STALE_EPOCH: not_a_new_epoch,
    Refusal.SEALED: sealed,
    Refusal.OVER_CEILING: over_ceiling,
}
_PUT: Final[dict[Refusal, Truth]] = {
    Refusal.ALREADY_STORED: already_stored,
    Refusal.CONFLICT: conflict,
    **_WORK,
    Refusal.NO_HOLD: no_live_hold,
    Refusal.INCOMPLETE: incomplete,
}

REFUSALS: Final[dict[str, dict[Refusal, Truth]]] = {
    "lease.grant": _NEW,
    "lease.wait": _NEW,
    "lease.renew": {
        Refusal.CONFLICT: conflict,
        Refusal.STALE_EPOCH: stale_epoch,
        Refusal.SEALED: sealed,
        **_LEASE,
        Refusal.NO_HOLD: no_live_hold,
    },
    "lease.expire": {
        Refusal.STALE_EPOCH: stale_epoch,
        Refusal.SEALED: sealed,
        Refusal.NO_HOLD: no_live_hold,
    },
    "ledger.reserve": {
        **_NEW,
        Refusal.LEASE_EXPIRED: own_lease_expired,
    },
    "dispatch": _WORK,
    "model.call": {
        **_WORK,
        Refusal.NO_HOLD: no_live_hold,
        Refusal.HOLD_EXHAUSTED: hold_exhausted,
        Refusal.OVER_CEILING: cut_by_provider,
    },
    "ckpt.write": _WORK,
    "ckpt.resume": _WORK,
    "store.tell": _WORK,
    "store.put": _PUT,
    "store.apply": _PUT,
    "store.delete": {
        **_WORK,
        Refusal.NO_ARTIFACT: no_artifact,
    },
    "ledger.commit": {
        Refusal.ALREADY_COMMITTED: already,
        Refusal.CONFLICT: conflict,
        **_WORK,
        Refusal.UNRESERVED_SPEND: unreserved_spend,
        Refusal.NO_HOLD: no_live_hold,
        Refusal.NO_ARTIFACT: no_artifact,
        Refusal.INCOMPLETE: incomplete,
    },
    "row.accept": {
        Refusal.ALREADY_STORED: already,
        Refusal.ALREADY_COMMITTED: already,
        Refusal.CONFLICT: conflict,
        **_WORK,
    },
    "seal": {
        **_WORK,
        Refusal.ALREADY_COMMITTED: already_sealed,
        Refusal.SEALED: already_sealed,
        Refusal.NO_ARTIFACT: no_artifact,
        Refusal.NO_RECEIPT: no_receipt,
    },
    "state.set": {
        Refusal.CONFLICT: conflict,
        **_WORK,
    },
    "report.print": {
        Refusal.MISSING_SHARDS: missing_shards,
        Refusal.UNRESOLVED_CONFLICT: unresolved_conflict,
        Refusal.MIXED_REVISIONS: mixed_revisions,
        Refusal.NO_RECEIPT: no_receipt,
    },
}
"""An op that is not named here has no class: it is refused rightly only when a guard of its acceptance is false."""
