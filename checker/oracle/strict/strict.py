"""The strict mode: each answer must be the one that a given fence gives, and one that the default allows.

Ops at a boundary of the fence are judged by its rules; a lease is renewed only while it runs and expires only when it
is over, in every fence. All other ops are taken as they are.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fencebench.checker.oracle.judge import judge as any_sound
from fencebench.checker.oracle.judge.decide import Finding
from fencebench.checker.oracle.judge.run import Run
from fencebench.checker.oracle.judge.run import opened as opened_sound
from fencebench.checker.oracle.log.events import Event
from fencebench.checker.oracle.strict.effects import apply
from fencebench.checker.oracle.strict.state import Books, World, lease_over, store_as_seen
from fencebench.model.fence import Answer, Fence, Refusal
from fencebench.model.machines.driver import ReserveView
from fencebench.model.machines.endpoint import CallView
from fencebench.model.machines.ledger import CommitView, Request
from fencebench.model.machines.shared import PublishView
from fencebench.model.machines.store import PutView
from fencebench.model.machines.worker import ResumeView

LIMIT: Final = 64
"""Alternatives kept of a run; beyond them a divergence is undetermined."""


@dataclass
class Strict:
    """A run under a fence: the alternatives that answers which never came have left. `cut` as in a sound run.

    `sound` is the run as the default judges it, where the fence's acceptance stands in for the run's. `taken` says
    whether the fence, and the default, took the last answer as it was given.
    """

    worlds: list[World]
    plan: Event
    sound: Run
    cut: int | None = None
    taken: tuple[bool, bool] = (True, True)

    def copy(self) -> "Strict":
        """Return an independent copy."""
        return Strict([world.copy() for world in self.worlds], self.plan, self.sound.copy(), self.cut, self.taken)


class Asked(NamedTuple):
    """A request at a boundary: what the rules look at."""

    boundary: str
    request: Request | None
    view: Any


def reserve(world: World, books: Books, event: Event) -> Asked | None:
    """A grant is asked for; where the fence holds nothing, its lease is the grant."""
    if event.op == "lease.grant" and world.fence.holds != "none":
        return None
    request = world.request(event, books)
    if event.input_digest is not None:
        request = request._replace(named=str(event.input_digest))  # type: ignore[arg-type]  # names for numbers
    ledger = books.ledger_as_seen(request, event.digest)._replace(highest=books.ledger.highest)
    fits = world.fits(world.promised, request.tokens)
    return Asked("reserve", request, ReserveView(ledger, books.grants.get(request.epoch), fits, world.setup(0)))


def resume(world: World, books: Books, event: Event) -> Asked:
    """A worker starts."""
    request, epoch = world.request(event, books), event.epoch or 0
    kept = books.checkpoint
    if kept is not None and world.fence.checkpoint == "index":
        kept = kept._replace(inputs=())
    pinned, loaded = world.setup(epoch).pinned(epoch), str(books.fixture)
    view = ResumeView(kept, loaded, pinned, request.reading_seconds, world.setup(epoch))  # type: ignore[arg-type]
    return Asked("resume", request, view)


def call(world: World, books: Books, event: Event) -> Asked | None:
    """A model call comes to the gateway; nothing stands there for an attempt that is not observed."""
    request, grant = world.request(event, books), books.grants.get(event.epoch or 0)
    if grant is None:
        return None
    loaded: Any = str(grant.named) if event.input_digest is None else event.input_digest
    covered = world.fits(world.burned, request.tokens)
    return Asked("call", request, CallView(grant, books.drawn.get(request.epoch, 0), loaded, covered, world.setup(0)))


def put(world: World, books: Books, event: Event) -> Asked:
    """An artifact comes to the store."""
    request = world.request(event, books)
    store, setup = store_as_seen(books, request, event.digest), world.setup(request.epoch)
    alive = request.epoch not in books.silent
    return Asked("put", request, PutView(store, setup.pinned(request.epoch), lease_over(books, event), alive, setup))


def commit(world: World, books: Books, event: Event) -> Asked:
    """A commit comes to the ledger."""
    request = world.request(event, books)
    stored = tuple((a.epoch, a.content) for a in books.artifacts_as_seen(request, event.digest))
    ledger, grant = books.ledger_as_seen(request, event.digest), books.grants.get(request.epoch)
    alive, drawn = request.epoch not in books.silent, books.drawn.get(request.epoch, 0)
    setup = world.setup(request.epoch)
    return Asked("commit", request, CommitView(ledger, grant, stored, lease_over(books, event), alive, drawn, setup))


BOUNDARIES: Final[dict[str, Callable[[World, Books, Event], Asked | None]]] = {
    "ledger.reserve": reserve,
    "lease.grant": reserve,
    "ckpt.resume": resume,
    "model.call": call,
    "store.put": put,
    "ledger.commit": commit,
}

PROTECTS: Final = {
    Refusal.STALE_EPOCH: "no_stale_commit",
    Refusal.SEALED: "sealed_is_final",
    Refusal.LEASE_EXPIRED: "lease_gates_writes",
    Refusal.LEASE_MARGIN: "lease_gates_resume",
    Refusal.CONFLICT: "one_accepted_artifact",
    Refusal.REVISION_MISMATCH: "one_revision",
    Refusal.INPUT_MISMATCH: "one_input_version",
    Refusal.INCOMPLETE: "whole_artifact",
    Refusal.NO_ARTIFACT: "receipt_has_artifact",
    Refusal.OVER_CEILING: "spend_under_ceiling",
    Refusal.NO_HOLD: "meter_under_ceiling",
    Refusal.HOLD_EXHAUSTED: "meter_under_ceiling",
    Refusal.UNRESERVED_SPEND: "meter_under_ceiling",
    Refusal.MISSING_SHARDS: "no_aggregate_when_missing",
    Refusal.UNRESOLVED_CONFLICT: "conflict_never_averaged",
    Refusal.MIXED_REVISIONS: "one_revision",
}
"""By class, the promise that a rule which answers it protects."""


def opened(fence: Fence) -> Callable[[Event], Strict]:
    """Return how a run is opened under a fence."""
    counts = "receipt" if fence.acceptance == "receipt" else "put"
    return lambda plan: Strict([World(fence, plan)], plan, opened_sound(plan._replace(acceptance=counts)))


def judge(run: Strict, event: Event) -> Finding | None:
    """Judge one event, and where its answer is the fence's and allowed by default, let it change the run."""
    sound, own = any_sound.judge(run.sound, event), of_fence(run, event)
    run.taken = own is None, sound is None
    run.cut = run.cut or run.sound.cut
    return own or sound


