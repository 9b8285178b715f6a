"""Writes files whole or not at all; knows how wide the output is."""

import os
import re
import shutil
import sys
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


NARROWEST, USUAL, WIDEST = 60, 100, 200


def columns() -> int:
    """Return how wide a text may be: COLUMNS, else the terminal's width, else 100 columns."""
    live = sys.stdout.isatty() or "COLUMNS" in os.environ
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size((USUAL, 24)).columns)) if live else USUAL


def artifact(folder: Path, fence: str, promise: str, ending: str = "") -> Path:
    """Return where something of a fence's promise is kept: flat, and without a sign that an artifact store refuses."""
    return folder / f"{re.sub(r'[^A-Za-z0-9._=-]+', '-', fence).strip('-.')}-{promise}{ending}"
