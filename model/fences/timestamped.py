"""The winner is whoever wrote last, by the timestamp of the writer's own clock.

Source: `seeds/002`, failure domain "clock skew": last write wins gives a winner that depends on who read which clock.
"""

from model.fence import Fence
from model.rules import commit

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
)
