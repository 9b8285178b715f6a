"""Checks a fence over a union of bounds: the verdict over all, what was never reached, what is standby."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.errors import BadInput
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import INTERRUPTED, Limits, Stop, Watch, cut_short
from fencebench.checker.search.result import Coverage, Finding, Result, Verdict
from fencebench.model.build import build
from fencebench.model.fence import Fence, FenceError
from fencebench.model.machine import Machine
from fencebench.model.promises.catalogue import names_of
from fencebench.model.promises.obligations import Debt, owed, standby
from fencebench.model.settings import Bound, Settings

EXITS = {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNDETERMINED: 3, Verdict.VACUOUS: 4}
Engine = Callable[[Machine, Limits, Watch], Result]
Watching = Callable[[str], Watch]
"""Makes the watch of one search of several from a few words that say which."""


def unwatched(_label: str) -> Watch:
    """Watch nothing."""
    return lambda *_: None


@dataclass(frozen=True)
class Run:
    """One bound, explored; `can_finish` was judged up to a fault sum of `progress_faults`, None: not at all."""

    bound: Bound
    result: Result
    progress_faults: int | None = None


def rank(run: Run, found: Finding) -> tuple[bool, int, int]:
    """Order stories: those of a first run before those that need an earlier one, then by faults, then by steps."""
    return run.bound.earlier_run, found.faults, found.steps


@dataclass(frozen=True)
class Checked:
    """A fence, explored over all its bounds."""

    fence: Fence
    settings: Settings
    runs: tuple[Run, ...]

    @cached_property
    def findings(self) -> dict[str, tuple[Run, Finding]]:
        """The cheapest story of each broken promise over all bounds, in the order of the promises."""
        best: dict[str, tuple[Run, Finding]] = {}
        for run in self.runs:
            for name, found in run.result.findings.items():
                if name not in best or rank(run, found) < rank(*best[name]):
                    best[name] = run, found
        return {name: best[name] for name in names_of(self.fence) if name in best}

    @cached_property
    def coverage(self) -> Coverage:
        """All counts, added up."""
        total = Coverage()
        for run in self.runs:
            part = run.result.coverage
            for mine, other in ((total.actions, part.actions), (total.faults, part.faults)):
                mine.update(other)
            total.outcomes.update(part.outcomes)
            total.rules.update(part.rules)
            total.witnesses |= part.witnesses
            for rule, count in part.behind.items():
                total.behind.setdefault(rule, Counter()).update(count)
        return total

    @cached_property
    def standby(self) -> tuple[tuple[str, str], ...]:
        """Rules that never answered, each with what it stands behind."""
        silent = [(full, rule) for full, rule in self.fence.rules() if not self.coverage.rules[full]]
        behind = ((full, self.shadow(full) or standby(self.fence, rule)) for full, rule in silent)
        return tuple((full, what) for full, what in behind if what)

    def shadow(self, rule: str) -> str:
        """Name the rule that answered in its place most often."""
        seen = self.coverage.behind.get(rule)
        return min(seen, key=lambda other: (-seen[other], other)) if seen else ""

    @property
    def unjudged(self) -> tuple[str, ...]:
        """Promises that some run said nothing of; such a run looks for no witnesses either."""
        return tuple(dict.fromkeys(name for run in self.runs for name in run.result.unjudged))

    @cached_property
    def unreached(self) -> tuple[Debt, ...]:
        """What this search owed and did not reach."""
        if self.unjudged:
            return ()
        bounds = tuple(run.bound for run in self.runs)
        return tuple(debt for debt in owed(self.fence, bounds, self.settings) if not self.paid(debt))

    def paid(self, debt: Debt) -> bool:
        """Say whether something owed was reached, or stands behind something that was."""
        coverage = self.coverage
        reached = {"action": coverage.actions, "fault": coverage.faults, "rule": coverage.rules}
        if debt.kind == "witness":
            return debt.name in coverage.witnesses
        return bool(reached[debt.kind][debt.name]) or debt.name in dict(self.standby)

    @property
    def limit(self) -> Stop | None:
        """What stopped a run before its end, if anything did."""
        return next((run.result.limit for run in self.runs if cut_short(run.result.limit)), None)

    @property
    def verdict(self) -> Verdict:
        """The verdict over all bounds."""
        if self.findings:
            return Verdict.VIOLATED
        if self.limit:
            return Verdict.UNDETERMINED
        return Verdict.VACUOUS if self.unreached else Verdict.HOLDS


def check(
    fence: Fence, asked: Asked, limits: Limits, engine: Engine = explore, watch: Watch = lambda *_: None
) -> Checked:
    """Explore every bound on its own.

    Raises:
        BadInput: a rule of the fence raises.
    """
    found = tuple(runs(fence, asked, limits, engine, watch))
    if not any(run.result.limit for run in found):
        found = tuple(with_progress(fence, asked.settings, run, engine) for run in found)
    return Checked(fence, asked.settings, found)


def with_progress(fence: Fence, settings: Settings, run: Run, engine: Engine) -> Run:
    """Judge progress at the highest fault sum whose state graph is small enough, if it is not judged yet."""
    if run.result.unjudged:
        return run
    if run.result.progress:
        return replace(run, progress_faults=run.bound.faults)
    for faults in range(run.bound.faults - 1, -1, -1):
        machine = build(fence, replace(run.bound, faults=faults), settings)
        lower = engine(machine, Limits(), lambda *_: None)
        if lower.progress and machine.progress:
            lost = {name: found for name, found in lower.findings.items() if name == machine.progress.name}
            return Run(run.bound, replace(run.result, findings={**run.result.findings, **lost}), faults)
    return run


def runs(fence: Fence, asked: Asked, limits: Limits, engine: Engine, watch: Watch) -> Iterator[Run]:
    """Yield each bound explored; the keyboard ends them all."""
    for bound in asked.bounds:
        run = Run(bound, explored(fence, build(fence, bound, asked.settings), limits, engine, watch))
        yield run
        if run.result.limit == INTERRUPTED:
            return


def explored(fence: Fence, machine: Machine, limits: Limits, engine: Engine, watch: Watch) -> Result:
    """Explore a machine of a fence.

    Raises:
        BadInput: a rule of the fence raises.
    """
    try:
        return engine(machine, limits, watch)
    except FenceError:
        raise
    except Exception as error:
        notes = "; ".join(getattr(error, "__notes__", []))
        if not notes:
            raise
        raise BadInput(f"fence {fence.name}: a rule raised {type(error).__name__}: {error} ({notes[:200]})") from error
