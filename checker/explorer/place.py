"""Where a person stands in a model: the list of choices that led there, what can be chosen next, what each breaks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fencebench.checker.errors import BadInput
from fencebench.checker.search.properties import Promises
from fencebench.checker.search.replay import StoredStep, follow, is_final
from fencebench.model.machine import Machine, State, Transition

BASE = 36
MOST = 400
"""Choices that an address may name."""


@dataclass(frozen=True)
class Option:
    """A step that can be chosen: its number, and each promise that it would break with the reason."""

    number: int
    step: Transition
    breaks: tuple[tuple[str, str], ...]
    nothing: bool


@dataclass(frozen=True)
class Place:
    """A state and the way to it."""

    desk: "Desk"
    choices: tuple[int, ...]
    trace: tuple[Transition, ...]

    @property
    def state(self) -> State:
        """The state after the last choice."""
        return self.trace[-1].after if self.trace else self.desk.machine.initial

    @cached_property
    def broken(self) -> tuple[tuple[int, str, str], ...]:
        """Every promise broken on the way: the step, the promise, the reason."""
        before, found = self.desk.machine.initial, list[tuple[int, str, str]]()
        for number, step in enumerate(self.trace, 1):
            found += [(number, name, why) for name, why in breaks(self.desk, before, step)]
            before = step.after
        return tuple(found)

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """Every step that can be chosen, in the fixed order of the model."""
        return tuple(
            Option(number, step, self.newly(breaks(self.desk, self.state, step)), step.after == self.state)
            for number, step in enumerate(self.desk.machine.successors(self.state))
        )

    def newly(self, found: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
        """Return those promises that were not broken on the way already."""
        known = {name for _, name, _ in self.broken}
        return tuple((name, why) for name, why in found if name not in known)

    def after(self, steps: Iterable[Transition]) -> "Place":
        """Return the place that these further steps lead to."""
        place = self
        for step in steps:
            number = [*place.desk.machine.successors(place.state)].index(step)
            place = replace(place, choices=(*place.choices, number), trace=(*place.trace, step))
        return place


def breaks(desk: "Desk", before: State, step: Transition) -> tuple[tuple[str, str], ...]:
    """Return the promises that a step breaks: by itself, by where it arrives, or by ending there."""
    found = dict(desk.promises.of_step(before, step)) | dict(desk.promises.of_arrival(step.after, step))
    if step.after != before and is_final(desk.machine, step.after):
        found |= dict(desk.promises.of_final(step.after))
    return tuple(found.items())


@dataclass(frozen=True, eq=False)
class Desk:
    """A machine with its promises sorted once."""

    machine: Machine

    @cached_property
    def promises(self) -> Promises:
        """Its promises by the moment at which each is asked."""
        return Promises.of(self.machine)

    @property
    def start(self) -> "Place":
        """Where every run begins."""
        return Place(self, (), ())

    def at(self, address: str) -> "Place":
        """Return the place that an address names.

        Raises:
            BadInput: it names a choice that is not there.
        """
        place = self.start
        for word in numbers(address):
            options = [*self.machine.successors(place.state)]
            if word >= len(options):
                raise BadInput(f"choice {len(place.choices) + 1} is {word}; here are {len(options)} to choose from")
            place = Place(self, (*place.choices, word), (*place.trace, options[word]))
        return place

    def along(self, steps: Iterable[StoredStep]) -> "Place":
        """Return the place that a stored run leads to, as far as it can be taken here."""
        place = self.start
        for wanted in steps:
            run = follow(self.machine, place.state, wanted)
            if not run:
                break
            place = place.after(run)
        return place


def numbers(address: str) -> Iterator[int]:
    """Yield the choices that an address names.

    Raises:
        BadInput: it is none.
    """
    words = address.split("-") if address else []
    if len(words) > MOST or not all(word.isascii() and word.isalnum() and len(word) < 4 for word in words):
        raise BadInput(f"expected at most {MOST} choices, in base {BASE} with - between them")
    yield from (int(word, BASE) for word in words)


def written(choices: Iterable[int]) -> str:
    """Write choices as an address."""
    return "-".join(digits(number) for number in choices)


def digits(number: int) -> str:
    """Write a number in base 36."""
    signs = "0123456789abcdefghijklmnopqrstuvwxyz"
    return (digits(number // BASE) if number >= BASE else "") + signs[number % BASE]
