"""SQLite in memory and PostgreSQL, behind the few things that a question needs; nothing is ever committed.

A connection belongs to one process, and is made when it is first asked for. In PostgreSQL the schema itself is made in
a transaction that is rolled back, after some questions and at the end, so the database stays as it was.
"""

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, Protocol

from fencebench.model.fence import FenceError

FRESH_EVERY = 200
"""Questions for which PostgreSQL keeps its tables: what is rolled back takes room until the transaction ends."""


class Failed(Exception):
    """The database refused; the message is its own, `code` its code."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class Hung(Exception):
    """A question took longer than it may."""


class Found(NamedTuple):
    """What a statement gave: columns (none: it returns no rows), rows, and how many it returned or affected."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]
    size: int


class Connection(Protocol):
    """What a question needs of a database."""

    def question(self) -> AbstractContextManager[None]:
        """Undo whatever happens inside."""

    def transaction(self) -> AbstractContextManager[None]:
        """Be the transaction that is asked about."""

    def undo(self) -> None:
        """Undo what the transaction did."""

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows in."""

    def rows(self, sql: str) -> Found:
        """Read rows."""

    def run(self, sql: str, values: Mapping[str, Any]) -> Found:
        """Run one statement."""

    def check_open(self) -> None:
        """See that the transaction is still the question's own."""


CONNECTIONS: dict[tuple[int, str, str, float], Connection] = {}


def connection_to(database: str, schema: str, timeout_seconds: float) -> Connection:
    """Return this process's connection to a database with these tables."""
    key = (os.getpid(), database, schema, timeout_seconds)
    if key not in CONNECTIONS:
        make: Callable[..., Connection] = Sqlite if database == "sqlite" else Postgres
        CONNECTIONS[key] = make(database, schema, timeout_seconds)
    return CONNECTIONS[key]


def found(description: Sequence[Any] | None, rows: Sequence[Sequence[Any]], count: int) -> Found:
    """Return what a cursor gave."""
    names = tuple(column[0] for column in description or ())
    return Found(names, [dict(zip(names, row, strict=True)) for row in rows], len(rows) if names else count)


ENDED = "ends its own transaction: leave BEGIN, COMMIT and ROLLBACK out, as each question is rolled back"


class Sqlite:
    """A database in memory."""

    def __init__(self, database: str, schema: str, timeout_seconds: float) -> None:
        self.timeout_seconds, self.due = timeout_seconds, 0.0
        self.base = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self.base.set_progress_handler(lambda: int(time.monotonic() > self.due > 0), 10_000)
        try:
            self.base.executescript(schema)
        except sqlite3.Error as error:
            raise FenceError(f"the schema cannot be made in SQLite: {error}") from error

    @contextmanager
    def question(self) -> Iterator[None]:
        """Roll back whatever happens inside."""
        self.base.execute("BEGIN")
        self.due = time.monotonic() + self.timeout_seconds
        try:
            yield
        finally:
            self.due = 0.0
            if self.base.in_transaction:
                self.base.execute("ROLLBACK")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Be the transaction that is asked about."""
        self.base.execute("SAVEPOINT asked")
        yield

    def undo(self) -> None:
        """Undo what the transaction did, unless it has ended itself."""
        if self.base.in_transaction:
            self.base.execute("ROLLBACK TO asked")

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Tell errors in words that both databases have."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            if "interrupted" in str(error):
                raise Hung from error
            raise Failed(str(error), getattr(error, "sqlite_errorname", "")) from error

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows in."""
        with self.failing():
            self.base.executemany(sql, rows)

    def rows(self, sql: str) -> Found:
        """Read rows."""
        return self.run(sql, {})

    def run(self, sql: str, values: Mapping[str, Any]) -> Found:
        """Run one statement."""
        with self.failing():
            cursor = self.base.execute(sql, values)
            rows = cursor.fetchall()
            return found(cursor.description, rows, cursor.rowcount)

    def check_open(self) -> None:
        """See that the transaction is still the question's own.

        Raises:
            Failed: the statement ended it.
        """
        try:
            self.base.execute("RELEASE asked")
        except sqlite3.Error:
            raise Failed(ENDED) from None


