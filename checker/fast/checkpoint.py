"""A search on disk, so that it can go on after an end of any kind."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from fencebench.checker.fast import checkpoint_file
from fencebench.checker.fast.explore import Options
from fencebench.checker.fast.handover import hand_over
from fencebench.checker.fast.large import LargeSearch
from fencebench.checker.fast.layers import Layer, Room, Run, Segment
from fencebench.checker.fast.layout import Narrow, Paired
from fencebench.checker.fast.outcome import Outcome
from fencebench.checker.fast.progress import stranded
from fencebench.checker.fast.small import SmallSearch
from fencebench.checker.fast.violations import Violation
from fencebench.checker.search.limits import Clock
from fencebench.checker.tables.known import Known
from fencebench.model.machine import Machine


def save(search: LargeSearch, path: Path, key: str) -> None:
    """Write a search whose buckets are whole; `key` tells machine and options apart from all others."""
    checkpoint_file.write(path, key, content(search))


def load(search: LargeSearch, path: Path, key: str) -> None:
    """Bring a new search to where the saved one was, or raise `CheckpointError`."""
    restore(search, checkpoint_file.read(path, key))


def content(search: LargeSearch) -> dict[str, Any]:
    """Return all that cannot be computed again at no cost."""
    tables, layout = search.tables, search.stepper.layout
    search.settle()
    return {
        "parts": [numbers.values for numbers in tables.parts],
        "event_values": tables.events.values,
        "shareds": tables.shareds.values,
        "units": [column.array for column in search.stepper.units.index.columns],
        "layout": (type(layout).__name__, layout.count, layout.width),
        "pairs": [column.array for column in layout.pairs.columns] if isinstance(layout, Paired) else [],
        "layers": {faults: (layer.bounds, saved_runs(layer)) for faults, layer in search.layers.items()},
        "waiting": {cost: [np.asarray(words) for words in waiting] for cost, waiting in search.waiting.items()},
        "violations": {n: (s.faults, s.steps, s.before, s.words) for n, s in search.violations.cheapest.items()},
        "seen": search.violations.seen,
        "tally": search.tally,
        "events": search.events.array,
    }


def saved_runs(layer: Layer) -> list[list[tuple[Any, ...]]]:
    """Return the runs of each segment, as arrays that are in no other file."""
    return [[tuple(map(np.asarray, run)) for run in segment.runs] for segment in layer.segments]


def restore(search: LargeSearch, saved: dict[str, Any]) -> None:
    """Take over what was saved; numbers come out as they were, since they are given in the same order.

    Raises:
        ValueError: the search is under way: its numbers would be mixed with those that were saved.
    """
    if search.layers or search.waiting or search.stepper.units.index.size or any(map(len, search.tables.parts)):
        raise ValueError("a checkpoint can be restored into a new search only; this one is under way")
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
    for faults, (bounds, runs) in saved["layers"].items():
        layer = search.layers[faults] = Layer(search.room)
        layer.bounds = bounds
        layer.segments = [Segment(search.room, [Run(*run) for run in segment]) for segment in runs]
    search.waiting, search.tally = saved["waiting"], saved["tally"]
    search.violations.cheapest = {number: Violation(*parts) for number, parts in saved["violations"].items()}
    search.violations.seen = saved["seen"]
    search.events.push(saved["events"])


PATIENCE = 20
"""A checkpoint that takes a second is not followed by another for so many seconds."""


def search_long(
    known: Known, machine: Machine, clock: Clock, symmetry: bool, options: Options, small: SmallSearch | None
) -> Outcome:
    """Go on from where a small search is, or else from a checkpoint, and save the search now and then."""
    room = Room(options.max_bytes, options.spill)
    search = LargeSearch(known.relation, machine.initial, clock, symmetry, room, options.threads)
    key = f"{options.key} symmetry={symmetry}"
    keep = keeper(search, options.checkpoint, key, options.checkpoint_seconds)
    if small is not None:
        hand_over(small, search)
        keep(False)
    elif options.checkpoint is not None:
        load(search, options.checkpoint, key)
    outcome = search.run(keep)
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
