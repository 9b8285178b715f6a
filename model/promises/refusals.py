"""`rejections_classified`: every refusal's class is true of what stands, and a refusal changes nothing else.

A class has one condition, wherever it is answered: `OF_SHARD` and `OF_RUN` are the table of classes (design section 4).
Some classes are about things that a boundary cannot know; an answer with such a class is wrong whatever stands.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from fencebench.model.fence import Refusal
from fencebench.model.machine import Event
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Grant, Hold, Identity, Ledger, Request
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Store
from fencebench.model.machines.worker import Attempt
from fencebench.model.promises.promise import ANSWERS, Claim, Promise
from fencebench.model.settings import Setup

BOUNDARY_OF = {
    "reserve": "reserve",
    "restart": "resume",
    "resume_checkpoint": "resume",
    "grade": "call",
    "check_lease": "write",
    "put": "put",
    "deliver": "commit",
    "forge": "commit",
    "consume": "consume",
    "publish": "publish",
}
"""The boundary that is asked in an action."""

OF_ROWS = ("put", "commit", "consume")
OF_WORK = ("resume", "call", "write", *OF_ROWS)
OF_ANY = ("reserve", *OF_WORK)
CLASSES = frozenset(map(str, Refusal))


class Facts(NamedTuple):
    """What stands in a shard when something is refused there.

    `content` is the work that the refusal is about (a row's; at the start the checkpoint's, before a call what is
    graded so far), `inputs` all versions that were loaded or graded for it.
    """

    boundary: str
    request: Request
    content: Content
    inputs: tuple[int, ...]
    ledger: Ledger
    grant: Grant | None
    store: Store
    clock: Clock
    meter: int
    setup: Setup

    @property
    def hold(self) -> Hold:
        """The hold under the key; an epoch that was never granted has none."""
        return self.grant.hold if self.grant else Hold()

    @property
    def identity(self) -> Identity:
        """Which row the refusal is about."""
        return self.request.epoch, self.content

    @property
    def granted_alike(self) -> bool:
        """Whether the grant under the key has the content that is asked for."""
        asked = (self.request.named, self.request.tokens)
        return self.grant is not None and (self.grant.named, self.hold.tokens) == asked

    @property
    def standing(self) -> tuple[Content, ...]:
        """Every content that stands under the key, in the store or in the ledger."""
        rows = (*self.store.artifacts, *(row.identity for row in self.ledger.receipts))
        return tuple(content for epoch, content in rows if epoch == self.request.epoch)


class Condition(NamedTuple):
    """When a class is right, and the boundaries at which that can be known."""

    known_at: tuple[str, ...]
    is_right: Callable[[Facts], bool]


def conflicts(facts: Facts) -> bool:
    """Other content stands under the same key."""
    if facts.boundary == "reserve":
        return facts.grant is not None and not facts.granted_alike
    return any(content != facts.content for content in facts.standing)


def other_input(facts: Facts) -> bool:
    """Some version that was loaded or graded is not the one that the grant names."""
    return facts.grant is not None and any(version != facts.grant.named for version in facts.inputs)


def other_revision(facts: Facts) -> bool:
    """Some case was served by another revision than the pinned one."""
    pinned = facts.setup.pinned(facts.request.epoch)
    return any(revision != pinned for revision in facts.content.revisions)


def stale(facts: Facts) -> bool:
    """The epoch is below the highest granted; a new one has to be above it."""
    return facts.request.epoch < facts.ledger.highest + (facts.boundary == "reserve")


def unreserved(facts: Facts) -> bool:
    """There is no live hold under the key, or the row names other tokens than were drawn under it."""
    return not facts.hold.live or (facts.boundary == "commit" and facts.request.tokens != facts.meter)


def in_margin(facts: Facts) -> bool:
    """The worker's own clock is within the margin of the lease's end, or past it."""
    settings = facts.setup.settings
    return facts.clock.reading_seconds >= settings.lease_seconds - settings.margin_seconds


OF_SHARD: Mapping[str, Condition] = {
    Refusal.ALREADY_RESERVED: Condition(("reserve",), lambda f: f.granted_alike),
    Refusal.ALREADY_STORED: Condition(("write", *OF_ROWS), lambda f: f.identity in f.store.artifacts),
    Refusal.ALREADY_COMMITTED: Condition(
        ("write", *OF_ROWS), lambda f: f.identity in {row.identity for row in f.ledger.receipts}
    ),
    Refusal.CONFLICT: Condition(("reserve", "write", *OF_ROWS), conflicts),
    Refusal.REVISION_MISMATCH: Condition(OF_WORK, other_revision),
    Refusal.INPUT_MISMATCH: Condition(OF_WORK, other_input),
    Refusal.STALE_EPOCH: Condition(OF_ANY, stale),
    Refusal.SEALED: Condition(OF_ANY, lambda f: bool(f.ledger.receipts)),
    Refusal.LEASE_EXPIRED: Condition(OF_WORK, lambda f: over(f.clock, f.setup)),
    Refusal.LEASE_MARGIN: Condition(OF_WORK, in_margin),
    Refusal.UNRESERVED_SPEND: Condition(OF_WORK, unreserved),
    Refusal.NO_HOLD: Condition(OF_WORK, lambda f: not f.hold.live),
    Refusal.HOLD_EXHAUSTED: Condition(("call",), lambda f: f.meter + f.request.tokens > f.hold.tokens),
    Refusal.NO_ARTIFACT: Condition(OF_ROWS, lambda f: f.identity not in f.store.artifacts),
    Refusal.INCOMPLETE: Condition(("write", *OF_ROWS), lambda f: f.content.cases < f.setup.settings.cases),
    Refusal.NO_RECEIPT: Condition(OF_ANY, lambda f: f.ledger.sealed < 0),
    Refusal.UNRESOLVED_CONFLICT: Condition(OF_ANY, lambda f: bool(f.ledger.conflicts)),
}
"""When a class is right that one shard can tell."""

OF_RUN: Mapping[str, Callable[[Shared], bool]] = {
    Refusal.MISSING_SHARDS: lambda shared: min(shared.sealed, shared.reduced) < shared.limits.shards,
    Refusal.UNRESOLVED_CONFLICT: lambda shared: shared.disputed,
    Refusal.MIXED_REVISIONS: lambda shared: len(shared.revisions) > 1,
    Refusal.NO_RECEIPT: lambda shared: shared.unaccepted > 0,
}
"""When a class is right that the report answers."""

CEILING_AT = ("reserve", "call")
"""Where the run's totals are known: what is promised, or what is burned."""


