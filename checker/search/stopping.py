"""When to stop, and who is told how far the search is."""

import time
from collections.abc import Callable

from fencebench.checker.search.result import Limits

FIRST = "first violation"
"""The limit that ends a search at the cheapest violation."""

INTERRUPTED = "interrupted"
"""The limit that ends a search when somebody presses Ctrl-C."""

Watch = Callable[[int, int, int], None]
"""Told now and then how far the search is: states reached, states waiting, depth."""


class Clock:
    """The limits of one search and the time since it began."""

    def __init__(self, limits: Limits, watch: Watch) -> None:
        self.limits, self.tick = limits, watch
        self.started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Return the seconds since the search began."""
        return time.monotonic() - self.started

    def over(self, states: int) -> str:
        """Say which limit is passed with so many states, or nothing."""
        limits = self.limits
        if limits.max_states is not None and states > limits.max_states:
            return f"{limits.max_states} states"
        if limits.max_seconds is not None and self.seconds > limits.max_seconds:
            return f"{limits.max_seconds:g} seconds"
        return ""

    def settled(self, cost: tuple[int, int], best: tuple[int, int] | None) -> str:
        """Say that states of this cost need not be looked at, as a cheaper violation is found, or nothing."""
        return FIRST if self.limits.stop_at == "first" and best is not None and best < cost else ""
