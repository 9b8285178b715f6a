"""The run to where a person stands, as a story and as a stored trace."""

from dataclasses import dataclass, replace

from fencebench.checker.analysis.bounds import TIMES
from fencebench.checker.explorer.place import Desk, Place
from fencebench.checker.report.case import RunStory, records
from fencebench.checker.report.itf import as_itf
from fencebench.checker.report.stored import bound_record
from fencebench.checker.report.story import Story
from fencebench.checker.search.replay import follow, stored
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.settings import Bound, Settings


@dataclass(frozen=True)
class Subject:
    """What is explored: a fence under a bound; `name` is what the command line called it."""

    fence: Fence
    bound: Bound
    settings: Settings

    @property
    def desk(self) -> Desk:
        """Its model."""
        return Desk(build(self.fence, self.bound, self.settings))


def story_of(subject: Subject, place: Place) -> Story:
    """Tell the run to a place; steps that break a promise are marked."""
    broken = place.broken
    why = "; ".join(f"step {number} breaks {name}: {reason}" for number, name, reason in broken)
    title = "Where you stand"
    run = RunStory(subject.fence, subject.bound, subject.settings, place.trace, title, why or "Nothing is broken.", "")
    named = {number: tuple(name for n, name, _ in broken if n == number) for number, _, _ in broken}
    steps = tuple(replace(step, violated=named.get(step.number, ())) for step in run.story.steps)
    promises = tuple(dict.fromkeys(name for _, name, _ in broken))
    return replace(run.story, steps=steps, properties=promises, minimal=False, reproduce=())


def trace_of(subject: Subject, place: Place) -> str:
    """Write the run as ITF; it is about the first promise that it breaks, if it breaks any."""
    meta = {
        "title": "A run stepped through by hand",
        "fence": subject.fence.name,
        **({"property": place.broken[0][1]} if place.broken else {}),
        "minimal": False,
        "bound": bound_record(subject.bound, subject.settings),
        "settings": {name: getattr(subject.settings, name) for name in TIMES},
    }
    return as_itf(place.desk.machine, place.trace, records(story_of(subject, place), place.trace), meta)


def compared(place: Place, other: Desk) -> str:
    """Say at which step another fence first answers these choices otherwise."""
    there = other.start
    for number, step in enumerate(place.trace, 1):
        run = follow(other.machine, there.state, stored(step))
        if not run:
            return f"at step {number} it has no {step.event.label}"
        if run[-1].event.outcome != step.event.outcome:
            by = f" (by {run[-1].event.rule})" if run[-1].event.rule else ""
            return f"at step {number} it answers {run[-1].event.outcome or 'nothing'}{by}"
        there = there.after(run)
    return "it answers the same so far"
