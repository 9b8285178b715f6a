"""Walks a fence: the bound, the report, and each broken promise's story in the smallest bound that has it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from fencebench.checker.analysis.bounds import SETTINGS, SHAPE, Asked, as_options, asked
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import Checked, Run
from fencebench.checker.analysis.walk_profiles import PROFILES
from fencebench.checker.errors import BadInput
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import Limits, cut_short
from fencebench.checker.search.properties import promising
from fencebench.checker.search.replay import stored
from fencebench.checker.search.result import Finding, Result, Verdict
from fencebench.checker.walk.least import least, retold
from fencebench.checker.walk.listeners import Plan, Watch
from fencebench.checker.walk.run import Walked, walk
from fencebench.checker.walk.tables import WalkSource, WalkTables
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.promises.catalogue import names_of
from fencebench.model.settings import FAULTS, Bound, Settings, fault_names


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


def unwatched(_walks: int, _steps: int, _broken: int) -> None:
    """Watch nothing."""


SHARDS, EPOCHS, FAULT_SUM, FAULT_CAP = 8, 10, 40, 6
"""How far a walk goes unless it is told otherwise; the ceiling is the plan and half of it."""


def walk_bound(options: Mapping[str, Any]) -> Asked:
    """Return the one bound to walk in.

    Raises:
        BadInput: the options or the file are not usable, or name several bounds.
    """
    names = (*SHAPE, *SETTINGS, *FAULTS)
    given = {name: options[name] for name in names if options[name] not in (None, False)}
    file = options["bounds_file"]
    defaults = (
        {} if file else {"shards": SHARDS, "epochs": EPOCHS, "faults": FAULT_SUM, **dict.fromkeys(FAULTS, FAULT_CAP)}
    )
    wanted = asked({**defaults, **given}, file)
    bounds = [b for b in wanted.bounds if not b.spare_attempts]
    if len(bounds) != 1:
        raise BadInput(f"{file}: a walk goes through one bound, and this file has {len(bounds)}")
    [bound] = bounds
    spare = max(1, bound.shards // 2) if bound.ceiling_tokens is None else 0
    return Asked((replace(bound, spare_attempts=spare),), wanted.settings)


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return how much to walk.

    Raises:
        BadInput: a number is too small, or there is no such promise.
    """
    for name in ("examples", "steps", "max_seconds"):
        if options[name] is not None and options[name] <= 0:
            raise BadInput(f"--{name.replace('_', '-')} must be above 0; found {options[name]}")
    return Plan(
        examples=options["examples"],
        steps=options["steps"],
        seed=options["seed"],
        max_seconds=options["max_seconds"],
        stop_at=options["stop_at"],
        promise=options["property_"],
    )


def source_of(fence: Fence, bound: Bound, settings: Settings) -> WalkSource:
    """Return the tables for walks of a fence."""
    return WalkSource(lambda: build(fence, bound, settings), fault_names(fence), PROFILES)


def walk_fence(fence: Fence, wanted: Asked, plan: Plan, watch: Watch = unwatched) -> WalkReport:
    """Walk a fence; each broken promise has its story in the smallest bound that still has it."""
    [bound], settings = wanted.bounds, wanted.settings
    walked = walk(source_of(fence, bound, settings), plan, watch)
    stories = {n: in_smallest_bound(fence, bound, settings, f) for n, f in walked.least.items()}
    ordered = {name: stories[name] for name in names_of(fence) if name in stories}
    return WalkReport(fence, bound, settings, plan, walked, ordered)


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


def in_smallest_bound(fence: Fence, bound: Bound, settings: Settings, found: Finding) -> Case:
    """Return the story in the smallest bound in which it is still told, for `check` to search and for a picture."""
    for part in alone(found):
        story = [stored(t) for t in part.trace]
        for less in smaller(bound, part):
            tables = WalkTables(build(fence, less, settings), fault_names(fence))
            again = retold(tables, story, found.property)
            if again is not None and again.cost <= found.cost:
                short = least(tables, again)
                return Case(fence, less, settings, shorter(fence, less, settings, short) or short)
    return Case(fence, bound, settings, found)


def shorter(fence: Fence, bound: Bound, settings: Settings, found: Finding) -> Finding | None:
    """Search the bound of a story for the shortest of its promise, with no more faults of each kind than it has."""
    caps = Counter(t.event.fault for t in found.trace if t.event.fault)
    only = replace(bound, faults=found.faults, caps=MappingProxyType({fault: caps[fault] for fault in FAULTS}))
    machine = promising(build(fence, only, settings), found.property)
    shortest = explore(machine, SEARCH).findings.get(found.property)
    if shortest is None or shortest.cost >= found.cost:
        return None
    return retold(
        WalkTables(build(fence, bound, settings), fault_names(fence)),
        [stored(t) for t in shortest.trace],
        found.property,
    )
