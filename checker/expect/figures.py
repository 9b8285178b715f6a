"""Every figure of one fence under one load, each exact, or simulated and so far off at most."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from fencebench.checker.expect.admission import Draws, drawn, needed, one_shard, simulate
from fencebench.checker.expect.decision import Range, decisions, ranges
from fencebench.checker.expect.kernel import Kernel, kernel
from fencebench.checker.expect.load import Load, modelled
from fencebench.checker.expect.renewal import Law, Shard, at_most, expected, of_run, quantile, shard
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.settings import Bound

Watch = Callable[[str], None]
"""Is told now and then what is computed."""

LEVELS = (0.5, 0.9, 0.99, 0.999)
HEADLINE = "ceiling_99"


class Figure(NamedTuple):
    """A figure; None where there is none, for a `reason`. `plus_minus` is two standard errors of a simulated one."""

    value: float | None
    how: Literal["exact", "simulated"] = "exact"
    plus_minus: float = 0.0
    reason: str = ""


def ceiling_name(level: float) -> str:
    """Name the figure of a level."""
    return f"ceiling_{level * 100:g}"


TITLES: Mapping[str, tuple[str, str]] = {
    **{ceiling_name(level): (f"ceiling for {level * 100:g} %", "tokens") for level in LEVELS},
    "run_ends": ("run ends under its ceiling", "%"),
    "burned_within": ("run burns at most the ceiling", "%"),
    "burned": ("burned by the run", "tokens"),
    "wasted": ("of that wasted", "tokens"),
    "price": ("price of what is burned", ""),
    "attempts": ("attempts a shard", ""),
    "all_done": ("no shard is given up", "%"),
    "shard_seconds": ("wall time of a shard", "min"),
    "run_seconds": ("wall time of the run", "min"),
    "run_seconds_99": ("wall time of 99 % of runs", "min"),
}
"""Title and unit of each figure, in the order in which they are told; tokens burned, attempts and times are means."""


class Interval(NamedTuple):
    """The checkpoint interval in cases with the least wall time of a shard, and Young's approximation of it."""

    cases: int
    seconds: float
    young_cases: float | None


class Returns(NamedTuple):
    """What dead attempts can still do to one shard in a few epochs, whoever orders the steps; all exact."""

    epochs: int
    call_cases: int
    burned: Range
    doubled: Range
    missing: Range

    @property
    def matters(self) -> bool:
        """Say whether it matters that a lost host comes back."""
        return self.burned.most > self.burned.least + 1e-6 or self.doubled.most > 0


@dataclass(frozen=True)
class Expected:
    """What is expected of a fence under a load.

    `law` gives the chance of each number of cases that the run burns, `needs` that of each ceiling in cases that it
    needs in order to end, simulated where holds compete; None where that is not known.
    """

    fence: Fence
    load: Load
    figures: Mapping[str, Figure]
    never: bool = False
    law: Law | None = None
    needs: Law | None = None
    returns: Returns | None = None
    best: Interval | None = None


def expect(fence: Fence, load: Load, watch: Watch = lambda text: None) -> Expected:
    """Return the figures of a fence under a load."""
    watch("exploring an attempt")
    steps = kernel(fence, load)
    one = shard(steps, load.epochs)
    if one is None:
        return Expected(fence, load, {"run_ends": Figure(0.0)}, never=True)
    watch("laws of tokens and time")
    exact = exact_figures(one, load)
    law = None if one.law is None else of_run(one.law, load.shards)
    if law is not None:
        exact["burned_within"] = Figure(at_most(law, cases_within(load)))
    watch("simulating runs")
    figures, needs = ceilings(fence, load, steps, one)
    found = {**exact, **figures}
    return Expected(fence, load, {name: found[name] for name in TITLES if name in found}, law=law, needs=needs)


def cases_within(load: Load) -> int:
    """Return how many cases the ceiling covers."""
    return load.ceiling_tokens // load.tokens_per_case


