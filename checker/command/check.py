"""Checks a fence over a union of bounds: the verdict over all, what was never reached, what is standby."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from checker.command.bounds import Asked
from checker.errors import BadInput
from checker.explore import Watch, explore
from checker.result import Coverage, Finding, Limits, Result, Verdict
from model.composition import build
from model.fence import Fence
from model.machine import Machine
from model.owed import Debt, owed, standby
from model.promises import NAMES
from model.settings import Bound, Settings

EXITS = {Verdict.HOLDS: 0, Verdict.VIOLATED: 1, Verdict.UNDETERMINED: 3, Verdict.VACUOUS: 4}
Engine = Callable[[Machine, Limits, Watch], Result]


@dataclass(frozen=True)
class Run:
    """One bound, explored."""

    bound: Bound
    result: Result


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
                if name not in best or (found.faults, found.steps) < (best[name][1].faults, best[name][1].steps):
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
    return Checked(fence, asked.settings, tuple(runs(fence, asked, limits, engine, watch)))


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
