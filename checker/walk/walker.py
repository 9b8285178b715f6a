"""One run of a machine, step by step: what can be taken now, and which promises the steps so far have broken."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from checker.promises import Promises
from checker.replay import StoredStep
from checker.walk.menu import Kitchen, Proposals, names
from model.machine import Effect, Event, Machine, Shared, State, Step, Transition

Subject = Callable[[State, Transition], str | None]
"""A system under test: it is told the state and each step taken in it, and says where its own answer differs."""
SUBJECT = "answers_as_modelled"
"""The promise that a system under test keeps while its answers are the model's."""

RUNS_A_GROUND = 200
"""After so many runs the answers kept are given up: they take half a megabyte a run at ten epochs and eight shards."""


Call = tuple[int | None, str, int | None, str]
"""Who does what: unit, action, epoch, fault."""
NOTHING: dict[Effect, list[Step]] = {}


class Option(NamedTuple):
    """A step that can be taken now: by which unit (None: the shared part), and the shared part after it."""

    unit: int | None
    event: Event
    changes: tuple[tuple[str, Any], ...]
    shared: Shared


class Ground:
    """What all runs of one machine have in common: `faults` names those that may strike, `ordinary` all other rules."""

    def __init__(self, machine: Machine, faults: tuple[str, ...], subject: Subject | None = None) -> None:
        self.machine = machine
        self.faults = faults
        self.subject = subject
        self.promises = Promises.of(machine)
        self.kitchen = Kitchen(machine)
        self.proposals = [self.kitchen.propose(unit) for unit in machine.initial.units]
        named = (*names(machine.actions), *(name_of(action) for action in machine.shared_actions))
        self.ordinary = tuple(name for name in named if name not in faults)


class Site:
    """Ground for many runs, laid anew from time to time: a machine keeps its answers, and walks ask ever new ones."""

    def __init__(self, make: Callable[[], Machine], faults: tuple[str, ...], subject: Subject | None = None) -> None:
        self.make, self.faults, self.subject = make, faults, subject
        self.ground = self.lay()
        self.runs = 0

    def lay(self) -> Ground:
        """Lay new ground."""
        return Ground(self.make(), self.faults, self.subject)

    def only(self, promise: str) -> "Site":
        """Return a site on which nothing but this promise is asked for."""

        def make() -> Machine:
            machine = self.make()
            return replace(machine, properties=tuple(p for p in machine.properties if p.name == promise))

        return Site(make, self.faults, self.subject if promise == SUBJECT else None)

    def next_ground(self) -> Ground:
        """Return the ground of the next run."""
        self.runs += 1
        if self.runs % RUNS_A_GROUND == 0:
            self.ground = self.lay()
        return self.ground


def call(wanted: StoredStep) -> Call:
    """Return who does what in a stored step, whatever it says."""
    return wanted.unit, wanted.action, wanted.epoch, wanted.fault


def called(unit: int | None, event: Event) -> Call:
    """Return who does what in an event, whatever it says."""
    return unit, event.action, event.epoch, event.fault


def name_of(action: Any) -> str:
    """Name an action of the shared part; it may have arguments bound."""
    return str(getattr(action, "func", action).__name__)


