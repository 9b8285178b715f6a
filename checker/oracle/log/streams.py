"""Where lines come from: a file, standard input, or a file that still grows."""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

STDIN = "-"


def lines_of(source: str) -> Iterator[bytes]:
    """The lines of a file, or of standard input for `-`."""
    if source == STDIN:
        yield from sys.stdin.buffer
        return
    with Path(source).open("rb") as file:
        yield from file


def followed(file: BinaryIO, idle: float | None, sleep: Callable[[float], None] = time.sleep) -> Iterator[bytes]:
    """The lines of a file that still grows; ends after `idle` seconds without a new byte, or never.

    A line that is not ended yet waits for its end; when nothing more comes it is read as it is.
    """
    begun, waited = b"", 0.0
    while idle is None or waited < idle:
        piece = file.readline()
        if not piece:
            sleep(_PAUSE)
            waited += _PAUSE
            continue
        begun, waited = begun + piece, 0.0
        if begun.endswith(b"\n"):
            yield begun
            begun = b""
    if begun:
        yield begun


_PAUSE = 0.1
