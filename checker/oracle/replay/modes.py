"""The two modes of judging: the answers of any sound policy, or exactly those of one fence."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from fencebench.checker.oracle.judge import judge as any_sound
from fencebench.checker.oracle.judge.decide import Finding
from fencebench.checker.oracle.judge.explain import state_of
from fencebench.checker.oracle.judge.run import Run, opened
from fencebench.checker.oracle.log.events import Event
from fencebench.checker.oracle.strict import strict
from fencebench.model.fence import Fence


@dataclass(frozen=True)
class Mode:
    """How a run is judged: `judge` lets an allowed answer change it; for another `adopt` takes it, `mend` rights it.

    `told` is the state in words, `sound` the run as the default judge keeps it. The run is the mode's own; it can be
    copied and knows where it was `cut`.
    """

    name: str
    opened: Callable[[Event], Any]
    judge: Callable[[Any, Event], Finding | None]
    adopt: Callable[[Any, Event], None]
    mend: Callable[[Any, Event, Finding], None]
    told: Callable[[Any, Event], tuple[str, ...]]
    sound: Callable[[Any], Run]


SOUND: Final = Mode(
    "any sound policy", opened, any_sound.judge, any_sound.adopt, any_sound.mend, state_of, lambda run: run
)
"""Every answer of any sound policy is allowed."""


def strictly(fence: Fence) -> Mode:
    """Return the mode in which each answer must be the one that the fence gives, and one that the default allows."""
    name = f"fence {fence.name}, strictly"
    return Mode(
        name, strict.opened(fence), strict.judge, strict.adopt, strict.mend, strict.state_told, lambda run: run.sound
    )
