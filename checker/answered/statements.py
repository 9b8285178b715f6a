"""A boundary answered by SQL: rows before, the statements as they stand, what their results mean, rows after."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from fencebench.checker.answered.databases import ENDED, PARTS, Connection, Failed, Found, Hung, connection_to
from fencebench.checker.answered.respondent import Change, Reply, Unanswered, Unheld, understood
from fencebench.checker.answered.rows import RUN, SHARD, Question, Request, Run, Tables
from fencebench.model.fence import FenceError, Refusal

Kept = dict[str, Found]
"""What was read of each kind of rows."""

PARAMETERS = (*(f.name for f in fields(Request)), "now_seconds", *(f.name for f in fields(Run) if f.name != "run"))
"""What a statement may name: the request, the clock, and the run's plan."""

ENDS = re.compile(
    r"(?:\s|--[^\n]*\n|/\*.*?\*/)*(begin|start|commit|end|rollback|abort|savepoint|release)\b", re.I | re.S
)
"""A statement that begins or ends a transaction."""

MAY_WRITE = {
    "reserve": ("grants", "shards"),
    "call": ("grants", "runs"),
    "put": ("artifacts", "shards"),
    "commit": ("receipts", "grants", "shards", "conflicts"),
}
"""The kinds of rows that a yes at a boundary writes; at the others it writes none."""


@dataclass(frozen=True)
class Rows:
    """How rows of one kind are put into a table, and how they are read again.

    Attributes:
        kind: shards, grants, receipts, artifacts, conflicts, checkpoints or runs.
        insert: a statement whose named parameters are fields of that kind of row.
        select: a query that returns them, each column under the name of a field; "" where nobody asks what is there.

    """

    kind: str
    insert: str
    select: str = ""

    def __post_init__(self) -> None:
        if self.kind not in Tables._fields:
            raise FenceError(f"rows of kind {self.kind!r}; expected one of {', '.join(Tables._fields)}")


@dataclass(frozen=True)
class Statement:
    """A statement as it stands in production, and what its result means; with no meaning the next one is run.

    Attributes:
        text: SQL with named parameters (`:epoch`).
        some: the class (or `yes`) that it answers when a row was returned or affected.
        none: the same when there was none.
        column: the returned column whose value in the first row is the answer.
        errors: what an error means, by its code (23505, SQLITE_CONSTRAINT_PRIMARYKEY) or a part of its message.

    """

    text: str
    some: str | None = None
    none: str | None = None
    column: str | None = None
    errors: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in named(self.text):
            if name not in PARAMETERS:
                raise FenceError(f"a statement names :{name}; expected one of {', '.join(PARAMETERS)}")
        if ENDS.match(self.text):
            raise FenceError(f"a statement is {self.text.strip()!r}; expected none that {ENDED}")
        for word in (self.some, self.none, *self.errors.values()):
            if word is not None and word != "yes" and word not in Refusal.__members__:
                raise FenceError(f"a statement's result means {word!r}; expected 'yes' or a class such as STALE_EPOCH")


@dataclass(frozen=True)
class Ledger:
    """Tables and how the rows of a question get into them and out again."""

    schema: str
    rows: tuple[Rows, ...]


def named(text: str) -> tuple[str, ...]:
    """Return the names of a statement's parameters."""
    return tuple(dict.fromkeys(m["name"] for m in PARTS.finditer(text) if m["name"]))


