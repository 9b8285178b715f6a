"""One shard by itself, for a checker that minimises it: its budget of the faults, and what others see of its steps.

How many faults strike each shard, how often the driver crashes and how much else strikes all of them is settled
beforehand: every run has some such shares, and under each of them a shard is small, as it knows when it is done with
faults. A shard knows the driver's incarnation, so that a step which presumes nothing else is nobody else's business.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

from fencebench.model.any_shards import DENIAL, of_one_shard, unproved
from fencebench.model.local_view import LocalView, Split
from fencebench.model.machine import REFUSED, Event, Machine, Refused, SharedStep, State
from fencebench.model.machines import shared
from fencebench.model.machines.shared import Effect, Limits, Shared, index_of
from fencebench.model.settings import FAULTS

MANY = 1 << 30
"""A cap that stops nothing."""

CRASH = FAULTS.index("crash_driver")


class Budget(NamedTuple):
    """Faults that may still strike a shard alone, those that did (forgotten after the last), and the driver's crashes.

    `crashes` are those still to come; `incarnation` counts those that were.
    """

    own: int
    struck: tuple[int, ...]
    crashes: int = 0
    incarnation: int = 0


def local_view(machine: Machine) -> LocalView:
    """Return one shard of a machine by itself."""
    begun = machine.initial.shared
    start = State(Budget(begun.limits.faults, begun.struck), machine.initial.units[:1])
    one = alone(replace(machine, initial=start), begun.limits._replace(shards=0, faults=0))
    return LocalView(one, shows, phase, either, observable, shared.allow, forgets, tuple(budget_splits(machine)))


@lru_cache(maxsize=2)
def alone(machine: Machine, limits: Limits) -> Machine:
    """Return the machine of one shard under its budget; bounds that differ in nothing else have the same."""
    return replace(
        machine,
        allow=cache(partial(allow, limits=limits)),
        faults=no_faults,
        shared_actions=(crash,),
        properties=tuple(filter(of_one_shard, machine.properties)),
        witnesses=(),
        progress=None,
    )


def no_faults(budget: Budget) -> int:
    """Return 0: the faults of one shard by itself cost nothing."""
    return 0


def budget_splits(machine: Machine) -> Iterator[Split]:
    """Yield the ways to hand out the whole fault budget: to the driver, to what else strikes all, to each shard."""
    start, shards = machine.initial.shared, len(machine.initial.units)
    common = {step.event.fault for action in machine.shared_actions for step in action(start)} - {"", "crash_driver"}
    faults, most = start.limits.faults, sum(start.limits.caps[index_of(fault, start.limits)] for fault in common)
    for crashes in range(min(start.limits.caps[CRASH], faults) + 1):
        for rest in range(min(most, faults - crashes) + 1):
            on_all = {"crash_driver": crashes, **dict.fromkeys(common, rest)}
            for own in partitions(faults - crashes - rest, shards):
                limits = start.limits._replace(caps=tuple(caps_under(start.limits, on_all, own)))
                yield Split(start._replace(limits=limits), tuple(Budget(n, start.struck, crashes) for n in own))


def caps_under(limits: Limits, on_all: dict[str, int], own: tuple[int, ...]) -> Iterator[int]:
    """Yield the cap of each fault; where but one shard is struck, that one counts its own faults for itself.

    What has no budget strikes nobody.
    """
    alone = sum(1 for faults in own if faults) <= 1
    for fault, cap in zip((*FAULTS, *limits.own), limits.caps, strict=True):
        yield min(cap, on_all[fault]) if fault in on_all else MANY if alone and cap else cap


def partitions(total: int, places: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a total as a sum over so many places, larger ones first."""
    if places == 0:
        yield from [()] if total == 0 else []
        return
    for first in range(total if most is None else min(total, most), -1, -1):
        yield from ((first, *rest) for rest in partitions(total - first, places - 1, first))


def allow(budget: Budget, effect: Effect, *, limits: Limits) -> Budget | Refused:
    """Return what a shard knows after a step, or `REFUSED` where it knows that the step is not allowed."""
    up_to_date = effect.incarnation in (None, budget.incarnation)
    if not up_to_date or (effect.outlived is not None and effect.outlived >= budget.incarnation):
        return REFUSED
    return strike(budget, index_of(effect.fault, limits), limits.caps) if effect.fault else budget


def strike(budget: Budget, fault: int, caps: tuple[int, ...]) -> Budget | Refused:
    """Count a fault of the shard's own, if one may still strike."""
    if not budget.own or budget.struck[fault] >= caps[fault]:
        return REFUSED
    struck = (*budget.struck[:fault], budget.struck[fault] + 1, *budget.struck[fault + 1 :])
    return budget._replace(own=budget.own - 1, struck=struck if budget.own > 1 else (0,) * len(struck))


def crash(budget: Budget) -> Iterator[SharedStep]:
    """Fault: the driver crashes, for all shards at once."""
    if budget.crashes:
        event = Event("crash_driver", "driver", label="driver crashes", fault="crash_driver")
        yield SharedStep(event, budget._replace(crashes=budget.crashes - 1, incarnation=budget.incarnation + 1))


def shows(budget: Budget, effect: Effect | None, must_show: bool) -> Effect | None:
    """Return a step's effect without what the shard knows by itself, marked with the incarnation that it knows."""
    bare = (effect or Effect())._replace(incarnation=None, outlived=None)
    if bare == Effect() and not must_show:
        return None
    return bare._replace(incarnation=budget.incarnation)


def phase(budget: Budget) -> int:
    """Return how often the driver has crashed."""
    return budget.incarnation


def either(one: Effect, other: Effect) -> bool:
    """Say whether two effects presume that tokens are covered and that they are not, or fit and do not, and no more."""
    asked = Effect(asks=one.asks, draws=one.draws, incarnation=one.incarnation)
    covered = {asked._replace(covered=True), asked._replace(covered=False)}
    fit = {asked._replace(fits=True), asked._replace(fits=False)}
    return {one, other} in (covered, fit)


def observable(event: Event, effect: Effect | None) -> bool:
    """Say whether a promise on the shared part may fail by a step's event: a denial that presumes too little."""
    return DENIAL in unproved(event, effect or Effect())


def forgets(shared_: Shared) -> Shared:
    """Return the shared part with one kind of promised tokens, and without differences of faults that nobody feels."""
    counted = struck_so_far(shared_.struck, shared_.limits)
    return shared_._replace(held=0, written_off=0, committed=shared_.promised, struck=counted)


@cache
def struck_so_far(struck: tuple[int, ...], limits: Limits) -> tuple[int, ...]:
    """Count faults by kind; those that no cap can stop are of one kind, and all are once none may follow."""
    if sum(struck) >= limits.faults:
        return (limits.faults, *(0 for _ in struck[1:]))
    free = [i for i, cap in enumerate(limits.caps) if cap >= limits.faults]
    pooled = sum(struck[i] for i in free)
    return tuple(pooled * (i == free[0]) if i in free else count for i, count in enumerate(struck))
