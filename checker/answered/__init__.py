"""Boundaries that somebody else answers: a function, a database, a process. `docs/your-own-code.md` shows how."""

from fencebench.checker.answered.ledger import LEDGER
from fencebench.checker.answered.remote import process, service
from fencebench.checker.answered.respondent import answered_by
from fencebench.checker.answered.rows import Request, View
from fencebench.checker.answered.statements import Ledger, Rows, Statement, sql

__all__ = ["LEDGER", "Ledger", "Request", "Rows", "Statement", "View", "answered_by", "process", "service", "sql"]
