"""A story as the page has it: the picture, each step with its alternatives, the states around it, the fence's rules."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fencebench.checker.analysis.case import Case
from fencebench.checker.report.itf import itf
from fencebench.checker.report.picture import as_dot, as_text, words
from fencebench.checker.report.story import Story, StoryStep
from fencebench.model.fence import BOUNDARIES, Fence
from fencebench.model.fences import REFERENCE
from fencebench.model.machine import Machine, State, Transition


@dataclass(frozen=True)
class Shown:
    """A story to be stepped through.

    Attributes:
        name: its address on the page, after `#`.
        fence: whose rules are shown beside it, or None.
        machine: the model that tells states and alternatives, with `trace`, or None for a log.
        itf: the trace to download, "" where there is none.

    """

    name: str
    story: Story
    fence: Fence | None = None
    machine: Machine | None = None
    trace: tuple[Transition, ...] = ()
    itf: str = ""


def shown_case(case: Case, story: Story, trace_itf: str) -> Shown:
    """Return a broken promise to be stepped through."""
    name = f"{case.fence.name}/{case.finding.property}"
    return Shown(name, story, case.fence, case.machine, case.finding.trace, trace_itf)


def record(shown: Shown) -> dict[str, Any]:
    """Return everything that the page needs of a story, as plain data."""
    from fencebench.checker.report.picture.render import render

    story = shown.story
    lanes = {lane.key: lane.title for lane in story.lanes}
    return {
        "name": shown.name,
        "title": story.title,
        "verdict": story.verdict if story.properties else "",
        "facts": words.facts(story),
        "why": story.why,
        "rule": story.rule,
        "reproduce": story.reproduce,
        "steps": [step_record(step, lanes, mark) for step, mark in marked(story)],
        "states": [dict(flat(shown.machine, state)) for state in states(shown) if shown.machine],
        "choices": [[*choices(shown.machine, before, taken)] for before, taken in befores(shown)],
        "fence": [*boundaries(shown.fence, story.rule)] if shown.fence else [],
        "svg": render(as_dot(story), "svg").decode(),
        "text": as_text(story),
        "itf": shown.itf,
    }


def marked(story: Story) -> Iterator[tuple[StoryStep, str]]:
    """Yield the steps, each with the mark of its fault."""
    marks = words.faults_of(story)
    yield from ((step, marks.get(step.number, "")) for step in story.steps)


def step_record(step: StoryStep, lanes: dict[str, str], mark: str) -> dict[str, Any]:
    """Return a step: its number, the sentence that tells it, and what is said of it."""
    return {
        "number": step.number,
        "head": words.headline(step, lanes | {"": ""}),
        "clock": "".join(words.clocks(step)),
        "fault": words.fault_line(step, mark) if step.fault else "",
        "refused": step.refused,
        "changed": [words.change_line(change) for change in step.changed],
        "bites": words.bite(step),
        "violated": step.violated,
    }


def states(shown: Shown) -> Iterator[State]:
    """Yield the state before the first step, then the one after each."""
    if shown.machine:
        yield shown.machine.initial
        yield from (step.after for step in shown.trace)


def befores(shown: Shown) -> Iterator[tuple[State, Transition]]:
    """Yield each step with the state before it."""
    yield from zip(states(shown), shown.trace, strict=False)


def flat(machine: Machine, state: State) -> Iterator[tuple[str, str]]:
    """Yield the fields of a state, each with the path to it."""
    yield from leaves("run", itf(state.shared))
    several = len(state.units) > 1
    for number, unit in enumerate(state.units):
        for name, part in zip(machine.parts, unit, strict=True):
            yield from leaves(f"s{number}.{name}" if several else name, itf(part))


def leaves(path: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield the fields below a value."""
    parts = value.items() if isinstance(value, dict) and "#tup" not in value else None
    if parts is None:
        yield path, plain(value)
        return
    for name, part in parts:
        yield from leaves(f"{path}.{name}", part)


def plain(value: Any) -> str:
    """Write a value without what only a machine needs."""
    if isinstance(value, dict):
        inner = value.get("#tup")
        if inner is not None:
            return f"({', '.join(map(plain, inner))})"
        return ", ".join(f"{name} {plain(part)}" for name, part in value.items())
    return str(value)


def choices(machine: Machine | None, before: State, taken: Transition) -> Iterator[dict[str, Any]]:
    """Yield what else was enabled, each with the answer that it would get and the rule that gives it."""
    if machine is None:
        return
    several, seen = len(before.units) > 1, set[tuple[Any, ...]]()
    for other in machine.successors(before):
        e = other.event
        key = (other.unit, e.label, e.epoch, e.fault, e.outcome)
        if other == taken or key in seen:
            continue
        seen.add(key)
        shard = f"s{other.unit} " if several and other.unit is not None else ""
        of = f" (epoch {e.epoch})" if e.epoch is not None and "epoch" not in e.label else ""
        yield {
            "label": f"{shard}{e.label}{of}",
            "who": e.actor,
            "answer": e.outcome,
            "rule": e.rule,
            "behind": e.behind,
            "fault": e.fault,
            "nothing": other.after == before,
        }


def boundaries(fence: Fence, remedy: str) -> Iterator[dict[str, Any]]:
    """Yield the rules at each boundary, and those of the reference that are missing; one of them stops the story."""
    stops = remedy.partition(": ")[0]
    for boundary, asks in BOUNDARIES.items():
        mine, theirs = getattr(fence, boundary), getattr(REFERENCE, boundary)
        rules = [(rule, "") for rule in mine] + [(rule, "missing") for rule in theirs if rule not in mine]
        yield {
            "name": boundary,
            "asks": asks,
            "rules": [
                {
                    "name": rule.name,
                    "class": str(rule.refusal),
                    "sentence": rule.sentence,
                    "state": "stops" if stops == f"{boundary}.{rule.name}" and state else state,
                }
                for rule, state in rules
            ],
        }
