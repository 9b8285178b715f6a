"""What the oracle remembers of a run: facts of a shard, its attempts, and the alternatives that unknown answers leave.

Times are seconds on the control plane's clock, amounts are tokens. None means not observed.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from fencebench.checker.oracle.events import Event, Name

NEVER = -1
"""An epoch below every epoch."""


class Stored(NamedTuple):
    """An artifact in the store: its digest and the request that brought it."""

    digest: Name | None
    req: Name | None


class Receipt(NamedTuple):
    """A committed row: what was booked and what it names."""

    tokens: int
    digest: Name | None
    revision: Name | None
    counted: bool


class Checkpoint(NamedTuple):
    """What a checkpoint recorded: the cases done, and the digests it was made on."""

    done: frozenset[Name] | None
    input: Name | None
    config: Name | None


class Attempt(NamedTuple):
    """One (run, shard, epoch). Its lease may end from `low` on and is over from `high` on; they differ if not observed.

    `expired` is a lease declared over, `ended` also an attempt that ended by itself. `hold` is what was reserved;
    `wasted` and `released` are parts of it that were closed; `forgiven` are burned tokens that a wrong answer lost.
    `pending` are digests whose put had no reply and may still land.
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
    wasted: int = 0
    released: int = 0
    forgiven: int = 0
    swept: bool = False
    drawn: int = 0
    called: bool = False
    served_pinned: bool = False
    served_other: bool = False
    stored: Stored | None = None
    pending: frozenset[Name | None] = frozenset()
    receipt: Receipt | None = None
    checkpoint: Checkpoint | None = None
    rows: frozenset[Name] = frozenset()

    @property
    def booked(self) -> int:
        """Tokens of its receipt."""
        return self.receipt.tokens if self.receipt and self.receipt.counted else 0

    @property
    def owed(self) -> int:
        """Tokens that were drawn and are neither booked nor written off."""
        return max(0, self.drawn - self.booked - self.wasted - self.forgiven)

    @property
    def open_hold(self) -> int:
        """Tokens of the hold that count against the ceiling while it lives; a commit closes the whole hold."""
        return 0 if self.receipt else self.unclosed

    @property
    def unclosed(self) -> int:
        """Tokens of the hold that were neither booked nor written off nor released."""
        return max(0, (self.hold or 0) - self.booked - self.wasted - self.released)


class Accepted(NamedTuple):
    """The artifact that counts for a shard."""

    epoch: int
    digest: Name | None


class Facts(NamedTuple):
    """What is known of a shard as a whole.

    `granted` is the highest epoch of a lease grant, `issued` the highest that was reserved or dispatched. `state` is
    what `state.set` wrote; `version` is the last version of the shard's record, `version_by` the epoch that wrote it.
    """

    input: Name | None = None
    config: Name | None = None
    granted: int = NEVER
    issued: int = NEVER
    accepted: Accepted | None = None
    receipt_epoch: int | None = None
    sealed: bool = False
    state: str | None = None
    version: Name | None = None
    version_by: int | None = None


FRESH = Attempt()


class Spend(NamedTuple):
    """Tokens that count against the ceiling, at least and at most.

    `booked` is the part in receipts; `burned` the part of `least` that nobody holds, booked or wrote off.
    """

    least: int = 0
    most: int = 0
    booked: int = 0
    burned: int = 0

    def plus(self, other: "Spend") -> "Spend":
        """The sum of two."""
        booked, burned = self.booked + other.booked, self.burned + other.burned
        return Spend(self.least + other.least, self.most + other.most, booked, burned)

    def minus(self, other: "Spend") -> "Spend":
        """What remains without the other."""
        booked, burned = self.booked - other.booked, self.burned - other.burned
        return Spend(self.least - other.least, self.most - other.most, booked, burned)


NOTHING = Spend()


@dataclass(slots=True)
class Branch:
    """One alternative of a shard: facts, attempts by epoch, and what each attempt counts against the ceiling."""

    facts: Facts
    attempts: dict[int, Attempt] = field(default_factory=dict)
    spends: dict[int, Spend] = field(default_factory=dict)
    spend: Spend = NOTHING

    def copy(self) -> "Branch":
        """An independent alternative."""
        return Branch(self.facts, dict(self.attempts), dict(self.spends), self.spend)


@dataclass(slots=True)
class Run:
    """All that is known of a run. `observed` are the ops that occurred, `spend` is what counts against the ceiling.

    `leases` are (end, line, shard, epoch) of leases that end by the clock, a heap. `doubtful` are shards with more than
    one alternative. `cut` is the line from which alternatives were dropped because there were too many.
    """

    plan: Event
    planned: frozenset[Name] | None
    cases: range | frozenset[Name] | None
    shards: dict[Name, list[Branch]] = field(default_factory=dict)
    observed: set[str] = field(default_factory=set)
    spend: Spend = NOTHING
    leases: list[tuple[float, int, Name, int]] = field(default_factory=list)
    doubtful: set[Name] = field(default_factory=set)
    conflicts: bool = False
    revisions: set[Name] = field(default_factory=set)
    cut: int | None = None

    def copy(self) -> "Run":
        """An independent copy, to be continued with other answers."""
        shards = {name: [branch.copy() for branch in branches] for name, branches in self.shards.items()}
        return Run(
            self.plan, self.planned, self.cases, shards, set(self.observed), self.spend,
            list(self.leases), set(self.doubtful), self.conflicts, set(self.revisions), self.cut,
        )  # fmt: skip


def opened(plan: Event) -> Run:
    """The state of a run that was just opened."""
    planned = None if plan.shards is None else frozenset(plan.shards)
    return Run(plan, planned, planned_cases(plan))


def planned_cases(plan: Event) -> range | frozenset[Name] | None:
    """The names of the cases of a shard: those listed, or the numbers from 0."""
    if plan.cases is None:
        return None
    return range(plan.cases) if isinstance(plan.cases, int) else frozenset(plan.cases)


def fresh_branch(run: Run) -> Branch:
    """A shard about which nothing was said yet."""
    return Branch(Facts(run.plan.input_digest, run.plan.config_digest))


class Scene(NamedTuple):
    """What a guard, a class and an effect may look at: one event in one alternative of its shard.

    `epoch` is the event's, or the one the event must mean; `own` is what that attempt counts against the ceiling, and
    `others` what everybody else does.
    """

    event: Event
    run: Run
    facts: Facts
    attempt: Attempt
    attempts: dict[int, Attempt]
    epoch: int
    own: Spend
    others: Spend
