"""What the search found so far: for each broken promise its cheapest cost and where such stories end."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fencebench.checker.tables.property_tables import PropertyGroups


@dataclass
class Violation:
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


class Violations:
    """The violations and the witnesses of one search, told in the order of (faults, steps)."""

    def __init__(self, properties: PropertyGroups) -> None:
        self.properties = properties
        self.cheapest: dict[int, Violation] = {}
        self.seen: set[int] = set()

    def best(self) -> tuple[int, int] | None:
        """Return the cost of the cheapest story found."""
        return min((s.cost for s in self.cheapest.values()), default=None)

    def state(self, fired: int, faults: int, steps: int, words: Iterable[Any]) -> None:
        """Take note of claims that strike in states of this cost."""
        self.template(fired, Violation(faults, steps, None, list(words)))

    def step(self, fired: int, faults: int, before: tuple[int, int], words: Iterable[Any]) -> None:
        """Take note of claims that strike on a step from states of cost `before` to a state with `faults`."""
        self.template(fired, Violation(faults, before[1] + 1, before[0], list(words)))

    def template(self, fired: int, new: Violation) -> None:
        """Keep the cheapest violation of each property and every state in which it ends; close a witness."""
        for number in self.properties.sets.values[fired]:
            if self.properties.is_witness(number):
                self.seen.add(number)
                continue
            old = self.cheapest.get(number)
            if old is None or new.rank < old.rank:
                self.cheapest[number] = Violation(new.faults, new.steps, new.before, list(new.words))
            elif new.rank == old.rank:
                old.words.extend(new.words)

    def is_settled(self, number: int, faults: int, steps: int) -> bool:
        """Say whether nothing after the states of this cost can change what is known of a claim."""
        if number in self.seen:
            return True
        found = self.cheapest.get(number)
        return found is not None and found.cost <= (faults, steps + 1)

    def settled(self, faults: int, steps: int) -> list[bool]:
        """Say of each fired whether all its claims are settled."""
        return [all(self.is_settled(n, faults, steps) for n in numbers) for numbers in self.properties.sets.values]
