"""SQLite and PostgreSQL behind the same three functions. `before` is called ahead of every statement."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.implementations.tables import TABLES


class Sqlite:
    """One connection to a file; a write transaction has the whole database to itself."""

    def __init__(self, path: str, before: Callable[[], None] = lambda: None) -> None:
        self.connection = sqlite3.connect(path, timeout=30, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode=WAL")
        self.connection.execute("PRAGMA synchronous=NORMAL")
        self.before = before

    def create(self) -> None:
        self.connection.executescript(TABLES)

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        self.before()
        return self.connection.execute(sql, values).fetchall()

    @contextmanager
    def whole(self, run: str) -> Iterator[None]:
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        finally:
            if self.connection.in_transaction:
                self.connection.rollback()

    @contextmanager
    def loose(self, run: str) -> Iterator[None]:
        yield


class Postgres:
    """One connection to a server; a transaction holds the lock of its run until it ends."""

    def __init__(self, url: str, before: Callable[[], None] = lambda: None) -> None:
        import psycopg  # here, so that SQLite starts without it

        self.connection = psycopg.connect(url, autocommit=True)
        self.before = before

    def create(self) -> None:
        self.connection.execute(TABLES)

    def execute(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        self.before()
        cursor = self.connection.execute(sql.replace("?", "%s").encode(), values)
        return cursor.fetchall() if cursor.description else []

    @contextmanager
    def whole(self, run: str) -> Iterator[None]:
        with self.connection.transaction():
            self.execute("SELECT pg_advisory_xact_lock(hashtext(?))", run)
            yield

    @contextmanager
    def loose(self, run: str) -> Iterator[None]:
        yield
