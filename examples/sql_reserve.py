"""A grant as one transaction on SQLite: fencebench check examples/sql_reserve.py:SOUND.

The ceiling is compared with what is booked, written off and held together.
"""

from fencebench import REFERENCE, Fence
from fencebench.checker.answered import LEDGER, Statement, answered_by, sql

KEY = "run = :run AND shard = :shard"
ROW = f"{KEY} AND epoch = :epoch"
BOOKED = "(SELECT COALESCE(SUM(tokens), 0) FROM receipts WHERE run = :run)"
WRITTEN_OFF = "(SELECT COALESCE(SUM(written_off_tokens), 0) FROM grants WHERE run = :run)"
HELD = "(SELECT COALESCE(SUM(hold_tokens), 0) FROM grants WHERE run = :run AND live)"

ALREADY = Statement(
    f"SELECT 1 FROM grants WHERE {ROW} AND input_digest = :input_digest AND hold_tokens = :tokens",
    some="ALREADY_RESERVED",
)
CONFLICT = Statement(f"SELECT 1 FROM grants WHERE {ROW}", some="CONFLICT")
STALE = Statement(f"SELECT 1 FROM grants WHERE {KEY} AND epoch >= :epoch", some="STALE_EPOCH")
SEALED = Statement(f"SELECT 1 FROM receipts WHERE {KEY}", some="SEALED")
GRANT = "INSERT INTO grants VALUES (:run, :shard, :epoch, :input_digest, :tokens, TRUE, 0, 0, NULL, :now_seconds + 300)"


def over(*parts: str, sign: str = ">") -> Statement:
    """Return the look at the ceiling, by the sum of these parts."""
    total = " + ".join((*parts, ":tokens"))
    return Statement(f"SELECT 1 FROM runs WHERE run = :run AND {total} {sign} ceiling_tokens", some="OVER_CEILING")


def reserved_by(name: str, *statements: Statement | str) -> Fence:
    """Return the reference with its grants answered by these statements."""
    return REFERENCE.having(reserve=answered_by(sql(LEDGER, *statements, name=name)))


LOOK = (ALREADY, CONFLICT, STALE, SEALED)
SOUND = reserved_by("grant_row", *LOOK, over(BOOKED, WRITTEN_OFF, HELD), GRANT)

HOLDS_FORGOTTEN = reserved_by("holds_forgotten", *LOOK, over(BOOKED, WRITTEN_OFF), GRANT)
"""The budget is summed over what is booked: two shards at work overshoot it together."""

WASTE_FORGOTTEN = reserved_by("waste_forgotten", *LOOK, over(BOOKED, HELD), GRANT)
"""What dead attempts have drawn is in no sum."""

FULL_IS_OVER = reserved_by("full_is_over", *LOOK, over(BOOKED, WRITTEN_OFF, HELD, sign=">="), GRANT)
"""A hold that just fits is refused: `>=` for `>`."""

REPEAT_IS_STALE = reserved_by("repeat_is_stale", CONFLICT, STALE, SEALED, over(BOOKED, WRITTEN_OFF, HELD), GRANT)
"""The same grant asked for again, after a lost reply, is called a conflict."""

RUN_FORGOTTEN = reserved_by(
    "run_forgotten",
    *(ALREADY, CONFLICT),
    Statement("SELECT 1 FROM grants WHERE shard = :shard AND epoch >= :epoch", some="STALE_EPOCH"),
    *(SEALED, over(BOOKED, WRITTEN_OFF, HELD), GRANT),
)
"""The key has no run: epochs of an earlier run of the same shard are in the way."""

FLAWED = {
    "holds_forgotten": HOLDS_FORGOTTEN,
    "waste_forgotten": WASTE_FORGOTTEN,
    "full_is_over": FULL_IS_OVER,
    "repeat_is_stale": REPEAT_IS_STALE,
    "run_forgotten": RUN_FORGOTTEN,
}
