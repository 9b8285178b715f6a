"""Tells a run that is no counterexample: one that reaches a peak, or one on which two fences part."""

from dataclasses import dataclass

from checker.command.bounds import told
from checker.narrate import lanes_of, steps_of
from checker.story import Story
from model.composition import build
from model.fence import Fence
from model.machine import Transition
from model.settings import Bound, Settings


@dataclass(frozen=True)
class Told:
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
