import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fencebench.checker.oracle.rows.audit import WORDS, audit, interpretable
from fencebench.checker.oracle.rows.rows import (
    BadRowsError,
    Plan,
    Row,
    from_csv,
    from_database,
    from_jsonl,
    plan_of,
    row_of,
)
from tests.oracle.stories import command

PLAN = Plan("7", ("0", "1", "2", "3"), ceiling=7400, revision="rev-A", input_digest="in-1")


def row(shard: int = 0, epoch: int = 0, **fields: Any) -> Row:
    made = {"revision": "rev-A", "input_digest": "in-1", "tokens": 1850, "grade": 0.5, **fields}
    return Row("7", str(shard), epoch, **made)


GOOD = [row(shard, grade=grade) for shard, grade in enumerate((0.5, 0.75, 1.0, 0.25))]


def test_a_whole_batch_is_interpretable_and_its_mean_is_over_the_planned_shards() -> None:
    found = audit(GOOD, PLAN, "mean-over-shards")
    assert (found.verdict, found.value) == ("interpretable", 0.625)
    assert audit(GOOD, PLAN, "total-over-rows").value == 2.5
    assert audit(GOOD, PLAN).value is None


WRONG: dict[str, tuple[list[Row], str]] = {
    "incomplete-batch": (GOOD[:3], "incomplete-batch"),
    "denominator-drift": ([*GOOD[:3], row(3, 0, tokens=0), row(3, 1, tokens=0)], "denominator-drift"),
    "unresolved-revision-mix": ([*GOOD, row(2, grade=0.1)], "unresolved-revision-mix"),
    "multi-revision-aggregate": ([*GOOD[:3], row(3, revision="rev-B")], "multi-revision-aggregate"),
    "mixed-inputs": ([*GOOD[:3], row(3, input_digest="in-2")], "mixed-inputs"),
    "unplanned-shard": ([*GOOD[:3], row(3, tokens=0), row(9, tokens=0)], "unplanned-shard"),
    "over-ceiling": ([*GOOD[:3], row(3, tokens=1851)], "over-ceiling"),
    "double-billed": ([*GOOD[:3], row(3, 0, tokens=900), row(3, 1, tokens=900)], "denominator-drift, double-billed"),
}


@pytest.mark.parametrize("word", WORDS)
def test_each_word_has_a_batch_that_earns_it_and_then_there_is_no_number(word: str) -> None:
    rows, verdict = WRONG[word]
    found = audit(rows, PLAN, "mean-over-shards")
    assert found.verdict == verdict
    assert word in found.words
    assert found.value is None
    assert not interpretable(found)


def test_the_same_row_again_is_deduped_and_told_outcomes_are_counted() -> None:
    found = audit([*GOOD, GOOD[0], row(1, outcome="deduped"), row(1, 0, outcome="rejected_stale")], PLAN)
    header = found.header
    assert (header.deduped, header.rejected_stale, header.conflicts) == (2, 1, 0)
    assert found.verdict == "interpretable"


def test_held_and_burned_tokens_count_against_the_ceiling() -> None:
    assert audit([*GOOD[:3], row(3, held=1)], PLAN).verdict == "over-ceiling"
    assert audit([*GOOD[:3], row(3, burned=7401)], PLAN).verdict == "over-ceiling"
    assert audit([*GOOD[:3], row(3, burned=7400)], PLAN).verdict == "interpretable"
    assert audit(GOOD, PLAN).header.burned is None


def test_slices_may_differ_where_the_plan_names_no_input() -> None:
    plan = Plan("7", ("0", "1", "2"))
    each = [row(shard, input_digest=f"slice-{shard}") for shard in range(3)]
    assert audit(each, plan).verdict == "interpretable"
    assert audit([*each[:2], row(2, input_digest="slice-1")], plan).verdict == "mixed-inputs"


def test_a_row_without_a_revision_is_attributable_to_none() -> None:
    plan = Plan("7", ("0",))
    assert audit([row(0, revision=None)], plan).verdict == "multi-revision-aggregate"


def test_rows_of_other_runs_are_passed_over_and_counted() -> None:
    found = audit([*GOOD, Row("8", "0", 0, "rev-B")], PLAN)
    assert (found.verdict, found.header.other_runs) == ("interpretable", 1)