def of_fence(run: Strict, event: Event) -> Finding | None:
    """Judge one event by the fence alone."""
    if event.answer == "unknown" and event.applied is None:
        kept = [apply(world.copy(), event, accepted=True) for world in run.worlds] + run.worlds
        run.cut = event.line if len(kept) > LIMIT and run.cut is None else run.cut
        run.worlds = kept[:LIMIT]
        return None
    findings = [check(world, event) for world in run.worlds]
    if None not in findings:
        return findings[0]
    run.worlds = [world for world, finding in zip(run.worlds, findings, strict=True) if finding is None]
    take(run, event)
    return None


def take(run: Strict, event: Event) -> None:
    """Let the fence go on from the answer that was given."""
    accepted = event.answer in ("accept", "observe") or (event.answer == "unknown" and event.applied is True)
    for world in run.worlds:
        apply(world, event, accepted)


def adopt(run: Strict, event: Event) -> None:
    """Go on from the answer that was given."""
    if not run.taken[0]:
        take(run, event)
    if not run.taken[1]:
        any_sound.adopt(run.sound, event)


def mend(run: Strict, event: Event, finding: Finding) -> None:
    """Go on from the answer that the fence would have given, and the default would have allowed."""
    if not run.taken[0]:
        for world in run.worlds:
            apply(world, event, accepted=not is_accepted(event))
    if not run.taken[1]:
        any_sound.mend(run.sound, event, finding)


def is_accepted(event: Event) -> bool:
    """Say whether the answer is success, in whatever word."""
    return event.answer == "accept" or (event.answer == "observe") or (event.answer == "unknown")


def check(world: World, event: Event) -> Finding | None:
    """Compare the answer with the fence's."""
    if event.op == "report.print":
        return compared(world, event, publish(world, event))
    if event.shard is None:
        return None
    books = world.books(event.shard)
    if event.op in ("lease.renew", "lease.expire"):
        return of_lease(books, event)
    ask = BOUNDARIES.get(event.op)
    asked = ask(world, books, event) if ask else None
    return None if asked is None or event.outcome is None else compared(world, event, asked)


def publish(world: World, event: Event) -> Asked:
    """A report is to be printed; it has taken the shards that it names, and all that are sealed where it names none."""
    names = world.plan.shards or list(world.shards)
    sealed = sum(world.books(name).ledger.sealed >= 0 for name in names)
    named = {r for books in world.shards.values() for _, _, _, r in books.rows if r is not None}
    revisions = tuple(sorted({number for name in named for number in world.revisions(name)}))
    consumed = sealed if event.sealed is None else len(set(event.sealed) & set(names))
    view = PublishView(len(names), sealed, consumed, len(names), 0, revisions, world.disputed)
    return Asked("publish", None, view)


