"""The committed gallery is what the bench finds and draws today; and a gallery is written whole, without left-overs."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from fencebench.checker.analysis.bounds import Asked, bound_of
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import check
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.cli.main import main
from fencebench.checker.errors import BadInput
from fencebench.checker.report.case import story_of
from fencebench.checker.report.ci import GALLERY
from fencebench.checker.report.gallery import DIGESTS, INDEX, MARK, Exhibit, exhibits, files, usable, write
from fencebench.checker.report.gallery_index import forged, index, of_promise
from fencebench.checker.report.stored import recall
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.properties import promising
from fencebench.model.fences import EXPECTED, FENCES, SHARD_KEYED
from fencebench.model.promises.catalogue import PROMISES, promise_of
from fencebench.model.promises.promise import GROUPS, OWN
from fencebench.model.settings import FAULTS, Settings

ROOT = Path(__file__).parents[2]
COMMITTED = ROOT / GALLERY
AGAIN = ("provenance-sketch-d", "worker-clock")
"""Fences whose stories are searched anew: few states and many promises, and one story that needs two faults."""


def none_of(*kept: str) -> dict[str, int]:
    return {fault: int(fault in kept) for fault in FAULTS}


@pytest.fixture(scope="module")
def shown() -> list[Exhibit]:
    bound = bound_of({"shards": 1, "epochs": 1, "faults": 1, "ceiling": 1850, **none_of("stall", "forge")}, "test")
    found = check(SHARD_KEYED, Asked((bound,), Settings()), Limits())
    return [e for e in exhibits(found) if e.promise in ("lease_gates_resume", "receipt_has_artifact")]


@pytest.fixture(scope="module")
def made(shown: list[Exhibit]) -> dict[str, bytes]:
    return files(shown, index(shown, []))


def stored(stem: str) -> Exhibit:
    """Search for a committed story again, under its own bound and up to its own cost, and tell it."""
    fence, promise = stem.split("/")
    recalled = recall(COMMITTED / f"{stem}.itf.json", fence)
    about = promising(recalled.machine, promise)
    found = ENGINES["auto"](True)(about, Limits(stop_at="first"), lambda *_: None).findings[promise]
    case = Case(recalled.fence, recalled.bound, recalled.settings, found)
    return Exhibit(case, story_of(case))


def stems() -> list[str]:
    return sorted(p.relative_to(COMMITTED).as_posix().removesuffix(".itf.json") for p in COMMITTED.glob("*/*.itf.json"))


def test_there_is_a_gallery() -> None:
    assert (COMMITTED / INDEX).read_text(encoding="utf-8").startswith(MARK)
    assert stems()


@pytest.mark.parametrize("fence", AGAIN)
def test_the_committed_stories_are_what_is_found_and_told_today(fence: str) -> None:
    mine = [stem for stem in stems() if stem.startswith(f"{fence}/") and not stem.endswith("/can_finish")]
    assert mine
    shortest = min(mine, key=lambda stem: (COMMITTED / f"{stem}.itf.json").stat().st_size)
    exhibit = stored(shortest)
    assert exhibit.digest() in (COMMITTED / DIGESTS).read_text(encoding="utf-8")
    for path, text in exhibit.texts().items():
        assert (COMMITTED / path).read_text(encoding="utf-8") == text, path


def test_every_committed_story_still_violates() -> None:
    for stem in stems():
        recalled = recall(COMMITTED / f"{stem}.itf.json", None)
        assert recalled.replay().verdict == "still violates" or recalled.promise == "can_finish", stem


def test_the_committed_gallery_shows_every_promise_that_a_fence_is_expected_to_break() -> None:
    assert {f"{fence}/{name}" for fence, expected in EXPECTED.items() for name in expected.broken} <= set(stems())


def test_the_committed_index_and_files_belong_together() -> None:
    text = (COMMITTED / INDEX).read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)\)", text))
    there = {p.relative_to(COMMITTED).as_posix() for p in COMMITTED.glob("*/*")}
    assert linked == there
    digests = (COMMITTED / DIGESTS).read_text(encoding="utf-8").splitlines()
    assert sorted(line.split("  ")[1].removesuffix(".dot") for line in digests) == stems()


def test_every_promise_has_a_failure_mode() -> None:
    assert all(promise.failure.endswith(".") and promise.question.endswith("?") for promise in PROMISES)
    assert all(promise.title and promise.group in GROUPS for promise in PROMISES)
    assert {promise.group for promise in PROMISES} == {*GROUPS} - {OWN}


def test_the_index_tells_every_story(shown: list[Exhibit]) -> None:
    text = index(shown, ["reference"])
    for exhibit in shown:
        faults, steps = exhibit.cost
        assert f"| {exhibit.fence} | {faults} | {steps} |" in text
        assert exhibit.case.reproduce in text
        assert promise_of(exhibit.case.fence, exhibit.promise).failure in text
    assert "in `reference`." in text


def test_every_link_of_the_index_is_a_file_or_an_anchor(made: dict[str, bytes]) -> None:
    text = made[INDEX].decode()
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert f'<a id="{link[1:]}">' in text if link.startswith("#") else link in made, link


def test_a_story_that_nobody_forged_is_shown_before_one_that_somebody_did(shown: list[Exhibit]) -> None:
    stalled, forgery = shown if not forged(shown[0]) else reversed(shown)
    case = replace(forgery.case, finding=replace(forgery.case.finding, property=stalled.promise, steps=1))
    assert of_promise([replace(forgery, case=case), stalled], promise_of(case.fence, stalled.promise))[0] is stalled


def test_the_same_gallery_is_made_twice_and_written_whole(
    shown: list[Exhibit], made: dict[str, bytes], tmp_path: Path
) -> None:
    assert files(shown, index(shown, [])) == made
    folder = tmp_path / "new"
    write(folder, made)
    assert {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*.*")} == made


def test_what_no_story_owns_is_removed(shown: list[Exhibit], made: dict[str, bytes], tmp_path: Path) -> None:
    write(tmp_path, made)
    (tmp_path / "old-fence").mkdir()
    (tmp_path / "old-fence" / "billed_once.svg").write_text("stale")
    (tmp_path / "notes.txt").write_text("mine")
    gone = write(tmp_path, {path: data for path, data in made.items() if not path.startswith(shown[0].stem)})
    assert "old-fence/billed_once.svg" in gone
    assert f"{shown[0].stem}.txt" in gone
    assert not (tmp_path / "old-fence").exists()
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_a_folder_with_something_else_is_left_alone(made: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(BadInput, match="is no gallery"):
        write(tmp_path, made)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        usable(tmp_path / "file")


def test_the_command_refuses_to_show_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bounds = tmp_path / "bounds.toml"
    bounds.write_text("shards = 1\nfaults = 0\nceiling = 1850\n")
    assert main(["gallery", "reference", "-o", str(tmp_path / "out"), "--bounds", str(bounds)]) == 2
    assert "breaks a promise" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_every_fence_of_the_catalogue_is_in_the_gallery_or_holds() -> None:
    shown = {stem.split("/")[0] for stem in stems()}
    assert {name for name in FENCES if EXPECTED[name].verdict == "violated"} == shown
