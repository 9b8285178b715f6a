"""Figures that are known otherwise: closed forms, the plan, and what a trial found."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from fencebench.checker.expect.admission import drawn, needed, one_shard, simulate
from fencebench.checker.expect.figures import best_interval, expect
from fencebench.checker.expect.kernel import kernel, mean_within, within
from fencebench.checker.expect.load import Load
from fencebench.checker.expect.renewal import Shard, at_most, of_run, quantile, shard
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE, TOKEN_LEVEL

TENS = Load(shards=1, call_cases=10, write_seconds=0)
ROWS: list[tuple[Fence, int, float, float, float, float]] = [
    (REFERENCE, 0, 179, 0.481, 0.56, 56.0),
    (REFERENCE, 30, 89, 0.481, 0.41, 53.5),
    (TOKEN_LEVEL, 10, 31, 0.511, 0.10, 52.0),
    (TOKEN_LEVEL, 5, 14, 0.550, 0.04, 51.7),
]
"""Four shards, 20 % an hour: wasted tokens a shard, chance to end at the plan, ceiling for 99 %, minutes of a shard."""


def of(fence: Fence, load: Load, epochs: int | None = None) -> Shard:
    found = shard(kernel(fence, load), epochs)
    assert found is not None
    return found


@pytest.mark.parametrize(("chance", "tokens"), [(0.05, 1865.21986), (0.2, 1912.63775)])
def test_three_attempts_in_calls_of_ten_burn_what_a_trial_found(chance: float, tokens: float) -> None:
    found = of(REFERENCE, replace(TENS, interruptions_per_attempt=chance), 3)
    assert found.burned_cases * 37 == pytest.approx(tokens, abs=5e-6)


@pytest.mark.parametrize("chance", [1e-6, 0.001, 0.01, 0.05])
def test_a_case_at_a_time_has_a_closed_form(chance: float) -> None:
    found = of(REFERENCE, Load(write_seconds=0, interruptions_per_case=chance))
    halves = sum((1 - chance) ** -cases - 1 for cases in (30, 20))
    assert found.burned_cases == pytest.approx((1 - chance) * halves / chance, rel=1e-9)
    assert found.attempts == pytest.approx(1 + halves, rel=1e-9)
    assert found.law is not None
    assert found.law @ np.arange(len(found.law)) == pytest.approx(found.burned_cases, rel=1e-9)
    assert found.law[50] == pytest.approx((1 - chance) ** 48, rel=1e-9)  # lost only where nothing was drawn since


@pytest.mark.parametrize(("chance", "stuck"), [(0.05, 0.0402), (0.2, 0.1632)])
def test_a_lone_shard_gets_stuck_at_its_plan_as_a_trial_found(chance: float, stuck: float) -> None:
    steps = kernel(REFERENCE, replace(TENS, interruptions_per_attempt=chance))
    ends = one_shard(steps, 50, 3)
    assert ends is not None
    assert ends[1] == pytest.approx(stuck, abs=5e-5)
    draws = drawn(steps, 1, 20_000, 3, 0)
    assert draws is not None
    assert simulate(draws, np.full(20_000, 50.0), 1).ended.mean() == pytest.approx(ends[0], abs=0.008)
    assert np.mean(needed(draws, 1) <= 50) == pytest.approx(ends[0], abs=0.008)


@pytest.mark.parametrize(("fence", "every", "wasted", "ends", "ceiling", "minutes"), ROWS)
def test_the_trials_table(fence: Fence, every: int, wasted: float, ends: float, ceiling: float, minutes: float) -> None:
    figures = expect(fence, Load(checkpoint_cases=every)).figures
    value = {name: figure.value or 0 for name, figure in figures.items()}
    assert value["wasted"] / 4 == pytest.approx(wasted, abs=0.6)
    assert value["run_ends"] == pytest.approx(ends, abs=0.01)
    assert value["ceiling_99"] / 7400 - 1 == pytest.approx(ceiling, abs=0.025)
    assert value["shard_seconds"] / 60 == pytest.approx(minutes, abs=0.06)
    assert figures["run_ends"].how == figures["ceiling_99"].how == "simulated"


def test_a_checkpoint_that_takes_no_time_after_each_case_wastes_nothing() -> None:
    figures = expect(TOKEN_LEVEL, Load(cases=20, write_seconds=0, runs=1000)).figures
    assert figures["wasted"].value == pytest.approx(0, abs=1e-6)
    assert (figures["run_ends"].value, figures["ceiling_99"].value) == (1.0, 4 * 20 * 37)


@pytest.mark.parametrize(("lease_seconds", "minutes"), [(191, 53.1), (300, 53.5), (1800, 58.4)])
def test_a_lease_moves_wall_time_alone(lease_seconds: int, minutes: float) -> None:
    usual, other = of(REFERENCE, Load()), of(REFERENCE, Load(lease_seconds=lease_seconds))
    assert other.seconds / 60 == pytest.approx(minutes, abs=0.07)
    assert (other.burned_cases, other.attempts) == (usual.burned_cases, usual.attempts)


def test_coarse_milestones_would_hide_most_of_the_waste() -> None:
    fine = of(REFERENCE, Load()).burned_cases - 50
    coarse = of(REFERENCE, Load(call_cases=20)).burned_cases - 50
    assert coarse < fine * 0.7


@pytest.mark.parametrize("name", FENCES)
def test_without_faults_a_run_is_its_plan(name: str) -> None:
    figures = expect(FENCES[name], Load(interruptions_per_hour=0, call_cases=10, write_seconds=0, runs=200)).figures
    assert figures["burned"].value == 7400
    assert figures["wasted"].value == 0
    assert (figures["run_ends"].value, figures["attempts"].value, figures["shard_seconds"].value) == (1, 1, 3000)
    assert figures["ceiling_50"].value == 7400


@pytest.mark.parametrize("name", FENCES)
@pytest.mark.parametrize("rate", [{"interruptions_per_attempt": 1.0}, {"interruptions_per_case": 1.0}])
def test_a_host_that_is_always_lost_never_ends_and_says_so(name: str, rate: dict[str, Any]) -> None:
    found = expect(FENCES[name], Load(call_cases=10, **rate))
    assert found.never
    assert found.figures["run_ends"].value == 0


def test_commits_that_are_always_late_never_end_either() -> None:
    assert expect(REFERENCE, Load(late_per_commit=1)).never
    assert not expect(REFERENCE, Load(late_per_commit=1, epochs=3, runs=200)).never  # it is given up


def test_a_bound_on_attempts_gives_shards_up() -> None:
    found = expect(REFERENCE, Load(epochs=1, runs=2000))
    alone = 0.8 ** (50 / 60) * 0.8 ** (2 / 3600)  # fifty cases and one write
    assert found.figures["all_done"].value == pytest.approx(alone**4, rel=1e-9)
    assert found.figures["ceiling_99"].value is None
    assert "given up" in found.figures["ceiling_99"].reason


def test_the_laws_of_independent_shards_add_up() -> None:
    law = of(REFERENCE, Load()).law
    assert law is not None
    by_hand = np.convolve(np.convolve(law, law), np.convolve(law, law))
    assert np.allclose(of_run(law, 4), by_hand[: len(of_run(law, 4))], atol=1e-14)
    assert quantile(by_hand, 0.99) == quantile(of_run(law, 4), 0.99)
    assert at_most(law, 49) == pytest.approx(0)


@pytest.mark.parametrize("rate", [1e-9, 1e-3, 1.0, 50.0])
def test_the_mean_time_of_an_interruption_is_that_of_a_truncated_law(rate: float) -> None:
    times = (np.arange(200_000) + 0.5) * 2 / 200_000
    density = rate * np.exp(-rate * times)
    assert mean_within(rate, 2) == pytest.approx(float((times * density).sum() / density.sum()), rel=1e-3)
    assert within(rate, 2) == pytest.approx(1 - np.exp(-2 * rate), rel=1e-6)


def test_the_best_interval_is_near_youngs() -> None:
    for write_seconds in (8, 60):
        best = best_interval(REFERENCE, Load(cases=30, write_seconds=write_seconds))
        assert best is not None
        assert best.young_cases is not None
        assert best.young_cases / 2 <= best.cases <= best.young_cases * 2
    assert best_interval(FENCES["provenance-sketch-a"], Load()) is None
    calm = best_interval(REFERENCE, Load(cases=30, interruptions_per_hour=0))
    assert calm is not None
    assert (calm.cases, calm.young_cases) == (30, None)
