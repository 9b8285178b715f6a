"""Checks one shard of a fence among any number of others, and looks for whole runs that live through its stories."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

from fencebench.checker.analysis.bounds import Asked, both_ceilings
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import Checked, Engine, Run, explored
from fencebench.checker.reduce.embedding import embed, script
from fencebench.checker.search.limits import Limits, Stop, StopKind, Watch
from fencebench.checker.search.properties import promising
from fencebench.checker.search.result import Coverage, Finding, Result, Verdict
from fencebench.model.any_shards import OF_TOTALS, general
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.settings import Bound, Settings

MOST_SHARDS = 3
"""A story is looked for in whole runs of up to so many shards."""

MOST_STATES = 50_000
"""A whole run is looked for in so many states of each bound."""


@dataclass(frozen=True)
class Candidate:
    """A story of the general machine, which is no violation before a whole run is found."""

    fence: Fence
    settings: Settings
    story: Finding

    @property
    def promise(self) -> str:
        """The promise that the story breaks."""
        return self.story.property.removesuffix(OF_TOTALS)

    def lived(self, whole: Bound) -> Result:
        """Look for a run of the whole system in which its first shard lives through the story."""
        machine = build(self.fence, whole, self.settings)
        found = embed(machine, script(self.story.trace), self.promise, MOST_STATES)
        findings = {} if found.finding is None else {self.promise: found.finding}
        limit = None if found.exhausted else Stop(StopKind.STATES, f"{MOST_STATES} states")
        return Result(found.states, 0, 0, 0.0, findings, Coverage(), limit)

    def broken(self, whole: Bound, engine: Engine) -> Result:
        """Look for any run of the whole system that breaks the promise."""
        machine = promising(build(self.fence, whole, self.settings), self.promise)
        alone = replace(machine, witnesses=(), progress=None)
        return explored(self.fence, alone, Limits(MOST_STATES, stop_at="first"), engine, lambda *_: None)


@dataclass(frozen=True)
class Spurious:
    """A candidate that no whole run was found for, and what was searched."""

    of: Candidate
    searched: tuple[tuple[Bound, Result], ...]


@dataclass(frozen=True)
class AnyShards:
    """A fence for any number of shards: one shard among others, whole runs that break a promise, spurious stories."""

    fence: Fence
    bound: Bound
    settings: Settings
    result: Result
    real: Checked
    spurious: tuple[Spurious, ...]

    @property
    def verdict(self) -> Verdict:
        """A whole run decides; a story that no whole run was found for decides nothing."""
        if self.real.findings:
            return Verdict.VIOLATED
        return Verdict.UNDETERMINED if self.spurious or self.result.limit else Verdict.HOLDS

    @cached_property
    def least(self) -> dict[str, tuple[int, int]]:
        """The cost below which no number of shards has a story, for each promise."""
        costs: dict[str, tuple[int, int]] = {}
        for name, found in self.result.findings.items():
            promise, cost = name.removesuffix(OF_TOTALS), found.cost
            costs[promise] = min(cost, costs.get(promise, cost))
        return costs

    def case(self, promise: str) -> Case:
        """Return the whole run that breaks a promise; minimal if one shard alone knows no cheaper story."""
        run, found = self.real.findings[promise]
        minimal = found.cost == self.least.get(promise)
        return Case(self.fence, run.bound, self.settings, found, minimal)


def check_any(fence: Fence, wanted: Asked, limits: Limits, engine: Engine, watch: Watch) -> AnyShards:
    """Explore one shard in the general environment, then look for a whole run of each story.

    Raises:
        BadInput: a rule of the fence raises.
    """
    [bound] = wanted.bounds
    machine = general(build(fence, bound, wanted.settings))
    result = explored(fence, machine, replace(limits, stop_at="all"), engine, watch)
    candidates = (Candidate(fence, wanted.settings, story) for story in result.findings.values())
    answers = [confirm(candidate, bound, engine) for candidate in candidates]
    real = Checked(fence, wanted.settings, tuple(answer for answer in answers if isinstance(answer, Run)))
    spurious = tuple(answer for answer in answers if isinstance(answer, Spurious))
    return AnyShards(fence, bound, wanted.settings, result, real, spurious)


def confirm(candidate: Candidate, bound: Bound, engine: Engine) -> Run | Spurious:
    """Return the smallest whole run with the story, else one that breaks the same promise, else what was searched."""
    searched = list[tuple[Bound, Result]]()
    for search in (candidate.lived, partial(candidate.broken, engine=engine)):
        for whole in wholes(bound):
            result = search(whole)
            if result.findings:
                return Run(whole, result)
            searched.append((whole, result))
    return Spurious(candidate, tuple(searched))


def wholes(bound: Bound) -> Iterator[Bound]:
    """Yield the whole systems to look into: few shards first, each at both ceilings, faults as they were asked for."""
    for shards in range(1, MOST_SHARDS + 1):
        yield from both_ceilings(replace(bound, shards=shards))
