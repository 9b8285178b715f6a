"""A story of two shards: whose host, lane, lease and record each step is, in every form that tells it."""

import json
from collections.abc import Callable
from types import MappingProxyType

import pytest

from fencebench.checker.analysis.case import Case
from fencebench.checker.fast.explore import explore
from fencebench.checker.report.case import story_of
from fencebench.checker.report.picture import as_mermaid, as_svg, as_text
from fencebench.checker.report.stored import trace_text
from fencebench.checker.report.story import Story
from fencebench.model.build import build
from fencebench.model.fences import REFERENCE
from fencebench.model.settings import FAULTS, Bound, Settings

FENCE = REFERENCE.having(name="reference-with-model=a_revision_per_epoch", model="a revision per epoch")
PREEMPT = MappingProxyType({fault: int(fault == "preempt") for fault in FAULTS})
BOUND = Bound(2, faults=1, spare_attempts=1, caps=PREEMPT)
FORMS: dict[str, Callable[[Story], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "svg": lambda story: as_svg(story).decode(),
}


@pytest.fixture(scope="module")
def case() -> Case:
    found = explore(build(FENCE, BOUND)).findings["one_revision"]
    return Case(FENCE, BOUND, Settings(), found)


@pytest.fixture(scope="module")
def story(case: Case) -> Story:
    return story_of(case)


def test_both_shards_act(case: Case) -> None:
    assert {t.unit for t in case.finding.trace} == {0, 1}


def test_every_attempt_has_a_host_of_its_own(story: Story) -> None:
    hosts: dict[tuple[int | None, int | None], set[str]] = {}
    for step in story.steps:
        if step.host is not None:
            hosts.setdefault((step.shard, step.epoch), set()).add(step.host)
    assert {shard for shard, _ in hosts} == {0, 1}
    everyone = [host for some in hosts.values() for host in some]
    assert len(everyone) == len({*everyone})


def test_a_step_is_on_the_lane_of_its_own_shard(story: Story) -> None:
    for step in story.steps:
        for lane in (step.source, step.target):
            if lane is not None and lane.startswith("worker"):
                assert lane == f"worker {step.shard}/{step.epoch}"


def test_a_delivery_belongs_to_the_sending_of_its_own_shard(story: Story) -> None:
    sent = {step.number: step.shard for step in story.steps if step.action == "send"}
    arrived = [(step.sent_at, step.shard) for step in story.steps if step.action == "deliver"]
    assert arrived
    assert all(number is not None and sent[number] == shard for number, shard in arrived)


def test_a_stored_run_tells_host_and_shard_as_the_story_does(case: Case, story: Story) -> None:
    states = json.loads(trace_text(case))["states"]
    records = [state["step"] for state in states[1:]]
    assert [(r["host"] or None, r["shard"]) for r in records if r["host"]] == [
        (step.host, step.shard) for step in story.steps if step.host
    ]


@pytest.mark.parametrize("form", FORMS)
def test_every_picture_names_both_shards(form: str, story: Story) -> None:
    drawn = FORMS[form](story)
    assert "shard 0" in drawn
    assert "shard 1" in drawn
