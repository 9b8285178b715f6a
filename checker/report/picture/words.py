"""What a picture says, in the same words for every format."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

from fencebench.checker.report.story import Change, Lane, Lease, Story, StoryStep

KINDS = ("ledger", "driver", "worker", "forger", "store", "model", "report")
LOST = "lose_reply"
AT_MOST = 6
AGAIN_EVERY = 14


def cleaned(value: Any, clean: Any) -> Any:
    """Apply `clean` to every string of a story, or of a part of one; equal keys stay equal."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return tuple(cleaned(v, clean) for v in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: cleaned(getattr(value, f.name), clean) for f in fields(value)})
    return value


def seconds(instant: int | None) -> str:
    """`+310 s`, `−88 s`."""
    return "" if instant is None else f"{'−' if instant < 0 else '+'}{abs(instant)} s"


def counted(number: int, noun: str) -> str:
    """`1 fault`, `2 faults`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def listed(names: tuple[str, ...], at_most: int = AT_MOST) -> str:
    """Give the first names and how many more there are."""
    more = len(names) - at_most
    return ", ".join(names[:at_most]) + (f" and {more} more" if more > 0 else "")


def lanes_of(story: Story) -> tuple[Lane, ...]:
    """Give the lanes that matter to the story, in the fixed order: a worker's also when its lease ran out."""
    ends = {key for step in story.steps for key in (step.source, step.target)}
    leases = [lease for step in story.steps for lease in step.leases]
    aged = {lease.lane for lease in leases if {"margin", "expired"} & {lease.driver, lease.worker}}
    touched = [lane for lane in story.lanes if lane.key in ends | aged]
    return tuple(sorted(touched or story.lanes, key=place))


def place(lane: Lane) -> tuple[int, int, int]:
    """Where a lane stands: workers by shard, then epoch."""
    return (*KINDS, lane.kind).index(lane.kind), lane.shard or 0, lane.epoch or 0


def many_shards(lanes: tuple[Lane, ...]) -> bool:
    """Whether workers need their shard named."""
    return len({lane.shard for lane in lanes if lane.kind == "worker"}) > 1


def short_name(lane: Lane, sharded: bool) -> str:
    """`Ledger`, `epoch 0`, or `s1, epoch 0` where there are several shards."""
    if lane.kind != "worker":
        return lane.kind.capitalize()
    return f"s{lane.shard}, epoch {lane.epoch}" if sharded else f"epoch {lane.epoch}"


def code(lane: Lane, sharded: bool) -> str:
    """Give a name of a few characters: `L`, `e0`, `s1e0`."""
    if lane.kind != "worker":
        return lane.kind[0].upper()
    return f"s{lane.shard}e{lane.epoch}" if sharded else f"e{lane.epoch}"


def faults_of(story: Story) -> dict[int, str]:
    """F1, F2, … by the number of the step that each strikes at."""
    struck = [step.number for step in story.steps if step.fault]
    return {number: f"F{k}" for k, number in enumerate(struck, 1)}


def facts(story: Story) -> tuple[tuple[str, str], ...]:
    """Give the figures under the title: property, fence, bound, size of the counterexample."""
    size = f"{counted(story.faults, 'fault')}, {counted(story.steps[-1].number if story.steps else 0, 'step')}"
    return (
        ("property", ", ".join(story.properties)),
        ("fence", f"{story.fence}: {story.fence_summary}" if story.fence_summary else story.fence),
        ("bound", story.bound),
        run_told(story, size),
    )


def run_told(story: Story, size: str) -> tuple[str, str]:
    """Say how long the run is, and of a counterexample whether a shorter one exists."""
    if story.verdict in ("fixed", "no longer executable"):
        return "stored run", f"{size} of it taken"
    return "counterexample", f"{size}; {'no shorter one exists' if story.minimal else 'a shorter one may exist'}"


def is_note(step: StoryStep) -> bool:
    """Whether a step stays on one lifeline."""
    return step.target in (None, step.source)


def is_lost(step: StoryStep) -> bool:
    """Whether the call arrived and its answer did not."""
    return step.fault == LOST and not is_note(step)


def in_flight(step: StoryStep) -> bool:
    """Whether what was sent has no answer yet."""
    return not is_note(step) and not step.answer and not is_lost(step)


def flight(step: StoryStep) -> str:
    """Where the other end of a message is: `arrives at 17`, `sent at 12`, or `still in flight`."""
    if step.sent_at is not None:
        return f"sent at {step.sent_at}"
    if step.arrives_at is not None:
        return f"arrives at {step.arrives_at}"
    return "still in flight" if in_flight(step) else ""


def answer(step: StoryStep) -> str:
    """Give what came back, in words; "" while it is in flight."""
    if is_lost(step):
        return f"{step.answer} lost" if step.answer else "answer lost"
    return step.answer


