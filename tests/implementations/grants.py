"""Runs, leases and holds: each function answers a request within its transaction, by a word or a class."""

from tests.implementations.tables import Asked


def run_open(a: Asked) -> str:
    for table in ("runs", "shards", "attempts", "artifacts", "checkpoints", "receipts"):
        a.db.execute(f"DELETE FROM {table} WHERE run=?", a.run)
    ceiling, revision = a.request["ceiling"], a.request["revision"]
    a.db.execute("INSERT INTO runs VALUES (?, ?, ?, 0)", a.run, ceiling, revision)
    for name in a.request["shards"]:
        a.db.execute("INSERT INTO shards VALUES (?, ?, ?, -1)", a.run, str(name), a.request["input_digest"])
    return "ok"


def fixture_change(a: Asked) -> str:
    a.db.execute("UPDATE shards SET input=? WHERE run=? AND shard=?", a.request["input_digest"], *a.shard)
    return "ok"


def config_change(a: Asked) -> str:
    a.db.execute("UPDATE runs SET ceiling=? WHERE run=?", a.request["ceiling"], a.run)
    return "ok"


def reserve(a: Asked) -> str:
    tokens, attempt = a.request["tokens"], a.attempt
    if a.flaw == "swept":
        a.db.execute("UPDATE attempts SET live=0 WHERE run=? AND live=1 AND expires <= ?", a.run, a.now)
    asked = a.request.get("input_digest") or attempt.input or a.slice
    if attempt.input:
        return "ALREADY_RESERVED" if (attempt.hold, attempt.input) == (tokens, asked) else "CONFLICT"
    if a.key[2] <= a.granted:
        return "STALE_EPOCH"
    if a.receipt:
        return "SEALED"
    if a.total() + tokens > a.of_run("ceiling"):
        return "OVER_CEILING"
    again = "ON CONFLICT DO NOTHING" if a.flaw == "check-then-act" else ""  # whoever looked at the same time is there
    a.db.execute(f"INSERT INTO attempts VALUES (?, ?, ?, ?, ?, 0, 0, 1, NULL) {again}", *a.key, asked, tokens)
    a.db.execute("UPDATE shards SET granted=? WHERE run=? AND shard=?", a.key[2], *a.shard)
    return "reserved"


def grant(a: Asked) -> str:
    if a.attempt.expires is not None:
        return "ALREADY_RESERVED"
    if a.stale or a.receipt:
        return "STALE_EPOCH" if a.stale else "SEALED"
    a.set_attempt("expires=?", a.request["expires"])
    return "granted"


def renew(a: Asked) -> str:
    if a.stale or a.receipt:
        return "STALE_EPOCH" if a.stale else "SEALED"
    if a.over:
        return "LEASE_EXPIRED"
    a.set_attempt("expires=?", a.request["expires"])
    return "granted"


def expire(a: Asked) -> str:
    """Compare and set: the hold is closed, what was drawn is written off, the rest is free."""
    attempt = a.attempt
    if a.stale or a.receipt:
        return "STALE_EPOCH" if a.stale else "SEALED"
    if not a.over:
        return "refused"
    if not attempt.live and a.flaw != "swept":
        return "NO_HOLD"
    a.set_attempt("live=0, wasted=?", attempt.drawn if attempt.live else 0)
    return "expired"


def waste(a: Asked) -> str:
    """Tokens of a closed hold are written off by name, where that is not what the expiry did."""
    if not a.settled:
        return "refused"
    if a.flaw != "swept":
        a.set_attempt("wasted=?", a.request["tokens"])
    return "ok"


def dispatch(a: Asked) -> str:
    return "STALE_EPOCH" if a.stale else "SEALED" if a.receipt else "sent"


def call(a: Asked) -> str:
    attempt, tokens = a.attempt, a.request["tokens"]
    if not attempt.live:
        return "NO_HOLD"
    if a.request.get("input_digest") not in (None, attempt.input):
        return "INPUT_MISMATCH"
    if attempt.drawn + tokens > attempt.hold:
        return "HOLD_EXHAUSTED"
    burned = a.db.execute("SELECT COALESCE(SUM(drawn), 0) FROM attempts WHERE run=?", a.run)[0][0]
    if burned + tokens > a.of_run("ceiling"):
        return "OVER_CEILING"
    a.set_attempt("drawn=drawn+?", tokens)
    return "ok"
