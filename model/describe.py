"""Tells a step to a person: what changed in which machine, in the domain's words, and how the leases stand."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from fencebench.model.machine import State, Transition, Unit
from fencebench.model.machines.channel import in_flight
from fencebench.model.machines.driver import watches
from fencebench.model.machines.lease import over
from fencebench.model.machines.ledger import Content
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.worker import alive
from fencebench.model.settings import Setup, digest, revision_name
from fencebench.model.shard import Epoch, Shard, shard_of

Change = tuple[str, str, str, str]
"""A part of a shard or of the run, a field of it, the old value and the new one."""


class LeaseView(NamedTuple):
    """A lease as a person sees it: epoch, standing on the driver's clock and on the worker's, whether it has a host.

    `age_seconds` is the lower end of its age on the driver's clock, `margin_seconds` the age at which the margin
    begins; `held` says that nobody renews it for now.
    """

    epoch: int
    driver: str
    worker: str
    running: bool
    age_seconds: int
    offset_seconds: int
    margin_seconds: int
    held: bool


class StepDescription(NamedTuple):
    """A step as a person sees it: what changed, most telling first, and how the leases stand after it."""

    changed: tuple[Change, ...] = ()
    leases: tuple[LeaseView, ...] = ()


def number(value: int) -> str:
    """Write an epoch, or none."""
    return str(value) if value >= 0 else "none"


def standing(age_seconds: int, setup: Setup) -> str:
    """Say how a lease of that age stands."""
    lease, margin = setup.settings.lease_seconds, setup.settings.margin_seconds
    return "expired" if age_seconds >= lease else "margin" if age_seconds >= lease - margin else "valid"


def of_run(old: Shared, new: Shared) -> Iterator[Change]:
    """Yield the changes of the run's totals, its alias and its report."""
    for name in ("committed", "held", "written_off", "burned"):
        of = f" of {new.ceiling}" if name in ("committed", "held") else ""
        part = "meter" if name == "burned" else "run"
        yield part, name.replace("_", " "), str(getattr(old, name)), f"{getattr(new, name)}{of}"
    yield "run", "ceiling", str(old.ceiling), str(new.ceiling)
    yield "driver", "crashes", str(old.incarnation), str(new.incarnation)
    yield "model", "alias", revision_name(old.alias), revision_name(new.alias)
    yield "report", "answer", old.report or "none", new.report or "none"


def of_ledger(old: Shard, new: Shard) -> Iterator[Change]:
    """Yield the changes of grants and rows."""
    yield "ledger", "granted", number(old.ledger.highest), number(new.ledger.highest)
    yield "ledger", "rows", str(len(old.ledger.receipts)), str(len(new.ledger.receipts))


def of_shard(old: Shard, new: Shard) -> Iterator[Change]:
    """Yield the other changes of what no epoch owns."""
    yield "ledger", "sealed", number(old.ledger.sealed), number(new.ledger.sealed)
    yield "ledger", "conflicts", str(len(old.ledger.conflicts)), str(len(new.ledger.conflicts))
    yield "store", "artifacts", str(len(old.store.artifacts)), str(len(new.store.artifacts))
    yield "store", "register", number(old.store.register), number(new.store.register)
    yield "slice", "digest", digest(old.fixture), digest(new.fixture)
    yield "checkpoint", "kept", carried(old.checkpoint), carried(new.checkpoint)
    yield "report", "rows", epochs_of(old.reduced), epochs_of(new.reduced)
    yield "network", "in flight", str(len(old.channel)), str(len(new.channel))
    resting = ("over ceiling", "done", "given up")
    yield (
        "driver",
        "shard",
        "open",
        new.driver.phase if new.driver.phase in resting and new.driver.phase != old.driver.phase else "open",
    )


def epochs_of(rows: tuple[Any, ...]) -> str:
    """Name consumed rows by their epochs."""
    return "+".join(f"epoch {epoch}" for epoch, _ in rows) or "none"


def carried(content: Content | None) -> str:
    """Say what a checkpoint carries."""
    if content is None:
        return "none"
    return f"{content.cases} {'+'.join(map(digest, content.inputs))} {'+'.join(map(revision_name, content.revisions))}"