class Walker:
    """A run under way. `broken` are the promises broken so far, each with the step (from 1) and the first reason.

    Only the first `active` units act; the others wait.
    """

    def __init__(self, ground: Ground) -> None:
        self.active = len(ground.proposals)
        self.ground = ground
        self.machine = ground.machine
        self.state = ground.machine.initial
        self.proposals: list[Proposals] = list(ground.proposals)
        self.offers: dict[str, dict[int, dict[Effect, list[Step]]]] = {}
        for i in range(len(self.proposals)):
            self.offer(i)
        self.trace: list[Transition] = []
        self.broken: dict[str, tuple[int, str]] = {}
        self.possible: dict[str, bool] = {}
        self.answers: dict[Effect, Shared | None] = {None: self.state.shared}
        self.own = self.own_options()
        self.note(ground.promises.of_arrival(self.state, None))

    @property
    def faults(self) -> int:
        """How many faults have struck."""
        return self.machine.faults(self.state.shared)

    def options_of(self, rule: str, unit: int) -> Iterator[Option]:
        """Yield a unit's steps under a rule that the shared part allows now."""
        for effect, steps in self.offers[rule][unit].items():
            after = self.after(effect)
            if after is not None:
                yield from (Option(unit, step.event, step.changes, after) for step in steps)

    def after(self, effect: Effect) -> Shared | None:
        """Return the shared part after an effect, or None where it does not allow it now."""
        if effect not in self.answers:
            self.answers[effect] = self.machine.allow(self.state.shared, effect)
        return self.answers[effect]

    def options(self, rule: str) -> Iterator[Option]:
        """Yield all steps under a rule that the shared part allows now, of the units that act."""
        for unit in self.offers.get(rule, ()):
            if unit < self.active:
                yield from self.options_of(rule, unit)
        yield from self.own.get(rule, ())

    def pick(self, rule: str, unit: int, which: int) -> Option:
        """Return a step under a rule that can be taken: of that unit or the next that has one, and which of those.

        The same numbers mean the same step as far as they can, so that a walk stays itself while it is shrunk.
        """
        count = self.active
        acting = (i for i in self.offers.get(rule, ()) if i < count)
        for i in sorted(acting, key=lambda i: (i - unit) % count):
            found = list(self.options_of(rule, i))
            if found:
                return found[which % len(found)]
        own = self.own[rule]
        return own[which % len(own)]

    def own_options(self) -> dict[str, list[Option]]:
        """Return the shared part's own steps by rule."""
        found: dict[str, list[Option]] = {}
        for action in self.machine.shared_actions:
            for own in action(self.state.shared):
                option = Option(None, own.event, (), own.shared)
                found.setdefault(own.event.fault or name_of(action), []).append(option)
        return found

    def activate(self, units: int) -> None:
        """Let only the first so many units act."""
        self.active = units
        self.possible.clear()

    def can(self, rule: str) -> bool:
        """Say whether any step under the rule can be taken now."""
        if rule not in self.possible:
            self.possible[rule] = next(self.options(rule), None) is not None
        return self.possible[rule]

    def transition(self, option: Option) -> Transition:
        """Return the step of the whole machine that the option stands for."""
        units, i = self.state.units, option.unit
        if i is not None:
            units = (*units[:i], self.machine.changed(units[i], option.changes), *units[i + 1 :])
        return Transition(i, option.event, State(option.shared, units))

    def find(self, wanted: StoredStep) -> Option | None:
        """Return the step that a story asks for: with its very label, else the same call by the same attempt."""
        same = list(self.matching(call(wanted)))
        return next((o for o in same if o.event.label == wanted.label), next(iter(same), None))

    def matching(self, wanted: Call) -> Iterator[Option]:
        """Yield the steps of this call that can be taken now."""
        unit = wanted[0]
        if unit is None:
            own = (option for options in self.own.values() for option in options)
            yield from (option for option in own if called(None, option.event) == wanted)
            return
        for units in self.offers.values():
            for effect, steps in units.get(unit, NOTHING).items():
                found = [step for step in steps if called(unit, step.event) == wanted]
                after = self.after(effect) if found else None
                if after is not None:
                    yield from (Option(unit, step.event, step.changes, after) for step in found)

    def take(self, option: Option) -> Transition:
        """Take a step, and judge it and where it leads."""
        before, step = self.state, self.transition(option)
        self.trace.append(step)
        self.state = step.after
        if option.unit is not None and option.changes:
            self.renew(option.unit, before)
        self.possible.clear()
        if step.after.shared is not before.shared:
            self.answers = {None: step.after.shared}
            self.own = self.own_options()
        self.judge(before, step)
        return step

    def renew(self, i: int, before: State) -> None:
        """Ask the unit that moved what it proposes now."""
        kitchen = self.ground.kitchen
        self.proposals[i] = kitchen.propose_again(self.proposals[i], before.units[i], self.state.units[i])
        for units in self.offers.values():
            units.pop(i, None)
        self.offer(i)

    def offer(self, i: int) -> None:
        """Lay out what a unit proposes, by rule."""
        for rule, steps in self.ground.kitchen.menu(self.proposals[i]).items():
            self.offers.setdefault(rule, {})[i] = steps

    def judge(self, before: State, step: Transition) -> None:
        """Ask the promises about a step and the state it leads to, and the system under test for its answer."""
        promises = self.ground.promises
        self.note(promises.of_step(before, step))
        self.note(promises.of_arrival(step.after, step))
        if promises.final and self.is_final():
            self.note(promises.of_final(step.after))
        why = self.ground.subject(before, step) if self.ground.subject else None
        self.note([(SUBJECT, why)] if why else [])

    def note(self, broken: Iterable[tuple[str, str]]) -> None:
        """Keep the first reason of each broken promise."""
        for name, why in broken:
            self.broken.setdefault(name, (len(self.trace), why))

    def is_final(self) -> bool:
        """Say whether nothing can happen any more but faults and steps that change nothing; while some wait it can."""
        if self.active < len(self.proposals):
            return False
        struck = self.faults
        ordinary = (option for rule in self.ground.ordinary for option in self.options(rule))
        return not any(self.machine.faults(o.shared) <= struck and self.moves(o) for o in ordinary)

    def moves(self, option: Option) -> bool:
        """Say whether the step changes anything."""
        if option.shared != self.state.shared:
            return True
        if option.unit is None:
            return False
        unit, place = self.state.units[option.unit], self.machine.place
        return any(unit[place[name]] != part for name, part in option.changes)
