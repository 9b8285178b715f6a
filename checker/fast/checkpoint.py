"""A search on disk, so that it can go on after an end of any kind.

A checkpoint is written beside the last one and then takes its place, so there is always a whole one. It is a pickle:
read only your own.
"""

import hashlib
import os
import pickle
from pathlib import Path
from typing import IO, Any

import numpy as np

from .docket import Suspicion
from .large import LargeSearch
from .layers import Layer, Run
from .layout import Narrow, Paired

MAGIC = b"fencebench checkpoint 1\n"
DIGEST = hashlib.sha256().digest_size


class CheckpointError(Exception):
    """A checkpoint that cannot be used, and why, in one line."""


class Hashed:
    """A file that hashes what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Write and hash."""
        self.hash.update(data)
        return self.file.write(data)


def save(search: LargeSearch, path: Path, key: str) -> None:
    """Write a search whose buckets are whole; `key` tells machine and options apart from all others."""
    fresh = path.with_suffix(".new")
    with fresh.open("wb") as file:
        hashed = Hashed(file)
        hashed.write(MAGIC + name(key))
        pickle.dump(content(search), hashed, pickle.HIGHEST_PROTOCOL)
        file.write(hashed.hash.digest())
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def name(key: str) -> bytes:
    """Return a digest of the key."""
    return hashlib.sha256(key.encode()).digest()


def load(search: LargeSearch, path: Path, key: str) -> None:
    """Bring a new search to where the saved one was, or raise `CheckpointError`."""
    check(path, key)
    with path.open("rb") as file:
        file.seek(len(MAGIC) + DIGEST)
        restore(search, pickle.load(file))


def check(path: Path, key: str) -> None:
    """Raise `CheckpointError` unless the file is whole and belongs to this search."""
    if not path.is_file():
        raise CheckpointError(f"{path}: no checkpoint here")
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise CheckpointError(f"{path}: not a checkpoint of this version")
        if file.read(DIGEST) != name(key):
            raise CheckpointError(f"{path}: a checkpoint of another fence, bound or option")
    if not whole(path):
        raise CheckpointError(f"{path}: damaged; start again without it")


def whole(path: Path) -> bool:
    """Say whether the digest at the end of the file is that of all before it."""
    left, digest = path.stat().st_size - DIGEST, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0:
            block = file.read(min(left, 1 << 20))
            digest.update(block)
            left -= len(block)
        return file.read() == digest.digest()


def content(search: LargeSearch) -> dict[str, Any]:
    """Return all that cannot be computed again at no cost."""
    tables, layout = search.tables, search.stepper.layout
    return {
        "parts": [numbers.values for numbers in tables.parts],
        "event_values": tables.events.values,
        "shareds": tables.shareds.values,
        "units": [column.array for column in search.stepper.units.index.columns],
        "layout": (type(layout).__name__, layout.count, layout.width),
        "pairs": [column.array for column in layout.pairs.columns] if isinstance(layout, Paired) else [],
        "layers": {f: [tuple(map(np.asarray, run)) for run in layer.runs] for f, layer in search.layers.items()},
        "waiting": {cost: [np.asarray(words) for words in waiting] for cost, waiting in search.waiting.items()},
        "suspicions": {n: (s.faults, s.steps, s.before, s.words) for n, s in search.docket.suspicions.items()},
        "seen": search.docket.seen,
        "tally": search.tally,
        "events": search.events.array,
    }


def restore(search: LargeSearch, saved: dict[str, Any]) -> None:
    """Take over what was saved; numbers come out as they were, since they are given in the same order."""
    tables, stepper = search.tables, search.stepper
    for part, values in zip(tables.parts, saved["parts"], strict=True):
        part.extend(values)
    tables.events.extend(saved["event_values"])
    for shared in saved["shareds"]:
        tables.shared(shared)
    stepper.units.adopt(saved["units"])
    kind, count, width = saved["layout"]
    stepper.layout = Narrow(count, width) if kind == "Narrow" else Paired(count, width)
    if isinstance(stepper.layout, Paired) and saved["pairs"]:
        stepper.layout.pairs.adopt(saved["pairs"])
    for faults, runs in saved["layers"].items():
        search.layers[faults] = Layer(search.room)
        search.layers[faults].runs = [Run(*run) for run in runs]
    search.waiting, search.tally = saved["waiting"], saved["tally"]
    search.docket.suspicions = {number: Suspicion(*parts) for number, parts in saved["suspicions"].items()}
    search.docket.seen = saved["seen"]
    search.events.push(saved["events"])
