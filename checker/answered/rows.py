"""What a boundary may look at, as rows with the names of the domain: what functions, tables and processes are given.

Every row says which run and shard it is of. What a boundary may not look at is as it is by default.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

RUN, SHARD = "r7", "s0"
"""The run and the shard that every question is about."""


@dataclass(frozen=True)
class Run:
    """A run and its plan; `revision` is the pinned one, None where the alias floats. `burned_tokens`: on the meter.

    At `publish` alone: shards of which a row is consumed, shards at rest, and consumed rows that are not accepted.
    """

    run: str
    shards: int
    cases: int
    ceiling_tokens: int
    revision: str | None
    lease_seconds: int
    margin_seconds: int
    burned_tokens: int = 0
    consumed_shards: int = 0
    resting_shards: int = 0
    unaccepted_rows: int = 0


@dataclass(frozen=True)
class Shard:
    """A shard: its slice, and the highest epoch granted, the sealed one, that of the store's register; None: none."""

    run: str
    shard: str
    input_digest: str
    highest_epoch: int | None = None
    sealed_epoch: int | None = None
    register_epoch: int | None = None


@dataclass(frozen=True)
class Grant:
    """One grant of an epoch: the input it names, its hold, what was drawn on it, and its lease.

    A lease runs while the clock is below `lease_until_seconds`; `lease_remaining_seconds` is 0 or less once it is over.
    """

    run: str
    shard: str
    epoch: int
    input_digest: str
    hold_tokens: int
    live: bool
    drawn_tokens: int
    booked_tokens: int
    written_off_tokens: int
    released_tokens: int
    superseded_by: int | None
    lease_until_seconds: int
    lease_remaining_seconds: int
    host_alive: bool = True


@dataclass(frozen=True)
class Receipt:
    """A committed row, or one of a conflict on record; several revisions or inputs are joined by `+`."""

    run: str
    shard: str
    epoch: int
    tokens: int
    digest: str
    revision: str
    input_digest: str
    cases: int


@dataclass(frozen=True)
class Artifact:
    """A stored result."""

    run: str
    shard: str
    epoch: int
    digest: str
    revision: str
    input_digest: str
    cases: int


@dataclass(frozen=True)
class Checkpoint:
    """What a dead attempt left; `input_digest` is None where it carries none."""

    run: str
    shard: str
    revision: str
    input_digest: str | None
    cases: int


class Tables(NamedTuple):
    """Rows by kind."""

    runs: tuple[Run, ...] = ()
    shards: tuple[Shard, ...] = ()
    grants: tuple[Grant, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    conflicts: tuple[Receipt, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()

    def and_also(self, other: "Tables") -> "Tables":
        """Return the rows of both."""
        return Tables._make((*mine, *theirs) for mine, theirs in zip(self, other, strict=True))


@dataclass(frozen=True)
class Request:
    """What a caller asks, under which epoch; what a boundary is not told is None.

    `claimed_epoch` is the epoch that the caller says it has: its own, unless workers mint epochs. `granted_digest` is
    the input that its grant names, `input_digest` what the work was made of. `client_now_seconds` is its own clock.
    """

    run: str = RUN
    shard: str = SHARD
    epoch: int | None = None
    claimed_epoch: int | None = None
    tokens: int | None = None
    digest: str | None = None
    revision: str | None = None
    input_digest: str | None = None
    granted_digest: str | None = None
    cases: int | None = None
    client_now_seconds: int | None = None


@dataclass(frozen=True)
class Account:
    """Tokens of the whole run by kind, and its ceiling."""

    committed_tokens: int
    written_off_tokens: int
    held_tokens: int
    burned_tokens: int
    ceiling_tokens: int


@dataclass(frozen=True)
class View:
    """What a boundary may look at: the run, the clock of the control plane, and rows of the shard that is asked about.

    `account` is the whole run's. `grant` is that of the request's epoch, None if it was never granted.
    """

    now_seconds: int
    run: Run
    account: Account
    shard: Shard
    grant: Grant | None = None
    grants: tuple[Grant, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    conflicts: tuple[Receipt, ...] = ()
    checkpoint: Checkpoint | None = None


@dataclass(frozen=True)
class Question:
    """A question at a boundary: who asks what of which tables, and what these must hold after a yes."""

    boundary: str
    request: Request
    view: View
    before: Tables
    after: Tables = field(repr=False)

    def __str__(self) -> str:
        """Write what is asked, and of which rows of the shard."""
        asked = ", ".join(f"{k}={v}" for k, v in vars(self.request).items() if v is not None)
        kept = (f"{kind} {', '.join(map(shown, rows))}" for kind, rows in own(self.before) if kind != "runs")
        return f"{self.boundary}({asked}) of {'; '.join(kept) or 'no rows'}"


def own(tables: Tables) -> list[tuple[str, list[object]]]:
    """Return the rows of the shard that is asked about, by kind, without empty kinds."""
    mine = ((kind, [r for r in rows if is_own(r)]) for kind, rows in tables._asdict().items())
    return [(kind, rows) for kind, rows in mine if rows]


def is_own(row: object) -> bool:
    """Say whether a row is of the run and the shard that every question is about."""
    return getattr(row, "run", None) == RUN and getattr(row, "shard", SHARD) == SHARD


def shown(row: object) -> str:
    """Write a row in short."""
    told = {k: v for k, v in vars(row).items() if k not in ("run", "shard") and v is not None}
    return f"({', '.join(f'{k}={v}' for k, v in told.items())})"
