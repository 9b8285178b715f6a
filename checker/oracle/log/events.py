"""Event log, version 1: one line as an `Event`, and how a log is read.

A line that cannot be read is bad input and raises `BadLineError` with one sentence: the line and what was expected.
"""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any, Final, Literal, NamedTuple

from fencebench.checker.errors import BadInput
from fencebench.checker.oracle.log.ops import KINDS, OPS, Op, shown
from fencebench.model.fence import Refusal

Name = int | str
"""What a run, shard, case, host, digest or revision is called in a log: a whole number or a text."""

Answer = Literal["accept", "refuse", "unknown", "observe"]


class BadLineError(BadInput):
    """A line that is no event. `line` counts from 1; the text says what was expected."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(f"line {line}: {text}")
        self.line = line


class Event(NamedTuple):
    """One line. A field that is None was not observed. `t` is seconds on the control plane's clock.

    `answer` is what `outcome` amounts to: accepted, refused, unknown (no reply), or an observation that nobody judges.
    `until` is the end of a call in a history. `unproven` is a row that says itself that nobody knows what served it.
    """

    line: int
    answer: Answer
    t: float
    op: str
    run: Name
    shard: Name | None = None
    epoch: int | None = None
    outcome: str | None = None
    reason: str | None = None
    applied: bool | None = None
    shards: list[Name] | None = None
    cases: int | list[Name] | None = None
    ceiling: int | None = None
    revision: Name | None = None
    input_digest: Name | None = None
    config_digest: Name | None = None
    lease_ttl: float | None = None
    acceptance: str | None = None
    expires: float | None = None
    holder: Name | None = None
    host: Name | None = None
    version_expected: Name | None = None
    version_new: Name | None = None
    tokens: int | None = None
    done: list[Name] | None = None
    pending: list[Name] | None = None
    from_epoch: int | None = None
    digest: Name | None = None
    parts: list[int] | None = None
    req: Name | None = None
    clock_of_actor: float | None = None
    late: bool | None = None
    counted: bool | None = None
    case: Name | None = None
    revision_served: Name | None = None
    total: int | None = None
    sealed: list[Name] | None = None
    missing: int | list[Name] | None = None
    value: float | None = None
    state: str | None = None
    version: Name | None = None
    latest: Name | None = None
    until: float | None = None
    unproven: bool = False

    @property
    def latest_t(self) -> float:
        """The last second at which it can have taken effect: `t`, but for a call of a history that spans some time."""
        return self.t if self.until is None else self.until

    @property
    def refusal(self) -> Refusal | None:
        """The class of the design that a refusal names; any other word counts as none."""
        word = self.reason if self.outcome == "refused" else self.outcome
        return Refusal(word) if word in CLASSES else None

    @property
    def answered(self) -> str:
        """The answer as the log gives it, with its reason and whether an unanswered request was applied."""
        if self.counted is False:
            return f"{self.outcome} (counted: false)"
        if self.outcome == "no_reply" and self.applied is not None:
            return f"no_reply (applied: {str(self.applied).lower()})"
        return f"{self.outcome} {self.reason}" if self.reason else self.outcome or "seen"


CLASSES: Final = frozenset(str(refusal) for refusal in Refusal)


_OPTIONAL: Final = Event._fields[2:-2]


def parse(text: str, line: int) -> Event:
    """Read one line; raise `BadLineError` when it is no event of version 1."""
    raw = read_object(text, line)
    op = known_op(raw, line)
    check_fields(raw, line)
    check_required(raw, op, line)
    return event_of(raw, op, line)


def event_of(raw: dict[str, Any], op: Op, line: int) -> Event:
    """The event of a line whose fields were checked."""
    unproven = op is _ROW and "revision_served" in raw and raw["revision_served"] is None
    told: list[Any] = [raw.get(field) for field in _OPTIONAL]
    return Event._make((line, answer_of(raw, op, line), *told, None, unproven))


_ROW: Final = OPS["row.accept"]


def read_object(text: str, line: int) -> dict[str, object]:
    """Read one JSON object, or raise `BadLineError`."""
    try:
        raw = _DECODER.decode(text)
        if type(raw) is dict and text.count(":") > len(raw):  # with as many colons as keys, no key is there twice
            _CAREFUL.decode(text)
    except json.JSONDecodeError as error:
        raise BadLineError(
            line, f"expected a whole JSON object, it breaks at column {error.colno} ({error.msg})"
        ) from None
    except RecursionError:
        raise BadLineError(line, "expected a flat JSON object, it is nested too deeply") from None
    except ValueError as error:
        told = "numbers of fewer digits" if "digits" in str(error) else str(error)
        raise BadLineError(line, f"expected {told}") from None
    if type(raw) is not dict:
        raise BadLineError(line, f"expected one JSON object, found {shown(raw)}")
    if "\\u" in text or not text.isascii():
        _check_text(raw, line)
    return raw


def _no_constant(word: str) -> object:
    raise ValueError(f"JSON with finite numbers, found {word}")


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if key in dict(pairs[:i]))
        raise ValueError(f"each key once, the key {shown(twice)} is there twice")
    return found


def _check_text(raw: dict[str, object], line: int) -> None:
    try:
        json.dumps(raw, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise BadLineError(line, "expected text in Unicode, found half of a surrogate pair") from None


_DECODER: Final = json.JSONDecoder(parse_constant=_no_constant)
_CAREFUL: Final = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_each_once)


def known_op(raw: dict[str, object], line: int) -> Op:
    """The op of a line, or `BadLineError`."""
    op = raw.get("op")
    if op is None:
        raise BadLineError(line, "the required field op is missing")
    if type(op) is not str or op not in OPS:
        raise BadLineError(line, f"unknown op {shown(op)}, expected one of {', '.join(OPS)}")
    return OPS[op]


def check_fields(raw: dict[str, object], line: int) -> None:
    """Raise `BadLineError` for a field that is not of its type."""
    for field, value in raw.items():
        kind = KINDS.get(field)
        if kind is None or value is None or type(value) in kind.always:
            continue
        if not kind.fits(value):
            raise BadLineError(line, f"{raw['op']}: expected {field} to be {kind.words}, found {shown(value)}")


def check_required(raw: dict[str, object], op: Op, line: int) -> None:
    """Raise `BadLineError` for a field that is missing."""
    for field in ("t", "run", *op.required):
        if raw.get(field) is None:
            raise BadLineError(
                line, f"{raw['op']}: the required field {field} is missing, expected {KINDS[field].words}"
            )


def answer_of(raw: dict[str, Any], op: Op, line: int) -> Answer:
    """What the outcome amounts to. A word in capitals that is no class of the design is a refusal without a class."""
    word = raw.get("outcome")
    if word is None or op.any_word or word in op.observes or not (op.accepts or op.observes):
        return "observe"
    if word in op.accepts:
        return "accept"
    if word == "no_reply":
        return "unknown"
    if word == "refused" or (type(word) is str and word.isupper()):
        return "refuse"
    words = ", ".join((*op.accepts, *op.observes, "refused", "no_reply"))
    raise BadLineError(
        line, f"{raw['op']}: unknown outcome {shown(word)}, expected {words} or a class, e.g. STALE_EPOCH"
    )


def numbered(lines: Iterable[str | bytes]) -> Iterator[tuple[int, str]]:
    """Number the lines from 1, decode them, drop a byte order mark and pass over blank lines."""
    for number, raw in enumerate(lines, 1):
        text = decoded(raw, number) if isinstance(raw, bytes) else raw
        text = text.removeprefix("\ufeff").strip() if number == 1 else text.strip()
        if text:
            yield number, text


def decoded(raw: bytes, line: int) -> str:
    """The text of a line, or `BadLineError` when it is not UTF-8."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLineError(line, f"expected UTF-8, byte {error.start + 1} of the line is not") from None


def read_events(lines: Iterable[str | bytes]) -> Iterator[Event]:
    """The events of a log in order; checks also that runs are opened and that the clock never goes back.

    The clock is checked in each run: logs of two control planes may be interleaved.
    """
    clocks: dict[Name, float] = {}
    opened: dict[Name, int] = {}
    for number, text in numbered(lines):
        event = parse(text, number)
        _check_opened(event, opened)
        if event.t < clocks.get(event.run, -math.inf):
            raise BadLineError(number, f"time runs backwards in run {event.run}: t {event.t} after {clocks[event.run]}")
        clocks[event.run] = event.t
        yield event


def _check_opened(event: Event, opened: dict[Name, int]) -> None:
    first = opened.get(event.run)
    if event.op == "run.open":
        if first is not None:
            raise BadLineError(event.line, f"run {event.run} was opened before, at line {first}")
        opened[event.run] = event.line
    elif first is None:
        raise BadLineError(
            event.line, f"{event.op} of run {event.run}, which was not opened: expected its run.open first"
        )
