"""The catalogue of fences. A fence of your own starts from one of these: `from fencebench import REFERENCE`."""

from fencebench.model.fences.expected import EXPECTED, KEYED_WITHOUT_RUN, Expected
from fencebench.model.fences.reference import REFERENCE
from fencebench.model.fences.sketches import (
    LAST_WRITE_WINS,
    PROVENANCE_A,
    PROVENANCE_B,
    PROVENANCE_C,
    PROVENANCE_D,
    SHARD_KEYED,
    SPEND_SKETCH,
    WORKER_EPOCHS,
)
from fencebench.model.fences.variants import COMPENSATING, TOKEN_LEVEL, WEAKENED, WORKER_CLOCK

FENCES = {
    fence.name: fence
    for fence in (
        SHARD_KEYED,
        SPEND_SKETCH,
        PROVENANCE_A,
        PROVENANCE_B,
        PROVENANCE_C,
        PROVENANCE_D,
        LAST_WRITE_WINS,
        WORKER_EPOCHS,
        *WEAKENED,
        TOKEN_LEVEL,
        COMPENSATING,
        REFERENCE,
    )
}

__all__ = [
    "COMPENSATING",
    "EXPECTED",
    "FENCES",
    "KEYED_WITHOUT_RUN",
    "LAST_WRITE_WINS",
    "PROVENANCE_A",
    "PROVENANCE_B",
    "PROVENANCE_C",
    "PROVENANCE_D",
    "REFERENCE",
    "SHARD_KEYED",
    "SPEND_SKETCH",
    "TOKEN_LEVEL",
    "WORKER_CLOCK",
    "WORKER_EPOCHS",
    "Expected",
]
