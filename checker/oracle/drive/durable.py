"""What is durable of a state, as another implementation keeps it in its tables, and a hash of it to compare."""

import hashlib
import json
from typing import Any

from fencebench.checker.oracle.drive.translate import digest_of, input_name
from fencebench.model.machine import State
from fencebench.model.settings import Settings
from fencebench.model.shard import Shard, shard_of


def durable(state: State, settings: Settings) -> dict[str, Any]:
    """Return what ledger and store keep: totals of the run in tokens, and of each shard its rows by epoch."""
    shared = state.shared
    totals = {name: getattr(shared, name) for name in ("ceiling", "held", "committed", "written_off", "burned")}
    return {**totals, "shards": [shard(shard_of(unit), settings) for unit in state.units]}


def shard(shown: Shard, settings: Settings) -> dict[str, Any]:
    """Return what is kept of one shard; -1 is none."""
    ledger, store = shown.ledger, shown.store
    granted = [(e, grant, meter, clock) for e, (_, clock, meter, grant) in enumerate(shown.epochs) if grant is not None]
    return {
        "granted": ledger.highest,
        "sealed": ledger.sealed,
        "register": store.register,
        "input_digest": input_name((shown.fixture,)),
        "attempts": [
            [epoch, input_name((grant.named,)), *grant.hold, meter, clock.age_seconds >= settings.lease_seconds]
            for epoch, grant, meter, clock in granted
        ],
        "stored": [[a.epoch, digest_of(a.epoch, a.content)] for a in store.artifacts],
        "receipts": [[r.epoch, r.tokens, digest_of(r.epoch, r.content)] for r in ledger.receipts],
    }


def state_hash(state: State, settings: Settings) -> str:
    """Return the first 16 hexadecimal digits of the SHA-256 of the durable state as JSON, keys sorted, no spaces."""
    text = json.dumps(durable(state, settings), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