def changed(change: Change) -> tuple[str, str, str]:
    """Give a change as what stays plain, what is new, and what follows it: (`held 0 →`, `1850`, `of 7400`)."""
    new, of, total = change.new.partition(" of ")
    before = f"{change.field} {change.old} →" if change.old else change.field
    return before, new, f"of {total}" if of else ""


def change_line(change: Change) -> str:
    """Give a change on one line."""
    return f"{change.part}: {' '.join(part for part in changed(change) if part)}"


def bite(step: StoryStep) -> str:
    """Give what the missing rule would have said here."""
    return f"rule {step.bites[0]} answers {step.bites[1]}" if step.bites else ""


def fault_line(step: StoryStep, mark: str) -> str:
    """`fault F2: lose reply`."""
    return f"fault {mark}: {(step.fault or '').replace('_', ' ')}"


def needs_names(index: int, count: int) -> bool:
    """Tell whether the lane names are repeated before the step at `index`."""
    return index > 0 and index % AGAIN_EVERY == 0 and count - index >= AGAIN_EVERY // 3


def fault_head(step: StoryStep, mark: str) -> str:
    """Announce a fault: `FAULT F2`, and its name where an arrow's own words do not tell it."""
    return f"FAULT {mark}" if is_note(step) else f"FAULT {mark} {(step.fault or '').replace('_', ' ')}"


def looks(story: Story) -> tuple[dict[str, Lease], ...]:
    """Map lanes to leases after each step; one that a step does not name stays, one not begun is not there."""
    now: dict[str, Lease] = {}
    history = []
    for step in story.steps:
        now = now | {lease.lane: lease for lease in step.leases if lease.lane in now or begun(lease)}
        history.append(now)
    return tuple(history)


def begun(lease: Lease) -> bool:
    """Tell whether an attempt is there at all."""
    return lease.running or (lease.driver, lease.worker) != ("none", "none")


def shown_leases(story: Story) -> list[Lease]:
    """List every look of every lease whose lane is drawn."""
    keys = {lane.key for lane in lanes_of(story)}
    return [lease for look in looks(story) for key, lease in look.items() if key in keys]


def epochs_of(story: Story) -> tuple[int, ...]:
    """List the epochs that the story knows, lanes or not."""
    known = {lane.epoch for lane in story.lanes} | {step.epoch for step in story.steps}
    return tuple(sorted(epoch for epoch in known if epoch is not None))


def resumes(story: Story) -> tuple[bool, ...]:
    """Tell for each step whether by it a process that was gone runs again, no call and no fault making it."""
    history: list[dict[str, Lease]] = [{}, *looks(story)]
    pairs = zip(story.steps, history, history[1:], strict=False)
    return tuple(is_note(s) and not s.fault and rises(a.get(s.source), b.get(s.source)) for s, a, b in pairs)


def rises(before: Lease | None, after: Lease | None) -> bool:
    """Tell whether an attempt has a host again."""
    return before is not None and after is not None and not before.running and after.running


def instead(story: Story) -> str:
    """Give the steps that were enabled at the offending step, else at the last one that knows of any."""
    known = [step for step in story.steps if step.enabled]
    step = next((s for s in reversed(known) if s.violated), known[-1] if known else None)
    return f"at step {step.number}: {listed(step.enabled)}" if step else ""


def sentence(step: StoryStep, titles: dict[str, str], mark: str = "") -> str:
    """Give a step in full, a line for each kind of fact: the tooltip."""
    lines = [headline(step, titles), *clocks(step)]
    lines += [fault_line(step, mark)] if step.fault else []
    lines += [flight(step)] if flight(step) else []
    lines += [change_line(change) for change in step.changed]
    lines += [bite(step)] if step.bites else []
    lines += [f"VIOLATED: {', '.join(step.violated)}"] if step.violated else []
    lines += [f"instead: {', '.join(step.enabled)}"] if step.enabled else []
    return "\n".join(lines)


def headline(step: StoryStep, titles: dict[str, str]) -> str:
    """`4. Worker epoch 0 → Spend ledger: commit(epoch 0) = COMMITTED`."""
    ends = titles[step.source] if is_note(step) else f"{titles[step.source]} → {titles[step.target or '']}"
    text = " ".join(part for part in (step.label, step.detail) if part)
    reply = f" = {answer(step)}" if answer(step) else ""
    return f"{step.number}. {ends}: {text}{reply}"


def host(step: StoryStep) -> str:
    """Name the host of a step: `host A`."""
    name = step.host or ""
    return name if not name or name.startswith("host") else f"host {name}"


def clocks(step: StoryStep) -> list[str]:
    """Give the instant on both clocks, and the host."""
    own = "" if step.worker_seconds is None else f", {seconds(step.worker_seconds)} on the worker's"
    where = f", {host(step)}" if step.host else ""
    return [f"{seconds(step.driver_seconds)} on the driver's clock{own}{where}"]
