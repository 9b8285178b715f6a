"""`rejections_classified`: every refusal's class is true of what stands, and a refusal changes nothing else.

One function for each boundary, as each looks at other parts; `TRUE_OF` below each are the classes and when they are
right (design section 4, the table of classes). A class that is not listed for its boundary is never right there.
"""

from collections.abc import Callable, Mapping
from typing import Any

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Grant, Hold, Ledger, Receipt, Request
from fencebench.model.machines.store import Store
from fencebench.model.promises.promise import ANSWERS, Claim, Promise
from fencebench.model.settings import Setup

Truth = Mapping[str, Callable[[], bool]]


def untrue(event: Event, truth: Truth) -> str | None:
    """Say that the class of a refusal is not right, or nothing."""
    if event.outcome in Refusal.__members__ and not truth.get(event.outcome, lambda: False)():
        return f"{event.label} (epoch {event.epoch}) was answered {event.outcome}, which is not so"
    return None


def content_truth(request: Request, keyed: list[Content], named: int | None, setup: Setup) -> Truth:
    """Return the truths that put and commit share: about what stands under the key, and about what was named."""
    pinned = setup.pinned(request.epoch)
    return {
        Refusal.CONFLICT: lambda: bool(keyed) and request.content not in keyed,
        Refusal.REVISION_MISMATCH: lambda: request.content.revisions != (pinned,),
        Refusal.INPUT_MISMATCH: lambda: request.content.inputs != (named,),
    }


def put_refusals(
    event: Event, store: Store, after_store: Store, ledger: Ledger, clock: Clock, *, setup: Setup
) -> str | None:
    """Refusals at put."""
    request: Request = event.message  # type: ignore[assignment]
    keyed = [a.content for a in store.artifacts if a.epoch == request.epoch]
    truth = {
        **content_truth(request, keyed, request.named, setup),
        Refusal.ALREADY_STORED: lambda: request.content in keyed,
        Refusal.STALE_EPOCH: lambda: request.epoch < ledger.highest,
        Refusal.LEASE_EXPIRED: lambda: over(clock, setup),
        Refusal.INCOMPLETE: lambda: request.content.cases < setup.settings.cases,
    }
    changed = "the refused put changed the store" if event.outcome != "created" and store != after_store else None
    return untrue(event, truth) or changed


def commit_refusals(
    event: Event,
    ledger: Ledger,
    after_ledger: Ledger,
    grant: Grant | None,
    after_grant: Grant | None,
    store: Store,
    clock: Clock,
    meter: int,
    *,
    setup: Setup,
) -> str | None:
    """Refusals at commit, of rows that workers sent and of forged ones."""
    request: Request = event.message  # type: ignore[assignment]
    row = Receipt(request.epoch, request.tokens, request.content)
    keyed = [r for r in ledger.receipts if r.epoch == request.epoch]
    hold = grant.hold if grant else Hold()
    truth = {
        **content_truth(request, [r.content for r in keyed], grant.named if grant else None, setup),
        Refusal.CONFLICT: lambda: bool(keyed) and row not in keyed,
        Refusal.ALREADY_COMMITTED: lambda: row in keyed,
        Refusal.STALE_EPOCH: lambda: request.epoch < ledger.highest,
        Refusal.SEALED: lambda: bool(ledger.receipts),
        Refusal.LEASE_EXPIRED: lambda: over(clock, setup),
        Refusal.UNRESERVED_SPEND: lambda: not hold.live or request.tokens != meter,
        Refusal.NO_ARTIFACT: lambda: (request.epoch, request.content) not in store.artifacts,
    }
    kept = (after_ledger.receipts, after_ledger.sealed, after_grant) == (ledger.receipts, ledger.sealed, grant)
    changed = "the refused commit changed the ledger" if event.outcome != "COMMITTED" and not kept else None
    return untrue(event, truth) or changed


def call_refusals(event: Event, grant: Grant | None, meter: int, after_meter: int, *, setup: Setup) -> str | None:
    """Refusals at the gateway."""
    request: Request = event.message  # type: ignore[assignment]
    hold = grant.hold if grant else Hold()
    if event.outcome == Refusal.OVER_CEILING:
        return None  # said of the run, and judged by `spend_refusals`
    truth: Truth = {
        Refusal.NO_HOLD: lambda: not hold.live,
        Refusal.INPUT_MISMATCH: lambda: grant is not None and request.named != grant.named,
        Refusal.HOLD_EXHAUSTED: lambda: meter + request.tokens > hold.tokens,
    }
    billed = event.outcome in Refusal.__members__ and meter != after_meter
    return untrue(event, truth) or ("the refused call was billed" if billed else None)


