"""An audit as text for a person and as one JSON object for a program."""

import json
from dataclasses import asdict

from fencebench.checker.oracle.rows.audit import Audit, Header, interpretable

_WIDTH = 16
_MANY = 10


def as_json(found: Audit) -> str:
    """One JSON object: the header first, then the verdict and the number."""
    return json.dumps(_object(found), ensure_ascii=False)


def _object(found: Audit) -> dict[str, object]:
    return {
        **({} if found.part is None else {"revision": found.part}),
        "header": asdict(found.header),
        "verdict": found.verdict,
        "interpretable": interpretable(found),
        "aggregate": found.aggregate,
        "value": found.value,
        "parts": [_object(part) for part in found.parts],
    }


def as_text(found: Audit) -> str:
    """The header, the verdict, and the number where it may be told; then each part of a split."""
    lines = [*_header(found.header), "", _row("verdict", found.verdict), *_number(found)]
    for part in found.parts:
        own = part.header
        of = f"{own.sealed} of {own.planned} shards, missing {_names(own.missing)}"
        lines += ["", _row(f"revision {part.part}", of), _row("verdict", part.verdict), *_number(part)]
    return "\n".join(lines)


def _header(header: Header) -> list[str]:
    rows = ", ".join(f"{shard}: {count}" for shard, count in header.rows_a_shard[:_MANY])
    pinned = "" if header.pinned is None else f" (pinned {header.pinned})"
    return [
        _row("run", header.run),
        _row("planned", f"{header.planned} shards"),
        _row("sealed", f"{header.sealed} shards"),
        _row("missing", _names(header.missing)),
        _row("unplanned", _names(header.unplanned)),
        _row("superseded", _names(header.superseded)),
        _row("rows a shard", f"at most {header.max_rows_a_shard}" + (f" ({rows})" if rows else "")),
        _row("revisions", _names(header.revisions) + pinned),
        _row("input versions", _names(header.input_versions)),
        _row("conflicts", str(header.conflicts)),
        _row("deduped", str(header.deduped)),
        _row("rejected_stale", str(header.rejected_stale)),
        _row("spend", _spend(header)),
        _row("double-billed", _names(header.double_billed)),
        *([_row("passed over", f"{header.other_runs} rows of other runs")] if header.other_runs else []),
    ]


def _spend(header: Header) -> str:
    held, burned = (("not observed" if part is None else str(part)) for part in (header.held, header.burned))
    ceiling = "no ceiling" if header.ceiling is None else f"ceiling {header.ceiling}"
    return f"held {held}, committed {header.committed}, burned {burned} tokens; {ceiling}"


def _number(found: Audit) -> list[str]:
    if found.aggregate is None:
        return []
    if found.value is None:
        return [_row(found.aggregate, "refused: the batch is not interpretable")]
    return [_row(found.aggregate, f"{found.value:.12g}")]


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return (", ".join(names[:_MANY]) or "none") + more


def _row(label: str, text: str) -> str:
    return f"{label:<{_WIDTH}} {text}"
