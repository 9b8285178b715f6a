"""A machine as numbers: its parts, events, effects and shared parts interned, its answers tabulated.

The readable model is called once for each distinct value of what it reads; from then on only numbers move.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

from fencebench.checker.search.properties import picker
from fencebench.checker.tables.interning import Numbers
from fencebench.checker.tables.property_tables import COMMON, PropertyGroup, PropertyGroups, View
from fencebench.model.machine import REFUSED, Action, Effect, Event, Look, Machine, Part, Shared, Step, Unit

FORBIDDEN = -1
"""The answer, as a number, to an effect that the shared part refuses."""

SILENCE = Event("")
"""What a group hears, as event number 0, when an event is none of its business."""

UNASKED = -1
"""What fires at a template that was never allowed."""


@dataclass(slots=True, eq=False)
class StepTemplate:
    """A step that an action actions to what it reads (`key`), and the number of its effect.

    Most are never allowed. The rest is known once one is: the event, (place of a part, its new value), what fires at
    the groups whose answers are decided by what the action reads, and the groups that look at more.
    """

    actions: "ActionTable"
    key: View
    step: Step
    effect: int
    event: int = 0
    changes: tuple[tuple[int, int], ...] = ()
    fired: int = UNASKED
    open: tuple[PropertyGroup, ...] = ()


class OwnStep(NamedTuple):
    """A step of the shared part as numbers: event, shared part after it, claims that strike on it."""

    event: int
    shared: int
    fired: int


class Tables:
    """Everything that is known of a machine so far. `check_time` is called before the model is, and may raise."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.properties = q = PropertyGroups(machine)
        self.parts: tuple[Numbers[Part], ...] = tuple(Numbers() for _ in machine.parts)
        self.events: Numbers[Event] = Numbers()
        self.events(SILENCE)
        self.effects: Numbers[Effect] = Numbers()
        self.effects(None)
        self.shareds: Numbers[Any] = Numbers()
        self.faults: list[int] = []
        self.check_time: Callable[[], None] = lambda: None
        asked = (q.of_unit, q.of_shared, q.of_both, q.of_move, q.of_passage, q.of_own_step)
        self.sources = {group: [self.source(name) for name in group.reads] for groups in asked for group in groups}
        self.actions = tuple(ActionTable(self, action) for action in machine.actions)

    def shared(self, value: Shared) -> int:
        """Number a shared part."""
        number = self.shareds(value)
        if number == len(self.faults):
            self.faults.append(self.machine.faults(value))
        return number

    def unit(self, value: Unit) -> View:
        """Number the parts of a unit."""
        return tuple(numbers(part) for numbers, part in zip(self.parts, value, strict=True))

    def unit_value(self, ids: View) -> Unit:
        """Return the unit behind the numbers of its parts."""
        return tuple(numbers.values[i] for numbers, i in zip(self.parts, ids, strict=True))

    def answer(self, shared: int, effect: int) -> int:
        """Return the shared part after an effect, or `FORBIDDEN`."""
        if effect == 0:
            return shared
        self.check_time()
        after = self.machine.answer(self.shareds.values[shared], self.effects.values[effect])
        return FORBIDDEN if after is REFUSED else self.shared(after)

    def own_steps(self, shared: int) -> tuple[OwnStep, ...]:
        """Return the steps that the shared part takes by itself."""
        value = self.shareds.values[shared]
        steps = self.machine.own_steps(value)
        return tuple(self.own_step(shared, self.events(s.event), self.shared(s.shared)) for s in steps)

    def own_step(self, shared: int, event: int, after: int) -> OwnStep:
        """Judge a step of the shared part."""
        ids = {"event": event, "shared": shared, "after_shared": after}
        fired = 0
        for group in self.properties.of_own_step:
            fired = self.properties.join(fired, self.ask(group, tuple(ids[name] for name in group.reads)))
        return OwnStep(event, after, fired)

    def fired(self, groups: tuple[PropertyGroup, ...], valuation: View) -> int:
        """Return what strikes of the claims in some groups that look at a unit and its step alone."""
        fired = 0
        for group in groups:
            ids = group.view(valuation)
            new = group.known.get(ids)
            fired = self.properties.join(fired, self.ask(group, ids) if new is None else new)
        return fired

    def event_for(self, group: PropertyGroup, event: int) -> int:
        """Return the event as a group hears it."""
        return event if group.concerns(self.events.values[event]) else 0

    def ask(self, group: PropertyGroup, ids: View) -> int:
        """Return what fires at a group at the values behind these numbers, one for each name it reads."""
        fired = group.known.get(ids)
        if fired is None:
            self.check_time()
            values = tuple([known[i] for known, i in zip(self.sources[group], ids, strict=True)])
            fired = group.known[ids] = self.properties.fired(group.fires(values))
        return fired

    def source(self, name: str) -> list[Any]:
        """Return the values that are read under a name, by their numbers."""
        if name == "event":
            return self.events.values
        if name in COMMON:
            return self.shareds.values
        return self.parts[self.machine.place[name.removeprefix("after_")]].values


