"""A ledger and a store in SQL: one transaction a request, every check under the lock of the run.

`flaw` names one deliberate mistake, or "" for none: `check-then-act` (no transaction around the checks and the write),
`gate-on-committed` (a stale epoch is one below the highest committed), `swept` (a hold whose lease is over is released
whole by the next reservation), `upsert` (ON CONFLICT DO UPDATE instead of a refusal).
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

FLAWS = ("check-then-act", "gate-on-committed", "swept", "upsert")
MARGIN_SECONDS = 90
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
    """What a database has to offer; `whole` is one transaction that nobody else's interleaves with."""

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]: ...
    def whole(self, run: str) -> AbstractContextManager[object]: ...
    def loose(self) -> AbstractContextManager[object]: ...


class Attempt(NamedTuple):
    """A row of attempts; the default is one that was never granted."""

    input: str | None = None
    hold: int = 0
    drawn: int = 0
    live: int = 0
    expires: float | None = None


class Ledger:
    """Answers requests of the event log; `now` is the second at which the database judges leases."""

    def __init__(self, database: Database, flaw: str = "") -> None:
        self.sql, self.flaw = database.execute, flaw
        self.whole, self.loose = database.whole, database.loose

    def answer(self, request: Answer, now: float) -> Answer:
        handler: Callable[[Answer, float], str] | None = getattr(self, request["op"].replace(".", "_"), None)
        if handler is None:
            return {"outcome": "ok"}
        loose = self.flaw == "check-then-act" and request["op"] != "run.open"
        with self.loose() if loose else self.whole(str(request["run"])):
            self.key = (str(request["run"]), str(request.get("shard")), request.get("epoch", 0))
            word = handler({**request, "digest": str(request.get("digest"))}, now)
        return {"outcome": "refused", "reason": word} if word.isupper() else {"outcome": word}

    def attempt(self) -> Attempt:
        rows = self.sql("SELECT input, hold, drawn, live, expires FROM attempts WHERE run=? AND shard=? AND epoch=?", *self.key)
        return Attempt(*rows[0]) if rows else Attempt()

    def shard(self) -> tuple[str, int]:
        return self.sql("SELECT input, granted FROM shards WHERE run=? AND shard=?", *self.key[:2])[0]  # type: ignore[return-value]

    def receipt(self) -> tuple[Any, ...] | None:
        rows = self.sql("SELECT epoch, tokens, digest FROM receipts WHERE run=? AND shard=?", *self.key[:2])
        return rows[0] if rows else None

    def total(self) -> int:
        booked = self.sql("SELECT COALESCE(SUM(tokens), 0) FROM receipts WHERE run=?", self.key[0])[0][0]
        open_ = "SELECT COALESCE(SUM(wasted + CASE live WHEN 1 THEN hold ELSE 0 END), 0) FROM attempts WHERE run=?"
        return int(booked + self.sql(open_, self.key[0])[0][0])

    def stale(self) -> bool:
        receipt = self.receipt()
        gate = self.shard()[1] if self.flaw != "gate-on-committed" else receipt[0] if receipt else -1
        return bool(self.key[2] < gate)

    def gone(self, attempt: Attempt, now: float) -> bool:
        return attempt.expires is not None and now >= attempt.expires

    def made_wrong(self, request: Answer, attempt: Attempt) -> str:
        pinned = self.sql("SELECT revision FROM runs WHERE run=?", self.key[0])[0][0]
        if request.get("revision") not in (None, pinned):
            return "REVISION_MISMATCH"
        return "INPUT_MISMATCH" if attempt.input and request.get("input_digest") not in (None, attempt.input) else ""

    def run_open(self, request: Answer, now: float) -> str:
        for table in ("runs", "shards", "attempts", "artifacts", "checkpoints", "receipts"):
            self.sql(f"DELETE FROM {table} WHERE run=?", self.key[0])
        self.sql("INSERT INTO runs VALUES (?, ?, ?, 0)", self.key[0], request["ceiling"], request["revision"])
        for name in request["shards"]:
            self.sql("INSERT INTO shards VALUES (?, ?, ?, -1)", self.key[0], str(name), request["input_digest"])
        return "ok"

    def fixture_change(self, request: Answer, now: float) -> str:
        self.sql("UPDATE shards SET input=? WHERE run=? AND shard=?", request["input_digest"], *self.key[:2])
        return "ok"

    def config_change(self, request: Answer, now: float) -> str:
        self.sql("UPDATE runs SET ceiling=? WHERE run=?", request["ceiling"], self.key[0])
        return "ok"

    def ledger_reserve(self, request: Answer, now: float) -> str:
        attempt, (slice_, granted), tokens = self.attempt(), self.shard(), request["tokens"]
        if self.flaw == "swept":
            self.sql("UPDATE attempts SET live=0 WHERE run=? AND live=1 AND expires <= ?", self.key[0], now)
        asked = request.get("input_digest") or attempt.input or slice_
        if attempt.input:
            return "ALREADY_RESERVED" if (attempt.hold, attempt.input) == (tokens, asked) else "CONFLICT"
        if self.key[2] <= granted:
            return "STALE_EPOCH"
        if self.receipt():
            return "SEALED"
        if self.total() + tokens > self.sql("SELECT ceiling FROM runs WHERE run=?", self.key[0])[0][0]:
            return "OVER_CEILING"
        self.sql("INSERT INTO attempts VALUES (?, ?, ?, ?, ?, 0, 0, 1, NULL) ON CONFLICT DO NOTHING", *self.key, asked, tokens)
        self.sql("UPDATE shards SET granted=? WHERE run=? AND shard=?", self.key[2], *self.key[:2])
        return "reserved"

    def lease_grant(self, request: Answer, now: float) -> str:
        attempt = self.attempt()
        if attempt.expires is not None:
            return "ALREADY_RESERVED"
        refused = "STALE_EPOCH" if self.stale() else "SEALED" if self.receipt() else ""
        return refused or self.leased(request["expires"], "granted")

    def leased(self, expires: float, word: str) -> str:
        self.sql("UPDATE attempts SET expires=? WHERE run=? AND shard=? AND epoch=?", expires, *self.key)
        return word

    def lease_renew(self, request: Answer, now: float) -> str:
        refused = "STALE_EPOCH" if self.stale() else "LEASE_EXPIRED" if self.gone(self.attempt(), now) else ""
        return refused or ("SEALED" if self.receipt() else self.leased(request["expires"], "granted"))

    def lease_expire(self, request: Answer, now: float) -> str:
        attempt = self.attempt()
        if self.stale() or self.receipt():
            return "STALE_EPOCH" if self.stale() else "SEALED"
        if not self.gone(attempt, now) or not (attempt.live or self.flaw == "swept"):
            return "NO_HOLD" if self.gone(attempt, now) else "CONFLICT"
        wasted = attempt.drawn if attempt.live else 0
        self.sql("UPDATE attempts SET live=0, wasted=? WHERE run=? AND shard=? AND epoch=?", wasted, *self.key)
        return "expired"

    def ledger_waste(self, request: Answer, now: float) -> str:
        return "ok"  # booked with the expiry

    def ledger_release(self, request: Answer, now: float) -> str:
        return "released"  # as well

    def dispatch(self, request: Answer, now: float) -> str:
        return "STALE_EPOCH" if self.stale() else "SEALED" if self.receipt() else "sent"
