"""Checkpoints, artifacts, receipts and the report; and the table of every request that is answered."""

from collections.abc import Callable

from tests.implementations.grants import (
    call,
    config_change,
    dispatch,
    expire,
    fixture_change,
    grant,
    renew,
    reserve,
    run_open,
    waste,
)
from tests.implementations.tables import Answer, Asked, Database

MARGIN_SECONDS = 90


def checkpoint(a: Asked) -> str:
    kept = (*a.shard, a.request.get("input_digest"), a.request.get("revision"))
    a.db.execute("DELETE FROM checkpoints WHERE run=? AND shard=?", *a.shard)
    a.db.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?)", *kept)
    return "ok"


def resume(a: Asked) -> str:
    clock, expires = a.request.get("clock_of_actor", a.now), a.attempt.expires
    if expires is not None and clock >= expires - MARGIN_SECONDS:
        return "LEASE_MARGIN"
    rows = a.db.execute("SELECT input, revision FROM checkpoints WHERE run=? AND shard=?", *a.shard)
    if not rows:
        return "restarted"
    if rows[0][1] not in (None, a.of_run("revision")):
        return "REVISION_MISMATCH"
    return "resumed" if rows[0][0] == a.slice else "INPUT_MISMATCH"


def put(a: Asked) -> str:
    stored, parts = a.stored, a.request.get("parts")
    if stored == a.digest:
        return "ALREADY_STORED"
    wrong: str = a.made_wrong()
    if wrong:
        return wrong
    if stored is not None:
        return store(a) if a.flaw == "upsert" else "CONFLICT"
    if a.stale or a.receipt:
        return "STALE_EPOCH" if a.stale else "SEALED"
    if not a.unleased and (a.over or a.attempt.input is None):
        return "LEASE_EXPIRED"
    if parts is not None and parts[0] != parts[1]:
        return "INCOMPLETE"
    return store(a)


def store(a: Asked) -> str:
    replace = "ON CONFLICT (run, shard, epoch) DO UPDATE SET digest=excluded.digest"
    a.db.execute(f"INSERT INTO artifacts VALUES (?, ?, ?, ?) {replace * unguarded(a)}", *a.key, a.digest)
    return "created"


def unguarded(a: Asked) -> bool:
    """Whether a second row overwrites the first; with `check-then-act` it comes when both have looked."""
    return a.flaw in ("upsert", "check-then-act")


def commit(a: Asked) -> str:
    tokens, receipt, attempt = a.request["tokens"], a.receipt, a.attempt
    if receipt and (receipt[0], receipt[2]) == (a.key[2], a.digest):
        return "ALREADY_COMMITTED"
    wrong: str = a.made_wrong()
    if wrong:
        return wrong
    if receipt and receipt[0] == a.key[2]:
        return book(a) if a.flaw == "upsert" else dispute(a)
    if a.stale or receipt:
        return "STALE_EPOCH" if a.stale else "SEALED"
    if a.over and not a.unleased:
        return "LEASE_EXPIRED"
    if not attempt.live or tokens != attempt.drawn:
        return "UNRESERVED_SPEND"
    if a.stored != a.digest:
        return "NO_ARTIFACT"
    return book(a)


def dispute(a: Asked) -> str:
    a.db.execute("UPDATE runs SET disputed=1 WHERE run=?", a.run)
    return "CONFLICT"


def book(a: Asked) -> str:
    """Write the receipt and close the hold; the shard is sealed by it."""
    row = (*a.key, a.request["tokens"], a.digest, a.request.get("revision"), a.request.get("input_digest"))
    replace = "ON CONFLICT (run, shard) DO UPDATE SET epoch=excluded.epoch, digest=excluded.digest"
    a.db.execute(f"INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?) {replace * unguarded(a)}", *row)
    a.set_attempt("live=0")
    return "committed"


def seal(a: Asked) -> str:
    return "sealed" if a.receipt else "NO_RECEIPT"


def report(a: Asked) -> str:
    planned = a.db.execute("SELECT COUNT(*) FROM shards WHERE run=?", a.run)[0][0]
    sealed = a.db.execute("SELECT COUNT(*) FROM receipts WHERE run=?", a.run)[0][0]
    taken = a.request.get("sealed")  # a report that has not taken every shard is not whole either
    if sealed < planned or (taken is not None and len(set(taken)) < planned):
        return "MISSING_SHARDS"
    return "UNRESOLVED_CONFLICT" if a.of_run("disputed") else "printed"


HANDLERS: dict[str, Callable[[Asked], str]] = {
    "run.open": run_open,
    "fixture.change": fixture_change,
    "config.change": config_change,
    "ledger.reserve": reserve,
    "lease.grant": grant,
    "lease.renew": renew,
    "lease.expire": expire,
    "ledger.waste": waste,
    "ledger.release": lambda a: "released" if a.settled else "refused",  # written with the expiry
    "dispatch": dispatch,
    "model.call": call,
    "ckpt.write": checkpoint,
    "ckpt.resume": resume,
    "store.tell": lambda a: "ok",  # the store asks the ledger's own table
    "store.put": put,
    "ledger.commit": commit,
    "seal": seal,
    "report.print": report,
}


def answer(db: Database, request: Answer, clock: Callable[[], float], flaw: str = "") -> Answer:
    """Answer one request, in one transaction under the lock of its run; the clock is read under it."""
    loose = flaw == "check-then-act" and request["op"] != "run.open"
    run = str(request["run"])
    with db.loose(run) if loose else db.whole(run):
        word = HANDLERS[request["op"]](Asked(db, request, clock(), flaw))
    return {"outcome": "refused", "reason": word} if word.isupper() else {"outcome": word}
