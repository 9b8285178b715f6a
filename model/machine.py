"""The contract between a model and a checker: one shared part and interchangeable units.

A *unit* is a tuple of *parts*. An *action* is given exactly the parts that its parameters name and yields *steps*:
what happened, which parts change, and the *effect* on the shared part that the step presumes. The machine allows
a step when the shared part allows its effect. Equal parts give equal steps, so an action is a table (`tabled`).

A *property* or a *witness* names what it looks at in the same way: a part (`ledger`), the same part after the step
(`after_ledger`), `event`, `shared`, `after_shared`, or `units` (all of them, on final states only). A state is final
when nothing can happen in it but faults and steps that change nothing.

A machine that does not keep to this raises `BadMachine`, when it is made or when the step comes up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cache, cached_property, lru_cache, partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple

if TYPE_CHECKING:  # a default for a type variable is known to type checkers, and to Python only from 3.13 on
    from typing_extensions import TypeVar

    S = TypeVar("S", default=Any)
    U = TypeVar("U", bound=tuple[Any, ...], default=Any)
else:
    from typing import TypeVar

    S, U = TypeVar("S"), TypeVar("U")

Part = Hashable
Unit = tuple[Part, ...]
Shared = Any
Effect = Hashable
Look = Callable[[Any], Hashable]


class Refused(Enum):
    """The type of `REFUSED`."""

    REFUSED = "refused"

    def __repr__(self) -> str:
        return self.name


REFUSED: Final = Refused.REFUSED
"""The shared part's answer to an effect that it does not allow. (None is a shared part like any other.)"""


class BadMachine(ValueError):
    """A machine breaks the contract; the message is one line that names the action or the claim, and where."""


class State(NamedTuple, Generic[S, U]):
    """The shared part and every unit; hashable, and equal only if all of it is."""

    shared: S
    units: tuple[U, ...]


class Evidence(NamedTuple):
    """What an answer from outside the model rests on: (part, field, old, new) for a person, as in `StepDescription`.

    `wrong` says what was written otherwise than was answered, or nothing.
    """

    shown: tuple[tuple[str, str, str, str], ...] = ()
    wrong: str = ""


