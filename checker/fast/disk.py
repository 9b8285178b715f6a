"""Arrays in files, for searches that outgrow memory."""

import os
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Full(Exception):
    """Neither memory nor files have room for more, in one line."""


@dataclass(frozen=True)
class Room:
    """How many bytes the words of states may take in memory, and the directory for those that do not fit, if any.

    The files have no name: nothing is left behind, however the program ends.
    """

    max_bytes: int | None = None
    directory: Path | None = None

    def empty(self, size: int, dtype: type[np.generic], like: Array) -> Array:
        """Return an array to be filled, in a file if the array that it replaces is in one."""
        return self.mapped(size, dtype) if isinstance(like, np.memmap) and size else np.empty(size, dtype)

    def mapped(self, size: int, dtype: Any) -> Array:
        """Return an array to be filled that lives in a file, or raise `Full`."""
        try:
            with TemporaryFile(dir=self.directory) as file:
                if hasattr(os, "posix_fallocate"):  # else a full disk would kill the program when a page is written
                    os.posix_fallocate(file.fileno(), 0, size * np.dtype(dtype).itemsize)
                return np.memmap(file, dtype, "w+", shape=(size,))
        except OSError as error:
            raise Full(f"memory, and {self.directory} has no room for files ({error.strerror})") from None

    def moved(self, array: Array) -> Array:
        """Return the array, moved into a file."""
        if isinstance(array, np.memmap) or not len(array):
            return array
        copy = self.mapped(len(array), array.dtype)
        copy[:] = array
        return copy


def in_memory(array: Array) -> int:
    """Return the bytes of memory that an array takes."""
    return 0 if isinstance(array, np.memmap) else array.nbytes
