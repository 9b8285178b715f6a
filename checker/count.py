"""Counts what a search saw, so that a green run can be trusted: actions, faults, outcomes, rules, witnesses."""

from collections import Counter

from checker.promises import Moment, moment_of_step, moment_of_unit, on_final, on_shared, on_step
from checker.result import Coverage
from model.machine import Event, Machine, State, Transition


class Counting:
    """The tally of one search."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.witnesses: set[str] = set()
        self.events: Counter[Event] = Counter()
        self.open = {w.name: w for w in machine.witnesses if not on_final(w)}

    def step(self, before: State, step: Transition) -> None:
        """Count a transition."""
        self.events[step.event] += 1
        for witness in tuple(self.open.values()):
            if on_step(witness) and (step.unit is not None or on_shared(witness)):
                self.see(witness.name, moment_of_step(before, step))

    def arrival(self, state: State, step: Transition | None) -> None:
        """Look for the witnesses that are states."""
        for witness in tuple(self.open.values()):
            if not on_step(witness):
                self.see(witness.name, moment_of_unit(state, 0 if step is None else step.unit or 0))

    def see(self, name: str, moment: Moment) -> None:
        """Close a witness that shows."""
        witness = self.open[name]
        if witness.seen(*moment.read(self.machine, witness.reads)):
            self.witnesses.add(name)
            del self.open[name]

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