@dataclass
class Sql:
    """A transaction of one or more statements: the first result that means something answers, else it is a yes.

    Attributes:
        ledger: the tables.
        statements: the transaction, in order.
        database: "sqlite" (in memory) or postgresql://…; there nothing is ever committed.
        refusal: what becomes of earlier statements when a later one refuses: it `stays` or `rolls back`.
        timeout_seconds: how long a question may take.

    """

    name: str
    ledger: Ledger
    statements: tuple[Statement, ...]
    database: str = "sqlite"
    refusal: str = "stays"
    words: Mapping[Any, str] = field(default_factory=dict)
    timeout_seconds: float = 5.0
    writes: bool = True
    jobs: int = 1

    @property
    def kind(self) -> str:
        """Which database answers."""
        return "SQLite" if self.database == "sqlite" else "PostgreSQL"

    def ask(self, question: Question) -> Reply:
        """Fill the tables, run the statements, read the tables; nothing of it stays."""
        connection = connection_to(self.database, self.ledger.schema, self.timeout_seconds)
        try:
            with connection.question():
                self.fill(connection, question)
                before = self.kept(connection)
                self.faithful(before, question.before)
                statement, refusal = self.answer(connection, question)
                connection.check_open()
                after = self.kept(connection)
        except Hung as error:
            raise Unanswered(f"gave no answer within {self.timeout_seconds:g} s") from error
        except Failed as error:
            raise Unanswered(f"failed: {error}") from error
        return Reply(refusal, *self.judged(question, statement, refusal, before, after))

    def fill(self, connection: Connection, question: Question) -> None:
        """Put the rows of a question into the tables.

        Raises:
            Unheld: several rows of the shard are under one key, and the tables know better.
        """
        try:
            for rows in self.ledger.rows:
                connection.insert(rows.insert, [vars(row) for row in getattr(question.before, rows.kind)])
        except Failed:
            epochs = [artifact.epoch for artifact in question.view.artifacts]
            if len(question.view.receipts) > 1 or len(epochs) > len(set(epochs)):
                raise Unheld from None
            raise

    def kept(self, connection: Connection) -> Kept:
        """Read the rows that are there."""
        return {rows.kind: connection.rows(rows.select) for rows in self.ledger.rows if rows.select}

    def faithful(self, kept: Kept, tables: Tables) -> None:
        """See that what was put in is what is read.

        Raises:
            Unanswered: it is not.
        """
        for kind, found in kept.items():
            expected = wanted(getattr(tables, kind), found)
            if sorted_rows(found.rows) != expected:
                read = f"put in {shown(expected)}, read {shown(found.rows)}"
                raise Unanswered(f"has templates of {kind} that do not fit: {read}")

    def answer(self, connection: Connection, question: Question) -> tuple[Statement, Refusal | None]:
        """Run the statements up to the one that answers."""
        values = {**vars(question.view.run), **vars(question.request), "now_seconds": question.view.now_seconds}
        with connection.transaction():
            for statement in self.statements:
                word = self.outcome(connection, statement, values)
                if word is not MEANS_NOTHING:
                    refusal = understood(word, self.words)
                    if refusal is not None and self.refusal == "rolls back":
                        connection.undo()
                    return statement, refusal
        return self.statements[-1], None

    def outcome(self, connection: Connection, statement: Statement, values: Mapping[str, Any]) -> object:
        """Run a statement and return the word that its result means; an error undoes the transaction, as it would.

        Raises:
            Failed: an error that means nothing.
        """
        try:
            return meaning(statement, connection.run(statement.text, values))
        except Failed as error:
            word = next((w for code, w in statement.errors.items() if code == error.code or code in str(error)), None)
            if word is None:
                raise
            connection.undo()
            return word

    def judged(
        self, question: Question, statement: Statement, refusal: Refusal | None, before: Kept, after: Kept
    ) -> tuple[tuple[Change, ...], str]:
        """Return what to show of the question, and what was written wrongly.

        Raises:
            Unanswered: rows changed that the boundary has nothing to do with.
        """
        due = question.before if refusal else question.after
        wrongs = (self.wrong(kind, found, due, refusal) for kind, found in after.items())
        for kind, (lost, more) in changed(before, after).items():
            if kind not in MAY_WRITE.get(question.boundary, ()):
                raise Unanswered(
                    f"changed {kind}, which {question.boundary} may not: {shown(lost)} became {shown(more)}"
                )
        return (*self.told(question, statement, refusal), *changes(before, after)), next(filter(None, wrongs), "")

    def wrong(self, kind: str, found: Found, due: Tables, refusal: Refusal | None) -> str:
        """Say how rows differ from those that are due, or nothing; a conflict may be put on record."""
        rows, expected = sorted_rows(found.rows), wanted(getattr(due, kind), found)
        if rows == expected or (refusal is Refusal.CONFLICT and kind == "conflicts"):
            return ""
        lost, more = without(expected, rows), without(rows, expected)
        return f"{self.name} answered {refusal or 'yes'} and wrote {kind} {shown(more)} where {shown(lost)} is due"

    def told(self, question: Question, statement: Statement, refusal: Refusal | None) -> tuple[Change, ...]:
        """Return the statement that refused, or those that wrote, and their parameters."""
        values = {**vars(question.view.run), **vars(question.request), "now_seconds": question.view.now_seconds}
        text = statement.text if refusal else "; ".join(s.text for s in self.statements if writes(s)) or statement.text
        given = ", ".join(f"{name}={values[name]}" for name in named(text))
        return (self.name, "runs", "", " ".join(text.split())), (self.name, "with", "", given)


