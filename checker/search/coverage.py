"""Counts what a search saw, so that a green run can be trusted: actions, faults, outcomes, rules, witnesses."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from fencebench.checker.search.properties import (
    Valuation,
    concerns,
    lookup,
    of_state,
    of_step,
    on_final,
    on_shared,
    on_step,
)
from fencebench.checker.search.result import Coverage
from fencebench.model.machine import Event, Machine, State, Transition, Witness

Look = tuple[Witness, Callable[[Valuation], tuple[Any, ...]]]


class Counting:
    """The tally of one search."""

    def __init__(self, machine: Machine) -> None:
        self.events: Counter[Event] = Counter()
        self.witnesses: set[str] = set()
        looks = [(w, lookup(machine.parts, w)) for w in machine.witnesses]
        self.of_steps = [look for look in looks if on_step(look[0])]
        self.of_finals = [look for look in looks if on_final(look[0])]
        self.of_states = [look for look in looks if not on_step(look[0]) and not on_final(look[0])]

    def step(self, before: State, step: Transition) -> None:
        """Count a transition, and look for the witnesses that are steps."""
        self.events[step.event] += 1
        if self.of_steps:
            self.of_steps = self.unseen(self.of_steps, of_step(before, step), step.unit)

    def arrival(self, state: State, step: Transition | None) -> None:
        """Look for the witnesses that are states."""
        unit = 0 if step is None else step.unit
        if self.of_states:
            self.of_states = self.unseen(self.of_states, of_state(state, unit), unit)

    def final(self, state: State) -> None:
        """Look for the witnesses that are states in which nothing can happen any more."""
        if self.of_finals:
            self.of_finals = self.unseen(self.of_finals, of_state(state, None), None)

    def unseen(self, looks: list[Look], seen: Valuation, unit: int | None) -> list[Look]:
        """Close the witnesses that show at what is seen; return the others."""
        for witness, look in looks:
            alone, asked = on_shared(witness) or on_final(witness), concerns(witness, seen)
            if asked and (alone or unit is not None) and witness.seen(*look(seen)):
                self.witnesses.add(witness.name)
        return [(w, look) for w, look in looks if w.name not in self.witnesses]

    @property
    def coverage(self) -> Coverage:
        """Add up the events by each of their aspects."""
        coverage = Coverage(witnesses=self.witnesses)
        for event, times in self.events.items():
            add_event(coverage, event, times)
        return coverage


def add_event(coverage: Coverage, event: Event, times: int) -> None:
    """Count an event `times` times under its action, fault, outcome and rules."""
    coverage.actions[event.action] += times
    coverage.faults[event.fault] += times
    coverage.outcomes[event.outcome] += times
    coverage.rules[event.rule] += times
    for rule in event.behind:
        coverage.behind.setdefault(rule, Counter())[event.rule] += times
