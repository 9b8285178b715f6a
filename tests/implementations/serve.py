"""Answers requests from standard input, one a line: python -m tests.implementations.serve DATABASE [FLAW].

DATABASE is a path of SQLite or a postgresql URL. The second of a request's own `t` judges its lease.
"""

import json
import sys

from tests.implementations.databases import Postgres, Sqlite
from tests.implementations.results import answer
from tests.implementations.tables import Answer, Database


def main(place: str, flaw: str = "") -> None:
    db: Sqlite | Postgres = Postgres(place) if place.startswith("postgresql") else Sqlite(place)
    db.create()
    for line in sys.stdin:
        print(json.dumps(answered(db, json.loads(line), flaw)), flush=True)


def answered(db: Database, request: Answer, flaw: str) -> Answer:
    return answer(db, request, lambda: float(request["t"]), flaw)


if __name__ == "__main__":
    main(*sys.argv[1:])
