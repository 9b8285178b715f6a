"""The contract between a model and a checker: one shared part and interchangeable units.

A *unit* is a tuple of *parts*. An *action* is given exactly the parts that its parameters name and yields *steps*:
what happened, which parts change, and the *effect* on the shared part that the step presumes. The machine allows
a step when the shared part allows its effect. Equal parts give equal steps, so an action is a table (`tabled`).

A *property* or a *witness* names what it looks at in the same way: a part (`ledger`), the same part after the step
(`after_ledger`), `event`, `shared`, `after_shared`, or `units` (all of them, on final states only). A state is final
when nothing can happen in it but faults and steps that change nothing.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property
from inspect import signature
from typing import Any, NamedTuple

Part = Hashable
Unit = tuple[Part, ...]
Shared = Any
Effect = Hashable
Look = Callable[[Part], Hashable]


class State(NamedTuple):
    """The shared part and every unit; hashable, and equal only if all of it is."""

    shared: Shared
    units: tuple[Unit, ...]


class Event(NamedTuple):
    """What happened in a step, in the words that a trace, a count and a picture need.

    `outcome` is the answer, or the class of a refusal; `rule` is the `boundary.rule` that answered and `behind` the
    rules that would have answered had it not stood before them. `message` identifies a row in flight.
    """

    action: str
    actor: str = ""
    target: str = ""
    label: str = ""
    outcome: str = ""
    rule: str = ""
    behind: tuple[str, ...] = ()
    fault: str = ""
    epoch: int | None = None
    message: Hashable = None


class Step(NamedTuple):
    """One alternative of an action: the event, the parts it changes by name, the effect it presumes (or None)."""

    event: Event
    changes: tuple[tuple[str, Part], ...] = ()
    effect: Effect = None


class SharedStep(NamedTuple):
    """One alternative of an action of the shared part."""

    event: Event
    shared: Shared


class Transition(NamedTuple):
    """A step of the whole machine; `unit` is the index of the unit that moved, None for the shared part."""

    unit: int | None
    event: Event
    after: State


class LeaseTold(NamedTuple):
    """A lease as a person sees it: epoch, standing on the driver's clock and on the worker's, whether it has a host.

    `age_seconds` is the lower end of its age on the driver's clock, `margin_seconds` the age at which the margin
    begins; `held` says that nobody renews it for now.
    """

    epoch: int
    driver: str
    worker: str
    running: bool
    age_seconds: int
    offset_seconds: int
    margin_seconds: int
    held: bool


class Told(NamedTuple):
    """A step as a person sees it: (part, field, old, new) of what changed, most telling first, and the leases after."""

    changed: tuple[tuple[str, str, str, str], ...] = ()
    leases: tuple[LeaseTold, ...] = ()


@dataclass(frozen=True)
class Action:
    """A named generator of steps and the parts it reads, in the order of its parameters.

    It is given what it `looks` at: of each part what that function returns, or where it is None the part itself.
    """

    name: str
    reads: tuple[str, ...]
    answer: Callable[..., tuple[Step, ...]]
    looks: tuple[Look | None, ...]

    def steps(self, *parts: Part) -> tuple[Step, ...]:
        """Return the steps that are offered to these parts."""
        return self.answer(*[p if look is None else look(p) for p, look in zip(parts, self.looks, strict=True)])


def every(event: Event) -> bool:
    """Say that any event concerns a claim."""
    return True


@dataclass(frozen=True)
class Property:
    """A named promise. `fails` says which conjunct failed and for which value, or None while the promise holds.

    A promise that reads `event` is asked of those that it is `about`, and holds on all others.
    """

    name: str
    reads: tuple[str, ...]
    fails: Callable[..., str | None]
    claim: str = ""
    about: Callable[[Event], bool] = every


@dataclass(frozen=True)
class Witness:
    """A named state or step that must be reachable, or a green run means nothing; `about` as in a property."""

    name: str
    reads: tuple[str, ...]
    seen: Callable[..., bool]
    about: Callable[[Event], bool] = every


@dataclass(frozen=True)
class Progress:
    """A promise on the state graph: from every hopeful state the `goal` stays reachable without a further fault.

    Whether a state is `hopeful` depends on its shared part and on the `outlook` of each unit.
    """

    name: str
    goal: Callable[[Shared], bool]
    outlook: Callable[[Unit], Hashable]
    hopeful: Callable[[Shared, tuple[Any, ...]], bool]

    def due(self, state: State) -> bool:
        """Say whether the goal must be reachable from a state."""
        return self.hopeful(state.shared, tuple(map(self.outlook, state.units)))


@dataclass(frozen=True)
class Machine:
    """A whole model: parts, initial state, actions, promises, and how the shared part answers an effect.

    `housekeeping` names actions that a variant of the model may lack or add: a replay skips or inserts them.
    """

    parts: tuple[str, ...]
    initial: State
    actions: tuple[Action, ...]
    allow: Callable[[Shared, Effect], Shared | None]
    faults: Callable[[Shared], int]
    shared_actions: tuple[Callable[[Shared], Iterable[SharedStep]], ...] = ()
    properties: tuple[Property, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    tell: Callable[[State, Transition], Told] = lambda before, step: Told()
    housekeeping: frozenset[str] = frozenset()
    progress: Progress | None = None
    place: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {name: i for i, name in enumerate(self.parts)})

    @cached_property
    def unit_steps(self) -> Callable[[Unit], tuple[Step, ...]]:
        """Return the function from a unit to every step it proposes, whatever the shared part may say to it."""
        asked = [(action.steps, [self.place[name] for name in action.reads]) for action in self.actions]
        return cache(lambda unit: tuple(s for steps, at in asked for s in steps(*[unit[i] for i in at])))

    def changed(self, unit: Unit, changes: Iterable[tuple[str, Part]]) -> Unit:
        """Return the unit with the named parts replaced."""
        parts = list(unit)
        for name, part in changes:
            parts[self.place[name]] = part
        return tuple(parts)

    def successors(self, state: State) -> Iterator[Transition]:
        """Yield the next-state relation: every step of every unit that the shared part allows, then its own."""
        for i, unit in enumerate(state.units):
            for step in self.unit_steps(unit):
                shared = state.shared if step.effect is None else self.allow(state.shared, step.effect)
                if shared is not None:
                    moved = self.changed(unit, step.changes)
                    units = (*state.units[:i], moved, *state.units[i + 1 :])
                    yield Transition(i, step.event, State(shared, units))
        for action in self.shared_actions:
            for own in action(state.shared):
                yield Transition(None, own.event, State(own.shared, state.units))


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the names that a function asks for, keyword-only ones left out: they are bound beforehand."""
    kinds = signature(function).parameters.values()
    return tuple(p.name for p in kinds if p.kind is not p.KEYWORD_ONLY)


def tabled(
    name: str, reads: tuple[str, ...], steps: Callable[..., Iterable[Step]], looks: tuple[Look | None, ...] = ()
) -> Action:
    """Make an action whose answers are computed once for each distinct value of what it looks at (all, by default)."""

    @cache
    def table(*parts: Part) -> tuple[Step, ...]:
        try:
            return tuple(steps(*parts))
        except Exception as error:
            error.add_note(f"in action {name}, reading {dict(zip(reads, parts, strict=True))}")
            raise

    return Action(name, reads, table, looks or (None,) * len(reads))
