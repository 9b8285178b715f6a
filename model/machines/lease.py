"""The lease clock: how old a lease is on the driver's clock, and how far the worker's own clock is off.

State: a `Clock` for each attempt. Ages are told apart only where some clock can tell them apart (`ages_seconds`).
Actions: `elapse`, `renew`; faults `stall`, `late`, `skew`. There is no global clock; a lease ages only while nobody
can renew it, or because a fault holds its renewals up. Source: design section 3, "Time"; `seeds/000` assumption 3.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.machine import Event, Step
from fencebench.model.machines.shared import Effect
from fencebench.model.settings import Setup


class Clock(NamedTuple):
    """Lower end of the lease's age on the driver's clock, the worker's offset, and the fault that stops renewals."""

    age_seconds: int = 0
    offset_seconds: int = 0
    held_up: str = ""

    @property
    def reading_seconds(self) -> int:
        """The lease's age on the worker's own clock."""
        return self.age_seconds + self.offset_seconds


class Attention(NamedTuple):
    """Who cares for a lease: whether the driver watches it or has yet to dispatch it, and the attempt's condition.

    `in_flight` says that some row of the attempt is on its way, whoever sent it; `incarnation` is the driver's.
    """

    watched: bool
    pending: bool
    alive: bool
    gone: bool
    sent: bool
    in_flight: bool
    incarnation: int


def over(clock: Clock, setup: Setup) -> bool:
    """Say whether the lease has ended on the driver's clock, the only one that judges."""
    return clock.age_seconds >= setup.settings.lease_seconds


def kept(clock: Clock, attention: Attention, setup: Setup) -> bool:
    """Say whether a driver that is up keeps the lease from ageing: it renews it, or has yet to dispatch it."""
    renewable = attention.watched and attention.alive and not attention.gone and not clock.held_up
    return (renewable or attention.pending) and not over(clock, setup)


def looked_at(attention: Attention) -> bool:
    """Say whether anybody may still look at the lease's age."""
    return attention.watched or attention.pending or attention.alive or attention.in_flight


def at_least(clock: Clock, age_seconds: int, setup: Setup) -> Clock:
    """Return the clock of an older lease, which is at least that old now."""
    floor = max(age for age in setup.settings.ages_seconds if age <= age_seconds)
    return clock._replace(age_seconds=max(clock.age_seconds, floor))


def elapse(clock: Clock, older: Clock | None, attention: Attention, *, setup: Setup) -> Iterator[Step]:
    """Time passes on the driver's clock, by as many intervals as it likes; an older lease of the shard ages along.

    A lease that the driver keeps ages only while the driver is down. Of an attempt that has ended only the end of the
    lease is of interest.
    """
    lease = setup.settings.lease_seconds
    later = [age for age in setup.settings.ages_seconds if age > clock.age_seconds]
    targets = later if attention.alive or attention.pending else [age for age in later if age == lease]
    effect = Effect(outlived=attention.incarnation) if kept(clock, attention, setup) else None
    for age in targets if looked_at(attention) else ():
        event = Event("elapse", "driver", label=f"lease ages to {age} s", epoch=setup.epoch)
        changes: tuple[tuple[str, Clock], ...] = (("clock", clock._replace(age_seconds=age)),)
        if older is not None:
            changes = (*changes, ("older", at_least(older, lease + age, setup)))
        yield Step(event, changes, effect)


def renew(clock: Clock, attention: Attention, *, setup: Setup) -> Iterator[Step]:
    """A renewal arrives: the lease is fresh again, and what held renewals up is over."""
    reachable = attention.watched and attention.alive and not attention.gone
    if reachable and not over(clock, setup) and (clock.age_seconds or clock.held_up):
        event = Event("renew", "worker", "driver", "renew lease", "renewed", epoch=setup.epoch)
        yield Step(event, (("clock", Clock(0, clock.offset_seconds)),), Effect(incarnation=attention.incarnation))


def hold_up(clock: Clock, attention: Attention, *, setup: Setup) -> Iterator[Step]:
    """Fault: the worker lives but its renewals do not arrive (stall), or its commit stays in flight (late)."""
    fault = "late" if attention.sent else "stall"
    possible = attention.watched and attention.alive and not attention.gone and not clock.held_up
    if possible and not over(clock, setup) and (attention.in_flight or fault == "stall"):
        event = Event(fault, "worker", label="commit is late" if attention.sent else "renewals stall")
        event = event._replace(fault=fault, epoch=setup.epoch)
        yield Step(event, (("clock", clock._replace(held_up=fault)),), Effect(fault=fault))


def skew(clock: Clock, attention: Attention, *, setup: Setup) -> Iterator[Step]:
    """Fault: the worker's clock is off from now on. One that has sent looks at its clock no more."""
    if attention.alive and not attention.gone and not attention.sent and clock.offset_seconds == 0:
        for offset in setup.settings.offsets_seconds:
            event = Event("skew", "worker", label=f"clock skew {offset:+d} s", fault="skew")
            changes = (("clock", clock._replace(offset_seconds=offset)),)
            yield Step(event._replace(epoch=setup.epoch), changes, Effect(fault="skew"))
