"""Where the requests of a drive come from: runs that cover the model, and seeded random walks over it.

A walk has faults of every kind in its budget: lost replies are asked again, commits are late or doubled, attempts come
back. On top some requests are sent twice, the copy at some later point, as an unreliable network does, or with another
digest, as an attempt does that executed twice.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any, Final

from fencebench.checker.oracle.drive.process import answered
from fencebench.checker.oracle.drive.translate import Line, Source, translate
from fencebench.checker.oracle.drive.vectors import runs_of
from fencebench.model.fence import Fence
from fencebench.model.machine import Machine, Transition
from fencebench.model.settings import FAULTS, Bound

Request = dict[str, Any]
Requests = tuple[Request, ...]

REPEATABLE: Final = ("ledger.reserve", "store.put", "ledger.commit", "store.tell", "seal")
"""Ops that an unreliable network may deliver twice without asking for something new."""

TOLD: Final = ("run.open", "fixture.change", "config.change")
"""Lines without an answer of their own that an implementation has to know."""

COVERED: Final = Bound(shards=1, epochs=2, faults=1)
WALKED: Final = (
    Bound(shards=1, epochs=3, faults=4, caps=dict.fromkeys(FAULTS, 2)),
    Bound(shards=2, epochs=2, faults=4, caps=dict.fromkeys(FAULTS, 2), spare_attempts=1),
    Bound(shards=3, epochs=3, faults=6, caps=dict.fromkeys(FAULTS, 2), spare_attempts=1),
)
LONGEST_WALK_STEPS: Final = 250
FAULTS_ARE_RARER: Final = 0.15
"""How often a fault strikes compared with any other step."""


def sendable(lines: Iterator[Line]) -> Requests:
    """Return what is sent of a log: every request, and what has to be known; not what nobody tells a ledger."""
    return tuple(line.request for line in lines if line.request["op"] in TOLD or answered(line.request["op"]))


def covering_requests(fence: Fence) -> Iterator[Requests]:
    """Yield the runs that take every transition at a small bound, at both ceilings."""
    for spare in (0, 1):
        source = Source(fence, replace(COVERED, spare_attempts=spare))
        yield from (sendable(translate(source, run)) for run in runs_of(source))


def walked_requests(fence: Fence, runs: int, seed: int) -> Iterator[Requests]:
    """Yield seeded random walks over larger models, some of their requests doubled."""
    sources = [Source(fence, bound) for bound in WALKED]
    for number in range(runs):
        dice = random.Random(f"{seed}/{number}")
        source = sources[number % len(sources)]
        yield doubled(sendable(translate(source, walk(source.machine, dice))), dice)


def walk(machine: Machine, dice: random.Random) -> Iterator[Transition]:
    """Yield a random run until nothing more can happen."""
    state = machine.initial
    for _ in range(LONGEST_WALK_STEPS):
        steps = [step for step in machine.successors(state) if step.after != state]
        if not steps:
            return
        weights = [FAULTS_ARE_RARER if step.event.fault else 1.0 for step in steps]
        step = dice.choices(steps, weights)[0]
        yield step
        state = step.after


def drifted(request: Request) -> Request:
    """Return the request of an attempt that executed twice with another result: same key, other content."""
    return {**request, "digest": f"{request['digest']}-again"} if "digest" in request else request


def doubled(requests: Requests, dice: random.Random) -> Requests:
    """Return the requests with some of them sent once more, a little or a lot later; never within one write."""
    pieces = atoms(requests)
    placed = [(float(i), piece) for i, piece in enumerate(pieces)]
    for i, piece in enumerate(pieces):
        if piece[0]["op"] in REPEATABLE and dice.random() < 0.2:
            again = drifted(piece[0]) if dice.random() < 0.3 else piece[0]
            placed.append((min(i + dice.choice((1, 1, 3, 10, 40)), len(pieces) - 1) + 0.5, (again,)))
    placed.sort(key=lambda item: item[0])
    return in_time(request for _, piece in placed for request in piece)


def in_time(requests: Iterable[Request]) -> Requests:
    """Return the requests with clocks that never go back."""
    clock, told = 0, []
    for request in requests:
        clock = max(clock, request["t"])
        told.append({**request, "t": clock})
    return tuple(told)


def atoms(run: Requests) -> list[Requests]:
    """Return the pieces that only make sense together: lines of one attempt at one second, as an expiry is told."""
    return [tuple(group) for _, group in groupby(run, key=lambda r: (r["t"], r.get("shard"), r.get("epoch")))]