def untrue(event: Event, known_at: tuple[str, ...], is_right: Callable[[], bool]) -> str | None:
    """Say why the class of a refusal is not right, or nothing."""
    boundary, told = BOUNDARY_OF[event.action], f"{event.label} was answered {event.outcome}"
    told = told if event.epoch is None else f"{event.label} (epoch {event.epoch}) was answered {event.outcome}"
    if boundary not in known_at:
        where = f"known at {', '.join(known_at)} only" if known_at else "no answer of any boundary here"
        return f"{told}, which is not known at {boundary}: that class is {where}"
    return None if is_right() else f"{told}, which is not so"


def work_of(event: Event, attempt: Attempt, checkpoint: Content | None, fixture: int) -> tuple[Content, int | None]:
    """Return the work that a refusal is about, and the input version that is loaded for it, if that may be another."""
    boundary = BOUNDARY_OF[event.action]
    if boundary == "resume":
        return checkpoint or Content(), fixture
    if boundary in ("call", "write"):
        return attempt.content, attempt.loaded
    return request_of(event).content, None


def request_of(event: Event) -> Request:
    """Return what was asked; a worker's questions to itself are about its epoch alone."""
    return event.message if isinstance(event.message, Request) else Request(event.epoch or 0)


def class_is_true(
    event: Event,
    ledger: Ledger,
    grant: Grant | None,
    store: Store,
    clock: Clock,
    meter: int,
    attempt: Attempt,
    checkpoint: Content | None,
    fixture: int,
    *,
    setup: Setup,
) -> str | None:
    """The class of a refusal is true of the shard that it was answered in."""
    if event.outcome == Refusal.OVER_CEILING and BOUNDARY_OF[event.action] in CEILING_AT:
        return None  # said of the run, and judged by `ceiling_is_short`
    content, loaded = work_of(event, attempt, checkpoint, fixture)
    inputs = (*content.inputs, *(() if loaded is None else (loaded,)))
    condition = OF_SHARD.get(event.outcome, Condition((), lambda facts: False))
    where, request = BOUNDARY_OF[event.action], request_of(event)
    facts = Facts(where, request, content, inputs, ledger, grant, store, clock, meter, setup)
    return untrue(event, condition.known_at, lambda: condition.is_right(facts))


def nothing_else_changes(
    event: Event,
    ledger: Ledger,
    after_ledger: Ledger,
    grant: Grant | None,
    after_grant: Grant | None,
    store: Store,
    after_store: Store,
    meter: int,
    after_meter: int,
    checkpoint: Content | None,
    after_checkpoint: Content | None,
    reduced: tuple[Identity, ...],
    after_reduced: tuple[Identity, ...],
    *,
    setup: Setup,
) -> str | None:
    """A refusal changes nothing of what is kept, but for a conflict that goes on record and a shard to be replayed."""
    noted = ledger._replace(conflicts=after_ledger.conflicts, replay=after_ledger.replay)
    pairs = {
        "the ledger": (noted, after_ledger),
        "the grant": (grant, after_grant),
        "the store": (store, after_store),
        "the meter": (meter, after_meter),
        "the checkpoint": (checkpoint, after_checkpoint),
        "the aggregate": (reduced, after_reduced),
    }
    changed = [what for what, (before, after) in pairs.items() if before != after]
    return f"the refused {event.label} changed {' and '.join(changed)}" if changed else None


def ceiling_is_short(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """Refusals for the run's ceiling: of a hold by what is promised, of a call by what is burned."""
    spent = {"reserve": shared.promised, "grade": shared.burned}[event.action]
    tokens = request_of(event).tokens
    return untrue(event, CEILING_AT, lambda: spent + tokens > shared.ceiling)


def report_is_right(event: Event, shared: Shared, *, setup: Setup) -> str | None:
    """Refusals of the report."""
    condition = OF_RUN.get(event.outcome)
    return untrue(event, ("publish",) if condition else (), lambda: bool(condition and condition(shared)))


SHARD_ACTIONS = tuple(action for action in BOUNDARY_OF if action != "publish")

PROMISES = (
    Promise(
        name="rejections_classified",
        sentence="The class of every refusal is true of what stands, and a refusal changes nothing else.",
        more=(
            Claim(class_is_true, SHARD_ACTIONS, beyond=1, answers=CLASSES),
            Claim(nothing_else_changes, SHARD_ACTIONS, beyond=1, answers=CLASSES),
            Claim(ceiling_is_short, ("reserve", "grade"), answers=frozenset({str(Refusal.OVER_CEILING)})),
            Claim(report_is_right, ("publish",), answers=CLASSES),
        ),
        title="A refusal says what is not so",
        group=ANSWERS,
        failure="A refusal gives a reason that is not true, so whoever reads it does the wrong thing next.",
        question="Is the same key with other content told apart from the same message sent twice?",
    ),
)
