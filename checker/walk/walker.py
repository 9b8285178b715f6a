"""One run of a machine, step by step: what can be taken now, and which promises the steps so far have broken."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fencebench.checker.search.replay import StoredStep
from fencebench.checker.walk.proposals import Numbered, Offer
from fencebench.checker.walk.tables import SUBJECT, WalkTables
from fencebench.model.machine import REFUSED, Event, Refused, Shared, State, Step, Transition

Call = tuple[int | None, str, int | None, str]
"""Who does what: unit, action, epoch, fault."""


class Option(NamedTuple):
    """A step that can be taken now: by which unit (None: the shared part), and the shared part after it."""

    unit: int | None
    offer: Offer
    shared: Shared

    @property
    def event(self) -> Event:
        """What happens in the step."""
        return self.offer.step.event


def call(wanted: StoredStep) -> Call:
    """Return who does what in a stored step, whatever it says."""
    return wanted.unit, wanted.action, wanted.epoch, wanted.fault


def called(unit: int | None, event: Event) -> Call:
    """Return who does what in an event, whatever it says."""
    return unit, event.action, event.epoch, event.fault


class Walker:
    """A run under way. `broken` are the promises broken so far, each with the step (from 1) and the first reason.

    Only the first `active` units act; the others wait. Only faults that are not `off` strike.
    """

    def __init__(self, tables: WalkTables, off: frozenset[str] = frozenset()) -> None:
        self.tables = tables
        self.machine = tables.machine
        self.state = tables.machine.initial
        self.active = len(self.state.units)
        self.proposed = tables.proposed.copy(off)
        self.numbers = list(tables.numbers)
        self.trace: list[Transition] = []
        self.broken: dict[str, tuple[int, str]] = {}
        self.forget()
        self.note(tables.broken_at_first)

    def forget(self) -> None:
        """Forget what the shared part answered: it is another one now."""
        self.shared_number = self.tables.shareds(self.state.shared)
        self.answers: dict[int, Shared | Refused] = {}
        self.own: dict[str, list[Option]] = {}
        self.possible: dict[str, bool] = {}

    @property
    def faults(self) -> int:
        """How many faults have struck."""
        return self.machine.faults(self.state.shared)

    def after(self, offer: Offer) -> Shared | Refused:
        """Return the shared part after a step, or `REFUSED` where it does not allow it now."""
        number = offer.presumes
        if number not in self.answers:
            self.answers[number] = self.machine.answer(self.state.shared, offer.step.effect)
        return self.answers[number]

    def allowed(self, unit: int, offers: Iterable[Offer]) -> Iterator[Option]:
        """Yield the offers of a unit that the shared part allows now."""
        for offer in offers:
            after = self.after(offer)
            if after is not REFUSED:
                yield Option(unit, offer, after)

    def own_options(self, rule: str) -> list[Option]:
        """Return the shared part's own steps under a rule."""
        if rule not in self.own:
            actions, shared = self.tables.own.get(rule, ()), self.state.shared
            steps = [step for action in actions for step in self.machine.ask_shared(action, shared)]
            number = self.tables.action_tables.offer
            self.own[rule] = [Option(None, number(Step(step.event)), step.shared) for step in steps]
        return self.own[rule]

    def options(self, rule: str) -> Iterator[Option]:
        """Yield all steps under a rule that the shared part allows now, of the units that act."""
        for unit in range(self.active):
            yield from self.allowed(unit, self.proposed.offers(rule, unit))
        yield from self.own_options(rule)

    def pick(self, rule: str, unit: int, which: int) -> Option:
        """Return a step under a rule that can be taken: of that unit or the next that has one, and which of those.

        The same numbers mean the same step as far as they can, so that a walk stays itself while it is shrunk.
        """
        for i in range(self.active):
            turn = (unit + i) % self.active
            found = list(self.allowed(turn, self.proposed.offers(rule, turn)))
            if found:
                return found[which % len(found)]
        own = self.own_options(rule)
        return own[which % len(own)]

    def activate(self, units: int) -> None:
        """Let only the first so many units act."""
        self.active = units
        self.possible.clear()

    def can(self, rule: str) -> bool:
        """Say whether any step under the rule can be taken now."""
        if rule not in self.possible:
            offered = any(self.after(offer) is not REFUSED for offer in self.proposed.under(rule, self.active))
            self.possible[rule] = offered or (rule in self.tables.own and bool(self.own_options(rule)))
        return self.possible[rule]

    def transition(self, option: Option) -> Transition:
        """Return the step of the whole machine that the option stands for."""
        units, i = self.state.units, option.unit
        if i is not None:
            units = (*units[:i], self.machine.changed(units[i], option.offer.step.changes), *units[i + 1 :])
        return Transition(i, option.event, State(option.shared, units))

    def find(self, wanted: StoredStep) -> Option | None:
        """Return the step that a story asks for: with its very label, else the same call by the same attempt."""
        same = list(self.matching(call(wanted)))
        return next((o for o in same if o.event.label == wanted.label), next(iter(same), None))

    def matching(self, wanted: Call) -> Iterator[Option]:
        """Yield the steps of this call that can be taken now."""
        unit = wanted[0]
        if unit is None:
            own = (option for rule in self.tables.own for option in self.own_options(rule))
            yield from (option for option in own if called(None, option.event) == wanted)
        elif unit < len(self.numbers):
            offers = (offer for offer in self.proposed.all_offers(unit) if called(unit, offer.step.event) == wanted)
            yield from self.allowed(unit, offers)

    def take(self, option: Option) -> Transition:
        """Take a step, and judge it and where it leads."""
        before, step = self.state, self.transition(option)
        self.trace.append(step)
        self.state = step.after
        numbers = () if option.unit is None else self.numbers[option.unit]
        if option.unit is not None and option.offer.moves:
            self.move(option.unit, option.offer)
        old = self.shared_number
        if step.after.shared is not before.shared:
            self.forget()
        after = () if option.unit is None else self.numbers[option.unit]
        self.judge(before, step, (numbers, after), (option.offer.event, old, self.shared_number))
        return step

    def move(self, i: int, offer: Offer) -> None:
        """Note the parts that a step changes, and ask the unit what it proposes now."""
        numbers = list(self.numbers[i])
        for place, number in offer.moves:
            numbers[place] = number
        changed = tuple(place for place, number in offer.moves if self.numbers[i][place] != number)
        self.numbers[i] = tuple(numbers)
        touched = self.proposed.renew(i, self.state.units[i], self.numbers[i], changed)
        self.possible = {rule: can for rule, can in self.possible.items() if rule not in touched}

    def judge(self, before: State, step: Transition, units: tuple[Numbered, Numbered], told: Numbered) -> None:
        """Ask the promises about a step and the state it leads to, and the system under test for its answer."""
        judge = self.tables.judge
        self.note(judge.of_step(before, step, units, told))
        self.note(judge.of_arrival(step.after, step, units, told))
        if judge.promises.final and self.is_final():
            self.note(judge.promises.of_final(step.after))
        why = self.tables.subject(before, step) if self.tables.subject else None
        self.note([(SUBJECT, why)] if why else [])

    def note(self, broken: Iterable[tuple[str, str]]) -> None:
        """Keep the first reason of each broken promise."""
        for name, why in broken:
            self.broken.setdefault(name, (len(self.trace), why))

    def is_final(self) -> bool:
        """Say whether nothing can happen any more but faults and steps that change nothing; while some wait it can."""
        if self.active < len(self.numbers):
            return False
        struck = self.faults
        ordinary = (option for rule in self.tables.ordinary if self.can(rule) for option in self.options(rule))
        return not any(self.machine.faults(o.shared) <= struck and self.moves(o) for o in ordinary)

    def moves(self, option: Option) -> bool:
        """Say whether the step changes anything."""
        if option.shared != self.state.shared:
            return True
        return option.unit is not None and any(self.numbers[option.unit][i] != n for i, n in option.offer.moves)
