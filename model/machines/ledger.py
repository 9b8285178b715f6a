"""The spend ledger of one shard: grants with their holds, receipts, the seal, recorded conflicts.

State: a `Grant` for each epoch, and a `Ledger` of what is said of the whole shard. Rows are append-only.
Actions: `book` (a commit arrives) here; the driver's `reserve`, `expire` and `seal` write it as well.
Source: `seeds/000` (a promise and a receipt are two things), `seeds/002` (a ledger that classifies).
"""

from typing import NamedTuple

from fencebench.model.fence import Answer, Refusal
from fencebench.model.machines.shared import Effect
from fencebench.model.settings import Setup


class Content(NamedTuple):
    """What an artifact is made of: input versions and model revisions (each ascending), and graded cases."""

    inputs: tuple[int, ...] = ()
    revisions: tuple[int, ...] = ()
    cases: int = 0

    def graded(self, cases: int, version: int, revision: int) -> "Content":
        """Return the result when so many cases are graded, the new ones on that input version by that revision."""
        inputs, revisions = {*self.inputs, version}, {*self.revisions, revision}
        return Content(tuple(sorted(inputs)), tuple(sorted(revisions)), cases)


Identity = tuple[int, Content]
"""Which row it is: its key (the epoch, within run and shard), provenance and content, whatever was burned for it."""


class Request(NamedTuple):
    """What a caller asks: for which epoch, how many tokens, with what content, under which named input digest.

    `reading_seconds` is the age of the lease on the caller's own clock, where it has one; `claimed` is the epoch that
    the caller says it has, which is its own unless workers mint epochs.
    """

    epoch: int
    tokens: int = 0
    content: Content = Content()
    named: int = 0
    reading_seconds: int = 0
    claimed: int = -1

    @property
    def identity(self) -> Identity:
        """Which row it is about."""
        return self.epoch, self.content


class Hold(NamedTuple):
    """Tokens promised to an attempt, and the parts in which the promise ended."""

    tokens: int = 0
    live: bool = False
    booked: int = 0
    written_off: int = 0
    released: int = 0

    def closed(self, booked: int = 0, written_off: int = 0) -> "Hold":
        """Return the hold ended in these parts and the rest released; what ended before stays ended."""
        released = self.tokens - booked - written_off if self.live else 0
        return Hold(self.tokens, False, self.booked + booked, self.written_off + written_off, self.released + released)


class Grant(NamedTuple):
    """One ledger write for an epoch: the input digest that the attempt is to work on, its hold, and its successor.

    `superseded_by` is written when the successor is granted; -1 before.
    """

    named: int
    hold: Hold
    superseded_by: int = -1


class Receipt(NamedTuple):
    """A committed row, and the tokens that it carries."""

    epoch: int
    tokens: int
    content: Content

    @property
    def identity(self) -> Identity:
        """Which row it is."""
        return self.epoch, self.content


class Ledger(NamedTuple):
    """What is durable of a shard: highest granted epoch, rows, highest sealed epoch, conflicts on record; or -1.

    `earlier` is the highest epoch that an earlier run of the same shard committed, or -1; `replay` says that a stale
    commit was refused, the shard is to be graded again, and no epoch has been granted since.
    """

    highest: int = -1
    receipts: tuple[Receipt, ...] = ()
    sealed: int = -1
    conflicts: tuple[Receipt, ...] = ()
    earlier: int = -1
    replay: bool = False


class CommitView(NamedTuple):
    """What the ledger may look at when a commit arrives; `drawn` is the meter of that attempt in tokens."""

    ledger: Ledger
    grant: Grant | None
    stored: tuple[Identity, ...]
    lease_over: bool
    heartbeat: bool
    drawn: int
    setup: Setup

    @property
    def hold(self) -> Hold:
        """The attempt's hold; an epoch that was never granted has none."""
        return self.grant.hold if self.grant else Hold()


class Booking(NamedTuple):
    """The ledger's answer to a commit, and what the ledger and the shared part are afterwards."""

    answer: Answer
    ledger: Ledger
    grant: Grant | None
    effect: Effect


def book(request: Request, view: CommitView) -> Booking:
    """Commit a row, or refuse it with a class; a conflict is put on record, nothing else changes."""
    row = Receipt(request.epoch, request.tokens, request.content)
    answer = view.setup.fence.judge("commit", request, view)
    if answer.refusal is None:
        return booked(row, answer, view)
    if answer.refusal is Refusal.CONFLICT:
        return Booking(answer, disputed(view.ledger, row), view.grant, Effect(disputes=True))
    replays = answer.refusal is Refusal.STALE_EPOCH and view.setup.fence.on_stale == "replay"
    ledger = view.ledger._replace(replay=True) if replays else view.ledger
    return Booking(answer, ledger, view.grant, Effect())


def booked(row: Receipt, answer: Answer, view: CommitView) -> Booking:
    """Book the row, end its hold, and seal the shard where sealing is part of the commit."""
    ledger, seals = view.ledger._replace(receipts=tuple(sorted((*view.ledger.receipts, row)))), 0
    if view.setup.fence.sealing == "with commit":
        ledger, seals = sealed(ledger, row.epoch)
    grant = view.grant and view.grant._replace(hold=view.hold.closed(booked=row.tokens))
    freed = view.hold.tokens if view.hold.live else 0
    effect = Effect(held=-freed, committed=row.tokens, sealed=seals, revisions=row.content.revisions)
    return Booking(answer, ledger, grant, effect)


def sealed(ledger: Ledger, epoch: int) -> tuple[Ledger, int]:
    """Return the ledger sealed at the epoch or above, and by how much the run's count of sealed shards grows."""
    return ledger._replace(sealed=max(ledger.sealed, epoch)), int(ledger.sealed < 0)


def disputed(ledger: Ledger, row: Receipt) -> Ledger:
    """Return the ledger with a conflict on record; the same row twice is one."""
    if row.identity in {other.identity for other in ledger.conflicts}:
        return ledger
    return ledger._replace(conflicts=tuple(sorted((*ledger.conflicts, row))))
