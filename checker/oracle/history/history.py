"""A concurrent history: who asked what when, and what came back; read from JSON Lines in real-time order.

A call that never completed, or completed as `info`, is unknown: it may take effect at any later point or never.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from fencebench.checker.oracle.judge.effects import UNAPPLIED
from fencebench.checker.oracle.judge.state import Plan, plan_of
from fencebench.checker.oracle.log.events import (
    BadLineError,
    Event,
    Name,
    check_fields,
    event_of,
    known_op,
    numbered,
    read_object,
)
from fencebench.checker.oracle.log.ops import KINDS, OPS

FOREVER: Final = 1 << 62
"""The line at which an unknown call completes: after every other."""

TYPES: Final = ("invoke", "ok", "fail", "info")
_OF_THE_LINE: Final = ("client", "type", "t", "op")


class Call(NamedTuple):
    """One call: what was asked and answered as an event of the log, and the lines of invocation and completion.

    The event's `t` and `until` are when it began and ended, infinite where that is not told. `seen` are the ops that
    had occurred in its run when it was invoked, its own among them; `told` is the line after which others see it.
    """

    client: Name
    event: Event
    invoked: int
    completed: int
    told: int
    seen: frozenset[str] = frozenset()

    @property
    def known(self) -> bool:
        """Whether it is known how it ended."""
        return self.completed != FOREVER


@dataclass(frozen=True)
class History:
    """All calls in the order of their invocation, and the plan of each run."""

    calls: tuple[Call, ...]
    plans: dict[Name, Plan] = field(default_factory=dict)


Raw = dict[str, Any]
"""A line whose fields were checked to be of their types."""


@dataclass
class Reading:
    """What was read so far: calls that are open, by client, those that ended, and the plans."""

    opened: dict[Name, tuple[int, Raw]] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    plans: dict[Name, Plan] = field(default_factory=dict)
    lines: int = 0

    def line(self, text: str, number: int) -> None:
        """Read one line; raise `BadLineError` when it does not belong in a history."""
        raw = _checked(read_object(text, number), number)
        self.lines += 1
        if raw["op"] == "run.open":
            self.plans[raw["run"]] = plan_of(event_of({"t": 0.0, **raw}, OPS["run.open"], number))
        elif raw["type"] == "invoke":
            self._open(raw, number)
        else:
            self._close(raw, number)

    def _open(self, raw: Raw, line: int) -> None:
        client = raw["client"]
        if client in self.opened:
            raise BadLineError(line, f"client {client} has an open call since line {self.opened[client][0]}")
        self.opened[client] = line, raw

    def _close(self, raw: Raw, line: int) -> None:
        client = raw["client"]
        if client not in self.opened:
            raise BadLineError(line, f"client {client} completes a call that it did not invoke")
        begun, asked = self.opened.pop(client)
        if raw["op"] not in (None, asked["op"]):
            raise BadLineError(line, f"client {client} completes {raw['op']}, it invoked {asked['op']} at line {begun}")
        if raw.get("t") is not None and raw["t"] < (asked.get("t") or -math.inf):
            raise BadLineError(line, f"time runs backwards in a call of client {client}: {raw['t']} after {asked['t']}")
        self.calls += calls_of(asked, begun, raw, line)

    def history(self) -> History:
        """What was read, as a whole; calls that are still open are unknown."""
        left = [c for begun, asked in self.opened.values() for c in calls_of(asked, begun, {"type": "info"}, begun)]
        calls = sorted([*self.calls, *left], key=lambda call: call.invoked)
        return History(with_families(calls), self.plans)


def read_history(lines: Iterable[str | bytes]) -> History:
    """Read a history; raise `BadLineError` for a line that does not belong in one."""
    reading = Reading()
    for number, text in numbered(lines):
        reading.line(text, number)
    if reading.lines == 0:
        raise BadLineError(1, "the history is empty, expected invocations and completions")
    return reading.history()


def _checked(raw: Raw, line: int) -> Raw:
    if raw.get("op") == "run.open":
        _check(raw, ("run",), line)
        return raw
    if raw.get("client") is None or raw.get("type") not in TYPES:
        raise BadLineError(line, "expected a client and a type: invoke, ok, fail or info")
    if not KINDS["run"].fits(raw["client"]):
        raise BadLineError(line, f"expected client to be {KINDS['run'].words}")
    if raw["type"] != "invoke":
        _check({"op": "a completion", **raw}, (), line)
        return {"op": None, **raw}
    _check(raw, ("run", *(f for f in known_op(raw, line).required if f not in ("outcome", "expires"))), line)
    return raw


def _check(raw: Raw, required: tuple[str, ...], line: int) -> None:
    for name in required:
        if raw.get(name) is None:
            raise BadLineError(line, f"{raw['op']}: the required field {name} is missing, expected {KINDS[name].words}")
    check_fields(raw, line)


def calls_of(asked: Raw, begun: int, answered: Raw, line: int) -> Iterator[Call]:
    """The call; beside an unknown one the fact that it was made, where that alone changes what is allowed."""
    call = call_of(asked, begun, answered, line)
    yield call
    if not call.known and call.event.op in UNAPPLIED:
        yield call._replace(event=call.event._replace(answer="observe"), completed=line)


def call_of(asked: Raw, begun: int, answered: Raw, line: int) -> Call:
    """The call of an invocation and its completion."""
    op, unknown = OPS[asked["op"]], answered["type"] == "info"
    came = {name: value for name, value in answered.items() if value is not None and name not in _OF_THE_LINE}
    times = (asked.get("t"), None if unknown else answered.get("t"))
    both = {**asked, **came, "t": -math.inf if times[0] is None else times[0]}
    both["outcome"] = _outcome(asked["op"], answered)
    event = event_of(both, op, line)._replace(until=math.inf if times[1] is None else times[1])
    if unknown:
        event = event._replace(answer="unknown" if op.answered else "observe")
    return Call(asked["client"], event, begun, FOREVER if unknown else line, line)


def _outcome(name: str, answered: Raw) -> str | None:
    op, word = OPS[name], answered.get("outcome")
    if answered["type"] == "info":
        return "no_reply" if op.answered else None
    if answered["type"] == "fail":
        return word if isinstance(word, str) and word.isupper() else "refused"
    return word or next(iter((*op.accepts, *op.observes)), None)


def with_families(calls: list[Call]) -> tuple[Call, ...]:
    """The calls with the ops that had occurred in their run before: nothing is demanded of others."""
    seen: dict[Name, frozenset[str]] = {}
    found = {}
    for _, happens, number in sorted(
        [(call.invoked, 1, n) for n, call in enumerate(calls)] + [(call.told, 0, n) for n, call in enumerate(calls)]
    ):
        run, family = calls[number].event.run, _family(calls[number].event)
        before = seen.get(run, frozenset())
        if happens:
            found[number] = before | {family}
        elif family not in before:
            seen[run] = before | {family}
    return tuple(call._replace(seen=found[number]) for number, call in enumerate(calls))


def _family(event: Event) -> str:
    return "lease.grant" if event.op == "lease.wait" and event.answer == "accept" else event.op
