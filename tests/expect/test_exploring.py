"""What one attempt can do: every order of its steps gives the same, and each fault costs what it must."""

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import pytest

from fencebench.checker.expect.attempt import AMPLE_TOKENS, Scope, explored
from fencebench.checker.expect.figures import expect, returning
from fencebench.checker.expect.kernel import kernel
from fencebench.checker.expect.load import Load, modelled
from fencebench.checker.expect.renewal import Shard, shard
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE, TOKEN_LEVEL
from fencebench.model.machine import Machine, State
from fencebench.model.settings import FAULTS, Bound
from tests.quick import thorough, thorough_but

TENS = Load(shards=1, call_cases=10, write_seconds=0)


def part(machine: Machine, state: State, name: str) -> Any:
    return state.units[0][machine.place[name]]


def ends_in_any_order(fence: Fence, load: Load) -> set[tuple[str, int, int]]:
    """Take the steps in every order; a host may be lost wherever a call is next; return how attempts end."""
    caps = MappingProxyType({fault: int(fault == "preempt") for fault in FAULTS})
    fence, settings = modelled(fence, load)
    machine = build(fence, Bound(1, 1, 1, caps, ceiling_tokens=AMPLE_TOKENS), settings)
    found, seen, waiting = set[tuple[str, int, int]](), {machine.initial}, [machine.initial]
    while waiting:
        state = waiting.pop()
        driver, kept = part(machine, state, "driver"), part(machine, state, "checkpoint")
        if driver.phase == "done" or (driver.phase == "idle" and driver.epoch):
            kind = "done" if driver.phase == "done" else "next"
            found.add((kind, state.shared.burned, kept.cases if kept else 0))
            continue
        steps = list(machine.successors(state))
        calls = any(step.event.action == "grade" for step in steps)
        for step in steps:
            allowed = step.event.action != "resume" and (calls or not step.event.fault)
            if allowed and step.after not in seen:
                seen.add(step.after)
                waiting.append(step.after)
    return found


@pytest.mark.parametrize("name", FENCES)
@pytest.mark.parametrize("cases", thorough_but([6, 7], 7))
def test_every_order_of_free_steps_ends_alike(name: str, cases: int) -> None:
    load = replace(TENS, cases=cases, call_cases=2, checkpoint_cases=4)
    found = explored(*modelled(FENCES[name], load), Scope(60, 0, 300, 0, frozenset()))[None]
    mine = {(e.kind, e.burned, e.checkpoint.cases if e.checkpoint else 0) for e in found.ends.values()}
    assert mine == ends_in_any_order(FENCES[name], load)


@pytest.mark.parametrize("name", thorough_but(FENCES, "reference", "shard-keyed", "provenance-sketch-a"))
@pytest.mark.parametrize(
    "faults", [{}, {"stalls_per_hour": 0.3}, {"late_per_commit": 0.1}, {"lost_replies_per_call": 0.1}]
)
def test_chances_add_up_to_one(name: str, faults: dict[str, float]) -> None:
    for start in kernel(FENCES[name], Load(call_cases=10, **faults)).starts:  # type: ignore[arg-type]
        assert sum(branch.chance for branch in start.branches) == pytest.approx(1, abs=1e-12)
        assert all(branch.seconds >= 0 for branch in start.branches)


def of(fence: Fence, load: Load) -> Shard:
    found = shard(kernel(fence, load), load.epochs)
    assert found is not None
    return found


RATES = (
    "interruptions_per_hour",
    "stalls_per_hour",
    "late_per_commit",
    "lost_replies_per_call",
    "driver_crashes_per_hour",
)


