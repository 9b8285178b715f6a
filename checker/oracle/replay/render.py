"""A verdict as text for a person and as one JSON object for a program."""

import json
from dataclasses import asdict

from fencebench.checker.oracle.history.linearize import Linearized
from fencebench.checker.oracle.replay.replay import Verdict

_WIDTH = 12
_MANY = 10


def as_json(verdict: Verdict | Linearized) -> str:
    """One JSON object; every field is there, null or empty where it says nothing."""
    return json.dumps(asdict(verdict), ensure_ascii=False)


def as_text(verdict: Verdict) -> str:
    """Verdict first, then what was wrong, then the state it was wrong in."""
    lines = [_headline(verdict), "", _row("judged by", verdict.mode)]
    if verdict.line is not None:
        lines += _divergence(verdict)
    if verdict.unread is not None:
        lines.append(_row("unread", verdict.unread))
    return "\n".join([*lines, _row("lines", f"{verdict.events} events judged")])


def _headline(verdict: Verdict) -> str:
    head = f"{verdict.verdict.upper()}  {verdict.log}"
    if verdict.verdict == "vacuous":
        return f"{head}: no lease is granted and nothing is committed, so there is nothing to judge"
    if verdict.line is None:
        return f"{head}: every answer is allowed"
    return f"{head}, line {verdict.line}: {verdict.op} of {_who(verdict)} was answered {verdict.answered}"


def _who(verdict: Verdict) -> str:
    named = (("run", verdict.run), ("shard", verdict.shard), ("epoch", verdict.epoch))
    return " ".join(f"{word} {value}" for word, value in named if value is not None)


def _divergence(verdict: Verdict) -> list[str]:
    code = f" ({verdict.code})" if verdict.code else ""
    return [
        _row("allowed", ", ".join(verdict.allowed)),
        _row("rule", f"{verdict.rule}, which protects {verdict.property}{code}"),
        _row("why", verdict.why or ""),
        *_rows("state", verdict.state),
        *_rows("before", verdict.so_far),
        _row("follow it", _numbers(verdict.consequences)),
        _row("also wrong", _numbers(verdict.further)),
    ]


def _numbers(lines: tuple[int, ...]) -> str:
    if not lines:
        return "no later line"
    more = f" and {len(lines) - _MANY} more" if len(lines) > _MANY else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines[:_MANY]))}{more}"


def _row(label: str, text: str) -> str:
    return f"{label:<{_WIDTH}}{text}"


def _rows(label: str, texts: tuple[str, ...]) -> list[str]:
    return [_row(label if number == 0 else "", text) for number, text in enumerate(texts)]


def linearized_text(found: Linearized) -> str:
    """Verdict first, then why the first call without a place has none."""
    head = f"{found.verdict.upper()}  {found.history}"
    lines = [_row("searched", f"{found.calls} calls in {found.parts} parts, {found.tried} configurations tried")]
    if found.line is None:
        return "\n".join([f"{head}: {_MEANINGS[found.verdict]}", "", *lines])
    head += f", line {found.line}: {found.op} of client {found.client} was answered {found.answered} and has no place"
    placed = ", ".join(map(str, found.order[-_MANY:]))
    before = f"every call that completed before has a place; the last were invoked at lines {placed or 'none'}"
    return "\n".join([head, "", *_rows("why", found.why), _row("before", before), *lines])


_MEANINGS = {
    "linearizable": "some order of the calls explains every answer",
    "undetermined": "the search hit its limit before it found an order or ruled all out",
    "vacuous": "no call is known to have taken effect, so there is nothing to judge",
}
