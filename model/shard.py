"""A shard by the names of its parts: those that no epoch owns, then those of each epoch.

The contract knows a unit as a flat tuple of parts. Whoever looks at a whole shard asks for a `Shard`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from fencebench.model.machine import Part, Step, Unit
from fencebench.model.machines.channel import Rows as Flying
from fencebench.model.machines.driver import Driver
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.ledger import Content, Grant, Ledger
from fencebench.model.machines.reducer import Rows
from fencebench.model.machines.store import Store
from fencebench.model.machines.worker import Attempt

OF_EPOCH: dict[str, Part] = {"attempt": Attempt(), "clock": Clock(), "meter": 0, "grant": None}
"""The parts of one epoch, and how they begin."""


@dataclass(frozen=True)
class Component:
    """A machine of one's own in each shard: the part that it keeps, how that begins, and its actions.

    An action is a generator of steps. Its parameters name the parts that it reads, its own among them; one that reads a
    part of an epoch (`attempt`, `clock`, `meter`, `grant`) is an action of each epoch. It is given the `setup`.
    """

    name: str
    initial: Part
    actions: tuple[Callable[..., Iterable[Step]], ...]


class Epoch(NamedTuple):
    """What belongs to one epoch of a shard; `meter` is in tokens."""

    attempt: Attempt
    clock: Clock
    meter: int
    grant: Grant | None


class Shard(NamedTuple):
    """A shard; `fixture` is the version of its input slice, `reduced` what the report consumed of it."""

    driver: Driver = Driver()
    ledger: Ledger = Ledger()
    store: Store = Store()
    fixture: int = 0
    checkpoint: Content | None = None
    channel: Flying = ()
    reduced: Rows = ()
    epochs: tuple[Epoch, ...] = ()

    @property
    def meters(self) -> tuple[int, ...]:
        """The tokens that each epoch has drawn."""
        return tuple(epoch.meter for epoch in self.epochs)

    @property
    def grants(self) -> tuple[Grant, ...]:
        """The grants on record, in the order of their epochs."""
        return tuple(epoch.grant for epoch in self.epochs if epoch.grant is not None)


SHARED_BY_EPOCHS = Shard._fields[:-1]
"""The parts that no epoch owns."""


def part_names(epochs: int, own: tuple[Component, ...] = ()) -> tuple[str, ...]:
    """Return the names of a shard's parts as the contract has them: its own machines' come last."""
    of_epochs = (f"{name}{epoch}" for epoch in range(epochs) for name in OF_EPOCH)
    return (*SHARED_BY_EPOCHS, *of_epochs, *(component.name for component in own))


def opened(epochs: int, earlier: int = -1, own: tuple[Component, ...] = ()) -> Unit:
    """Return a shard of a run that has just been opened; an earlier run committed that epoch, or none."""
    shard = Shard(ledger=Ledger(earlier=earlier))
    of_epochs = (part for _ in range(epochs) for part in OF_EPOCH.values())
    return (*shard[:-1], *of_epochs, *(component.initial for component in own))


def shard_of(unit: Unit) -> Shard:
    """Return a unit by the names of its parts."""
    known: Any = unit[: len(SHARED_BY_EPOCHS)]
    rest: Any = unit[len(SHARED_BY_EPOCHS) :]
    width = len(OF_EPOCH)
    begins = [i for i in range(0, len(rest), width) if isinstance(rest[i], Attempt)]
    return Shard._make((*known, tuple(Epoch(*rest[i : i + width]) for i in begins)))
