"""The attempt kernel: with which chance, tokens and seconds an attempt from a checkpoint ends, and where.

At a call chance has its say in this order: a stall, a driver crash, an interruption during the call, a lost reply, an
interruption while the checkpoint is written. Each is memoryless. An interruption during a call draws nothing for it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fencebench.checker.expect.attempt import Attempts, End, Place, Scope, explored
from fencebench.checker.expect.load import Load, modelled
from fencebench.model.fence import Fence
from fencebench.model.machines.ledger import Content

NEGLIGIBLE = 1e-12
"""A chance that no figure shows."""


class Branch(NamedTuple):
    """One way in which an attempt ends: its chance, the start of the next attempt (-1: none), and mean seconds.

    `kind` is that of the end; tokens are in cases.
    """

    chance: float
    kind: str
    next: int
    burned: int
    promised: int
    seconds: float


class Start(NamedTuple):
    """Where an attempt starts: graded cases of the checkpoint, the cases that its grant holds, and how it can end."""

    cases: int
    asked: int
    branches: tuple[Branch, ...]


@dataclass(frozen=True)
class Kernel:
    """How attempts of a shard follow each other; the first start is that of a shard without a checkpoint."""

    starts: tuple[Start, ...]
    replacement_seconds: float


def kernel(fence: Fence, load: Load) -> Kernel:
    """Return the kernel of a fence under a load."""
    found = explored(*modelled(fence, load), scope_of(load))
    order = sorted(found, key=lambda c: (c is not None, c or Content()))
    numbers = {checkpoint: i for i, checkpoint in enumerate(order)}
    starts = (
        Start(c.cases if c else 0, found[c].asked // load.tokens_per_case, branches(found[c], numbers, load))
        for c in order
    )
    return Kernel(tuple(starts), load.replacement_seconds)


def scope_of(load: Load) -> Scope:
    """Return what has to be explored: how long things take matters only where a lease can age beside a worker."""
    rates = {
        "stall": load.stalls_per_hour,
        "late": load.late_per_commit,
        "lose_reply": load.lost_replies_per_call,
        "crash_driver": load.driver_crashes_per_hour,
    }
    faults = frozenset(fault for fault, rate in rates.items() if rate)
    ages = bool(faults & {"stall", "crash_driver"})
    return Scope(
        load.seconds_per_case if ages else 1,
        load.write_seconds if ages else float(load.write_seconds > 0),
        load.lease_seconds,
        load.restart_seconds if "crash_driver" in faults else 0,
        faults,
        most_lost_replies(load),
    )


def most_lost_replies(load: Load) -> int:
    """Return how many lost replies in one attempt are not exceeded but with a negligible chance."""
    calls, lost = math.ceil(load.cases / load.call_cases), load.lost_replies_per_call
    mean = calls * lost / (1 - lost)
    return math.ceil(mean + 10 * math.sqrt(mean / (1 - lost)) + 10) if lost else 0


def branches(attempts: Attempts, numbers: dict[Content | None, int], load: Load) -> tuple[Branch, ...]:
    """Carry chance and time through the places of an attempt, in their order."""
    first = min((*attempts.places, *attempts.ends))
    mass = {first: (1.0, 0.0)}
    for number, place in attempts.places.items():
        chance, seconds = mass.get(number, (0.0, 0.0))
        for what, share, spent in alternatives(place, load):
            before, spent_before = mass.get(place.follows[what], (0.0, 0.0))
            follows = chance * share
            mass[place.follows[what]] = before + follows, spent_before + share * seconds + follows * spent
    return tuple(
        branch(attempts.ends[number], chance, seconds, numbers, load)
        for number, (chance, seconds) in sorted(mass.items())
        if number in attempts.ends and chance > 0
    )


def branch(end: End, chance: float, seconds: float, numbers: dict[Content | None, int], load: Load) -> Branch:
    """Return one way to end; `seconds` is weighted by its chance."""
    follows = numbers[end.checkpoint] if end.kind == "next" else -1
    burned, promised = end.burned // load.tokens_per_case, end.promised // load.tokens_per_case
    return Branch(chance, end.kind, follows, burned, promised, seconds / chance + end.wait_seconds)


def alternatives(place: Place, load: Load) -> Iterator[tuple[str, float, float]]:
    """Yield what may happen at a place, with which chance, after how many seconds on average; chances add up to 1."""
    if not place.cases:
        yield from commits(place, load)
        return
    rate, call, write = load.rate_per_second, place.cases * load.seconds_per_case, place.writes * load.write_seconds
    left = 1.0
    for fault, hourly in (("stall", load.stalls_per_hour), ("crash_driver", load.driver_crashes_per_hour)):
        if fault in place.follows:
            strikes = within(hourly / 3600, call + write)
            yield fault, left * strikes, 0
            left *= 1 - strikes
    cut = within(rate, call)
    yield "preempt", left * cut, 0 if place.held_up else mean_within(rate, call)
    left *= 1 - cut
    if "lose_reply" in place.follows:
        yield "lose_reply", left * load.lost_replies_per_call, call
        left *= 1 - load.lost_replies_per_call
    if "preempt the write" in place.follows:
        cut = within(rate, write)
        yield "preempt the write", left * cut, 0 if place.held_up else call + mean_within(rate, write)
        left *= 1 - cut
    yield "served", left, call + write


def commits(place: Place, load: Load) -> Iterator[tuple[str, float, float]]:
    """Yield what may become of a commit."""
    late = load.late_per_commit if "late" in place.follows else 0
    yield "served", 1 - late, 0
    if late:
        yield "late", late, 0


def within(rate: float, seconds: float) -> float:
    """Return the chance that something memoryless happens within so many seconds."""
    return -math.expm1(-rate * seconds) if seconds else 0.0


def mean_within(rate: float, seconds: float) -> float:
    """Return the mean time until it happens, given that it happens within so many seconds."""
    scaled = rate * seconds
    if math.isinf(scaled):
        return 0.0
    return seconds * (0.5 - scaled / 12) if scaled < 1e-4 else 1 / rate - seconds / math.expm1(scaled)
