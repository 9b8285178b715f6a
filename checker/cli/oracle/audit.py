"""The command `audit`: are these rows a number?"""

import io
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from fencebench.checker.errors import BadInput
from fencebench.checker.oracle.log.events import BadLineError, numbered, read_object
from fencebench.checker.oracle.log.streams import STDIN
from fencebench.checker.oracle.rows.audit import AGGREGATES, audit, interpretable
from fencebench.checker.oracle.rows.render import as_json, as_text
from fencebench.checker.oracle.rows.rows import (
    BadRowsError,
    Plan,
    Row,
    from_csv,
    from_database,
    from_jsonl,
    plan_of,
    read_plan,
)


@click.command("audit")
@click.argument("rows", metavar="ROWS")
@click.option("--plan", "plan_file", help="A file with the run.open object; else the rows begin with it (JSON Lines).")
@click.option("--query", help="For a database URL: the query that gives the rows.")
@click.option("--aggregate", type=click.Choice(list(AGGREGATES)), help="The number to tell, if it may be told.")
@click.option("--split-by", type=click.Choice(["revision"]), help="Judge each revision by itself against the plan.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def audit_command(
    rows: str, plan_file: str | None, query: str | None, aggregate: str | None, split_by: str | None, form: str
) -> None:
    """Audit committed ROWS: a .jsonl or .csv file, - (JSON Lines), or a database URL (sqlite:///file, postgresql://…).

    Columns: run, shard, epoch, revision; where known input_digest, tokens, grade, outcome, held, burned.

    Exit codes: 0 interpretable, 1 not interpretable, 2 bad input.
    """
    try:
        given, plan = _read(rows, plan_file, query)
        found = audit(given, plan, aggregate, split=split_by is not None)
    except (BadRowsError, BadLineError) as error:
        raise BadInput(f"{_without_password(rows)}: {error}") from None
    except UnicodeDecodeError as error:
        raise BadInput(f"{rows}: expected UTF-8, byte {error.start + 1} is not") from None
    except OSError as error:
        raise BadInput(f"{error.filename}: cannot be read ({error.strerror})") from None
    click.echo(as_json(found) if form == "json" else as_text(found))
    raise SystemExit(0 if interpretable(found) else 1)


def _read(source: str, plan_file: str | None, query: str | None) -> tuple[Iterable[Row], Plan]:
    plan = None if plan_file is None else read_plan(Path(plan_file).read_text(encoding="utf-8-sig"))
    if "://" in source:
        if query is None:
            raise BadRowsError("a database URL needs --query, e.g. 'SELECT * FROM rows'")
        return from_database(source, query), _needed(plan)
    if query is not None:
        raise BadRowsError("--query goes with a database URL")
    text = _text_of(source)
    if source.endswith(".csv"):
        return from_csv(io.StringIO(text, newline="")), _needed(plan)
    lines = text.split("\n")
    return from_jsonl(lines), plan or _first_plan(lines)


def _text_of(source: str) -> str:
    raw = sys.stdin.buffer.read() if source == STDIN else Path(source).read_bytes()
    return raw.decode("utf-8-sig")


def _needed(plan: Plan | None) -> Plan:
    if plan is None:
        raise BadRowsError("expected --plan with a file that holds the run.open object")
    return plan


def _first_plan(lines: list[str]) -> Plan:
    for number, text in numbered(lines):
        raw = read_object(text, number)
        if raw.get("op") == "run.open":
            return plan_of(raw)
        break
    return _needed(None)


def _without_password(source: str) -> str:
    """The source as given; of a database URL only what is safe to show."""
    scheme, found, rest = source.partition("://")
    return f"{scheme}{found}{rest.rpartition('@')[2].partition('?')[0]}"
