"""The way back: the states on the cheapest stories, found level by level, as no state remembers where it came from."""

import numpy as np

from fencebench.checker.fast.layers import Layer
from fencebench.checker.fast.stepping import Stepper
from fencebench.checker.fast.trace import Member
from fencebench.checker.fast.violations import Violation
from fencebench.checker.tables.arrays import Words, union, within

CHUNK = 1 << 16
"""States whose steps are looked at together."""


class BackwardSearch:
    """What was reached, read backwards."""

    def __init__(self, stepper: Stepper, layers: dict[int, Layer]) -> None:
        self.stepper, self.layers = stepper, layers

    def path_sets(self, violation: Violation) -> list[Member]:
        """Return the sets of states, one for each step, that the cheapest stories of a violation pass through."""
        words, path_sets = union(violation.words), list[Member]()
        faults = violation.faults if violation.before is None else violation.before
        steps = violation.steps if violation.before is None else violation.steps - 1
        for count in range(steps - 1, -1, -1):
            path_sets.append(self.member(words))
            faults, words = self.before(words, faults, count)
        return path_sets[::-1]

    def member(self, words: Words) -> Member:
        """Return a test whether a state is among the words."""
        return lambda state: bool(within(self.stepper.encode(state), words)[0])

    def before(self, words: Words, faults: int, count: int) -> tuple[int, Words]:
        """Return the states, `count` steps from the start, that lead to `words`: of those with the fewest faults."""
        for fewest in range(faults + 1):
            found = self.leading(self.layers[fewest].at(count), words) if fewest in self.layers else words[:0]
            if len(found):
                return fewest, found
        raise AssertionError("a reached state has no predecessor")

    def leading(self, candidates: Words, words: Words) -> Words:
        """Return the candidates from which a step leads to `words`."""
        found = []
        for start in range(0, len(candidates), CHUNK):
            chunk = self.stepper.chunk(candidates[start : start + CHUNK])
            for lead in (*self.stepper.leads(chunk, faulty=False), *self.stepper.leads(chunk, faulty=True)):
                found.append(chunk.words[np.unique(lead.source[within(lead.after, words)])])
        return union(found)