def worker_refusals(
    event: Event, clock: Clock, checkpoint: Content | None, fixture: int, *, setup: Setup
) -> str | None:
    """Refusals of a worker to itself: at the start, and before it writes."""
    inputs, revisions = (checkpoint.inputs, checkpoint.revisions) if checkpoint else ((), ())
    margin = setup.settings.lease_seconds - setup.settings.margin_seconds
    truth: Truth = {
        Refusal.LEASE_MARGIN: lambda: clock.reading_seconds >= margin,
        Refusal.INPUT_MISMATCH: lambda: checkpoint is not None and inputs != (fixture,),
        Refusal.REVISION_MISMATCH: lambda: checkpoint is not None and revisions != (setup.pinned(setup.epoch),),
    }
    return untrue(event, truth)


def reserve_refusals(event: Event, ledger: Ledger, grant: Grant | None, *, setup: Setup) -> str | None:
    """Refusals of a grant."""
    if event.outcome == Refusal.OVER_CEILING:
        return None  # said of the run, and judged by `spend_refusals`
    request: Request = event.message  # type: ignore[assignment]
    same = grant is not None and (grant.named, grant.hold.tokens) == (request.named, request.tokens)
    truth: Truth = {
        Refusal.ALREADY_RESERVED: lambda: same,
        Refusal.CONFLICT: lambda: grant is not None and not same,
        Refusal.STALE_EPOCH: lambda: request.epoch <= ledger.highest,
        Refusal.SEALED: lambda: bool(ledger.receipts),
    }
    return untrue(event, truth)


def spend_refusals(event: Event, shared: Any, *, setup: Setup) -> str | None:
    """Refusals for the run's ceiling: of a hold by what is promised, of a call by what is burned."""
    if event.outcome != Refusal.OVER_CEILING:
        return None
    request: Request = event.message  # type: ignore[assignment]
    spent = {"reserve": shared.promised, "grade": shared.burned}.get(event.action, 0)
    return untrue(event, {Refusal.OVER_CEILING: lambda: spent + request.tokens > shared.ceiling})


def consume_refusals(event: Event, ledger: Ledger, *, setup: Setup) -> str | None:
    """Refusals of the reducer; a row it refuses for its content must be one that the rules at commit refuse as well."""
    rows = [r.content for r in ledger.receipts if r.epoch == event.epoch]
    pinned = setup.pinned(event.epoch or 0)
    truth: Truth = {
        Refusal.NO_RECEIPT: lambda: ledger.sealed < 0,
        Refusal.REVISION_MISMATCH: lambda: any(content.revisions != (pinned,) for content in rows),
        Refusal.INPUT_MISMATCH: lambda: any(len(content.inputs) > 1 for content in rows),
    }
    return untrue(event, truth)


def publish_refusals(event: Event, shared: Any, *, setup: Setup) -> str | None:
    """Refusals of the report."""
    truth: Truth = {
        Refusal.MISSING_SHARDS: lambda: shared.sealed < shared.limits.shards,
        Refusal.UNRESOLVED_CONFLICT: lambda: shared.disputed,
        Refusal.MIXED_REVISIONS: lambda: len(shared.revisions) > 1,
    }
    return untrue(event, truth)


PROMISES = (
    Promise(
        name="rejections_classified",
        sentence="The class of every refusal is true of what stands, and a refusal changes nothing else.",
        more=(
            Claim(put_refusals, ("put",)),
            Claim(commit_refusals, ("deliver", "forge"), beyond=1),
            Claim(call_refusals, ("grade",)),
            Claim(worker_refusals, ("check_lease", "restart", "resume_checkpoint")),
            Claim(reserve_refusals, ("reserve",)),
            Claim(spend_refusals, ("reserve", "grade")),
            Claim(consume_refusals, ("consume",)),
            Claim(publish_refusals, ("publish",)),
        ),
        title="A refusal says what is not so",
        group=ANSWERS,
        failure="A refusal gives a reason that is not true, so whoever reads it does the wrong thing next.",
        question="Is the same key with other content told apart from the same message sent twice?",
    ),
)