def of_epoch(epoch: int, old: Epoch, new: Epoch, setup: Setup) -> Iterator[Change]:
    """Yield the changes of one attempt, its lease and its hold."""
    (attempt, clock, _, grant), (attempt2, clock2, _, grant2) = old, new
    lease = f"lease {epoch}"
    yield lease, "driver's clock", standing(clock.age_seconds, setup), standing(clock2.age_seconds, setup)
    own = clock.reading_seconds, clock2.reading_seconds
    yield lease, "worker's clock", standing(own[0], setup), standing(own[1], setup)
    yield f"worker {epoch}", "clock", f"{clock.offset_seconds:+d} s", f"{clock2.offset_seconds:+d} s"
    if attempt2.phase != "ended":
        yield (
            f"worker {epoch}",
            "graded",
            str(attempt.content.cases),
            f"{attempt2.content.cases} of {setup.settings.cases}",
        )
        yield f"worker {epoch}", "host", "gone" if attempt.gone else "there", "gone" if attempt2.gone else "there"
    yield f"worker {epoch}", "is", "at work", "ended" if attempt2.phase == "ended" != attempt.phase else "at work"
    if grant and grant2:
        yield f"epoch {epoch}", "superseded by", number(grant.superseded_by), number(grant2.superseded_by)
    if grant and grant2 and grant.hold.live != grant2.hold.live:
        hold = grant2.hold
        yield f"hold {epoch}", "live", str(hold.tokens), f"{hold.booked} booked, {hold.written_off} wasted"


def changes(before: State, step: Transition, setup: Setup) -> Iterator[Change]:
    """Yield every change of a step, most telling first."""
    if step.unit is not None:
        old, new = shard_of(before.units[step.unit]), shard_of(step.after.units[step.unit])
        yield from of_ledger(old, new)
        yield from of_run(before.shared, step.after.shared)
        yield from of_shard(old, new)
        for epoch, (a, b) in enumerate(zip(old.epochs, new.epochs, strict=True)):
            yield from of_epoch(epoch, a, b, setup)
        yield from of_own(before.units[step.unit], step.after.units[step.unit], setup)
    else:
        yield from of_run(before.shared, step.after.shared)


def of_own(old: Unit, new: Unit, setup: Setup) -> Iterator[Change]:
    """Yield the changes of the machines that come with the fence: their parts stand last."""
    own = setup.fence.machines
    parts = zip(own, old[len(old) - len(own) :], new[len(new) - len(own) :], strict=True)
    yield from ((component.name, "is", str(a), str(b)) for component, a, b in parts)


def leases(unit: Unit, setup: Setup) -> Iterator[LeaseView]:
    """Yield how each lease of a shard stands; one that nobody cares for any more stands nowhere."""
    shown = shard_of(unit)
    for epoch, (attempt, clock, _, _) in enumerate(shown.epochs):
        watched = watches(shown.driver, epoch)
        told = attempt.phase != "absent" and (watched or alive(attempt) or in_flight(shown.channel, epoch))
        driver = standing(clock.age_seconds, setup) if told else "none"
        worker = standing(clock.reading_seconds, setup) if told else "none"
        held = not watched or attempt.gone or bool(clock.held_up) or not alive(attempt) or over(clock, setup)
        running = alive(attempt) and not attempt.gone
        margin = setup.settings.lease_seconds - setup.settings.margin_seconds
        yield LeaseView(epoch, driver, worker, running, clock.age_seconds, clock.offset_seconds, margin, held)


REMEDIES = {
    "settlement": "an attempt that is given up has its hold settled, so that the tokens are free again",
    "register": "the store is told of each new epoch before anybody is dispatched under it",
    "sealing": "the shard is sealed in the same transaction as its commit",
    "model": "every call is pinned to the revision that the grant names",
    "holds": "tokens are held before dispatch, so that an overshoot is prevented and not detected",
    "acceptance": "only what a receipt names counts; other stored artifacts are candidates",
    "chain": "a grant links the attempt that it replaces to its successor",
    "epochs": "the driver mints epochs; a worker that can raise its own always wins",
    "consumption": "the reducer takes rows with receipts only",
    "report": "the aggregate is a mean over shards, one row each",
    "cut_off": "an attempt that the provider cuts off ends, and commits nothing",
    "recovery": "a restarted driver goes on from what the ledger holds",
    "on_stale": "the refusal of a stale commit is all",
    "calls": "a shard is graded in slices, with a checkpoint between them",
    "claims": "a commit names the tokens that were drawn",
    "checkpoint": "a checkpoint carries the digest of its input",
    "cleanup": "a refused worker touches nothing else, as another row may have booked its artifact",
}
"""What the reference's choice of a strategy does, by the strategy's field."""


def describe(before: State, step: Transition, *, setup: Setup) -> StepDescription:
    """Describe a step to a person."""
    changed = tuple(c for c in changes(before, step, setup) if c[2] != c[3].split(" of ")[0])
    told = () if step.unit is None else tuple(leases(step.after.units[step.unit], setup))
    shown = step.event.evidence.shown if step.event.evidence else ()
    return StepDescription((*shown, *changed), told)
