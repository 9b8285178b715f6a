import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from fencebench.checker.analysis.bounds import Asked, asked
from fencebench.checker.analysis.check import Checked, check
from fencebench.checker.cli.main import main
from fencebench.checker.files import artifact
from fencebench.checker.report.checked import FORMATS, Answer
from fencebench.checker.report.ci import place_of, report_of, save_pictures
from fencebench.checker.report.form import Format
from fencebench.checker.report.formats import as_github, as_junit, as_sarif, escaped
from fencebench.checker.search.limits import Limits
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.settings import FAULTS

WEAK = "reference-without-put.lease_over"


def only(*faults: str, **shape: int) -> Asked:
    return asked(
        {"shards": 1, "epochs": 1, "faults": 1, "ceiling": 1850, **shape, **{f: int(f in faults) for f in FAULTS}}, None
    )


@pytest.fixture(scope="module")
def lost() -> Checked:
    return check(REFERENCE.without("put.lease_over"), only("stall"), Limits())


@pytest.fixture(scope="module")
def kept() -> Checked:
    return check(REFERENCE, only(faults=0), Limits())


@pytest.fixture(scope="module")
def vacuous() -> Checked:
    return check(REFERENCE, only("stall"), Limits())


@pytest.fixture(scope="module")
def cut() -> Checked:
    return check(REFERENCE, only("stall"), Limits(max_states=10))


def junit(checked: Checked, name: str = "reference") -> ElementTree.Element:
    return ElementTree.fromstring(as_junit([report_of(checked, name, None)]))


def states(suites: ElementTree.Element) -> dict[str, str]:
    cases = suites.iter("testcase")
    return {case.attrib["name"]: next((child.tag for child in case), "passed") for case in cases}


def test_junit_has_a_case_for_each_promise_of_each_fence(kept: Checked, lost: Checked) -> None:
    suites = ElementTree.fromstring(as_junit([report_of(kept, "reference", None), report_of(lost, WEAK, None)]))
    assert [suite.attrib["name"] for suite in suites] == [kept.fence.name, lost.fence.name]
    for suite in suites:
        assert [case.attrib["name"] for case in suite][: len(NAMES)] == list(NAMES)
    assert suites.attrib["failures"] == "1"
    assert suites.attrib["tests"] == str(2 * (len(NAMES) + 1))


def test_junit_names_what_is_lost_and_tells_the_story(lost: Checked) -> None:
    [failure] = junit(lost, WEAK).iter("failure")
    assert failure.attrib["message"].startswith("lease_gates_writes is lost (1 fault, ")
    assert "VIOLATED" in (failure.text or "")
    assert f"fencebench check {WEAK} --shards 1" in (failure.text or "")


def test_junit_passes_only_what_was_proven(kept: Checked, cut: Checked, vacuous: Checked) -> None:
    assert set(states(junit(kept)).values()) == {"passed"}
    assert {states(junit(cut))[name] for name in NAMES} == {"error"}
    assert states(junit(vacuous))["reaches what it owes"] == "failure"


def test_junit_skips_what_an_early_stop_left_open() -> None:
    first = check(REFERENCE.without("put.lease_over"), only("stall"), Limits(stop_at="first"))
    found = states(junit(first, WEAK))
    assert found["lease_gates_writes"] == "failure"
    assert found["billed_once"] == "skipped"


def sarif(checked: Checked, name: str) -> dict[str, Any]:
    log: dict[str, Any] = json.loads(as_sarif([report_of(checked, name, None)]))
    return log


