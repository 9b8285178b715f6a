"""The examples: logs and histories with the line, the promise or the code, and the same logs as histories."""

import json
from pathlib import Path
from typing import Any

import pytest

from fencebench.checker.oracle.history.linearize import linearize
from fencebench.checker.oracle.replay.replay import replay
from tests.oracle.stories import as_history

HERE = Path(__file__).parent


def expected(folder: str, name: str = "log") -> list[dict[str, Any]]:
    cases = [json.loads(line) for line in (HERE / folder / "expected.jsonl").read_text().splitlines()]
    return [{**case, "path": str(HERE / folder / case[name])} for case in cases]


def lines_of(case: dict[str, Any]) -> list[bytes]:
    return Path(case["path"]).read_bytes().splitlines()


@pytest.mark.parametrize("case", expected("cases"), ids=lambda case: str(case["log"]))
def test_agrees_with_the_example_on_verdict_line_and_kind(case: dict[str, Any]) -> None:
    found = replay(lines_of(case))
    assert (found.verdict, found.line) == (case["verdict"], case["line"])
    assert case["code"] is None or case["code"] in (found.code, found.property), found


@pytest.mark.parametrize("case", [*expected("cases"), *expected("logs")], ids=lambda case: str(case["log"]))
def test_a_story_of_one_client_has_one_verdict(case: dict[str, Any]) -> None:
    if case["log"] == "C9_two_runs_interleaved.jsonl":
        pytest.skip("two control planes have two clocks")
    found = linearize(as_history(lines_of(case)))
    assert (found.line, found.rule) == (case["line"] and 2 * case["line"] - 1, replay(lines_of(case)).rule), found.why


@pytest.mark.parametrize("case", expected("histories", "history"), ids=lambda case: str(case["history"]))
def test_agrees_with_the_history(case: dict[str, Any]) -> None:
    found = linearize(lines_of(case))
    assert (found.verdict, found.property) == (case["verdict"], case["promise"])
    assert (found.line is None) == (found.smallest == ())


@pytest.mark.parametrize("case", expected("logs"), ids=lambda case: str(case["log"]))
def test_agrees_with_our_own_logs(case: dict[str, Any]) -> None:
    found = replay(lines_of(case))
    assert (found.verdict, found.line, found.rule) == (case["verdict"], case["line"], case["rule"])
    assert list(found.consequences) == case["consequences"]


@pytest.mark.parametrize("folder", ["cases", "logs", "histories"])
def test_every_log_is_expected(folder: str) -> None:
    name = "history" if folder == "histories" else "log"
    names = {path.name for path in (HERE / folder).glob("*.jsonl")} - {"expected.jsonl"}
    assert names == {case[name] for case in expected(folder, name)}


def test_a_lost_commit_has_the_reserve_that_takes_its_headroom_as_consequence() -> None:
    lines = (HERE / "cases" / "L08_late_commit_after_sweep_vanishes.jsonl").read_bytes().splitlines()
    assert replay(lines).consequences == (10,)
