"""Binds a function's parameter names to the parts of a shard.

`attempt`, `clock`, `meter` and `grant` are those of the function's own epoch, `older` is the clock of the epoch before
and `elder` its grant, `meters` and `grants` are all of them in order, `attention` is a view of who cares for the lease.
A part of an epoch outside the bound is as it was at the start: nobody can change it. `after_` before a name means after
the step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from model.driver import watches
from model.lease import Attention, Clock
from model.machine import Part, parameters
from model.setup import Setup
from model.worker import Attempt, alive

OF_EPOCH: dict[str, Part] = {"attempt": Attempt(), "clock": Clock(), "meter": 0, "grant": None}
BEFORE = {"older": "clock", "elder": "grant"}
ALL_EPOCHS = {"meters": "meter", "grants": "grant"}


def attention(driver: Any, attempt: Any, channel: Any, *, setup: Setup) -> Attention:
    """Narrow three parts to who cares for a lease."""
    in_flight = any(row.epoch == setup.epoch for row in channel)
    sent = attempt.phase == "sent"
    pending = driver.phase in ("granted", "told") and driver.epoch == setup.epoch
    watched = watches(driver, setup.epoch)
    return Attention(watched, pending, alive(attempt), attempt.gone, sent, in_flight, driver.incarnation)


@dataclass(frozen=True)
class Binding:
    """A function of named parts, bound to one epoch of a setup."""

    function: Callable[..., Any]
    setup: Setup

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The function's own parameter names."""
        return parameters(self.function)

    @cached_property
    def per_epoch(self) -> bool:
        """Say whether the function is about one epoch."""
        bare = {name.removeprefix("after_") for name in self.names}
        return bool(bare & {*OF_EPOCH, *BEFORE, "attention"})

    def part(self, name: str) -> str | None:
        """Return the part behind a name of one epoch or of the shard; None where the epoch is outside the bound."""
        after, bare = ("after_", name.removeprefix("after_")) if name.startswith("after_") else ("", name)
        epoch = self.setup.epoch - (bare in BEFORE)
        if bare not in (*OF_EPOCH, *BEFORE):
            return name
        bare = BEFORE.get(bare, bare)
        return f"{after}{bare}{epoch}" if 0 <= epoch < self.setup.bound.epochs else None

    def sources(self, name: str) -> tuple[str | None, ...]:
        """Return all parts that a parameter is made from."""
        if name == "attention":
            return "driver", self.part("attempt"), "channel"
        if name in ALL_EPOCHS:
            return tuple(f"{ALL_EPOCHS[name]}{e}" for e in range(self.setup.bound.epochs))
        return (self.part(name),)

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Return the parts that the function reads, each once, in a fixed order."""
        parts = (part for name in self.names for part in self.sources(name) if part is not None)
        return tuple(dict.fromkeys(parts))

    def getter(self, name: str) -> Callable[[tuple[Any, ...]], Any]:
        """Return the function that makes a parameter of the values of `reads`."""
        sources = self.sources(name)
        at = [self.reads.index(part) for part in sources if part is not None]
        if name == "attention":
            return lambda parts: attention(*(parts[i] for i in at), setup=self.setup)
        if name in ALL_EPOCHS:
            return lambda parts: tuple(parts[i] for i in at)
        if not at:
            initial = OF_EPOCH.get(name.removeprefix("after_"))
            return lambda parts: initial
        return itemgetter(at[0])

    @cached_property
    def arguments(self) -> Callable[..., tuple[Any, ...]]:
        """Return the function that turns the values of `reads` into the function's arguments."""
        getters = [self.getter(name) for name in self.names]
        return lambda *parts: tuple([get(parts) for get in getters])

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Return the function with its setup bound."""
        return partial(self.function, setup=self.setup)
