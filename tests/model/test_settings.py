"""Every setting may be another one: the reference holds at it, and what does not fit is one line of bad input."""

from dataclasses import replace
from pathlib import Path

import pytest

from fencebench.checker.analysis.bounds import SETTINGS, as_options, asked
from fencebench.checker.cli.main import main
from fencebench.checker.errors import BadInput
from fencebench.checker.fast.explore import explore
from fencebench.model.build import build
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.promises.witnesses import completed
from fencebench.model.settings import Bound, Settings, SettingsError

OTHERS: dict[str, tuple[object, object]] = {
    "cases": (60, 31),
    "checkpoint_cases": (20, 49),
    "tokens_per_case": (1, 1000),
    "lease_seconds": (181, 100_000),
    "margin_seconds": (0, 209),
    "skew_seconds": (0, 209),
    "milestones": ((30, 50), (10, 30, 40, 50)),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, two in OTHERS.items() for value in two])
def test_the_reference_holds_at_other_values_and_still_resumes(name: str, value: object) -> None:
    settings = Settings(**{name: value})  # type: ignore[arg-type]
    result = explore(build(REFERENCE, Bound(faults=1, spare_attempts=1), settings))
    assert result.findings == {}
    assert completed(settings) in result.coverage.witnesses
    assert result.coverage.actions["resume_checkpoint"] > 0


def test_every_setting_is_tried_at_others() -> None:
    assert {*OTHERS} == {*SETTINGS}


def test_sizes_may_change_together() -> None:
    settings = Settings(cases=10, checkpoint_cases=5, tokens_per_case=3)
    assert settings.slice_ends == (5, 8, 10)
    assert explore(build(REFERENCE, Bound(faults=1), settings)).findings == {}


@pytest.mark.parametrize("name", ["spend-sketch", "provenance-sketch-a", "truncating", "token-level"])
def test_what_breaks_breaks_at_other_sizes(name: str) -> None:
    """Costs are counts of faults and steps, so they do not depend on how much a case costs."""
    bound, seed = Bound(faults=1), Settings()
    usual = explore(build(FENCES[name], bound, seed)).findings
    other = explore(build(FENCES[name], bound, replace(seed, tokens_per_case=5))).findings
    assert {n: (f.faults, f.steps) for n, f in usual.items()} == {n: (f.faults, f.steps) for n, f in other.items()}


@pytest.mark.parametrize(
    ("cases", "checkpoint_cases", "ends"),
    [(50, 30, (30, 39, 50)), (60, 30, (30, 44, 60)), (50, 20, (20, 34, 50)), (10, 9, (9, 10)), (2, 1, (1, 2))],
)
def test_milestones_follow_from_cases_and_checkpoint(cases: int, checkpoint_cases: int, ends: tuple[int, ...]) -> None:
    assert Settings(cases=cases, checkpoint_cases=checkpoint_cases).slice_ends == ends


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"cases": 10}, "checkpoint_cases must be from 1 to below cases (10)"),
        ({"checkpoint_cases": 50}, "checkpoint_cases must be from 1 to below cases (50)"),
        ({"milestones": (30, 39, 49)}, "must ascend to cases (50)"),
        ({"milestones": (39, 30, 50)}, "must ascend"),
        ({"milestones": (0, 30, 50)}, "must ascend"),
        ({"milestones": (20, 50)}, "by way of checkpoint_cases (30)"),
        ({"cases": 60, "milestones": (30, 39, 50)}, "must ascend to cases (60)"),
    ],
)
def test_settings_that_do_not_fit_say_what_was_expected(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings(**wrong)  # type: ignore[arg-type]
    assert said in str(raised.value)


@pytest.mark.parametrize(
    "text", ["cases = 10", "milestones = [30, 39]", "milestones = 30", "milestones = [30, 'x', 50]", "cases = 0"]
)
def test_a_bounds_file_that_does_not_fit_is_one_line(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text(f"[settings]\n{text}\n")
    assert main(["check", "reference", "--bounds", str(file)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith(f"fencebench: {file}: ")


def test_an_option_reads_milestones_with_commas() -> None:
    with pytest.raises(BadInput):
        asked({"milestones": [30, 51]}, None)
    assert asked({"milestones": [30, 50]}, None).settings.slice_ends == (30, 50)


def test_a_line_that_reproduces_names_every_setting_that_is_unusual() -> None:
    settings = Settings(cases=60, checkpoint_cases=20, milestones=(20, 40, 60), tokens_per_case=5, margin_seconds=80)
    line = as_options(Bound(), settings)
    for option in ("--cases 60", "--checkpoint-cases 20", "--milestones 20,40,60", "--tokens-per-case 5"):
        assert option in line
    assert "--lease-seconds" not in line


def test_a_stored_run_is_replayed_with_its_own_sizes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = "check charge-on-commit --shards 1 --faults 1 --ceiling 300 --cases 60 --tokens-per-case 5 --format itf"
    assert main([*command.split(), "--property", "spend_under_ceiling"]) == 1
    trace = tmp_path / "trace.itf.json"
    trace.write_text(capsys.readouterr().out)
    assert main(["replay", str(trace)]) == 1
    assert "of 300" in trace.read_text()
