"""Makes short stories of what walks find: in the smallest bound that has them, minimised, told and stored."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType

from fencebench.checker.analysis.bounds import as_options
from fencebench.checker.analysis.check import Checked, Run
from fencebench.checker.report.case import Case, story_of
from fencebench.checker.report.narrate import lanes_of, steps_of
from fencebench.checker.report.stored import written
from fencebench.checker.report.story import Story
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import Limits, cut_short
from fencebench.checker.search.properties import promising
from fencebench.checker.search.replay import stored
from fencebench.checker.search.result import Finding, Result, Verdict
from fencebench.checker.walk.least import least, retold
from fencebench.checker.walk.listeners import Plan
from fencebench.checker.walk.run import Walked
from fencebench.checker.walk.tables import WalkTables
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.settings import FAULTS, Bound, Settings

FEW_SHARDS = 2
"""Stories of more shards are told without asking which rule would have stopped them: that is a search of its own."""
SEARCH = Limits(max_states=20_000, stop_at="first")
"""How far is searched for a story that is shorter still."""


def smaller(bound: Bound, found: Finding) -> Iterator[Bound]:
    """Yield bounds that may still have the story, the smallest first."""
    used = [t.event.fault for t in found.trace if t.event.fault]
    units = [t.unit for t in found.trace if t.unit is not None]
    epochs = [t.event.epoch for t in found.trace if t.event.epoch is not None]
    caps = MappingProxyType({fault: max(1, used.count(fault)) for fault in FAULTS})
    shards, most = max(units, default=0) + 1, max(epochs, default=0) + 1
    for count in dict.fromkeys((shards, bound.shards)):
        for top in dict.fromkeys((min(most, bound.epochs), min(most + 1, bound.epochs), bound.epochs)):
            for spare in (0, 1, count):
                kept = replace(bound, shards=count, epochs=top, faults=len(used), caps=caps)
                yield replace(kept, ceiling_tokens=None, spare_attempts=spare)


def alone(found: Finding) -> Iterator[Finding]:
    """Yield the story of each unit by itself, as the first one's; then the whole story."""
    for unit in sorted({t.unit for t in found.trace if t.unit is not None}):
        own = tuple(t._replace(unit=t.unit and 0) for t in found.trace if t.unit in (unit, None))
        yield replace(found, trace=own)
    yield found


def snug(fence: Fence, bound: Bound, settings: Settings, found: Finding) -> Case:
    """Return the story in the smallest bound in which it is still told, for `check` to search and for a picture."""
    for part in alone(found):
        story = [stored(t) for t in part.trace]
        for less in smaller(bound, part):
            tables = WalkTables(build(fence, less, settings), FAULTS)
            again = retold(tables, story, found.property)
            if again is not None and again.cost <= found.cost:
                short = least(tables, again)
                return Case(fence, less, settings, searched(fence, less, settings, short) or short)
    return Case(fence, bound, settings, found)


def searched(fence: Fence, bound: Bound, settings: Settings, found: Finding) -> Finding | None:
    """Search the bound of a story for the shortest of its promise, with no more faults of each kind than it has."""
    caps = Counter(t.event.fault for t in found.trace if t.event.fault)
    only = replace(bound, faults=found.faults, caps=MappingProxyType({fault: caps[fault] for fault in FAULTS}))
    machine = promising(build(fence, only, settings), found.property)
    shortest = explore(machine, SEARCH).findings.get(found.property)
    if shortest is None or shortest.cost >= found.cost:
        return None
    return retold(
        WalkTables(build(fence, bound, settings), FAULTS), [stored(t) for t in shortest.trace], found.property
    )


def told(case: Case, reproduce: str) -> Story:
    """Tell a story of a walk."""
    if case.bound.shards <= FEW_SHARDS:
        return replace(story_of(case), reproduce=(reproduce,), minimal=False)
    steps, telling = steps_of(case.machine, case.finding.trace)
    last = replace(steps[-1], violated=(case.finding.property,))
    return Story(
        title=case.finding.property.replace("_", " "),
        properties=(case.finding.property,),
        fence=case.fence.name,
        fence_summary=case.fence.summary,
        bound=f"{case.bound.shards} shards, {case.bound.epochs} epochs",
        faults=case.finding.faults,
        minimal=False,
        lanes=lanes_of(case.machine, steps, telling),
        steps=(*steps[:-1], last),
        why=f"Step {last.number}: {case.finding.why}.",
        reproduce=(reproduce,),
    )


def itf_of(case: Case, reproduce: str, kind: str) -> str:
    """Write a story of a walk as ITF; `kind` says whether it is minimised or as hypothesis shrank it."""
    return written(replace(case, minimal=False), told(case, reproduce), kind=kind)


@dataclass(frozen=True)
class WalkReport:
    """A fence that was walked: `stories` are the minimised findings, each in the smallest bound that still has it."""

    fence: Fence
    bound: Bound
    settings: Settings
    plan: Plan
    walked: Walked
    stories: Mapping[str, Case]

    @cached_property
    def checked(self) -> Checked:
        """The walks in the shape of an exploration, so that what is owed and standby is reckoned the same way."""
        w = self.walked
        found = {name: case.finding for name, case in self.stories.items()}
        limit = w.limit if cut_short(w.limit) else None
        result = Result(0, w.steps, w.longest, w.seconds, found, w.coverage, limit, w.finals, "walk")
        return Checked(self.fence, self.settings, (Run(self.bound, result),))

    @property
    def verdict(self) -> Verdict:
        """Violated, undetermined on a limit, vacuous where something owed never ran; holds means nothing was found."""
        return self.checked.verdict

    @property
    def reproduce(self) -> str:
        """The command that walks the same walks."""
        p = self.plan
        more = f" --property {p.promise}" if p.promise else " --stop-at first" if p.stop_at == "first" else ""
        where = as_options(self.bound, self.settings)
        return (
            f"fencebench walk {self.fence.name} --examples {p.examples} --steps {p.steps} --seed {p.seed}{more} {where}"
        )


def cheapest(report: WalkReport) -> str:
    """Return the broken promise that was asked for, else the one with the cheapest story."""
    return min(report.stories, key=lambda name: report.stories[name].finding.cost)
