"""The tables of a ledger and a store in SQL, and what a transaction asks of them.

`flaw` names one deliberate mistake, or "" for none: `check-then-act` (no transaction around the checks and the write),
`gate-on-committed` (a stale epoch is one below the highest committed, and nobody looks at leases), `swept` (a hold
whose lease is over is released whole by the next reservation), `upsert` (ON CONFLICT DO UPDATE instead of a refusal).
"""

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

FLAWS = ("check-then-act", "gate-on-committed", "swept", "upsert")
TABLES = """
CREATE TABLE IF NOT EXISTS runs (run TEXT PRIMARY KEY, ceiling BIGINT, revision TEXT, disputed INTEGER);
CREATE TABLE IF NOT EXISTS shards (run TEXT, shard TEXT, input TEXT, granted BIGINT, PRIMARY KEY (run, shard));
CREATE TABLE IF NOT EXISTS attempts (run TEXT, shard TEXT, epoch BIGINT, input TEXT, hold BIGINT, drawn BIGINT,
  wasted BIGINT, live INTEGER, expires DOUBLE PRECISION, PRIMARY KEY (run, shard, epoch));
CREATE TABLE IF NOT EXISTS artifacts (run TEXT, shard TEXT, epoch BIGINT, digest TEXT, PRIMARY KEY (run, shard, epoch));
CREATE TABLE IF NOT EXISTS checkpoints (run TEXT, shard TEXT, input TEXT, revision TEXT, PRIMARY KEY (run, shard));
CREATE TABLE IF NOT EXISTS receipts (run TEXT, shard TEXT, epoch BIGINT, tokens BIGINT, digest TEXT, revision TEXT,
  input_digest TEXT, PRIMARY KEY (run, shard));
"""
Answer = dict[str, Any]


class Database(Protocol):
    """What a database has to offer: `whole` is one transaction under the lock of a run, `loose` is none at all."""

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]: ...
    def whole(self, run: str) -> AbstractContextManager[object]: ...
    def loose(self, run: str) -> AbstractContextManager[object]: ...


class Attempt(NamedTuple):
    """A row of attempts; the default is one that was never granted."""

    input: str | None = None
    hold: int = 0
    drawn: int = 0
    live: int = 0
    expires: float | None = None


@dataclass(frozen=True)
class Asked:
    """A request within its transaction; `now` is the second at which leases are judged."""

    db: Database
    request: Answer
    now: float
    flaw: str = ""

    @property
    def run(self) -> str:
        return str(self.request["run"])

    @property
    def shard(self) -> tuple[str, str]:
        return self.run, str(self.request.get("shard"))

    @property
    def key(self) -> tuple[str, str, int]:
        return (*self.shard, int(self.request.get("epoch", 0)))

    @property
    def digest(self) -> str:
        return str(self.request.get("digest"))

    @property
    def granted(self) -> int:
        return int(self.db.execute("SELECT granted FROM shards WHERE run=? AND shard=?", *self.shard)[0][0])

    @property
    def slice(self) -> str:
        return str(self.db.execute("SELECT input FROM shards WHERE run=? AND shard=?", *self.shard)[0][0])

    @property
    def attempt(self) -> Attempt:
        of_key = "SELECT input, hold, drawn, live, expires FROM attempts WHERE run=? AND shard=? AND epoch=?"
        rows = self.db.execute(of_key, *self.key)
        return Attempt(*rows[0]) if rows else Attempt()

    @property
    def receipt(self) -> tuple[Any, ...] | None:
        rows = self.db.execute("SELECT epoch, tokens, digest FROM receipts WHERE run=? AND shard=?", *self.shard)
        return rows[0] if rows else None

    @property
    def stored(self) -> str | None:
        of_key = "SELECT digest FROM artifacts WHERE run=? AND shard=? AND epoch=?"
        rows = self.db.execute(of_key, *self.key)
        return str(rows[0][0]) if rows else None

    @property
    def over(self) -> bool:
        """The lease has ended; one that was not granted yet has not."""
        expires = self.attempt.expires
        return expires is not None and self.now >= expires

    @property
    def settled(self) -> bool:
        """The attempt's hold was closed."""
        return self.attempt.input is not None and not self.attempt.live

    @property
    def unleased(self) -> bool:
        """The flawed gate looks at no lease."""
        return self.flaw == "gate-on-committed"

    @property
    def stale(self) -> bool:
        if self.flaw != "gate-on-committed":
            return self.key[2] < self.granted
        return self.receipt is not None and self.key[2] < self.receipt[0]

    def of_run(self, column: str) -> Any:
        return self.db.execute(f"SELECT {column} FROM runs WHERE run=?", self.run)[0][0]

    def total(self) -> int:
        """Tokens booked, written off or held."""
        booked = "SELECT COALESCE(SUM(tokens), 0) FROM receipts WHERE run=?"
        others = "SELECT COALESCE(SUM(wasted + CASE live WHEN 1 THEN hold ELSE 0 END), 0) FROM attempts WHERE run=?"
        return sum(int(self.db.execute(sql, self.run)[0][0]) for sql in (booked, others))

    def made_wrong(self) -> str:
        """The class of what was not made by the pinned revision on the granted input, or nothing."""
        revision, digest = self.request.get("revision"), self.request.get("input_digest")
        if revision not in (None, self.of_run("revision")):
            return "REVISION_MISMATCH"
        return "INPUT_MISMATCH" if self.attempt.input and digest not in (None, self.attempt.input) else ""

    def set_attempt(self, assignments: str, *values: object) -> None:
        self.db.execute(f"UPDATE attempts SET {assignments} WHERE run=? AND shard=? AND epoch=?", *values, *self.key)
