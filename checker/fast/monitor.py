"""From arrays of what fires to violations: which states, and steps from which, break a promise or show a witness."""

import numpy as np

from fencebench.checker.fast.violations import Violations
from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import Flags, Growing, Ids, Words
from fencebench.checker.tables.memo import FILLING
from fencebench.checker.tables.successors import SuccessorTable

Cost = tuple[int, int]


class PropertyMonitor:
    """Listens to the fired_in of one search; settled to those that can change nothing any more."""

    def __init__(self, violations: Violations, faults: Growing) -> None:
        self.violations, self.faults = violations, faults
        self.settled: Flags = np.ones(1, np.bool_)

    def close(self, cost: Cost, tables: tuple[SuccessorTable, ...]) -> None:
        """Grow settled to all that is settled, now that the bucket of this cost is done."""
        settled = np.array(self.violations.settled(*cost), np.bool_)
        if not np.array_equal(settled, self.settled):
            self.settled = settled
            for table in tables:
                table.relevant.size = 0

    def undecided(self, fired_in: Ids) -> Flags:
        """Say which fired_in may still change what is known."""
        news = len(self.violations.properties.sets) - len(self.settled)
        self.settled = np.concatenate([self.settled, np.zeros(news, np.bool_)])
        return ~self.settled[fired_in]

    def refresh(self, table: SuccessorTable) -> None:
        """Find out which of the rows that are new, or new to this monitor, have something to say."""
        start = table.relevant.size
        with FILLING:
            successors = table.successors
        first, counts = successors.first[start:], successors.steps[start:]
        if len(first):
            before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.undecided(successors.strikes[first[0] :]))])
            first = first - first[0]
            table.relevant.push((before[first + counts] > before[first]) | self.undecided(successors.fired[start:]))

    def chunk(self, cost: Cost, words: Words, table: SuccessorTable, numbers: Ids) -> None:
        """Take note of what strikes in states with these rows, and on the steps from them."""
        self.refresh(table)
        relevant = table.relevant.array[numbers]
        if not relevant.any():
            return
        words, numbers, successors = words[relevant], numbers[relevant], table.successors
        for fired, where in self.groups(successors.fired[numbers]):
            self.violations.state(fired, *cost, [words[where]])
        source, step = spread(successors.first[numbers], successors.steps[numbers])
        faults = self.faults.array[successors.shared[step]]
        for fired, where in self.groups(successors.strikes[step]):
            for fault in np.unique(faults[where]).tolist():
                before = words[np.unique(source[where & (faults == fault)])]
                self.violations.step(fired, fault, cost, [before])

    def groups(self, fired_in: Ids) -> list[tuple[int, Flags]]:
        """Return the different fired_in that may still change what is known, and where they are."""
        return [(fired, fired_in == fired) for fired in np.unique(fired_in[self.undecided(fired_in)]).tolist()]
