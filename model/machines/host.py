"""Hosts: free capacity that is taken away without notice, and attempts that come back elsewhere.

State: whether an attempt has a host (`Attempt.gone`). Actions: `resume` (the same attempt goes on from its memory, also
after it was declared dead; no run needs it in order to be over, as a host may stay away for good); faults `preempt`,
`redeliver` (a dispatch arrives again: the same attempt executes again). A host is not preempted while its commit is in
flight: that case is `late`. Source: `seeds/000` assumption 1, step 6.
"""

from collections.abc import Iterator

from fencebench.model.machine import Event, Step
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.shared import Effect
from fencebench.model.machines.worker import Attempt, alive, ended
from fencebench.model.settings import Setup


def preempt(attempt: Attempt, clock: Clock, *, setup: Setup) -> Iterator[Step]:
    """Fault: the host is taken away, between any two steps of the worker; the attempt may come back, or never does."""
    if alive(attempt) and not attempt.gone and attempt.phase != "sent":
        event = Event("preempt", "worker", label="preempted", fault="preempt", epoch=setup.epoch)
        yield Step(event, (("attempt", attempt._replace(gone=True)),), Effect(fault="preempt"))
        yield Step(event._replace(label="preempted for good"), ended(attempt, clock), Effect(fault="preempt"))


def resume(attempt: Attempt, *, setup: Setup) -> Iterator[Step]:
    """The attempt goes on from its memory on another host."""
    if attempt.gone:
        event = Event("resume", "worker", label="resumes", epoch=setup.epoch)
        yield Step(event, (("attempt", attempt._replace(gone=False)),))


def redeliver(attempt: Attempt, clock: Clock, *, setup: Setup) -> Iterator[Step]:
    """Fault: an attempt that has sent or ended is dispatched again and executes again, on a host of its own."""
    if attempt.phase in ("sent", "ended"):
        event = Event(
            "redeliver", "driver", "worker", "dispatch again", "started", fault="redeliver", epoch=setup.epoch
        )
        again = ("attempt", Attempt("ready", named=attempt.named)), ("clock", Clock(clock.age_seconds))
        yield Step(event, again, Effect(fault="redeliver"))