def test_a_split_tells_each_complete_revision_and_refuses_the_others() -> None:
    second = [row(shard, 1, revision="rev-B", tokens=0, grade=1.0) for shard in range(4)]
    found = audit([*GOOD, *second], PLAN, "mean-over-shards", split=True)
    assert [(part.part, part.verdict, part.value) for part in found.parts] == [
        ("rev-A", "interpretable", 0.625),
        ("rev-B", "interpretable", 1.0),
    ]
    assert interpretable(found)
    assert found.value is None
    torn = audit([*GOOD, *second[:3]], PLAN, "mean-over-shards", split=True)
    assert [part.verdict for part in torn.parts] == ["interpretable", "incomplete-batch"]
    assert not interpretable(torn)


def test_a_split_does_not_hide_a_conflict_of_two_revisions_under_one_key() -> None:
    found = audit([*GOOD, row(2, revision="rev-B")], PLAN, "mean-over-shards", split=True)
    assert "unresolved-revision-mix" in found.parts[0].verdict
    assert found.parts[0].value is None


def test_no_rows_at_all_are_an_incomplete_batch() -> None:
    assert audit([], PLAN).verdict == "incomplete-batch"
    assert not interpretable(audit([], PLAN, split=True))


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "column": ({"run": 7, "shard": 0, "epoch": 0}, "expected a column revision, found run, shard, epoch"),
    "empty": ({"run": 7, "shard": "", "epoch": 0, "revision": "a"}, "expected shard to have a value"),
    "epoch": ({"run": 7, "shard": 0, "epoch": "x", "revision": "a"}, "expected epoch to be a number, found 'x'"),
    "tokens": ({"run": 7, "shard": 0, "epoch": 0, "revision": "a", "tokens": 1.5}, "expected tokens to be a whole"),
    "grade": ({"run": 7, "shard": 0, "epoch": 0, "revision": "a", "grade": "nan"}, "expected grade to be a number"),
    "truth": ({"run": 7, "shard": 0, "epoch": True, "revision": "a"}, "expected epoch to be a number, found 'True'"),
    "outcome": ({"run": 7, "shard": 0, "epoch": 0, "revision": "a", "outcome": "x"}, "unknown outcome 'x'"),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_row_is_named_with_what_was_expected(kind: str) -> None:
    raw, expected = BAD[kind]
    with pytest.raises(BadRowsError, match=r"^line 2: ") as error:
        row_of(raw, "line 2")
    assert expected in str(error.value)


@pytest.mark.parametrize("raw", [{}, {"run": 7}, {"run": 7, "shards": 4}, {"run": 7, "shards": []}])
def test_a_bad_plan_is_named(raw: dict[str, Any]) -> None:
    with pytest.raises(BadRowsError, match=r"the plan: expected a run\.open object"):
        plan_of(raw)


def test_a_grade_is_needed_for_an_aggregate_only() -> None:
    rows = [*GOOD[:3], row(3, grade=None)]
    assert audit(rows, PLAN).verdict == "interpretable"
    with pytest.raises(BadRowsError, match="shard 3, epoch 0 has no grade"):
        audit(rows, PLAN, "mean-over-shards")


FIELDS = ("run", "shard", "epoch", "revision", "input_digest", "tokens", "grade")
VALUES = [(7, shard, 0, "rev-A", "in-1", 1850, 0.5) for shard in range(4)]
OPEN = {"op": "run.open", "run": 7, "shards": [0, 1, 2, 3], "ceiling": 7400, "revision": "rev-A"}


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    (tmp_path / "plan.json").write_text(json.dumps(OPEN, indent=1))
    records = [json.dumps(dict(zip(FIELDS, values, strict=True))) for values in VALUES]
    (tmp_path / "rows.jsonl").write_text("\n".join([json.dumps(OPEN), *records]))
    table = [",".join(FIELDS), *(",".join(map(str, values)) for values in VALUES)]
    (tmp_path / "rows.csv").write_text("\r\n".join(table) + "\r\n")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as db:
        db.execute(f"CREATE TABLE receipts ({', '.join(FIELDS)})")
        db.executemany("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?, ?)", VALUES)
        db.commit()
    return tmp_path


