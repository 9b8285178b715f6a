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

VERSION = 1
FORMAT = "ITF"


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


def as_itf(
    machine: Machine, trace: Sequence[Transition], records: Sequence[Mapping[str, Any]], meta: Mapping[str, Any]
) -> str:
    """Write a whole trace; the same trace gives the same text."""
    states = [state_of(machine, 0, machine.initial, {"action": "run.open"})]
    states += [state_of(machine, i, t.after, r) for i, (t, r) in enumerate(zip(trace, records, strict=True), 1)]
    about = {"format": FORMAT, "version": VERSION, **meta}
    whole = {"#meta": about, "vars": ["step", "shared", "shards"], "states": states}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def script(meta: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> str:
    """Write a trace by its steps alone, for an order of events that was written by hand."""
    states = [{"#meta": {"index": i}, "step": step} for i, step in enumerate(({"action": "run.open"}, *steps))]
    about = {"format": FORMAT, "version": VERSION, **meta}
    return json.dumps({"#meta": about, "vars": ["step"], "states": states}, indent=1, ensure_ascii=False) + "\n"


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
    if meta.get("format") != FORMAT or meta.get("version") != VERSION:
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
    wanted = StoredStep(step["shard"], step["action"], step["epoch"], step["label"], step["fault"] or "")
    return wanted, step["outcome"] or ""
