"""A commit as a handler in Node.js: fencebench check examples/node_commit.py:SOUND."""

from pathlib import Path

from fencebench import REFERENCE, Fence
from fencebench.checker.answered import answered_by, process

HANDLER = str(Path(__file__).with_name("handler.mjs"))


def committed_by(*flaw: str) -> Fence:
    """Return the reference with its commit answered by the handler."""
    return REFERENCE.having(commit=answered_by(process("node", HANDLER, *flaw, name="_".join(("handler", *flaw)))))


SOUND = committed_by()
GATE_ON_COMMITTED = committed_by("gate-on-committed")
UPSERT = committed_by("upsert")
LEASE_TO_THE_SECOND = committed_by("lease-to-the-second")
RUN_FORGOTTEN = committed_by("run-forgotten")
FLAWED = {
    "gate_on_committed": GATE_ON_COMMITTED,
    "upsert": UPSERT,
    "lease_to_the_second": LEASE_TO_THE_SECOND,
    "run_forgotten": RUN_FORGOTTEN,
}