def exact_figures(one: Shard, load: Load) -> dict[str, Figure]:
    """Return the means of a run of independent shards."""
    burned = load.shards * one.burned_cases * load.tokens_per_case
    found = {
        "burned": burned,
        "wasted": max(burned - load.plan_tokens * one.done, 0.0),
        "attempts": one.attempts,
        "shard_seconds": one.seconds,
    }
    if load.price_per_million is not None:
        found["price"] = burned * load.price_per_million / 1e6
    if load.epochs is not None:
        found["all_done"] = one.done**load.shards
    return {name: Figure(value) for name, value in found.items()}


Ceilings = tuple[dict[str, Figure], Law | None]
"""The figures that depend on a ceiling, and the law of the ceiling that a run needs."""


def ceilings(fence: Fence, load: Load, steps: Kernel, one: Shard) -> Ceilings:
    """Return what depends on a ceiling, and on the order in which shards ask."""
    hosts = load.hosts or load.shards
    draws = drawn(steps, load.shards, runs_of(load), load.epochs, load.seed)
    if draws is None:
        reason = "too many attempts a shard to simulate"
        return {name: Figure(None, "simulated", reason=reason) for name in SIMULATED}, None
    found = timed(draws, hosts)
    if not compete(fence, load):
        figures, needs = without_holds(load, one)
    else:
        figures, needs = competing(load, draws, hosts)
        figures |= lone(load, steps) if load.shards == 1 else {}
    return {**found, **figures}, needs


SIMULATED = (*map(ceiling_name, LEVELS), "run_ends", "run_seconds", "run_seconds_99")
"""Figures that may need a simulation."""


