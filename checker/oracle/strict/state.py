"""The strict mode's state: a run as one fence keeps it, rebuilt from the log in the model's own records.

Names of digests and revisions stand where the model has version numbers: the rules only compare them.
"""

import copy
from dataclasses import dataclass, field, replace
from typing import Any, Final

from fencebench.checker.oracle.log.events import Event, Name
from fencebench.model.fence import Fence
from fencebench.model.machines.ledger import Content, Grant, Ledger, Receipt, Request
from fencebench.model.machines.store import Artifact, Store
from fencebench.model.settings import Bound, Settings, Setup, revision_name

OTHER: Final = Content(cases=-1)
"""The content of whatever is not what the request brings."""

ABOVE_ALL: Final = 1 << 30
"""The epoch that a worker claims who mints its own."""

REVISIONS: Final = {revision_name(number): number for number in range(26)}


@dataclass
class Books:
    """One shard. `rows` and `stored` keep digests by position; times are seconds on the control plane's clock.

    `leased` is the highest epoch with a lease, which counts as granted but at the reservation that is the grant.
    """

    fixture: Name | None
    ledger: Ledger = field(default_factory=Ledger)
    register: int = -1
    grants: dict[int, Grant] = field(default_factory=dict)
    drawn: dict[int, int] = field(default_factory=dict)
    expires: dict[int, float] = field(default_factory=dict)
    rows: tuple[tuple[int, int, Name | None, Name | None], ...] = ()
    stored: tuple[tuple[int, Name | None], ...] = ()
    checkpoint: Content | None = None
    silent: frozenset[int] = frozenset()
    leased: int = -1

    @property
    def promised(self) -> int:
        """Tokens of the shard that the ceiling has to cover."""
        holds = (grant.hold for grant in self.grants.values())
        open_ = sum(hold.written_off + hold.tokens * hold.live for hold in holds)
        return open_ + sum(tokens for _, tokens, _, _ in self.rows)

    @property
    def burned(self) -> int:
        """Tokens of the shard on the provider's meter."""
        return sum(self.drawn.values())

    def ledger_as_seen(self, request: Request, digest: Name | None) -> Ledger:
        """Return the ledger with receipts as the request sees them: of its own content, or of other content."""
        receipts = (Receipt(e, n, alike(request, d, digest)) for e, n, d, _ in self.rows)
        return self.ledger._replace(receipts=tuple(receipts), highest=max(self.ledger.highest, self.leased))

    def artifacts_as_seen(self, request: Request, digest: Name | None) -> tuple[Artifact, ...]:
        """Return what is stored as the request sees it."""
        return tuple(Artifact(e, alike(request, d, digest)) for e, d in self.stored)


def alike(request: Request, kept: Name | None, brought: Name | None) -> Content:
    """Return the request's own content where the digests are the same, or where one is not observed."""
    return request.content if None in (kept, brought) or kept == brought else OTHER


@dataclass
class World:
    """A run as the fence keeps it. `dialects` numbers revisions that the plan does not pin.

    `promised` are the tokens that the ceiling has to cover (booked, written off or held), `burned` those on the meter.
    """

    fence: Fence
    plan: Event
    shards: dict[Name, Books] = field(default_factory=dict)
    promised: int = 0
    burned: int = 0
    disputed: bool = False
    dialects: dict[Name, int] = field(default_factory=dict)

    def copy(self) -> "World":
        """Return an independent copy."""
        return replace(self, shards=copy.deepcopy(self.shards), dialects=dict(self.dialects))

    def books(self, shard: Name) -> Books:
        """Return the books of a shard."""
        return self.shards.setdefault(shard, Books(self.plan.input_digest))

    def setup(self, epoch: int) -> Setup:
        """Return what the rules are set up with; the lease and the cases are the plan's."""
        cases = len(self.plan.cases) if isinstance(self.plan.cases, list) else self.plan.cases
        lease = self.plan.lease_ttl
        seed = Settings()
        planned = seed.cases if cases is None else max(2, cases)
        settings = replace(
            seed,
            cases=planned,
            checkpoint_cases=min(seed.checkpoint_cases, planned - 1),
            lease_seconds=seed.lease_seconds if lease is None else int(lease),
        )
        return Setup(self.fence, settings, Bound(epochs=ABOVE_ALL), epoch)

    def fits(self, used: int, tokens: int) -> bool:
        """Say whether the ceiling covers so many more tokens; one that is not observed covers all."""
        return self.plan.ceiling is None or used + tokens <= self.plan.ceiling

    def revision(self, name: Name) -> int:
        """Return the model's number of a revision; the plan's pinned one is 0."""
        if name == self.plan.revision:
            return 0
        return REVISIONS.get(str(name), 0) or self.dialects.setdefault(name, 100 + len(self.dialects))

    def revisions(self, name: Name) -> tuple[int, ...]:
        """Return the numbers of revisions that are named together, as in rev-A+rev-B."""
        return tuple(self.revision(part) for part in (name.split("+") if isinstance(name, str) else [name]))

    def content(self, event: Event, books: Books) -> Content:
        """Return what an event brings; what it does not show is as it should be."""
        epoch = event.epoch or 0
        named: Any = named_of(books, epoch) if event.input_digest is None else event.input_digest
        pinned: Any = self.setup(epoch).pinned(epoch)
        revisions = (pinned,) if event.revision is None else self.revisions(event.revision)
        cases = event.parts[0] if event.parts else self.setup(epoch).settings.cases
        return Content(tuple(str(named).split("+")), revisions, cases)  # type: ignore[arg-type]  # names for numbers

    def request(self, event: Event, books: Books) -> Request:
        """Return the request in the model's words."""
        epoch = event.epoch or 0
        claimed = epoch if self.fence.epochs == "driver" else ABOVE_ALL
        named: Any = str(named_of(books, epoch))
        return Request(
            epoch, event.tokens or 0, self.content(event, books), named, reading(self, books, event), claimed
        )


def named_of(books: Books, epoch: int) -> Name | None:
    """Return the input digest that the grant of an epoch names, else the slice's own."""
    return books.grants[epoch].named if epoch in books.grants else books.fixture


def reading(world: World, books: Books, event: Event) -> int:
    """Return the lease's age in seconds on the caller's clock, or on the control plane's where that is not observed."""
    end = books.expires.get(event.epoch or 0)
    clock = event.t if event.clock_of_actor is None else event.clock_of_actor
    return 0 if end is None else int(world.setup(0).settings.lease_seconds - (end - clock))


def lease_over(books: Books, event: Event) -> bool:
    """Say whether the lease has ended on the control plane's clock; one that is not observed has not."""
    end = books.expires.get(event.epoch or 0)
    return end is not None and event.t >= end


def store_as_seen(books: Books, request: Request, digest: Name | None) -> Store:
    """Return the store as a put sees it."""
    return Store(books.artifacts_as_seen(request, digest), books.register)
