"""The driver, the control plane's single writer: it grants, dispatches, counts leases, and sees receipts.

State: a `Driver` for each shard. What is durable is only what the ledger holds.
Actions: `reserve` (one ledger write: epoch, hold, digest), `dispatch`, `expire`, `seal`, `observe`, `give_up`,
`recover`, `replay`. In every fence it gives an attempt up only when the lease is over on its own clock and it sees no
receipt. A crash may come between any two of its steps; until it has recovered it takes no other step for the shard.
Source: `seeds/000` steps 1 and 2; `seeds/002` assumptions 1 and 2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event, Step
from fencebench.model.machines.ledger import Content, Grant, Hold, Ledger, Request, sealed
from fencebench.model.machines.shared import Account, Effect, accounts, lost, stands
from fencebench.model.machines.worker import Attempt, Changes
from fencebench.model.settings import Setup

RESTING = ("over ceiling", "done", "given up")


class Driver(NamedTuple):
    """What the driver is doing about a shard, and the epoch that it asks for, waits for or would ask for next.

    Phases: idle, over ceiling (waits for the totals to change), granted, told, watching, done, given up. `asked` is a
    reservation without a reply, to be asked for again as it was; `incarnation` counts the crashes it knows of.
    """

    phase: str = "idle"
    epoch: int = 0
    asked: Request | None = None
    incarnation: int = 0

    def now(self, phase: str, epoch: int | None = None) -> "Driver":
        """Return the driver in another phase, nothing left to ask again."""
        return Driver(phase, self.epoch if epoch is None else epoch, None, self.incarnation)


class ReserveView(NamedTuple):
    """What the ledger may look at when a grant is asked for; `fits` says whether the run's ceiling covers it.

    A respondent is shown an `account` for which that is so.
    """

    ledger: Ledger
    grant: Grant | None
    fits: bool
    setup: Setup
    account: Account | None = None


def watches(driver: Driver, epoch: int) -> bool:
    """Say whether the driver counts the lease of this epoch."""
    return driver.phase == "watching" and driver.epoch == epoch


def tokens_asked(checkpoint: Content | None, fixture: int, setup: Setup) -> int:
    """Return what a grant holds: nothing, a whole shard's plan, or what a checkpoint that can be used leaves of it."""
    plan = setup.settings.plan_tokens
    if setup.fence.holds != "slice" or checkpoint is None:
        return 0 if setup.fence.holds == "none" else plan
    usable = checkpoint.inputs == (fixture,) and checkpoint.revisions == (setup.pinned(setup.epoch),)
    return plan - checkpoint.cases * setup.settings.tokens_per_case * usable


def reserve(
    driver: Driver,
    ledger: Ledger,
    grant: Grant | None,
    elder: Grant | None,
    fixture: int,
    checkpoint: Content | None,
    *,
    setup: Setup,
) -> Iterator[Step]:
    """Ask the ledger for the next grant; one alternative for each answer that the run's totals may give.

    A shard over the ceiling waits, and asks again when the totals have changed; without a reply it asks the same again.
    """
    if driver.phase not in ("idle", "over ceiling") or driver.epoch != setup.epoch:
        return
    tokens = tokens_asked(checkpoint, fixture, setup)
    request, waits = driver.asked or Request(setup.epoch, tokens, named=fixture), driver.phase == "over ceiling"
    for fits, how, account in fitting(request, ledger, setup):
        answer = setup.fence.judge("reserve", request, ReserveView(ledger, grant, fits, setup, account))
        outcome = str(answer.refusal or "reserved")
        event = Event("reserve", "driver", "ledger", f"reserve epoch {setup.epoch}", outcome)
        event = event._replace(epoch=setup.epoch, message=request, **answer.given)
        presumes = Effect(asks=request.tokens, fits=fits, stands=how, incarnation=driver.incarnation)
        goes_on = presumes._replace(resting=-int(waits))
        if answer.refusal is None:
            yield from granted(event, goes_on, driver, ledger, elder, request, setup)
        elif answer.refusal is Refusal.ALREADY_RESERVED:
            yield Step(event, (("driver", driver.now("granted")),), goes_on)
        elif answer.refusal is not Refusal.OVER_CEILING:
            yield Step(event, (), presumes)
        elif not waits:
            waiting = driver._replace(phase="over ceiling", asked=None)
            yield Step(event, (("driver", waiting),), presumes._replace(resting=1))


