"""Values in files that are whole or refused: before the value what it belongs to, after it a digest of all.

A file is written beside the last one and then takes its place, so there is always a whole one. The value is a pickle,
and reading a pickle can run code: read only your own files.
"""

import hashlib
import os
import pickle
from pathlib import Path
from typing import IO, Any

from fencebench.checker.errors import BadInput

MAGIC = b"fencebench checkpoint 2\n"
DIGEST = hashlib.sha256().digest_size


class CheckpointError(BadInput):
    """A checkpoint that cannot be used or written, and why, in one line."""


class Hashed:
    """A file that hashes what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.hash = file, hashlib.sha256()

    def write(self, data: bytes) -> int:
        """Write and hash."""
        self.hash.update(data)
        return self.file.write(data)


def write(path: Path, key: str, value: Any) -> None:
    """Write a value; `key` tells what it belongs to apart from all else.

    Raises:
        CheckpointError: the file cannot be written.
    """
    beside = path.with_name(f"{path.name}.new")
    try:
        with beside.open("wb") as file:
            hashed = Hashed(file)
            hashed.write(MAGIC + name(key))
            pickle.dump(value, hashed, pickle.HIGHEST_PROTOCOL)
            file.write(hashed.hash.digest())
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be written ({error.strerror}); name a place that can") from None


def name(key: str) -> bytes:
    """Return a digest of the key."""
    return hashlib.sha256(key.encode()).digest()


def read(path: Path, key: str) -> Any:
    """Return the value that was written.

    Raises:
        CheckpointError: there is no such file, it is damaged, or it belongs to something else.
    """
    check(path, key)
    with path.open("rb") as file:
        file.seek(len(MAGIC) + DIGEST)
        return pickle.load(file)


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
