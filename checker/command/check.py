"""Checks a fence over a union of bounds: the verdict over all, what was never reached, what is standby."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from checker.command.bounds import Asked
from checker.errors import BadInput
from checker.explore import Watch, explore
from checker.liveness import stuck
from checker.result import Coverage, Finding, Limits, Result, Verdict
from model.composition import build
from model.fence import Fence
from model.machine import Machine
from model.owed import Debt, owed, standby
from model.promises import NAMES
from model.settings import Bound, Settings

EXITS = {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNDETERMINED: 3, Verdict.VACUOUS: 4}
GRAPH_STATES = 6_000
"""`can_finish` is judged on graphs up to so many states: they hold every step in memory."""

Engine = Callable[[Machine, Limits, Watch], Result]


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
        return {name: best[name] for name in NAMES if name in best}

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

    @cached_property
    def unreached(self) -> tuple[Debt, ...]:
        """What this search owed and did not reach."""
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
    def limit(self) -> str:
        """The limit that stopped a run before its end, or nothing."""
        return next((r.result.limit for r in self.runs if r.result.limit not in ("", "first violation")), "")

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
    stopped = any(run.result.limit for run in found)
    return Checked(
        fence, asked.settings, found if stopped else tuple(with_progress(fence, asked.settings, r) for r in found)
    )


def with_progress(fence: Fence, settings: Settings, run: Run) -> Run:
    """Judge `can_finish` on the state graph of the bound, at the highest fault sum whose graph is small enough."""
    for faults in range(run.bound.faults, -1, -1):
        machine = build(fence, replace(run.bound, faults=faults), settings)
        assert machine.goal is not None
        assert machine.hopeful is not None
        few = run.result.states <= GRAPH_STATES if faults == run.bound.faults else True
        lost = stuck(machine, "can_finish", machine.hopeful, machine.goal, GRAPH_STATES) if few else None
        if lost is not None:
            found = {**run.result.findings, **{f.property: f for f in lost}}
            return Run(run.bound, replace(run.result, findings=found), faults)
    return run


def runs(fence: Fence, asked: Asked, limits: Limits, engine: Engine, watch: Watch) -> Iterator[Run]:
    """Yield each bound explored."""
    for bound in asked.bounds:
        try:
            yield Run(bound, engine(build(fence, bound, asked.settings), limits, watch))
        except Exception as error:
            notes = "; ".join(getattr(error, "__notes__", []))
            if not notes:
                raise
            raise BadInput(
                f"fence {fence.name}: a rule raised {type(error).__name__}: {error} ({notes[:200]})"
            ) from error
