"""What a user of `fencebench expect` sees, and what she is told of input that cannot be used."""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fencebench.checker.cli.main import main
from tests.quick import thorough, thorough_but

QUICK = ("--call-cases", "10", "--runs", "1500")


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["expect", *words])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_ceiling_comes_first_and_what_is_assumed_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "reference", "shard-keyed", *QUICK, "--price-per-million", "2.5")
    assert (code, err) == (0, "")
    first, second, *_ = out.splitlines()
    assert first.startswith("reference: ")
    assert "tokens are the ceiling for 99 % (simulated)" in first
    assert "tokens are the ceiling for 99 % (exact)" in second
    whole = " ".join(out.split())
    for words in ("memoryless", "independently", "price of what is burned", "Given: call cases 10"):
        assert words in whole
    assert out.splitlines()[-1].startswith("reproduce: fencebench")


def test_json_says_of_every_figure_how_it_was_found(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "token-level", *QUICK, "--format", "json", "--epochs", "3")
    whole = json.loads(out)
    [fence] = whole["fences"]
    assert code == 0
    assert {figure["how"] for figure in fence["figures"].values()} == {"exact", "simulated"}
    for figure in fence["figures"].values():
        assert (figure["how"] == "simulated") == ("plus_minus" in figure)
        assert figure["unit"] in ("tokens", "chance", "seconds", "")
    expected = {"ceiling_50", "ceiling_90", "ceiling_99", "ceiling_99.9", "run_ends", "burned", "wasted", "all_done"}
    assert expected <= set(fence["figures"])
    assert whole["inputs"]["epochs"] == 3
    assert whole["assumed"]
    assert fence["dead_attempts"]["how"] == fence["best_checkpoint_cases"]["how"] == "exact"


def test_a_rate_of_one_never_ends_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--interruptions-per-attempt", "1")
    assert code == 0
    assert "reference: a shard never ends at this rate" in out
    _, out, _ = run(capsys, "--interruptions-per-attempt", "1", "--format", "json")
    assert json.loads(out)["fences"][0]["never_ends"] is True
    _, out, _ = run(capsys, "--vary", "interruptions-per-attempt=0.5,1", *QUICK)
    assert "never ends" in out


def test_a_rate_that_almost_never_ends_has_means_and_says_what_it_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--interruptions-per-attempt", "0.999999", "--checkpoint-cases", "0", *QUICK)
    assert code == 0
    assert "too many attempts a shard to simulate" in " ".join(out.split())
    assert "1,000,000" in out


