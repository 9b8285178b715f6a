"""A story as a Mermaid sequence diagram, for pages that draw those."""

from textwrap import wrap

from fencebench.checker.report.picture import words
from fencebench.checker.report.story import Lane, Lease, Story, StoryStep

FAULT_GROUND = "rgb(255, 249, 234)"
BROKEN_GROUND = "rgb(253, 235, 234)"
LINE = 110


def as_mermaid(story: Story) -> str:
    """Draw the story; each worker is active while its lease runs on the driver's clock."""
    lanes = words.lanes_of(story)
    marks, looks = words.faults_of(story), words.looks(story)
    lines = ["---", f'title: "{quoted(story.title)}"', "---", "sequenceDiagram", *participants(lanes)]
    lines += over_all(lanes, "<br/>".join(folded(f"{label}: {text}") for label, text in words.facts(story)))
    live: dict[str, Lease] = {}
    for step, now in zip(story.steps, looks, strict=True):
        lines += [*block(lanes, step, marks.get(step.number, "")), *turns(lanes, live, now)]
        live = now
    lines += [f"  deactivate {code(lane)}" for lane in lanes if runs(live.get(lane.key))]
    return "\n".join(lines + sentences(story, lanes)) + "\n"


def safe(text: str) -> str:
    """Write as entities what Mermaid would read as its own, and keep a text on one line."""
    kept = "".join(f"#{ord(c)};" if c in '#;<>&"%{}\\`' else c for c in text)
    return " ".join(kept.split())


def folded(text: str) -> str:
    """Break a sentence into lines, since Mermaid widens the page for a long one."""
    return "<br/>".join(map(safe, wrap(text, LINE)))


def quoted(text: str) -> str:
    """Escape a text for a YAML string in double quotes."""
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())


def code(lane: Lane) -> str:
    """Name a lane in the source: `W1_0`, `Ledger`."""
    return f"W{lane.shard}_{lane.epoch}" if lane.kind == "worker" else lane.kind.capitalize()


def codes(lanes: tuple[Lane, ...]) -> dict[str, str]:
    """Map keys to names in the source."""
    return {lane.key: code(lane) for lane in lanes}


def participants(lanes: tuple[Lane, ...]) -> list[str]:
    """List the lanes, the workers of a shard in a box where there are several shards."""
    lines, boxed = list[str](), None
    sharded = words.many_shards(lanes)
    for lane in lanes:
        if sharded and lane.shard != boxed:
            lines += ["  end"] if boxed is not None else []
            lines += [f"  box shard {lane.shard}"] if lane.shard is not None else []
            boxed = lane.shard
        lines.append(f"  participant {code(lane)} as {safe(lane.title)}<br/>{safe(lane.subtitle)}")
    return lines + (["  end"] if boxed is not None else [])


def over_all(lanes: tuple[Lane, ...], text: str) -> list[str]:
    """Write a note across all lanes."""
    ends = dict.fromkeys((code(lanes[0]), code(lanes[-1])))
    return [f"  Note over {','.join(ends)}: {text}"]


def runs(lease: Lease | None) -> bool:
    """Tell whether a lease runs on the driver's clock."""
    return lease is not None and lease.driver in ("valid", "margin")


def turns(lanes: tuple[Lane, ...], old: dict[str, Lease], new: dict[str, Lease]) -> list[str]:
    """Activate the workers whose lease starts and deactivate those whose lease is over."""
    changed = [lane for lane in lanes if runs(old.get(lane.key)) != runs(new.get(lane.key))]
    return [f"  {'activate' if runs(new.get(lane.key)) else 'deactivate'} {code(lane)}" for lane in changed]


def block(lanes: tuple[Lane, ...], step: StoryStep, mark: str) -> list[str]:
    """Write one step, on a tinted ground if a fault strikes or a promise breaks."""
    lines = [*message(codes(lanes), step, mark), *beside(lanes, step)]
    if step.violated:
        lines += over_all(lanes, f"VIOLATED {safe(', '.join(step.violated))}")
    ground = BROKEN_GROUND if step.violated else FAULT_GROUND if step.fault else ""
    return [f"  rect {ground}", *(f"  {line}" for line in lines), "  end"] if ground else lines


def message(names: dict[str, str], step: StoryStep, mark: str) -> list[str]:
    """Write a call and its answer, or a note on one lane."""
    told = caption(step, mark)
    if words.is_note(step):
        reply = f" = {safe(step.answer)}" if step.answer else ""
        return [f"  Note over {names[step.source]}: {told}{reply}"]
    source, target = names[step.source], names[step.target or step.source]
    call = f"  {source}{'-)' if words.in_flight(step) else '->>'}{target}: {told}"
    back = "--x" if words.is_lost(step) else "-->>"
    reply = ("refused " if step.refused else "") + safe(words.answer(step))
    return [call, *([f"  {target}{back}{source}: {reply}"] if reply else [])]


def caption(step: StoryStep, mark: str) -> str:
    """Say number, instant and call: `12 · +152 s · commit(epoch 1) (arrives at 17)`."""
    where = f" ({words.flight(step)})" if words.flight(step) else ""
    fault = f"{safe(words.fault_head(step, mark))} · " if step.fault else ""
    text = safe(" ".join(part for part in (step.label, step.detail) if part))
    return f"{fault}{step.number} · {words.seconds(step.driver_seconds)} · {text}{where}"


def beside(lanes: tuple[Lane, ...], step: StoryStep) -> list[str]:
    """Write what changed as a note at the right: state, the worker's clock, the margin, the missing rule."""
    facts = [words.change_line(change) for change in step.changed]
    facts += [words.host(step)] if step.host else []
    if step.worker_seconds not in (None, step.driver_seconds):
        facts.append(f"worker's clock {words.seconds(step.worker_seconds)}")
    if step.margin_seconds is not None:
        facts.append(f"margin started at {words.seconds(step.margin_seconds)}")
    facts += [words.bite(step)] if step.bites else []
    text = "<br/>".join(map(safe, facts))
    return [f"  Note right of {code(lanes[-1])}: {step.number}: {text}"] if text else []


def sentences(story: Story, lanes: tuple[Lane, ...]) -> list[str]:
    """Write why, the rule and what instead; the commands as comments."""
    parts = (("why", story.why), ("rule R", story.rule), ("instead", words.instead(story)))
    lines = [line for label, text in parts if text for line in over_all(lanes, folded(f"{label}: {text}"))]
    return lines + [f"%% {' '.join(command.split())}" for command in story.reproduce]