def fitting(
    request: Request, ledger: Ledger, setup: Setup
) -> Iterator[tuple[bool, tuple[int, ...] | None, Account | None]]:
    """Yield whether the hold fits; for a respondent in each way in which tokens may stand, with an account."""
    if setup.fence.respondent("reserve") is None:
        yield from ((fits, None, None) for fits in (True, False))
        return
    booked = sum(row.tokens for row in ledger.receipts)
    for account in accounts(request.tokens, booked, setup.settings.plan_tokens):
        yield sum(account[:3]) + request.tokens <= account.ceiling, stands(account, request.tokens), account


def granted(
    event: Event, effect: Effect, driver: Driver, ledger: Ledger, elder: Grant | None, request: Request, setup: Setup
) -> Iterator[Step]:
    """Yield the grant as one ledger write, and the same with its reply lost: the driver then asks the same again."""
    made = Grant(request.named, Hold(request.tokens, live=request.tokens > 0))
    changes: Changes = (("ledger", ledger._replace(highest=setup.epoch, replay=False)), ("grant", made))
    if elder is not None and setup.fence.chain == "with the grant" and not booked_under(ledger, setup.epoch - 1):
        changes = (*changes, ("elder", elder._replace(superseded_by=setup.epoch)))
    held = effect._replace(held=request.tokens)
    yield Step(event, (("driver", driver.now("granted")), *changes), held)
    unheard = Step(event, changes, held._replace(resting=0))
    yield lost(unheard, (), driver=driver._replace(asked=request))


def booked_under(ledger: Ledger, epoch: int) -> bool:
    """Say whether the epoch has a receipt."""
    return any(row.epoch == epoch for row in ledger.receipts)


def dispatch(driver: Driver, grant: Grant | None, attempt: Attempt, *, setup: Setup) -> Iterator[Step]:
    """Send the attempt out, with its lease and the digest of its grant; one that is out already takes no notice."""
    ready = "told" if setup.fence.register == "raised" else "granted"
    if grant is not None and driver.phase == ready and driver.epoch == setup.epoch:
        started = "started" if attempt.phase == "absent" else "already out"
        event = Event("dispatch", "driver", "worker", f"dispatch {setup.settings.cases} cases", started)
        sent = Attempt("ready", named=grant.named) if attempt.phase == "absent" else attempt
        changes = ("driver", driver.now("watching")), ("attempt", sent)
        yield Step(event._replace(epoch=setup.epoch), changes, Effect(incarnation=driver.incarnation))


def settled(hold: Hold, drawn: int, setup: Setup) -> Hold:
    """Return the hold of an attempt that was given up, by the fence's settlement."""
    if setup.fence.settlement == "keep" or not hold.live:
        return hold
    parts = {"release": 0, "write off whole": hold.tokens, "write off drawn": drawn}
    return hold.closed(written_off=parts[setup.fence.settlement])


def expire(
    driver: Driver, ledger: Ledger, grant: Grant | None, lapsed: bool, meter: int, *, setup: Setup
) -> Iterator[Step]:
    """One write, if the lease is over and there is no receipt: settle the hold; the next epoch may be asked for."""
    if grant is not None and watches(driver, setup.epoch) and lapsed and not ledger.receipts:
        hold = settled(grant.hold, meter, setup)
        freed, wasted = (grant.hold.tokens, hold.written_off) if grant.hold.live and not hold.live else (0, 0)
        event = Event("expire", "driver", "ledger", f"expire epoch {setup.epoch}", "expired", epoch=setup.epoch)
        changes = ("driver", driver.now("idle", setup.epoch + 1)), ("grant", grant._replace(hold=hold))
        step = Step(event, changes, Effect(held=-freed, written_off=wasted, incarnation=driver.incarnation))
        yield from (step, lost(step, ("driver",))) if hold != grant.hold else (step,)


