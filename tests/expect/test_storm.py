"""Storm, a model checker of others, gives the same figures for the models that `--format drn` and `drn-mdp` write."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.expect import drn
from fencebench.checker.expect.decision import decisions, ranges
from fencebench.checker.expect.kernel import kernel
from fencebench.checker.expect.load import Load, modelled
from fencebench.checker.expect.renewal import shard
from fencebench.model.fences import FENCES, REFERENCE, TOKEN_LEVEL

TENS = Load(shards=1, call_cases=10, interruptions_per_attempt=0.2)


@pytest.fixture(scope="module")
def storm() -> Any:
    return pytest.importorskip(
        "stormpy", reason="stormpy is not installed; try `uv run --group storm pytest tests/expect`"
    )


def checked(storm: Any, text: str, formula: str, path: Path) -> float:
    path.write_text(text, encoding="utf-8")
    model = storm.build_model_from_drn(str(path))
    [asked] = storm.parse_properties(formula)
    return float(storm.model_checking(model, asked.raw_formula).at(model.initial_states[0]))


LOADS = {
    "three attempts": replace(TENS, write_seconds=0, epochs=3),
    "as many as it takes": replace(TENS, replacement_seconds=40),
    "stalls and lost replies": replace(TENS, stalls_per_hour=0.3, lost_replies_per_call=0.05, seconds_per_case=10),
    "crashes": replace(TENS, driver_crashes_per_hour=0.5, restart_seconds=700, late_per_commit=0.1, epochs=4),
}


@pytest.mark.parametrize("name", LOADS)
@pytest.mark.parametrize("fence", [REFERENCE, TOKEN_LEVEL, FENCES["shard-keyed"]], ids=lambda fence: fence.name)
def test_storm_gives_the_same_means(storm: Any, fence: Any, name: str, tmp_path: Path) -> None:
    load = LOADS[name]
    text, one = drn.chain(fence, load), shard(kernel(fence, load), load.epochs)
    assert one is not None
    path = tmp_path / "chain.drn"
    assert checked(storm, text, 'R{"burned"}=? [F "over"]', path) == pytest.approx(one.burned_cases * 37, rel=1e-6)
    assert checked(storm, text, 'P=? [F "done"]', path) == pytest.approx(one.done, rel=1e-6)
    if load.epochs is None:  # no host is waited for after the last attempt that is allowed
        assert checked(storm, text, 'R{"seconds"}=? [F "over"]', path) == pytest.approx(one.seconds, rel=1e-6)


@pytest.mark.parametrize("name", ["spend-sketch", "provenance-sketch-a", "reference"])
def test_storm_gives_the_same_least_and_most(storm: Any, name: str, tmp_path: Path) -> None:
    load, fence = replace(TENS, late_per_commit=0.1), FENCES[name]
    text = drn.process(fence, load, 2)
    found = ranges(decisions(*modelled(fence, load), 2, late=True), load)["burned"]
    for least_or_most, value in (("min", found.least), ("max", found.most)):
        told = checked(storm, text, f'R{{"burned"}}{least_or_most}=? [F "over"]', tmp_path / "process.drn")
        assert told == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("form", ["drn", "drn-mdp"])
def test_the_model_is_whole(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["expect", "spend-sketch", "--call-cases", "10", "--epochs", "2", "--format", form])
    lines = capsys.readouterr().out.splitlines()
    states = [line.split() for line in lines if line.startswith("state ")]
    assert lines[1] == {"drn": "@type: DTMC", "drn-mdp": "@type: MDP"}[form]
    assert [int(words[1]) for words in states] == list(range(int(lines[lines.index("@nr_states") + 1])))
    assert sum(line.startswith("\taction") for line in lines) == int(lines[lines.index("@nr_choices") + 1])
    assert [words[1] for words in states if words[-1] == "init"] == ["0"]
    ways, shares = 0.0, []
    for line in [*lines[lines.index("@model") + 1 :], "state"]:
        if line.startswith("\t\t"):
            ways += float(line.split(" : ")[1])
        elif ways:
            shares.append(ways)
            ways = 0.0
    assert shares == [pytest.approx(1)] * len(shares)
