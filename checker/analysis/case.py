"""A broken promise by itself: all that a story, a stored trace or a command to reproduce it is made from."""

import shlex
from dataclasses import dataclass
from typing import Literal

from fencebench.checker.analysis.bounds import as_options
from fencebench.checker.search.result import Finding
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine
from fencebench.model.settings import Bound, Settings

Shown = Literal["violated", "fixed", "no longer executable"]
"""What a run shows of a promise."""


@dataclass(frozen=True)
class Case:
    """A broken promise of a fence under a bound, with its trace; `minimal` says that no shorter one exists.

    `verdict` is another one where a stored trace was replayed: the run then breaks nothing, and `finding.why` says so.
    """

    fence: Fence
    bound: Bound
    settings: Settings
    finding: Finding
    minimal: bool = True
    verdict: Shown = "violated"

    @property
    def machine(self) -> Machine:
        """The model that the trace belongs to."""
        return build(self.fence, self.bound, self.settings)

    @property
    def reproduce(self) -> str:
        """The command that finds this story again."""
        options = as_options(self.bound, self.settings)
        return f"fencebench check {shlex.quote(self.fence.name)} {options} --property {self.finding.property}"
