"""Audits the committed rows of a batch: the header first, a verdict in words, and no number unless it is interpretable.

The first row under a key counts; the same row again is deduped, another row under that key is a conflict.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from math import fsum
from typing import Final

from fencebench.checker.oracle.rows.rows import BadRowsError, Plan, Row

INTERPRETABLE: Final = "interpretable"


@dataclass(frozen=True)
class Header:
    """What a reader must know before any number.

    Shards are named. `superseded` are shards with committed rows of more than one epoch; `rows_a_shard` counts the
    committed rows of each shard that has more than one. `other_runs` counts rows of runs that the plan does not name.
    Spend is in tokens; `held` and `burned` are None where no row tells.
    """

    run: str
    planned: int
    sealed: int
    missing: tuple[str, ...]
    unplanned: tuple[str, ...]
    superseded: tuple[str, ...]
    rows: int
    max_rows_a_shard: int
    rows_a_shard: tuple[tuple[str, int], ...]
    revisions: tuple[str, ...]
    pinned: str | None
    input_versions: tuple[str, ...]
    conflicts: int
    deduped: int
    rejected_stale: int
    ceiling: int | None
    held: int | None
    committed: int
    burned: int | None
    double_billed: tuple[str, ...]
    mixed_inputs: bool
    other_runs: int


@dataclass(frozen=True)
class Audit:
    """The header, the verdict words in order, and the number that was asked for where it may be told.

    `part` is the revision of a part of a split; `parts` are the parts of the whole.
    """

    header: Header
    words: tuple[str, ...]
    aggregate: str | None = None
    value: float | None = None
    part: str | None = None
    parts: tuple["Audit", ...] = ()

    @property
    def verdict(self) -> str:
        """The words, or that the batch is interpretable."""
        return ", ".join(self.words) or INTERPRETABLE


WORDS: Final[dict[str, Callable[[Header], bool]]] = {
    "incomplete-batch": lambda header: bool(header.missing),
    "denominator-drift": lambda header: header.max_rows_a_shard > 1,
    "unresolved-revision-mix": lambda header: header.conflicts > 0,
    "multi-revision-aggregate": lambda header: _many_revisions(header),
    "mixed-inputs": lambda header: header.mixed_inputs,
    "unplanned-shard": lambda header: bool(header.unplanned),
    "over-ceiling": lambda header: _over_ceiling(header),
    "double-billed": lambda header: bool(header.double_billed),
}
"""The verdict words, the second seed's first; each with what it means."""


UNKNOWN: Final = "unknown"
"""The revision of a row that names none: it is attributable to no revision."""


def _many_revisions(header: Header) -> bool:
    allowed = header.revisions[:1] if header.pinned is None else (header.pinned,)
    return any(revision == UNKNOWN or revision not in allowed for revision in header.revisions)


def _over_ceiling(header: Header) -> bool:
    spent = max(header.committed + (header.held or 0), header.burned or 0)
    return header.ceiling is not None and spent > header.ceiling


def audit(rows: Iterable[Row], plan: Plan, aggregate: str | None = None, split: bool = False) -> Audit:
    """Audit the rows of the plan's run; with `split` also each revision by itself, each against the whole plan."""
    every = list(rows)
    ours = [row for row in every if row.run == plan.run]
    whole = _judged(ours, plan, len(every) - len(ours), None if split else aggregate)
    if not split:
        return whole
    torn = _conflicting_keys(ours)
    revisions = sorted({row.revision or UNKNOWN for row in ours if row.outcome == "committed"})
    return replace(whole, parts=tuple(_part(ours, plan, revision, torn, aggregate) for revision in revisions))


def interpretable(found: Audit) -> bool:
    """Whether every number that this audit is about may be told: the parts of a split, else the whole."""
    return all(not part.words for part in found.parts) if found.parts else not found.words


def _part(rows: list[Row], plan: Plan, revision: str, torn: set[tuple[str, str, int]], aggregate: str | None) -> Audit:
    """One revision by itself. A key with two different rows stays a conflict in each part that has it."""
    own = [row for row in rows if (row.revision or UNKNOWN) == revision and row.outcome != "conflict"]
    kept_apart = [replace(row, outcome="conflict") for row in own if row.key in torn]
    pinned = None if plan.revision is None else revision
    return replace(_judged(own + kept_apart, replace(plan, revision=pinned), 0, aggregate), part=revision)


