"""The fence we recommend: every boundary looks, and a second rule stands behind most first ones.

Source: design section 4, "The reference fence"; both documents' own next steps are in it (the seal in one transaction
with the commit, a pinned revision, a report that refuses).
"""

from fencebench.model.fence import Fence
from fencebench.model.rules import call, commit, consume, publish, put, reserve, resume, write

REFERENCE = Fence(
    name="reference",
    summary="the fence we recommend",
    reserve=(
        reserve.already_reserved,
        reserve.conflict,
        reserve.stale_epoch,
        reserve.sealed,
        reserve.over_ceiling,
    ),
    resume=(resume.lease_margin, resume.other_revision, resume.other_input),
    call=(call.no_hold, call.other_input, call.hold_exhausted, call.over_ceiling),
    write=(write.lease_margin,),
    put=(
        put.already_stored,
        put.other_revision,
        put.other_input,
        put.conflict,
        put.stale_epoch,
        put.lease_over,
        put.incomplete,
    ),
    commit=(
        commit.already_committed,
        commit.other_revision,
        commit.other_input,
        commit.conflict,
        commit.stale_epoch,
        commit.sealed,
        commit.lease_over,
        commit.not_drawn,
        commit.no_artifact,
    ),
    consume=(consume.unsealed, consume.other_revision, consume.mixed_inputs),
    publish=(
        publish.missing_shards,
        publish.unconsumed,
        publish.unresolved_conflict,
        publish.mixed_revisions,
    ),
    epochs="driver",
    holds="shard",
    claims="drawn",
    register="raised",
    chain="with the grant",
    acceptance="receipt",
    settlement="write off drawn",
    sealing="with commit",
    model="pinned",
    checkpoint="with digest",
    calls="slices",
    cut_off="end",
    consumption="receipts",
    report="mean over shards",
    on_stale="reject",
    recovery="ledger",
    cleanup="nothing",
)
