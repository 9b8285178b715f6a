"""Tells a log up to its divergence as a story, to be drawn: one row a line, one lifeline for each who took part."""

from collections.abc import Iterable
from typing import Final

from fencebench.checker.oracle.log.events import Event, read_events
from fencebench.checker.oracle.replay.replay import Verdict
from fencebench.checker.report.story import Clock, Lane, Lease, Story, StoryStep

TARGETS: Final = {"ledger": "ledger", "lease": "ledger", "seal": "ledger", "store": "store", "model": "model"}
"""By the first word of an op, who is asked."""

BY_WORKERS: Final = ("model.call", "store.put", "store.apply", "ledger.commit", "row.accept", "lease.renew")
HEADS: Final = {
    "driver": ("Driver", "its clock judges"),
    "ledger": ("Ledger", "leases, holds, receipts"),
    "store": ("Artifact store", "what was put"),
    "model": ("Model endpoint", "bills each call"),
    "report": ("Report", "prints or refuses"),
}
FAULTS: Final = {
    "preempt": "preempt",
    "fixture.change": "change_fixture",
    "alias.flip": "flip_alias",
    "clock.skew": "skew",
}
LAST: Final = 40
"""Rows that are drawn at most; earlier lines of the shard are left out."""


def story_of_log(lines: Iterable[str | bytes], found: Verdict) -> Story:
    """Tell what happened to the run's shard up to the line that diverges; a log that conforms is told whole."""
    events = [e for e in read_events(until(lines, found.line)) if concerns(e, found)][-LAST:]
    planned = list(dict.fromkeys(event.shard for event in events if event.shard is not None))
    numbers = {shard: i for i, shard in enumerate(planned)}
    steps = tuple(step_of(i, event, numbers, found) for i, event in enumerate(events, 1))
    return Story(
        title=f"{found.op} was answered {found.answered}" if found.line else "Every answer is allowed",
        properties=(found.property,) if found.property else (),
        fence=found.mode,
        fence_summary=f"log {found.log}",
        bound=f"{found.events} events",
        faults=sum(step.fault is not None for step in steps),
        minimal=False,
        lanes=lanes(steps, events, numbers),
        steps=steps,
        why=f"Line {found.line}: {found.why}." if found.line else "Nothing diverges.",
        rule=f"Rule {found.rule}; allowed: {', '.join(found.allowed)}." if found.line else "",
        reproduce=(f"fencebench oracle replay {found.log}",),
    )


def until(lines: Iterable[str | bytes], last: int | None) -> Iterable[str | bytes]:
    """Yield the lines up to a number, or all."""
    for number, line in enumerate(lines, 1):
        if last is not None and number > last:
            return
        yield line


def concerns(event: Event, found: Verdict) -> bool:
    """Say whether a line is about the shard that diverges, or about its whole run."""
    if event.op == "run.open":
        return False
    return found.line is None or (event.run == found.run and found.shard in (None, event.shard))


def step_of(number: int, event: Event, numbers: dict[int | str, int], found: Verdict) -> StoryStep:
    """Tell one line."""
    lane = lane_of(event, numbers)
    wrong = event.line == found.line
    skewed = event.clock_of_actor
    target = "report" if event.op == "report.print" else TARGETS.get(event.op.split(".")[0])
    source = lane if lane and (event.op in BY_WORKERS or event.op in FAULTS or event.op == "resume") else "driver"
    answer = event.answered if event.outcome else ""
    return StoryStep(
        number=number,
        action=event.op,
        source=source,
        target=lane if event.op == "dispatch" else target,
        label=f"{event.op}{'' if event.epoch is None else f' epoch {event.epoch}'}",
        detail=details(event) if target is None else "",
        answer=answer if target or event.op == "dispatch" else "",
        driver_seconds=int(event.t),
        worker_seconds=None if skewed is None else int(skewed),
        host=str(event.host) if event.host is not None else None,
        shard=None if event.shard is None else numbers[event.shard],
        epoch=event.epoch,
        fault="lose_reply" if event.outcome == "no_reply" else FAULTS.get(event.op),
        refused=event.answer == "refuse",
        leases=leases(event, lane),
        violated=((found.property or found.rule or "",) if wrong else ()),
    )


def details(event: Event) -> str:
    """Return what a note says in its second line."""
    return str(event.input_digest or event.outcome or "")


def lane_of(event: Event, numbers: dict[int | str, int]) -> str | None:
    """Return the lane of the attempt that a line is about."""
    if event.shard is None or event.epoch is None:
        return None
    return f"worker {numbers[event.shard]}/{event.epoch}"


def leases(event: Event, lane: str | None) -> tuple[Lease, ...]:
    """Return the look of a lease that a line changes: granted or renewed, or over."""
    looks: dict[str, Clock] = {"lease.grant": "valid", "lease.renew": "valid", "lease.expire": "expired"}
    look = looks.get(event.op)
    return (Lease(lane, look, look, True),) if look and lane and event.answer == "accept" else ()


def lanes(steps: tuple[StoryStep, ...], events: list[Event], numbers: dict[int | str, int]) -> tuple[Lane, ...]:
    """Return the lanes that take part, attempts by shard and epoch."""
    touched = {lane for step in steps for lane in (step.source, step.target, *(x.lane for x in step.leases)) if lane}
    attempts = {lane_of(e, numbers): e for e in events}
    workers = [
        Lane(lane, "worker", f"Shard {event.shard}, epoch {event.epoch}", "attempt", numbers[event.shard], event.epoch)
        for lane, event in sorted(attempts.items(), key=lambda item: str(item[0]))
        if lane in touched and event.shard is not None and lane is not None
    ]
    heads = [Lane(key, key, *HEADS[key]) for key in HEADS if key in touched]
    return (*heads[:2], *workers, *heads[2:])
