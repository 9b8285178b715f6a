"""A search on arrays, with what a long one needs: memory limits, files, checkpoints."""

import time
from collections.abc import Callable
from pathlib import Path

from model.machine import Machine

from .checkpoint import load, save
from .clock import Clock
from .disk import Room
from .explore import Options
from .large import LargeSearch
from .outcome import Outcome
from .tables import Tables


def search_long(machine: Machine, clock: Clock, symmetry: bool, options: Options) -> Outcome:
    """Search from the start or from a checkpoint, and save the search now and then."""
    search = LargeSearch(Tables(machine), clock, symmetry, Room(options.max_bytes, options.spill), options.threads)
    key = f"{options.key} symmetry={symmetry}"
    if options.resume and options.checkpoint is not None:
        load(search, options.checkpoint, key)
    else:
        search.begin()
    return search.run(keeper(search, options.checkpoint, key, options.checkpoint_seconds))


def keeper(search: LargeSearch, path: Path | None, key: str, seconds: float) -> Callable[[], None]:
    """Return the function that saves the search if the last time is long enough ago."""
    last = time.monotonic()

    def keep() -> None:
        nonlocal last
        if path is not None and time.monotonic() - last >= seconds:
            save(search, path, key)
            last = time.monotonic()

    return keep
