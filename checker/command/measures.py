"""What faults cost: the most that a run can burn and book, for each number of faults, and the run that does it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from checker.command.bounds import Asked
from checker.command.progress import clear, watcher
from checker.result import Limits
from checker.worst import Peak, Worst, worst
from model.composition import build
from model.fence import Fence
from model.machine import Shared
from model.settings import Bound

MEASURES: Mapping[str, Callable[[Shared], int]] = {
    "burned": lambda shared: int(shared.burned),
    "committed": lambda shared: int(shared.committed),
}
"""Totals of a run in tokens: what the provider's meter says, and what receipts say."""


@dataclass(frozen=True)
class Costs:
    """The peaks of one bound; `plan_tokens` is what the run draws if nothing goes wrong."""

    bound: Bound
    plan_tokens: int
    found: Worst

    def at_most(self, measure: str) -> tuple[Peak, ...]:
        """Return, for each number of faults, the worst that so many faults or fewer reach."""
        return tuple(accumulate(self.found.peaks[measure], lambda a, b: b if b.value > a.value else a))

    def above_plan(self, measure: str) -> tuple[int, ...]:
        """Return the tokens above plan for each number of faults; never below 0."""
        return tuple(max(peak.value - self.plan_tokens, 0) for peak in self.at_most(measure))


def costs(fence: Fence, wanted: Asked, limits: Limits) -> tuple[Costs, ...]:
    """Search every bound for the worst totals."""
    try:
        return tuple(costs_of(fence, bound, wanted, limits) for bound in wanted.bounds)
    finally:
        clear()


def costs_of(fence: Fence, bound: Bound, wanted: Asked, limits: Limits) -> Costs:
    """Search one bound."""
    machine = build(fence, bound, wanted.settings)
    return Costs(
        bound, bound.shards * wanted.settings.plan_tokens, worst(machine, MEASURES, limits, watcher(fence.name))
    )