def writes(statement: Statement) -> bool:
    """Say whether a statement is more than a look."""
    return not statement.text.lstrip().upper().startswith("SELECT")


class Nothing:
    """The result of a statement that means nothing: the next one is run."""


MEANS_NOTHING = Nothing()


def meaning(statement: Statement, found: Found) -> object:
    """Return the word that a result means, or `MEANS_NOTHING`.

    Raises:
        Failed: the column that has the answer is not there.
    """
    if statement.column is not None and found.size:
        if statement.column not in found.columns:
            raise Failed(f"returned no column {statement.column!r}; found {', '.join(found.columns) or 'none'}")
        word = found.rows[0][statement.column]
        return "NULL" if word is None else word
    word = statement.some if found.size else statement.none
    return MEANS_NOTHING if word is None else word


def plain(value: Any) -> Any:
    """Return a value so that two databases give the same one."""
    if isinstance(value, bool):
        return int(value)
    if value is None or isinstance(value, (int, str)):
        return value
    return int(value) if float(value).is_integer() else float(value)


def sorted_rows(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return rows in an order of their own, with plain values."""
    plainly = ({name: plain(value) for name, value in row.items()} for row in rows)
    return sorted(plainly, key=lambda row: repr(sorted(row.items())))


def wanted(rows: Sequence[object], like: Found) -> list[dict[str, Any]]:
    """Return rows with the columns that were read.

    Raises:
        Failed: a column is no field of such a row.
    """
    for row in rows[:1]:
        for name in like.columns:
            if not hasattr(row, name):
                raise Failed(f"reads a column {name!r}; expected one of {', '.join(vars(row))}")
    return sorted_rows([{name: getattr(row, name) for name in like.columns} for row in rows])


def without(rows: list[dict[str, Any]], others: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows that are more often here than among the others."""
    return [row for i, row in enumerate(rows) if rows[: i + 1].count(row) > others.count(row)]


def shown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows."""
    return ", ".join(f"({', '.join(f'{k}={v}' for k, v in row.items())})" for row in rows) or "none"


def changed(before: Kept, after: Kept) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return the kinds of rows that changed: those that are gone, and those that are new."""
    pairs = {kind: (sorted_rows(before[kind].rows), sorted_rows(after[kind].rows)) for kind in before}
    return {kind: (without(a, b), without(b, a)) for kind, (a, b) in pairs.items() if a != b}


def changes(before: Kept, after: Kept) -> tuple[Change, ...]:
    """Return the rows before and after of each kind that changed, and of the others those of the shard itself."""
    moved = changed(before, after)
    stay = {kind: [row for row in sorted_rows(found.rows) if is_mine(row)] for kind, found in before.items()}
    return (
        *((kind, "rows", shown(lost), shown(more)) for kind, (lost, more) in moved.items()),
        *((kind, "rows stay", "", shown(rows)) for kind, rows in stay.items() if rows and kind not in moved),
    )


def is_mine(row: Mapping[str, Any]) -> bool:
    """Say whether a row that was read is of the shard that is asked about."""
    return bool(row.get("run", RUN) == RUN and row.get("shard", SHARD) == SHARD)


def sql(
    ledger: Ledger,
    *statements: Statement | str,
    name: str = "statement",
    database: str = "sqlite",
    refusal: str = "stays",
    timeout_seconds: float = 5.0,
) -> Sql:
    """Return a transaction that can answer a boundary; a text alone is a statement whose result means nothing.

    Raises:
        FenceError: a part of it is not what it has to be.
    """
    parts = tuple(Statement(s) if isinstance(s, str) else s for s in statements)
    if not parts:
        raise FenceError(f"{name}: expected at least one statement")
    if refusal not in ("stays", "rolls back"):
        raise FenceError(f"{name}: refusal is {refusal!r}; expected 'stays' or 'rolls back'")
    if database != "sqlite" and not database.startswith(("postgresql://", "postgres://")):
        raise FenceError(f"{name}: database {database!r}; expected 'sqlite' or postgresql://…")
    return Sql(name, ledger, parts, database, refusal, timeout_seconds=timeout_seconds)
