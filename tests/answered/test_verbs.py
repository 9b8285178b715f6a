import json
from pathlib import Path

import pytest

from fencebench.checker.cli.main import main

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MINE = f"{EXAMPLES / 'sql_commit.py'}"
SMALL = ("--shards", "1", "--faults", "1", "--ceiling", "1850")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main([*words])
    return code, capsys.readouterr().out


def test_ask_prints_the_whole_table_and_exits_by_what_a_promise_feels(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(capsys, "ask", f"{MINE}:SOUND", "--boundary", "commit", *SMALL)
    assert (code, out.startswith("CONFORMS")) == (0, True)
    code, out = told(capsys, "ask", f"{MINE}:STRICT_LEASE", "--boundary", "commit", "--format", "json", *SMALL)
    record = json.loads(out)
    assert code == 1
    assert "lease_gates_writes" in record["felt"]
    differing = [line for line in record["table"] if line["differs"]]
    assert {line["rules"] for line in differing} == {"LEASE_EXPIRED"}
    costs = [(line["run"]["faults"], len(line["run"]["steps"])) for line in record["table"]]
    assert costs == sorted(costs)


def test_ask_wants_a_boundary_that_somebody_else_answers(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", f"{MINE}:SOUND", "--boundary", "put"]) == 2
    assert "expected one of those answered otherwise: commit" in capsys.readouterr().err


def test_check_says_who_answered_and_what_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(capsys, "check", f"{MINE}:STRICT_LEASE", *SMALL)
    assert code == 1
    for words in (
        "strict_lease (SQLite):",
        "one step by assumption",
        "the rules answer LEASE_EXPIRED",
        "receipts: rows",
    ):
        assert words in " ".join(
            out.replace("│", " ").replace("░", " ").replace(">>", " ").replace("┊", " ").split()
        ), words


def test_check_gives_the_same_output_twice(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", f"{MINE}:UPSERT", *SMALL)
    assert told(capsys, *words)[0] == 1
    assert told(capsys, *words) == told(capsys, *words)


def test_diff_tells_where_it_and_the_reference_part(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(capsys, "diff", "reference", f"{MINE}:STRICT_LEASE", *SMALL)
    assert code == 1
    assert "LEASE_EXPIRED" in out


def test_knockout_takes_out_the_other_rules(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(capsys, "knockout", f"{MINE}:SOUND", "--jobs", "1", "--shards", "1", "--faults", "0")
    assert code in (0, 1)
    assert "put.stale_epoch" in out
    assert "commit.stale_epoch  " not in out


def test_walk_goes_over_it(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = told(capsys, "walk", f"{MINE}:STRICT_LEASE", "--examples", "40", "--seed", "1")
    assert code in (0, 1, 4)
    assert "commit" in out


def test_sums_of_tokens_go_with_no_reduction(capsys: pytest.CaptureFixture[str]) -> None:
    fence = f"{EXAMPLES / 'sql_reserve.py'}:SOUND"
    assert main(["check", fence, "--shards", "any"]) == 2
    assert "reserve is answered by your own code" in capsys.readouterr().err
