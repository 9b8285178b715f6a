"""Translates a run of the model into the words of the event log: what was asked, and what the fence answered.

A step becomes the lines that other implementations would see of it: none for what a worker does by itself, several
where one write of the model is several lines (a grant is `ledger.reserve` and `lease.grant`, an expiry also books and
gives back). Seconds are the driver's; see `checker.oracle.timing`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final, NamedTuple

from fencebench.checker.oracle.drive.timing import Timing
from fencebench.model.build import build
from fencebench.model.fence import Fence, Refusal
from fencebench.model.machine import Machine, State, Transition
from fencebench.model.machines.ledger import Content, Grant, Request
from fencebench.model.settings import Bound, Settings, Setup, revision_name
from fencebench.model.shard import Shard, shard_of

Fields = dict[str, Any]

RUN: Final = 1
SEED: Final = Settings()
NOBODY: Final = Shard()


class Line(NamedTuple):
    """A request, and the answer that the fence gives; nothing is answered to what is only told.

    `lost` says that the answer was given and did not arrive.
    """

    request: Fields
    answer: Fields | None = None
    lost: bool = False

    @property
    def logged(self) -> Fields:
        """The line as an event log has it."""
        if not self.lost:
            return {**self.request, **(self.answer or {})}
        if self.request["op"] == "model.call":
            return {**self.request, "outcome": "timeout"}
        return {**self.request, "outcome": "no_reply", "applied": True}


@dataclass(frozen=True)
class Source:
    """The model that a run is of."""

    fence: Fence
    bound: Bound
    load: Settings = SEED

    @property
    def settings(self) -> Settings:
        """The load and the times; without skew no clock tells the shifted ages apart."""
        return self.load if self.bound.cap("skew") else replace(self.load, skew_seconds=0)

    @cached_property
    def machine(self) -> Machine:
        """The model itself."""
        return build(self.fence, self.bound, self.settings)

    @property
    def setup(self) -> Setup:
        """What its parts are set up with."""
        return Setup(self.fence, self.settings, self.bound)


class Seen(NamedTuple):
    """A step with the shard before and after it, and the second at which it is taken."""

    step: Transition
    before: State
    old: Shard
    new: Shard
    t: int
    setup: Setup

    def line(self, op: str, success: str = "", **fields: Any) -> Line:
        """Return a line about the step's attempt; without `success` it is only told."""
        event = self.step.event
        about = {"shard": self.step.unit, "epoch": event.epoch}
        known = {name: value for name, value in about.items() if value is not None}
        request = {"t": self.t, "op": op, "run": RUN, **known, **fields}
        return Line(request, answer(event.outcome, success), event.fault == "lose_reply") if success else Line(request)


def answer(outcome: str, success: str) -> Fields:
    """Return the answer in the words of the log: success, or refused with its class."""
    refused = outcome in Refusal.__members__
    return {"outcome": "refused", "reason": outcome} if refused else {"outcome": success}


def input_name(versions: Iterable[int]) -> str:
    """Name the input digest of what was made on these versions."""
    return "+".join(f"in-{version}" for version in versions)


def revisions_name(revisions: Iterable[int]) -> str:
    """Name the revisions that served."""
    return "+".join(map(revision_name, revisions))


def digest_of(epoch: int, content: Content) -> str:
    """Name an artifact; two attempts never make the same one."""
    return f"art-{epoch}-{input_name(content.inputs)}-{revisions_name(content.revisions)}-{content.cases}"


def opened(source: Source) -> Line:
    """Return the line that opens the run."""
    settings, bound = source.settings, source.bound
    plan = {
        "shards": list(range(bound.shards)),
        "cases": settings.cases,
        "ceiling": bound.ceiling(settings),
        "revision": revision_name(0),
        "input_digest": input_name((0,)),
        "lease_ttl": settings.lease_seconds,
        "acceptance": "receipt" if source.fence.acceptance == "receipt" else "put",
    }
    return Line({"t": 0, "op": "run.open", "run": RUN, **plan})


def made(content: Content) -> Fields:
    """Return the fields of what an artifact or a row was made on."""
    return {"revision": revisions_name(content.revisions), "input_digest": input_name(content.inputs)}


