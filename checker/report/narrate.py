"""Turns a trace into a story: seconds on both clocks, hosts, rows in flight, what changed, what else was possible."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import cast

from fencebench.checker.report.story import Change, Clock, Lane, Lease, StoryStep
from fencebench.model.describe import LeaseView, StepDescription
from fencebench.model.machine import Machine, State, Transition

SECONDS = {"grade": 12, "elapse": 10}
HEADS = {
    "ledger": ("Spend ledger", "holds and receipts"),
    "driver": ("Driver", "its clock judges"),
    "store": ("Artifact store", "one object per attempt"),
    "model": ("Model endpoint", "bills each call"),
    "report": ("Report", "prints or refuses"),
    "forger": ("Somebody", "not a worker"),
}
SILENT = {"elapse", "change_fixture", "give_up"}
"""Actions without a receiver that belong to the driver's lifeline."""


@dataclass
class Telling:
    """What a telling has to remember from step to step."""

    seconds: int = 0
    hosts: dict[str, list[str]] = field(default_factory=dict)
    renewed: dict[str, int] = field(default_factory=dict)
    leases: dict[str, Lease] = field(default_factory=dict)
    sent: dict[object, list[int]] = field(default_factory=dict)
    arrives: dict[int, int] = field(default_factory=dict)

    def new_host(self, lane: str) -> str:
        """Give an attempt the next free host."""
        taken = sum(len(hosts) for hosts in self.hosts.values())
        self.hosts.setdefault(lane, []).append(f"host {chr(ord('A') + taken)}")
        return self.hosts[lane][-1]


def worker_lane(unit: int | None, epoch: int | None) -> str:
    """Return the key of an attempt's lane."""
    return f"worker {unit or 0}/{epoch or 0}"


def lane_of(actor: str, step: Transition) -> str:
    """Return the lane of whoever acts or is asked."""
    if actor == "worker":
        return worker_lane(step.unit, step.event.epoch)
    return actor if actor in HEADS else "driver"


def pass_time(telling: Telling, step: Transition, told: tuple[LeaseView, ...]) -> int | None:
    """Let the driver's clock run; return where a lease's margin began, if this step passed that moment.

    A lease that is renewed all along is always fresh; one that nobody renews is as old as the step says, and some.
    """
    telling.seconds += SECONDS.get(step.event.action, 1)
    margin = None
    for lease in told:
        lane = worker_lane(step.unit, lease.epoch)
        start = telling.renewed.get(lane, telling.seconds)
        if step.event.action == "elapse" and lease.epoch == step.event.epoch:
            telling.seconds = max(telling.seconds, start + lease.age_seconds + 10)
            margin = start + lease.margin_seconds if lease.driver != "valid" and was(telling, lane) == "valid" else None
        elif lease.driver == "none" or (not lease.held and lease.age_seconds == 0):
            telling.renewed[lane] = telling.seconds
    return margin


def was(telling: Telling, lane: str) -> Clock:
    """Say how a lease stood on the driver's clock before this step."""
    return telling.leases[lane].driver if lane in telling.leases else "none"


def stand(telling: Telling, step: Transition, told: tuple[LeaseView, ...]) -> None:
    """Note how the leases stand after the step."""
    for lease in told:
        lane = worker_lane(step.unit, lease.epoch)
        clocks = cast(Clock, lease.driver), cast(Clock, lease.worker)
        telling.leases[lane] = Lease(lane, *clocks, lease.running)


def seat(telling: Telling, step: Transition) -> None:
    """Give hosts to attempts that start or go on elsewhere."""
    if step.event.action in ("dispatch", "redeliver", "resume"):
        telling.new_host(worker_lane(step.unit, step.event.epoch))


def flight(telling: Telling, number: int, step: Transition) -> int | None:
    """Pair a delivery with the sending that it delivers; return the number of that step."""
    key = (step.unit, step.event.message)
    if step.event.action in ("send", "duplicate"):
        telling.sent.setdefault(key, []).append(number)
    if step.event.action == "deliver" and telling.sent.get(key):
        telling.arrives[telling.sent[key][0]] = number
        return telling.sent[key].pop(0)
    return None


def tell_step(machine: Machine, telling: Telling, number: int, before: State, step: Transition) -> StoryStep:
    """Tell one step."""
    event, told = step.event, machine.describe(before, step) or StepDescription()
    seat(telling, step)
    margin = pass_time(telling, step, told.leases)
    stand(telling, step, told.leases)
    lane = worker_lane(step.unit, event.epoch)
    offset = {lease.epoch: lease.offset_seconds for lease in told.leases}.get(event.epoch or 0, 0)
    of_worker = event.epoch is not None and lane in telling.hosts
    return StoryStep(
        number=number,
        action=event.action,
        source=lane_of("driver" if event.action in SILENT else event.actor, step),
        target=lane_of(event.target, step) if event.target and event.action != "send" else None,
        label=event.label,
        detail="" if event.target else event.outcome,
        answer=event.outcome if event.target and event.action != "send" else "",
        driver_seconds=telling.seconds,
        worker_seconds=telling.seconds + offset if of_worker else None,
        host=telling.hosts[lane][-1] if of_worker else None,
        shard=step.unit,
        epoch=event.epoch,
        fault=event.fault or None,
        refused=bool(event.rule),
        sent_at=flight(telling, number, step),
        margin_seconds=margin,
        changed=tuple(Change(*change) for change in told.changed),
        leases=tuple(telling.leases[lane] for lane in sorted(telling.leases)),
    )


def choices(machine: Machine, before: State, taken: Transition) -> Iterator[str]:
    """Yield the other steps that could have been taken, each once."""
    for other in machine.successors(before):
        if other != taken and other.after != before:
            of = f" (epoch {other.event.epoch})" if other.event.epoch is not None else ""
            shard = f" of shard {other.unit}" if len(before.units) > 1 and other.unit is not None else ""
            yield f"{other.event.label}{of if 'epoch' not in other.event.label else ''}{shard}"


def steps_of(machine: Machine, trace: tuple[Transition, ...]) -> tuple[tuple[StoryStep, ...], Telling]:
    """Tell every step of a trace that starts in the machine's initial state."""
    telling, before, steps = Telling(), machine.initial, list[StoryStep]()
    for number, step in enumerate(trace, 1):
        told = tell_step(machine, telling, number, before, step)
        steps.append(replace(told, enabled=tuple(dict.fromkeys(choices(machine, before, step)))))
        before = step.after
    flown = tuple(
        replace(s, target="ledger", arrives_at=telling.arrives.get(s.number)) if s.action == "send" else s
        for s in steps
    )
    return flown, telling


def lanes_of(machine: Machine, steps: tuple[StoryStep, ...], telling: Telling) -> tuple[Lane, ...]:
    """Return the lanes that the story touches: machines in a fixed order, attempts by shard and epoch."""
    touched = {lane for step in steps for lane in (step.source, step.target) if lane}
    several = len(machine.initial.units) > 1
    workers = []
    for key in sorted(lane for lane in touched | set(telling.hosts) if lane.startswith("worker")):
        shard, epoch = (int(n) for n in key.removeprefix("worker ").split("/"))
        title = f"Worker s{shard}, epoch {epoch}" if several else f"Worker epoch {epoch}"
        hosts = ", later ".join(telling.hosts.get(key, ["never started"]))
        workers.append(Lane(key, "worker", title, hosts, shard, epoch))
    heads = [Lane(key, key, *HEADS[key]) for key in HEADS if key in touched]
    return (*heads[:2], *workers, *heads[2:])
