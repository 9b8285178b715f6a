"""Committed rows and the plan they belong to: read from JSON Lines, CSV, or a query over a database.

Every name is kept as text, so that shard 3 of a JSON file, a CSV file and a database column are the same shard.
"""

import csv
import importlib
import json
import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, unquote, urlsplit

from fencebench.checker.oracle.log.events import BadLineError, numbered, read_object
from fencebench.checker.oracle.log.ops import shown
from fencebench.model.fence import Refusal

OUTCOMES: Final = {
    "committed": "committed",
    "deduped": "deduped",
    "conflict": "conflict",
    "rejected_stale": "rejected_stale",
    "COMMITTED": "committed",
    str(Refusal.ALREADY_COMMITTED): "deduped",
    str(Refusal.CONFLICT): "conflict",
    str(Refusal.STALE_EPOCH): "rejected_stale",
}
"""What a row's `outcome` may say, in the words of the second seed or as a class of the design."""


class BadRowsError(ValueError):
    """Rows or a plan that cannot be read, in one sentence."""


@dataclass(frozen=True)
class Row:
    """One row. `tokens` are those it books; `held` and `burned` are what the attempt still holds and has drawn."""

    run: str
    shard: str
    epoch: int
    revision: str | None = None
    input_digest: str | None = None
    tokens: int | None = None
    grade: float | None = None
    outcome: str = "committed"
    held: int | None = None
    burned: int | None = None

    @property
    def key(self) -> tuple[str, str, int]:
        """The attempt: run, shard, epoch."""
        return self.run, self.shard, self.epoch


@dataclass(frozen=True)
class Plan:
    """What was planned: the shards, and where it is known the ceiling in tokens, the revision and the input."""

    run: str
    shards: tuple[str, ...]
    ceiling: int | None = None
    revision: str | None = None
    input_digest: str | None = None


def plan_of(raw: Mapping[str, object]) -> Plan:
    """The plan in a `run.open` object."""
    shards = raw.get("shards")
    if raw.get("run") is None or not isinstance(shards, list) or not shards:
        raise BadRowsError("the plan: expected a run.open object with run and shards (a list of names)")
    names = tuple(str(shard) for shard in shards)
    if len(set(names)) != len(names):
        raise BadRowsError("the plan: expected each shard once")
    return Plan(
        str(raw["run"]),
        names,
        _whole(raw.get("ceiling"), "the plan", "ceiling"),
        _text(raw.get("revision")),
        _text(raw.get("input_digest")),
    )


def read_plan(text: str) -> Plan:
    """The plan in a file: one `run.open` object, or a log that begins with one."""
    try:
        raw = json.loads(text)
    except (ValueError, RecursionError):
        raw = read_object(text.partition("\n")[0], 1)
    if not isinstance(raw, dict):
        raise BadRowsError("the plan: expected a run.open object")
    return plan_of(raw)


def row_of(raw: Mapping[str, object], where: str) -> Row:
    """One row; `where` names it in an error."""
    for field in ("run", "shard", "epoch", "revision"):
        if field not in raw:
            raise BadRowsError(f"{where}: expected a column {field}, found {', '.join(map(str, raw)) or 'none'}")
    for field in ("run", "shard", "epoch"):
        if raw[field] in (None, ""):
            raise BadRowsError(f"{where}: expected {field} to have a value")
    return Row(
        str(raw["run"]),
        str(raw["shard"]),
        _whole(raw["epoch"], where, "epoch") or 0,
        _text(raw.get("revision")),
        _text(raw.get("input_digest")),
        _whole(raw.get("tokens"), where, "tokens"),
        _number(raw.get("grade"), where, "grade"),
        _outcome(raw.get("outcome"), where),
        _whole(raw.get("held"), where, "held"),
        _whole(raw.get("burned"), where, "burned"),
    )


def _text(value: object) -> str | None:
    return None if value in (None, "") else str(value)


def _whole(value: object, where: str, field: str) -> int | None:
    number = _number(value, where, field)
    if number is None:
        return None
    if number < 0 or number != int(number):
        raise BadRowsError(f"{where}: expected {field} to be a whole number, 0 or more, found {shown(value)}")
    return int(number)


def _number(value: object, where: str, field: str) -> float | None:
    if value is None or value == "":
        return None
    try:
        number = float(value) if not isinstance(value, bool) else math.nan  # type: ignore[arg-type]  # errors are caught
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise BadRowsError(f"{where}: expected {field} to be a number, found {shown(str(value))}")
    return number


def _outcome(value: object, where: str) -> str:
    if value is None or value == "":
        return "committed"
    if value not in OUTCOMES:
        raise BadRowsError(f"{where}: unknown outcome {shown(str(value))}, expected one of {', '.join(OUTCOMES)}")
    return OUTCOMES[str(value)]


def from_jsonl(lines: Iterable[str | bytes]) -> Iterator[Row]:
    """The rows of JSON Lines; a `run.open` among them is passed over."""
    try:
        for number, text in numbered(lines):
            raw = read_object(text, number)
            if raw.get("op") != "run.open":
                yield row_of(raw, f"line {number}")
    except BadLineError as error:
        raise BadRowsError(str(error)) from None


def from_csv(lines: Iterable[str]) -> Iterator[Row]:
    """The rows of CSV with a header line."""
    reader = csv.DictReader(lines, strict=True)
    try:
        for raw in reader:
            if None in raw or None in raw.values():
                expected = len(reader.fieldnames or ())
                raise BadRowsError(f"line {reader.line_num}: expected {expected} columns, as in the header")
            yield row_of(raw, f"line {reader.line_num}")
    except csv.Error as error:
        raise BadRowsError(f"line {reader.line_num}: expected CSV ({error})") from None


def from_database(url: str, query: str) -> Iterator[Row]:
    """The rows of one query; the database is opened for reading only."""
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        records = _sqlite(url, query)
    elif scheme in ("postgresql", "postgres"):
        records = _postgres(url, query)
    else:
        raise BadRowsError(f"expected a database URL of sqlite or postgresql, found {scheme}")
    for number, raw in enumerate(records, 1):
        yield row_of(raw, f"row {number} of the query")


def _sqlite(url: str, query: str) -> Iterator[dict[str, object]]:
    path = unquote(urlsplit(url).path).removeprefix("/")
    try:
        with closing(sqlite3.connect(f"file:{quote(path)}?mode=ro", uri=True)) as connection:
            cursor = connection.execute(query)
            names = [column[0] for column in cursor.description or ()]
            yield from (dict(zip(names, values, strict=True)) for values in cursor)
    except (sqlite3.Error, sqlite3.Warning) as error:
        raise BadRowsError(f"the query failed ({error})") from None


def _postgres(url: str, query: str) -> Iterator[dict[str, object]]:
    psycopg = _psycopg()
    try:
        with closing(psycopg.connect(url, options="-c default_transaction_read_only=on")) as connection:
            cursor = connection.execute(query)
            names = [column.name for column in cursor.description or ()]
            yield from (dict(zip(names, values, strict=True)) for values in cursor)
    except psycopg.Error as error:
        raise BadRowsError(f"the query failed ({type(error).__name__}: {_first_line(error)})") from None


def _psycopg() -> Any:
    try:
        return importlib.import_module("psycopg")
    except ImportError:
        raise BadRowsError("a postgresql URL needs the package psycopg, which is not installed") from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "no reason given")
