"""Tells a finding: its title, the reason, the rule that would have stopped it, and how to reproduce it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from fencebench.checker.analysis.bounds import told
from fencebench.checker.analysis.case import Case
from fencebench.checker.report.narrate import lanes_of, steps_of
from fencebench.checker.report.story import Story, StoryStep
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.properties import promising
from fencebench.checker.search.replay import replay, stored
from fencebench.checker.search.result import Finding
from fencebench.model.build import build
from fencebench.model.describe import REMEDIES
from fencebench.model.fence import BOUNDARIES, Fence, Rule
from fencebench.model.fences import REFERENCE
from fencebench.model.machine import Machine, Transition
from fencebench.model.promises.catalogue import promise_of
from fencebench.model.settings import Bound, Settings

CALM_LIMIT = Limits(max_states=20_000)
"""A calm run of many shards is long; a remedy that is calm so far is taken to be."""


OPENING = StoryStep(0, "run.open", "driver", None, "the run is opened", "", "", 0, None, None, None, None)
"""The only step of a story that breaks a promise before anything has happened."""


class Remedy(NamedTuple):
    """A rule or a strategy that would have stopped a story, where it bites (a step, or None), and with which class."""

    name: str
    sentence: str
    step: int | None
    refusal: str


def with_rule(fence: Fence, boundary: str, rule: Rule) -> Fence:
    """Return the fence with one more rule of the reference, in the reference's order."""
    mine = getattr(fence, boundary)
    order = list(getattr(REFERENCE, boundary))
    place = sum(1 for r in mine if r in order and order.index(r) < order.index(rule))
    return fence.having(**{boundary: (*mine[:place], rule, *mine[place:])})


def candidates(fence: Fence) -> Iterator[tuple[str, str, Fence]]:
    """Yield the fence with each rule, then each strategy, that the reference has and it has not."""
    for boundary in reversed(BOUNDARIES):
        if who := fence.respondent(boundary):
            sentence = f"the rules in whose place {who.name} answers"
            yield boundary, sentence, fence.having(**{boundary: getattr(fence, boundary)})
            continue
        for rule in getattr(REFERENCE, boundary):
            if rule not in getattr(fence, boundary):
                yield f"{boundary}.{rule.name}", rule.sentence, with_rule(fence, boundary, rule)
    for name, value in REFERENCE.strategies().items():
        if fence.strategies()[name] != value:
            yield f"{name} = {value}", REMEDIES.get(name, ""), fence.having(**{name: value})


def stops(case: Case, name: str, sentence: str, stronger: Fence) -> Remedy | None:
    """Say how the stronger fence answers the story; None if it breaks all the same, or a calm run under it."""
    story = [(stored(t), t.event.outcome) for t in case.finding.trace]
    machine = build(stronger, case.bound, case.settings)
    again = replay(promising(machine, case.finding.property), story, case.finding.property)
    calm = replace(case.bound, faults=0)
    if again.verdict == "still violates" or breaks(build(stronger, calm, case.settings)):
        return None
    step, refusal = again.answered[0] if again.answered else (None, "")
    return Remedy(name, sentence, step, refusal)


@lru_cache(maxsize=512)
def breaks(machine: Machine) -> bool:
    """Say whether a machine breaks a promise; many stories ask it of the same few calm machines."""
    return bool(explore(machine, CALM_LIMIT).findings)


def remedy(case: Case) -> Remedy | None:
    """Return the rule that bites latest in the story, else the first strategy that stops it."""
    found = [r for c in candidates(case.fence) if (r := stops(case, *c)) is not None]
    return max(found, key=lambda r: (r.step or 0, -found.index(r)), default=None)


def story_of(case: Case) -> Story:
    """Tell a finding as a story."""
    machine, finding = case.machine, case.finding
    steps, telling = steps_of(machine, finding.trace)
    steps = steps or (OPENING,)
    broken = case.verdict == "violated"
    cure = remedy(case) if broken else None
    marked = tuple(replace(s, bites=(cure.name, cure.refusal)) if cure and s.number == cure.step else s for s in steps)
    last = replace(marked[-1], violated=(finding.property,) if broken else ())
    return Story(
        title=title_of(case),
        verdict=case.verdict,
        properties=(finding.property,) if finding.property else (),
        fence=case.fence.name,
        fence_summary=case.fence.summary,
        bound=told(case.bound, case.settings),
        faults=finding.faults,
        minimal=case.minimal,
        lanes=lanes_of(machine, steps, telling),
        steps=(*marked[:-1], last),
        why=why(finding, steps),
        rule=rule_line(cure) if broken else "",
        reproduce=(case.reproduce,),
    )


def title_of(case: Case) -> str:
    """Return what went wrong, in a few words, or what a stored run shows now."""
    if case.verdict == "violated":
        return promise_of(case.fence, case.finding.property).title
    return f"{case.finding.property or 'no promise'} is not broken on this run"


def why(finding: Finding, steps: tuple[StoryStep, ...]) -> str:
    """Say in one sentence what the last step broke, and which clock disagreed."""
    last = steps[-1]
    lease = next((x for x in last.leases if x.lane in (last.source, last.target)), None)
    lied = lease and lease.driver == "expired" and lease.worker != "expired"
    clock = " On its own clock the worker still saw its lease as running." if lied else ""
    return f"Step {last.number}: {finding.why}.{clock}"


def rule_line(cure: Remedy | None) -> str:
    """Say which rule or strategy of the reference would have stopped the story."""
    if cure is None:
        return "No single rule of the reference stops this story; compare with the reference itself."
    where = f" Step {cure.step} is then answered {cure.refusal}." if cure.step else ""
    return f"{cure.name}: {cure.sentence[:1].lower()}{cure.sentence[1:].rstrip('.')}.{where}"


def records(story: Story, trace: tuple[Transition, ...], run: int = 7) -> list[dict[str, object]]:
    """Return the trace's steps as every machine-readable output has them."""
    from fencebench.checker.report.itf import step_record

    return [
        step_record(told_step, step, run)
        for told_step, step in zip((s for s in story.steps if s.number), trace, strict=True)
    ]


@dataclass(frozen=True)
class RunStory:
    """A run of a fence under a bound, and what is to be said of it: a title, one sentence why, a command line."""

    fence: Fence
    bound: Bound
    settings: Settings
    trace: tuple[Transition, ...]
    title: str
    why: str
    reproduce: str

    @property
    def story(self) -> Story:
        """The run as a story; it breaks nothing, so no promise is named."""
        machine = build(self.fence, self.bound, self.settings)
        steps, telling = steps_of(machine, self.trace)
        return Story(
            title=self.title,
            properties=(),
            fence=self.fence.name,
            fence_summary=self.fence.summary,
            bound=told(self.bound, self.settings),
            faults=sum(1 for t in self.trace if t.event.fault),
            minimal=True,
            lanes=lanes_of(machine, steps, telling),
            steps=steps,
            why=self.why,
            reproduce=(self.reproduce,),
        )
