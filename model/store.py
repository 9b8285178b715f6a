"""The artifact store of one shard: what was put, and the fence register.

State: stored artifacts, each under its attempt's key, and the highest epoch that the driver told the store.
Actions: `put`, `tell_store`. The store asks the control plane one question within the step: does the lease still run?
Source: `seeds/000` step 2 (a commit only after the artifact's digest exists).
"""

from collections.abc import Iterator
from typing import NamedTuple

from model.driver import Driver
from model.lease import Clock, over
from model.ledger import Content, Request
from model.machine import Event, Step
from model.setup import Setup
from model.worker import Attempt, answered, done, may


class Artifact(NamedTuple):
    """A stored result under the key of its epoch."""

    epoch: int
    content: Content


class Store(NamedTuple):
    """What is stored, and the register; -1 while it was never raised."""

    artifacts: tuple[Artifact, ...] = ()
    register: int = -1


class PutView(NamedTuple):
    """What the store may look at when a put arrives."""

    store: Store
    pinned: int | None
    lease_over: bool
    setup: Setup


def tell_store(driver: Driver, store: Store, *, setup: Setup) -> Iterator[Step]:
    """The driver raises the store's register to the epoch that it was granted; it never falls."""
    if driver.phase == "granted" and setup.fence.register == "raised":
        event = Event("tell_store", "driver", "store", f"raise to {driver.epoch}", "raised", epoch=driver.epoch)
        raised = store._replace(register=max(store.register, driver.epoch))
        yield Step(event, (("driver", driver._replace(phase="told")), ("store", raised)))


def put(attempt: Attempt, store: Store, clock: Clock, *, setup: Setup) -> Iterator[Step]:
    """The worker puts its artifact: created, or the class of the refusal."""
    if not may(attempt, "put", setup):
        return
    request = Request(setup.epoch, 0, attempt.content, attempt.named, clock.reading_seconds)
    view = PutView(store, setup.pinned(setup.epoch), over(clock, setup), setup)
    answer = setup.fence.judge("put", request, view)
    event = done(setup, "put", "store", "put artifact", answer, "created")._replace(message=request)
    changes = answered(attempt, clock, answer.refusal, then="stored")
    if answer.refusal is None:
        stored = {*store.artifacts, Artifact(setup.epoch, attempt.content)}
        changes = (*changes, ("store", store._replace(artifacts=tuple(sorted(stored)))))
    yield Step(event, changes)
