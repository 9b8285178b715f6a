"""Binds a function's parameter names to the parts of a shard.

`attempt`, `clock`, `meter` and `grant` are those of the function's own epoch, `older` is the clock of the epoch before
and `elder` its grant, `meters` and `grants` are all of them in order. `attention`, `lapsed` and `heartbeat` are looks
at parts: whoever asks for them is told no more. A part of an epoch outside the bound is as it was at the start: nobody
can change it. `after_` before a name means after the step.
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, partial
from operator import itemgetter
from typing import Any

from fencebench.model.machine import Look, parameters
from fencebench.model.machines.channel import in_flight
from fencebench.model.machines.driver import watches
from fencebench.model.machines.lease import Attention, over
from fencebench.model.machines.worker import alive
from fencebench.model.settings import Setup
from fencebench.model.shard import OF_EPOCH

BEFORE = {"older": "clock", "elder": "grant"}
ALL_EPOCHS = {"meters": "meter", "grants": "grant"}

Narrow = Callable[[Any, Setup], Hashable]


def watch(driver: Any, setup: Setup) -> tuple[bool, bool, int]:
    """Look whether the driver watches the lease or has yet to dispatch it, and which incarnation it is."""
    pending = driver.phase in ("granted", "told") and driver.epoch == setup.epoch
    return watches(driver, setup.epoch), pending, driver.incarnation


def condition(attempt: Any, setup: Setup) -> tuple[bool, bool, bool]:
    """Look whether an attempt is alive, without a host, waiting for an answer to its commit."""
    return alive(attempt), attempt.gone, attempt.phase == "sent"


def flying(channel: Any, setup: Setup) -> bool:
    """Look whether some row of the epoch is on its way."""
    return in_flight(channel, setup.epoch)


def beats(attempt: Any, setup: Setup) -> bool:
    """Look whether a heartbeat arrives."""
    return alive(attempt) and not attempt.gone


def attention(watch: tuple[bool, bool, int], condition: tuple[bool, bool, bool], sent_on: bool) -> Attention:
    """Put together who cares for a lease."""
    (watched, pending, incarnation), (living, gone, sent) = watch, condition
    return Attention(watched, pending, living, gone, sent, sent_on, incarnation)


LOOKS: dict[str, dict[str, Narrow]] = {
    "attention": {"driver": watch, "attempt": condition, "channel": flying},
    "lapsed": {"clock": over},
    "heartbeat": {"attempt": beats},
}
"""Parameters that are looks: at which parts, and at what of each."""


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
        return bool(bare & {*OF_EPOCH, *BEFORE, *LOOKS})

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
        if name in LOOKS:
            return tuple(self.part(part) for part in LOOKS[name])
        if name in ALL_EPOCHS:
            return tuple(f"{ALL_EPOCHS[name]}{e}" for e in range(self.setup.bound.epochs))
        return (self.part(name),)

    @cached_property
    def reads(self) -> tuple[str, ...]:
        """Return the parts that the function reads, each once, in a fixed order."""
        parts = (part for name in self.names for part in self.sources(name) if part is not None)
        return tuple(dict.fromkeys(parts))

    @cached_property
    def looks(self) -> tuple[Look | None, ...]:
        """Return what the function looks at of each part that it reads; None: all of it, or more than one thing."""
        seen: dict[str | None, list[Look | None]] = {}
        for name in self.names:
            narrows = LOOKS.get(name, dict.fromkeys(self.sources(name)))
            for part, narrow in zip(self.sources(name), narrows.values(), strict=True):
                seen.setdefault(part, []).append(self.look(narrow) if narrow else None)
        return tuple(seen[part][0] if len(seen[part]) == 1 else None for part in self.reads)

    def getter(self, name: str) -> Callable[[tuple[Any, ...]], Any]:
        """Return the function that makes a parameter of the values of `reads`."""
        if name in LOOKS:
            return self.looker(name)
        at = [self.reads.index(part) for part in self.sources(name) if part is not None]
        if name in ALL_EPOCHS:
            return lambda parts: tuple(parts[i] for i in at)
        if not at:
            return lambda parts: OF_EPOCH.get(name.removeprefix("after_"))
        return itemgetter(at[0])

    def looker(self, name: str) -> Callable[[tuple[Any, ...]], Any]:
        """Return the function that makes a parameter which is a look, or some looks put together."""
        ways = [self.way(part, self.look(narrow)) for part, narrow in LOOKS[name].items()]
        if name == "attention":
            return lambda parts: attention(*[way(parts) for way in ways])
        return ways[0]

    def look(self, narrow: Narrow) -> Look:
        """Bind a look to the setup."""
        return lambda part: narrow(part, self.setup)

    def way(self, name: str, look: Look) -> Callable[[tuple[Any, ...]], Any]:
        """Return the function that finds a look among the values of `reads`, or takes it."""
        part = self.part(name)
        if part is None:
            return lambda parts: look(OF_EPOCH[name])
        i = self.reads.index(part)
        return itemgetter(i) if self.looks[i] else (lambda parts: look(parts[i]))

    @cached_property
    def arguments(self) -> Callable[..., tuple[Any, ...]]:
        """Return the function that turns the values of `reads`, as looked at, into the function's arguments."""
        getters = [self.getter(name) for name in self.names]
        return lambda *parts: tuple([get(parts) for get in getters])

    @cached_property
    def call(self) -> Callable[..., Any]:
        """Return the function with its setup bound."""
        return partial(self.function, setup=self.setup)