class Postgres:
    """A server; tables live in a schema of their own, inside a transaction that never ends but by rolling back."""

    def __init__(self, database: str, schema: str, timeout_seconds: float) -> None:
        try:
            import psycopg
        except ImportError:
            raise FenceError("PostgreSQL needs psycopg; install fencebench[postgres]") from None
        self.errors = psycopg.Error
        self.schema, self.timeout_seconds, self.count = schema, timeout_seconds, 0
        try:
            self.base = psycopg.connect(database, autocommit=True, connect_timeout=10)
        except psycopg.Error as error:
            raise FenceError(f"{database.rpartition('@')[2]}: cannot connect ({first_line(error)})") from error

    def begin(self) -> None:
        """Begin a transaction with the tables in it."""
        self.base.execute("BEGIN")
        name = f"fencebench_{os.getpid()}_{id(self)}"
        limit = int(1000 * self.timeout_seconds)
        try:
            self.base.execute(f"CREATE SCHEMA {name}".encode())
            self.base.execute(f"SET LOCAL search_path TO {name}; SET LOCAL statement_timeout TO {limit}".encode())
            self.base.execute(self.schema.encode())
        except self.errors as error:
            self.base.execute("ROLLBACK")
            raise FenceError(f"the schema cannot be made in PostgreSQL: {first_line(error)}") from error

    @contextmanager
    def question(self) -> Iterator[None]:
        """Undo whatever happens inside."""
        if self.count % FRESH_EVERY == 0:
            self.begin()
        self.count += 1
        self.base.execute("SAVEPOINT question")
        try:
            yield
        except BaseException:
            self.count = 0
            self.base.execute("ROLLBACK")
            raise
        self.base.execute("ROLLBACK" if self.count % FRESH_EVERY == 0 else "ROLLBACK TO SAVEPOINT question")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Be the transaction that is asked about; what is checked at a commit is checked at its end."""
        self.base.execute("SAVEPOINT asked")
        yield

    def undo(self) -> None:
        """Undo what the transaction did."""
        self.base.execute("ROLLBACK TO SAVEPOINT asked")

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Tell errors in words that both databases have."""
        try:
            yield
        except self.errors as error:
            code = getattr(error, "sqlstate", "") or ""
            if code == CANCELED:
                raise Hung from error
            raise Failed(first_line(error), code) from error

    def insert(self, sql: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Put rows in."""
        if rows:
            with self.failing(), self.base.cursor() as cursor:
                cursor.executemany(translated(sql).encode(), rows)

    def rows(self, sql: str) -> Found:
        """Read rows."""
        return self.run(sql, {})

    def run(self, sql: str, values: Mapping[str, Any]) -> Found:
        """Run one statement."""
        with self.failing(), self.base.cursor() as cursor:
            cursor.execute(translated(sql).encode(), values)
            rows = cursor.fetchall() if cursor.description else []
            return found(cursor.description, rows, cursor.rowcount)

    def check_open(self) -> None:
        """Check what a commit would check, and that the transaction is still the question's own.

        Raises:
            Failed: a deferred constraint fails, or the statement ended the transaction.
        """
        try:
            self.base.execute("SET CONSTRAINTS ALL IMMEDIATE; RELEASE SAVEPOINT asked")
        except self.errors as error:
            ended = getattr(error, "sqlstate", "") in ("25P01", "3B001")
            raise Failed(ENDED if ended else first_line(error)) from error


CANCELED = "57014"
"""The code of a statement that took too long."""

PARTS = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$|::|%|:(?P<name>[a-z_]+)""", re.S)
"""A named parameter, or what may look like one and is none."""


def translated(sql: str) -> str:
    """Write named parameters as psycopg has them."""
    return PARTS.sub(lambda m: f"%({m['name']})s" if m["name"] else m[0].replace("%", "%%"), sql)


def first_line(error: BaseException) -> str:
    """Return the first line of an error."""
    return (str(error).splitlines() or [type(error).__name__])[0]
