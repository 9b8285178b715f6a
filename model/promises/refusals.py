"""`rejections_classified`: every refusal's class is true of what stands, and a refusal changes nothing else.

A class has one condition, at whichever boundary it is answered (`CONDITIONS`; design section 4, the table of classes).
Each boundary shows what can be known there as `Facts`; a class whose condition asks for what is not known at a boundary
has no business there.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Grant, Hold, Identity, Ledger, Request
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Store
from fencebench.model.promises.promise import ANSWERS, Claim, Promise
from fencebench.model.settings import Setup


class Facts(NamedTuple):
    """What can be known at a boundary when it answers; None is not known there.

    `content` is what the request carries, `wanted` the input version that it has to have, `asks` what a grant asks for
    and `granted` what it holds already. `stored` and `booked` are what stands in the store and the ledger, `keyed` what
    stands under the request's key where it is asked.
    """

    epoch: int
    pinned: int | None = None
    content: Content | None = None
    wanted: int | None = None
    keyed: tuple[object, ...] | None = None
    asks: object = None
    granted: tuple[object, ...] | None = None
    stored: tuple[Identity, ...] | None = None
    booked: tuple[Identity, ...] | None = None
    highest: int | None = None
    raises: bool = False
    lease_over: bool | None = None
    within_margin: bool | None = None
    hold: Hold | None = None
    drawn: int | None = None
    claimed: int | None = None
    draws: int | None = None
    cases: int | None = None
    sealed: bool | None = None
    missing: bool | None = None
    disputed: bool | None = None
    revisions: tuple[int, ...] | None = None
    unaccepted: bool | None = None

    @property
    def identity(self) -> Identity | None:
        """Which row or artifact the request is about."""
        return None if self.content is None else (self.epoch, self.content)


Condition = Callable[[Facts], bool | None]


def among(one: object, some: tuple[object, ...] | None) -> bool | None:
    """Say whether one is among some; None where either is not known."""
    return None if one is None or some is None else one in some


def other_content(facts: Facts) -> bool | None:
    """Say whether the same key with other content is there."""
    mine = facts.asks if facts.content is None else facts.identity
    return None if facts.keyed is None or mine is None else bool(facts.keyed) and mine not in facts.keyed


def other_revision(facts: Facts) -> bool | None:
    """Say whether what was served is not the pinned revision."""
    return None if facts.content is None else facts.content.revisions != (facts.pinned,)


def other_input(facts: Facts) -> bool | None:
    """Say whether what was graded or loaded is another input than it has to be."""
    return None if facts.content is None or facts.wanted is None else facts.content.inputs != (facts.wanted,)


def stale(facts: Facts) -> bool | None:
    """Say whether the epoch is below the highest granted; at a grant: not above it."""
    return None if facts.highest is None else facts.epoch < facts.highest + facts.raises


def unreserved(facts: Facts) -> bool | None:
    """Say whether no hold is live under the key, or the tokens named are not those drawn under it."""
    if facts.hold is None or facts.claimed is None:
        return None
    return not facts.hold.live or facts.claimed != facts.drawn


def exhausted(facts: Facts) -> bool | None:
    """Say whether the call would draw more than the hold."""
    if facts.hold is None or facts.drawn is None or facts.draws is None:
        return None
    return facts.drawn + facts.draws > facts.hold.tokens


def incomplete(facts: Facts) -> bool | None:
    """Say whether planned cases are missing."""
    return None if facts.cases is None or facts.content is None else facts.content.cases < facts.cases


def unknown(facts: Facts) -> bool | None:
    """Say nothing: the class has no condition that the facts of a boundary tell."""
    return None


CONDITIONS: Mapping[str, Condition] = {
    Refusal.ALREADY_RESERVED: lambda facts: among(facts.asks, facts.granted),
    Refusal.ALREADY_STORED: lambda facts: among(facts.identity, facts.stored),
    Refusal.ALREADY_COMMITTED: lambda facts: among(facts.identity, facts.booked),
    Refusal.CONFLICT: other_content,
    Refusal.REVISION_MISMATCH: other_revision,
    Refusal.INPUT_MISMATCH: other_input,
    Refusal.STALE_EPOCH: stale,
    Refusal.SEALED: lambda facts: None if facts.booked is None else bool(facts.booked),
    Refusal.LEASE_EXPIRED: lambda facts: facts.lease_over,
    Refusal.LEASE_MARGIN: lambda facts: facts.within_margin,
    Refusal.UNRESERVED_SPEND: unreserved,
    Refusal.NO_HOLD: lambda facts: None if facts.hold is None else not facts.hold.live,
    Refusal.HOLD_EXHAUSTED: exhausted,
    Refusal.NO_ARTIFACT: lambda facts: None if facts.stored is None else facts.identity not in facts.stored,
    Refusal.INCOMPLETE: lambda facts: (
        None if facts.cases is None or not facts.content else facts.content.cases < facts.cases
    ),
    Refusal.MISSING_SHARDS: lambda facts: facts.missing,
    Refusal.UNRESOLVED_CONFLICT: lambda facts: facts.disputed,
    Refusal.MIXED_REVISIONS: lambda facts: None if facts.revisions is None else len(facts.revisions) > 1,
    Refusal.NO_RECEIPT: lambda facts: facts.unaccepted if facts.sealed is None else not facts.sealed,
}
"""When a refusal with each class is right; OVER_CEILING is said of the run (`spend_refusals`)."""


def untrue(event: Event, facts: Facts) -> str | None:
    """Say that the class of a refusal is not right, or nothing."""
    if event.outcome not in Refusal.__members__:
        return None
    true = CONDITIONS.get(event.outcome, unknown)(facts)
    asked = f"{event.label}{f' (epoch {event.epoch})' if event.epoch is not None else ''}"
    if true is None:
        return f"{asked} was answered {event.outcome}, a class that nothing known there can tell"
    return None if true else f"{asked} was answered {event.outcome}, which is not so"


def put_refusals(
    event: Event, store: Store, after_store: Store, ledger: Ledger, clock: Clock, *, setup: Setup
) -> str | None:
    """Refusals at put."""
    request: Request = event.message  # type: ignore[assignment]
    facts = Facts(
        request.epoch,
        setup.pinned(request.epoch),
        request.content,
        request.named,
        keyed=tuple(a for a in store.artifacts if a.epoch == request.epoch),
        stored=store.artifacts,
        booked=tuple(row.identity for row in ledger.receipts),
        highest=ledger.highest,
        lease_over=over(clock, setup),
        cases=setup.settings.cases,
    )
    changed = "the refused put changed the store" if event.outcome != "created" and store != after_store else None
    return untrue(event, facts) or changed


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
    booked = tuple(row.identity for row in ledger.receipts)
    facts = Facts(
        request.epoch,
        setup.pinned(request.epoch),
        request.content,
        grant.named if grant else None,
        keyed=tuple(row for row in booked if row[0] == request.epoch),
        stored=store.artifacts,
        booked=booked,
        highest=ledger.highest,
        lease_over=over(clock, setup),
        hold=grant.hold if grant else Hold(),
        drawn=meter,
        claimed=request.tokens,
        cases=setup.settings.cases,
    )
    kept = (after_ledger.receipts, after_ledger.sealed, after_grant) == (ledger.receipts, ledger.sealed, grant)
    changed = "the refused commit changed the ledger" if event.outcome != "COMMITTED" and not kept else None
    return untrue(event, facts) or changed


def call_refusals(event: Event, grant: Grant | None, meter: int, after_meter: int, *, setup: Setup) -> str | None:
    """Refusals at the gateway."""
    request: Request = event.message  # type: ignore[assignment]
    if event.outcome == Refusal.OVER_CEILING:
        return None  # said of the run, and judged by `spend_refusals`
    facts = Facts(
        setup.epoch,
        content=Content((request.named,), (setup.pinned(setup.epoch) or 0,)),
        pinned=setup.pinned(setup.epoch),
        wanted=grant.named if grant else None,
        hold=grant.hold if grant else Hold(),
        drawn=meter,
        draws=request.tokens,
    )
    billed = event.outcome in Refusal.__members__ and meter != after_meter
    return untrue(event, facts) or ("the refused call was billed" if billed else None)


def worker_refusals(
    event: Event, clock: Clock, checkpoint: Content | None, fixture: int, *, setup: Setup
) -> str | None:
    """Refusals of a worker to itself: at the start, and before it writes."""
    margin = setup.settings.lease_seconds - setup.settings.margin_seconds
    facts = Facts(
        setup.epoch,
        setup.pinned(setup.epoch),
        checkpoint,
        fixture,
        lease_over=over(clock, setup),
        within_margin=clock.reading_seconds >= margin,
    )
    return untrue(event, facts)


def reserve_refusals(event: Event, ledger: Ledger, grant: Grant | None, *, setup: Setup) -> str | None:
    """Refusals of a grant."""
    if event.outcome == Refusal.OVER_CEILING:
        return None  # said of the run, and judged by `spend_refusals`
    request: Request = event.message  # type: ignore[assignment]
    granted = ((grant.named, grant.hold.tokens),) if grant else ()
    facts = Facts(
        request.epoch,
        keyed=granted,
        asks=(request.named, request.tokens),
        granted=granted,
        booked=tuple(row.identity for row in ledger.receipts),
        highest=ledger.highest,
        raises=True,
    )
    return untrue(event, facts)


def spend_refusals(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """Refusals for the run's ceiling: of a hold by what is promised, of a call by what is burned."""
    if event.outcome != Refusal.OVER_CEILING:
        return None
    request: Request = event.message  # type: ignore[assignment]
    spent = {"reserve": shared.promised, "grade": shared.burned}.get(event.action, 0)
    short = spent + request.tokens > shared.ceiling
    return None if short else f"{event.label} (epoch {event.epoch}) was answered {event.outcome}, which is not so"


def consume_refusals(event: Event, ledger: Ledger, grant: Grant | None, *, setup: Setup) -> str | None:
    """Refusals of the reducer."""
    row: Identity = event.message  # type: ignore[assignment]
    facts = Facts(
        row[0],
        setup.pinned(row[0]),
        row[1],
        grant.named if grant else None,
        booked=tuple(r.identity for r in ledger.receipts),
        highest=ledger.highest,
        sealed=ledger.sealed >= 0,
    )
    return untrue(event, facts)


def publish_refusals(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """Refusals of the report; a shard that is sealed and not consumed yet is missing from it, too."""
    missing = shared.sealed < shared.limits.shards or shared.reduced < shared.sealed
    facts = Facts(
        -1,
        missing=missing,
        disputed=shared.disputed,
        revisions=shared.revisions,
        unaccepted=shared.unaccepted > 0,
    )
    return untrue(event, facts)


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
