"""A search on arrays, with what a long one needs: memory limits, files, checkpoints."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from model.machine import Machine

from .checkpoint import load, save
from .clock import Clock
from .disk import Room
from .known import Known
from .large import LargeSearch
from .options import Options
from .outcome import Outcome
from .stranded_arrays import stranded

PATIENCE = 20
"""A checkpoint that takes a second is not followed by another for so many seconds."""


def search_long(known: Known, machine: Machine, clock: Clock, symmetry: bool, options: Options) -> Outcome:
    """Search from the start or from a checkpoint, and save the search now and then."""
    room = Room(options.max_bytes, options.spill)
    search = LargeSearch(known.relation, machine.initial, clock, symmetry, room, options.threads)
    key = f"{options.key} symmetry={symmetry}"
    if options.resume and options.checkpoint is not None:
        load(search, options.checkpoint, key)
    else:
        search.begin()
    outcome = search.run(keeper(search, options.checkpoint, key, options.checkpoint_seconds))
    return replace(outcome, stranded=partial(stranded, search))


def keeper(search: LargeSearch, path: Path | None, key: str, seconds: float) -> Callable[[bool], None]:
    """Return the function that saves the search if the last time is long enough ago."""
    due = time.monotonic() + seconds

    def keep(last: bool) -> None:
        nonlocal due
        started = time.monotonic()
        if path is not None and (last or started >= due):
            save(search, path, key)
            ended = time.monotonic()
            due = ended + max(seconds, PATIENCE * (ended - started))

    return keep
