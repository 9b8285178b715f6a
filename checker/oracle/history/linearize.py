"""Whether a concurrent history is linearizable to the sequential ledger and store, and what cannot be placed if not."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final, Literal

from fencebench.checker.errors import HOLDS, UNDETERMINED, VACUOUS, VIOLATED
from fencebench.checker.oracle.history.history import FOREVER, Call, History, Reading, read_history
from fencebench.checker.oracle.history.ledger import step
from fencebench.checker.oracle.history.parts import parts_of
from fencebench.checker.oracle.history.search import LIMIT, Found, Part, search
from fencebench.checker.oracle.history.smallest import Bar, bars, smallest
from fencebench.checker.oracle.judge.decide import Finding
from fencebench.checker.oracle.log.events import BadLineError, Name, numbered

Word = Literal["linearizable", "not linearizable", "undetermined", "vacuous"]

EXITS: Final[dict[str, int]] = {
    "linearizable": HOLDS,
    "not linearizable": VIOLATED,
    "undetermined": UNDETERMINED,
    "vacuous": VACUOUS,
}

_REASONS: Final = 5


@dataclass(frozen=True)
class Linearized:
    """What was found. `line` is the first completion that has no place; every call completed before it has one.

    `rule`, `property` and `promises` are what the answer breaks where it came furthest; `why` are the reasons, one for
    each ledger in which the call was tried last, and `allowed` what could have been answered there. `order` are the
    invocation lines of the last calls that were placed before it, in an order that works. `smallest` is a part of the
    history that already fails in the same way. `parts` were searched apart, and `tried` is how many configurations
    (calls placed, ledger) it took.
    """

    history: str
    verdict: Word
    calls: int
    parts: int
    tried: int
    line: int | None = None
    client: Name | None = None
    op: str | None = None
    run: Name | None = None
    shard: Name | None = None
    epoch: int | None = None
    answered: str | None = None
    rule: str | None = None
    property: str | None = None
    promises: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    why: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    smallest: tuple[Bar, ...] = ()


def linearize(lines: Iterable[str | bytes], name: str = "-", limit: int = LIMIT) -> Linearized:
    """Judge a history. Raises `BadLineError` for a line that cannot be read."""
    return judged(read_history(lines), name, limit)


def linearize_growing(lines: Iterable[str | bytes], name: str, limit: int, clock: Callable[[], float]) -> Linearized:
    """Judge a history while it grows: again and again what is there, up to the first call without a place.

    Each look waits as long after the last one as that took, so that looking costs at most half of the time.
    """
    reading, due = Reading(), 0.0
    for number, text in numbered(lines):
        reading.line(text, number)
        begun = clock()
        if begun >= due and reading.calls and reading.calls[-1].told == number:
            found = judged(reading.history(), name, limit)
            if found.line is not None:
                return found
            due = 2 * clock() - begun
    if reading.lines == 0:
        raise BadLineError(1, "the history is empty, expected invocations and completions")
    return judged(reading.history(), name, limit)


def judged(history: History, name: str = "-", limit: int = LIMIT) -> Linearized:
    """Judge a history that was read."""
    parts = parts_of(history)
    found = [(part, search(part, limit)) for part in parts]
    tried = sum(result.tried for _, result in found)
    done = Linearized(name, "linearizable", _count(history), len(parts), tried)
    wrong = [(part, result) for part, result in found if result.stuck is not None]
    if wrong:
        return _explained(done, *min(wrong, key=lambda pair: pair[1].stuck.completed if pair[1].stuck else FOREVER))
    if any(result.word == "undetermined" for _, result in found):
        return replace(done, verdict="undetermined")
    return done if any(map(_took_effect, history.calls)) else replace(done, verdict="vacuous")


def _count(history: History) -> int:
    return len({call.invoked for call in history.calls})


def _took_effect(call: Call) -> bool:
    return call.known and call.event.answer in ("accept", "observe") and call.event.outcome != "no_reply"


def _explained(done: Linearized, part: Part, found: Found) -> Linearized:
    call = found.stuck
    if call is None:
        return done
    findings = [finding for ledger in found.ledgers if (finding := step(part.world, ledger, call).finding)]
    first = findings[0] if findings else Finding("no_order", "rejections_classified", None, "", ())
    event = call.event
    return replace(
        done,
        verdict="not linearizable",
        line=call.completed,
        client=call.client,
        op=event.op,
        run=event.run,
        shard=event.shard,
        epoch=event.epoch,
        answered=event.answered,
        rule=first.rule,
        property=first.property,
        promises=first.promises,
        allowed=first.allowed,
        why=tuple(dict.fromkeys(finding.why for finding in findings))[:_REASONS],
        order=tuple(part.calls[number].invoked for number in found.order),
        smallest=bars(*smallest(part, call, first.rule)),
    )
