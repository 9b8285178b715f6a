"""One shard against the most general environment: whatever any number of other shards may do to it.

Shards meet in the shared part alone, so all that the others can do to a shard is to change the answers it gets there.
The general environment gives every answer that depends on the run's totals or its report, and forgets the totals. It
keeps the fault budgets, the alias and the driver's incarnation, which no other shard can restore. Each run of any
number of shards, seen from one of them, is therefore a run of this machine, with no more faults and no more steps.

What is said of one shard is judged as it is. What is said of the totals is shown step by step: whoever adds to them
has to presume that there is room, whatever they are (`unproved`). What is said of the whole run is not covered.
Source: design section 3, "Shards meet only in the shared part".
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any, NamedTuple

from fencebench.model.fence import Refusal
from fencebench.model.machine import (
    REFUSED,
    Action,
    Event,
    Machine,
    Property,
    Refused,
    SharedStep,
    State,
    Step,
    Transition,
)
from fencebench.model.machines import shared
from fencebench.model.machines.shared import Effect, Shared
from fencebench.model.promises.catalogue import PROMISES
from fencebench.model.promises.promise import ONE_SHARD_SUFFICES
from fencebench.model.settings import ALL_FAULTS

OF_TOTALS = " of the totals"
SPEND, METER, DENIAL = (
    f"{name}{OF_TOTALS}" for name in ("spend_under_ceiling", "meter_under_ceiling", "rejections_classified")
)
UNPROVED = {
    SPEND: "a step promises more tokens and does not presume that the ceiling covers them",
    METER: "a call burns tokens and does not presume that the ceiling covers them",
    DENIAL: "OVER_CEILING is answered, and nothing presumes that the ceiling is short",
}
"""What is said of the run's totals, and how a step fails to keep it whatever they are."""

NOT_COVERED = {promise.name: str(promise.scope) for promise in PROMISES if promise.scope not in ONE_SHARD_SUFFICES}
"""Promises about which one shard says nothing, and what they look at; witnesses are not looked for either."""

ON_ALL = tuple(fault.name for fault in ALL_FAULTS if fault.felt_by_all)
"""Faults that strike every shard at once, and that a shard can tell."""


class Surroundings(NamedTuple):
    """What of the shared part one shard can tell, its totals left at nothing, and the promises `unproved` so far."""

    known: Shared
    unproved: tuple[str, ...] = ()


class Met(NamedTuple):
    """What a step's effect is to the general environment, and the promises about totals that it leaves unproved."""

    effect: Effect
    unproved: tuple[str, ...] = ()


def general(machine: Machine) -> Machine:
    """Return the machine of one shard among any number of others, given that of one shard alone."""
    return replace(
        machine,
        initial=State(Surroundings(machine.initial.shared), machine.initial.units),
        actions=tuple(map(met, machine.actions)),
        allow=cache(allow),
        faults=faults,
        shared_actions=(partial(struck, machine=machine),),
        properties=(*filter(of_one_shard, machine.properties), *of_totals()),
        witnesses=(),
        describe=partial(described, machine=machine),
        progress=None,
    )


def of_one_shard(claim: Property) -> bool:
    """Say whether a promise looks at one shard alone."""
    return not {"shared", "after_shared", "units"} & {*claim.reads}


def of_totals() -> Iterator[Property]:
    """Yield the promises about totals: each is kept while no step leaves it unproved."""
    for name, why in UNPROVED.items():
        yield Property(name, ("shared", "after_shared"), partial(newly_unproved, name=name, why=why))


def newly_unproved(before: Surroundings, after: Surroundings, *, name: str, why: str) -> str | None:
    """Say why the step leaves a promise unproved, or None."""
    return why if name in after.unproved and name not in before.unproved else None


def met(action: Action) -> Action:
    """Return the action with its effects as the general environment takes them."""

    @cache
    def answer(*parts: object) -> tuple[Step, ...]:
        return tuple(dict.fromkeys(step._replace(effect=meeting(step)) for step in action.answer(*parts)))

    return replace(action, answer=answer)


def meeting(step: Step) -> Met | None:
    """Return what the environment has to do with a step: nothing, where it forgets all that the step is about."""
    effect = step.effect if isinstance(step.effect, Effect) else Effect()
    kept = Effect(effect.fault, alias=effect.alias, incarnation=effect.incarnation, outlived=effect.outlived)
    open_ = tuple(unproved(step.event, effect))
    return Met(kept, open_) if open_ or kept != Effect() else None


def unproved(event: Event, effect: Effect) -> Iterator[str]:
    """Yield the promises about totals that a step does not keep whatever the totals are.

    Where `asks` tokens fit, so does an addition of no more; where they do not fit, neither do more.
    """
    promised = effect.held + effect.committed + effect.written_off
    if promised > 0 and not (effect.fits and effect.asks >= promised):
        yield SPEND
    if effect.burned > 0 and not (effect.covered and effect.draws >= effect.burned):
        yield METER
    if event.outcome == Refusal.OVER_CEILING and not denied(event, effect):
        yield DENIAL


def denied(event: Event, effect: Effect) -> bool:
    """Say whether a step presumes that the tokens its request names are above the ceiling."""
    short = {"reserve": (effect.fits, effect.asks), "grade": (effect.covered, effect.draws)}
    presumed, tokens = short.get(event.action, (None, 0))
    return presumed is False and tokens <= getattr(event.message, "tokens", 0)


def allow(around: Surroundings, met: Met) -> Surroundings | Refused:
    """Return the surroundings after a step; every presumption about totals and the report is allowed."""
    known = shared.allow(around.known, met.effect)
    if known is REFUSED:
        return REFUSED
    return Surroundings(known, tuple(sorted({*around.unproved, *met.unproved})))


def faults(around: Surroundings) -> int:
    """Return how many faults have struck the shard, its driver or its alias."""
    return shared.faults(around.known)


def struck(around: Surroundings, *, machine: Machine) -> Iterator[SharedStep]:
    """Yield the faults that strike every shard at once."""
    for action in machine.shared_actions:
        for step in action(around.known):
            if step.event.fault in ON_ALL:
                yield SharedStep(step.event, around._replace(known=step.shared))


def described(before: State, step: Transition, *, machine: Machine) -> Any:
    """Describe a step of the general machine."""
    after = step.after._replace(shared=step.after.shared.known)
    return machine.describe(before._replace(shared=before.shared.known), step._replace(after=after))
