"""One shard in the general environment against whole systems of one, two and three shards."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.fast import explore
from fencebench.checker.reduce.embedding import Embedding, embed, script
from fencebench.checker.search.result import Result
from fencebench.model.any_shards import DENIAL, METER, NOT_COVERED, OF_TOTALS, SPEND, general, unproved
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.machine import Event, Property
from fencebench.model.machines.ledger import Request
from fencebench.model.machines.shared import Effect
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.settings import FAULTS, Bound, Settings
from tests.quick import thorough_but
from tests.toys import counters

FEW = {"preempt", "redeliver", "crash_driver", "cut_allowance"}
ONLY_FEW = {fault: int(fault in FEW) for fault in FAULTS}


@cache
def of_any(name: str, few: bool) -> Result:
    bound = Bound(faults=1, caps=ONLY_FEW) if few else Bound(faults=1)
    return explore(general(build(FENCES[name], bound, Settings())))


def costs(result: Result) -> dict[str, tuple[int, int]]:
    """Return the cost of the cheapest story of each promise."""
    found: dict[str, tuple[int, int]] = {}
    for name, story in result.findings.items():
        promise, cost = name.removesuffix(OF_TOTALS), (story.faults, story.steps)
        found[promise] = min(cost, found.get(promise, cost))
    return found


def covers(whole: Result, of_one: Result) -> bool:
    """Say whether every promise that is broken in a whole system, and covered, is broken for one shard as cheaply."""
    cheapest = costs(of_one)
    return all(
        name in NOT_COVERED or (name in cheapest and cheapest[name] <= (found.faults, found.steps))
        for name, found in whole.findings.items()
    )


SEVERAL = [
    "shard-keyed",
    "spend-sketch",
    "provenance-sketch-d",
    "worker-epochs",
    "liveness-gated",
    "truncating",
    "reference",
]


@pytest.mark.parametrize("name", thorough_but(SEVERAL, "spend-sketch", "reference"))
def test_one_shard_is_covered(name: str) -> None:
    whole = explore(build(FENCES[name], Bound(faults=1, spare_attempts=1), Settings()))
    assert covers(whole, of_any(name, few=False))


@pytest.mark.parametrize("name", thorough_but(["spend-sketch", "reference"]))
def test_two_shards_are_covered(name: str) -> None:
    bound = Bound(shards=2, faults=1, caps=ONLY_FEW)
    assert covers(explore(build(FENCES[name], bound, Settings())), of_any(name, few=True))


@pytest.mark.parametrize("name", thorough_but(["charge-on-commit", "liveness-gated"]))
def test_three_shards_are_covered(name: str) -> None:
    caps = ONLY_FEW | {"crash_driver": 0, "cut_allowance": 0}
    assert covers(explore(build(FENCES[name], Bound(3, faults=1, caps=caps), Settings())), of_any(name, few=True))


def test_the_same_promises_of_one_shard_are_found_as_cheaply() -> None:
    whole = explore(build(FENCES["liveness-gated"], Bound(faults=1), Settings()))
    assert costs(of_any("liveness-gated", few=False)) == costs(whole)
    assert costs(whole)


def test_every_promise_is_covered_or_said_not_to_be() -> None:
    general_names = {p.name.removesuffix(OF_TOTALS) for p in general(build(FENCES["reference"])).properties}
    assert general_names | {*NOT_COVERED} == {*NAMES}
    assert not general_names & {*NOT_COVERED}


ASKED = Request(0, tokens=10)


@pytest.mark.parametrize(
    ("event", "effect", "expected"),
    [
        (Event("reserve"), Effect(asks=10, fits=True, held=10), []),
        (Event("reserve"), Effect(asks=9, fits=True, held=10), [SPEND]),
        (Event("reserve"), Effect(asks=10, fits=False, held=10), [SPEND]),
        (Event("reserve"), Effect(held=10), [SPEND]),
        (Event("deliver"), Effect(held=-10, committed=10), []),
        (Event("deliver"), Effect(held=-9, committed=10), [SPEND]),
        (Event("expire"), Effect(held=-10, written_off=4), []),
        (Event("grade"), Effect(draws=5, covered=True, burned=5), []),
        (Event("grade"), Effect(draws=4, covered=True, burned=5), [METER]),
        (Event("grade"), Effect(burned=5), [METER]),
        (Event("reserve", outcome="OVER_CEILING", message=ASKED), Effect(asks=10, fits=False), []),
        (Event("reserve", outcome="OVER_CEILING", message=ASKED), Effect(asks=11, fits=False), [DENIAL]),
        (Event("reserve", outcome="OVER_CEILING", message=ASKED), Effect(asks=10, fits=True), [DENIAL]),
        (Event("grade", outcome="OVER_CEILING", message=ASKED), Effect(asks=10, fits=False), [DENIAL]),
        (Event("put", outcome="OVER_CEILING", message=ASKED), Effect(draws=10, covered=False), [DENIAL]),
    ],
)
def test_who_adds_to_the_totals_has_to_presume_that_there_is_room(
    event: Event, effect: Effect, expected: list[str]
) -> None:
    assert [*unproved(event, effect)] == expected


def test_a_story_needs_another_unit() -> None:
    alone, pair = counters(units=1, top=2, budget=2), counters(units=2, top=2, budget=2)
    poor = replace(alone, initial=alone.initial._replace(shared=alone.initial.shared._replace(left=0)))
    refused = [t for t in poor.successors(poor.initial) if t.event.outcome == "OVER"]
    assert embed(alone, script(refused), "shabby", 1000) == Embedding(None, 1, True)
    asking = (Property("shabby", ("mood",), lambda mood: "it sulks" if mood == "stuck" else None),)
    found = embed(replace(pair, properties=asking), script(refused), "shabby", 1000)
    assert found.finding is not None
    assert [(t.unit, t.event.action) for t in found.finding.trace] == [(1, "tick"), (1, "tick"), (0, "tick")]
    assert embed(replace(pair, properties=asking), script(refused), "shabby", 1).exhausted is False


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["check", *words])
    out, err = capsys.readouterr()
    return code, out, err


def test_it_holds_and_says_what_it_does_not_cover(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "reference", "--shards", "any", "--faults", "1")
    verdict = " ".join(out.split("\n\n")[0].split())
    assert code == 0
    assert verdict.startswith("HOLDS reference: the fence we recommend, for any number of shards; not covered")
    assert all(name in verdict for name in (*NOT_COVERED, "witnesses"))
    assert out.splitlines()[-1].startswith("reproduce: fencebench check")


def test_a_whole_run_is_found_and_replays(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("liveness-gated", "--shards", "any", "--faults", "1", "--traces", str(tmp_path))
    code, out, _ = run(capsys, *words, "--property", "lease_gates_writes")
    assert code == 1
    assert "found with      1 shard, 2 epochs, fault sum 1, ceiling 1850" in out
    assert "no shorter one exists" in out
    for name in ("lease_gates_writes", "lease_gates_resume", "rejections_classified"):
        assert main(["replay", str(tmp_path / f"liveness-gated-{name}.itf.json")]) == 1
    capsys.readouterr()


def test_a_story_that_no_whole_run_has_is_spurious(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "truncating", "--shards", "any", "--faults", "0")
    assert (code, out[:12]) == (3, "UNDETERMINED")
    assert "spurious story of whole_artifact" in out
    assert "grade 30–39 = OVER_CEILING" in out
    code, out, _ = run(capsys, "truncating", "--shards", "any", "--faults", "0", "--format", "json")
    [only] = json.loads(out)["runs"]
    [story] = only["spurious"]
    assert (code, only["verdict"], story["property"]) == (3, "undetermined", "whole_artifact")
    assert {search["shards"] for search in story["searched"]} == {1, 2, 3}
    assert only["properties"]["whole_artifact"]["verdict"] == "undetermined"
    assert only["properties"]["billed_once"]["verdict"] == "holds"
    assert only["properties"]["ends_well"]["verdict"] == "undetermined"
    assert story["story"][-1]["outcome"] == "COMMITTED"


def test_a_story_that_is_spurious_alone_is_real_with_a_fault_more(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "truncating", "--shards", "any", "--faults", "1", "--format", "json")
    broken = json.loads(out)["runs"][0]["properties"]["whole_artifact"]
    assert (code, broken["verdict"], broken["faults"], broken["minimal"]) == (1, "violated", 1, False)
    assert any(step["fault"] == "cut_allowance" for step in broken["trace"])


def test_a_bounds_file_may_say_any(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text('shards = "any"\nfaults = 0\n')
    code, out, _ = run(capsys, "reference", "--bounds", str(file))
    assert (code, "any number of shards, 2 epochs, fault sum 0" in out) == (0, True)
    code, out, _ = run(capsys, "reference", "--bounds", str(file), "--shards", "1")
    assert (code, "any number of shards" in out) == (0, False)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--ceiling", "1850"), "no --ceiling"),
        (("--all",), "no --all"),
        (("--reduce",), "no --reduce"),
        (("--format", "sarif"), "no --format sarif"),
        (("--property", "ends_well"), "says nothing of ends_well"),
        (("--format", "itf", "--faults", "0"), "no whole run breaks a promise"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "reference", "--shards", "any", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err


@pytest.mark.parametrize(
    "text", ['shards = "any"\nceiling = 9\n', 'shards = "any"\n[[bounds]]\n[[bounds]]\nfaults = 1\n']
)
def test_a_bounds_file_with_more_is_refused(text: str, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "bounds.toml"
    file.write_text(text)
    code, _, err = run(capsys, "reference", "--bounds", str(file))
    assert (code, err.count("\n")) == (2, 1)
    assert "goes with one bound" in err


def test_a_number_of_shards_is_a_number_or_any(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "reference", "--shards", "some")
    assert (code, err.count("\n")) == (2, 1)
    assert main(["knockout", "reference", "--shards", "any"]) == 2
    assert "whole number" in capsys.readouterr().err


def test_reduced_runs_say_what_they_did_not_judge(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bound = ("--shards", "2", "--faults", "1", "--ceiling", "3700")
    code, out, _ = run(capsys, "reference", *bound, "--reduce")
    verdict = " ".join(out.split("\n\n")[0].split())
    assert (code, verdict[:5]) == (0, "HOLDS")
    assert "not judged: consumed_is_accepted, ends_well, can_finish, witnesses" in verdict
    assert "blocks" in out
    code, out, _ = run(capsys, "truncating", *bound, "--reduce", "--traces", str(tmp_path), "--format", "json")
    [only] = json.loads(out)["runs"]
    assert (code, only["properties"]["whole_artifact"]["faults"]) == (1, 1)
    assert only["properties"]["ends_well"]["verdict"] == "undetermined"
    assert only["not_judged"][-1] == "witnesses"
    assert only["reproduce"].endswith("--reduce")
    assert main(["replay", str(tmp_path / "truncating-whole_artifact.itf.json")]) == 1
    assert '"minimal": false' in (tmp_path / "truncating-whole_artifact.itf.json").read_text()
    capsys.readouterr()


@pytest.mark.parametrize(
    ("words", "expected"), [(("--all",), "without --reduce"), (("--checkpoint", "x"), "leave --checkpoint")]
)
def test_reducing_has_its_limits(words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "--reduce", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert expected in err
