"""Why a set of rules breaks a promise, as a condition on any other set: the rules a story needs, those that stop it.

A story depends on the answers along it, and an answer on the first rule that applies. So every set that has the rules
which answered (`needs`), and none of those that would have answered otherwise (`stops`), has the same story. What ends
in a state, because nothing follows it or because the goal is out of reach, depends on the answers to whatever could
follow as well.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from checker.promises import on_final
from checker.result import Finding
from model.fence import BOUNDARIES
from model.machine import Event, Machine, State, Transition

Rules = frozenset[str]
Build = Callable[[Rules], Machine]
"""Builds the machine of a fence that has these rules only."""


class Scene(NamedTuple):
    """A state and the steps there that a story depends on; `whole`: also on there being no others but faults."""

    state: State
    steps: tuple[Transition, ...]
    whole: bool = False


@dataclass(frozen=True)
class Reason:
    """Sets with all of `needs` and none of `stops` break the promise; `stops` are minimal one by one, not together."""

    promise: str
    needs: Rules
    stops: Rules

    def holds(self, rules: Rules) -> bool:
        """Say whether it condemns a set of rules."""
        return self.needs <= rules and not self.stops & rules


def calm(machine: Machine, state: State) -> tuple[Transition, ...]:
    """Return the steps of a state that are no faults."""
    return tuple(step for step in machine.successors(state) if not step.event.fault)


def ahead(machine: Machine, state: State) -> Iterator[Scene]:
    """Yield every state that can still be reached without a fault."""
    reached, queue = {state}, [state]
    for place in queue:
        steps = calm(machine, place)
        yield Scene(place, steps, True)
        queue += [after for after in dict.fromkeys(t.after for t in steps) if after not in reached]
        reached.update(queue)


def scenes(machine: Machine, found: Finding) -> Iterator[Scene]:
    """Yield all that a story depends on."""
    state = machine.initial
    for step in found.trace:
        yield Scene(state, (step,))
        state = step.after
    asked = [claim for claim in machine.properties if claim.name == found.property]
    if not asked:  # judged on the state graph
        yield from ahead(machine, state)
    elif any(on_final(claim) for claim in asked):
        yield Scene(state, calm(machine, state), True)


def answer(step: Transition) -> tuple[int | None, Event, State]:
    """Return a step without the rules that stand behind the one that answered."""
    return step.unit, step.event._replace(behind=()), step.after


def same(machine: Machine, story: Iterable[Scene]) -> bool:
    """Say whether the machine gives every answer that the story depends on."""
    for scene in story:
        steps = calm(machine, scene.state) if scene.whole else tuple(machine.successors(scene.state))
        answers, wanted = {answer(t) for t in steps}, {answer(t) for t in scene.steps}
        if not (wanted == answers if scene.whole else wanted <= answers):
            return False
    return True


def reason(build: Build, rules: Rules, everything: Rules, found: Finding) -> Reason:
    """Learn from a story of this set of rules what it says about others."""
    story = tuple(scenes(build(rules), found))
    answered = frozenset(step.event.rule for scene in story for step in scene.steps) & rules
    stops = frozenset(name for name in everything - rules if not same(build(rules | {name}), story))
    return Reason(found.property, answered | visited(build, rules, answered, story), stops)


def visited(build: Build, rules: Rules, answered: Rules, story: tuple[Scene, ...]) -> Rules:
    """Return the rules of boundaries that the story visits though none of them answers: without any it would not."""
    needed = set[str]()
    for boundary in BOUNDARIES:
        mine = frozenset(name for name in rules if name.startswith(f"{boundary}."))
        if mine and not mine & answered and not same(build(rules - mine), story):
            needed |= mine
    return frozenset(needed)
