"""A stored run is told as what it is on the fence it is replayed on; a promise broken at once has a story, too."""

import json
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.report.checked import FORMATS

ROOT = Path(__file__).parents[2]
STORED = ROOT / "counterexamples" / "spend-sketch" / "billed_once.itf.json"
AT_ONCE = ("check", "reference-with-holds=none", "--shards", "1", "--faults", "0")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


@pytest.mark.parametrize(
    ("fence", "head", "says"),
    [
        ("spend-sketch", "VIOLATED  ", "no shorter one exists"),
        ("reference", "FIXED  billed_once is not broken on this run", "stored step 23 is answered STALE_EPOCH"),
        ("provenance-sketch-a", "NO LONGER EXECUTABLE  ", "the stored run cannot go on: its step 4 (grade 0–30)"),
    ],
)
def test_a_picture_says_what_the_run_that_it_draws_shows(
    fence: str, head: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = run(capsys, "render", STORED, "--fence", fence, "--format", "text")
    assert code == 0
    assert out.startswith(head)
    assert says in " ".join(out.split())
    assert ("VIOLATED" in out.split("signs")[0]) == (fence == "spend-sketch")
    assert ("no shorter one exists" in out) == (fence == "spend-sketch")


def test_a_trace_that_is_not_minimal_is_not_called_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = json.loads(STORED.read_text(encoding="utf-8"))
    whole["#meta"]["minimal"] = False
    longer = tmp_path / "longer.itf.json"
    longer.write_text(json.dumps(whole))
    _, out, _ = run(capsys, "render", longer, "--format", "text")
    assert "a shorter one may exist" in out


@pytest.mark.parametrize("form", list(FORMATS))
def test_a_promise_that_is_broken_before_anything_happens_has_a_story_in_every_format(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, *AT_ONCE, "--format", form)
    assert (code, err) == (1, "")
    assert "can_finish" in out or form == "html"  # packed in the page


def test_a_story_of_no_step_goes_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    stored = tmp_path / "at-once.itf.json"
    stored.write_text(run(capsys, *AT_ONCE, "--format", "itf")[1], encoding="utf-8")
    assert run(capsys, "replay", stored)[:2] == (1, run(capsys, "replay", stored)[1])
    assert run(capsys, "replay", stored)[1].startswith("STILL VIOLATES  can_finish")
    code, out, _ = run(capsys, "render", stored, "--format", "text")
    assert (code, "the run is opened" in out, "0 faults, 0 steps" in out) == (0, True, True)


def test_a_stored_story_of_progress_is_judged_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    weak = "reference-without-resume.other_revision"
    bound = ("--shards", "1", "--faults", "1", "--ceiling", "3700")
    stored = tmp_path / "stuck.itf.json"
    stored.write_text(run(capsys, "check", weak, *bound, "--property", "can_finish", "--format", "itf")[1])
    assert run(capsys, "replay", stored)[:1] == (1,)
    assert run(capsys, "replay", stored, "--fence", "reference")[0] == 0


@pytest.mark.parametrize("promise", ["ends_well", "can_finish", "consumed_is_accepted"])
def test_a_reduced_search_refuses_a_promise_that_it_does_not_judge(
    promise: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bound = ("--shards", "2", "--epochs", "1", "--faults", "0", "--ceiling", "3700")
    code, out, err = run(capsys, "check", *bound, "--reduce", "--property", promise)
    assert (code, out) == (2, "")
    assert f"--reduce says nothing of {promise}" in err


@pytest.mark.parametrize("off", ["--cut-allowance", "--crash-driver", "--change-fixture"])
def test_a_fault_without_a_budget_strikes_in_no_reduced_search(off: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "truncating", "--shards", "2", "--epochs", "1", "--faults", "1", "--ceiling", "3700", off, "0")
    whole, reduced = (run(capsys, *words, "--format", "json", *more) for more in ((), ("--reduce",)))
    assert (whole[2], reduced[2]) == ("", "")
    broken = [
        {name for name, p in json.loads(out)["runs"][0]["properties"].items() if p["verdict"] == "violated"}
        for _, out, _ in (whole, reduced)
    ]
    assert broken[0] - {"ends_well", "can_finish", "consumed_is_accepted"} == broken[1]
    struck = run(capsys, *words, "--reduce")[1].partition("faults tried")[2]
    assert off.strip("-").replace("-", "_") not in struck.partition("reductions")[0]