def test_sarif_has_what_the_standard_requires(lost: Checked) -> None:
    """SARIF 2.1.0: sections 3.13 (log), 3.14 (run), 3.19 (tool component), 3.27 (result), 3.36 (code flow)."""
    log = sarif(lost, WEAK)
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert run["tool"]["driver"]["name"] == "fencebench"
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert run["results"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        for location in result["locations"]:
            assert location["physicalLocation"]["region"]["startLine"] >= 1
            assert not location["physicalLocation"]["artifactLocation"]["uri"].startswith("/")
        [flow] = result["codeFlows"]
        [thread] = flow["threadFlows"]
        assert len(thread["locations"]) == result["properties"]["steps"]


def test_sarif_is_empty_for_a_pass_and_not_for_anything_else(kept: Checked, cut: Checked, vacuous: Checked) -> None:
    assert sarif(kept, "reference")["runs"][0]["results"] == []
    assert [r["ruleId"] for r in sarif(cut, "reference")["runs"][0]["results"]] == ["undetermined"]
    assert [r["ruleId"] for r in sarif(vacuous, "reference")["runs"][0]["results"]] == ["vacuous"]


COMMAND = re.compile(r"::(error|notice) file=([^,:]+),line=(\d+),title=([^:]+)::(.+)\n")


def test_github_annotates_the_line_that_defines_the_fence(lost: Checked, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("from fencebench.model.fences import REFERENCE\n\nMINE = REFERENCE.without('put.lease_over')\n")
    told = COMMAND.fullmatch(as_github([report_of(lost, f"{path}:MINE", None)]))
    assert told is not None
    assert (told[1], told[2], told[3]) == ("error", path.as_posix(), "3")
    assert told[4] == f"fence {escaped(f'{path}:MINE', ':,')}%3A violated"
    assert told[5].startswith("1 promise lost%3A lease_gates_writes".replace("%3A", ":"))


def test_github_has_one_line_for_each_fence(kept: Checked, lost: Checked, cut: Checked) -> None:
    lines = as_github(
        [report_of(c, n, None) for c, n in ((kept, "reference"), (lost, WEAK), (cut, "reference"))]
    ).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::notice", "::error", "::error"]


def test_github_escapes_what_would_end_a_command() -> None:
    assert escaped("50 %\r\nof a: b, c") == "50 %25%0D%0Aof a: b, c"
    assert escaped("a: b, c", ":,") == "a%3A b%2C c"


def test_every_format_names_verdict_promise_and_picture(lost: Checked, tmp_path: Path) -> None:
    report = report_of(lost, WEAK, tmp_path)
    save_pictures([report], tmp_path)
    picture = tmp_path / f"{lost.fence.name}-lease_gates_writes.svg"
    assert picture.read_bytes().startswith(b"<?xml")
    for text in (as_junit([report]), as_sarif([report]), as_github([report])):
        for word in ("violated", "lease_gates_writes", picture.as_posix()):
            assert word in text


def test_without_a_picture_the_command_that_draws_it_is_named(lost: Checked) -> None:
    [one] = report_of(lost, WEAK, None).lost
    assert one.look.startswith(f"Draw it: fencebench check {WEAK} --shards 1")


def test_every_catalogued_fence_has_a_place_that_names_it() -> None:
    root = Path(__file__).parents[2]
    for name in FENCES:
        place = place_of(name)
        assert place is not None, name
        line = (root / place.file).read_text(encoding="utf-8").splitlines()[place.line - 1]
        assert re.match(r"[A-Z_]+\b.* = ", line), (name, line)


def test_a_variant_is_where_its_base_is() -> None:
    assert place_of(WEAK) == place_of("reference")


def test_what_is_in_no_file_has_no_place() -> None:
    assert place_of("nowhere.py:MINE") is None
    assert place_of("unheard-of") is None


def test_the_command_says_that_a_run_was_vacuous(capsys: pytest.CaptureFixture[str]) -> None:
    off = [word for fault in FAULTS if fault != "stall" for word in (f"--{fault.replace('_', '-')}", "0")]
    assert main(["check", "reference", "--shards", "1", "--epochs", "1", "--faults", "1", *off]) == 4
    told = capsys.readouterr().out
    assert told.startswith("VACUOUS")
    assert "action resume_checkpoint (raise --epochs to 2)" in " ".join(told.split())


def test_one_epoch_is_vacuous_and_says_what_to_raise(vacuous: Checked) -> None:
    assert vacuous.verdict == "vacuous"
    summary = report_of(vacuous, "reference", None).summary
    assert "raise --epochs to 2" in summary


def test_a_format_is_one_record_that_choice_writer_and_help_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tap: Format[Answer] = Format("tap", lambda answer: f"1..{len(answer.results)}\n", "the Test Anything Protocol")
    quick = ["--shards", "1", "--epochs", "1", "--faults", "0", "--ceiling", "1850"]
    assert main(["check", "reference", *quick, "--format", "tap"]) == 2
    assert "expected one of text, json, itf" in capsys.readouterr().err
    monkeypatch.setitem(FORMATS, "tap", tap)
    main(["check", "reference", *quick, "--format", "tap"])
    assert capsys.readouterr().out == "1..1\n"
    main(["check", "--help"])
    assert "tap: the Test Anything Protocol" in " ".join(capsys.readouterr().out.split())
    assert main(["check", "reference", "--shards", "any", "--format", "tap"]) == 2
    assert "--shards any has no --format tap" in capsys.readouterr().err


def test_reproduce_keeps_every_option_that_bears_on_the_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "my fence.py"
    path.write_text("from fencebench import REFERENCE\nMINE = REFERENCE.without('put.lease_over')\n")
    words = ["check", f"{path}:MINE", "--epochs", "1", "--forge", "0", "--engine", "plain", "--max-states", "9"]
    main([*words, "--format", "junit", "--pictures", str(tmp_path)])
    root = ElementTree.fromstring(capsys.readouterr().out.partition("\n")[2])
    told = [line for e in root.iter("error") for line in (e.text or "").splitlines()]
    assert {tuple(sorted(shlex.split(line)[1:])) for line in told if line} == {tuple(sorted(words))}


def test_an_artifact_is_flat_and_has_no_sign_that_a_store_refuses(tmp_path: Path) -> None:
    for name in ("fences/ours.py:MINE", "/tmp/a b/ö.py:X", "../up.py:X", "reference-with-sealing=a_step_later"):
        place = artifact(tmp_path, name, "billed_once", ".svg")
        assert place.parent == tmp_path
        assert not set(place.name) & set('":<>|*?\\/\r\n ')
