"""Fences that people build: none, by timestamps, by epochs of the workers, and the two source documents' own."""

from dataclasses import replace

from fencebench.model.fence import Fence
from fencebench.model.rules import commit, publish, put, reserve, resume, write

SHARD_KEYED = Fence(
    name="shard-keyed",
    summary="results keyed by shard id alone; every put counts, nothing is held",
    holds="none",
    register="none",
    chain="none",
    acceptance="put",
    settlement="keep",
    model="pinned",
    checkpoint="index",
    consumption="stored",
    report="total over rows",
    publish=(publish.unfinished, publish.unconsumed),
)


LAST_WRITE_WINS = Fence(
    name="last-write-wins",
    summary="every put is taken, and the latest timestamp of a worker's clock wins",
    commit=(commit.already_committed, commit.conflict),
    holds="none",
    register="none",
    chain="none",
    acceptance="latest",
    settlement="keep",
    sealing="a step later",
    checkpoint="with digest",
    consumption="stored",
    publish=(publish.unfinished, publish.unconsumed),
)


WORKER_EPOCHS = Fence(
    name="worker-epochs",
    summary="workers mint their own epochs, so the newest one always is one's own",
    reserve=(reserve.already_reserved, reserve.sealed),
    resume=(resume.lease_margin, resume.other_revision, resume.other_input),
    write=(write.lease_margin,),
    put=(put.already_stored, put.other_revision, put.stale_epoch),
    commit=(commit.already_committed, commit.other_revision, commit.conflict, commit.stale_epoch),
    publish=(publish.missing_shards, publish.unconsumed, publish.unresolved_conflict),
    epochs="worker",
    holds="none",
    settlement="keep",
)


SPEND_SKETCH = Fence(
    name="spend-sketch",
    summary="seed 000: gate on the highest committed epoch, holds never settled, store unfenced",
    reserve=(reserve.already_reserved, reserve.over_ceiling),
    resume=(resume.checkpoint_needs_lease, resume.other_input),
    write=(write.lease_over,),
    commit=(commit.key_committed, commit.below_committed, commit.not_held),
    holds="shard",
    claims="held",
    register="none",
    chain="none",
    acceptance="put",
    settlement="keep",
    sealing="with commit",
    model="pinned",
    checkpoint="with digest",
    consumption="stored",
    publish=(publish.unfinished, publish.unconsumed),
)


PROVENANCE_A = Fence(
    name="provenance-sketch-a",
    summary="seed 002 A: gate on the sealed epoch, one pinned revision",
    commit=(commit.below_sealed, commit.already_committed, commit.conflict),
    holds="none",
    register="none",
    chain="none",
    acceptance="receipt",
    settlement="keep",
    sealing="a step later",
    model="pinned",
    checkpoint="none",
    calls="whole",
    report="total over rows",
    publish=(publish.unfinished, publish.unconsumed),
)

PROVENANCE_B = replace(
    PROVENANCE_A,
    name="provenance-sketch-b",
    summary="seed 002 B: gate on the sealed epoch, a revision per epoch",
    model="a revision per epoch",
)

PROVENANCE_C = replace(
    PROVENANCE_B.without("below_sealed"),
    name="provenance-sketch-c",
    summary="seed 002 C: no gate, a revision per epoch",
)

PROVENANCE_D = replace(
    PROVENANCE_A,
    name="provenance-sketch-d",
    summary="seed 002 D: gate on the sealed epoch, the alias floats",
    model="floating",
)
