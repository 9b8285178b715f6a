"""What the oracle remembers of a run: its plan and totals; of a shard its attempts, artifacts and rows.

Times are seconds on the control plane's clock, amounts are tokens, epochs whole numbers. None means not observed.
"""

from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from fencebench.checker.oracle.log.events import Event, Name

NEVER = -1
"""An epoch below every epoch."""

Names = frozenset[Name]
EMPTY: Names = frozenset()


class Artifact(NamedTuple):
    """What was put: what the put named, and the revisions and inputs known to be in it."""

    epoch: int
    digest: Name | None
    req: Name | None = None
    revision: Name | None = None
    input: Name | None = None
    revisions: Names = EMPTY
    inputs: Names = EMPTY


class Receipt(NamedTuple):
    """A committed row: what was booked, what it names, and the revisions known to be in it."""

    epoch: int
    tokens: int
    digest: Name | None
    revision: Name | None
    input: Name | None
    req: Name | None
    counted: bool
    revisions: Names = EMPTY


class Checkpoint(NamedTuple):
    """What a checkpoint recorded: the cases done, its digests, and the revisions and inputs that made it."""

    done: Names | None
    input: Name | None
    config: Name | None
    revisions: Names
    inputs: Names


class Row(NamedTuple):
    """The row of one case: the epoch that brought it, and its content as far as it is observed."""

    epoch: int
    digest: Name | None
    revision: Name | None


class Settled(NamedTuple):
    """One request that moved a part of a hold: reserve, release or waste. `lost`: its reply was not seen yet."""

    op: str
    tokens: int
    req: Name | None
    lost: bool


@dataclass(slots=True)
class Attempt:
    """One (run, shard, epoch).

    Its lease may end from `low` on and is over from `high` on; they differ where the end is not observed. `expired` is
    a lease declared over, `ended` also an attempt that ended by itself. `hold` is what was reserved if every request
    added, `least_hold` if those that may be retries did not. `forgiven` are burned tokens that a wrong answer lost;
    `sent` says that it was dispatched, to `host`.
    `revisions` and `inputs` are those known to be in its work, `pending` digests of puts without a reply.
    """

    granted: bool = False
    holder: Name | None = None
    since: float = 0
    low: float = 0
    high: float = 0
    ended: bool = False
    expired: bool = False
    input: Name | None = None
    config: Name | None = None
    hold: int | None = None
    least_hold: int = 0
    wasted: int = 0
    released: int = 0
    forgiven: int = 0
    swept: bool = False
    sent: bool = False
    host: Name | None = None
    drawn: int = 0
    called: bool = False
    revisions: Names = EMPTY
    inputs: Names = EMPTY
    stored: Artifact | None = None
    pending: frozenset[Name | None] = frozenset()
    receipt: Receipt | None = None
    checkpoint: Checkpoint | None = None
    settled: tuple[Settled, ...] = ()

    @property
    def booked(self) -> int:
        """Tokens of its receipt."""
        return self.receipt.tokens if self.receipt and self.receipt.counted else 0

    @property
    def owed(self) -> int:
        """Tokens that were drawn and are neither booked nor written off."""
        return max(0, self.drawn - self.booked - self.wasted - self.forgiven)

    @property
    def unclosed(self) -> int:
        """Tokens of the hold that were neither booked nor written off nor released, at most."""
        return max(0, (self.hold or 0) - self.booked - self.wasted - self.released)

    @property
    def least_unclosed(self) -> int:
        """The same, at least."""
        return max(0, self.least_hold - self.booked - self.wasted - self.released)

    def key(self) -> tuple[Any, ...]:
        """All of it as one hashable value."""
        return tuple(getattr(self, name) for name in _ATTEMPT)

    def copy(self) -> "Attempt":
        """An independent copy."""
        return Attempt(*[getattr(self, name) for name in _ATTEMPT])


_ATTEMPT = tuple(each.name for each in fields(Attempt))


@dataclass(slots=True)
class Shard:
    """One shard, in one alternative of what answers that never came may have done.

    `granted` is the highest epoch of a lease grant, `issued` the highest reserved or dispatched, `told` the register of
    the store. `state` is what `state.set` wrote; `version` the version of the shard's record, `version_by` the epoch
    that wrote it. `conflict` is the line of a conflict at commit that is on record; `disputed`: some conflict was told.
    """

    input: Name | None = None
    config: Name | None = None
    granted: int = NEVER
    issued: int = NEVER
    told: int = NEVER
    accepted: Artifact | None = None
    receipt: Receipt | None = None
    conflict: int | None = None
    disputed: bool = False
    sealed: bool = False
    state: str | None = None
    version: Name | None = None
    version_by: int | None = None
    rows: dict[Name, Row] = field(default_factory=dict)
    attempts: dict[int, Attempt] = field(default_factory=dict)

    def attempt(self, epoch: int) -> Attempt:
        """The attempt of an epoch, made when it is first heard of."""
        found = self.attempts.get(epoch)
        if found is None:
            found = self.attempts[epoch] = Attempt()
        return found

    def copy_for(self, epoch: int) -> "Shard":
        """A copy of which this attempt, made where it is missing, and all that is not of an attempt may be changed."""
        made = Shard(*[getattr(self, name) for name in _SHARD])
        made.rows, made.attempts = dict(self.rows), dict(self.attempts)
        made.attempts[epoch] = made.attempts[epoch].copy() if epoch in made.attempts else Attempt()
        return made

    def copy(self) -> "Shard":
        """An independent copy."""
        made = Shard(*[getattr(self, name) for name in _SHARD])
        made.rows, made.attempts = dict(self.rows), {epoch: each.copy() for epoch, each in self.attempts.items()}
        return made

    def key(self) -> tuple[Any, ...]:
        """All of it as one hashable value."""
        attempts = tuple((epoch, self.attempts[epoch].key()) for epoch in sorted(self.attempts))
        return (*(getattr(self, name) for name in _SHARD), frozenset(self.rows.items()), attempts)


_SHARD = tuple(each.name for each in fields(Shard))[:-2]


class Spend(NamedTuple):
    """Tokens that count against the ceiling, at least and at most; `booked` is the part in receipts."""

    least: int = 0
    most: int = 0
    booked: int = 0

    def plus(self, other: "Spend") -> "Spend":
        """The sum of two."""
        return Spend(self.least + other.least, self.most + other.most, self.booked + other.booked)

    def minus(self, other: "Spend") -> "Spend":
        """What remains without the other."""
        return Spend(self.least - other.least, self.most - other.most, self.booked - other.booked)


NOTHING = Spend()


class Plan(NamedTuple):
    """What `run.open` says, with the ceiling of the moment. `cases` are the names of the cases of each shard."""

    shards: tuple[Name, ...] | None
    names: Names | None
    cases: range | Names | None
    ceiling: int | None
    revision: Name | None
    input: Name | None
    config: Name | None
    lease_ttl: float | None
    by_receipt: bool


def plan_of(event: Event) -> Plan:
    """The plan in a `run.open` event."""
    shards = None if event.shards is None else tuple(event.shards)
    cases = None
    if event.cases is not None:
        cases = range(event.cases) if isinstance(event.cases, int) else frozenset(event.cases)
    return Plan(
        shards,
        None if shards is None else frozenset(shards),
        cases,
        event.ceiling,
        event.revision,
        event.input_digest,
        event.config_digest,
        event.lease_ttl,
        event.acceptance == "receipt",
    )
