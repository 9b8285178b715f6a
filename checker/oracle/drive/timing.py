"""Gives the steps of a run seconds on the driver's clock, so that every lease is as old there as the model says.

The model tells lease ages apart only where some clock can (`Settings.ages_seconds`), and each shard's apart from the
others'. On one clock a lease that the model keeps young while another shard waits has to be renewed meanwhile.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Final

from fencebench.model.machine import State, Transition
from fencebench.model.settings import Settings
from fencebench.model.shard import shard_of

SECONDS: Final = {"grade": 5}
"""What a step takes on the driver's clock, if not one second."""

Renewal = tuple[int, int, int, int]
"""Shard, epoch, the second at which the renewal arrives, the second at which the lease then ends."""


@dataclass
class Timing:
    """The driver's clock, and for each lease (shard, epoch) the second since which it has been ageing."""

    settings: Settings
    now: int = 0
    since: dict[tuple[int, int], int] = field(default_factory=dict)

    def advance(self, before: State, step: Transition) -> Iterator[Renewal]:
        """Let the step take place: yield the renewals that must arrive just before it, then move the clock."""
        event, key = step.event, (step.unit or 0, step.event.epoch or 0)
        then = self.now + SECONDS.get(event.action, 1)
        if event.action == "elapse":
            then = max(then, self.since.get(key, then) + age(step.after, key))
        yield from self.renewals(step.after, then)
        self.now = then
        if event.action == "renew" or (event.action == "reserve" and event.outcome == "reserved"):
            self.since[key] = then

    def renewals(self, after: State, then: int) -> Iterator[Renewal]:
        """Yield a renewal for each lease that would otherwise be older than the model says."""
        lease = self.settings.lease_seconds
        for key, since in self.since.items():
            years = age(after, key)
            if years < lease and then - since >= self.next_age(years):
                self.since[key] = then - years
                yield (*key, self.now, then - years + lease)

    def next_age(self, seconds: int) -> float:
        """Return the next age that some clock tells apart."""
        return min((a for a in self.settings.ages_seconds if a > seconds), default=inf)


def age(state: State, key: tuple[int, int]) -> int:
    """Return the lower end of a lease's age in the model, in seconds."""
    shard, epoch = key
    return shard_of(state.units[shard]).epochs[epoch][1].age_seconds
