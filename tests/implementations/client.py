"""One of the clients that hammer a database.

It writes each call and its answer to the shared history, and kills itself (as kill -9) before statement number
`death`. `start` is the second, on the machine's monotonic clock, from which the history counts.
"""

import json
import os
import random
import signal
import time
from contextlib import suppress
from itertools import count

import psycopg

from tests.implementations.databases import Postgres, Sqlite
from tests.implementations.results import answer
from tests.implementations.tables import Answer

RUN, SHARDS, HOLD, LEASE_SECONDS, ROUNDS = "r", 6, 37, 0.12, 12
LOST = (psycopg.Error, OSError)


class Client:
    """What a client needs to call and to write down."""

    def __init__(self, place: str, history: str, name: str, seed: int, start: float, death: int, flaw: str) -> None:
        self.place, self.name, self.start, self.flaw = place, name, start, flaw
        self.file = os.open(history, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self.dice, self.statements, self.death = random.Random(seed), count(), death
        self.db = self.connect()

    def connect(self) -> Sqlite | Postgres:
        while True:  # a server that restarts is back soon
            with suppress(*LOST):
                return (Postgres if self.place.startswith("postgresql") else Sqlite)(self.place, self.before)
            time.sleep(0.05)

    def before(self) -> None:
        if next(self.statements) == self.death:
            os.kill(os.getpid(), signal.SIGKILL)
        if self.flaw == "check-then-act":
            time.sleep(0.002)  # what a network between two statements would take

    def now(self) -> float:
        return time.monotonic() - self.start

    def write(self, **fields: object) -> None:
        os.write(self.file, json.dumps({"client": self.name, **fields}).encode() + b"\n")

    def call(self, op: str, shard: int, epoch: int, logged: bool = True, **fields: object) -> str:
        request: Answer = {"op": op, "run": RUN, "shard": shard, "epoch": epoch, **fields}
        if logged:
            self.write(type="invoke", t=self.now(), **request)
        try:
            found = answer(self.db, request, self.now, self.flaw)
        except LOST:
            self.db = self.connect()
            found = {}
        if logged:
            refused = found.get("outcome") == "refused"
            self.write(type="fail" if refused else "ok" if found else "info", t=self.now(), **found)
        return str(found.get("reason") or found.get("outcome"))

    def look(self, shard: int) -> tuple[int, float, bool]:
        """The highest epoch, the end of its lease, and whether the shard has its receipt; not part of the history."""
        of = (RUN, str(shard))
        try:
            granted = self.db.execute("SELECT granted FROM shards WHERE run=? AND shard=?", *of)[0][0]
            ends = self.db.execute("SELECT expires FROM attempts WHERE run=? AND shard=? AND epoch=?", *of, granted)
            done = self.db.execute("SELECT 1 FROM receipts WHERE run=? AND shard=?", *of)
        except LOST:
            self.db = self.connect()
            return self.look(shard)
        return granted, float(ends[0][0] or 0) if ends else 0.0, bool(done)

    def grant(self, shard: int, epoch: int) -> None:
        if self.call("ledger.reserve", shard, epoch, tokens=HOLD) in ("reserved", "ALREADY_RESERVED"):
            self.call("lease.grant", shard, epoch, expires=self.now() + LEASE_SECONDS)

    def work(self, shard: int, epoch: int) -> None:
        digest = f"art-{epoch}-{self.dice.choice(('same', self.name))}"
        self.call("model.call", shard, epoch, logged=False, tokens=HOLD)
        time.sleep(self.dice.choice((0, 0.01, LEASE_SECONDS, 1.2 * LEASE_SECONDS)))
        for _ in range(self.dice.choice((1, 1, 2))):
            self.call("store.put", shard, epoch, digest=digest, revision="rev-A")
        if self.dice.random() < 0.3:
            self.call("ledger.commit", shard, epoch, tokens=HOLD, digest=digest, revision="rev-A")

    def closed(self, shard: int, epoch: int) -> bool:
        """Declare a lease over; only a hold that is known to be closed is followed by the next one."""
        return self.call("lease.expire", shard, epoch) in ("expired", "NO_HOLD")

    def round(self) -> None:
        shard = self.dice.randrange(SHARDS)
        granted, ends, done = self.look(shard)
        if granted >= 0 and not ends:
            self.call("lease.grant", shard, granted, expires=self.now() + LEASE_SECONDS)
        elif granted < 0 or (not done and self.now() >= ends and self.closed(shard, granted)):
            self.grant(shard, granted + 1)
        granted = self.look(shard)[0]
        if granted >= 0:
            self.work(shard, max(0, granted - self.dice.choice((0, 0, 0, 1))))


def run(place: str, history: str, name: str, seed: int, start: float, death: int, flaw: str) -> None:
    client = Client(place, history, name, seed, start, death, flaw)
    for _ in range(ROUNDS):
        client.round()
