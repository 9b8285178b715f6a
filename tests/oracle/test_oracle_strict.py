import json
from collections import Counter
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.oracle.drive.translate import Source, translate
from fencebench.checker.oracle.drive.vectors import runs_of
from fencebench.checker.oracle.replay.modes import strictly
from fencebench.checker.oracle.replay.replay import Verdict, replay
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.settings import FAULTS, Bound
from tests.quick import thorough_but

SOUND = ("reference", "token-level", "compensating")
CASES = Path(__file__).parent / "cases"
PART = dict.fromkeys(FAULTS, 0) | {"preempt": 1, "late": 1, "forge": 1, "change_fixture": 1}


def logs(source: Source) -> list[list[str]]:
    return [[json.dumps(line.logged) for line in translate(source, run)] for run in runs_of(source)]


@pytest.mark.parametrize("name", thorough_but(FENCES, "spend-sketch", "provenance-sketch-d", "reference"))
def test_every_fence_conforms_to_itself(name: str) -> None:
    source = Source(FENCES[name], Bound(faults=1, caps=PART if name != "reference" else dict.fromkeys(FAULTS, 1)))
    verdicts = [replay(log, mode=strictly(source.fence)) for log in logs(source)]
    assert Counter(v.verdict for v in verdicts)["conforms"] > 10
    wrong = [v for v in verdicts if v.line is not None]
    assert [v for v in wrong if "." in (v.rule or "")] == []  # rules of the fence have a boundary in their names
    assert name not in SOUND or wrong == []


OTHERS = [name for name in FENCES if name not in SOUND]


@pytest.mark.parametrize("name", thorough_but(OTHERS, "spend-sketch", "worker-clock"))
def test_another_fence_is_told_from_the_reference(name: str) -> None:
    source = Source(FENCES[name], Bound(faults=2, caps=dict.fromkeys(FAULTS, 0) | FOUND_BY.get(name, {"forge": 1})))
    found = [replay(log, mode=strictly(REFERENCE)) for log in logs(source)]
    wrong = next(v for v in found if v.verdict == "diverges")
    assert wrong.mode == "fence reference, strictly"
    assert "fence reference" in (wrong.why or "")


FOUND_BY = {
    "worker-clock": {"preempt": 1, "skew": 1},
    "liveness-gated": {"preempt": 1},
    "case-index-checkpoint": {"preempt": 1, "change_fixture": 1},
    "charge-on-commit": {"preempt": 1, "redeliver": 1},
    "truncating": {"cut_allowance": 1},
}


def judged(*lines: dict[str, object]) -> Verdict:
    plan = {"t": 0, "op": "run.open", "run": 1, "shards": [0], "cases": 4, "ceiling": 100, "revision": "A",
            "input_digest": "i", "lease_ttl": 60}  # fmt: skip
    about = {"run": 1, "shard": 0, "epoch": 0}
    return replay([json.dumps(plan), *(json.dumps({**about, **line}) for line in lines)], mode=strictly(REFERENCE))


HELD: dict[str, object] = {"t": 1, "op": "ledger.reserve", "tokens": 40, "outcome": "reserved"}
LEASED: dict[str, object] = {"t": 1, "op": "lease.grant", "expires": 61, "outcome": "granted"}
MADE = {"digest": "d", "revision": "A", "input_digest": "i", "parts": [4, 4]}
PUT: dict[str, object] = {"t": 5, "op": "store.put", **MADE}


def test_a_refusal_is_judged_by_the_order_of_the_rules() -> None:
    late = {**PUT, "t": 70, "outcome": "refused"}
    assert judged(HELD, LEASED, {**late, "reason": "LEASE_EXPIRED"}).verdict == "conforms"
    wrong = judged(HELD, LEASED, {**late, "revision": "B", "reason": "LEASE_EXPIRED"})
    assert (wrong.rule, wrong.allowed) == ("put.other_revision", ("REVISION_MISMATCH",))


def test_an_acceptance_that_the_fence_refuses_names_the_rule_and_the_promise() -> None:
    wrong = judged(HELD, LEASED, {**PUT, "t": 61, "outcome": "created"})
    assert (wrong.line, wrong.rule, wrong.property) == (4, "put.lease_over", "lease_gates_writes")


def test_a_refusal_of_what_the_fence_accepts_diverges() -> None:
    wrong = judged(HELD, LEASED, {**PUT, "outcome": "refused", "reason": "STALE_EPOCH"})
    assert (wrong.rule, wrong.property, wrong.allowed) == ("put.none", "rejections_classified", ("created",))


def test_an_answer_that_never_came_leaves_both_ways_open() -> None:
    lost = {**PUT, "outcome": "no_reply"}
    for again in ("ALREADY_STORED", "created"):
        answer = {"outcome": "created"} if again == "created" else {"outcome": "refused", "reason": again}
        assert judged(HELD, LEASED, lost, {**PUT, "t": 6, **answer}).verdict == "conforms"
    assert judged(HELD, LEASED, lost, {**PUT, "t": 6, "outcome": "refused", "reason": "CONFLICT"}).verdict == "diverges"


def test_a_lease_is_renewed_while_it_runs_and_expires_when_it_is_over() -> None:
    renew = {"op": "lease.renew", "expires": 130, "outcome": "granted"}
    assert judged(HELD, LEASED, {**renew, "t": 60}).verdict == "conforms"
    assert judged(HELD, LEASED, {**renew, "t": 61}).rule == "lease"
    assert judged(HELD, LEASED, {"t": 60, "op": "lease.expire", "outcome": "expired"}).rule == "lease"


def test_what_only_follows_from_a_wrong_answer_is_a_consequence() -> None:
    again = {**PUT, "t": 62, "outcome": "refused", "reason": "ALREADY_STORED"}
    wrong = judged(HELD, LEASED, {**PUT, "t": 61, "outcome": "created"}, again)
    assert wrong.consequences == (5,)


def test_the_command_says_which_mode_judged_and_draws_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = str(CASES / "L01_late_put_after_replacement.jsonl")
    picture = tmp_path / "run.txt"
    assert main(["oracle", "replay", log, "--fence", "reference", "--picture", str(picture)]) == 1
    assert "fence reference, strictly" in capsys.readouterr().out
    assert "VIOLATED" in picture.read_text()
    assert main(["oracle", "replay", log, "--picture", str(tmp_path / "run.svg")]) == 1
    assert (tmp_path / "run.svg").read_bytes().startswith(b"<?xml")
    assert main(["oracle", "replay", log, "--picture", str(tmp_path / "run.gif")]) == 2
    assert main(["oracle", "replay", log, "--fence", "nobody"]) == 2


@pytest.mark.parametrize("log", sorted(CASES.glob("[LK]*.jsonl")), ids=lambda p: p.stem[:3])
def test_every_example_can_be_drawn(log: Path, tmp_path: Path) -> None:
    from fencebench.checker.oracle.replay.story import story_of_log
    from fencebench.checker.report.picture import as_dot, as_mermaid, as_text

    lines = log.read_bytes().splitlines()
    story = story_of_log(lines, replay(lines, log.name))
    assert as_dot(story)
    assert as_text(story)
    assert as_mermaid(story)
