"""Hands a small search over to a large one: what it reached, what is waiting, what it found and counted."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from fencebench.checker.fast.large import LargeSearch
from fencebench.checker.fast.layers import Layer, Run
from fencebench.checker.fast.layout import Overflow, sorted_units
from fencebench.checker.fast.small import MASK, SmallSearch
from fencebench.checker.tables.arrays import Ids, Words


def hand_over(small: SmallSearch, large: LargeSearch) -> None:
    """Bring a large search that has not begun to where the small one is, whose buckets are whole."""
    numbers = unit_numbers(small, large)
    while True:
        try:
            return fill(small, large, numbers)
        except Overflow:
            large.layers, large.waiting = {}, {}
            large.make_room(np.empty(0, np.int64))


def fill(small: SmallSearch, large: LargeSearch, numbers: Ids) -> None:
    """Take over all that the small search knows, or raise `Overflow`."""

    def words(of: Iterable[int]) -> Words:
        return translated(small, large, numbers, list(of))

    for faults in sorted({small.faults(word) for word in small.reached}):
        reached = [word for word in small.reached if small.faults(word) == faults]
        found, steps = words(reached), np.array([small.reached[word] for word in reached], np.uint16)
        order = np.argsort(found)
        large.layers[faults] = Layer(large.room)
        large.layers[faults].insert(Run(found[order], steps[order]))
    large.waiting = {cost: [np.unique(words(bucket))] for cost, bucket in small.waiting.items() if bucket}
    large.violations.seen = small.violations.seen
    large.violations.cheapest = {
        number: replace(violation, words=[words(violation.words)])
        for number, violation in small.violations.cheapest.items()
    }
    large.tally = replace(small.tally, states=len(small.reached))
    large.events.push(np.array(small.events, np.int64))


def unit_numbers(small: SmallSearch, large: LargeSearch) -> Ids:
    """Return the large search's number of each unit of the small one."""
    rows = np.array(small.unit_table.units.values, np.int32).reshape(-1, len(large.tables.parts))
    numbers = large.stepper.units.index([rows[:, place].copy() for place in range(rows.shape[1])])
    large.stepper.units.grow()
    return numbers


def translated(small: SmallSearch, large: LargeSearch, numbers: Ids, words: list[int]) -> Words:
    """Return the large search's words of states, in the same order."""
    shareds = np.array([word >> small.top for word in words], np.int32)
    units = [numbers[[(word >> shift) & MASK for word in words]] for shift in small.shifts]
    if not large.stepper.layout.room(len(large.tables.shareds), large.stepper.units.index.size):
        raise Overflow
    return large.stepper.layout.pack(shareds, sorted_units([*units]) if large.stepper.symmetry else [*units])
