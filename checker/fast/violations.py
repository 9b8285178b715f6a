"""What the search found so far: for each broken promise its cheapest cost and where such stories end."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fencebench.checker.tables.property_tables import Questions


@dataclass
class Suspicion:
    """A broken promise: the cost of its cheapest stories, and the states (words) in which they end.

    `before` is the fault count of those states when it is their next step that breaks the promise, None when it is
    the state itself.
    """

    faults: int
    steps: int
    before: int | None
    words: list[Any]

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.faults, self.steps

    @property
    def rank(self) -> tuple[int, int, int]:
        """Order among stories: cost, then the one whose last fault strikes latest; a broken step before a state."""
        return self.faults, self.steps, self.faults + 1 if self.before is None else self.before


class Docket:
    """The suspicions and the witnesses of one search, told in the order of (faults, steps)."""

    def __init__(self, questions: Questions) -> None:
        self.questions = questions
        self.suspicions: dict[int, Suspicion] = {}
        self.seen: set[int] = set()

    def best(self) -> tuple[int, int] | None:
        """Return the cost of the cheapest story found."""
        return min((s.cost for s in self.suspicions.values()), default=None)

    def state(self, alarm: int, faults: int, steps: int, words: Iterable[Any]) -> None:
        """Take note of claims that strike in states of this cost."""
        self.offer(alarm, Suspicion(faults, steps, None, list(words)))

    def step(self, alarm: int, faults: int, before: tuple[int, int], words: Iterable[Any]) -> None:
        """Take note of claims that strike on a step from states of cost `before` to a state with `faults`."""
        self.offer(alarm, Suspicion(faults, before[1] + 1, before[0], list(words)))

    def offer(self, alarm: int, new: Suspicion) -> None:
        """Keep the cheapest suspicion of each property and every state in which it ends; close a witness."""
        for number in self.questions.sets.values[alarm]:
            if self.questions.is_witness(number):
                self.seen.add(number)
                continue
            old = self.suspicions.get(number)
            if old is None or new.rank < old.rank:
                self.suspicions[number] = Suspicion(new.faults, new.steps, new.before, list(new.words))
            elif new.rank == old.rank:
                old.words.extend(new.words)

    def settled(self, number: int, faults: int, steps: int) -> bool:
        """Say whether nothing after the states of this cost can change what is known of a claim."""
        if number in self.seen:
            return True
        found = self.suspicions.get(number)
        return found is not None and found.cost <= (faults, steps + 1)

    def deaf(self, faults: int, steps: int) -> list[bool]:
        """Say of each alarm whether all its claims are settled."""
        return [all(self.settled(n, faults, steps) for n in numbers) for numbers in self.questions.sets.values]