def compared(world: World, event: Event, asked: Asked) -> Finding | None:
    """Say how the answer differs from the fence's."""
    dues = [world.fence.judge(asked.boundary, asked.request, view) for view in views(asked)]
    if any(is_right(event, due) for due in dues) or event.refusal in unseen(event):
        return None
    return differs(world, event, asked, dues[0])


def views(asked: Asked) -> tuple[Any, ...]:
    """Return the views to judge on: a log does not show heartbeats, nor which shards the driver is done with."""
    unseen = _UNSEEN.get(asked.boundary)
    return (asked.view,) if unseen is None else (asked.view, asked.view._replace(**unseen))


_UNSEEN: Final[dict[str, dict[str, int]]] = {"commit": {"heartbeat": False}, "publish": {"resting": 0}}


def is_right(event: Event, due: Answer) -> bool:
    """Say whether the answer is the one that is due; a refusal without a class stands for any."""
    if is_accepted(event):
        return due.refusal is None or started_anew(event, due)
    return event.refusal is due.refusal if event.refusal else due.refusal is not None


def started_anew(event: Event, due: Answer) -> bool:
    """Say whether a worker left a checkpoint alone that the fence refuses, and started from the first case."""
    return event.outcome == "restarted" and due.refusal in (Refusal.INPUT_MISMATCH, Refusal.REVISION_MISMATCH)


def unseen(event: Event) -> set[Refusal | None]:
    """Return the classes that a field which is not observed may be right for."""
    fields = {Refusal.INPUT_MISMATCH: event.input_digest, Refusal.REVISION_MISMATCH: event.revision}
    mine = event.op in ("store.put", "ledger.commit")
    return {refusal for refusal, value in fields.items() if value is None and mine and event.refusal is refusal}


def differs(world: World, event: Event, asked: Asked, due: Answer) -> Finding:
    """Tell the answer that was due, the rule that gives it and what it looked at."""
    name, looked = world.fence.name, looked_at(asked)
    if due.refusal is None:
        why = f"fence {name} accepts this, no rule at {asked.boundary} applies ({looked})"
        return Finding(f"{asked.boundary}.none", "rejections_classified", None, why, (accepts(event),))
    sentence = dict(world.fence.rules())[due.rule].sentence.rstrip(".")
    why = f"fence {name} answers {due.refusal}: {sentence[:1].lower()}{sentence[1:]} ({looked})"
    protects = PROTECTS.get(due.refusal, "rejections_classified") if is_accepted(event) else "rejections_classified"
    return Finding(due.rule, protects, None, why, (str(due.refusal),))


def accepts(event: Event) -> str:
    """Return the word of success of an op."""
    from fencebench.checker.oracle.log.ops import OPS

    op = OPS[event.op]
    return (*op.accepts, *op.observes)[0]


def looked_at(asked: Asked) -> str:
    """Name the values that the boundary looked at, less what is too long to show."""
    view = asked.view._asdict()
    ledger = view.get("ledger")
    short = {name: value for name, value in view.items() if isinstance(value, int | bool | str)}
    if ledger is not None:
        short |= {"highest": ledger.highest, "receipts": len(ledger.receipts)}
    grant = view.get("grant")
    if grant is not None:
        short |= {"hold": f"{grant.hold.tokens}{' live' if grant.hold.live else ' closed'}"}
    return ", ".join(f"{name} {value}" for name, value in short.items())


def of_lease(books: Books, event: Event) -> Finding | None:
    """A lease is renewed while it runs and expires when it is over, in every fence."""
    end, over = books.expires.get(event.epoch or 0), lease_over(books, event)
    if end is None or event.answer != "accept" or over == (event.op == "lease.expire"):
        return None
    why = f"the lease of epoch {event.epoch} {'ended' if over else 'runs until'} {end:g}, it is {event.t:g}"
    return Finding("lease", "lease_gates_writes", None, why, ("refused",))


def state_told(run: Strict, event: Event) -> tuple[str, ...]:
    """Return what the fence had on its books when the event came, one line a fact."""
    world = run.worlds[0]
    used = f"{world.promised} tokens are booked, written off or held of {world.plan.ceiling}, {world.burned} burned"
    lines = [f"run {event.run}: {used}"]
    if event.shard is None:
        return tuple(lines)
    books = world.books(event.shard)
    ledger, register = books.ledger, books.register
    lines.append(f"shard {event.shard}: granted {ledger.highest}, sealed {ledger.sealed}, register {register}")
    for epoch, grant in sorted(books.grants.items())[-4:]:
        end = books.expires.get(epoch)
        lease = "" if end is None else f", lease until {end:g}"
        hold = f"hold {grant.hold.tokens} {'live' if grant.hold.live else 'closed'}"
        lines.append(f"  epoch {epoch}: {hold}, drawn {books.drawn.get(epoch, 0)}, on {grant.named}{lease}")
    return tuple(lines)