class Projection:
    """What an action looks at of a part, by the number of the part."""

    def __init__(self, parts: Numbers[Part], look: Look | None) -> None:
        self.parts, self.look = parts, look
        self.seen: Numbers[Any] = parts if look is None else Numbers()
        self.known: list[int] = []

    def __call__(self, part: int) -> int:
        """Return the number of what is seen of a part."""
        if self.look is None:
            return part
        while len(self.known) <= part:
            self.known.append(self.seen(self.look(self.parts.values[len(self.known)])))
        return self.known[part]


class ActionTable:
    """What one action actions, by the numbers of what it reads."""

    def __init__(self, tables: Tables, action: Action) -> None:
        self.tables, self.action = tables, action
        self.places = tuple(tables.machine.place[name] for name in action.reads)
        self.projections = tuple(
            Projection(tables.parts[i], look) for i, look in zip(self.places, action.looks, strict=True)
        )
        self.whole = tuple(i for i, look in enumerate(action.looks) if look is None)
        self.view = picker(self.places)
        self.known: dict[View, tuple[StepTemplate, ...]] = {}
        self.split: dict[View, tuple[tuple[PropertyGroup, ...], tuple[PropertyGroup, ...]]] = {}

    def __call__(self, ids: View) -> tuple[StepTemplate, ...]:
        """Return what is offered to a unit."""
        view = self.view(ids)
        key = (
            view
            if len(self.whole) == len(view)
            else tuple([projection(i) for projection, i in zip(self.projections, view, strict=True)])
        )
        row = self.known.get(key)
        return self.row(key) if row is None else row

    def row(self, key: View) -> tuple[StepTemplate, ...]:
        """Call the action, if it has not been asked this before."""
        if key not in self.known:
            values = [projection.seen.values[number] for projection, number in zip(self.projections, key, strict=True)]
            self.tables.check_time()
            steps, effects = self.tables.machine.ask(self.action, *values), self.tables.effects
            self.known[key] = tuple([StepTemplate(self, key, step, effects(step.effect)) for step in steps])
        return self.known[key]

    def fill(self, template: StepTemplate) -> None:
        """Complete an template of this action that is allowed for the first time."""
        tables, count = self.tables, len(self.tables.parts)
        read = {self.places[i]: template.key[i] for i in self.whole}
        places = ((tables.machine.place[name], part) for name, part in template.step.changes)
        changes = {place: tables.parts[place](part) for place, part in places}
        template.event, template.changes = tables.events(template.step.event), tuple(changes.items())
        valuation = (
            read | {count + place: part for place, part in (read | changes).items()} | {2 * count: template.event}
        )
        closed, still_open = self.groups(tuple(changes))
        template.open = tuple(p for p in still_open if p.concerns(template.step.event))
        asked = [
            tables.ask(p, tuple([valuation[i] for i in p.places])) for p in closed if p.concerns(template.step.event)
        ]
        template.fired = reduce(tables.properties.join, asked, 0)

    def groups(self, changed: View) -> tuple[tuple[PropertyGroup, ...], tuple[PropertyGroup, ...]]:
        """Return the groups that see nothing but what the action reads and these changes, and the others."""
        if changed not in self.split:
            count = len(self.tables.parts)
            read = [self.places[i] for i in self.whole]
            seen = {*read, *(count + place for place in (*read, *changed)), 2 * count}
            groups = self.tables.properties.of_move
            closed = tuple(p for p in groups if seen.issuperset(p.places))
            self.split[changed] = closed, tuple(p for p in groups if p not in closed)
        return self.split[changed]
