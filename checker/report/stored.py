"""Stores a case as an ITF trace, and brings a stored trace back to a machine, a story and a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencebench.checker.analysis.bounds import TIMES, Asked, bound_of, fits_fence, settings_of, unusual
from fencebench.checker.analysis.case import Case, Shown
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.errors import BadInput
from fencebench.checker.report.case import records, story_of
from fencebench.checker.report.itf import StoredTrace, as_itf, read_trace
from fencebench.checker.report.story import Story
from fencebench.checker.search.replay import Replay, replay
from fencebench.checker.search.result import Finding
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.settings import FAULTS, Bound, Settings


def bound_record(bound: Bound, settings: Settings) -> dict[str, Any]:
    """Write a bound with the names of the options."""
    shape = {"shards": bound.shards, "epochs": bound.epochs, "faults": bound.faults, "ceiling": bound.ceiling(settings)}
    return {**shape, "earlier_run": bound.earlier_run, **{fault: bound.caps.get(fault, 1) for fault in FAULTS}}


def trace_text(case: Case) -> str:
    """Write a case as ITF."""
    return written(case, story_of(case))


def written(case: Case, story: Story, **more: str) -> str:
    """Write a case as ITF, told by this story; `more` goes into the header."""
    found = case.finding
    meta = {
        "title": story.title,
        "fence": case.fence.name,
        "property": found.property,
        "faults": found.faults,
        "steps": found.steps,
        "minimal": case.minimal,
        **more,
        "why": found.why,
        "rule": story.rule,
        "bound": bound_record(case.bound, case.settings),
        "settings": {name: getattr(case.settings, name) for name in TIMES} | unusual(case.settings),
        "reproduce": list(story.reproduce),
    }
    return as_itf(case.machine, found.trace, records(story, found.trace), meta)


@dataclass(frozen=True)
class Recalled:
    """A stored trace, and the fence, bound and settings that it is to be replayed on."""

    trace: StoredTrace
    fence: Fence
    bound: Bound
    settings: Settings

    @property
    def promise(self) -> str | None:
        """The promise that the trace is about; None means any."""
        return self.trace.meta.get("property")

    @property
    def machine(self) -> Machine:
        """The model to replay on."""
        return build(self.fence, self.bound, self.settings)

    def replay(self) -> Replay:
        """Replay the trace."""
        return replay(self.machine, list(self.trace.steps), self.promise)


def recall(path: Path, fence: str | None) -> Recalled:
    """Read a stored trace and find the fence it is to be replayed on.

    Raises:
        BadInput: the file, its bound, its property or the fence is not usable.
    """
    trace = read_trace(path)
    name = fence or trace.meta.get("fence")
    if not isinstance(name, str):
        raise BadInput(f"{path}: the trace names no fence; give one with --fence")
    found = trace.meta.get("property")
    if found is not None and found not in NAMES:
        raise BadInput(f"{path}: property {found!r} is unknown; expected one of {', '.join(NAMES)}")
    bound = bound_of(mapping(trace.meta, "bound", path), f"{path}: bound")
    settings = settings_of(mapping(trace.meta, "settings", path), f"{path}: settings")
    recalled = Recalled(trace, find_fence(name), bound, settings)
    fits_fence(recalled.fence, Asked((bound,), settings))
    return recalled


def mapping(meta: Mapping[str, Any], name: str, path: Path) -> dict[str, Any]:
    """Return a table of the trace's header."""
    value = meta.get(name)
    if not isinstance(value, dict):
        raise BadInput(f"{path}: the trace's header has no {name}; store the trace anew")
    return value


def case_of(recalled: Recalled, again: Replay) -> Case:
    """Return the case that a replayed trace tells; its last step is the one that breaks, or the last it could take."""
    broken = dict(again.broken)
    name = recalled.promise or next(iter(broken), "")
    found = Finding(
        name,
        sum(1 for t in again.trace if t.event.fault),
        len(again.trace),
        broken.get(name) or unbroken(recalled, again),
        again.trace,
    )
    verdict: Shown = "violated" if again.verdict == "still violates" else again.verdict
    shown = verdict == "violated" and still_minimal(recalled, again)
    return Case(recalled.fence, recalled.bound, recalled.settings, found, shown, verdict)


def unbroken(recalled: Recalled, again: Replay) -> str:
    """Say why a stored run breaks nothing: where it is answered otherwise, or where it cannot go on."""
    if again.verdict == "no longer executable":
        wanted = recalled.trace.steps[(again.step or 1) - 1][0]
        return f"the stored run cannot go on: its step {again.step} ({wanted.label}) is not possible here"
    answers = "; ".join(f"stored step {step} is answered {refusal}" for step, refusal in again.answered)
    return f"nothing is broken on this run{f': {answers}' if answers else ''}"


def still_minimal(recalled: Recalled, again: Replay) -> bool:
    """Say whether a search has shown that this very run is a shortest one: the same fence, step for step."""
    same = recalled.fence.name == recalled.trace.meta.get("fence") and len(again.trace) == len(recalled.trace.steps)
    return same and bool(recalled.trace.meta.get("minimal"))
