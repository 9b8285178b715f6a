"""The driver, the control plane's single writer: it grants, dispatches, counts leases, and sees receipts.

State: a `Driver` for each shard. What is durable is only what the ledger holds.
Actions: `reserve` (one ledger write: epoch, hold, digest), `dispatch`, `expire`, `seal`, `observe`, `give_up`.
In every fence it gives an attempt up only when the lease is over on its own clock and it sees no receipt.
Source: `seeds/000` steps 1 and 2; `seeds/002` assumptions 1 and 2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from model.lease import Clock, over
from model.ledger import Grant, Hold, Ledger, Request, sealed
from model.machine import Event, Step
from model.outcomes import Refusal
from model.setup import Setup
from model.shared import Effect
from model.worker import Attempt


class Driver(NamedTuple):
    """What the driver is doing about a shard, and the epoch that it asks for, waits for or would ask for next.

    Phases: idle, over ceiling (waits for the totals to change), granted, told, watching, done, given up.
    """

    phase: str = "idle"
    epoch: int = 0


class ReserveView(NamedTuple):
    """What the ledger may look at when a grant is asked for; `fits` says whether the run's ceiling covers it."""

    ledger: Ledger
    grant: Grant | None
    fits: bool
    setup: Setup


def watches(driver: Driver, epoch: int) -> bool:
    """Say whether the driver counts the lease of this epoch."""
    return driver.phase == "watching" and driver.epoch == epoch


def reserve(driver: Driver, ledger: Ledger, grant: Grant | None, fixture: int, *, setup: Setup) -> Iterator[Step]:
    """Ask the ledger for the next grant; one alternative for each answer that the run's totals may give.

    A shard over the ceiling waits, and asks again when the totals have changed.
    """
    if driver.phase not in ("idle", "over ceiling") or driver.epoch != setup.epoch:
        return
    tokens = setup.settings.plan_tokens if setup.fence.holds == "shard" else 0
    request, waits = Request(setup.epoch, tokens, named=fixture), driver.phase == "over ceiling"
    for fits in (True, False):
        answer = setup.fence.judge("reserve", request, ReserveView(ledger, grant, fits, setup))
        label = f"reserve epoch {setup.epoch}"
        event = Event("reserve", "driver", "ledger", label, str(answer.refusal or "reserved"), answer.rule)
        event = event._replace(behind=answer.behind, epoch=setup.epoch, message=request)
        presumes = Effect(asks=tokens, fits=fits)
        if answer.refusal is None:
            made = Grant(fixture, Hold(tokens, live=tokens > 0))
            changes = ("driver", driver._replace(phase="granted")), ("ledger", ledger._replace(highest=setup.epoch))
            yield Step(event, (*changes, ("grant", made)), presumes._replace(held=tokens, resting=-int(waits)))
        elif answer.refusal is Refusal.OVER_CEILING and not waits:
            yield Step(event, (("driver", driver._replace(phase="over ceiling")),), presumes._replace(resting=1))
        elif answer.refusal is not Refusal.OVER_CEILING:
            yield Step(event, (), presumes)


def dispatch(driver: Driver, grant: Grant | None, attempt: Attempt, *, setup: Setup) -> Iterator[Step]:
    """Send the attempt out, with its lease and the digest of its grant."""
    ready = "told" if setup.fence.register == "raised" else "granted"
    if grant is not None and driver.phase == ready and driver.epoch == setup.epoch:
        event = Event("dispatch", "driver", "worker", f"dispatch {setup.settings.cases} cases", "started")
        changes = ("driver", driver._replace(phase="watching")), ("attempt", Attempt("ready", named=grant.named))
        yield Step(event._replace(epoch=setup.epoch), changes)


def settled(hold: Hold, drawn: int, setup: Setup) -> Hold:
    """Return the hold of an attempt that was given up, by the fence's settlement."""
    if setup.fence.settlement == "keep" or not hold.live:
        return hold
    parts = {"release": 0, "write off whole": hold.tokens, "write off drawn": drawn}
    return hold.closed(written_off=parts[setup.fence.settlement])


def expire(
    driver: Driver, ledger: Ledger, grant: Grant | None, clock: Clock, meter: int, *, setup: Setup
) -> Iterator[Step]:
    """One write, if the lease is over and there is no receipt: settle the hold; the next epoch may be asked for."""
    if grant is not None and watches(driver, setup.epoch) and over(clock, setup) and not ledger.receipts:
        hold = settled(grant.hold, meter, setup)
        freed, wasted = (grant.hold.tokens, hold.written_off) if grant.hold.live and not hold.live else (0, 0)
        event = Event("expire", "driver", "ledger", f"expire epoch {setup.epoch}", "expired", epoch=setup.epoch)
        changes = ("driver", Driver("idle", setup.epoch + 1)), ("grant", grant._replace(hold=hold))
        yield Step(event, changes, Effect(held=-freed, written_off=wasted))


def seal(ledger: Ledger, *, setup: Setup) -> Iterator[Step]:
    """Seal the shard at its newest row, where the fence makes that a step of its own."""
    newest = max((row.epoch for row in ledger.receipts), default=-1)
    if setup.fence.sealing == "a step later" and newest > ledger.sealed:
        after, seals = sealed(ledger, newest)
        event = Event("seal", "driver", "ledger", f"seal epoch {newest}", "sealed", epoch=newest)
        yield Step(event, (("ledger", after),), Effect(sealed=seals))


def observe(driver: Driver, ledger: Ledger, *, setup: Setup) -> Iterator[Step]:
    """See that the shard is sealed: it is done, and not sent out again."""
    if driver.phase in ("idle", "over ceiling", "watching", "given up") and ledger.sealed >= 0:
        event = Event("observe", "driver", "ledger", "look for a receipt", "done", epoch=ledger.sealed)
        rests = int(driver.phase in ("idle", "watching"))
        yield Step(event, (("driver", Driver("done", ledger.sealed)),), Effect(resting=rests))


def give_up(driver: Driver, *, setup: Setup) -> Iterator[Step]:
    """No epoch is left: the shard stays missing, for that reason."""
    if driver.phase == "idle" and driver.epoch >= setup.bound.epochs:
        event = Event("give_up", "driver", label="give up", outcome="no epoch left")
        yield Step(event, (("driver", driver._replace(phase="given up")),), Effect(resting=1))
