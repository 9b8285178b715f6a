"""Looks for an order of the calls that explains every answer: Wing and Gong's search with Lowe's memoisation.

Calls whose end is known come first. A call of which nobody knows whether it took effect is tried only where no other
can be placed, and only if it could make a difference to one: orders in which no open call took effect come first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple

from fencebench.checker.oracle.history.history import Call
from fencebench.checker.oracle.history.ledger import Ledger, World, step

LIMIT: Final = 500_000
"""Pairs of placed calls and ledger that the search of one part may try."""

_KEPT: Final = 50


class Part(NamedTuple):
    """Calls that are searched together, in the order of their invocation, and the ledger that they begin with.

    `open` are the numbers of unknown calls that could make a difference to another.
    """

    world: World
    start: Ledger
    calls: tuple[Call, ...]
    open: tuple[int, ...] = ()


class Found(NamedTuple):
    """The result of a search: `stuck` is the call that has no place, `ledgers` those in which it was tried last.

    `order` are the numbers of the last calls that were placed before it.
    """

    word: Literal["linearizable", "not linearizable", "undetermined"]
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


class Chain:
    """Invocations and completions of known calls that are not placed yet, in real-time order, as a doubly linked list.

    Position 0 is its head and its end. `call` is the call's number, `completes` says which of the two an entry is.
    """

    def __init__(self, calls: tuple[Call, ...]) -> None:
        known = [(n, call) for n, call in enumerate(calls) if call.known]
        lines = [(call.invoked, n, False) for n, call in known] + [(call.completed, n, True) for n, call in known]
        entries = sorted(lines)
        size = len(entries) + 1
        self.call = [-1, *(number for _, number, _ in entries)]
        self.completes = [False, *(completes for _, _, completes in entries)]
        self.next = [*range(1, size), 0]
        self.prev = [size - 1, *range(size - 1)]
        self.begin = {n: at for at, (_, n, completes) in enumerate(entries, 1) if not completes}
        self.end = {n: at for at, (_, n, completes) in enumerate(entries, 1) if completes}

    def lift(self, number: int) -> None:
        """Take a call out."""
        for at in (self.begin[number], self.end[number]):
            self.next[self.prev[at]] = self.next[at]
            self.prev[self.next[at]] = self.prev[at]

    def unlift(self, number: int) -> None:
        """Put back the call that was taken out last."""
        for at in (self.end[number], self.begin[number]):
            self.next[self.prev[at]] = at
            self.prev[self.next[at]] = at

    def candidates(self) -> Iterator[int]:
        """The calls that were invoked before any call that is not placed completed."""
        at = self.next[0]
        while at and not self.completes[at]:
            yield self.call[at]
            at = self.next[at]

    def first_end(self) -> int:
        """The call that completes first of those not placed."""
        at = self.next[0]
        while not self.completes[at]:
            at = self.next[at]
        found: int = self.call[at]
        return found


@dataclass(slots=True)
class Furthest:
    """The latest completion that the search could not pass, and how it came there."""

    call: Call | None = None
    ledgers: dict[object, Ledger] = field(default_factory=dict)
    order: tuple[int, ...] = ()

    def note(self, call: Call, ledger: Ledger, frames: "list[Frame]") -> None:
        """No known call can be placed before the completion of `call`."""
        if self.call is None or call.completed > self.call.completed:
            self.call, self.ledgers = call, {}
            self.order = tuple(frame.number for frame in frames[-_KEPT:] if frame.number >= 0)
        if call == self.call and len(self.ledgers) < _KEPT:
            self.ledgers.setdefault(ledger.key(), ledger)


class Tried(NamedTuple):
    """Calls that were placed, and the ledger that they led to."""

    placed: Placed
    ledger: Ledger

    def __hash__(self) -> int:
        return hash(tuple(self.placed)) ^ self.ledger.mark

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tried) or self.placed != other.placed:
            return False
        return self.ledger is other.ledger or self.ledger.key() == other.ledger.key()


Move = tuple[int, Ledger]
"""A call that can be placed next, by number, and the ledger after it."""


class Frame(NamedTuple):
    """A call that is placed (-1: none yet), what is placed with it, and the moves that are not tried yet."""

    number: int
    placed: Placed
    moves: Iterator[Move]


def search(part: Part, limit: int = LIMIT) -> Found:
    """Look for an order of all completed calls that the judge allows."""
    looking = Search(part, limit)
    return looking.run()


class Search:
    """A search under way."""

    def __init__(self, part: Part, limit: int) -> None:
        self.part, self.limit = part, limit
        self.chain, self.furthest = Chain(part.calls), Furthest()
        self.numbers = _numbers(part.calls)
        self.tried: set[object] = set()
        self.frames = [Frame(-1, Placed(), iter(()))]
        self.frames[0] = Frame(-1, Placed(), self.moves(part.start, Placed()))

    def run(self) -> Found:
        """Place calls until none is left, going back where none fits."""
        while self.frames and self.chain.next[0]:
            move = next(self.frames[-1].moves, None)
            if move is None:
                self.back()
            elif len(self.tried) >= self.limit:
                return Found("undetermined", len(self.tried))
            else:
                self.place(*move)
        if self.chain.next[0]:
            far = self.furthest
            return Found("not linearizable", len(self.tried), far.call, tuple(far.ledgers.values()), far.order)
        return Found("linearizable", len(self.tried))

    def place(self, number: int, after: Ledger) -> None:
        """Place a call, unless the same calls led to the same ledger before."""
        known = self.part.calls[number].known
        placed = self.frames[-1].placed.plus(self.numbers[number], known)
        key = Tried(placed, after)
        if key in self.tried:
            return
        self.tried.add(key)
        if known:
            self.chain.lift(number)
        self.frames.append(Frame(number, placed, self.moves(after, placed)))

    def back(self) -> None:
        """Take back the call that was placed last."""
        frame = self.frames.pop()
        if frame.number >= 0 and self.part.calls[frame.number].known:
            self.chain.unlift(frame.number)

    def moves(self, ledger: Ledger, placed: Placed) -> Iterator[Move]:
        """The calls that can be placed next; one that fits and changes nothing is placed with no alternative."""
        for number in list(self.chain.candidates()):
            after = step(self.part.world, ledger, self.part.calls[number]).after
            if after is not None:
                yield number, after
                if after is ledger:
                    return
        stuck = self.part.calls[self.chain.first_end()]
        self.furthest.note(stuck, ledger, self.frames)
        yield from sorted(self.open_moves(ledger, placed, stuck), key=lambda move: not self.helps(move, stuck))

    def open_moves(self, ledger: Ledger, placed: Placed, stuck: Call) -> Iterator[Move]:
        """The unknown calls that can take effect before the call that is stuck completed."""
        for number in self.part.open:
            call = self.part.calls[number]
            if call.invoked < stuck.completed and not placed.unknown >> self.numbers[number] & 1:
                after = step(self.part.world, ledger, call).after
                if after is not None and after is not ledger:
                    yield number, after

    def helps(self, move: Move, stuck: Call) -> bool:
        """Whether the call that is stuck has a place after the move."""
        return step(self.part.world, move[1], stuck).after is not None


def _numbers(calls: tuple[Call, ...]) -> list[int]:
    """Numbers for the calls, in the order of invocation: the known ones from 0, and the unknown ones from 0."""
    counts = {True: 0, False: 0}
    numbers = []
    for call in calls:
        numbers.append(counts[call.known])
        counts[call.known] += 1
    return numbers
