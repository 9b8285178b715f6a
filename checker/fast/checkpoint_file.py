"""Values in files that are whole or refused: before the value what it belongs to, after it a digest of all.

A file is written beside the last one and then takes its place, so there is always a whole one. It holds data alone: a
table of plain values as JSON, then arrays. Reading it runs no code; a class that it names has to be loaded already, and
only its fields are filled in.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

import numpy as np

from fencebench.checker.errors import BadInput
from fencebench.checker.fast.plain_values import Decoder, Encoder, NotPlain

MAGIC = b"fencebench checkpoint 3\n"
DIGEST = hashlib.sha256().digest_size
LENGTH = 8
"""Bytes of the length of the table of values."""


class CheckpointError(BadInput):
    """A checkpoint that cannot be used or written, and why, in one line."""


class Hashed:
    """A file that hashes what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, hashlib.sha256()

    def write(self, data: Any) -> int:
        """Write and hash."""
        self.hash.update(data)
        return self.file.write(data)


def write(path: Path, key: str, value: Any) -> None:
    """Write a value; `key` tells what it belongs to apart from all else.

    Raises:
        CheckpointError: the file cannot be written, or the value has no plain form.
    """
    beside = path.with_name(f"{path.name}.new")
    try:
        encoder = Encoder()
        root = encoder(value)
        table = json.dumps([root, encoder.classes, encoder.nodes], separators=(",", ":")).encode()
        with beside.open("wb") as file:
            hashed = Hashed(file)
            for part in (MAGIC, name(key), len(table).to_bytes(LENGTH, "big"), table):
                hashed.write(part)
            for array in encoder.arrays:
                np.lib.format.write_array(hashed, np.asarray(array), allow_pickle=False)
            file.write(hashed.hash.digest())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except NotPlain as error:
        raise CheckpointError(f"{path}: {error}") from None
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be written ({error.strerror}); name a place that can") from None


def name(key: str) -> bytes:
    """Return a digest of the key and of the program."""
    return hashlib.sha256(f"{program()} {key}".encode()).digest()


@cache
def program() -> str:
    """Return a digest of the program itself: of all its source files, by place and content."""
    root, digest = Path(__file__).parents[2], hashlib.sha256()
    for path in sources(root):
        digest.update(f"{path.relative_to(root)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


def sources(root: Path) -> Iterator[Path]:
    """Yield the source files of the program, in order."""
    for room in ("checker", "model"):
        yield from sorted((root / room).rglob("*.py"))


def read(path: Path, key: str) -> Any:
    """Return the value that was written.

    Raises:
        CheckpointError: there is no such file, it is damaged, or it belongs to something else.
    """
    check(path, key)
    with path.open("rb") as file:
        file.seek(len(MAGIC) + DIGEST)
        root, classes, nodes = json.loads(file.read(int.from_bytes(file.read(LENGTH), "big")))
        count = sum(1 for node in nodes if node[0] == "array")
        arrays = [np.lib.format.read_array(file, allow_pickle=False) for _ in range(count)]
    try:
        return Decoder(classes, nodes, arrays)(root)
    except NotPlain as error:
        raise CheckpointError(f"{path}: {error}") from None


def check(path: Path, key: str) -> None:
    """Raise `CheckpointError` unless the file is whole and belongs to the key."""
    if not path.is_file():
        raise CheckpointError(f"{path}: no checkpoint here")
    with path.open("rb") as file:
        magic, owner = file.read(len(MAGIC)), file.read(DIGEST)
    if magic != MAGIC:
        raise CheckpointError(f"{path}: not a checkpoint of this version")
    if not whole(path):
        raise CheckpointError(f"{path}: damaged; start again without it")
    if owner != name(key):
        raise CheckpointError(f"{path}: a checkpoint of another fence, bound, option or version of the program")


def whole(path: Path) -> bool:
    """Say whether the digest at the end of the file is that of all before it."""
    left, digest = path.stat().st_size - DIGEST, hashlib.sha256()
    with path.open("rb") as file:
        while left > 0:
            block = file.read(min(left, 1 << 20))
            digest.update(block)
            left -= len(block)
        return file.read() == digest.digest()