def run(*args: str, text: str | None = None) -> tuple[int, str, str]:
    return command("audit", *args, text=text)


def test_the_same_rows_are_the_same_from_every_source(inputs: Path) -> None:
    plan, query = ("--plan", str(inputs / "plan.json")), ("--query", "SELECT * FROM receipts")
    sources = [
        (str(inputs / "rows.jsonl"),),
        (str(inputs / "rows.csv"), *plan),
        (f"sqlite:///{inputs / 'ledger.db'}", *query, *plan),
    ]
    answers = [run(*source, "--aggregate", "mean-over-shards") for source in sources]
    assert {code for code, _, _ in answers} == {0}
    assert len({out for _, out, _ in answers}) == 1
    assert "verdict          interpretable" in answers[0][1]


def test_json_puts_the_header_first(inputs: Path) -> None:
    code, out, _ = run(str(inputs / "rows.jsonl"), "--aggregate", "mean-over-shards", "--format", "json")
    found = json.loads(out)
    assert (code, found["verdict"], found["value"]) == (0, "interpretable", 0.5)
    assert next(iter(found)) == "header"


def test_what_is_not_interpretable_exits_1_and_tells_no_number(inputs: Path) -> None:
    lines = (inputs / "rows.jsonl").read_text().splitlines()[:-1]
    code, out, _ = run("-", "--aggregate", "mean-over-shards", text="\n".join(lines))
    assert code == 1
    assert "missing          3\n" in out
    assert "refused: the batch is not interpretable" in out


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("none.jsonl",), "none.jsonl: cannot be read"),
        (("rows.csv",), "expected --plan"),
        (("rows.csv", "--plan", "none.json"), "none.json: cannot be read"),
        (("rows.csv", "--plan", "rows.csv"), "expected a whole JSON object"),
        (("sqlite:///ledger.db", "--plan", "plan.json"), "needs --query"),
        (("sqlite:///none.db", "--plan", "plan.json", "--query", "SELECT 1"), "the query failed"),
        (("sqlite:///ledger.db", "--plan", "plan.json", "--query", "DELETE FROM receipts"), "readonly"),
        (("sqlite:///ledger.db", "--plan", "plan.json", "--query", "SELECT 1 AS one"), "expected a column run"),
        (("mysql://u:secret@h/d", "--plan", "plan.json", "--query", "SELECT 1"), "sqlite or postgresql, found mysql"),
        (("rows.jsonl", "--query", "SELECT 1"), "--query goes with a database URL"),
        (("ledger.db",), "expected UTF-8"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(
    args: tuple[str, ...], expected: str, inputs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(inputs)
    with (inputs / "ledger.db").open("ab") as file:
        file.write(b"\xff" if args == ("ledger.db",) else b"")
    code, out, err = run(*args)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert expected in err
    assert "secret" not in err


def test_csv_with_a_short_line_is_named() -> None:
    with pytest.raises(BadRowsError, match="line 3: expected 4 columns"):
        list(from_csv(["run,shard,epoch,revision\n", "7,0,0,a\n", "7,1,0\n"]))


def test_a_cut_line_of_rows_is_named() -> None:
    with pytest.raises(BadRowsError, match="line 1: expected a whole JSON object"):
        list(from_jsonl(['{"run": 7, "sh']))


def test_postgresql_needs_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(BadRowsError, match="needs the package psycopg"):
        list(from_database("postgresql://u:p@h/d", "SELECT 1"))


def test_postgresql_is_asked_read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    class Cursor(list[tuple[object, ...]]):
        description = tuple(SimpleNamespace(name=name) for name in FIELDS)

    asked: list[str] = []

    def connect(url: str, options: str) -> object:
        asked.append(options)
        return SimpleNamespace(execute=lambda query: Cursor(VALUES), close=lambda: None)

    monkeypatch.setitem(sys.modules, "psycopg", SimpleNamespace(connect=connect, Error=RuntimeError))
    rows = list(from_database("postgresql://h/d", "SELECT"))
    assert (len(rows), rows[0].shard) == (4, "0")
    assert asked == ["-c default_transaction_read_only=on"]
