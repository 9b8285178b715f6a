"""The way back: the states on the cheapest stories, found level by level, as no state remembers where it came from."""

import numpy as np

from fencebench.checker.fast.layers import Layer
from fencebench.checker.fast.stepping import Stepper
from fencebench.checker.fast.trace import Member
from fencebench.checker.fast.violations import Suspicion
from fencebench.checker.tables.arrays import Words, union, within

CHUNK = 1 << 16
"""States whose steps are looked at together."""


class Trail:
    """What was reached, read backwards."""

    def __init__(self, stepper: Stepper, layers: dict[int, Layer]) -> None:
        self.stepper, self.layers = stepper, layers

    def gates(self, suspicion: Suspicion) -> list[Member]:
        """Return the sets of states, one for each step, that the cheapest stories of a suspicion pass through."""
        words, gates = union(suspicion.words), list[Member]()
        faults = suspicion.faults if suspicion.before is None else suspicion.before
        steps = suspicion.steps if suspicion.before is None else suspicion.steps - 1
        for count in range(steps - 1, -1, -1):
            gates.append(self.member(words))
            faults, words = self.before(words, faults, count)
        return gates[::-1]

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
            for lead in (*self.stepper.leads(chunk, struck=False), *self.stepper.leads(chunk, struck=True)):
                found.append(chunk.words[np.unique(lead.source[within(lead.after, words)])])
        return union(found)