class Event(NamedTuple):
    """What happened in a step, in the words that a trace, a count and a picture need.

    `outcome` is the answer, or the class of a refusal; `rule` is the `boundary.rule` that answered and `behind` the
    rules that would have answered had it not stood before them. `message` identifies a row in flight. `evidence` is
    there where no rule answered but somebody else.
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
    evidence: Evidence | None = None


class Step(NamedTuple):
    """One alternative of an action: the event, the parts it changes by name, the effect it presumes (or None)."""

    event: Event
    changes: tuple[tuple[str, Part], ...] = ()
    effect: Effect = None


class SharedStep(NamedTuple, Generic[S]):
    """One alternative of an action of the shared part."""

    event: Event
    shared: S


class Transition(NamedTuple, Generic[S, U]):
    """A step of the whole machine; `unit` is the index of the unit that moved, None for the shared part."""

    unit: int | None
    event: Event
    after: State[S, U]


@dataclass(frozen=True)
class Action:
    """A named generator of steps and the parts it reads, in the order of its parameters.

    It is given what it `looks` at: of each part what that function returns, or where it is None the part itself.
    """

    name: str
    reads: tuple[str, ...]
    answer: Callable[..., Iterable[Step]]
    looks: tuple[Look | None, ...]

    def seen(self, parts: Iterable[Any]) -> list[Any]:
        """Return what the action is given of the parts that it reads."""
        return [p if look is None else look(p) for p, look in zip(parts, self.looks, strict=True)]


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

    def why(self, *values: Any) -> str | None:
        """Return why the promise is broken at these values of what it reads, or None."""
        reason = self.fails(*values)
        if reason is not None and not isinstance(reason, str):
            raise BadMachine(f"promise {self.name} answers {reason!r}; expected why it is broken, or None")
        return reason


@dataclass(frozen=True)
class Witness:
    """A named state or step that must be reachable, or a green run means nothing; `about` as in a property."""

    name: str
    reads: tuple[str, ...]
    seen: Callable[..., bool]
    about: Callable[[Event], bool] = every


@dataclass(frozen=True)
class Progress(Generic[S, U]):
    """A promise on the state graph: from every hopeful state the `goal` stays reachable without a further fault.

    Whether a state is `hopeful` depends on its shared part and on the `outlook` of each unit.
    """

    name: str
    goal: Callable[[S], bool]
    outlook: Callable[[U], Hashable]
    hopeful: Callable[[S, tuple[Any, ...]], bool]

    def due(self, state: State[S, U]) -> bool:
        """Say whether the goal must be reachable from a state."""
        return self.hopeful(state.shared, tuple(map(self.outlook, state.units)))


def undescribed(before: State[S, U], step: Transition[S, U]) -> None:
    """Say nothing more of a step than its event does."""


@dataclass(frozen=True)
class Machine(Generic[S, U]):
    """A whole model: parts, initial state, actions, promises, and how the shared part answers an effect.

    Attributes:
        parts: the names of a unit's parts, in order.
        initial: where every run begins.
        actions: what a unit may do, in the fixed order that breaks ties between stories.
        allow: the shared part after an effect, or `REFUSED`.
        faults: how many faults have struck; no step makes it fewer.
        shared_actions: what the shared part does by itself.
        properties: promises; those of one name are one promise.
        witnesses: what must be reachable.
        describe: what a report says of a step beside its event; no search looks at it.
        housekeeping: actions that a variant of the model may lack or add: a replay skips or inserts them.
        progress: the promise on the state graph, if any.

    Raises:
        BadMachine: something reads a part that there is not, or a run cannot begin as the initial state says.

    """

    parts: tuple[str, ...]
    initial: State[S, U]
    actions: tuple[Action, ...]
    allow: Callable[[S, Any], S | Refused]
    faults: Callable[[S], int]
    shared_actions: tuple[Callable[[S], Iterable[SharedStep[S]]], ...] = ()
    properties: tuple[Property, ...] = ()
    witnesses: tuple[Witness, ...] = ()
    describe: Callable[[State[S, U], Transition[S, U]], Any] = undescribed
    housekeeping: frozenset[str] = frozenset()
    progress: Progress[S, U] | None = None
    place: dict[str, int] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "place", {name: i for i, name in enumerate(self.parts)})
        for flaw in (*flawed_parts(self), *flawed_reads(self), *flawed_start(self)):
            raise BadMachine(flaw)

    @cached_property
    def unit_steps(self) -> Callable[[U], tuple[Step, ...]]:
        """Return the function from a unit to every step it proposes, whatever the shared part may say to it."""
        return steps_of(self.parts, self.actions)

    def ask(self, action: Action, *seen: Any) -> tuple[Step, ...]:
        """Return the steps that an action offers where it sees these values.

        Raises:
            BadMachine: one of them is no step, or changes what it cannot.
        """
        return answered(action, self.parts, *seen)

    def ask_shared(self, action: Callable[[S], Iterable[SharedStep[S]]], shared: S) -> tuple[SharedStep[S], ...]:
        """Return the steps that an action of the shared part offers.

        Raises:
            BadMachine: one of them is no step of a shared part.
        """
        found = all_of(action(shared))
        for flaw in flawed_shared_steps(found):
            raise BadMachine(f"action {name_of(action)} at {given(('shared',), (shared,))}: {flaw}")
        return found

    def own_steps(self, shared: S) -> Iterator[SharedStep[S]]:
        """Yield what the shared part may do by itself."""
        for action in self.shared_actions:
            yield from self.ask_shared(action, shared)

    def answer(self, shared: S, effect: Effect) -> S | Refused:
        """Return the shared part after an effect, or `REFUSED`.

        Raises:
            BadMachine: what the shared part becomes cannot be told apart from others.
        """
        if effect is None:
            return shared
        after = self.allow(shared, effect)
        if not hashable(after):
            raise BadMachine(f"effect {line(effect)} at {given(('shared',), (shared,))}: {unhashable('shared', after)}")
        return after

    def changed(self, unit: U, changes: Iterable[tuple[str, Part]]) -> U:
        """Return the unit with the named parts replaced."""
        parts: list[Any] = list(unit)
        for name, part in changes:
            parts[self.place[name]] = part
        return tuple(parts)  # type: ignore[return-value]  # a unit is any kind of tuple, and all are compared as such

    def successors(self, state: State[S, U]) -> Iterator[Transition[S, U]]:
        """Yield the next-state relation: every step of every unit that the shared part allows, then its own."""
        for i, unit in enumerate(state.units):
            for step in self.unit_steps(unit):
                shared = self.answer(state.shared, step.effect)
                if shared is not REFUSED:
                    moved = self.changed(unit, step.changes)
                    units = (*state.units[:i], moved, *state.units[i + 1 :])
                    yield Transition(i, step.event, State(shared, units))
        for own in self.own_steps(state.shared):
            yield Transition(None, own.event, State(own.shared, state.units))


@lru_cache(maxsize=64)
def steps_of(parts: tuple[str, ...], actions: tuple[Action, ...]) -> Callable[[Any], tuple[Step, ...]]:
    """Return the function from a unit to every step it proposes; machines of the same actions share what it knows."""
    asked = [(cache(partial(answered, a, parts)), a.looks, [parts.index(name) for name in a.reads]) for a in actions]

    def steps(unit: Unit) -> Iterator[Step]:
        for ask, looks, at in asked:
            yield from ask(*[unit[i] if look is None else look(unit[i]) for i, look in zip(at, looks, strict=True)])

    return cache(lambda unit: tuple(steps(unit)))


def answered(action: Action, parts: tuple[str, ...], *seen: Any) -> tuple[Step, ...]:
    """Return the steps that an action offers where it sees these values.

    Raises:
        BadMachine: one of them is no step, or changes what it cannot.
    """
    found = all_of(action.answer(*seen))
    for flaw in flawed_steps(found, parts):
        raise BadMachine(f"action {action.name} at {given(action.reads, seen)}: {flaw}")
    return found


OF_STEP = ("event", "shared", "after_shared")
"""What a claim may read beside parts: what happened, and the shared part before and after it."""

OF_ALL = "units"
"""What a claim on final states reads: all units."""


def flawed_parts(machine: Machine[Any, Any]) -> Iterator[str]:
    """Yield what is wrong with the names of the parts."""
    taken = [name for name in machine.parts if name in (*OF_STEP, OF_ALL) or name.startswith("after_")]
    yield from (f"a part cannot be called {name}: that name means something else" for name in taken)
    yield from (f"two parts are called {name}" for name in machine.place if machine.parts.count(name) > 1)


def flawed_reads(machine: Machine[Any, Any]) -> Iterator[str]:
    """Yield what reads something that there is not."""
    known = {*machine.parts}
    after = {f"after_{name}" for name in known}
    for action in machine.actions:
        yield from unknown(f"action {action.name}", action.reads, known)
        if len(action.looks) != len(action.reads):
            yield f"action {action.name} reads {len(action.reads)} parts and looks at {len(action.looks)}"
    claims: tuple[Property | Witness, ...] = (*machine.properties, *machine.witnesses)
    for claim in claims:
        kind = "promise" if isinstance(claim, Property) else "witness"
        of_all = {OF_ALL, "shared"} if OF_ALL in claim.reads else {*known, *after, *OF_STEP}
        yield from unknown(f"{kind} {claim.name}", claim.reads, of_all)
        if not claim.reads:
            yield f"{kind} {claim.name} reads nothing; expected some of {', '.join(sorted(of_all))}"


def unknown(who: str, reads: Iterable[str], known: set[str]) -> Iterator[str]:
    """Yield what reads a name that is not known."""
    for name in reads:
        if name not in known:
            yield f"{who} reads {name!r}; expected some of {', '.join(sorted(known)) or 'no part at all'}"


def flawed_start(machine: Machine[Any, Any]) -> Iterator[str]:
    """Yield why no run can begin in the initial state."""
    if not hashable(machine.initial.shared):
        yield f"the initial state: {unhashable('shared', machine.initial.shared)}"
    for i, unit in enumerate(machine.initial.units):
        if len(unit) != len(machine.parts):
            yield f"unit {i} begins with {len(unit)} parts; expected {len(machine.parts)}: {', '.join(machine.parts)}"
        yield from (
            f"unit {i} begins wrong: {flaw}" for flaw in unhashable_parts(zip(machine.parts, unit, strict=False))
        )


def flawed_steps(steps: Sequence[Any], known: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the steps of an action; `known` are the parts that can change."""
    for step in steps:
        if not isinstance(step, Step):
            yield f"it yields {line(step)}; expected a Step"
        elif not is_event(step.event):
            yield f"the event of a step is {line(step.event)}; expected an Event of hashable values"
        elif not hashable(step.effect):
            yield f"a step presumes the effect {line(step.effect)}, which is not hashable"
        else:
            yield from flawed_changes(step.changes, known)


