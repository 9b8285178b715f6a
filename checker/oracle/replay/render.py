"""A verdict as text for a person and as one JSON object for a program."""

import json
from dataclasses import asdict
from textwrap import wrap
from typing import Any

from fencebench.checker.oracle.replay.replay import Verdict

_WIDTH = 12
_MANY = 10
_LINE = 100


def as_json(verdict: Any) -> str:
    """One JSON object; every field is there, null or empty where it says nothing."""
    return json.dumps(asdict(verdict), ensure_ascii=False)


def as_text(verdict: Verdict) -> str:
    """Verdict first, then what was wrong, then the state it was wrong in."""
    lines = [_headline(verdict), "", row("judged by", verdict.mode)]
    if verdict.line is not None:
        lines += _divergence(verdict)
    if verdict.unread is not None:
        lines.append(row("unread", verdict.unread))
    return "\n".join([*lines, row("lines", f"{verdict.events} events judged"), *_closing(verdict)])


def _closing(verdict: Verdict) -> list[str]:
    """What was judged, and what was left open."""
    asked = [f"{name} {times}" for name, times in verdict.asked.items()]
    told = wrap(", ".join(asked) or "no answer", _LINE, break_long_words=False, break_on_hyphens=False)
    return [
        *rows("judged", tuple(told)),
        row("never seen", ", ".join(verdict.unseen) or "nothing, every family occurred"),
        *rows("left open", verdict.open or ("nothing",)),
    ]


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
        row("allowed", ", ".join(verdict.allowed)),
        row("rule", f"{verdict.rule}, which protects {verdict.property}{code}"),
        row("why", verdict.why or ""),
        *rows("state", verdict.state),
        *rows("before", verdict.so_far),
        row("follow it", _numbers(verdict.consequences)),
        row("also wrong", _numbers(verdict.further)),
    ]


def _numbers(lines: tuple[int, ...]) -> str:
    if not lines:
        return "no later line"
    more = f" and {len(lines) - _MANY} more" if len(lines) > _MANY else ""
    return f"line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines[:_MANY]))}{more}"


def row(label: str, text: str) -> str:
    """One line with its label."""
    return f"{label:<{_WIDTH}}{text}"


def rows(label: str, texts: tuple[str, ...]) -> list[str]:
    """Lines of which the first has the label."""
    return [row(label if number == 0 else "", text) for number, text in enumerate(texts)]