def test_pictures_are_drawn_whole(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    law, curves = tmp_path / "law.svg", tmp_path / "deep" / "curves.png"
    assert run(capsys, "reference", "shard-keyed", *QUICK, "--picture", str(law))[0] == 0
    texts = {
        "".join(node.itertext()).strip()
        for node in ElementTree.parse(law).getroot().iter()
        if node.tag.endswith("text")
    }
    assert {"ceiling 7,400", "reference", "shard-keyed"} <= texts
    assert any("99 %:" in text for text in texts)
    words = ("--vary", "checkpoint-cases=10,20", "--vary", "write-seconds=0,60", *QUICK)
    assert run(capsys, *words, "--picture", str(curves))[0] == 0
    assert curves.read_bytes()[:4] == b"\x89PNG"
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["curves.png", "law.svg"]


def test_a_page_has_the_picture_and_the_figures_and_loads_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, words in (("one.html", ()), ("many.html", ("--vary", "checkpoint-cases=10,20"))):
        path = tmp_path / name
        assert run(capsys, "reference", "shard-keyed", *words, *QUICK, "--html", str(path))[0] == 0
        text = path.read_text(encoding="utf-8")
        assert 'src="data:image/svg+xml;base64,' in text
        assert "99 %" in text
        assert "memoryless" in text
        assert not re.search(r"(src|href)=\"(?!data:|#)", text)
    never = tmp_path / "never.html"
    assert run(capsys, "--interruptions-per-attempt", "1", "--html", str(never))[0] == 0
    assert "a shard never ends" in never.read_text(encoding="utf-8")


def test_a_file_says_all_that_options_say(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "batch.toml"
    path.write_text(
        'fences = ["token-level"]\ninterruptions_per_hour = "20%"\ncall_cases = 10\nruns = 1500\n'
        "[vary]\ncheckpoint_cases = [10, 20]\n"
    )
    code, of_file, _ = run(capsys, "--inputs", str(path), "--format", "json")
    words = ("token-level", "--interruptions-per-hour", "20%", *QUICK, "--vary", "checkpoint-cases=10,20")
    _, of_options, _ = run(capsys, *words, "--format", "json")
    assert code == 0
    assert json.loads(of_file)["settings"] == json.loads(of_options)["settings"]
    _, overruled, _ = run(capsys, "reference", "--inputs", str(path), "--runs", "1600", "--format", "json")
    first = json.loads(overruled)["settings"][0]
    assert (first["fence"], first["inputs"]["runs"]) == ("reference", 1600)


def test_twenty_percent_is_a_chance_and_a_number_is_a_mean(capsys: pytest.CaptureFixture[str]) -> None:
    rates = [
        json.loads(run(capsys, "--interruptions-per-hour", text, *QUICK, "--format", "json")[1])
        for text in ("20%", "0.2")
    ]
    assert [rate["inputs"]["interruptions_per_hour"] for rate in rates] == [pytest.approx(0.223144, abs=1e-6), 0.2]


@pytest.mark.parametrize("cases", thorough_but(["2", "7", "30", "31", "61"], "2", "7", "30"))
@pytest.mark.parametrize("sizes", [(), ("--call-cases", "2"), ("--checkpoint-cases", "7"), ("--checkpoint-cases", "0")])
def test_every_size_that_is_allowed_has_figures(
    capsys: pytest.CaptureFixture[str], cases: str, sizes: tuple[str, ...]
) -> None:
    words = ("reference", "token-level", "provenance-sketch-a", "--cases", cases, *sizes, "--runs", "200")
    code, out, err = run(capsys, *words, "--vary", "interruptions-per-hour=0.5", "--format", "json")
    assert (code, err) == (0, "")
    burned = [point["figures"]["burned"]["value"] for point in json.loads(out)["settings"]]
    assert all(value >= 4 * int(cases) * 37 - 1e-6 for value in burned)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["refrence"], "did you mean reference?"),
        (["--interruptions-per-hour", "often"], "interruptions_per_hour must be a number, 0 or more; found 'often'"),
        (["--interruptions-per-hour", "nan"], "must be a number"),
        (["--interruptions-per-hour", "inf"], "must be a number"),
        (["--interruptions-per-hour", "-1"], "found '-1'"),
        (["--interruptions-per-hour", "100%"], "from 0% to below 100%"),
        (["--interruptions-per-attempt", "20%"], "from 0 to 1"),
        (["--interruptions-per-attempt", "1.1"], "from 0 to 1"),
        (["--interruptions-per-attempt", ".1", "--interruptions-per-case", ".1"], "say the same thing twice"),
        (["--seconds-per-case", "0"], "seconds_per_case must be a number above 0"),
        (["--shards", "0"], "shards must be a whole number from 1"),
        (["--shards", "1.5"], "whole number"),
        (["--shards", "99999999999999999999"], "to 1,000"),
        (["--cases", "1"], "cases must be a whole number from 2"),
        (["--cases", "three"], "cases must be a whole number"),
        (["--call-cases", "60"], "call_cases must be at most the 50 cases of a shard"),
        (["--late-per-commit", "2"], "late_per_commit"),
        (["--lost-replies-per-call", "1"], "from 0 to 0.9"),
        (["--lease-seconds", "100"], "a lease of 100 s is not longer than margin 90 s + skew 90 s"),
        (["--vary", "checkpoint-cases"], "expected NAME=VALUE,VALUE"),
        (["--vary", "checkpoint-cases="], "expected NAME=VALUE,VALUE"),
        (["--vary", "checkpoints=1,2"], "no input is called 'checkpoints'"),
        (["--vary", "shards=1,x"], "found 'x'"),
        (["--vary", "shards=1,2", "--shards", "3"], "given and varied as well"),
        (["--vary", f"seed={','.join(map(str, range(2001)))}"], "2,001 settings are more than 2,000"),
        (["--picture", "law.pdf"], "ends in .svg or .png"),
        (["--interruptions-per-attempt", "1", "--picture", "law.svg"], "no fence has a law to draw"),
        (["--format", "drn", "reference", "token-level"], "name one fence"),
        (["--inputs", "none.toml"], "none.toml: cannot be read"),
        (["--no-such", "1"], "No such option"),
    ],
)
def test_bad_input_is_one_line(
    capsys: pytest.CaptureFixture[str], words: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("", "the file is empty"),
        ("shards = ", "expected TOML"),
        ("shard = 2", "unknown key 'shard'"),
        ("shards = true", "shards must be a whole number"),
        ("cases = [1]", "cases must be a whole number"),
        ("seconds_per_case = nan", "seconds_per_case must be a number"),
        ("fences = 'reference'", "fences must be a list of names"),
        ("fences = [1]", "fences must be a list of names"),
        ("vary = 3", "vary must be a table of lists"),
        ("[vary]\nshards = 3", "vary must be a table of lists"),
        ("[vary]\nshards = []", "vary must be a table of lists"),
        ("[vary]\nshard = [3]", "no input is called 'shard'"),
    ],
)
def test_a_bad_file_is_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, toml: str, says: str) -> None:
    path = tmp_path / "batch.toml"
    path.write_text(toml)
    code, _, err = run(capsys, "--inputs", str(path))
    assert code == 2
    assert says in err
    assert err.count("\n") == 1


@thorough
def test_a_grid_of_a_hundred_settings_takes_less_than_a_minute(capsys: pytest.CaptureFixture[str]) -> None:
    began = time.process_time()
    words = ("interruptions-per-hour=0.05,0.1,0.2,0.4,0.8", "checkpoint-cases=5,10,25,50", "write-seconds=0,2,10,30,60")
    code, out, _ = run(capsys, *(word for axis in words for word in ("--vary", axis)), "--format", "json")
    assert code == 0
    assert len(json.loads(out)["settings"]) == 100
    assert time.process_time() - began < 60


def test_nothing_depends_on_the_hash_seed() -> None:
    words = [sys.executable, "-m", "fencebench", "expect", "spend-sketch", *QUICK]
    seen = set()
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        seen.add(subprocess.run(words, env=env, capture_output=True, text=True, timeout=120, check=True).stdout)
    assert len(seen) == 1
