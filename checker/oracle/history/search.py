"""Wing and Gong's search for an order of concurrent calls, with Lowe's memoisation of what was tried.

The calls stand in a chain of invocations and completions. A call whose answer fits the ledger is placed: taken out of
the chain. At the completion of a call that is not placed the search goes back. No pair of placed calls and ledger is
tried twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from fencebench.checker.oracle.history.history import Call
from fencebench.checker.oracle.sequential import Ledger, World, step

LIMIT: Final = 500_000
"""Pairs of placed calls and ledger that the search of one part may try."""

_KEPT: Final = 50


class Part(NamedTuple):
    """Calls that are searched together, in the order of their invocation, and the ledger that they begin with."""

    world: World
    start: Ledger
    calls: tuple[Call, ...]


class Found(NamedTuple):
    """The result of a search: `stuck` is the call that has no place, `ledgers` those in which it was tried last.

    `order` are the invocation lines of the last calls that were placed before it.
    """

    word: Literal["linearizable", "not-linearizable", "undetermined"]
    tried: int
    stuck: Call | None = None
    ledgers: tuple[Ledger, ...] = ()
    order: tuple[int, ...] = ()


class Placed(NamedTuple):
    """Which calls are placed: all known ones before `base`, those of the bits `ahead` of it, and the `unknown` ones."""

    base: int = 0
    ahead: int = 0
    unknown: int = 0

    def plus(self, number: int, known: bool) -> "Placed":
        """The same with one call more; known and unknown calls are numbered apart."""
        if not known:
            return self._replace(unknown=self.unknown | 1 << number)
        base, ahead = self.base, self.ahead | 1 << (number - self.base)
        while ahead & 1:
            base, ahead = base + 1, ahead >> 1
        return Placed(base, ahead, self.unknown)


class Entry(NamedTuple):
    """One line of a part: the invocation of a call, or its completion."""

    line: int
    call: int
    completes: bool


def entries_of(calls: tuple[Call, ...]) -> list[Entry]:
    """Invocations and completions in real-time order; unknown calls complete last."""
    begun = [Entry(call.invoked, number, False) for number, call in enumerate(calls)]
    ended = [Entry(call.completed, number, True) for number, call in enumerate(calls)]
    return sorted(begun + ended)


class Chain:
    """The entries that are not placed yet, as a doubly linked list; position 0 is its head and its end."""

    def __init__(self, calls: tuple[Call, ...]) -> None:
        entries = entries_of(calls)
        size = len(entries) + 1
        self.entry: list[Entry | None] = [None, *entries]
        self.next = [*range(1, size), 0]
        self.prev = [size - 1, *range(size - 1)]
        ends = {entry.call: at for at, entry in enumerate(entries, 1) if entry.completes}
        self.end = [0, *(ends[entry.call] for entry in entries)]

    def lift(self, at: int) -> None:
        """Take an invocation and its completion out."""
        for position in (at, self.end[at]):
            self.next[self.prev[position]] = self.next[position]
            self.prev[self.next[position]] = self.prev[position]

    def unlift(self, at: int) -> None:
        """Put back what was taken out last."""
        for position in (self.end[at], at):
            self.next[self.prev[position]] = position
            self.prev[self.next[position]] = position


@dataclass(slots=True)
class Furthest:
    """The latest completion that the search could not pass, and how it came there."""

    call: Call | None = None
    ledgers: dict[Ledger, None] = field(default_factory=dict)
    order: tuple[int, ...] = ()

    def note(self, call: Call, ledger: Ledger, chain: Chain, placed: Iterable[int]) -> None:
        """The search stands at the completion of `call`, which is not placed; those at `placed` are."""
        if self.call is None or call.completed > self.call.completed:
            self.call, self.ledgers = call, {}
            self.order = tuple(entry.line for at in placed if (entry := chain.entry[at]))
        if call == self.call and len(self.ledgers) < _KEPT:
            self.ledgers[ledger] = None


class Back(NamedTuple):
    """How to take a placed call back. One that changed nothing (`idle`) is taken back only with the one before it."""

    at: int
    ledger: Ledger
    placed: Placed
    idle: bool


def search(part: Part, limit: int = LIMIT) -> Found:
    """Look for an order of all completed calls that the sequential ledger allows.

    A call that fits and changes nothing can as well be placed at once, so no other choice is tried in its place.
    """
    chain, numbers, furthest = Chain(part.calls), _numbers(part.calls), Furthest()
    ledger, placed = part.start, Placed()
    tried: set[tuple[Placed, Ledger]] = set()
    undo: list[Back] = []
    at = chain.next[0]
    while (entry := chain.entry[at]) is not None:
        call = part.calls[entry.call]
        if entry.completes and call.answer == "info":
            break
        if entry.completes:
            furthest.note(call, ledger, chain, (back.at for back in undo[-_KEPT:]))
            found = _take_back(chain, undo)
            if found is None:
                return Found("not-linearizable", len(tried), furthest.call, tuple(furthest.ledgers), furthest.order)
            at, ledger, placed = chain.next[found.at], found.ledger, found.placed
            continue
        after = _after(part.world, ledger, call)
        key = None if after is None else (placed.plus(numbers[entry.call], call.answer != "info"), after)
        if key is None or key in tried:
            at = chain.next[at]
            continue
        if len(tried) >= limit:
            return Found("undetermined", len(tried))
        tried.add(key)
        undo.append(Back(at, ledger, placed, key[1] is ledger))
        placed, ledger = key
        chain.lift(at)
        at = chain.next[0]
    return Found("linearizable", len(tried))


def _take_back(chain: Chain, undo: list[Back]) -> Back | None:
    """Go back to the last choice that leaves another one; None when there is none."""
    while undo:
        back = undo.pop()
        chain.unlift(back.at)
        if not back.idle:
            return back
    return None


def _after(world: World, ledger: Ledger, call: Call) -> Ledger | None:
    """The ledger after the call, or None where it has no place; an unknown call without effect needs none."""
    after = step(world, ledger, call)[0]
    return None if call.answer == "info" and after is ledger else after


def _numbers(calls: tuple[Call, ...]) -> list[int]:
    """Numbers for the calls, in the order of invocation: the known ones from 0, and the unknown ones from 0."""
    counts = {True: 0, False: 0}
    numbers = []
    for call in calls:
        known = call.answer != "info"
        numbers.append(counts[known])
        counts[known] += 1
    return numbers
