"""What an exploration says: plain data that every engine fills in the same way."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from fencebench.checker.search.limits import Stop
from fencebench.model.machine import Transition


class Verdict(StrEnum):
    """The answer about a bound. Only `holds` is a pass."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNDETERMINED = "undetermined"
    VACUOUS = "vacuous"


@dataclass(frozen=True)
class Finding:
    """A broken promise and the shortest story that breaks it: fewest faults, then fewest steps, then fixed order."""

    property: str
    faults: int
    steps: int
    why: str
    trace: tuple[Transition, ...]

    @cached_property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.faults, self.steps


@dataclass
class Coverage:
    """How often each thing happened, over all transitions of the search."""

    actions: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    outcomes: Counter[str] = field(default_factory=Counter)
    rules: Counter[str] = field(default_factory=Counter)
    behind: dict[str, Counter[str]] = field(default_factory=dict)
    witnesses: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Result:
    """An exploration: `depth` is breadth-first levels, `seconds` wall time, `limit` what stopped it, if anything.

    `progress` says that the promise on the state graph was judged, too; `unjudged` are promises that were not, and
    `minimal` says that no shorter story exists.
    """

    states: int
    transitions: int
    depth: int
    seconds: float
    findings: Mapping[str, Finding]
    coverage: Coverage
    limit: Stop | None = None
    finals: int = 0
    engine: str = "plain"
    notes: tuple[Hashable, ...] = ()
    progress: bool = False
    unjudged: tuple[str, ...] = ()
    minimal: bool = True

    @property
    def verdict(self) -> Verdict:
        """A violation outweighs a limit; a limit outweighs a pass."""
        if self.findings:
            return Verdict.VIOLATED
        return Verdict.UNDETERMINED if self.limit else Verdict.HOLDS
