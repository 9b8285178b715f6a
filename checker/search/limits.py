"""When a search stops early, why it did, and who is told how far it is."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal


class StopKind(Enum):
    """What keeps a search from its end."""

    FIRST_VIOLATION = "first violation"
    STATES = "states"
    SECONDS = "seconds"
    MEMORY = "memory"
    FILES = "files"
    WORD = "bits a state"
    KEYBOARD = "interrupted"
    SHRINKING = "shrinking"


@dataclass(frozen=True)
class Stop:
    """Why a search stopped before its end: what kept it, and the limit in words."""

    kind: StopKind
    limit: str

    def __str__(self) -> str:
        return self.limit


FIRST = Stop(StopKind.FIRST_VIOLATION, "first violation")
"""The search ends at the cheapest violation, as it was told to: nothing that it found is left open."""

INTERRUPTED = Stop(StopKind.KEYBOARD, "interrupted")
"""Somebody pressed Ctrl-C."""


def cut_short(stop: Stop | None) -> bool:
    """Say whether a search left anything open that it was asked for."""
    return stop not in (None, FIRST)


def limit_text(stop: Stop | None) -> str:
    """Return the limit in words, "" where there is none."""
    return "" if stop is None else str(stop)


@dataclass(frozen=True)
class Limits:
    """Where a search stops early: number of reached states, seconds of work, at the first violation or at none."""

    max_states: int | None = None
    max_seconds: float | None = None
    stop_at: Literal["first", "all"] = "all"


UNLIMITED = Limits()

Cost = tuple[int, int]
"""Faults struck and steps taken: fewest faults first, then fewest steps."""

Watch = Callable[[int, int, int], None]
"""Told now and then how far the search is: states reached, states waiting, depth."""


class Expired(Exception):
    """The time of a search is over while it works on many states at once."""

    def __init__(self, stop: Stop) -> None:
        super().__init__(str(stop))
        self.stop = stop


class Clock:
    """The limits of one search and the time since it began."""

    def __init__(self, limits: Limits = UNLIMITED, watch: Watch = lambda *_: None) -> None:
        self.limits, self.tick = limits, watch
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Return the seconds since the search began."""
        return time.monotonic() - self.started

    def left(self, states: int) -> int | None:
        """Return how many more states may be reached after so many; None: any number."""
        return None if self.limits.max_states is None else max(0, self.limits.max_states - states)

    def over(self, states: int) -> Stop | None:
        """Return the limit that keeps a search which has reached so many states from the next one."""
        if self.left(states) == 0:
            return Stop(StopKind.STATES, f"{self.limits.max_states} states")
        return self.late()

    def late(self) -> Stop | None:
        """Return the limit of seconds if it is passed."""
        seconds = self.limits.max_seconds
        if seconds is not None and self.seconds > seconds:
            return Stop(StopKind.SECONDS, f"{seconds:g} seconds")
        return None

    def check(self) -> None:
        """Raise `Expired` if the time is over."""
        if stop := self.late():
            raise Expired(stop)

    def settled(self, cost: Cost, best: Cost | None) -> Stop | None:
        """Say that states of this cost need not be looked at, as a cheaper violation is found."""
        return FIRST if self.limits.stop_at == "first" and best is not None and best < cost else None
