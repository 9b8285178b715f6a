"""The contract for minimising a unit by itself: what it knows of the shared part, and what it shows of its steps.

Units meet in the shared part alone. Of a unit whose inner steps are hidden the others see only its effects, so it may
be replaced by any smaller one that shows the same.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from fencebench.model.machine import Effect, Event, Machine, Refused, Shared

Known = Any
"""What one unit knows of the shared part: hashable, and enough to say which of its steps can be ruled out."""


class Split(NamedTuple):
    """One way to begin: the shared part, and what each unit knows of it."""

    shared: Shared
    known: tuple[Known, ...]


@dataclass(frozen=True)
class LocalView:
    """One unit by itself.

    Attributes:
        machine: the unit under what it knows (a `Known` as the shared part). It allows whatever may ever be allowed;
            its shared actions are what happens to all units at once, with the events that the whole machine has.
        shows: the effect by which the others see a step, or None where they see nothing. A `must_show` step has to be
            seen. What is seen presumes the phase that the unit knows.
        phase: how often something happened to all units, as far as a unit knows; the shared part knows it, too.
        either: whether one of two effects is allowed in any case, and neither changes anything.
        observable: whether promises on the shared part need the event of a step with this effect.
        allow: how the whole machine answers an effect, whatever it keeps of earlier answers left out.
        forgets: the shared part without what makes no difference any more.
        splits: ways to begin, of which every run of the whole machine has one.

    """

    machine: Machine
    shows: Callable[[Known, Any, bool], Effect | None]
    phase: Callable[[Known], int]
    either: Callable[[Any, Any], bool]
    observable: Callable[[Event, Any], bool]
    allow: Callable[[Shared, Any], Shared | Refused]
    forgets: Callable[[Shared], Shared]
    splits: tuple[Split, ...]

    @cached_property
    def starts(self) -> tuple[Known, ...]:
        """Everything that a unit may know in the beginning, each once."""
        return tuple(dict.fromkeys(known for split in self.splits for known in split.known))