@pytest.mark.parametrize("fence", [REFERENCE, TOKEN_LEVEL, FENCES["charge-on-commit"]], ids=lambda fence: fence.name)
@pytest.mark.parametrize("name", RATES)
def test_more_faults_waste_no_less_and_take_no_less_time(fence: Fence, name: str) -> None:
    base = Load(cases=12, call_cases=2, checkpoint_cases=6, seconds_per_case=200, restart_seconds=400)
    found = [of(fence, replace(base, **{name: rate})) for rate in (0, 0.02, 0.1, 0.3, 0.8)]  # type: ignore[arg-type]
    burned, seconds = [one.burned_cases for one in found], [one.seconds for one in found]
    assert burned == sorted(burned)
    assert seconds == sorted(seconds)
    assert burned[-1] > burned[0]


def test_more_of_a_checkpoint_wastes_no_more_and_a_higher_ceiling_ends_no_less_often() -> None:
    wasted = [of(REFERENCE, Load(checkpoint_cases=k, write_seconds=0)).burned_cases for k in (0, 25, 10, 5)]
    assert wasted == sorted(wasted, reverse=True)
    ends = [expect(REFERENCE, Load(ceiling=c, runs=2000)).figures["run_ends"].value for c in (7000, 7400, 8500, 12_000)]
    assert ends == sorted(ends, key=lambda value: value or 0)
    assert ends[0] == 0


def test_a_stall_that_the_lease_outlives_costs_nothing() -> None:
    load = replace(TENS, interruptions_per_hour=0.0, seconds_per_case=4, stalls_per_hour=1)
    assert of(REFERENCE, load).burned_cases == pytest.approx(50)  # 200 s of work before the margin at 210 s
    dear = of(REFERENCE, replace(load, seconds_per_case=5))  # 250 s: the worker stops itself, its tokens are drawn
    assert dear.burned_cases > 50


def test_a_stalled_worker_that_nobody_stops_draws_all_it_has_left() -> None:
    load = replace(TENS, interruptions_per_hour=0.0, seconds_per_case=60, stalls_per_hour=0.1)
    stopped, unstopped = of(REFERENCE, load), of(FENCES["charge-on-commit"], load)
    assert unstopped.burned_cases > stopped.burned_cases
    assert unstopped.attempts == pytest.approx(stopped.attempts)


def test_a_short_crash_of_the_driver_costs_nothing_and_a_long_one_costs_the_attempt() -> None:
    load = replace(TENS, interruptions_per_hour=0.0, driver_crashes_per_hour=1)
    assert of(REFERENCE, replace(load, restart_seconds=100)).burned_cases == pytest.approx(50)
    long = of(REFERENCE, replace(load, restart_seconds=900))
    assert long.burned_cases > 50
    forgets = REFERENCE.having(recovery="next epoch")  # a driver that takes every attempt for dead
    assert of(forgets, replace(load, restart_seconds=100)).attempts > 1.2


def test_one_lost_reply_uses_up_a_hold_of_just_the_plan() -> None:
    load = replace(TENS, interruptions_per_hour=0.0, lost_replies_per_call=0.1, epochs=1)
    assert of(REFERENCE, load).done == pytest.approx(0.9**5)  # the last call does not fit any more
    assert of(FENCES["charge-on-commit"], load).done == pytest.approx(1)
    drawn = of(FENCES["charge-on-commit"], load).burned_cases
    assert drawn == pytest.approx(50 / 0.9, rel=1e-9)  # each call is made 1 / .9 times


def test_a_late_commit_loses_its_attempt_but_not_the_checkpoint() -> None:
    load = replace(TENS, interruptions_per_hour=0.0, late_per_commit=0.2)
    found = of(REFERENCE, load)
    assert found.attempts == pytest.approx(1 / 0.8)
    assert found.burned_cases == pytest.approx(50 + 20 * 0.25)


@thorough
def test_only_where_no_gateway_looks_does_it_matter_that_a_host_comes_back() -> None:
    matters = {
        name
        for name, fence in FENCES.items()
        if returning(fence, replace(TENS, cases=20, checkpoint_cases=10, epochs=2)).matters
    }
    assert matters == {
        *("shard-keyed", "spend-sketch", "last-write-wins", "worker-epochs", "charge-on-commit"),
        *(f"provenance-sketch-{letter}" for letter in "abcd"),
    }
