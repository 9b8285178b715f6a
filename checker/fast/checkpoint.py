"""A search on disk, so that it can go on after an end of any kind."""

from pathlib import Path
from typing import Any

import numpy as np

from . import sealed
from .docket import Suspicion
from .large import LargeSearch
from .layers import Layer, Run, Segment
from .layout import Narrow, Paired


def save(search: LargeSearch, path: Path, key: str) -> None:
    """Write a search whose buckets are whole; `key` tells machine and options apart from all others."""
    sealed.write(path, key, content(search))


def load(search: LargeSearch, path: Path, key: str) -> None:
    """Bring a new search to where the saved one was, or raise `CheckpointError`."""
    restore(search, sealed.read(path, key))


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
        "suspicions": {n: (s.faults, s.steps, s.before, s.words) for n, s in search.docket.suspicions.items()},
        "seen": search.docket.seen,
        "tally": search.tally,
        "events": search.events.array,
    }


def saved_runs(layer: Layer) -> list[list[tuple[Any, ...]]]:
    """Return the runs of each segment, as arrays that are in no other file."""
    return [[tuple(map(np.asarray, run)) for run in segment.runs] for segment in layer.segments]


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
    for faults, (bounds, runs) in saved["layers"].items():
        layer = search.layers[faults] = Layer(search.room)
        layer.bounds = bounds
        layer.segments = [Segment(search.room, [Run(*run) for run in segment]) for segment in runs]
    search.waiting, search.tally = saved["waiting"], saved["tally"]
    search.docket.suspicions = {number: Suspicion(*parts) for number, parts in saved["suspicions"].items()}
    search.docket.seen = saved["seen"]
    search.events.push(saved["events"])