def _judged(rows: list[Row], plan: Plan, other_runs: int, aggregate: str | None) -> Audit:
    committed, deduped, conflicts = classify(rows)
    header = _header(rows, committed, plan, deduped, conflicts, other_runs)
    words = tuple(word for word, means in WORDS.items() if means(header))
    if aggregate is None or words:
        return Audit(header, words, aggregate)
    return Audit(header, words, aggregate, AGGREGATES[aggregate](committed, plan))


def classify(rows: list[Row]) -> tuple[list[Row], int, int]:
    """The rows that count, and how many were the same again or in conflict with the first under their key."""
    first: dict[tuple[str, str, int], Row] = {}
    told = Counter(row.outcome for row in rows)
    deduped, conflicts = told["deduped"], told["conflict"]
    for row in rows:
        if row.outcome != "committed":
            continue
        prior = first.get(row.key)
        first.setdefault(row.key, row)
        if prior is not None:
            deduped, conflicts = deduped + (prior == row), conflicts + (prior != row)
    return list(first.values()), deduped, conflicts


def _conflicting_keys(rows: list[Row]) -> set[tuple[str, str, int]]:
    seen: dict[tuple[str, str, int], Row] = {}
    torn = {row.key for row in rows if row.outcome == "conflict"}
    for row in rows:
        if row.outcome == "committed" and seen.setdefault(row.key, row) != row:
            torn.add(row.key)
    return torn


def _header(rows: list[Row], committed: list[Row], plan: Plan, deduped: int, conflicts: int, other_runs: int) -> Header:
    counts = Counter(row.shard for row in committed)
    billed = Counter(row.shard for row in committed if row.tokens)
    return Header(
        run=plan.run,
        planned=len(plan.shards),
        sealed=sum(shard in counts for shard in plan.shards),
        missing=tuple(shard for shard in plan.shards if shard not in counts),
        unplanned=tuple(sorted(set(counts) - set(plan.shards))),
        superseded=tuple(sorted(shard for shard, count in counts.items() if count > 1)),
        rows=len(committed),
        max_rows_a_shard=max(counts.values(), default=0),
        rows_a_shard=tuple(sorted((shard, count) for shard, count in counts.items() if count > 1)),
        revisions=tuple(sorted({row.revision or UNKNOWN for row in committed})),
        pinned=plan.revision,
        input_versions=tuple(sorted({row.input_digest for row in committed if row.input_digest is not None})),
        conflicts=conflicts,
        deduped=deduped,
        rejected_stale=sum(row.outcome == "rejected_stale" for row in rows),
        ceiling=plan.ceiling,
        held=_sum(row.held for row in rows),
        committed=sum(row.tokens or 0 for row in committed),
        burned=_sum(row.burned for row in rows),
        double_billed=tuple(sorted(shard for shard, count in billed.items() if count > 1)),
        mixed_inputs=_mixed(committed, plan),
        other_runs=other_runs,
    )


def _sum(amounts: Iterable[int | None]) -> int | None:
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known else None


def _mixed(committed: list[Row], plan: Plan) -> bool:
    """Whether rows were made on different inputs.

    All rows must have the plan's input. Where the plan names none, slices may differ from shard to shard; then a shard
    with two inputs is mixed, and so is a batch in which some shards share an input and others do not.
    """
    made = {(row.shard, row.input_digest) for row in committed if row.input_digest is not None}
    versions = {digest for _, digest in made}
    if plan.input_digest is not None:
        return bool(versions - {plan.input_digest})
    return 1 < len(versions) < len(made) or len(made) > len({shard for shard, _ in made})


def mean_over_shards(committed: list[Row], plan: Plan) -> float:
    """The mean of the grades over the planned shards."""
    return fsum(_grades(committed)) / len(plan.shards)


def total_over_rows(committed: list[Row], plan: Plan) -> float:
    """The sum of the grades over the rows."""
    return fsum(_grades(committed))


def _grades(committed: list[Row]) -> list[float]:
    ungraded = [row for row in committed if row.grade is None]
    if ungraded:
        raise BadRowsError(f"the row of shard {ungraded[0].shard}, epoch {ungraded[0].epoch} has no grade to aggregate")
    return [row.grade for row in committed if row.grade is not None]


AGGREGATES: Final[dict[str, Callable[[list[Row], Plan], float]]] = {
    "mean-over-shards": mean_over_shards,
    "total-over-rows": total_over_rows,
}
