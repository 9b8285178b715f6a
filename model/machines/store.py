"""The artifact store of one shard: what was put, and the fence register.

State: stored artifacts, each under its attempt's key, and the highest epoch that the driver told the store.
Actions: `put`, `tell_store`, `clean_up`. The store asks the control plane one question within the step of a put:
does the lease still run?
Source: `seeds/000` step 2 (a commit only after the artifact's digest exists).
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.machine import Event, Step
from fencebench.model.machines.acceptance import unaccepted
from fencebench.model.machines.driver import Driver
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Identity, Ledger, Request
from fencebench.model.machines.shared import Effect, lost
from fencebench.model.machines.worker import Attempt, answered, claimed, done, ended, may
from fencebench.model.settings import Setup

Consumed = tuple[Identity, ...]
"""Rows that the report has consumed."""


class Artifact(NamedTuple):
    """A stored result under the key of its epoch."""

    epoch: int
    content: Content


class Store(NamedTuple):
    """What is stored, and the register; -1 while it was never raised.

    `winner` is the epoch of the put with the latest timestamp and its worker's clock offset, where that is what counts.
    """

    artifacts: tuple[Artifact, ...] = ()
    register: int = -1
    winner: tuple[int, int] = (-1, 0)


class PutView(NamedTuple):
    """What the store may look at when a put arrives."""

    store: Store
    pinned: int | None
    lease_over: bool
    heartbeat: bool
    setup: Setup


def tell_store(driver: Driver, store: Store, *, setup: Setup) -> Iterator[Step]:
    """The driver raises the store's register to the epoch that it was granted; it never falls."""
    if driver.phase == "granted" and setup.fence.register == "raised":
        event = Event("tell_store", "driver", "store", f"raise to {driver.epoch}", "raised", epoch=driver.epoch)
        raised = store._replace(register=max(store.register, driver.epoch))
        changes = ("driver", driver._replace(phase="told")), ("store", raised)
        step = Step(event, changes, Effect(incarnation=driver.incarnation))
        yield from (step, lost(step, ("driver",)))


def put(attempt: Attempt, store: Store, clock: Clock, reduced: Consumed, *, setup: Setup) -> Iterator[Step]:
    """The worker puts its artifact: created, or the class of the refusal."""
    if not may(attempt, "put", setup):
        return
    request = Request(setup.epoch, 0, attempt.content, attempt.named, clock.reading_seconds, claimed(setup))
    view = PutView(store, setup.pinned(setup.epoch), over(clock, setup), not attempt.gone, setup)
    answer = setup.fence.judge("put", request, view)
    event = done(setup, "put", "store", "put artifact", answer, "created")._replace(message=request)
    changes = answered(attempt, clock, answer.refusal, then="stored")
    if answer.refusal is not None:
        yield Step(event, changes)
        return
    stored = store._replace(artifacts=tuple(sorted({*store.artifacts, Artifact(setup.epoch, attempt.content)})))
    for after in winners(stored, clock, setup):
        step = Step(event, (*changes, ("store", after)), recounted(store, after, Ledger(), reduced, setup))
        yield from (step, lost(step, ("attempt",), attempt=attempt._replace(phase="graded")))


def recounted(before: Store, after: Store, ledger: Ledger, reduced: Consumed, setup: Setup) -> Effect | None:
    """Return the effect of a change of the store on the count of consumed rows that are not accepted, if it has one."""
    strays = unaccepted(reduced, ledger, after, setup) - unaccepted(reduced, ledger, before, setup)
    return Effect(unaccepted=strays) if strays else None


def clean_up(
    attempt: Attempt, store: Store, clock: Clock, ledger: Ledger, reduced: Consumed, *, setup: Setup
) -> Iterator[Step]:
    """A worker whose commit was refused deletes what it put, where the fence has it do so, and ends."""
    if attempt.phase == "refused" and not attempt.gone:
        left = tuple(a for a in store.artifacts if a != Artifact(setup.epoch, attempt.content))
        event = Event("clean_up", "worker", "store", "delete artifact", "deleted", epoch=setup.epoch)
        after = store._replace(artifacts=left)
        yield Step(event, (*ended(attempt, clock), ("store", after)), recounted(store, after, ledger, reduced, setup))


def winners(store: Store, clock: Clock, setup: Setup) -> Iterator[Store]:
    """Yield the store after a put, by who wins where timestamps decide: a slow clock may be behind an earlier put."""
    if setup.fence.acceptance == "latest":
        yield store._replace(winner=(setup.epoch, clock.offset_seconds))
        if clock.offset_seconds < store.winner[1] and store.winner[0] >= 0:
            yield store
    else:
        yield store
