"""The reference with one of its ideas taken out, and with the next steps of the first source document."""

from dataclasses import replace

from fencebench.model.fence import Fence, Rule
from fencebench.model.fences.reference import REFERENCE
from fencebench.model.rules import commit, publish, put

WORKER_CLOCK = replace(
    REFERENCE,
    name="worker-clock",
    summary="the reference, but the store judges the lease by the worker's clock",
    put=tuple(put.lease_over_by_worker if r is put.lease_over else r for r in REFERENCE.put),
)
"""Source: `seeds/000`, the row "clock skew of 90s" of its injection matrix."""

HEARTBEAT: dict[Rule, Rule] = {put.lease_over: put.no_heartbeat, commit.lease_over: commit.no_heartbeat}

LIVENESS_GATED = replace(
    REFERENCE.without("lease_margin"),
    name="liveness-gated",
    summary="the reference, but a heartbeat stands in for the lease: a host that writes is alive",
    put=tuple(HEARTBEAT.get(r, r) for r in REFERENCE.put),
    commit=tuple(HEARTBEAT.get(r, r) for r in REFERENCE.commit),
)
"""Source: `seeds/000` step 4, liveness checks lie under preemption. A paused host that resumes has a heartbeat."""

CASE_INDEX_CHECKPOINT = replace(
    REFERENCE.without("other_input", "mixed_inputs"),
    name="case-index-checkpoint",
    summary="the reference, but a checkpoint is a case number, and no digest is compared anywhere",
    checkpoint="index",
)
"""Source: `seeds/000` step 3, a checkpoint that only records the case index is not resumable."""

CHARGE_ON_COMMIT = replace(
    REFERENCE.without(
        "reserve.over_ceiling", "call.no_hold", "call.hold_exhausted", "call.over_ceiling", "commit.not_drawn"
    ),
    name="charge-on-commit",
    summary="the reference without holds: tokens are counted when they are committed",
    holds="none",
)
"""Source: `seeds/000` step 1 and the trade-off "reserve before dispatch"."""

TRUNCATING = replace(
    REFERENCE.without("incomplete"),
    name="truncating",
    summary="the reference, but an attempt that the provider cuts off commits what it has",
    cut_off="commit what is there",
)
"""Source: `seeds/000` assumption 6, an allowance that changes."""

WEAKENED: tuple[Fence, ...] = (
    WORKER_CLOCK,
    LIVENESS_GATED,
    CASE_INDEX_CHECKPOINT,
    CHARGE_ON_COMMIT,
    TRUNCATING,
)


TOKEN_LEVEL = replace(
    REFERENCE,
    name="token-level",
    summary="the reference with a checkpoint after each slice, and holds for what a checkpoint leaves to do",
    holds="slice",
    checkpoint="each slice",
)
"""A preemption at 39 of 50 re-grades the last eleven cases only, and fits under the plan's own ceiling."""

COMPENSATING = replace(
    REFERENCE.without("unsealed"),
    name="compensating",
    summary="the reference with a reducer that takes what is stored, and retracts what the seal did not accept",
    consumption="stored",
    on_stale="compensate",
    publish=(*REFERENCE.publish, publish.not_accepted),
)
"""The reducer is ahead of the ledger, and comes back to it."""
