"""No fence at all: results are keyed by the shard's number, and whatever is written counts.

Source: `seeds/000`, "any harness that keys results by shard_id alone will accept both writes".
"""

from model.fence import Fence

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
)
