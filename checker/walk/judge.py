"""Asks the promises after each step: those that can have changed their answer, and none twice about the same things."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from fencebench.checker.search.properties import Promises, Question, Valuation, concerns, of_state, of_step
from fencebench.checker.walk.proposals import Numbered
from fencebench.model.machine import Machine, State, Transition


class Remembered:
    """A question and its answers so far, by the numbers of what it looks at."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.answers: dict[tuple[Any, ...], str | None] = {}

    def ask(self, numbers: Valuation, seen: Valuation) -> str | None:
        """Return why the promise is broken at what is seen, if it is; `numbers` is the same in numbers."""
        key = self.question.look(numbers)
        if key not in self.answers:
            self.answers[key] = self.question.claim.why(*self.question.look(seen))
        return self.answers[key]


def remembered(questions: Iterable[Question]) -> tuple[Remembered, ...]:
    """Make questions that remember their answers."""
    return tuple(map(Remembered, questions))


def broken(questions: Iterable[Remembered], numbers: Valuation, seen: Valuation) -> Iterator[tuple[str, str]]:
    """Yield the name of each promise that is broken at what is seen, and why."""
    for question in questions:
        why = question.ask(numbers, seen)
        if why is not None:
            yield question.question.claim.name, why


class Judge:
    """The promises of a machine, asked in the order in which a search asks them."""

    def __init__(self, machine: Machine) -> None:
        self.parts = machine.parts
        self.promises = Promises.of(machine)
        self.unit_step = remembered(self.promises.unit_step)
        self.shared_step = remembered(self.promises.shared_step)
        self.unit_state = remembered(self.promises.unit_state)
        self.shared_state = remembered(self.promises.shared_state)
        self.concerned: dict[int, tuple[tuple[Remembered, ...], tuple[Remembered, ...]]] = {}
        self.readers = cache(self.find_readers)

    def find_readers(self, changed: Numbered) -> tuple[Remembered, ...]:
        """Return what is asked of a unit whose parts at these places have changed; the others answer as before."""
        kept = set(self.parts) - {self.parts[i] for i in changed}
        return tuple(q for q in self.unit_state if not set(q.question.claim.reads) <= kept)

    def about(self, event: int, seen: Valuation) -> tuple[tuple[Remembered, ...], tuple[Remembered, ...]]:
        """Return what is asked about a step with this event: of the unit, and of the shared part."""
        if event not in self.concerned:
            of_unit, of_shared = (
                tuple(q for q in questions if concerns(q.question.claim, seen))
                for questions in (self.unit_step, self.shared_step)
            )
            self.concerned[event] = of_unit, of_shared
        return self.concerned[event]

    def of_step(
        self, before: State, step: Transition, units: tuple[Numbered, Numbered], told: Numbered
    ) -> Iterator[tuple[str, str]]:
        """Yield what a step breaks; `told` numbers the event, and the shared part before and after."""
        numbers, seen = Valuation(units[0], units[1], told[0], told[1], told[2], 0), of_step(before, step)
        of_unit, of_shared = self.about(told[0], seen)
        if step.unit is not None:
            yield from broken(of_unit, numbers, seen)
        yield from broken(of_shared, numbers, seen)

    def of_arrival(
        self, state: State, step: Transition, units: tuple[Numbered, Numbered], told: Numbered
    ) -> Iterator[tuple[str, str]]:
        """Yield what the state after a step breaks."""
        shared = (0, told[2], told[2], 0)
        if step.unit is not None and units[0] != units[1]:
            changed = tuple(i for i, (old, new) in enumerate(zip(*units, strict=True)) if old != new)
            yield from broken(self.readers(changed), Valuation(units[1], units[1], *shared), of_state(state, step.unit))
        if told[1] != told[2]:
            yield from broken(self.shared_state, Valuation((), (), *shared), of_state(state, None))
