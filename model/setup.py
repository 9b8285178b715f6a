"""What every machine is set up with: the fence, the settings, the bound, and the epoch it acts for."""

from dataclasses import dataclass

from model.fence import Fence
from model.settings import Bound, Settings


@dataclass(frozen=True)
class Setup:
    """A fence under a bound; `epoch` is that of the attempt an action belongs to."""

    fence: Fence
    settings: Settings
    bound: Bound
    epoch: int = 0

    @property
    def milestones(self) -> tuple[int, ...]:
        """Cases graded after each call."""
        return self.settings.milestones if self.fence.calls == "slices" else (self.settings.cases,)

    def pinned(self, epoch: int) -> int | None:
        """Return the model revision that the grant of an epoch names; a floating alias names none."""
        return {"pinned": 0, "a revision per epoch": epoch, "floating": None}[self.fence.model]


def revision_name(number: int) -> str:
    """Name a model revision; rev-A is the one that is pinned."""
    return f"rev-{chr(ord('A') + number)}"


def digest(version: int) -> str:
    """Name an input digest by the version of the slice."""
    return f"in-{version}"
