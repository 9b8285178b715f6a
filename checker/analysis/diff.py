"""What a change of a fence changes: promises won and lost, and the shortest run that the two answer differently."""

from dataclasses import dataclass

from fencebench.checker.analysis.bounds import Asked
from fencebench.checker.analysis.check import Checked, Watching, unwatched
from fencebench.checker.analysis.engines import searched
from fencebench.checker.search.limits import Limits, Stop
from fencebench.checker.search.lockstep import ENDLESS, Difference, lockstep
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.machine import Transition
from fencebench.model.promises.catalogue import names_of
from fencebench.model.settings import Bound


@dataclass(frozen=True)
class Parting:
    """Where two fences part: the bound, and the shortest run to an answer that differs."""

    bound: Bound
    difference: Difference


@dataclass(frozen=True)
class Compared:
    """Two fences over the same bounds; `parting` is None where no answer differs, `limits` say what was cut short."""

    old: Checked
    new: Checked
    parting: Parting | None
    limits: tuple[Stop, ...] = ()

    @property
    def lost(self) -> tuple[str, ...]:
        """Promises that only the new fence breaks."""
        return tuple(n for n in names_of(self.new.fence) if n in self.new.findings and n not in self.old.findings)

    @property
    def won(self) -> tuple[str, ...]:
        """Promises that only the old fence breaks; none is won by a search that was cut short."""
        cut = self.new.limit
        return (
            ()
            if cut
            else tuple(n for n in names_of(self.new.fence) if n in self.old.findings and n not in self.new.findings)
        )

    @property
    def both(self) -> tuple[str, ...]:
        """Promises that both break."""
        return tuple(n for n in names_of(self.new.fence) if n in self.old.findings and n in self.new.findings)

    @property
    def exit(self) -> int:
        """1 if a promise is lost, 3 if a limit leaves that open, else 0."""
        cut = any(checked.limit for checked in (self.old, self.new))
        return 1 if self.lost and not self.old.limit else 3 if cut or self.lost else 0


def compare(old: Fence, new: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched) -> Compared:
    """Check both fences over the same bounds, then find where they part."""
    before, after = searched(old, wanted, limits, watching), searched(new, wanted, limits, watching)
    parting, cut = part(old, new, wanted, limits, watching)
    return Compared(before, after, parting, tuple(n for n in (before.limit, after.limit, cut) if n))


def part(
    old: Fence, new: Fence, wanted: Asked, limits: Limits, watching: Watching = unwatched
) -> tuple[Parting | None, Stop | None]:
    """Return the cheapest parting over all bounds, the first of equals, and the limit that cut a search short."""
    best, cut, below = None, None, ENDLESS
    for bound in wanted.bounds:
        machines = build(old, bound, wanted.settings), build(new, bound, wanted.settings)
        result = lockstep(*machines, limits, watching(f"{old.name} beside {new.name}"), below)
        cut = cut or result.limit
        if result.difference:
            best, below = Parting(bound, result.difference), result.difference.cost
    return best, cut


def answer(step: Transition | None, other: Transition | None) -> str:
    """Say in a few words what a fence answers in the step in which it differs."""
    if step is None:
        return "has no such step"
    asked = step.event.label if other is None or step.event.label != other.event.label else ""
    by = f" ({step.event.rule})" if step.event.rule else ""
    return f"{asked + ': ' if asked else ''}{step.event.outcome or 'no answer'}{by}"