def flawed_changes(changes: Any, known: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the changes of a step."""
    if not isinstance(changes, tuple) or not all(isinstance(c, tuple) and len(c) == 2 for c in changes):
        yield f"a step changes {line(changes)}; expected pairs of a part's name and its new value"
        return
    for name, _ in changes:
        if name not in known:
            yield f"a step changes {name!r}; expected one of {', '.join(known) or 'no part at all'}"
    yield from unhashable_parts(changes)


def flawed_shared_steps(steps: Sequence[Any]) -> Iterator[str]:
    """Yield what is wrong with the steps of an action of the shared part."""
    for step in steps:
        if not isinstance(step, SharedStep):
            yield f"it yields {line(step)}; expected a SharedStep"
        elif not is_event(step.event):
            yield f"the event of a step is {line(step.event)}; expected an Event of hashable values"
        elif not hashable(step.shared):
            yield unhashable("shared", step.shared)


def is_event(event: Any) -> bool:
    """Say whether something is an event that can be counted."""
    return isinstance(event, Event) and hashable(event)


def all_of(steps: Any) -> tuple[Any, ...]:
    """Return all that an action yields; what it returns alone is one answer."""
    return tuple(steps) if isinstance(steps, Iterable) and not isinstance(steps, ALONE) else (steps,)


ALONE = (Step, SharedStep, Event, str)
"""What can be gone through, and yet is one answer."""


def unhashable_parts(parts: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield which parts cannot be told apart from others."""
    yield from (unhashable(name, value) for name, value in parts if not hashable(value))


def unhashable(name: str, value: Any) -> str:
    """Say that a value cannot be told apart from others."""
    return f"{name} becomes {line(value)}, which is not hashable (a tuple or a NamedTuple would be)"


def hashable(value: Any) -> bool:
    """Say whether a value can be told apart from others, itself and in all that it holds."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def given(names: Iterable[str], values: Iterable[Any]) -> str:
    """Write what was read, in one line."""
    return ", ".join(f"{name}={line(value)}" for name, value in zip(names, values, strict=True)) or "nothing"


def line(value: Any) -> str:
    """Write a value in one line."""
    return " ".join(repr(value).split())


def name_of(action: Any) -> str:
    """Name an action of the shared part, which may have arguments bound."""
    return str(getattr(getattr(action, "func", action), "__name__", repr(action)))


@cache
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
            return all_of(steps(*parts))
        except Exception as error:
            error.add_note(f"in action {name}, reading {dict(zip(reads, parts, strict=True))}")
            raise

    return Action(name, reads, table, looks or (None,) * len(reads))
