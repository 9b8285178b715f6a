"""A concurrent history: who asked what when, and what came back; read from JSON Lines in real-time order.

A call that never completed, or completed as `info`, is unknown: it may take effect at any later point or never.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from fencebench.checker.oracle.log.events import BadLineError, Name, numbered, read_object
from fencebench.checker.oracle.log.ops import KINDS, shown
from fencebench.model.fence import Refusal

FOREVER: Final = 1 << 62
"""The line at which an unknown call completes: after every other."""

REQUIRED: Final[dict[str, tuple[str, ...]]] = {
    "ledger.reserve": ("shard", "epoch", "tokens"),
    "lease.grant": ("shard", "epoch"),
    "lease.renew": ("shard", "epoch"),
    "lease.expire": ("shard", "epoch"),
    "store.tell": ("shard", "epoch"),
    "store.put": ("shard", "epoch", "digest"),
    "ledger.commit": ("shard", "epoch", "tokens", "digest"),
    "seal": ("shard", "epoch"),
    "report.print": (),
}
"""The calls that the sequential ledger and store know, and what each must name."""


class Call(NamedTuple):
    """One call. `invoked` and `completed` are lines; `begun` and `ended` seconds on the control plane's clock.

    `answer` is ok, fail (it did not take effect) or info (unknown); `refusal` the class that came back, if one did.
    """

    client: Name
    op: str
    run: Name
    shard: Name | None
    epoch: int
    tokens: int
    digest: Name | None
    revision: Name | None
    input_digest: Name | None
    parts: tuple[int, ...] | None
    expires: float | None
    invoked: int
    completed: int
    begun: float | None
    ended: float | None
    answer: Literal["ok", "fail", "info"]
    refusal: Refusal | None


class Plan(NamedTuple):
    """What a `run.open` line says of a run."""

    shards: tuple[Name, ...] = ()
    ceiling: int | None = None
    revision: Name | None = None
    input_digest: Name | None = None


@dataclass(frozen=True)
class History:
    """All calls in the order of their invocation, and the plan of each run that has one."""

    calls: tuple[Call, ...]
    plans: dict[Name, Plan] = field(default_factory=dict)


Raw = dict[str, Any]
"""A line whose fields were checked to be of their types."""


def read_history(lines: Iterable[str | bytes]) -> History:
    """Read a history; raise `BadLineError` for a line that does not belong in one."""
    open_calls: dict[Name, tuple[int, Raw]] = {}
    calls: list[Call] = []
    plans: dict[Name, Plan] = {}
    count = 0
    for number, text in numbered(lines):
        count, raw = count + 1, _checked(read_object(text, number), number)
        if raw["op"] == "run.open":
            plans[raw["run"]] = _plan(raw)
        elif raw["type"] == "invoke":
            _open(open_calls, raw, number)
        else:
            begun, asked = _close(open_calls, raw, number)
            calls.append(_call(asked, begun, raw, number))
    if count == 0:
        raise BadLineError(1, "the history is empty, expected invocations and completions")
    calls.extend(_call(asked, begun, {"type": "info"}, FOREVER) for begun, asked in open_calls.values())
    return History(tuple(sorted(calls, key=lambda call: call.invoked)), plans)


def _checked(raw: dict[str, object], line: int) -> Raw:
    if raw.get("op") == "run.open":
        _check_fields(raw, ("run",), line)
        return raw
    if raw.get("client") is None or raw.get("type") not in ("invoke", "ok", "fail", "info"):
        raise BadLineError(line, "expected a client and a type: invoke, ok, fail or info")
    if raw["type"] != "invoke":
        _check_fields(raw, (), line)
        return {"op": None, **raw}
    if raw.get("op") not in REQUIRED:
        raise BadLineError(line, f"unknown op {shown(raw.get('op'))}, expected one of {', '.join(REQUIRED)}")
    _check_fields(raw, ("run", *REQUIRED[str(raw["op"])]), line)
    return raw


def _check_fields(raw: dict[str, object], required: tuple[str, ...], line: int) -> None:
    for name in required:
        if raw.get(name) is None:
            raise BadLineError(line, f"{raw['op']}: the required field {name} is missing, expected {KINDS[name].words}")
    for name, value in raw.items():
        kind = KINDS["run" if name == "client" else name] if name == "client" or name in KINDS else None
        if kind is not None and value is not None and name != "op" and not kind.fits(value):
            raise BadLineError(line, f"expected {name} to be {kind.words}, found {shown(value)}")


def _plan(raw: Raw) -> Plan:
    return Plan(tuple(raw.get("shards") or ()), raw.get("ceiling"), raw.get("revision"), raw.get("input_digest"))


def _open(open_calls: dict[Name, tuple[int, Raw]], raw: Raw, line: int) -> None:
    client = raw["client"]
    if client in open_calls:
        raise BadLineError(line, f"client {client} has an open call since line {open_calls[client][0]}")
    open_calls[client] = line, raw


def _close(open_calls: dict[Name, tuple[int, Raw]], raw: Raw, line: int) -> tuple[int, Raw]:
    client = raw["client"]
    if client not in open_calls:
        raise BadLineError(line, f"client {client} completes a call that it did not invoke")
    begun, asked = open_calls.pop(client)
    if raw["op"] not in (None, asked["op"]):
        raise BadLineError(line, f"client {client} completes {raw['op']}, it invoked {asked['op']} at line {begun}")
    return begun, asked


def _call(asked: Raw, begun: int, answered: Raw, line: int) -> Call:
    unknown = answered["type"] == "info"
    both = {**asked, **{name: value for name, value in answered.items() if value is not None}}
    word = answered.get("reason") if answered.get("outcome") in (None, "refused") else answered.get("outcome")
    return Call(
        client=asked["client"],
        op=asked["op"],
        run=asked["run"],
        shard=asked.get("shard"),
        epoch=asked.get("epoch", 0),
        tokens=asked.get("tokens") or 0,
        digest=asked.get("digest"),
        revision=asked.get("revision"),
        input_digest=asked.get("input_digest"),
        parts=tuple(asked["parts"]) if asked.get("parts") else None,
        expires=both.get("expires"),
        invoked=begun,
        completed=FOREVER if unknown else line,
        begun=asked.get("t"),
        ended=math.inf if unknown else answered.get("t"),
        answer=answered["type"],
        refusal=Refusal(word) if word in set(Refusal) else None,
    )
