"""What a line of the event log may hold, as data: the ops, their required fields and answers, the types of fields."""

import json
import math
from collections.abc import Callable
from typing import Final, NamedTuple


class Op(NamedTuple):
    """What a line of this op must carry besides `t`, `op` and `run`, and the words that accept or only observe."""

    required: tuple[str, ...]
    accepts: tuple[str, ...] = ()
    observes: tuple[str, ...] = ()
    any_word: bool = False


_ATTEMPT = ("shard", "epoch", "outcome")
_SPEND = ("shard", "epoch", "tokens", "outcome")
_SHARD = ("shard", "outcome")

OPS: Final[dict[str, Op]] = {
    "run.open": Op(()),
    "lease.grant": Op(("shard", "epoch", "expires", "outcome"), ("granted",)),
    "lease.renew": Op(_ATTEMPT, ("granted",)),
    "lease.wait": Op(("shard",), ("granted",)),
    "lease.expire": Op(_ATTEMPT, ("expired",)),
    "ledger.reserve": Op(_SPEND, ("reserved",)),
    "dispatch": Op(_ATTEMPT, ("sent",)),
    "model.call": Op(_SPEND, observes=("ok", "timeout")),
    "ckpt.write": Op(_SHARD, ("ok",)),
    "ckpt.resume": Op(_SHARD, ("resumed", "restarted", "ok")),
    "store.tell": Op(_SHARD, ("ok",)),
    "store.put": Op(_ATTEMPT, ("created",)),
    "store.apply": Op(_SHARD, ("created",)),
    "store.delete": Op(_SHARD, ("deleted",)),
    "ledger.commit": Op(_SPEND, ("committed", "ok")),
    "row.accept": Op(_SHARD, ("accepted",)),
    "ledger.release": Op(_SPEND, ("released", "ok")),
    "ledger.sweep": Op(_SPEND, ("released", "ok")),
    "ledger.waste": Op(_SPEND, ("released", "ok")),
    "ledger.rebuild": Op(("total", "outcome"), ("ok",)),
    "seal": Op(_ATTEMPT, ("sealed",)),
    "attempt.end": Op(_SHARD, any_word=True),
    "state.read": Op(_SHARD, any_word=True),
    "state.set": Op(_SHARD, ("ok",)),
    "report.print": Op(("outcome",), ("printed",)),
    "preempt": Op(("shard",)),
    "resume": Op(("shard",)),
    "fixture.change": Op(("shard",)),
    "config.change": Op(("shard",)),
    "clock.skew": Op(()),
    "clock.step": Op(()),
    "alias.flip": Op(()),
}


def _is_number(value: object) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


def _is_count(value: object) -> bool:
    return type(value) is int and value >= 0


def _is_name(value: object) -> bool:
    return type(value) is str or type(value) is int


def _is_names(value: object) -> bool:
    return type(value) is list and all(_is_name(item) for item in value)


def _is_parts(value: object) -> bool:
    return type(value) is list and len(value) == 2 and all(_is_count(item) for item in value)


class Kind(NamedTuple):
    """A type of field: how it is named to a person, the test of a value, and types that need no test (for speed)."""

    words: str
    fits: Callable[[object], bool]
    always: frozenset[type] = frozenset()


NUMBER: Final = Kind("a finite number of seconds", _is_number, frozenset({int}))
COUNT: Final = Kind("a whole number, 0 or more", _is_count)
NAME: Final = Kind("a name (text or whole number)", _is_name, frozenset({int, str}))
NAMES: Final = Kind("a list of names", _is_names)
MANY: Final = Kind("a list of names or a whole number", lambda value: _is_count(value) or _is_names(value))
TEXT: Final = Kind("a text", lambda value: type(value) is str, frozenset({str}))
TRUTH: Final = Kind("true or false", lambda value: type(value) is bool)
PARTS: Final = Kind("two whole numbers [have, of]", _is_parts)
MODE: Final = Kind('"put" or "receipt"', lambda value: value in ("put", "receipt"))

_FIELDS_OF: Final[tuple[tuple[Kind, str], ...]] = (
    (NUMBER, "t lease_ttl expires clock_of_actor"),
    (COUNT, "epoch ceiling tokens from_epoch total"),
    (NAME, "run shard revision input_digest config_digest holder host version_expected version_new digest req case"),
    (NAME, "revision_served version latest"),
    (NAMES, "shards done pending sealed"),
    (MANY, "cases missing"),
    (TEXT, "op outcome reason state"),
    (TRUTH, "applied late counted"),
    (PARTS, "parts"),
    (MODE, "acceptance"),
)
KINDS: Final = {field: kind for kind, fields in _FIELDS_OF for field in fields.split()}


def shown(value: object) -> str:
    """A value for a message, at most 60 characters of it."""
    try:
        text = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= 60 else text[:57] + "..."
