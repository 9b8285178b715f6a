"""The search on arrays: a bucket of states of equal (faults, steps) at a time, sorted words as sets."""

from collections import Counter
from collections.abc import Callable

import numpy as np

from .arrays import Growing, Ids, Words, distinct, union
from .clock import Clock
from .crew import Crew
from .disk import Room, in_memory
from .docket import Docket
from .hearing import Cost, Hearing
from .layers import Layer
from .layout import Overflow, Paired, roomy
from .outcome import Outcome, Tally
from .stepping import Stepper, Steps
from .tables import Tables
from .trail import Trail
from .units import UNSEEN

EVERYTHING = Room()


class LargeSearch:
    """One search: its tables, what was reached and what is waiting."""

    def __init__(self, tables: Tables, clock: Clock, symmetry: bool, room: Room = EVERYTHING, threads: int = 1) -> None:
        self.tables, self.clock, self.room, self.questions = tables, clock, room, tables.questions
        self.stepper = Stepper(tables, symmetry)
        self.docket, self.tally = Docket(self.questions), Tally()
        self.layers: dict[int, Layer] = {}
        self.waiting: dict[Cost, list[Words]] = {}
        self.events = Growing(np.int64)
        self.faults, self.met = Growing(), Growing(np.bool_)
        self.hearing = Hearing(self.docket, self.stepper)
        self.crew = Crew(self.stepper, threads)

    def begin(self) -> None:
        """Put the initial state into its bucket."""
        root = self.stepper.encode(self.tables.machine.initial)
        self.waiting[self.tables.faults[0], 0] = [root]

    def run(self, keep: Callable[[], None] = lambda: None) -> Outcome:
        """Search to the end or to a limit; after each bucket, `keep` may save the search."""
        limit = ""
        try:
            while self.waiting and not limit:
                cost = min(self.waiting)
                limit = self.clock.settled(cost, self.docket.best()) or self.attempt(cost)
                if not limit:
                    limit = self.squeeze()
                    keep()
        except KeyboardInterrupt:
            limit = "interrupted"
        finally:
            self.crew.dismiss()
        return self.outcome(limit)

    @property
    def nbytes(self) -> int:
        """Return the bytes of memory that the words of states take."""
        waiting = sum(in_memory(words) for bucket in self.waiting.values() for words in bucket)
        return waiting + sum(layer.nbytes for layer in self.layers.values())

    def squeeze(self) -> str:
        """Move the words of states into files if they take too much memory, or say that they do."""
        if self.room.max_bytes is None or self.nbytes <= self.room.max_bytes:
            return ""
        if self.room.directory is None:
            return f"{self.room.max_bytes >> 20} MiB of memory"
        for layer in self.layers.values():
            layer.spill()
        for cost, bucket in self.waiting.items():
            self.waiting[cost] = [self.room.moved(words) for words in bucket]
        return ""

    def attempt(self, cost: Cost) -> str:
        """Visit the bucket of this cost; say which limit cut it short."""
        try:
            return self.expand(cost, self.fresh(cost))
        except Overflow:
            return "64 bits a state"

    def fresh(self, cost: Cost) -> Words:
        """Take the bucket of this cost, without what was reached before, and reach it."""
        layer = self.layers.setdefault(cost[0], Layer(self.room))
        bucket = self.waiting.pop(cost)
        words = layer.missing(bucket[0] if len(bucket) == 1 else union(bucket))
        if len(words):
            layer.add(words, cost[1])
            self.tally.states += len(words)
            self.tally.depth = max(self.tally.depth, cost[1])
        return words

    def expand(self, cost: Cost, words: Words) -> str:
        """Visit every state of a bucket; say which limit cut it short."""
        self.meet(cost, words)
        done = 0
        while done < len(words):
            try:
                for chunk, steps in self.crew.steps(words[done:]):
                    if limit := self.clock.over(self.tally.states):
                        return limit
                    self.visit(cost, chunk, steps)
                    done += len(chunk)
                    self.tick(cost)
            except Overflow:
                words = self.make_room(words)
        self.compact(cost[1] + 1)
        self.hearing.close(cost)
        return ""

    def compact(self, steps: int) -> None:
        """Keep every waiting state of a level once, in one array."""
        for cost, bucket in self.waiting.items():
            if cost[1] == steps and len(bucket) > 1:
                bucket[:] = [union(bucket)]

    def tick(self, cost: Cost) -> None:
        """Tell how far the search is."""
        waiting = sum(len(words) for bucket in self.waiting.values() for words in bucket)
        self.clock.tick(self.tally.states, waiting, cost[1])

    def make_room(self, words: Words) -> Words:
        """Take a roomier layout for every word that is kept; return the given ones in it."""
        stepper, old = self.stepper, self.stepper.layout
        shareds, units = len(self.tables.shareds), stepper.units.index.size
        stepper.layout = roomy(shareds, units, stepper.count, old.pairs.size if isinstance(old, Paired) else 1)
        for layer in self.layers.values():
            layer.translate(lambda w: stepper.translate(w, old))
        for cost, waiting in self.waiting.items():
            self.waiting[cost] = [distinct(stepper.translate(w, old)) for w in waiting]
        for suspicion in self.docket.suspicions.values():
            suspicion.words = [stepper.translate(w, old) for w in suspicion.words]
        return stepper.translate(words, old)

    def meet(self, cost: Cost, words: Words) -> None:
        """Tabulate the units and shared parts that occur for the first time, and judge them."""
        self.sync()
        shareds = self.stepper.layout.shared(words)
        new = shareds[~self.met.array[shareds]]
        for shared in distinct(new).tolist():
            self.met.array[shared] = True
            self.hearing.state(self.stepper.rows.alarm_of_shared(shared), cost, words, shareds == shared)
        units = [self.stepper.layout.unit(words, place) for place in range(self.stepper.count)]
        unseen = union([column[self.stepper.units.counts.array[column] == UNSEEN] for column in units])
        if len(unseen):
            self.stepper.units.learn(unseen)
            self.hearing.units(cost, words, units, unseen)
        if self.questions.of_both:
            self.hearing.meetings(cost, words, units, shareds)

    def visit(self, cost: Cost, words: Words, groups: list[Steps]) -> None:
        """Judge the steps from a chunk of a bucket, and queue where they lead."""
        moved = np.zeros(len(words), np.bool_)
        self.sync()
        for steps in groups:
            self.count(steps.event)
            faults = self.faults.array[steps.shared]
            for alarms in steps.alarms:
                self.hearing.steps(cost, words, steps, faults, alarms)
            moved[steps.source[steps.away & (faults <= cost[0])]] = True
            self.queue(cost, steps.after[steps.away], faults[steps.away])
        self.end(cost, words[~moved])

    def sync(self) -> None:
        """Take in the shared parts that got a number since the last time."""
        self.met.grow(len(self.tables.shareds))
        self.faults.push(self.tables.faults[self.faults.size :])

    def count(self, events: Ids) -> None:
        """Count transitions by event."""
        counts = np.bincount(events, minlength=self.events.size)
        self.events.grow(len(counts))
        self.events.array[:] += counts

    def queue(self, cost: Cost, words: Words, faults: Ids) -> None:
        """Put states into the buckets of their cost."""
        present = np.flatnonzero(np.bincount(faults)).tolist()
        for fault in present:
            chosen = words if len(present) == 1 else words[faults == fault]
            self.waiting.setdefault((fault, cost[1] + 1), []).append(distinct(chosen))

    def end(self, cost: Cost, words: Words) -> None:
        """Count final states and judge them."""
        self.tally.finals += len(words)
        if not self.questions.of_final:
            return
        for place, state in enumerate(self.stepper.decode(words)):
            if alarm := self.questions.final(state):
                self.docket.state(alarm, *cost, [words[place : place + 1]])

    def outcome(self, limit: str) -> Outcome:
        """Gather what the search has to tell."""
        counts = self.events.array.tolist()
        self.tally.transitions = sum(counts)
        self.tally.events = Counter(dict(zip(self.tables.events.values, counts, strict=False)))
        return Outcome(self.tally, self.docket, Trail(self.stepper, self.layers).gates, limit)
