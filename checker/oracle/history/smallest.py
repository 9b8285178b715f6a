"""The smallest part of a history that already fails: the same call has no place, for the same rule."""

from typing import Final, NamedTuple

from fencebench.checker.oracle.history.history import FOREVER, Call, with_families
from fencebench.checker.oracle.history.ledger import step
from fencebench.checker.oracle.history.search import Found, Part, search
from fencebench.checker.oracle.log.events import Name

MOST_CONFIGURATIONS: Final = 100_000
"""Configurations that all tries together may take, and a single one of them."""


class Bar(NamedTuple):
    """One call of a picture: who called what, from line to line, and its place in the longest order.

    `place` counts from 1 and is None for a call that is not in that order; `stuck` is the one without a place. `ended`
    is None while its end is unknown.
    """

    client: Name
    label: str
    answered: str
    invoked: int
    ended: int | None
    place: int | None
    stuck: bool


def smallest(part: Part, stuck: Call, rule: str) -> tuple[Part, Found]:
    """Return a part from which no call can be left out, as far as the tries reach, and the search of it."""
    best, left = _until(part, stuck), MOST_CONFIGURATIONS
    result, size = search(best, left), len(best.calls)
    while size >= 1 and left > 0:
        shrunk = False
        for start in range(len(best.calls) - 1, -1, -size):
            gone = set(range(max(0, start - size + 1), start + 1))
            tried = _with(best, [c for n, c in enumerate(best.calls) if n not in gone or c.invoked == stuck.invoked])
            found = search(tried, max(1, left)) if len(tried.calls) < len(best.calls) and left > 0 else None
            left -= 0 if found is None else found.tried + len(tried.calls)
            if found is not None and fails_alike(tried, found, stuck, rule):
                best, result, shrunk = tried, found, True
        size = size // 2 if not shrunk or size > 1 else size
    return best, result


def fails_alike(part: Part, found: Found, stuck: Call, rule: str) -> bool:
    """Whether the same call has no place, for the same rule."""
    if found.stuck is None or found.stuck.invoked != stuck.invoked:
        return False
    rules = (step(part.world, ledger, found.stuck).finding for ledger in found.ledgers)
    return any(finding is not None and finding.rule == rule for finding in rules)


def _until(part: Part, stuck: Call) -> Part:
    """The part up to the completion of a call; what was open then is unknown or left out."""
    calls = [c for c in part.calls if c.completed <= stuck.completed or (not c.known and c.invoked < stuck.completed)]
    return _with(part, calls)


def _with(part: Part, calls: list[Call]) -> Part:
    """The part with these calls only."""
    wanted = {part.calls[number].invoked for number in part.open}
    calls = list(with_families(calls))  # what does not occur in the smaller history is not demanded there
    return part._replace(
        calls=tuple(calls), open=tuple(n for n, call in enumerate(calls) if not call.known and call.invoked in wanted)
    )


def bars(part: Part, found: Found) -> tuple[Bar, ...]:
    """The calls of a failing part in the order of their invocation, as bars of a picture."""
    places = {number: place for place, number in enumerate(found.order, 1)}
    return tuple(bar(call, places.get(number), found.stuck) for number, call in enumerate(part.calls))


def bar(call: Call, place: int | None, stuck: Call | None) -> Bar:
    """One call as a bar."""
    event = call.event
    about = (("shard", event.shard), ("epoch", event.epoch), ("tokens", event.tokens), ("digest", event.digest))
    told = " ".join(f"{word} {value}" for word, value in about if value is not None)
    ended = None if call.completed == FOREVER else call.completed
    missing = stuck is not None and call.invoked == stuck.invoked
    answered = event.answered if call.known else "never answered"
    return Bar(call.client, f"{event.op} {told}".strip(), answered, call.invoked, ended, place, missing)
