"""The search on Python integers: faster than arrays while states are few.

A state is one integer, 32 bits for each unit's number and the shared part's above them. States are expanded in
buckets of equal (faults, steps), cheapest first.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import cast

from fencebench.checker.fast.outcome import Outcome, Tally
from fencebench.checker.fast.trace import Member
from fencebench.checker.fast.violations import Violation, Violations
from fencebench.checker.search.limits import INTERRUPTED, Clock, Expired, Stop
from fencebench.checker.tables.known import Known
from fencebench.checker.tables.machine_tables import FORBIDDEN
from fencebench.model.machine import Progress, State

WIDTH = 32
MASK = (1 << WIDTH) - 1

Bucket = dict[int, None]


class SmallSearch:
    """One search: its tables, what was reached and what is waiting."""

    def __init__(self, known: Known, start: State, clock: Clock, symmetry: bool) -> None:
        self.tables, self.unit_table, self.start = known.tables, known.unit_table, start
        self.clock, self.symmetry = clock, symmetry
        self.violations = Violations(self.tables.properties)
        count = len(start.units)
        self.shifts = tuple(WIDTH * i for i in range(count))
        self.top = WIDTH * count
        self.tally = Tally()
        self.events: list[int] = []
        self.reached: dict[int, int] = {}
        self.waiting: dict[tuple[int, int], Bucket] = {}
        self.answers: list[tuple[dict[int, int], dict[int, int]]] = []

    def run(self, most: int) -> Outcome | None:
        """Search to the end or to a limit; past `most` states return None, for a search on arrays to go on."""
        root = self.encode(self.start)
        self.waiting[self.tables.faults[root >> self.top], 0] = {root: None}
        limit: Stop | None = None
        try:
            while self.waiting and not limit:
                if len(self.reached) > most:
                    return None
                cost = min(self.waiting)
                limit = self.clock.settled(cost, self.violations.best()) or self.attempt(cost)
        except KeyboardInterrupt:
            limit = INTERRUPTED
        return self.outcome(limit)

    def outcome(self, limit: Stop | None) -> Outcome:
        """Gather what the search has to tell."""
        self.tally.states, self.tally.transitions = len(self.reached), sum(self.events)
        self.tally.events = Counter(dict(zip(self.tables.events.values, self.events, strict=False)))
        return Outcome(self.tally, self.violations, self.path_sets, limit)

    def faults(self, word: int) -> int:
        """Return how many faults have faulty in a state."""
        return self.tables.faults[word >> self.top]

    def fresh(self, cost: tuple[int, int]) -> list[int]:
        """Take the bucket of this cost and leave out what was reached before."""
        return [word for word in self.waiting.pop(cost) if word not in self.reached]

    def attempt(self, cost: tuple[int, int]) -> Stop | None:
        """Visit the bucket of this cost; say what cut it short."""
        words, left = self.fresh(cost), self.clock.left(len(self.reached))
        try:
            stop = self.expand(cost, words[:left])
            cut = left is not None and len(words) > left
            return stop or (self.clock.over(len(self.reached)) if cut else None)
        except Expired as late:
            return late.stop

    def expand(self, cost: tuple[int, int], words: list[int]) -> Stop | None:
        """Reach and visit states; say what cut it short."""
        for word in words:
            if limit := self.clock.late():
                return limit
            self.reached[word] = cost[1]
            self.tally.depth = max(self.tally.depth, cost[1])
            self.judge(cost, word)
            if self.visit(cost, word):
                self.end(cost, word)
        self.clock.tick(len(self.reached), sum(map(len, self.waiting.values())), cost[1])
        return None

    def visit(self, cost: tuple[int, int], word: int) -> bool:
        """Take every step from a state and judge it; say whether the state is final."""
        final = True
        for after, event, fired in self.steps(word):
            self.count(event)
            faults = self.tables.faults[after >> self.top]
            final = final and (after == word or faults > cost[0])
            if fired:
                self.violations.step(fired, faults, cost, (word,))
            after = self.canonical(after)
            if after not in self.reached:
                self.waiting.setdefault((faults, cost[1] + 1), {})[after] = None
        return final

    def steps(self, word: int) -> Iterator[tuple[int, int, int]]:
        """Yield the word after each step, the event, and the claims that strike on it."""
        shared = word >> self.top
        answers, verdicts = self.asked(shared)
        for shift in self.shifts:
            number = (word >> shift) & MASK
            for move in self.unit_table.row(number).moves:
                effect = move.template.effect
                after = answers.get(effect)
                if after is None:
                    after = answers[effect] = self.tables.answer(shared, effect)
                if after != FORBIDDEN:
                    if move.delta is None:
                        self.unit_table.complete(number, move)
                    fired = verdicts.get(move.label)
                    if fired is None:
                        fired = verdicts[move.label] = self.unit_table.verdict(shared, after, move.label)
                    word_after = word + (cast(int, move.delta) << shift) + ((after - shared) << self.top)
                    yield word_after, move.template.event, self.tables.properties.join(move.fired, fired)
        for own in self.unit_table.own_steps(shared):
            yield word + ((own.shared - shared) << self.top), own.event, own.fired

    def asked(self, shared: int) -> tuple[dict[int, int], dict[int, int]]:
        """Return a shared part's known answers to effects, and the known fired_in of steps from it by label."""
        while len(self.answers) <= shared:
            self.answers.append(({}, {}))
        return self.answers[shared]

    def count(self, event: int) -> None:
        """Count a transition."""
        if event >= len(self.events):
            self.events.extend([0] * (len(self.tables.events) - len(self.events)))
        self.events[event] += 1

    def judge(self, cost: tuple[int, int], word: int) -> None:
        """Take note of the claims that strike in a state."""
        shared = word >> self.top
        fired = self.unit_table.fired_by_shared(shared)
        for shift in self.shifts:
            row = self.unit_table.row((word >> shift) & MASK)
            fired = self.tables.properties.join(fired, row.fired)
            if self.tables.properties.of_both:
                fired = self.tables.properties.join(fired, self.unit_table.meeting(shared, row.outlook))
        if fired:
            self.violations.state(fired, *cost, (word,))

    def end(self, cost: tuple[int, int], word: int) -> None:
        """Count a final state and judge it."""
        self.tally.finals += 1
        if self.tables.properties.of_final and (fired := self.tables.properties.final(self.decode(word))):
            self.violations.state(fired, *cost, (word,))

    def encode(self, state: State) -> int:
        """Return the word of a state."""
        word = self.tables.shared(state.shared) << self.top
        for shift, unit in zip(self.shifts, state.units, strict=True):
            word |= self.unit_table.units(self.tables.unit(unit)) << shift
        return self.canonical(word)

    def decode(self, word: int) -> State:
        """Return the state of a word."""
        numbers = ((word >> shift) & MASK for shift in self.shifts)
        units = tuple(self.tables.unit_value(self.unit_table.units.values[number]) for number in numbers)
        return State(self.tables.shareds.values[word >> self.top], units)

    def canonical(self, word: int) -> int:
        """Sort the units of a state, if they are interchangeable."""
        if not self.symmetry:
            return word
        numbers = sorted((word >> shift) & MASK for shift in self.shifts)
        return word >> self.top << self.top | sum(n << shift for n, shift in zip(numbers, self.shifts, strict=True))

    def path_sets(self, violation: Violation) -> list[Member]:
        """Return the sets of states, one for each step, that the cheapest stories of a violation pass through."""
        states, path_sets = dict.fromkeys(violation.words), list[Member]()
        for steps in range(self.reached[violation.words[0]], 0, -1):
            path_sets.append(self.member(states))
            states = self.before(states, steps - 1)
        return path_sets[::-1]

    @cached_property
    def sources(self) -> dict[int, list[int]]:
        """The states from which a step leads to each state."""
        sources: dict[int, list[int]] = {}
        for word in self.reached:
            for after, _, _ in self.steps(word):
                sources.setdefault(self.canonical(after), []).append(word)
        return sources

    def member(self, words: Iterable[int]) -> Member:
        """Return a test whether a state is among the words."""
        chosen = frozenset(words)
        return lambda state: self.encode(state) in chosen

    def before(self, words: Bucket, steps: int) -> Bucket:
        """Return the states, `steps` steps from the start, that lead to `words`: of those with the fewest faults."""
        found = dict.fromkeys(p for word in words for p in self.sources[word] if self.reached[p] == steps)
        fewest = min(self.tables.faults[p >> self.top] for p in found)
        return {p: None for p in found if self.tables.faults[p >> self.top] == fewest}


def stranded(search: SmallSearch, progress: Progress) -> Violation | None:
    """Return the cheapest hopeful states from which no steps without a fault lead to the goal."""
    able = able_of(search, progress)
    lost = [(search.faults(w), steps, w) for w, steps in search.reached.items() if w not in able]
    due = [one for one in sorted(lost) if progress.due(search.decode(one[2]))]
    if not due:
        return None
    cost = due[0][:2]
    return Violation(*cost, None, [word for *other, word in due if tuple(other) == cost])


def able_of(search: SmallSearch, progress: Progress) -> set[int]:
    """Return the states from which steps without a fault lead to the goal."""
    shareds = search.tables.shareds.values
    queue = [word for word in search.reached if progress.goal(shareds[word >> search.top])]
    able = set(queue)
    for word in queue:
        for before in search.sources.get(word, ()):
            if before not in able and search.faults(before) == search.faults(word):
                able.add(before)
                queue.append(before)
    return able
