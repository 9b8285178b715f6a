"""Finds every minimal sufficient fence: the smallest sets of rules that keep all promises up to the bounds.

Nothing is assumed to be monotone, and it is not: `commit.conflict` puts conflicts on record, and a fence that records
them needs `publish.unresolved_conflict` too. Sets are tried smallest first. One that breaks a promise gives a reason
(`reasons`) that condemns other sets without a search: whatever keeps all promises and contains the set must have one
of the rules that stop its story. So each of these is put in by turns; whatever contains a set that suffices is left.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush

from checker.command.bounds import Asked
from checker.command.check import Checked
from checker.command.reasons import Reason, Rules, reason
from checker.command.search import searched
from checker.command.variants import rule_names
from checker.errors import BadInput
from checker.result import Limits, Verdict
from model.composition import build
from model.fence import Fence
from model.machine import Machine
from model.settings import Bound


@dataclass(frozen=True)
class Sufficient:
    """A minimal sufficient fence: its rules in order, and the verdict of `check` on it."""

    rules: tuple[str, ...]
    verdict: Verdict


@dataclass(frozen=True)
class Breaking:
    """Rules that cannot all go: without them `promise` breaks, and each of them alone would stop that story."""

    rules: tuple[str, ...]
    promise: str


@dataclass(frozen=True)
class Minimal:
    """All of them, smallest first; a `limit` leaves open whether there are others. `searches` is the work done."""

    fences: tuple[Sufficient, ...]
    breaking: tuple[Breaking, ...] = ()
    searches: int = 0
    limit: str = ""

    @property
    def common(self) -> tuple[str, ...]:
        """Rules that all of them have."""
        first = self.fences[0].rules if self.fences else ()
        return tuple(rule for rule in first if all(rule in fence.rules for fence in self.fences))


@dataclass
class Quest:
    """What is known so far: reasons against sets of rules, and the sets that suffice."""

    fence: Fence
    wanted: Asked
    limits: Limits
    reasons: list[Reason] = field(default_factory=list)
    found: dict[Rules, Checked] = field(default_factory=dict)
    searches: int = 0

    @property
    def everything(self) -> Rules:
        """All rules of the fence."""
        return frozenset(rule_names(self.fence))

    def only(self, rules: Rules) -> Fence:
        """Return the fence with these rules only."""
        gone = [name for name in rule_names(self.fence) if name not in rules]
        return self.fence.without(*gone) if gone else self.fence

    def check(self, rules: Rules) -> Checked:
        """Check the fence with these rules only, up to the first broken promise of each bound."""
        self.searches += 1
        limits = Limits(self.limits.max_states, self.limits.max_seconds, "first")
        return searched(self.only(rules), self.wanted, limits, f"{len(rules)} rules")

    def against(self, rules: Rules) -> Reason | None:
        """Return a known reason against a set: of several the one that leaves the fewest ways out."""
        reasons = (known for known in self.reasons if known.holds(rules))
        return min(reasons, key=lambda known: len(known.stops), default=None)

    def learn(self, rules: Rules, checked: Checked) -> None:
        """Learn the reason of each promise that the set breaks."""
        for run, found in checked.findings.values():
            self.reasons.append(reason(partial(self.machine, run.bound), rules, self.everything, found))

    def machine(self, bound: Bound, rules: Rules) -> Machine:
        """Build the model of the fence with these rules only."""
        return build(self.only(rules), bound, self.wanted.settings)


def minimal_fences(fence: Fence, wanted: Asked, limits: Limits) -> Minimal:
    """Find every minimal sufficient set of the fence's rules.

    Raises:
        BadInput: the fence itself breaks a promise.
    """
    quest, limit = Quest(fence, wanted, limits), ""
    if quest.check(quest.everything).findings:
        raise BadInput(f"fence {fence.name} breaks a promise; mend it first, then ask which rules suffice")
    frontier: list[tuple[int, tuple[str, ...], Rules]] = [(0, (), frozenset())]
    seen: set[Rules] = {frozenset()}
    while frontier and not limit:
        rules = heappop(frontier)[2]
        if any(known <= rules for known in quest.found):
            continue
        if quest.against(rules) is None:
            limit = tried(quest, rules)
        for more in ways_out(quest, rules):
            if more not in seen:
                seen.add(more)
                heappush(frontier, (len(more), tuple(sorted(more)), more))
    return result(quest, limit)


def tried(quest: Quest, rules: Rules) -> str:
    """Check a set that no reason condemns; return the limit that left it open, or nothing."""
    checked = quest.check(rules)
    if checked.findings:
        quest.learn(rules, checked)
    elif not checked.limit:
        quest.found[rules] = checked
    return "" if checked.findings else checked.limit


def ways_out(quest: Quest, rules: Rules) -> Iterable[Rules]:
    """Return the set with each rule that stops a story of it; none for a set that suffices."""
    known = quest.against(rules)
    return [rules | {name} for name in sorted(known.stops)] if known else []


def result(quest: Quest, limit: str) -> Minimal:
    """Put what was found in order."""
    order = rule_names(quest.fence)
    sets = sorted(quest.found, key=lambda rules: (len(rules), sorted(rules)))
    fences = tuple(Sufficient(tuple(n for n in order if n in s), quest.found[s].verdict) for s in sets)
    stops = {known.stops: known.promise for known in reversed(quest.reasons)}
    groups = sorted(stops, key=lambda rules: (len(rules), sorted(rules)))
    breaking = tuple(
        Breaking(tuple(n for n in order if n in group), stops[group])
        for group in groups
        if not any(other < group for other in groups)
    )
    return Minimal(fences, breaking, quest.searches, limit)
