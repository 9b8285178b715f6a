"""Stored traces: JSON in the Informal Trace Format, readable by other tools and replayable by this one.

Each state carries the step that led to it. Format: Apalache's ADR 015 (`#meta`, `vars`, `states`).
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencebench.checker.errors import BadInput
from fencebench.checker.files import read_text
from fencebench.checker.report.story import StoryStep
from fencebench.checker.search.replay import StoredStep
from fencebench.model.machine import Machine, State, Transition

VERSION = 2
READABLE = (1, VERSION)
"""Version 1 had null where there was nothing, and a field that Python and others take for a keyword."""

FORMAT = "ITF"
NUMBERS = ("shard", "epoch")
NONE = -1
"""What stands for no shard and no epoch, as ITF knows no null."""


@dataclass(frozen=True)
class StoredTrace:
    """A trace as it stands in a file: what it is about, and its steps with the answers they had."""

    meta: Mapping[str, Any]
    steps: tuple[tuple[StoredStep, str], ...]


def itf(value: Any) -> Any:
    """Write a state's value in ITF: records for named tuples, `#tup` for tuples."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return {name: itf(part) for name, part in value._asdict().items()}
    if isinstance(value, tuple):
        return {"#tup": [itf(part) for part in value]}
    return "none" if value is None else value


def state_of(machine: Machine, index: int, state: State, step: Mapping[str, Any]) -> dict[str, Any]:
    """Write one state and the step that led to it."""
    shards = [{name: itf(part) for name, part in zip(machine.parts, unit, strict=True)} for unit in state.units]
    return {"#meta": {"index": index}, "step": step, "shared": itf(state.shared), "shards": {"#tup": shards}}


def step_record(told: StoryStep, step: Transition, run: int) -> dict[str, Any]:
    """Write a step with the fields that every output of a trace has."""
    outcome = step.event.outcome
    return {
        "action": told.action,
        "actor": told.source,
        "host": told.host,
        "run": run,
        "shard": told.shard,
        "epoch": told.epoch,
        "fault": told.fault,
        "outcome": outcome,
        "class": outcome if step.event.rule and outcome.isupper() else None,
        "driver_seconds": told.driver_seconds,
        "worker_seconds": told.worker_seconds,
        "changed": [f"{c.part} {c.field}: {c.old} -> {c.new}" for c in told.changed],
        "label": step.event.label,
    }


def plain(record: Mapping[str, Any]) -> dict[str, Any]:
    """Write a step's record without null and keywords of other languages; a number that may be missing is a list."""
    fields: dict[str, Any] = {("refusal" if name == "class" else name): value for name, value in record.items()}
    fields["worker_seconds"] = [] if record["worker_seconds"] is None else [record["worker_seconds"]]
    empty = dict.fromkeys(NUMBERS, NONE)
    return {name: empty.get(name, "") if value is None else value for name, value in fields.items()}


OPENED = {
    **dict.fromkeys(("actor", "host", "fault", "outcome", "refusal", "label"), ""),
    **dict.fromkeys(NUMBERS, NONE),
    "action": "run.open",
    "run": 0,
    "driver_seconds": 0,
    "worker_seconds": [],
    "changed": [],
}
"""The step that leads to the first state."""


def as_itf(
    machine: Machine, trace: Sequence[Transition], records: Sequence[Mapping[str, Any]], meta: Mapping[str, Any]
) -> str:
    """Write a whole trace; the same trace gives the same text."""
    opened = {name: OPENED[name] for name in plain(records[0])} if records else OPENED
    states = [state_of(machine, 0, machine.initial, opened)]
    states += [state_of(machine, i, t.after, plain(r)) for i, (t, r) in enumerate(zip(trace, records, strict=True), 1)]
    about = {"format": FORMAT, "version": VERSION, **meta}
    return in_lines({"#meta": about, "vars": ["step", "shared", "shards"]}, states)


def in_lines(head: Mapping[str, Any], states: Sequence[Mapping[str, Any]]) -> str:
    """Write a trace one state a line."""
    begin = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join(f"  {json.dumps(state, ensure_ascii=False, separators=(',', ':'))}" for state in states)
    return f'{begin},\n "states": [\n{lines}\n ]\n}}\n'


def script(meta: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> str:
    """Write a trace by its steps alone, for an order of events that was written by hand."""
    states = [{"#meta": {"index": i}, "step": step} for i, step in enumerate(({"action": "run.open"}, *steps))]
    about = {"format": FORMAT, "version": VERSION, **meta}
    return in_lines({"#meta": about, "vars": ["step"]}, states)


def parsed(path: Path) -> Any:
    """Read a trace file as JSON, and see that it is one of ours."""
    text = read_text(path)
    try:
        whole: Any = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        where = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "too deep"
        raise BadInput(f"{path}: expected a trace in JSON (ITF), {where} is none") from None
    meta = whole.get("#meta") if isinstance(whole, dict) else None
    if not isinstance(meta, dict) or not isinstance(whole.get("states"), list):
        raise BadInput(f"{path}: expected an ITF trace with #meta, vars and states; make one with check --format itf")
    if meta.get("format") != FORMAT or meta.get("version") not in READABLE:
        found = f"{meta.get('format')!r} version {meta.get('version')!r}"
        raise BadInput(f"{path}: expected trace format {FORMAT!r} version {VERSION}, found {found}; store it anew")
    return whole


def read_trace(path: Path) -> StoredTrace:
    """Read a stored trace.

    Raises:
        BadInput: the file is no trace of this version; the message says what was expected.
    """
    whole = parsed(path)
    steps = []
    for i, state in enumerate(whole["states"][1:], 1):
        step = state.get("step") if isinstance(state, dict) else None
        if not isinstance(step, dict) or not isinstance(step.get("action"), str):
            raise BadInput(f"{path}: state {i} has no step with an action")
        steps.append(stored_step(path, i, step))
    return StoredTrace(whole["#meta"], tuple(steps))


def stored_step(path: Path, i: int, step: Mapping[str, Any]) -> tuple[StoredStep, str]:
    """Read one step and the answer that it had."""
    kinds = {"shard": int | None, "epoch": int | None, "label": str, "fault": str | None, "outcome": str | None}
    for name, kind in kinds.items():
        if not isinstance(step.get(name), kind):
            raise BadInput(f"{path}: step {i} has no usable {name!r} (found {step.get(name)!r})")
    shard, epoch = (None if step[name] == NONE else step[name] for name in NUMBERS)
    wanted = StoredStep(shard, step["action"], epoch, step["label"], step["fault"] or "")
    return wanted, step["outcome"] or ""
