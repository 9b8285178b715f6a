"""The search on arrays: a bucket of states of equal (faults, steps) at a time, sorted words as sets."""

from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np

from fencebench.checker.fast.backward import BackwardSearch
from fencebench.checker.fast.layers import Full, Layer, Room, in_memory
from fencebench.checker.fast.layout import Overflow, Paired, roomy
from fencebench.checker.fast.monitor import Cost, PropertyMonitor
from fencebench.checker.fast.outcome import Outcome, Tally
from fencebench.checker.fast.stepping import Stepper, Taken
from fencebench.checker.fast.violations import Violations
from fencebench.checker.fast.worker_pool import WorkerPool
from fencebench.checker.search.limits import INTERRUPTED, Clock, Expired, Stop, StopKind
from fencebench.checker.tables.arrays import Growing, Words, cuts, distinct, split, union
from fencebench.checker.tables.successors import Relation, SuccessorTable
from fencebench.model.machine import State

EVERYTHING = Room()

CHUNK = 1 << 16
"""States expanded at once."""


def chunks(words: Words) -> Iterator[Words]:
    """Cut a bucket into chunks."""
    return (words[start : start + CHUNK] for start in range(0, len(words), CHUNK))


class LargeSearch:
    """One search: its tables, what was reached and what is waiting."""

    def __init__(
        self, relation: Relation, start: State, clock: Clock, symmetry: bool, room: Room = EVERYTHING, threads: int = 1
    ) -> None:
        self.tables, self.start, self.clock, self.room = relation.tables, start, clock, room
        self.properties = self.tables.properties
        self.stepper = Stepper(relation, len(start.units), symmetry)
        self.violations, self.tally = Violations(self.properties), Tally()
        self.layers: dict[int, Layer] = {}
        self.waiting: dict[Cost, list[Words]] = {}
        self.events = Growing(np.int64)
        self.monitor = PropertyMonitor(self.violations, self.stepper.moves.faults)
        self.pool = WorkerPool(threads)

    def begin(self) -> None:
        """Put the initial state into its bucket."""
        root = self.stepper.encode(self.start)
        self.waiting[self.tables.machine.faults(self.start.shared), 0] = [root]

    def run(self, keep: Callable[[bool], None] = lambda _: None) -> Outcome:
        """Search to the end or to a limit; after each bucket `keep` may save the search, and must if it is the last."""
        limit: Stop | None = None
        try:
            while self.waiting and not limit:
                cost = min(self.waiting)
                limit = self.clock.settled(cost, self.violations.best()) or self.attempt(cost)
                if not limit:
                    limit = self.squeeze()
                    keep(limit is not None)
        except KeyboardInterrupt:
            limit = INTERRUPTED
        except Full as full:
            limit = Stop(StopKind.FILES, str(full))
        finally:
            self.pool.shutdown()
        return self.outcome(limit)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the words of states take."""
        waiting = sum(in_memory(words) for bucket in self.waiting.values() for words in bucket)
        return waiting + sum(layer.nbytes for layer in self.layers.values())

    def squeeze(self) -> Stop | None:
        """Move the words of states into files if, with the rows, they take too much memory, or say that they do."""
        rows = sum(table.nbytes for table in self.stepper.tables)
        if self.room.max_bytes is None or self.nbytes + rows <= self.room.max_bytes:
            return None
        if self.room.directory is None:
            return Stop(StopKind.MEMORY, f"{self.room.max_bytes >> 20} MiB of memory")
        for layer in self.layers.values():
            layer.spill()
        for cost, bucket in self.waiting.items():
            self.waiting[cost] = [self.room.moved(words) for words in bucket]
        return None

    def attempt(self, cost: Cost) -> Stop | None:
        """Visit the bucket of this cost; say what cut it short."""
        try:
            words = self.gathered(self.waiting.pop(cost), self.layer(cost).missing)
            left = self.clock.left(self.tally.states)
            whole = left is None or len(words) <= left
            kept = words if whole else words[:left]
            self.reach(cost, kept)
            return self.expand(cost, kept) or (None if whole else self.clock.over(self.tally.states))
        except Overflow:
            return Stop(StopKind.WORD, "64 bits a state")
        except Expired as late:
            return late.stop

    def layer(self, cost: Cost) -> Layer:
        """Return the states that were reached with as many faults."""
        return self.layers.setdefault(cost[0], Layer(self.room))

    def reach(self, cost: Cost, words: Words) -> None:
        """Enter states that are reached for the first time."""
        if len(words):
            self.layer(cost).add(words, cost[1], self.pool.each)
            self.tally.states += len(words)
            self.tally.depth = max(self.tally.depth, cost[1])

    def gathered(self, bucket: list[Words], chosen: Callable[[Words], Words] = lambda words: words) -> Words:
        """Return each word of a bucket once, sorted, if it is chosen."""
        at = cuts(bucket)
        pieces = zip(*(split(words, at) for words in bucket), strict=True)
        return np.concatenate([*self.pool.each(lambda parts: chosen(union([*parts])), pieces)])

    def expand(self, cost: Cost, words: Words) -> Stop | None:
        """Visit every state of a bucket; say what cut it short."""
        done = 0
        while done < len(words):
            try:
                for taken in self.pool.each(self.stepper.take, chunks(words[done:])):
                    if limit := self.clock.late():
                        return limit
                    self.visit(cost, taken)
                    done += len(taken.chunk.words)
                    self.tick(cost, len(words) - done)
            except Overflow:
                words = self.make_room(words)
        self.compact(cost)
        self.monitor.close(cost, self.stepper.tables)
        return None

    def compact(self, cost: Cost) -> None:
        """Keep every state of the next level once that has to wait."""
        for (faults, steps), bucket in self.waiting.items():
            if steps == cost[1] + 1 and faults > cost[0] and len(bucket) > 1:
                bucket[:] = [self.gathered(bucket)]

    def tick(self, cost: Cost, left: int) -> None:
        """Tell how far the search is; so many states of the bucket are left."""
        waiting = sum(len(words) for bucket in self.waiting.values() for words in bucket)
        self.clock.tick(self.tally.states - left, waiting + left, cost[1])

    def make_room(self, words: Words) -> Words:
        """Take a roomier layout for every word that is kept; return the given ones in it."""
        stepper, old = self.stepper, self.stepper.layout
        shareds, units = len(self.tables.shareds), stepper.units.index.size
        stepper.layout = roomy(shareds, units, stepper.count, old.pairs.size if isinstance(old, Paired) else 1)
        for layer in self.layers.values():
            layer.translate(lambda w: stepper.translate(w, old))
        for cost, waiting in self.waiting.items():
            self.waiting[cost] = [distinct(stepper.translate(w, old)) for w in waiting]
        for violation in self.violations.cheapest.values():
            violation.words = [stepper.translate(w, old) for w in violation.words]
        return stepper.translate(words, old)

    def visit(self, cost: Cost, taken: Taken) -> None:
        """Judge states and the steps from them, and queue where those lead."""
        chunk, goes_on = taken.chunk, np.zeros(len(taken.chunk.words), np.bool_)
        for row in chunk.rows:
            row.table.visit(row.numbers)
            self.monitor.chunk(cost, chunk.words, row.table, row.numbers)
            goes_on |= row.table.successors.fault_free[row.numbers] > 0
            if row.table not in self.stepper.tables:
                self.count(row.table)
        for faults, words in ((cost[0], taken.fault_free), *taken.faulty):
            if len(words):
                self.waiting.setdefault((faults, cost[1] + 1), []).append(words)
        self.end(cost, chunk.words[~goes_on])

    def count(self, table: SuccessorTable) -> None:
        """Add up the events of the rows that were taken."""
        events = table.events()
        self.events.grow(len(events))
        self.events.array[: len(events)] += events

    def end(self, cost: Cost, words: Words) -> None:
        """Count final states and judge them."""
        self.tally.finals += len(words)
        if not self.properties.of_final:
            return
        for place, state in enumerate(self.stepper.decode(words)):
            if fired := self.properties.final(state):
                self.violations.state(fired, *cost, [words[place : place + 1]])

    def settle(self) -> None:
        """Add up the events of all rows that were taken."""
        for table in self.stepper.tables:
            self.count(table)

    def outcome(self, limit: Stop | None) -> Outcome:
        """Gather what the search has to tell."""
        self.settle()
        counts = self.events.array.tolist()
        self.tally.transitions = sum(counts)
        self.tally.events = Counter(dict(zip(self.tables.events.values, counts, strict=False)))
        return Outcome(self.tally, self.violations, BackwardSearch(self.stepper, self.layers).path_sets, limit)
