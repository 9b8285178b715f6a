import json
from dataclasses import replace
from fractions import Fraction

import pytest

from fencebench.checker.analysis.bounds import Asked, asked
from fencebench.checker.analysis.sweep import (
    MEASURES,
    costs,
    harmless,
    largest_safe,
    ranges,
    sweep_faults,
    sweep_skew,
    turning_points,
)
from fencebench.checker.cli.main import main
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.worst import Peak, worst
from fencebench.model.build import build
from fencebench.model.fences import FENCES, REFERENCE, WORKER_CLOCK
from fencebench.model.settings import FAULTS, Bound, Settings


def only(*faults: str, **shape: int) -> Asked:
    return asked({"shards": 1, **shape, **{f: int(f in faults) for f in FAULTS}}, None)


def values(peaks: tuple[Peak, ...]) -> list[tuple[int, int]]:
    return [(peak.faults, peak.value) for peak in peaks]


def test_without_faults_a_run_costs_its_plan() -> None:
    [one] = costs(REFERENCE, only(faults=0, ceiling=7400), Limits())
    assert one.plan_tokens == 1850
    assert {m: values(one.found.peaks[m]) for m in MEASURES} == {"burned": [(0, 1850)], "committed": [(0, 1850)]}
    assert one.above_plan("burned") == (0,)


def test_an_attempt_that_stalls_costs_what_follows_its_checkpoint() -> None:
    [one] = costs(REFERENCE, only("stall", faults=1, ceiling=7400), Limits())
    assert one.above_plan("burned") == (0, (50 - 30) * 37)
    assert one.above_plan("committed") == (0, 0)


def test_without_a_checkpoint_it_costs_a_whole_plan() -> None:
    [one] = costs(REFERENCE.having(checkpoint="none"), only("stall", faults=1, ceiling=7400), Limits())
    assert one.above_plan("burned") == (0, 1850)


def test_a_fence_that_lets_both_commit_books_both() -> None:
    [one] = costs(FENCES["spend-sketch"], only("stall", faults=1, ceiling=7400), Limits())
    assert one.above_plan("committed") == (0, 1850)


def test_the_run_of_a_peak_reaches_it() -> None:
    machine = build(REFERENCE, Bound(faults=1, ceiling_tokens=7400))
    for peak in worst(machine, MEASURES, Limits()).peaks["burned"]:
        last = peak.trace[-1].after.shared
        assert (last.burned, machine.faults(last), len(peak.trace)) == (peak.value, peak.faults, peak.steps)


def test_at_most_never_falls_with_more_faults() -> None:
    [one] = costs(REFERENCE, only("stall", "forge", "preempt", faults=2, ceiling=1850), Limits())
    for measure in MEASURES:
        above = one.above_plan(measure)
        assert list(above) == sorted(above)


def test_a_limit_makes_the_figures_lower_bounds() -> None:
    [one] = costs(REFERENCE, only(faults=0, ceiling=7400), Limits(max_states=3))
    assert str(one.found.limit) == "3 states"


def order(skew: int, settings: Settings) -> tuple[int, ...]:
    """How the moments that clocks can tell apart follow each other: the rank of each."""
    ends = (settings.lease_seconds - settings.margin_seconds, settings.lease_seconds)
    moments = (0, *ends, *(end - off for end in ends for off in (-skew, skew)))
    return tuple(sorted(set(moments)).index(moment) for moment in moments)


@pytest.mark.parametrize(("lease", "margin"), [(300, 90), (100, 7), (60, 30), (10, 0)])
def test_all_skews_of_a_range_order_the_moments_alike(lease: int, margin: int) -> None:
    settings, most = Settings(lease_seconds=lease, margin_seconds=margin), lease - margin - 1
    found = list(ranges(settings, most))
    covered = [skew for low, high in found for skew in range(low, high + 1)]
    assert covered == list(range(most + 1))
    for low, high in found:
        assert {order(skew, settings) for skew in range(low, high + 1)} == {order(low, settings)}


def test_turning_points_are_exact() -> None:
    found = turning_points(Settings(lease_seconds=300, margin_seconds=91))
    assert Fraction(91, 2) in found
    assert all(isinstance(point, Fraction) for point in found)


SKEWED = only("stall", "skew", epochs=1, faults=2, ceiling=1850)


def test_the_reference_bears_as_much_skew_as_its_margin() -> None:
    """A clock that is slower than the margin starts work under a lease that is over."""
    settings = Settings(lease_seconds=200, margin_seconds=40)
    found = list(sweep_skew(REFERENCE, replace(SKEWED, settings=settings), Limits(stop_at="first")))
    assert largest_safe(found) == 40
    assert {name for one in found for name in one.checked.findings} == {"lease_gates_resume"}


def test_a_store_that_judges_by_the_workers_clock_bears_less() -> None:
    safe = largest_safe(list(sweep_skew(WORKER_CLOCK, SKEWED, Limits(stop_at="first"))))
    assert safe is not None
    assert safe < SKEWED.settings.margin_seconds


def test_a_limit_proves_no_skew() -> None:
    assert largest_safe(list(sweep_skew(REFERENCE, only(faults=0, ceiling=1850), Limits(max_states=2)))) is None


def test_faults_are_harmless_up_to_the_caps() -> None:
    steps = list(sweep_faults(REFERENCE, only("stall", "late", epochs=1, ceiling=1850), 60.0))
    assert [step.faults for step in steps] == [0, 1, 2]
    assert harmless(steps) == 2


def test_the_first_harmful_fault_sum_ends_the_sweep() -> None:
    steps = list(sweep_faults(REFERENCE.without("put.lease_over"), only("stall", "late", ceiling=1850), 60.0))
    assert harmless(steps) == 0
    assert list(steps[-1].checked.findings) == ["lease_gates_writes"]


def test_no_time_proves_nothing() -> None:
    assert harmless(list(sweep_faults(REFERENCE, only("stall", ceiling=1850), 1e-9))) is None


def test_the_commands_print_json(capsys: pytest.CaptureFixture[str]) -> None:
    bound = ["--shards", "1", "--epochs", "1", "--faults", "0", "--ceiling", "1850", "--format", "json"]
    assert main(["sweep", "cost", "reference", *bound]) == 0
    assert json.loads(capsys.readouterr().out)["bounds"][0]["burned"][0]["tokens"] == 1850
    assert main(["sweep", "skew", "reference", *bound]) == 0
    assert json.loads(capsys.readouterr().out)["largest_safe_skew_seconds"] == 209


def test_the_commands_refuse_a_limit_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sweep", "faults", "reference", "--max-seconds", "0"]) == 2
    assert "--max-seconds must be above 0" in capsys.readouterr().err
