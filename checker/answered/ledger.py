"""Tables of a ledger of shards, grants with their holds, receipts and artifacts, for SQLite and PostgreSQL alike."""

from fencebench.checker.answered.statements import Ledger, Rows

SCHEMA = """
CREATE TABLE runs (
  run TEXT PRIMARY KEY, ceiling_tokens BIGINT NOT NULL, revision TEXT, burned_tokens BIGINT NOT NULL);
CREATE TABLE shards (
  run TEXT, shard TEXT, input_digest TEXT, highest_epoch BIGINT, sealed_epoch BIGINT, register_epoch BIGINT,
  PRIMARY KEY (run, shard));
CREATE TABLE grants (
  run TEXT, shard TEXT, epoch BIGINT, input_digest TEXT, hold_tokens BIGINT, live BOOLEAN, drawn_tokens BIGINT,
  written_off_tokens BIGINT, superseded_by BIGINT, lease_until BIGINT, PRIMARY KEY (run, shard, epoch));
CREATE TABLE receipts (
  run TEXT, shard TEXT, epoch BIGINT, tokens BIGINT, digest TEXT, revision TEXT, input_digest TEXT,
  PRIMARY KEY (run, shard, epoch));
CREATE TABLE artifacts (
  run TEXT, shard TEXT, epoch BIGINT, digest TEXT, revision TEXT, input_digest TEXT, cases BIGINT,
  PRIMARY KEY (run, shard, epoch, digest));
"""

LEDGER = Ledger(
    SCHEMA,
    (
        Rows(
            "runs",
            "INSERT INTO runs VALUES (:run, :ceiling_tokens, :revision, :burned_tokens)",
            "SELECT run, ceiling_tokens, revision FROM runs",
        ),
        Rows(
            "shards",
            "INSERT INTO shards VALUES (:run, :shard, :input_digest, :highest_epoch, :sealed_epoch, :register_epoch)",
            "SELECT run, shard, sealed_epoch FROM shards",
        ),
        Rows(
            "grants",
            "INSERT INTO grants VALUES (:run, :shard, :epoch, :input_digest, :hold_tokens, :live, :drawn_tokens,"
            " :written_off_tokens, :superseded_by, :lease_until_seconds)",
            "SELECT run, shard, epoch, input_digest, hold_tokens, live, drawn_tokens, written_off_tokens FROM grants",
        ),
        Rows(
            "receipts",
            "INSERT INTO receipts VALUES (:run, :shard, :epoch, :tokens, :digest, :revision, :input_digest)",
            "SELECT run, shard, epoch, tokens, digest, revision, input_digest FROM receipts",
        ),
        Rows(
            "artifacts",
            "INSERT INTO artifacts VALUES (:run, :shard, :epoch, :digest, :revision, :input_digest, :cases)",
            "SELECT run, shard, epoch, digest, revision, input_digest, cases FROM artifacts",
        ),
    ),
)
"""The tables, and how rows get into them and out again; replace what yours calls otherwise."""
