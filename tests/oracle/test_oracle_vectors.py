import json
from functools import cache
from typing import Any

import jsonschema
import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.oracle.drive.cover import covering
from fencebench.checker.oracle.drive.translate import Source, translate
from fencebench.checker.oracle.drive.vectors import SCHEMA, Run, as_seen, as_text, document, every_step, runs_of
from fencebench.checker.oracle.replay.replay import Verdict, replay
from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import Limits
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.settings import FAULTS, Bound
from tests.quick import thorough

ONE_FAULT = [Source(REFERENCE, Bound(faults=1, spare_attempts=spare)) for spare in (0, 1)]
SEVERAL = Source(REFERENCE, Bound(shards=2, faults=1, caps=dict.fromkeys(FAULTS, 0) | {"stall": 1}))


@cache
def vectors() -> dict[str, Any]:
    return document(ONE_FAULT)


def logged(source: Source, run: Run) -> Verdict:
    return replay([json.dumps(line.logged) for line in translate(source, run)], "translated")


@pytest.mark.parametrize("source", [ONE_FAULT[0], pytest.param(ONE_FAULT[1], marks=thorough)], ids=["plan", "spare"])
def test_every_transition_of_the_reference_conforms_in_the_default_mode(source: Source) -> None:
    verdicts = [logged(source, run) for run in runs_of(source, every=True)]
    assert len(verdicts) > 1000
    assert [v for v in verdicts if v.line is not None] == []


@thorough
def test_two_shards_on_one_clock_conform() -> None:
    verdicts = [logged(SEVERAL, run) for run in runs_of(SEVERAL)]
    assert {v.verdict for v in verdicts} == {"conforms"}


WEAK = [
    ("shard-keyed", "one_accepted_artifact", {"preempt": 1}),
    ("shard-keyed", "billed_once", {"preempt": 1}),
    ("spend-sketch", "one_accepted_artifact", {"preempt": 1}),
    ("spend-sketch", "billed_once", {"late": 1}),
    ("spend-sketch", "lease_gates_writes", {"preempt": 1}),
    ("provenance-sketch-a", "one_accepted_artifact", {"late": 1}),
    ("provenance-sketch-b", "one_revision", {"late": 1}),
    ("provenance-sketch-c", "sealed_is_final", {"late": 1}),
    ("provenance-sketch-d", "attributable", {"redeliver": 1, "flip_alias": 1}),
    ("last-write-wins", "winner_by_epoch", {"preempt": 1}),
    ("worker-epochs", "billed_once", {"late": 1}),
    ("worker-clock", "lease_gates_writes", {"preempt": 1, "skew": 1}),
    ("liveness-gated", "lease_gates_writes", {"preempt": 1}),
    ("case-index-checkpoint", "one_input_version", {"preempt": 1, "change_fixture": 1}),
    ("charge-on-commit", "spend_under_ceiling", {"forge": 1}),
    ("truncating", "whole_artifact", {"cut_allowance": 1}),
]
AT_THE_PLAN = ("charge-on-commit", "truncating")


@pytest.mark.parametrize(("fence", "promise", "faults"), WEAK, ids=lambda v: v if isinstance(v, str) else "")
def test_the_counterexamples_of_weak_fences_diverge(fence: str, promise: str, faults: dict[str, int]) -> None:
    caps, spare = dict.fromkeys(FAULTS, 0) | faults, fence not in AT_THE_PLAN
    source = Source(FENCES[fence], Bound(faults=sum(faults.values()), caps=caps, spare_attempts=spare))
    found = explore(source.machine, Limits(stop_at="all")).findings[promise]
    verdict = logged(source, found.trace)
    assert verdict.verdict == "diverges", verdict


def test_a_covering_takes_one_transition_of_each_kind() -> None:
    source = Source(REFERENCE, Bound(faults=0))
    machine, taken, frontier = source.machine, set(), [source.machine.initial]
    for state in frontier:
        for step in machine.successors(state):
            if (state, step) not in taken:
                taken.add((state, step))
                frontier.append(step.after)
    covered = set()
    for run in covering(machine, every_step):
        before = machine.initial
        for step in run:
            covered.add((before, step))
            before = step.after
    assert covered == taken


def test_the_vectors_fit_their_schema_and_stay_small() -> None:
    whole = vectors()
    text = as_text(whole)
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    validator.validate(json.loads(text))
    assert json.loads(text) == json.loads(json.dumps(whole))
    assert len(text) < 1_500_000
    assert as_text(document(ONE_FAULT)) == text


def test_the_vectors_hold_every_class_that_the_reference_answers_at_the_bound() -> None:
    steps: list[dict[str, Any]] = [step for suite in vectors()["suites"] for r in suite["runs"] for step in r]
    classes = {step["answer"]["reason"] for step in steps if step["answer"] and "reason" in step["answer"]}
    assert {"ALREADY_RESERVED", "ALREADY_STORED", "ALREADY_COMMITTED", "LEASE_EXPIRED", "OVER_CEILING"} <= classes
    assert {"UNRESERVED_SPEND", "REVISION_MISMATCH", "INPUT_MISMATCH", "HOLD_EXHAUSTED", "SEALED"} <= classes


def test_transitions_are_told_apart_by_what_is_durable_and_what_is_said() -> None:
    source = ONE_FAULT[0]
    kind, seen = as_seen(source), set()
    for run in runs_of(source):
        before = source.machine.initial
        for step in run:
            seen.add(kind(before, step))
            before = step.after
    assert len(seen) > 100


@thorough
def test_the_command_writes_a_file(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "vectors.json"
    assert main(["oracle", "vectors", "--shards", "1", "--faults", "0", "-o", str(path)]) == 0
    assert json.loads(path.read_text())["fence"] == "reference"
    assert main(["oracle", "vectors", "no-such-fence"]) == 2
    assert main(["oracle", "vectors", "--shards", "2", "--faults", "2"]) == 2
    assert "smaller" in capsys.readouterr().err
