"""One shard by itself, for a checker that minimises it: its share of the faults, and what others see of its steps.

How many faults strike each shard, how often the driver crashes and how much else strikes all of them is settled
beforehand: every run has some such shares, and under each of them a shard is small, as it knows when it is done with
faults. A shard knows the driver's incarnation, so that a step which presumes nothing else is nobody else's business.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import NamedTuple

from fencebench.model.any_shards import DENIAL, of_one_shard, unproved
from fencebench.model.local_view import Cast, Solo
from fencebench.model.machine import REFUSED, Event, Machine, Refused, SharedStep, State
from fencebench.model.machines import shared
from fencebench.model.machines.shared import Effect, Limits, Shared
from fencebench.model.settings import FAULTS

NONE = (0,) * len(FAULTS)
MANY = 1 << 30
"""A cap that stops nothing."""

CRASH = FAULTS.index("crash_driver")


class Share(NamedTuple):
    """Faults that may still strike a shard alone, those that did (forgotten after the last), and the driver's crashes.

    `crashes` are those still to come; `incarnation` counts those that were.
    """

    own: int
    struck: tuple[int, ...] = NONE
    crashes: int = 0
    incarnation: int = 0


def solo(machine: Machine) -> Solo:
    """Return one shard of a machine by itself."""
    limits = machine.initial.shared.limits
    start = State(Share(limits.faults), machine.initial.units[:1])
    one = alone(replace(machine, initial=start), limits.caps)
    return Solo(one, shows, era, either, hears, shared.allow, forgets, tuple(shared_out(machine)))


@lru_cache(maxsize=2)
def alone(machine: Machine, caps: tuple[int, ...]) -> Machine:
    """Return the machine of one shard under its share; bounds that differ in nothing else have the same."""
    return replace(
        machine,
        allow=cache(partial(allow, caps=caps)),
        faults=no_faults,
        shared_actions=(crash,),
        properties=tuple(filter(of_one_shard, machine.properties)),
        witnesses=(),
        progress=None,
    )


def no_faults(share: Share) -> int:
    """Return 0: the faults of one shard by itself cost nothing."""
    return 0


def shared_out(machine: Machine) -> Iterator[Cast]:
    """Yield the ways to hand out the whole fault budget: to the driver, to what else strikes all, to each shard."""
    start, shards = machine.initial.shared, len(machine.initial.units)
    common = {step.event.fault for action in machine.shared_actions for step in action(start)} - {"", "crash_driver"}
    faults, most = start.limits.faults, sum(start.limits.caps[FAULTS.index(fault)] for fault in common)
    for crashes in range(min(start.limits.caps[CRASH], faults) + 1):
        for rest in range(min(most, faults - crashes) + 1):
            on_all = {"crash_driver": crashes, **dict.fromkeys(common, rest)}
            for own in partitions(faults - crashes - rest, shards):
                limits = start.limits._replace(caps=tuple(caps_under(start.limits.caps, on_all, own)))
                yield Cast(start._replace(limits=limits), tuple(Share(n, crashes=crashes) for n in own))


def caps_under(caps: tuple[int, ...], on_all: dict[str, int], own: tuple[int, ...]) -> Iterator[int]:
    """Yield the cap of each fault; where but one shard is struck, that one counts its own faults for itself.

    What has no budget strikes nobody.
    """
    alone = sum(1 for faults in own if faults) <= 1
    for fault, cap in zip(FAULTS, caps, strict=True):
        yield min(cap, on_all[fault]) if fault in on_all else MANY if alone and cap else cap


def partitions(total: int, places: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the ways to write a total as a sum over so many places, larger ones first."""
    if places == 0:
        yield from [()] if total == 0 else []
        return
    for first in range(total if most is None else min(total, most), -1, -1):
        yield from ((first, *rest) for rest in partitions(total - first, places - 1, first))


def allow(share: Share, effect: Effect, *, caps: tuple[int, ...]) -> Share | Refused:
    """Return what a shard knows after a step, or `REFUSED` where it knows that the step is not allowed."""
    up_to_date = effect.incarnation in (None, share.incarnation)
    if not up_to_date or (effect.outlived is not None and effect.outlived >= share.incarnation):
        return REFUSED
    return strike(share, FAULTS.index(effect.fault), caps) if effect.fault else share


def strike(share: Share, fault: int, caps: tuple[int, ...]) -> Share | Refused:
    """Count a fault of the shard's own, if one may still strike."""
    if not share.own or share.struck[fault] >= caps[fault]:
        return REFUSED
    struck = (*share.struck[:fault], share.struck[fault] + 1, *share.struck[fault + 1 :])
    return share._replace(own=share.own - 1, struck=struck if share.own > 1 else NONE)


def crash(share: Share) -> Iterator[SharedStep]:
    """Fault: the driver crashes, for all shards at once."""
    if share.crashes:
        event = Event("crash_driver", "driver", label="driver crashes", fault="crash_driver")
        yield SharedStep(event, share._replace(crashes=share.crashes - 1, incarnation=share.incarnation + 1))


def shows(share: Share, effect: Effect | None, loud: bool) -> Effect | None:
    """Return a step's effect without what the shard knows by itself, marked with the incarnation that it knows."""
    bare = (effect or Effect())._replace(incarnation=None, outlived=None)
    if bare == Effect() and not loud:
        return None
    return bare._replace(incarnation=share.incarnation)


def era(share: Share) -> int:
    """Return how often the driver has crashed."""
    return share.incarnation


def either(one: Effect, other: Effect) -> bool:
    """Say whether two effects presume that tokens are covered and that they are not, or fit and do not, and no more."""
    asked = Effect(asks=one.asks, draws=one.draws, incarnation=one.incarnation)
    covered = {asked._replace(covered=True), asked._replace(covered=False)}
    fit = {asked._replace(fits=True), asked._replace(fits=False)}
    return {one, other} in (covered, fit)


def hears(event: Event, effect: Effect | None) -> bool:
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
        return (limits.faults, *NONE[1:])
    free = [i for i, cap in enumerate(limits.caps) if cap >= limits.faults]
    pooled = sum(struck[i] for i in free)
    return tuple(pooled * (i == free[0]) if i in free else count for i, count in enumerate(struck))
