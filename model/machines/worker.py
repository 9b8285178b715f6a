"""The shard worker, one for each attempt: it starts, grades, looks at its lease, puts its artifact, sends its commit.

State: an `Attempt`. It knows its grant and its own clock and peeks at nothing else. A refused worker ends and touches
nothing more; progress of an attempt that has ended is forgotten.
Actions: `begin` (`resume_checkpoint` or `restart`), `check_lease`, `send`; grading is in `endpoint`, put in `store`.
Source: `seeds/000` steps 3 and 4 (a checkpoint carries its digest; resumption is gated on the lease).
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.fence import GO_ON, Answer, Refusal
from fencebench.model.machine import Event, Part, Step
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.ledger import Content, Request
from fencebench.model.settings import Setup

Changes = tuple[tuple[str, Part], ...]


class Attempt(NamedTuple):
    """Where an attempt stands, what it has graded, which input version it loaded, which one its grant names.

    Phases: absent, ready, grading, graded, may put, stored, may send, sent, ended. `gone`: its host was taken away.
    """

    phase: str = "absent"
    content: Content = Content()
    loaded: int = 0
    named: int = 0
    gone: bool = False


class ResumeView(NamedTuple):
    """What a starting worker may look at; `checkpoint` is None where there is none, its inputs () where unknown."""

    checkpoint: Content | None
    loaded: int
    pinned: int | None
    reading_seconds: int
    setup: Setup


class WriteView(NamedTuple):
    """What a worker may look at before it writes."""

    reading_seconds: int
    setup: Setup


def alive(attempt: Attempt) -> bool:
    """Say whether the attempt was dispatched and has not ended."""
    return attempt.phase not in ("absent", "ended")


def ended(attempt: Attempt, clock: Clock) -> Changes:
    """Return the changes of an attempt that ends: what it knew, and its host's clock, matter no more."""
    return ("attempt", Attempt("ended", named=attempt.named)), ("clock", Clock(clock.age_seconds))


def answered(attempt: Attempt, clock: Clock, refusal: Refusal | None, then: str) -> Changes:
    """Return the changes of an attempt that got its answer: it goes on, or it ends."""
    if refusal is None or refusal in GO_ON:
        return (("attempt", attempt._replace(phase=then)),)
    return ended(attempt, clock)


def done(setup: Setup, action: str, target: str, label: str, answer: Answer, success: str) -> Event:
    """Return the event of a worker's call and its answer."""
    outcome = str(answer.refusal or success)
    return Event(action, "worker", target, label, outcome, epoch=setup.epoch, **answer.given)


def begin(attempt: Attempt, checkpoint: Content | None, fixture: int, clock: Clock, *, setup: Setup) -> Iterator[Step]:
    """Load the slice and start: from the checkpoint where the fence lets it, else from the first case.

    A refused checkpoint is left alone and the shard restarted; a lease that is over ends the attempt.
    """
    if attempt.phase != "ready" or attempt.gone:
        return
    visible = checkpoint and (checkpoint._replace(inputs=()) if setup.fence.checkpoint == "index" else checkpoint)
    view = ResumeView(visible, fixture, setup.pinned(setup.epoch), clock.reading_seconds, setup)
    answer = setup.fence.judge("resume", Request(setup.epoch), view)
    resumes = checkpoint is not None and answer.refusal is None
    action = "resume_checkpoint" if resumes else "restart"
    event = done(
        setup,
        action,
        "",
        f"{action.replace('_', ' ')}",
        answer,
        f"from {checkpoint.cases}" if checkpoint and resumes else "from 0",
    )
    if answer.refusal in (Refusal.LEASE_MARGIN, Refusal.LEASE_EXPIRED):
        yield Step(event, ended(attempt, clock))
        return
    content = checkpoint if checkpoint is not None and resumes else Content()
    yield Step(event, (("attempt", attempt._replace(phase="grading", content=content, loaded=fixture)),))


def check_lease(attempt: Attempt, clock: Clock, *, setup: Setup) -> Iterator[Step]:
    """Before each write the worker looks at its own clock, where the fence has it look at all."""
    then = {"graded": "may put", "stored": "may send"}.get(attempt.phase)
    if then is None or attempt.gone or not setup.fence.looks("write"):
        return
    answer = setup.fence.judge("write", Request(setup.epoch), WriteView(clock.reading_seconds, setup))
    yield Step(
        done(setup, "check_lease", "", "check lease", answer, "in time"), answered(attempt, clock, answer.refusal, then)
    )


def claimed(setup: Setup) -> int:
    """Return the epoch that a worker says it has; one that mints its own always has the newest."""
    return setup.epoch if setup.fence.epochs == "driver" else setup.bound.epochs


def may(attempt: Attempt, write: str, setup: Setup) -> bool:
    """Say whether the next thing the worker does is this write: `put` or `send`."""
    unchecked = {"put": "graded", "send": "stored"}[write]
    return not attempt.gone and attempt.phase == (f"may {write}" if setup.fence.looks("write") else unchecked)


def send(attempt: Attempt, channel: tuple[Request, ...], meter: int, *, setup: Setup) -> Iterator[Step]:
    """Send the commit on its way; the attempt ends with the answer, not with sending."""
    if may(attempt, "send", setup):
        tokens = meter if setup.fence.claims == "drawn" else setup.settings.plan_tokens
        row = Request(setup.epoch, tokens, attempt.content, attempt.named, claimed=claimed(setup))
        event = Event("send", "worker", "ledger", f"commit epoch {setup.epoch}", epoch=setup.epoch, message=row)
        flown = tuple(sorted((*channel, row)))
        yield Step(event, (("attempt", attempt._replace(phase="sent")), ("channel", flown)))