def reserve(seen: Seen) -> Iterator[Line]:
    """A grant: the hold, and when it is reserved, the lease."""
    request: Request = seen.step.event.message  # type: ignore[assignment]
    lease = {"expires": seen.t + seen.setup.settings.lease_seconds, "holder": f"worker-{seen.step.event.epoch}"}
    if request.tokens:
        asked = input_name((request.named,))
        yield seen.line("ledger.reserve", "reserved", tokens=request.tokens, input_digest=asked)
    if seen.step.event.outcome == "reserved" or not request.tokens:
        yield seen.line("lease.grant", "granted", **lease)


def expire(seen: Seen) -> Iterator[Line]:
    """The end of a lease, and how its hold is settled."""
    epoch = seen.step.event.epoch or 0
    old, new = (held(shown.epochs[epoch][3]) for shown in (seen.old, seen.new))
    yield seen.line("lease.expire", "expired")
    if new.written_off > old.written_off:
        yield seen.line("ledger.waste", "ok", tokens=new.written_off - old.written_off)
    if new.released > old.released:
        yield seen.line("ledger.release", "released", tokens=new.released - old.released)


def held(grant: Grant | None) -> Any:
    """Return the hold of a grant that is there."""
    assert grant is not None
    return grant.hold


def dispatch(seen: Seen) -> Iterator[Line]:
    """A message to start; one that comes after the receipt or the lease starts nothing, and is not told."""
    clock = seen.old.epochs[seen.step.event.epoch or 0][1]
    if not seen.old.ledger.receipts and clock.age_seconds < seen.setup.settings.lease_seconds:
        yield seen.line("dispatch", "sent")


def begin(seen: Seen) -> Iterator[Line]:
    """A start, from the checkpoint or from the first case."""
    kept, event = seen.old.checkpoint, seen.step.event
    resumes = event.action == "resume_checkpoint"
    done = list(range(kept.cases)) if kept and resumes else []
    pending = list(range(len(done), seen.setup.settings.cases))
    clock = {"clock_of_actor": seen.t + offset(seen)}
    found = {"done": done, "pending": pending} if event.outcome not in Refusal.__members__ else {}
    digest = {"input_digest": input_name(kept.inputs)} if kept and resumes else {}
    yield seen.line("ckpt.resume", "resumed" if resumes else "restarted", **found, **digest, **clock)


def offset(seen: Seen) -> int:
    """Return by how many seconds the clock of the step's worker is off."""
    return seen.old.epochs[seen.step.event.epoch or 0][1].offset_seconds


def grade(seen: Seen) -> Iterator[Line]:
    """A model call, and the checkpoint that it leaves."""
    request: Request = seen.step.event.message  # type: ignore[assignment]
    served = seen.step.event.outcome.removeprefix("by ") if seen.step.event.outcome.startswith("by ") else None
    by = {"revision": served} if served else {}
    yield seen.line("model.call", "ok", tokens=request.tokens, input_digest=input_name((request.named,)), **by)
    kept = seen.new.checkpoint
    if kept is not None and kept != seen.old.checkpoint:
        done = list(range(kept.cases))
        yield seen.line("ckpt.write", "ok", done=done, **made(kept))._replace(lost=False)


def put(seen: Seen) -> Iterator[Line]:
    """An artifact comes to the store."""
    request: Request = seen.step.event.message  # type: ignore[assignment]
    content, parts = request.content, [request.content.cases, seen.setup.settings.cases]
    clock = seen.t + offset(seen)
    digest = digest_of(request.epoch, content)
    yield seen.line("store.put", "created", digest=digest, **made(content), parts=parts, clock_of_actor=clock)


def deliver(seen: Seen) -> Iterator[Line]:
    """A commit comes to the ledger; where it seals, the seal is a line of its own."""
    row: Request = seen.step.event.message  # type: ignore[assignment]
    digest = digest_of(row.epoch, row.content)
    again = [r for r in seen.old.ledger.receipts if (r.epoch, r.content) == (row.epoch, row.content)]
    twice = {"counted": True} if again and len(seen.new.ledger.receipts) > len(seen.old.ledger.receipts) else {}
    yield seen.line("ledger.commit", "committed", tokens=row.tokens, digest=digest, **made(row.content), **twice)
    if seen.new.ledger.sealed != seen.old.ledger.sealed:
        yield seen.line("seal", "sealed")._replace(lost=False)


