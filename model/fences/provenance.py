"""The second source document's four scenarios: a ledger that classifies rows, gated on the epoch that is *sealed*.

One call grades a shard and the row is its own artifact, so nothing stands at `put`. There are no holds, and nobody but
the driver looks at a lease. The seal is a step after the commit. Source: `seeds/002`, `Ledger`, and its matrix A to D.
"""

from dataclasses import replace

from model.fence import Fence
from model.rules import commit

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
