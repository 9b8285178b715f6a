"""What the bench must show of each catalogued fence, on the smallest bound that shows it."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from fencebench.checker.fast.explore import explore
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.result import Finding, Result
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import EXPECTED, FENCES
from fencebench.model.settings import FAULTS, Bound, Settings
from tests.quick import thorough_but


def bound(faults: int = 1, spare_attempts: int = 0, shards: int = 1, **caps: int) -> Bound:
    budgets = MappingProxyType({**dict.fromkeys(FAULTS, 1), **caps})
    return Bound(shards=shards, faults=faults, spare_attempts=spare_attempts, caps=budgets)


SEED = dict.fromkeys(("lose_reply", "crash_driver", "cut_allowance"), 0)
CALM = {**SEED, "forge": 0}


def only(*faults: str) -> dict[str, int]:
    """Budgets for these faults alone."""
    return {fault: int(fault in faults) for fault in FAULTS}


def found(name: str, promise: str, where: Bound) -> Finding:
    return explore(build(FENCES[name], where)).findings[promise]


def events(finding: Finding) -> list[tuple[str, int | None, str]]:
    return [(t.event.action, t.event.epoch, t.event.outcome) for t in finding.trace]


def broken_without_faults(fence: Fence) -> set[str]:
    """Return what a fence breaks by itself: one that holds nothing has no account for what is burned meanwhile."""
    return {"books_cover_meter"} if fence.holds == "none" else set()


@pytest.mark.parametrize("name", FENCES)
def test_without_faults_every_fence_holds_on_a_first_run_but_for_the_books_of_one_that_holds_nothing(name: str) -> None:
    for spare in (0, 1):
        result = plain(build(FENCES[name], bound(faults=0, spare_attempts=spare)))
        assert {*result.findings} == broken_without_faults(FENCES[name])
        assert result.coverage.outcomes["printed"] > 0


@pytest.mark.parametrize("name", ["reference", "spend-sketch", "provenance-sketch-a"])
def test_without_faults_two_shards_hold_as_well(name: str) -> None:
    found = explore(build(FENCES[name], bound(faults=0, shards=2))).findings
    assert {*found} == broken_without_faults(FENCES[name])


@pytest.mark.parametrize("name", [n for n, e in EXPECTED.items() if e.verdict == "holds"])
def test_what_is_expected_to_hold_holds_at_one_fault(name: str) -> None:
    for spare in (0, 1):
        assert explore(build(FENCES[name], bound(1, spare))).findings == {}


@pytest.mark.parametrize(
    ("name", "promise", "where", "faults", "must_happen"),
    [
        ("shard-keyed", "one_accepted_artifact", bound(1, **CALM), 1, ("put", 1, "created")),
        ("shard-keyed", "billed_once", bound(1, **CALM), 1, ("deliver", 0, "COMMITTED")),
        ("spend-sketch", "one_accepted_artifact", bound(1, 1, **CALM), 1, ("put", 1, "created")),
        ("spend-sketch", "billed_once", bound(1, 1, **CALM), 1, ("deliver", 0, "COMMITTED")),
        ("spend-sketch", "ends_well", bound(1, **CALM), 1, ("reserve", 1, "OVER_CEILING")),
        ("spend-sketch", "lease_gates_writes", bound(1, **CALM), 1, ("put", 0, "created")),
        ("spend-sketch", "lease_gates_resume", bound(1, **CALM), 1, ("restart", 0, "from 0")),
        ("spend-sketch", "meter_under_ceiling", bound(1, **CALM), 1, ("grade", 0, "by rev-A")),
        ("provenance-sketch-a", "one_accepted_artifact", bound(1, **CALM), 1, ("deliver", 1, "COMMITTED")),
        ("provenance-sketch-b", "one_revision", bound(1, flip_alias=0, **CALM), 1, ("deliver", 1, "COMMITTED")),
        ("provenance-sketch-c", "sealed_is_final", bound(1, **CALM), 1, ("seal", 0, "sealed")),
        (
            "provenance-sketch-d",
            "attributable",
            bound(2, **only("flip_alias", "redeliver")),
            2,
            ("redeliver", 0, "started"),
        ),
        ("worker-clock", "lease_gates_writes", bound(2, **only("skew", "stall", "preempt")), 2, ("put", 0, "created")),
        ("last-write-wins", "winner_by_epoch", bound(1, **CALM), 1, ("put", 1, "created")),
        ("worker-epochs", "billed_once", bound(1, **CALM), 1, ("deliver", 0, "COMMITTED")),
        ("liveness-gated", "lease_gates_writes", bound(1, **CALM), 1, ("put", 0, "created")),
        (
            "case-index-checkpoint",
            "one_input_version",
            bound(2, 1, **only("change_fixture", "stall")),
            2,
            ("resume_checkpoint", 1, "from 30"),
        ),
        ("charge-on-commit", "spend_under_ceiling", bound(1, **CALM), 1, ("deliver", 0, "COMMITTED")),
        ("truncating", "whole_artifact", bound(1), 1, ("grade", 0, "OVER_CEILING")),
    ],
)
def test_the_story_of_a_weak_fence(
    name: str, promise: str, where: Bound, faults: int, must_happen: tuple[str, int, str]
) -> None:
    story = found(name, promise, where)
    assert story.faults == faults
    assert must_happen in events(story)


def test_worker_clock_needs_the_skew() -> None:
    story = found("worker-clock", "lease_gates_writes", bound(2, **only("skew", "stall", "preempt", "late")))
    assert "skew" in [t.event.fault for t in story.trace]
    assert explore(build(FENCES["worker-clock"], bound(2, skew=0, redeliver=0, **CALM))).findings == {}


def test_worker_clock_breaks_nothing_that_the_put_does_not_judge() -> None:
    broken = set(explore(build(FENCES["worker-clock"], bound(2, **only("skew", "stall", "preempt")))).findings)
    assert broken == {"lease_gates_writes", "rejections_classified"}


def test_provenance_a_stays_broken_with_the_seal_in_the_commit() -> None:
    joined = replace(FENCES["provenance-sketch-a"], sealing="with commit")
    story = explore(build(joined, bound(1, **CALM))).findings["one_accepted_artifact"]
    assert events(story)[-1] == ("deliver", 1, "COMMITTED")


def test_the_gate_is_what_c_lacks() -> None:
    assert not FENCES["provenance-sketch-c"].has("commit.below_sealed")
    assert FENCES["provenance-sketch-a"].has("commit.below_sealed")


def test_a_second_run_is_refused_as_stale_without_any_fault() -> None:
    second = replace(bound(0, 1), earlier_run=True)
    story = explore(build(FENCES["spend-sketch"], second)).findings["rejections_classified"]
    assert events(story)[-1] == ("deliver", 0, "STALE_EPOCH")
    assert explore(build(FENCES["reference"], second)).findings == {}


def test_token_level_finishes_under_the_plan_where_the_reference_cannot() -> None:
    def sealed_after_preemption(fence: Fence) -> bool:
        coverage = explore(build(fence, bound(1, **CALM))).coverage
        return "completed after a preemption at 39/50" in coverage.witnesses

    assert sealed_after_preemption(FENCES["token-level"])
    assert not sealed_after_preemption(FENCES["reference"])


def test_compensating_without_compensation_keeps_a_stale_row() -> None:
    where = bound(1, 1, **CALM)
    assert explore(build(FENCES["compensating"], where)).findings == {}
    without = replace(FENCES["compensating"], on_stale="reject")
    assert "consumed_is_accepted" in explore(build(without, where)).findings


def violations_within(result: Result, promise: str, faults: int, steps: int) -> bool:
    finding = result.findings.get(promise)
    return finding is not None and (finding.faults, finding.steps) < (faults, steps)


@pytest.mark.parametrize(
    ("name", "promise", "where"),
    [
        ("spend-sketch", "lease_gates_resume", bound(1, **CALM)),
        ("spend-sketch", "billed_once", bound(1, 1, **CALM)),
        ("provenance-sketch-a", "one_accepted_artifact", bound(1, **CALM)),
        ("provenance-sketch-d", "attributable", bound(2, **only("flip_alias", "redeliver"))),
        ("worker-clock", "lease_gates_writes", bound(2, **only("skew", "stall"))),
    ],
)
def test_no_violating_run_is_cheaper(name: str, promise: str, where: Bound) -> None:
    machine = build(FENCES[name], where)
    story = plain(machine).findings[promise]
    fewer = plain(build(FENCES[name], replace(where, faults=story.faults - 1)))
    assert promise not in fewer.findings
    shorter = {s for s in states_within(machine, story.faults, story.steps - 1) if s == promise}
    assert shorter == set()


def states_within(machine: object, faults: int, steps: int) -> set[str]:
    """Break nothing within so many steps: a second, level-by-level search that knows no priorities."""
    from fencebench.checker.search.properties import Promises
    from fencebench.model.machine import Machine, State

    assert isinstance(machine, Machine)
    promises, level, seen = Promises.of(machine), [machine.initial], {machine.initial}
    broken: set[str] = set()
    for _ in range(steps):
        following: list[State] = []
        for state in level:
            for step in machine.successors(state):
                if machine.faults(step.after.shared) > faults:
                    continue
                broken |= {name for name, _ in promises.of_step(state, step)}
                broken |= {name for name, _ in promises.of_arrival(step.after, step)}
                if step.after not in seen:
                    seen.add(step.after)
                    following.append(step.after)
        level = following
    return broken


def test_a_limit_in_a_real_model_is_undetermined() -> None:
    result = plain(build(FENCES["reference"], bound(1)), Limits(max_states=100))
    assert (result.verdict, str(result.limit)) == ("undetermined", "100 states")


def test_settings_scale_the_plan() -> None:
    small = Settings(cases=5, milestones=(3, 4, 5), checkpoint_cases=3, tokens_per_case=2)
    result = explore(build(FENCES["reference"], bound(1), small))
    assert result.findings == {}
    assert small.plan_tokens == 10


@pytest.mark.parametrize("name", thorough_but(FENCES, "spend-sketch", "provenance-sketch-c", "truncating", "reference"))
def test_states_and_depth_are_those_of_the_catalogue(name: str) -> None:
    found = [explore(build(FENCES[name], Bound(faults=1, spare_attempts=spare))) for spare in (0, 1)]
    assert tuple((r.states, r.depth) for r in found) == EXPECTED[name].counts


UNION = [
    (Bound(), 34_457, 29),
    (Bound(spare_attempts=1), 108_496, 41),
    (Bound(shards=2, faults=1), 130_855, 51),
    (Bound(shards=2, faults=1, spare_attempts=1), 308_984, 57),
]


@pytest.mark.parametrize(("where", "states", "depth"), thorough_but(UNION, UNION[0]))
def test_the_reference_at_the_default_bounds(where: Bound, states: int, depth: int) -> None:
    """Twice the faults of the catalogue's counts: a renewal after a skew, say, takes both."""
    found = explore(build(FENCES["reference"], where))
    assert (found.states, found.depth) == (states, depth)
    assert not found.findings
    assert found.progress
