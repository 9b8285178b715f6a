import json
from pathlib import Path
from typing import Any

import pytest

from fencebench.checker.oracle.replay.replay import replay

HERE = Path(__file__).parent
PROPERTIES = {
    "STALE_EPOCH_ACCEPTED": {"one_accepted_artifact"},
    "SECOND_ARTIFACT": {"one_accepted_artifact"},
    "OWN_WRITE_REFUSED": {"rejections_classified"},
    "SPEND_VANISHED": {"meter_under_ceiling", "holds_end_once"},
    "REFUND_OF_BURNED": {"meter_under_ceiling", "holds_end_once"},
    "FIXTURE_MIX": {"one_input_version"},
    "REVISION_MIX": {"attributable"},
    "MISSING_SHARD": {"no_aggregate_when_missing"},
    "EXPIRED_WRITE": {"lease_gates_writes"},
    "ACCEPTED_ARTIFACT_DELETED": {"sealed_is_final", "receipt_has_artifact"},
}


def expected(folder: str) -> list[dict[str, Any]]:
    cases = [json.loads(line) for line in (HERE / folder / "expected.jsonl").read_text().splitlines()]
    return [{**case, "path": str(HERE / folder / case["log"])} for case in cases]


@pytest.mark.parametrize("case", expected("cases"), ids=lambda case: str(case["log"]))
def test_agrees_with_the_example_on_verdict_line_and_kind(case: dict[str, Any]) -> None:
    found = replay(Path(case["path"]).read_bytes().splitlines())
    assert (found.verdict, found.line, found.code) == (case["verdict"], case["line"], case["code"])
    assert found.code is None or found.property in PROPERTIES[found.code]


@pytest.mark.parametrize("case", expected("logs"), ids=lambda case: str(case["log"]))
def test_agrees_with_our_own_logs(case: dict[str, Any]) -> None:
    found = replay(Path(str(case["path"])).read_bytes().splitlines())
    assert (found.verdict, found.line, found.rule) == (case["verdict"], case["line"], case["rule"])
    assert list(found.consequences) == case["consequences"]


def test_every_log_is_expected() -> None:
    for folder in ("cases", "logs"):
        names = {path.name for path in (HERE / folder).glob("*.jsonl")} - {"expected.jsonl"}
        assert names == {case["log"] for case in expected(folder)}


def test_a_lost_commit_has_the_reserve_that_takes_its_headroom_as_consequence() -> None:
    lines = (HERE / "cases" / "L08_late_commit_after_sweep_vanishes.jsonl").read_bytes().splitlines()
    assert replay(lines).consequences == (10,)
