"""From alarms in arrays to the docket: which states, and the steps from which, break a promise or show a witness."""

import numpy as np

from fencebench.checker.fast.violations import Docket
from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import Flags, Growing, Ids, Words
from fencebench.checker.tables.memo import FILLING
from fencebench.checker.tables.successors import Turns

Cost = tuple[int, int]


class Hearing:
    """Listens to the alarms of one search; deaf to those that can change nothing any more."""

    def __init__(self, docket: Docket, faults: Growing) -> None:
        self.docket, self.faults = docket, faults
        self.deaf: Flags = np.ones(1, np.bool_)

    def close(self, cost: Cost, tables: tuple[Turns, ...]) -> None:
        """Grow deaf to all that is settled, now that the bucket of this cost is done."""
        deaf = np.array(self.docket.deaf(*cost), np.bool_)
        if not np.array_equal(deaf, self.deaf):
            self.deaf = deaf
            for table in tables:
                table.loud.size = 0

    def heard(self, alarms: Ids) -> Flags:
        """Say which alarms may still change what is known."""
        news = len(self.docket.questions.sets) - len(self.deaf)
        self.deaf = np.concatenate([self.deaf, np.zeros(news, np.bool_)])
        return ~self.deaf[alarms]

    def listen(self, table: Turns) -> None:
        """Find out which of the turns that are new, or new to these ears, have something to say."""
        start = table.loud.size
        with FILLING:
            book = table.book
        first, counts = book.first[start:], book.steps[start:]
        if len(first):
            before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.heard(book.strikes[first[0] :]))])
            first = first - first[0]
            table.loud.push((before[first + counts] > before[first]) | self.heard(book.alarm[start:]))

    def chunk(self, cost: Cost, words: Words, table: Turns, numbers: Ids) -> None:
        """Take note of what strikes in states with these turns, and on the steps from them."""
        self.listen(table)
        loud = table.loud.array[numbers]
        if not loud.any():
            return
        words, numbers, book = words[loud], numbers[loud], table.book
        for alarm, where in self.groups(book.alarm[numbers]):
            self.docket.state(alarm, *cost, [words[where]])
        source, step = spread(book.first[numbers], book.steps[numbers])
        faults = self.faults.array[book.shared[step]]
        for alarm, where in self.groups(book.strikes[step]):
            for fault in np.unique(faults[where]).tolist():
                before = words[np.unique(source[where & (faults == fault)])]
                self.docket.step(alarm, fault, cost, [before])

    def groups(self, alarms: Ids) -> list[tuple[int, Flags]]:
        """Return the different alarms that may still change what is known, and where they are."""
        return [(alarm, alarms == alarm) for alarm in np.unique(alarms[self.heard(alarms)]).tolist()]
