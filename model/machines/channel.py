"""The channel from workers to the ledger, at least once: rows in flight, delivered in any order.

State: the rows in flight of a shard. Actions: `deliver`; faults `duplicate` (a row arrives twice) and `forge` (a commit
that no worker sent, under an epoch never granted, or a granted one with tokens that were not drawn).
Source: `seeds/000` assumption 2 and its two grounds of rejection; `seeds/002`, the runtime's misbehaviours.
"""

from collections.abc import Iterator

from fencebench.model.fence import GO_ON, Answer
from fencebench.model.machine import Event, Step
from fencebench.model.machines.acceptance import unaccepted
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.ledger import Booking, CommitView, Content, Grant, Ledger, Request, book
from fencebench.model.machines.shared import Effect, lost
from fencebench.model.machines.store import Consumed, Store
from fencebench.model.machines.worker import Attempt, Changes, claimed, ended
from fencebench.model.settings import Setup

Rows = tuple[Request, ...]


def event_of(answer: Answer, row: Request, number: int = 0) -> Event:
    """Return the event of a commit that arrives; rows of one attempt that differ are told apart by a number."""
    outcome = str(answer.refusal or "COMMITTED")
    label = f"commit epoch {row.epoch}{f' #{number}' if number else ''}"
    return Event("deliver", "worker", "ledger", label, outcome, epoch=row.epoch, message=row, **answer.given)


def in_flight(channel: Rows, epoch: int) -> bool:
    """Say whether some row of the epoch is on its way, whoever sent it."""
    return any(row.epoch == epoch for row in channel)


def changes_of(booking: Booking) -> Changes:
    """Return what a booking leaves in the ledger."""
    return ("ledger", booking.ledger), ("grant", booking.grant)


def deliver(
    channel: Rows,
    ledger: Ledger,
    grant: Grant | None,
    store: Store,
    clock: Clock,
    meter: int,
    attempt: Attempt,
    lapsed: bool,
    heartbeat: bool,
    reduced: Consumed,
    *,
    setup: Setup,
) -> Iterator[Step]:
    """A row arrives, and its sender, if it still waits, has its answer and ends."""
    rows = sorted({row for row in channel if row.epoch == setup.epoch})
    for number, row in enumerate(rows, 1):
        booking = book(row, CommitView(ledger, grant, store.artifacts, lapsed, heartbeat, meter, setup))
        i = channel.index(row)
        changes = (*changes_of(booking), ("channel", channel[:i] + channel[i + 1 :]))
        answers = told(attempt, clock, booking.answer, setup) if attempt.phase == "sent" else ()
        effect = counted(booking, ledger, store, reduced, setup)
        step = Step(event_of(booking.answer, row, number if len(rows) > 1 else 0), (*changes, *answers), effect)
        yield step
        if booking.answer.refusal is None and answers:
            yield lost(step, ("attempt", "clock"), attempt=attempt._replace(phase="stored"))


def told(attempt: Attempt, clock: Clock, answer: Answer, setup: Setup) -> Changes:
    """Return the changes of a worker that has the answer to its commit: it ends, or first deletes what it put."""
    refused = answer.refusal is not None and answer.refusal not in GO_ON
    if refused and setup.fence.cleanup == "own artifact":
        return (("attempt", attempt._replace(phase="refused")),)
    return ended(attempt, clock)


def counted(booking: Booking, ledger: Ledger, store: Store, reduced: Consumed, setup: Setup) -> Effect:
    """Return the effect of a booking, with the consumed rows that it makes accepted ones."""
    before, after = (unaccepted(reduced, kept, store, setup) for kept in (ledger, booking.ledger))
    return booking.effect._replace(unaccepted=after - before)


def duplicate(channel: Rows, *, setup: Setup) -> Iterator[Step]:
    """Fault: a row in flight will arrive once more."""
    for row in sorted(set(channel)):
        label = f"commit epoch {row.epoch} is doubled"
        event = Event("duplicate", "worker", label=label, fault="duplicate", epoch=row.epoch, message=row)
        yield Step(event, (("channel", tuple(sorted((*channel, row)))),), Effect(fault="duplicate"))


def forge(
    ledger: Ledger,
    grant: Grant | None,
    store: Store,
    lapsed: bool,
    meter: int,
    fixture: int,
    heartbeat: bool,
    reduced: Consumed,
    *,
    setup: Setup,
) -> Iterator[Step]:
    """Fault: a commit that no worker sent arrives, whole and on the pinned revision, with a matching digest.

    It names a whole shard's tokens, or some more where those were really drawn.
    """
    if setup.epoch > ledger.highest + 1:
        return
    named, plan = (grant.named if grant else fixture), setup.settings.plan_tokens
    tokens = plan if meter != plan else plan + setup.settings.tokens_per_case
    content = Content((named,), (setup.pinned(setup.epoch) or 0,), setup.settings.cases)
    row = Request(setup.epoch, tokens, content, named, claimed=claimed(setup))
    booking = book(row, CommitView(ledger, grant, store.artifacts, lapsed, heartbeat, meter, setup))
    event = event_of(booking.answer, row)._replace(action="forge", actor="forger", fault="forge")
    yield Step(event, changes_of(booking), counted(booking, ledger, store, reduced, setup)._replace(fault="forge"))