def runs_of(load: Load) -> int:
    """Return how many runs to simulate: fewer of many shards."""
    return min(load.runs, max(200, 20_000_000 // load.shards**2))


def compete(fence: Fence, load: Load) -> bool:
    """Say whether a grant is refused, or has to wait, where the ceiling does not cover it."""
    fence, settings = modelled(fence, load)
    machine = build(fence, Bound(1, 1, 0, ceiling_tokens=0), settings)
    return next(machine.successors(machine.initial)).event.outcome != "reserved"


def timed(draws: Draws, hosts: int) -> dict[str, Figure]:
    """Return how long runs take that no ceiling makes wait."""
    seconds = simulate(draws, None, hosts).seconds
    return {"run_seconds": mean_of(seconds), "run_seconds_99": level_of(np.sort(seconds), 0.99)}


def mean_of(values: Law) -> Figure:
    """Return a simulated mean."""
    return Figure(float(values.mean()), "simulated", 2 * float(values.std()) / math.sqrt(len(values)))


def level_of(ascending: Law, level: float, unit: float = 1) -> Figure:
    """Return a simulated level; it may be off by as many ranks as two standard errors are."""
    runs, spread = len(ascending), 2 * math.sqrt(level * (1 - level) * len(ascending))
    if level * runs + spread >= runs - 1 and level > 0.5:
        return Figure(None, "simulated", reason=f"needs more than {runs:,} runs")
    low, at, high = (ascending[min(max(math.ceil(level * runs + d) - 1, 0), runs - 1)] for d in (-spread, 0, spread))
    if not math.isfinite(at):
        return Figure(None, "simulated", reason="some shard is given up more often, whatever the ceiling")
    return Figure(float(at) * unit, "simulated", float(max(high - at, at - low)) * unit)


def without_holds(load: Load, one: Shard) -> Ceilings:
    """Return the figures of a fence that holds nothing: what a run burns is all that the ceiling has to cover."""
    if one.done_law is None:
        return {ceiling_name(level): Figure(None, reason="the law is too wide") for level in LEVELS}, None
    law = of_run(one.done_law, load.shards)
    found = {ceiling_name(level): of_level(quantile(law, level), load) for level in LEVELS}
    return {**found, "run_ends": Figure(at_most(law, cases_within(load)))}, law


def of_level(cases: int | None, load: Load) -> Figure:
    """Return an exact ceiling."""
    reason = "some shard is given up more often, whatever the ceiling"
    return Figure(None, reason=reason) if cases is None else Figure(float(cases * load.tokens_per_case))


def lone(load: Load, steps: Kernel) -> dict[str, Figure]:
    """Return the figures of one shard, which competes with none: exact."""
    ends = one_shard(steps, cases_within(load), load.epochs)
    found = {ceiling_name(level): of_level(least_ceiling(steps, load, level), load) for level in LEVELS}
    return {**found, "run_ends": Figure(ends[0]) if ends else Figure(None, reason="too many attempts")}


def least_ceiling(steps: Kernel, load: Load, level: float) -> int | None:
    """Return the least ceiling in cases under which a lone shard is done with this chance, by halving."""

    def enough(cases: int) -> bool:
        ends = one_shard(steps, cases, load.epochs)
        return ends is not None and ends[0] >= level - 1e-12

    low, high = 0, load.cases
    while not enough(high):
        low, high = high, 2 * high
        if high > 1000 * load.cases:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def competing(load: Load, draws: Draws, hosts: int) -> Ceilings:
    """Return the figures of shards whose holds compete."""
    runs = draws.asked.shape[1]
    ended = simulate(draws, np.full(runs, float(cases_within(load))), hosts).ended
    share, least = float(ended.mean()), np.sort(needed(draws, hosts))
    found = {ceiling_name(level): level_of(least, level, load.tokens_per_case) for level in LEVELS}
    error = 2 * math.sqrt(max(share * (1 - share), 1 / runs) / runs)
    needs = np.bincount(least[np.isfinite(least)].astype(int)) / runs
    return {**found, "run_ends": Figure(share, "simulated", error)}, needs


MOST_CALLS = 10
"""More calls a shard make the graph of dead attempts large."""


def returning(fence: Fence, load: Load) -> Returns:
    """Return what dead attempts can still do, in calls as coarse as keeps the graph small."""
    epochs = min(load.epochs or 2, 2)
    coarse = replace(load, call_cases=max(load.call_cases, math.ceil(load.cases / MOST_CALLS)))
    checkpoint = load.checkpoint_cases
    coarse = replace(coarse, checkpoint_cases=max(checkpoint, coarse.call_cases) if checkpoint else checkpoint)
    graph = decisions(*modelled(fence, coarse), epochs, bool(load.late_per_commit))
    return Returns(epochs, coarse.call_cases, **ranges(graph, coarse))


def best_interval(fence: Fence, load: Load) -> Interval | None:
    """Return the checkpoint interval with the least wall time of a shard; None if the fence keeps no checkpoint.

    Of intervals with equally many checkpoints the most even one is tried, which is the shortest. More checkpoints save
    ever less and cost ever as much, so two in a row that are worse than the best end the search.
    """
    if fence.checkpoint == "none":
        return None
    calls, best, worse = math.ceil(load.cases / load.call_cases), (math.inf, 0), 0
    for cases in sorted({load.call_cases * math.ceil(calls / n) for n in range(1, calls + 1)}, reverse=True):
        seconds = shard_seconds(fence, replace(load, checkpoint_cases=0 if cases >= load.cases else cases))
        better = seconds is not None and seconds < best[0]
        best, worse = ((seconds or 0.0, cases), 0) if better else (best, worse + 1)
        if worse == 2:
            break
    return Interval(best[1], best[0], young_cases(load)) if best[1] else None


def shard_seconds(fence: Fence, load: Load) -> float | None:
    """Return the mean wall time of a shard."""
    means = expected(kernel(fence, load), load.epochs)
    return None if means is None else means.seconds


def young_cases(load: Load) -> float | None:
    """Return Young's interval sqrt(2 w / rate) in cases; None where there is no rate or no write to weigh."""
    rate = load.rate_per_second
    if not rate or math.isinf(rate) or not load.write_seconds:
        return None
    return math.sqrt(2 * load.write_seconds / rate) / load.seconds_per_case


def whole(fence: Fence, load: Load, watch: Watch = lambda text: None) -> Expected:
    """Return all that can be told of a fence: its figures, what dead attempts can do, and the best interval."""
    found = expect(fence, load, watch)
    if found.never:
        return found
    watch("ordering what dead attempts do")
    returns = returning(fence, load)
    watch("trying checkpoint intervals")
    return replace(found, returns=returns, best=best_interval(fence, load))
