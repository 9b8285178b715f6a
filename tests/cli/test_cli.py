"""The command line as a person uses it, wrong input included."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fencebench.checker.cli.main import main
from tests.quick import thorough_but

QUICK = ["--shards", "1", "--faults", "1", "--ceiling", "1850"]
SMALL = [*QUICK, "--forge", "0", "--crash-driver", "0", "--lose-reply", "0", "--cut-allowance", "0"]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    out, err = capsys.readouterr()
    return code, out, err


def test_the_verdict_comes_first_and_the_command_last(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "reference", *QUICK)
    lines = out.splitlines()
    assert code == 0
    assert lines[0].startswith("HOLDS  reference")
    assert lines[-1].startswith("reproduce: ")
    assert re.search(r"unreached +nothing", out)
    assert "commit.no_artifact behind commit.not_drawn" in " ".join(out.split())
    assert re.search(r"1 shard, 2 epochs, fault sum 1, ceiling 1850 +1,884 +4,155 +26 +holds", out)


def test_a_broken_fence_exits_1_and_tells_the_story(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "spend-sketch", *SMALL, "--stop-at", "all", "--property", "ends_well")
    assert code == 1
    assert "VIOLATED  spend-sketch" in out
    assert "shard 0 ends with 1850 tokens of epoch 0 still held for nobody" in " ".join(out.split())
    assert ">>" in out


def test_json_has_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "spend-sketch", *SMALL, "--stop-at", "all", "--format", "json")
    whole = json.loads(out)
    assert (code, whole["exit"], whole["verdict"]) == (1, 1, "violated")
    [only] = whole["runs"]
    expected = {"fence", "bound", "verdict", "states", "transitions", "depth", "seconds", "properties", "coverage"}
    assert expected | {"unreached", "standby", "reproduce"} == set(only)
    broken = only["properties"]["ends_well"]
    assert (broken["verdict"], broken["faults"], broken["steps"]) == ("violated", 1, len(broken["trace"]))
    fields = "action actor host run shard epoch fault outcome class driver_seconds worker_seconds changed label"
    assert set(broken["trace"][0]) == set(fields.split())
    assert {"actions", "rules", "outcomes"} == set(only["coverage"])
    classes = {step["class"] for step in broken["trace"]}
    assert "OVER_CEILING" in classes
    assert only["properties"]["billed_once"]["verdict"] == "holds"


def test_stopping_at_the_first_leaves_the_others_undetermined(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "check", "spend-sketch", *SMALL, "--format", "json")
    verdicts = {name: p["verdict"] for name, p in json.loads(out)["runs"][0]["properties"].items()}
    assert list(verdicts.values()).count("violated") == 1
    assert verdicts["ends_well"] == "undetermined"


def test_a_limit_exits_3_and_never_says_holds(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "reference", *QUICK, "--max-states", "50")
    assert code == 3
    assert out.startswith("UNDETERMINED")
    assert "HOLDS" not in out


def test_what_is_owed_and_unreached_exits_4_and_says_what_to_raise(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "reference", "--shards", "1", "--faults", "1", "--epochs", "1")
    assert code == 4
    assert out.startswith("VACUOUS")
    assert "raise --epochs to 2" in " ".join(out.split())


def test_a_trace_goes_round(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(capsys, "check", "spend-sketch", *SMALL, "--stop-at", "all", "--traces", str(tmp_path))
    trace = tmp_path / "spend-sketch-lease_gates_writes.itf.json"
    whole = json.loads(trace.read_text())
    assert whole["vars"] == ["step", "shared", "shards"]
    assert whole["#meta"]["property"] == "lease_gates_writes"
    assert [s["#meta"]["index"] for s in whole["states"]] == list(range(len(whole["states"])))
    code, out, _ = run(capsys, "replay", str(trace))
    assert (code, out[:14]) == (1, "STILL VIOLATES")
    code, out, _ = run(capsys, "replay", str(trace), "--fence", "reference")
    assert (code, out[:5]) == (0, "FIXED")
    code, out, _ = run(capsys, "replay", str(trace), "--fence", "provenance-sketch-a", "--format", "json")
    assert (code, json.loads(out)["verdict"]) == (3, "no longer executable")
    monkeypatch.chdir(tmp_path)
    assert main(["render", str(trace)]) == 0
    assert ElementTree.parse(trace.with_name("spend-sketch-lease_gates_writes.svg")).getroot().tag.endswith("svg")
    assert main(["render", str(trace), "--format", "png", "-o", str(tmp_path / "x.png")]) == 0
    assert (tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    assert sorted(p.suffix for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_itf_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "spend-sketch", *SMALL, "--format", "itf", "--property", "lease_gates_resume")
    code, out, _ = run(capsys, *words)
    assert code == 1
    assert json.loads(out)["#meta"]["property"] == "lease_gates_resume"


MINE = """
from fencebench.model.fences import REFERENCE
WITHOUT = REFERENCE.without("write.lease_margin")
NUMBER = 7
"""
RAISES = """
from fencebench.model.fence import Rule
from fencebench.model.fences import REFERENCE
from fencebench.model.fence import Refusal
BROKEN = REFERENCE.having(put=(Rule("oops", Refusal.CONFLICT, lambda request, view: 1 / 0),))
"""


def test_a_fence_may_be_somebodys_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(MINE)
    code, out, _ = run(capsys, "check", f"{mine}:WITHOUT", *QUICK)
    assert code == 0
    assert "reference-without-write.lease_margin" in out


def bad_traces(folder: Path) -> dict[str, str]:
    (folder / "not.json").write_text("{oops")
    (folder / "other.json").write_text('{"#meta": {"format": "ITF", "version": 99}, "vars": [], "states": []}')
    (folder / "list.json").write_text("[1, 2]")
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "bytes.json").write_bytes(b"\xff\xfe")
    return {name: str(folder / name) for name in ("not.json", "other.json", "list.json", "deep.json", "bytes.json")}


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["check", "refrence"], "did you mean reference?"),
        (["check", "nothing-like-it"], "the catalogue has"),
        (["check", "--shards=-1"], "shards must be a whole number from 1 to 1,000; found -1"),
        (["check", "--faults=-2"], "faults must be a whole number from 0 to 1,000; found -2"),
        (["check", "--preempt", "x"], "not a valid integer"),
        (["check", "--no-such"], "No such option"),
        (["check", "--lease-seconds", "180"], "a lease of 180 s is not longer than margin 90 s + skew 90 s"),
        (["check", "--bounds", "none.toml"], "none.toml: cannot be read"),
        (["check", "--property", "nonsense"], "no promise is called 'nonsense'"),
        (["check", "--max-states", "0"], "--max-states must be above 0"),
        (["replay", "none.json"], "none.json: cannot be read"),
        (["check", "missing.py:FENCE"], "missing.py: no such file"),
        (["check", "missing.py"], "expected path/to/file.py:NAME"),
        (["frobnicate"], "No such command"),
    ],
)
def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("", "the file is empty"),
        ("shards = ", "expected TOML"),
        ("shard = 2", "unknown key 'shard'"),
        ("shards = 'two'", "shards must be a whole number"),
        ("[settings]\nlease = 3", "unknown key 'lease'"),
        ("settings = 3", "must be a table"),
        ("bounds = 3", "bounds must be one or more tables"),
        ("[[bounds]]\nepochs = 0", "epochs must be a whole number from 1 to 100; found 0"),
        ("[[bounds]]\nearlier_run = 3", "earlier_run must be true or false"),
    ],
)
def test_a_bad_bounds_file_is_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, toml: str, says: str
) -> None:
    path = tmp_path / "bounds.toml"
    path.write_text(toml)
    code, _, err = run(capsys, "check", "--bounds", str(path))
    assert code == 2
    assert says in err
    assert err.count("\n") == 1


def test_a_bounds_file_sets_a_union(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "bounds.toml"
    path.write_text("forge = 0\n[settings]\nskew_seconds = 60\n[[bounds]]\nfaults = 0\n[[bounds]]\nfaults = 1\n")
    code, out, _ = run(capsys, "check", "reference", "--bounds", str(path), "--format", "json")
    bounds = [r["bound"]["options"] for r in json.loads(out)["runs"]]
    assert code == 0
    assert len(bounds) == 4
    assert all("--forge 0" in b and "--skew-seconds 60" in b for b in bounds)


def test_bad_traces_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for path in bad_traces(tmp_path).values():
        code, _, err = run(capsys, "replay", path)
        assert code == 2, path
        assert err.count("\n") == 1, err
        assert "expected" in err


def test_a_bad_python_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    mine, raises, syntax = tmp_path / "mine.py", tmp_path / "raises.py", tmp_path / "syntax.py"
    mine.write_text(MINE)
    raises.write_text(RAISES)
    syntax.write_text("def (")
    says = {f"{mine}:NOWHERE": "is not there", f"{mine}:NUMBER": "is no Fence", f"{syntax}:X": "SyntaxError"}
    says[f"{raises}:BROKEN"] = "raised ZeroDivisionError"
    for name, what in says.items():
        code, out, err = run(capsys, "check", name, *QUICK)
        assert (code, out) == (2, "")
        assert what in err
        assert err.count("\n") == 1


def test_help_states_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "check", "--help")
    assert code == 0
    assert "0 holds, 1 violated, 2 bad input, 3 undetermined" in out


def test_list_names_every_fence_and_promise(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "list", "--format", "json")
    catalogue = json.loads(out)
    assert {"reference", "spend-sketch"} <= {f["name"] for f in catalogue["fences"]}
    assert {p["name"] for p in catalogue["promises"]} >= {"ends_well", "can_finish"}


@pytest.mark.parametrize("seeds", thorough_but([range(2), range(2, 10)], range(2)))
def test_nothing_depends_on_the_hash_seed(seeds: range) -> None:
    words = [sys.executable, "-m", "fencebench", "check", "spend-sketch", *SMALL, "--stop-at", "all"]
    seen = set()
    for seed in {0, *seeds}:
        env = {**os.environ, "PYTHONHASHSEED": str(seed)}
        seen.add(subprocess.run(words, env=env, capture_output=True, text=True, timeout=120).stdout)
    assert len(seen) == 1
    assert "VIOLATED" in seen.pop()
