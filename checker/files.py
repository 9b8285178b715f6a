"""Writes files whole or not at all."""

import os
import tempfile
from pathlib import Path

from fencebench.checker.errors import BadInput


def write_whole(path: Path, data: bytes | str) -> None:
    """Write beside, then rename, so that a reader never sees half a file.

    Raises:
        BadInput: the file cannot be written.
    """
    content = data.encode() if isinstance(data, str) else data
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.chmod(beside, 0o644)
        os.replace(beside, path)
    except OSError as error:
        raise BadInput(f"{path}: cannot be written ({error.strerror}); name a place that can") from None


def read_text(path: Path) -> str:
    """Read a UTF-8 file.

    Raises:
        BadInput: the file cannot be read.
    """
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{path}: expected UTF-8 text, found a byte that is none at offset {error.start}") from None
