"""The blunt acceptance rule: the reference passes, weak fences fail on what they are weak in, all for a seed."""

import json
from dataclasses import replace

import pytest

from fencebench.checker.analysis.acceptance import Acceptance, accept
from fencebench.checker.analysis.acceptance_batch import CLASSES, COMPLETE, ONE_ARTIFACT, SPEND
from fencebench.checker.cli.accept import run_accept
from fencebench.model.fence import Refusal, Rule
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.settings import Settings
from tests.quick import thorough_but


def accepted(name: str, preemptions: int = 60, seed: int = 0) -> Acceptance:
    return accept(FENCES[name], preemptions, 2, seed, Settings())


SEEDS = {"worker-clock": 17}
"""Seeds that show early what takes a few hundred preemptions by others: a clock that lies at the right moment."""


def failed(result: Acceptance) -> set[str]:
    return {failure.rule for failure in result.failures}


@pytest.fixture(scope="module")
def reference() -> Acceptance:
    return accepted("reference", 120)


def test_the_reference_is_accepted_and_did_something(reference: Acceptance) -> None:
    assert reference.accepted
    assert sum(batch.preemptions for batch in reference.batches) >= 120
    assert all(batch.complete for batch in reference.batches if batch.owes_completion)
    assert {"STALE_EPOCH", "LEASE_MARGIN", "UNRESERVED_SPEND"} <= set(reference.classes)


def test_the_tokens_of_the_reference_add_up(reference: Acceptance) -> None:
    for batch in reference.batches:
        assert batch.committed <= batch.ceiling
        assert batch.committed + batch.written_off + batch.held >= batch.burned or not batch.owes_completion


WEAK: list[tuple[str, set[str]]] = [
    ("shard-keyed", {ONE_ARTIFACT, SPEND, "promise billed_once"}),
    ("spend-sketch", {ONE_ARTIFACT, "promise ends_well"}),
    ("provenance-sketch-a", {ONE_ARTIFACT, "promise denominator_is_shards"}),
    ("provenance-sketch-b", {"promise one_revision"}),
    ("provenance-sketch-c", {"promise sealed_is_final"}),
    ("provenance-sketch-d", {"promise attributable"}),
    ("last-write-wins", {"promise winner_by_epoch"}),
    ("worker-epochs", {ONE_ARTIFACT, "promise billed_once"}),
    ("worker-clock", {"promise lease_gates_writes"}),
    ("liveness-gated", {"promise lease_gates_writes", "promise lease_gates_resume"}),
    ("case-index-checkpoint", {"promise one_input_version"}),
    ("charge-on-commit", {"promise spend_under_ceiling"}),
    ("truncating", {"promise whole_artifact"}),
]


@pytest.mark.parametrize(("name", "rules"), thorough_but(WEAK, *WEAK[1::4]))
def test_a_weak_fence_fails_on_what_it_is_weak_in(name: str, rules: set[str]) -> None:
    assert rules <= failed(accepted(name, 80, SEEDS.get(name, 0)))


@pytest.mark.parametrize("name", ["token-level", "compensating"])
def test_a_sound_fence_is_accepted(name: str) -> None:
    assert accepted(name).accepted


ALWAYS = Rule("always", Refusal.CONFLICT, lambda request, view: True)


def test_a_fence_that_refuses_everything_fails() -> None:
    closed = replace(REFERENCE, name="closed", commit=(ALWAYS, *REFERENCE.commit))
    assert {COMPLETE, CLASSES} <= failed(accept(closed, 12, 2, 0, Settings()))


def test_the_same_seed_gives_the_same_batches(reference: Acceptance) -> None:
    assert accepted("reference", 30).batches == reference.batches[: len(accepted("reference", 30).batches)]
    assert accepted("reference", 30, seed=1).batches != accepted("reference", 30).batches


def test_the_command_counts_every_class(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_accept("reference", 10, 2, 3, "json") == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told["classes"]) == {str(refusal) for refusal in Refusal}
    assert told["preemptions"] >= 10
    assert told["reproduce"] == "fencebench accept reference --preemptions 10 --shards 2 --seed 3"


def test_the_command_tells_the_rule_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_accept("shard-keyed", 10, 2, 0, "text") == 1
    out = capsys.readouterr().out
    assert out.startswith("NOT ACCEPTED")
    assert "FAILED" in out
    assert "worst batch" in out
