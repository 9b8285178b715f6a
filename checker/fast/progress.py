"""Progress judged on the states that a search on arrays reached, one number of faults after the other."""

from collections.abc import Iterator

import numpy as np

from fencebench.checker.fast.large import LargeSearch, chunks
from fencebench.checker.fast.layers import Layer
from fencebench.checker.fast.stepping import Stepper
from fencebench.checker.fast.violations import Violation
from fencebench.checker.tables.arrays import Flags, Words
from fencebench.model.machine import Progress


def stranded(search: LargeSearch, progress: Progress) -> Violation | None:
    """Return the cheapest hopeful states from which no steps without a fault lead to the goal."""
    for faults in sorted(search.layers):
        words, steps = gathered(search.layers[faults])
        lost = np.flatnonzero(~able_of(search.stepper, words, progress))
        lost = lost[due_of(search.stepper, words[lost], progress)]
        if len(lost):
            fewest = int(steps[lost].min())
            return Violation(faults, fewest, None, [words[lost[steps[lost] == fewest]]])
    return None


def gathered(layer: Layer) -> tuple[Words, Words]:
    """Return the states of a layer, sorted, and the steps to each."""
    words = np.concatenate([run.words for run in layer.runs])
    order = np.argsort(words, kind="stable")
    return words[order], np.concatenate([run.steps for run in layer.runs])[order].astype(np.int64)


def able_of(stepper: Stepper, words: Words, progress: Progress) -> Flags:
    """Say of each state of a layer whether steps within the layer lead to the goal."""
    shareds, which = np.unique(stepper.layout.shared(words), return_inverse=True)
    values = stepper.relation.shareds.values
    able: Flags = np.array([progress.goal(values[shared]) for shared in shareds.tolist()], np.bool_)[which]
    source, target = (np.concatenate(ends) for ends in zip(*edges(stepper, words), strict=True))
    while len(source):
        leads = able[target]
        able[source[leads]] = True
        if not leads.any():
            break
        wanting = ~able[source]
        source, target = source[wanting], target[wanting]
    return able


def edges(stepper: Stepper, words: Words) -> Iterator[tuple[Words, Words]]:
    """Yield (from, to) for the steps within a layer, as places in it."""
    start = 0
    yield np.empty(0, np.int32), np.empty(0, np.int32)
    for part in chunks(words):
        for lead in stepper.leads(stepper.chunk(part), faulty=False):
            yield (start + lead.source).astype(np.int32), np.searchsorted(words, lead.after).astype(np.int32)
        start += len(part)


def due_of(stepper: Stepper, words: Words, progress: Progress) -> Flags:
    """Say of each state whether the goal must be reachable from it; asked once for each view of a state."""
    outlooks = [outlook for place in range(stepper.count) for outlook in [outlooks_of(stepper, words, place, progress)]]
    views = np.stack([stepper.layout.shared(words), *(numbers for numbers, _ in outlooks)])
    distinct, which = np.unique(views, axis=1, return_inverse=True)
    shareds, known = stepper.relation.shareds.values, [values for _, values in outlooks]
    due = [
        progress.hopeful(shareds[shared], tuple(values[i] for values, i in zip(known, numbers, strict=True)))
        for shared, *numbers in distinct.T.tolist()
    ]
    return np.array(due, np.bool_)[which.reshape(-1)]


def outlooks_of(stepper: Stepper, words: Words, place: int, progress: Progress) -> tuple[Words, list[object]]:
    """Return the outlooks of the units at one place by number, and the number in each state."""
    units, which = np.unique(stepper.layout.unit(words, place), return_inverse=True)
    seen = [progress.outlook(stepper.relation.unit_value(stepper.units.ids(unit))) for unit in units.tolist()]
    values = list(dict.fromkeys(seen))
    numbers = {value: number for number, value in enumerate(values)}
    return np.array([numbers[value] for value in seen], np.int64)[which], [*values]
