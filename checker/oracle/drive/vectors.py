"""Test vectors: runs that take every transition of a fence at a small bound, for a test suite in any language."""

import json
from collections.abc import Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from fencebench.checker.oracle.drive.cover import Kind, covering
from fencebench.checker.oracle.drive.durable import state_hash
from fencebench.checker.oracle.drive.translate import LINES, Line, Source, opened, steps_told
from fencebench.model.machine import State, Transition

FORMAT: Final = "fencebench-vectors"
VERSION: Final = 1
SCHEMA: Final = Path(__file__).with_name("vectors.schema.json")
"""JSON Schema of the file."""

Run = tuple[Transition, ...]


def as_seen(source: Source) -> Kind:
    """Return what tells transitions apart for another implementation: what is durable before and after, and the line.

    A step that no log shows needs no run of its own.
    """

    def kind(before: State, step: Transition) -> Hashable:
        if step.event.action not in LINES:
            return None
        states = state_hash(before, source.settings), state_hash(step.after, source.settings)
        return (step.unit, *states, step.event._replace(behind=()))

    return kind


def every_step(before: State, step: Transition) -> Hashable:
    """Tell every transition of the model from every other."""
    return before, step


def runs_of(source: Source, every: bool = False) -> Iterator[Run]:
    """Yield the runs that cover the model of a fence under a bound."""
    return covering(source.machine, every_step if every else as_seen(source))


def vector(source: Source, run: Run) -> list[dict[str, Any]]:
    """Return a run as steps of request, answer and the hash of what is durable after it."""
    last = state_hash(source.machine.initial, source.settings)
    steps = [record(opened(source), last)]
    for told in steps_told(source, run):
        steps += [record(line, last) for line in told.renewals]
        last = state_hash(told.step.after, source.settings)
        steps += [record(line, None) for line in told.lines[:-1]]
        steps += [record(line, last) for line in told.lines[-1:]]
    return steps


def record(line: Line, state: str | None) -> dict[str, Any]:
    """Return a step; without a state its write is not whole before the next line."""
    lost = {"lost": True} if line.lost else {}
    return {"request": line.request, "answer": line.answer, "state": state, **lost}


def suite(source: Source, every: bool = False) -> dict[str, Any]:
    """Return the runs under one bound, with what they cover."""
    runs = [vector(source, run) for run in runs_of(source, every)]
    bound = source.bound
    shape = {"shards": bound.shards, "epochs": bound.epochs, "faults": bound.faults}
    steps = sum(map(len, runs))
    return {"bound": {**shape, "ceiling": bound.ceiling(source.settings)}, "steps": steps, "runs": runs}


def document(sources: Iterable[Source], every: bool = False) -> dict[str, Any]:
    """Return the whole file."""
    made = list(sources)
    covers = "every transition" if every else "every transition that others can tell apart"
    about = {"fence": made[0].fence.name, "summary": made[0].fence.summary, "covers": covers}
    return {"format": FORMAT, "version": VERSION, **about, "suites": [suite(source, every) for source in made]}


def as_text(whole: dict[str, Any]) -> str:
    """Write the file, one step a line, so that a change of it can be read."""
    head = {name: value for name, value in whole.items() if name != "suites"}
    suites = ",\n".join(suite_text(each) for each in whole["suites"])
    return f'{json.dumps(head)[:-1]},\n"suites": [\n{suites}\n]}}\n'


def suite_text(each: dict[str, Any]) -> str:
    """Write the runs under one bound."""
    runs = ",\n".join("[\n" + ",\n".join(json.dumps(step) for step in run) + "\n]" for run in each["runs"])
    return f'{{"bound": {json.dumps(each["bound"])}, "steps": {each["steps"]},\n"runs": [\n{runs}\n]}}'