def publish(seen: Seen) -> Iterator[Line]:
    """The report counts a shard once for each row that it consumed."""
    shown = [shard_of(unit) for unit in seen.before.units]
    counted = [shard for shard, each in enumerate(shown) for _ in each.reduced]
    missing = len(shown) - seen.before.shared.sealed
    yield seen.line("report.print", "printed", sealed=counted, missing=missing)


def renewed(seen: Seen) -> Iterator[Line]:
    """A renewal arrives."""
    yield seen.line("lease.renew", "granted", expires=seen.t + seen.setup.settings.lease_seconds)


def cut(seen: Seen) -> Iterator[Line]:
    """The ceiling falls."""
    yield seen.line("config.change", shard=0, ceiling=seen.step.after.shared.ceiling)


LINES: Final[dict[str, Callable[[Seen], Iterator[Line]]]] = {
    "reserve": reserve,
    "tell_store": lambda seen: iter([seen.line("store.tell", "ok")]),
    "dispatch": dispatch,
    "resume_checkpoint": begin,
    "restart": begin,
    "grade": grade,
    "put": put,
    "deliver": deliver,
    "forge": deliver,
    "expire": expire,
    "seal": lambda seen: iter([seen.line("seal", "sealed")]),
    "renew": renewed,
    "publish": publish,
    "preempt": lambda seen: iter([seen.line("preempt")]),
    "resume": lambda seen: iter([seen.line("resume")]),
    "change_fixture": lambda seen: iter([seen.line("fixture.change", input_digest=input_name((seen.new.fixture,)))]),
    "skew": lambda seen: iter([seen.line("clock.skew", who=f"worker-{seen.step.event.epoch}", offset=skewed(seen))]),
    "flip_alias": lambda seen: iter([seen.line("alias.flip", revision=revision_name(seen.step.after.shared.alias))]),
    "cut_allowance": cut,
}
"""By action, what a log shows of a step; nobody but its actor sees the other actions."""


def skewed(seen: Seen) -> int:
    """Return by how many seconds the clock is off after the step."""
    return seen.new.epochs[seen.step.event.epoch or 0][1].offset_seconds


class StepLines(NamedTuple):
    """What a log shows of a step: renewals that have to arrive just before it, then the step itself."""

    step: Transition
    renewals: tuple[Line, ...]
    lines: tuple[Line, ...]


def lines_of_step(timing: Timing, before: State, step: Transition, setup: Setup) -> StepLines:
    """Return what a log shows of one step, and let its time pass."""
    renewals = tuple(renewal(*found) for found in timing.advance(before, step))
    told = LINES.get(step.event.action, nobody_sees)
    old, new = (NOBODY, NOBODY) if step.unit is None else faces(before, step)
    return StepLines(step, renewals, tuple(told(Seen(step, before, old, new, timing.now, setup))))


def nobody_sees(seen: Seen) -> Iterator[Line]:
    """A step of which no log tells."""
    return iter(())


def renewal(shard: int, epoch: int, t: int, expires: int) -> Line:
    """Return a renewal that arrives."""
    about = {"shard": shard, "epoch": epoch, "expires": expires}
    return Line({"t": t, "op": "lease.renew", "run": RUN, **about}, {"outcome": "granted"})


def faces(before: State, step: Transition) -> tuple[Shard, Shard]:
    """Return the step's shard before and after it."""
    unit = step.unit or 0
    return shard_of(before.units[unit]), shard_of(step.after.units[unit])


def steps_told(source: Source, trace: Iterable[Transition]) -> Iterator[StepLines]:
    """Yield what a log shows of each step of a run that starts in the initial state."""
    timing, before, setup = Timing(source.settings), source.machine.initial, source.setup
    for step in trace:
        yield lines_of_step(timing, before, step, setup)
        before = step.after


def translate(source: Source, trace: Iterable[Transition]) -> Iterator[Line]:
    """Yield the whole log of a run, from its `run.open` on."""
    yield opened(source)
    for told in steps_told(source, trace):
        yield from (*told.renewals, *told.lines)
