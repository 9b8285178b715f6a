"""What faults cost: the most that a run can burn and book, for each number of faults, and the run that does it."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, combinations, count, pairwise

from fencebench.checker.analysis.bounds import Asked, fits_fence
from fencebench.checker.analysis.check import Checked, Watching, unwatched
from fencebench.checker.analysis.engines import searched
from fencebench.checker.errors import BadInput
from fencebench.checker.search.limits import Limits, Watch
from fencebench.checker.search.worst import Peak, Worst, worst
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Shared
from fencebench.model.settings import FAULTS, Bound, Settings

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


def costs(fence: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched) -> tuple[Costs, ...]:
    """Search every bound for the worst totals."""
    return tuple(costs_of(fence, bound, wanted, limits, watching(fence.name)) for bound in wanted.bounds)


def costs_of(fence: Fence, bound: Bound, wanted: Asked, limits: Limits, watch: Watch) -> Costs:
    """Search one bound."""
    machine, plan = build(fence, bound, wanted.settings), bound.shards * wanted.settings.plan_tokens
    return Costs(bound, plan, worst(machine, MEASURES, limits, watch))


@dataclass(frozen=True)
class SkewRange:
    """Skews from `low` to `high` seconds, both included, that a search of `low` answers for."""

    low: int
    high: int
    checked: Checked


@dataclass(frozen=True)
class FaultStep:
    """A fault sum and what was found up to it; `seconds` of wall time."""

    faults: int
    checked: Checked
    seconds: float


def turning_points(settings: Settings) -> list[Fraction]:
    """Return the skews at which two moments that some clock can tell apart coincide, ascending, 0 first.

    The moments are 0, lease - margin, lease, and the last two shifted by the skew either way. Only their order is
    ever compared, so a verdict is the same for all skews between two neighbours of this list.
    """
    moments = (0, settings.lease_seconds - settings.margin_seconds, settings.lease_seconds)
    gaps = {Fraction(abs(a - b)) for a, b in combinations(moments, 2)}
    return sorted({Fraction(0), *gaps, *(gap / 2 for gap in gaps)})


def ranges(settings: Settings, most: int) -> Iterator[tuple[int, int]]:
    """Yield (low, high) of skews in whole seconds up to `most` that share one verdict, ascending."""
    points = [point for point in turning_points(settings) if point <= most]
    for point, beyond in pairwise((*points, Fraction(most + 1))):
        if point.denominator == 1:
            yield int(point), int(point)
        low, high = int(point) + 1, int(beyond) - (beyond.denominator == 1)
        if low <= high:
            yield low, high


def most_skew(fence: Fence, settings: Settings) -> int:
    """Return the largest skew, in seconds, at which a worker can still write; without a margin one beyond the lease."""
    margins = any(rule.name == "lease_margin" for _, rule in fence.rules())
    most = settings.lease_seconds - settings.margin_seconds - 1 if margins else settings.lease_seconds + 1
    if most < 0:
        raise BadInput(f"a lease of {settings.lease_seconds} s is not longer than its margin; lengthen the lease")
    return most


def sweep_skew(fence: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched) -> Iterator[SkewRange]:
    """Check every range of skews that can have a verdict of its own, ascending; no skew is taken for granted."""
    for low, high in ranges(wanted.settings, most_skew(fence, wanted.settings)):
        at = replace(wanted, settings=replace(wanted.settings, skew_seconds=low))
        fits_fence(fence, at)
        yield SkewRange(low, high, searched(fence, at, limits, watching, f"skew {low} s"))


def largest_safe(swept: list[SkewRange]) -> int | None:
    """Return the largest skew in seconds up to which every range is safe; None if none is safe, or nothing is known."""
    safe = None
    for one in swept:
        if one.checked.findings or one.checked.limit:
            break
        safe = one.high
    return safe


def sweep_faults(
    fence: Fence, wanted: Asked, max_seconds: float, watching: Watching = unwatched
) -> Iterator[FaultStep]:
    """Raise the fault sum of every bound until a promise breaks, the caps are used up, or the time is."""
    most, started = max(sum(b.caps.get(fault, 1) for fault in FAULTS) for b in wanted.bounds), time.monotonic()
    for faults in count():
        at = replace(wanted, bounds=with_faults(wanted, faults))
        left, begun = max_seconds - (time.monotonic() - started), time.monotonic()
        if faults > most or left <= 0:
            return
        limits = Limits(max_seconds=left / len(at.bounds), stop_at="first")
        checked = searched(fence, at, limits, watching, f"fault sum {faults}")
        yield FaultStep(faults, checked, time.monotonic() - begun)
        if checked.findings or checked.limit:
            return


def with_faults(wanted: Asked, faults: int) -> tuple[Bound, ...]:
    """Return the bounds with another fault sum, equal ones once."""
    bounds = list[Bound]()
    for bound in wanted.bounds:
        if (other := replace(bound, faults=faults)) not in bounds:
            bounds.append(other)
    return tuple(bounds)


def harmless(steps: list[FaultStep]) -> int | None:
    """Return the largest fault sum proven harmless, or None."""
    proven = [step.faults for step in steps if not step.checked.findings and not step.checked.limit]
    return max(proven, default=None)
