"""What was found in a history, as text for a person."""

from fencebench.checker.oracle.history import picture
from fencebench.checker.oracle.history.linearize import Linearized
from fencebench.checker.oracle.replay.render import row, rows

_MANY = 10
_MEANINGS = {
    "linearizable": "some order of the calls explains every answer",
    "undetermined": "the search hit its limit before it found an order or ruled all out",
    "vacuous": "no call is known to have taken effect, so there is nothing to judge",
}


def headline(found: Linearized) -> str:
    """The verdict in one line."""
    head = f"{found.verdict.upper()}  {found.history}"
    if found.line is None:
        return f"{head}: {_MEANINGS[found.verdict]}"
    return (
        f"{head}, line {found.line}: {found.op} of client {found.client} was answered {found.answered} and has no place"
    )


def as_text(found: Linearized) -> str:
    """Verdict first, then why the first call without a place has none, and the smallest part that already fails."""
    lines = [headline(found), ""]
    if found.line is not None:
        lines += _not_placed(found)
    lines.append(row("searched", f"{found.calls} calls in {found.parts} parts, {found.tried} configurations tried"))
    return "\n".join(lines)


def _not_placed(found: Linearized) -> list[str]:
    placed = ", ".join(map(str, found.order[-_MANY:]))
    return [
        row("rule", f"{found.rule}, which protects {found.property}"),
        *rows("why", found.why),
        row("allowed", ", ".join(found.allowed)),
        row("before", f"each call that completed before has a place, the last invoked at lines {placed or 'none'}"),
        *rows("smallest", tuple(picture.as_text(found.smallest))),
    ]
