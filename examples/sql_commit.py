"""A commit as one transaction on SQLite, and what people write instead: fencebench check examples/sql_commit.py:SOUND.

The transaction first looks for a reason to refuse, in the order of the reference, then books the row, ends the hold and
seals the shard.
"""

from fencebench import REFERENCE, Fence
from fencebench.checker.answered import LEDGER, Statement, answered_by, sql

KEY = "run = :run AND shard = :shard"
ROW = f"{KEY} AND epoch = :epoch"

ALREADY = Statement(f"SELECT 1 FROM receipts WHERE {ROW} AND digest = :digest", some="ALREADY_COMMITTED")
REVISION = Statement(
    "SELECT 1 FROM runs WHERE run = :run AND revision IS NOT NULL AND revision <> :revision", some="REVISION_MISMATCH"
)
INPUT = Statement(f"SELECT 1 FROM grants WHERE {ROW} AND input_digest <> :input_digest", some="INPUT_MISMATCH")
CONFLICT = Statement(f"SELECT 1 FROM receipts WHERE {ROW}", some="CONFLICT")
STALE = Statement(f"SELECT 1 FROM grants WHERE {KEY} AND epoch > :epoch", some="STALE_EPOCH")
SEALED = Statement(f"SELECT 1 FROM shards WHERE {KEY} AND sealed_epoch IS NOT NULL", some="SEALED")
LEASE = Statement(f"SELECT 1 FROM grants WHERE {ROW} AND lease_until <= :now_seconds", some="LEASE_EXPIRED")
DRAWN = Statement(f"SELECT 1 FROM grants WHERE {ROW} AND live AND drawn_tokens = :tokens", none="UNRESERVED_SPEND")
STORED = Statement(f"SELECT 1 FROM artifacts WHERE {ROW} AND digest = :digest", none="NO_ARTIFACT")
BOOK = "INSERT INTO receipts VALUES (:run, :shard, :epoch, :tokens, :digest, :revision, :input_digest)"
CLOSE = f"UPDATE grants SET live = FALSE WHERE {ROW}"
SEAL = f"UPDATE shards SET sealed_epoch = :epoch WHERE {KEY}"

LOOK = (ALREADY, REVISION, INPUT, CONFLICT, STALE, SEALED, LEASE, DRAWN, STORED)
TRANSACTION = (*LOOK, BOOK, CLOSE, SEAL)


def committed_by(name: str, *statements: Statement | str) -> Fence:
    """Return the reference with its commit answered by these statements."""
    return REFERENCE.having(commit=answered_by(sql(LEDGER, *statements, name=name)))


SOUND = committed_by("book_row", *TRANSACTION)


def instead(of: Statement | str, *other: Statement | str) -> tuple[Statement | str, ...]:
    """Return the transaction with another statement in the place of one."""
    i = TRANSACTION.index(of)
    return (*TRANSACTION[:i], *other, *TRANSACTION[i + 1 :])


GATE_ON_COMMITTED = committed_by(
    "gate_on_committed",
    *LOOK[: LOOK.index(STALE)],
    Statement(f"SELECT 1 FROM receipts WHERE {KEY} AND epoch > :epoch", some="STALE_EPOCH"),
    *(DRAWN, STORED, BOOK, CLOSE, SEAL),
)
"""A stale epoch is one below the highest committed, not below the highest granted, and nobody looks at the lease."""

UPSERT = committed_by(
    "upsert",
    *(REVISION, INPUT, STALE, LEASE, STORED),
    f"{BOOK} ON CONFLICT (run, shard, epoch) DO UPDATE SET tokens = excluded.tokens, digest = excluded.digest",
    *(CLOSE, SEAL),
)
"""The same key again overwrites the row, where the same row is a repeat and another one a conflict."""

STRICT_LEASE = committed_by(
    "strict_lease",
    *instead(
        LEASE, Statement(f"SELECT 1 FROM grants WHERE {ROW} AND lease_until < :now_seconds", some="LEASE_EXPIRED")
    ),
)
"""A lease that ends now is taken to run: `<` for `<=`."""

NULL_GATE = committed_by(
    "null_gate",
    *instead(SEALED, Statement(f"SELECT 1 FROM shards WHERE {KEY} AND :epoch > sealed_epoch", none="SEALED")),
)
"""`epoch > sealed_epoch` is neither true nor false while nothing is sealed, so nobody can ever commit."""

RUN_FORGOTTEN = committed_by(
    "run_forgotten",
    *instead(STALE, Statement("SELECT 1 FROM receipts WHERE shard = :shard AND epoch > :epoch", some="STALE_EPOCH")),
)
"""The key has no run: what an earlier run of the same shard committed makes this one stale."""

SEAL_EVERYWHERE = committed_by(
    "seal_everywhere", *instead(SEAL, "UPDATE shards SET sealed_epoch = :epoch WHERE shard = :shard")
)
"""The key of the seal has no run: it seals the shard of other runs as well."""

SPENT = Statement(f"SELECT 1 FROM grants WHERE {ROW} AND drawn_tokens = :tokens", none="UNRESERVED_SPEND")
INSERT = Statement(BOOK, errors={"UNIQUE": "CONFLICT"})
SEAL_LATER = REFERENCE.having(
    sealing="a step later",
    commit=answered_by(sql(LEDGER, ALREADY, REVISION, INPUT, SEALED, SPENT, STORED, INSERT, CLOSE, name="seal_later")),
)
"""The seal comes in a second transaction, and it alone keeps a second row away."""

FLAWED = {
    "gate_on_committed": GATE_ON_COMMITTED,
    "upsert": UPSERT,
    "strict_lease": STRICT_LEASE,
    "null_gate": NULL_GATE,
    "run_forgotten": RUN_FORGOTTEN,
    "seal_everywhere": SEAL_EVERYWHERE,
    "seal_later": SEAL_LATER,
}
