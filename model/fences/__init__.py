"""The catalogue of fences. A fence of your own starts from one of these: `from model.fences import REFERENCE`."""

from model.fences.expected import EXPECTED, KEYED_WITHOUT_RUN, Expected
from model.fences.provenance import PROVENANCE_A, PROVENANCE_B, PROVENANCE_C, PROVENANCE_D
from model.fences.reference import REFERENCE
from model.fences.shard_keyed import SHARD_KEYED
from model.fences.spend_sketch import SPEND_SKETCH
from model.fences.worker_clock import WORKER_CLOCK

FENCES = {
    fence.name: fence
    for fence in (
        SHARD_KEYED,
        SPEND_SKETCH,
        PROVENANCE_A,
        PROVENANCE_B,
        PROVENANCE_C,
        PROVENANCE_D,
        WORKER_CLOCK,
        REFERENCE,
    )
}

__all__ = [
    "EXPECTED",
    "FENCES",
    "KEYED_WITHOUT_RUN",
    "PROVENANCE_A",
    "PROVENANCE_B",
    "PROVENANCE_C",
    "PROVENANCE_D",
    "REFERENCE",
    "SHARD_KEYED",
    "SPEND_SKETCH",
    "WORKER_CLOCK",
    "Expected",
]