def seal(driver: Driver, ledger: Ledger, *, setup: Setup) -> Iterator[Step]:
    """Seal the shard at its newest row, where the fence makes that a step of its own."""
    newest = max((row.epoch for row in ledger.receipts), default=-1)
    if setup.fence.sealing == "a step later" and newest > ledger.sealed:
        after, seals = sealed(ledger, newest)
        event = Event("seal", "driver", "ledger", f"seal epoch {newest}", "sealed", epoch=newest)
        yield Step(event, (("ledger", after),), Effect(sealed=seals, incarnation=driver.incarnation))


def observe(driver: Driver, ledger: Ledger, *, setup: Setup) -> Iterator[Step]:
    """See that the shard is sealed: it is done, and not sent out again."""
    if driver.phase in ("idle", "over ceiling", "watching", "given up") and ledger.sealed >= 0:
        event = Event("observe", "driver", "ledger", "look for a receipt", "done", epoch=ledger.sealed)
        rests = int(driver.phase not in RESTING)
        effect = Effect(resting=rests, incarnation=driver.incarnation)
        yield Step(event, (("driver", driver.now("done", ledger.sealed)),), effect)


def replay(driver: Driver, ledger: Ledger, *, setup: Setup) -> Iterator[Step]:
    """After a stale commit was refused, where the fence replays: a shard that is done asks for its next epoch again.

    One whose newer attempt is still at work comes to its end first; a grant that follows the refusal is the replay.
    """
    if ledger.replay and driver.phase == "done":
        event = Event("replay", "driver", label="grade the shard again", epoch=ledger.highest)
        changes = ("driver", driver.now("idle", ledger.highest + 1)), ("ledger", ledger._replace(replay=False))
        yield Step(event, changes, Effect(resting=-1, incarnation=driver.incarnation))


def give_up(driver: Driver, *, setup: Setup) -> Iterator[Step]:
    """No epoch is left: the shard stays missing, for that reason."""
    if driver.phase == "idle" and driver.epoch >= setup.bound.epochs:
        event = Event("give_up", "driver", label="give up", outcome="no epoch left")
        yield Step(event, (("driver", driver.now("given up")),), Effect(resting=1, incarnation=driver.incarnation))


def recover(driver: Driver, ledger: Ledger, grants: tuple[Grant | None, ...], *, setup: Setup) -> Iterator[Step]:
    """After a crash the driver knows what the ledger holds, and goes on from there.

    A shard that is done stays done, unless it is to be graded again.
    """
    for incarnation in range(driver.incarnation + 1, setup.bound.cap("crash_driver") + 1):
        if driver.phase != "done" or ledger.replay:
            known = known_to(ledger, grants, setup)._replace(incarnation=incarnation)
            event = Event("recover", "driver", "ledger", "read the ledger", known.phase)
            effect = Effect(incarnation=incarnation, resting=-int(driver.phase in RESTING))
            yield Step(event, (("driver", known),), effect)


def known_to(ledger: Ledger, grants: tuple[Grant | None, ...], setup: Setup) -> Driver:
    """Return where the ledger says a shard stands: a receipt, a live hold (dispatch it again), or the next grant.

    A fence without holds has nothing durable to tell a dead attempt by, so its newest grant is taken for a live one.
    """
    newest = grants[ledger.highest] if ledger.highest >= 0 else None
    if ledger.receipts:
        return Driver("watching", ledger.highest)
    live = newest is not None and (newest.hold.live or not newest.hold.tokens)
    if live and setup.fence.recovery == "ledger":
        return Driver("granted", ledger.highest)
    return Driver("idle", ledger.highest + 1)
