"""A commit as a PL/pgSQL function: fencebench check examples/plpgsql_commit.py:SOUND.

FENCEBENCH_POSTGRES is the server's URL. The tables and the function are made in a transaction that is never committed,
so the database stays as it was.
"""

import os

from fencebench import REFERENCE, Fence
from fencebench.checker.answered import LEDGER, Ledger, Statement, answered_by, sql

FUNCTION = """
CREATE FUNCTION commit_row(a_run TEXT, a_shard TEXT, an_epoch BIGINT, some_tokens BIGINT, a_digest TEXT,
                           a_revision TEXT, an_input TEXT, now_seconds BIGINT) RETURNS TEXT LANGUAGE plpgsql AS $$
DECLARE
  booked receipts%ROWTYPE;
  mine grants%ROWTYPE;
  newest BIGINT;
BEGIN
  PERFORM 1 FROM shards WHERE run = a_run AND shard = a_shard FOR UPDATE;
  SELECT * INTO booked FROM receipts WHERE run = a_run AND shard = a_shard AND epoch = an_epoch;
  IF booked.epoch IS NOT NULL AND booked.digest = a_digest THEN
    RETURN 'ALREADY_COMMITTED';
  END IF;
  IF a_revision <> (SELECT revision FROM runs WHERE run = a_run) THEN RETURN 'REVISION_MISMATCH'; END IF;
  SELECT * INTO mine FROM grants WHERE run = a_run AND shard = a_shard AND epoch = an_epoch;
  IF an_input <> mine.input_digest THEN RETURN 'INPUT_MISMATCH'; END IF;
  IF booked.epoch IS NOT NULL THEN RETURN 'CONFLICT'; END IF;
  SELECT max(epoch) INTO newest FROM /*gate*/ grants WHERE run = a_run AND shard = a_shard;
  IF an_epoch < newest THEN RETURN 'STALE_EPOCH'; END IF;
  IF EXISTS (SELECT 1 FROM receipts WHERE run = a_run AND shard = a_shard) THEN RETURN 'SEALED'; END IF;
  IF now_seconds >= mine.lease_until THEN RETURN 'LEASE_EXPIRED'; END IF;
  IF mine.live IS NOT TRUE OR mine.drawn_tokens <> some_tokens THEN RETURN 'UNRESERVED_SPEND'; END IF;
  IF NOT EXISTS (SELECT 1 FROM artifacts
                 WHERE run = a_run AND shard = a_shard AND epoch = an_epoch AND digest = a_digest) THEN
    RETURN 'NO_ARTIFACT';
  END IF;
  INSERT INTO receipts VALUES (a_run, a_shard, an_epoch, some_tokens, a_digest, a_revision, an_input);
  UPDATE grants SET live = FALSE WHERE run = a_run AND shard = a_shard AND epoch = an_epoch;
  UPDATE shards SET sealed_epoch = an_epoch WHERE run = a_run AND shard = a_shard;
  RETURN 'COMMITTED';
END $$;
"""
CALL = Statement(
    "SELECT commit_row(:run, :shard, :epoch, :tokens, :digest, :revision, :input_digest, :now_seconds) AS answer",
    column="answer",
)


def committed_by(name: str, *parts: tuple[str, str]) -> Fence:
    """Return the reference with its commit answered by the function, parts of its text replaced."""
    function = FUNCTION
    for old, new in parts:
        assert old in function, old
        function = function.replace(old, new)
    url = os.environ.get("FENCEBENCH_POSTGRES", "postgresql://localhost/postgres")
    ledger = Ledger(LEDGER.schema + function, LEDGER.rows)
    return REFERENCE.having(commit=answered_by(sql(ledger, CALL, name=name, database=url), {"COMMITTED": "yes"}))


SOUND = committed_by("commit_row")
LEASE = "IF now_seconds >= mine.lease_until THEN RETURN 'LEASE_EXPIRED'; END IF;"
GATE_ON_COMMITTED = committed_by("gate_on_committed", ("/*gate*/ grants", "receipts"), (LEASE, ""))
"""A stale epoch is one below the highest committed, and nobody looks at the lease."""

LEASE_TO_THE_SECOND = committed_by("lease_to_the_second", ("now_seconds >= mine", "now_seconds > mine"))

NULL_GATE = committed_by(
    "null_gate",
    (
        "IF EXISTS (SELECT 1 FROM receipts WHERE run = a_run AND shard = a_shard) THEN RETURN 'SEALED'; END IF;",
        "IF an_epoch > (SELECT sealed_epoch FROM shards WHERE run = a_run AND shard = a_shard) THEN NULL;"
        " ELSE RETURN 'SEALED'; END IF;",
    ),
)
"""Nothing is above NULL, so before the first seal every commit is answered SEALED."""

HOLD_LEFT_OPEN = committed_by(
    "hold_left_open", ("UPDATE grants SET live = FALSE WHERE run = a_run AND shard = a_shard AND epoch = an_epoch;", "")
)
FLAWED = {
    "gate_on_committed": GATE_ON_COMMITTED,
    "lease_to_the_second": LEASE_TO_THE_SECOND,
    "null_gate": NULL_GATE,
    "hold_left_open": HOLD_LEFT_OPEN,
}

NULL_HOLD = committed_by("null_hold", ("mine.live IS NOT TRUE OR mine.drawn_tokens <>", "mine.drawn_tokens <>"))
"""`NULL <> 1850` is not true where there is no grant; the artifact is looked for as well, so no promise feels it."""
