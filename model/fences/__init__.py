"""The catalogue of fences. A fence of your own starts from one of these: `from model.fences import REFERENCE`."""

from model.fences.expected import EXPECTED, KEYED_WITHOUT_RUN, Expected
from model.fences.next_steps import COMPENSATING, TOKEN_LEVEL
from model.fences.provenance import PROVENANCE_A, PROVENANCE_B, PROVENANCE_C, PROVENANCE_D
from model.fences.reference import REFERENCE
from model.fences.self_epochs import WORKER_EPOCHS
from model.fences.shard_keyed import SHARD_KEYED
from model.fences.spend_sketch import SPEND_SKETCH
from model.fences.timestamped import LAST_WRITE_WINS
from model.fences.weakened import WEAKENED, WORKER_CLOCK

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
