"""Why a set of rules breaks a promise, as a condition on any other set: the rules a story needs, those that stop it.

A story depends on the answers along it, and an answer on the first rule that applies. So every set that has the rules
which answered (`needs`), and none of those that would have answered otherwise (`stops`), has the same story. What ends
in a state, because nothing follows it or because the goal is out of reach, depends on the answers to whatever could
follow as well.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from typing import NamedTuple

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.analysis.check import Checked, Watching, unwatched
from fencebench.checker.analysis.engines import searched
from fencebench.checker.analysis.variants import rule_names
from fencebench.checker.errors import BadInput
from fencebench.checker.search.limits import Limits, Stop
from fencebench.checker.search.properties import on_final
from fencebench.checker.search.result import Finding, Verdict
from fencebench.model.build import build
from fencebench.model.fence import BOUNDARIES, Fence
from fencebench.model.machine import Event, Machine, State, Transition
from fencebench.model.settings import Bound

Rules = frozenset[str]
Build = Callable[[Rules], Machine]
"""Builds the machine of a fence that has these rules only."""


class Scene(NamedTuple):
    """A state and the steps there that a story depends on; `whole`: also on there being no others but faults."""

    state: State
    steps: tuple[Transition, ...]
    whole: bool = False


@dataclass(frozen=True)
class Reason:
    """Sets with all of `needs` and none of `stops` break the promise; `stops` are minimal one by one, not together."""

    promise: str
    needs: Rules
    stops: Rules

    def holds(self, rules: Rules) -> bool:
        """Say whether it condemns a set of rules."""
        return self.needs <= rules and not self.stops & rules


def calm(machine: Machine, state: State) -> tuple[Transition, ...]:
    """Return the steps of a state that are no faults."""
    return tuple(step for step in machine.successors(state) if not step.event.fault)


def ahead(machine: Machine, state: State) -> Iterator[Scene]:
    """Yield every state that can still be reached without a fault."""
    reached, queue = {state}, [state]
    for place in queue:
        steps = calm(machine, place)
        yield Scene(place, steps, True)
        queue += [after for after in dict.fromkeys(t.after for t in steps) if after not in reached]
        reached.update(queue)


def scenes(machine: Machine, found: Finding) -> Iterator[Scene]:
    """Yield all that a story depends on."""
    state = machine.initial
    for step in found.trace:
        yield Scene(state, (step,))
        state = step.after
    asked = [claim for claim in machine.properties if claim.name == found.property]
    if not asked:  # judged on the state graph
        yield from ahead(machine, state)
    elif any(on_final(claim) for claim in asked):
        yield Scene(state, calm(machine, state), True)


def answer(step: Transition) -> tuple[int | None, Event, State]:
    """Return a step without the rules that stand behind the one that answered."""
    return step.unit, step.event._replace(behind=()), step.after


def same(machine: Machine, story: Iterable[Scene]) -> bool:
    """Say whether the machine gives every answer that the story depends on."""
    for scene in story:
        steps = calm(machine, scene.state) if scene.whole else tuple(machine.successors(scene.state))
        answers, wanted = {answer(t) for t in steps}, {answer(t) for t in scene.steps}
        if not (wanted == answers if scene.whole else wanted <= answers):
            return False
    return True


def reason(build: Build, rules: Rules, everything: Rules, found: Finding) -> Reason:
    """Learn from a story of this set of rules what it says about others."""
    story = tuple(scenes(build(rules), found))
    answered = frozenset(step.event.rule for scene in story for step in scene.steps) & rules
    stops = frozenset(name for name in everything - rules if not same(build(rules | {name}), story))
    return Reason(found.property, answered | visited(build, rules, answered, story), stops)


def visited(build: Build, rules: Rules, answered: Rules, story: tuple[Scene, ...]) -> Rules:
    """Return the rules of boundaries that the story visits though none of them answers: without any it would not."""
    needed = set[str]()
    for boundary in BOUNDARIES:
        mine = frozenset(name for name in rules if name.startswith(f"{boundary}."))
        if mine and not mine & answered and not same(build(rules - mine), story):
            needed |= mine
    return frozenset(needed)


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
    limit: Stop | None = None

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
    watching: Watching = unwatched
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
        return searched(self.only(rules), self.wanted, limits, self.watching, f"{len(rules)} rules")

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


def minimal_fences(fence: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched) -> Minimal:
    """Find every minimal sufficient set of the fence's rules.

    Raises:
        BadInput: the fence itself breaks a promise.
    """
    quest, limit = Quest(fence, wanted, limits, watching), None
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


def tried(quest: Quest, rules: Rules) -> Stop | None:
    """Check a set that no reason condemns; return the limit that left it open, if any."""
    checked = quest.check(rules)
    if checked.findings:
        quest.learn(rules, checked)
    elif not checked.limit:
        quest.found[rules] = checked
    return None if checked.findings else checked.limit


def ways_out(quest: Quest, rules: Rules) -> Iterable[Rules]:
    """Return the set with each rule that stops a story of it; none for a set that suffices."""
    known = quest.against(rules)
    return [rules | {name} for name in sorted(known.stops)] if known else []


def result(quest: Quest, limit: Stop | None) -> Minimal:
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
