"""What a line of the event log may hold, as data: the ops, their fields and answers, the types of fields."""

import json
import math
from collections.abc import Callable
from typing import Final, NamedTuple


class Op(NamedTuple):
    """One op of the log.

    `required` fields come besides `t`, `op` and `run`; `fields` are others that mean something here. The words of
    `accepts` are success, those of `observes` tell what was seen and are not judged; `any_word` observes every word.
    """

    sentence: str
    required: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    accepts: tuple[str, ...] = ()
    observes: tuple[str, ...] = ()
    any_word: bool = False

    @property
    def answered(self) -> bool:
        """Whether an outcome is expected; of other ops one is only told."""
        return bool(self.accepts or self.observes)


_ATTEMPT = ("shard", "epoch", "outcome")
_SPEND = ("shard", "epoch", "tokens", "outcome")
_SHARD = ("shard", "outcome")
_PLAN = ("shards", "cases", "ceiling", "revision", "input_digest", "config_digest", "lease_ttl", "acceptance")
_LEASE = ("holder", "host", "version_expected", "version_new")
_MADE = ("digest", "revision", "input_digest", "config_digest")
_PUT = (*_MADE, "parts", "req", "clock_of_actor")

OPS: Final[dict[str, Op]] = {
    "run.open": Op("the run and its plan", (), _PLAN),
    "lease.grant": Op("an epoch gets its lease", ("shard", "epoch", "expires", "outcome"), _LEASE, ("granted",)),
    "lease.renew": Op("the lease goes on", _ATTEMPT, ("expires", *_LEASE), ("granted",)),
    "lease.wait": Op("a lease is waited for", ("shard",), ("epoch", "expires", *_LEASE), ("granted",)),
    "lease.expire": Op("a lease is declared over", _ATTEMPT, (), ("expired",)),
    "ledger.reserve": Op("tokens are held", _SPEND, ("input_digest", "req"), ("reserved",)),
    "dispatch": Op("the attempt is started", _ATTEMPT, ("host",), ("sent",)),
    "model.call": Op("tokens are drawn", _SPEND, ("revision", "input_digest"), observes=("ok", "timeout")),
    "ckpt.write": Op("a checkpoint", _SHARD, ("epoch", "done", "pending", *_MADE[1:]), ("ok",)),
    "ckpt.resume": Op(
        "an attempt starts, from a checkpoint or anew",
        _SHARD,
        ("epoch", "done", "pending", "from_epoch", *_MADE[1:], "clock_of_actor"),
        ("resumed", "restarted", "ok"),
    ),
    "store.tell": Op("the store's register is raised", _SHARD, ("epoch",), ("ok",)),
    "store.put": Op("an artifact is stored", _ATTEMPT, _PUT, ("created",)),
    "store.apply": Op("a delayed put takes effect", _SHARD, ("epoch", *_PUT), ("created",)),
    "store.delete": Op("an artifact is removed", _SHARD, ("epoch", "digest", "req"), ("deleted",)),
    "ledger.commit": Op("a row is booked", _SPEND, (*_MADE, "late", "counted", "req"), ("committed", "ok")),
    "row.accept": Op("the row of one case", _SHARD, ("epoch", "case", *_MADE, "revision_served"), ("accepted",)),
    "ledger.release": Op("a part of a hold is given back", _SPEND, ("req",), ("released", "ok")),
    "ledger.sweep": Op("a hold is marked as late", _SPEND, ("req",), ("released", "ok")),
    "ledger.waste": Op("burned tokens are written off", _SPEND, ("req",), ("released", "ok")),
    "ledger.rebuild": Op("the committed total is counted anew", ("total", "outcome"), (), ("ok",)),
    "seal": Op("the shard is final", _ATTEMPT, (), ("sealed",)),
    "attempt.end": Op("an attempt ends by itself", _SHARD, ("epoch",), any_word=True),
    "state.read": Op("the shard's record is read", _SHARD, ("epoch", "state", "version", "latest"), any_word=True),
    "state.set": Op("the shard's record is written", _SHARD, ("epoch", "state", "version", "latest"), ("ok",)),
    "report.print": Op("the number is printed", ("outcome",), ("sealed", "missing", "value"), ("printed",)),
    "preempt": Op("a host is taken away", ("shard",), ("epoch", "host")),
    "resume": Op("a host is back", ("shard",), ("epoch", "host")),
    "fixture.change": Op("the shard has another input", ("shard",), ("input_digest",)),
    "config.change": Op("another configuration, or ceiling", ("shard",), ("config_digest", "ceiling")),
    "clock.skew": Op("a clock is off", (), ("who", "offset", "shard", "epoch")),
    "clock.step": Op("a clock steps", (), ("who", "offset", "shard", "epoch")),
    "alias.flip": Op("the alias resolves to another revision", (), ("revision", "shard")),
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
VALUE: Final = Kind("a finite number", _is_number, frozenset({int}))
COUNT: Final = Kind("a whole number, 0 or more", _is_count)
NAME: Final = Kind("a name (text or whole number)", _is_name, frozenset({int, str}))
NAMES: Final = Kind("a list of names", _is_names)
MANY: Final = Kind("a list of names or a whole number", lambda value: _is_count(value) or _is_names(value))
TEXT: Final = Kind("a text", lambda value: type(value) is str, frozenset({str}))
TRUTH: Final = Kind("true or false", lambda value: type(value) is bool, frozenset({bool}))
PARTS: Final = Kind("two whole numbers [have, of]", _is_parts)
MODE: Final = Kind('"put" or "receipt"', lambda value: value in ("put", "receipt"))

_FIELDS_OF: Final[tuple[tuple[Kind, str], ...]] = (
    (NUMBER, "t lease_ttl expires clock_of_actor offset"),
    (VALUE, "value"),
    (COUNT, "epoch ceiling tokens from_epoch total"),
    (NAME, "run shard revision input_digest config_digest holder host version_expected version_new digest req case"),
    (NAME, "revision_served version latest who"),
    (NAMES, "shards done pending sealed"),
    (MANY, "cases missing"),
    (TEXT, "op outcome reason state"),
    (TRUTH, "applied late counted"),
    (PARTS, "parts"),
    (MODE, "acceptance"),
)
KINDS: Final = {field: kind for kind, fields in _FIELDS_OF for field in fields.split()}


def shown(value: object) -> str:
    """A value for a message: at most 60 characters of it, control characters escaped."""
    try:
        text = repr(value) if isinstance(value, str) else json.dumps(value)
    except RecursionError:
        return "a deeply nested value"
    return text if len(text) <= 60 else text[:57] + "..."
