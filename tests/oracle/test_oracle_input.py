"""Bad input gets one line that names the line and what was expected; a divergence before it is told all the same."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from fencebench.checker.oracle.log.events import BadLineError
from fencebench.checker.oracle.log.streams import followed
from fencebench.checker.oracle.replay.replay import replay
from tests.oracle.stories import command

OPEN = '{"t":0,"op":"run.open","run":7,"shards":[3]}'
GRANT = '{"t":5,"op":"lease.grant","run":7,"shard":3,"epoch":0,"expires":61,"outcome":"granted"}'
LATE = '{"t":61,"op":"store.put","run":7,"shard":3,"epoch":0,"outcome":"created"}'


def line(**fields: Any) -> str:
    made = {"t": 9, "op": "store.put", "run": 7, "shard": 3, "epoch": 0, "outcome": "created", **fields}
    return json.dumps({name: value for name, value in made.items() if value is not ...})


BAD = {
    "cut in half": (GRANT[:40], "whole JSON object, it breaks at column"),
    "not an object": ("[1]", "expected one JSON object, found [1]"),
    "no op": ('{"t":1,"run":7}', "required field op is missing"),
    "unknown op": (line(op="store.putt"), "unknown op 'store.putt', expected one of run.open, lease.grant"),
    "op is no text": (line(op=["store.put"]), "unknown op"),
    "no shard": (line(shard=...), "store.put: the required field shard is missing"),
    "null epoch": (line(epoch=None), "required field epoch is missing"),
    "no t": (line(t=...), "required field t is missing"),
    "no outcome": (line(outcome=...), "required field outcome is missing"),
    "no expires": (GRANT.replace('"expires":61,', ""), "required field expires is missing"),
    "no tokens": (line(op="ledger.reserve", outcome="reserved"), "required field tokens is missing"),
    "unknown outcome": (line(outcome="stored"), "unknown outcome 'stored', expected created, refused, no_reply"),
    "epoch is no number": (line(epoch="0"), "expected epoch to be a whole number, 0 or more, found '0'"),
    "epoch is true": (line(epoch=True), "expected epoch to be a whole number"),
    "epoch below 0": (line(epoch=-1), "expected epoch to be a whole number"),
    "shard is a list": (line(shard=[3]), "expected shard to be a name"),
    "parts are three": (line(parts=[1, 2, 3]), "expected parts to be two whole numbers"),
    "acceptance is unknown": ('{"t":0,"op":"run.open","run":8,"acceptance":"any"}', '"put" or "receipt"'),
    "t is a text": (line(t="9"), "expected t to be a finite number of seconds, found '9'"),
    "NaN": (line(t=float("nan")), "finite numbers, found NaN"),
    "too large": (line().replace('"t": 9', '"t": 1e999'), "expected t to be a finite number"),
    "too many digits": (line().replace('"t": 9', '"t": ' + "9" * 5000), "fewer digits"),
    "nested deeply": ('{"t":1,"x":' + "[" * 200_000, "nested too deeply"),
    "nested in a field": (line(parts=json.loads("[" * 900 + "]" * 900)), "expected parts to be"),
    "time runs backwards": (line(t=4), "time runs backwards in run 7: t 4 after 5"),
    "not opened": (line(run=8), "store.put of run 8, which was not opened"),
    "opened twice": (OPEN.replace('"t":0', '"t":6'), "run 7 was opened before, at line 1"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_line_is_named_with_what_was_expected(kind: str) -> None:
    text, expected = BAD[kind]
    with pytest.raises(BadLineError) as error:
        replay([OPEN, GRANT, text])
    assert str(error.value).startswith("line 3: ")
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_bytes_that_are_not_utf8_are_named() -> None:
    with pytest.raises(BadLineError, match=r"^line 2: expected UTF-8, byte 3"):
        replay([OPEN.encode(), b'{"\xff"}'])


@pytest.mark.parametrize("lines", [[], [""], ["\n", "  \n"]])
def test_an_empty_log_is_an_error(lines: list[str]) -> None:
    with pytest.raises(BadLineError, match="the log is empty"):
        replay(lines)


def test_a_byte_order_mark_and_windows_line_ends_are_fine() -> None:
    found = replay([b"\xef\xbb\xbf" + OPEN.encode() + b"\r\n", GRANT.encode() + b"\r\n", b"\r\n", LATE.encode()])
    assert (found.verdict, found.line) == ("diverges", 4)


def test_a_log_without_a_grant_or_commit_is_vacuous() -> None:
    assert replay([OPEN, line()]).verdict == "vacuous"
    assert replay([OPEN]).verdict == "vacuous"


def test_unknown_fields_are_ignored() -> None:
    assert replay([OPEN, GRANT, line(colour={"deep": [1]}, actor="w")]).verdict == "conforms"


def test_a_bad_line_after_a_divergence_does_not_hide_it() -> None:
    found = replay([OPEN, GRANT, LATE, "{"])
    assert (found.verdict, found.line) == ("diverges", 3)
    assert found.unread is not None
    assert found.unread.startswith("line 4: ")


@pytest.mark.parametrize("seed", range(40))
def test_a_mangled_log_is_judged_or_named_but_never_crashes(seed: int, here: Path) -> None:
    chance = random.Random(seed)
    lines = chance.choice(sorted((here / "cases").glob("[KL]*.jsonl"))).read_bytes().splitlines()
    for _ in range(3):
        at = chance.randrange(len(lines))
        where = chance.randrange(len(lines[at]) + 1)
        change = chance.choice([b"", b"-", b"null", b"9" * 20, b'"', lines[at - 1], b"\x80"])
        lines[at] = lines[at][:where] + change + lines[at][where + chance.randrange(4) :]
    try:
        line_reached = replay(lines).events
    except BadLineError as error:
        line_reached = error.line
    assert 1 <= line_reached <= len(lines)


def run(*args: str, text: bytes | None = None) -> tuple[int, str, str]:
    return command("oracle", "replay", *args, text=text)


def test_exit_codes_of_the_command(tmp_path: Path, here: Path) -> None:
    cases = here / "cases"
    assert run(str(cases / "K01_control_late_put_refused.jsonl"))[0] == 0
    assert run(str(cases / "L01_late_put_after_replacement.jsonl"))[0] == 1
    assert run("-", text=OPEN.encode())[0] == 4
    for source in (str(tmp_path / "none"), str(tmp_path), "-"):
        code, out, err = run(source, text=b"")
        assert (code, out) == (2, "")
        assert err.startswith(f"fencebench: {source}: ")
        assert err.count("\n") == 1


def test_json_is_one_object_with_the_promised_fields(here: Path) -> None:
    code, out, _ = run(str(here / "cases" / "L08_late_commit_after_sweep_vanishes.jsonl"), "--format", "json")
    found = json.loads(out)
    promised = "log verdict line op answered allowed property rule why consequences events mode code"
    assert set(promised.split()) <= set(found)
    assert (code, found["line"], found["consequences"], found["mode"]) == (1, 8, [10], "any sound policy")


def test_text_says_the_verdict_first_and_the_mode(here: Path) -> None:
    _, out, _ = run(str(here / "cases" / "L18_worker_clock_steps_back.jsonl"))
    assert out.startswith("DIVERGES")
    assert "judged by   any sound policy" in out
    assert "the lease of epoch 0 ended at 61, it is 75 (the actor's own clock says -3525)" in out


def test_a_growing_log_is_read_to_its_first_divergence(tmp_path: Path) -> None:
    path = tmp_path / "growing.jsonl"
    pieces = [OPEN + "\n", GRANT[:30], GRANT[30:] + "\n", LATE + "\n"]
    path.write_text("")

    def write_more(_: float) -> None:
        if pieces:
            with path.open("a") as file:
                file.write(pieces.pop(0))

    with path.open("rb") as file:
        assert len(list(followed(file, 1, write_more))) == 3


def test_following_stops_at_the_divergence(here: Path) -> None:
    log = str(here / "logs" / "D2_expired_too_early.jsonl")
    code, out, _ = run(log, "--follow", "--idle", "0.3", "--format", "json")
    assert (code, json.loads(out)["events"]) == (1, 3)
    code, out, _ = run("-", "--follow", text=Path(log).read_bytes())
    assert code == 1


def test_ten_thousand_shards_and_two_runs() -> None:
    shards = range(10_000)
    lines = [f'{{"t":0,"op":"run.open","run":{run},"shards":{list(shards)},"ceiling":100000}}' for run in (7, 8)]
    for number in shards:
        lines += [
            f'{{"t":1,"op":"lease.grant","run":{run},"shard":{number},"epoch":0,"expires":61,"outcome":"granted"}}'
            for run in (7, 8)
        ]
        lines.append(
            f'{{"t":1,"op":"ledger.reserve","run":7,"shard":{number},"epoch":0,"tokens":10,"outcome":"reserved"}}'
        )
    assert replay(lines).verdict == "conforms"
    more = '{"t":2,"op":"ledger.reserve","run":7,"shard":0,"epoch":1,"tokens":1,"outcome":"reserved"}'
    assert replay([*lines, more]).rule == "over_ceiling"


def test_many_answers_that_never_came_end_undetermined_and_not_in_a_pass() -> None:
    lost = [line(t=9, digest=f"art-{n}", outcome="no_reply", parts=[n, n]) for n in range(80)]
    found = replay([OPEN, GRANT, *lost, line(t=70, outcome="created", digest="art-x")])
    assert found.verdict == "undetermined"
    assert found.line == 83
