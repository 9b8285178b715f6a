"""One small model that several checkers share, against the public contract: how many states a CPU second.

    python benchmarks/peers_model.py                      # the sizes of seconds
    python benchmarks/peers_model.py 1x3 3x1 --cut shard  # shards x epochs, one way to cut it into units

Attempts of shards are granted, graded, written and committed under one ceiling; hosts are preempted, messages doubled,
an alias flips once. A unit is a shard with all its attempts, or an attempt by itself: then what attempts of a shard
look at of each other stands in the shared part. Both have the same states. Each search runs in a process of its own;
counts that differ from those that other checkers found end the run.
"""

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fencebench.checker.fast import Options, explore  # noqa: E402
from fencebench.model.machine import (  # noqa: E402
    REFUSED,
    Action,
    Event,
    Machine,
    Property,
    Refused,
    SharedStep,
    State,
    Step,
    tabled,
)

COUNTS = {
    (1, 1): (193, 366),
    (1, 2): (14_857, 47_714),
    (2, 1): (20_249, 67_040),
    (1, 3): (957_217, 4_087_740),
    (3, 1): (2_267_557, 10_784_864),
}
"""States and transitions by shards and epochs, as other checkers found them."""


class Attempt(NamedTuple):
    """Phase, on its second host or not, the revision it saw, messages in flight, one doubled, answer, stored."""

    phase: str = "none"
    moved: bool = False
    revision: int = 0
    flying: int = 0
    doubled: bool = False
    answer: str = ""
    stored: bool = False


class Grant(NamedTuple):
    """What the ledger says of an attempt (none, held, freed, booked), and its lease (0 none, 1 runs, 2 over)."""

    ledger: str = "none"
    lease: int = 0


class Shard(NamedTuple):
    """The grants of a shard, and whether an older attempt was booked after a newer one."""

    grants: tuple[Grant, ...]
    low: bool = False


class Run(NamedTuple):
    """The alias, tokens booked and held; and each shard's grants where an attempt is a unit."""

    alias: int = 0
    spent: int = 0
    held: int = 0
    shards: tuple[Shard, ...] = ()


NEXT = {"dispatched": "grading", "grading": "saved", "saved": "graded", "graded": "put", "put": "sent"}
LOST = {"dispatched": "lost", "grading": "lost", "saved": "lost after saving", "graded": "lost after saving"}
FOUND = {"lost": "dispatched", "lost after saving": "saved"}
PRESUMED = {"dispatched": [("alias", 0), ("alias", 1)]}


def work(attempt: Attempt) -> Iterator[tuple[str, Attempt, Any]]:
    """Yield what an attempt does by itself: name, the attempt after it, what it presumes of the alias."""
    if attempt.phase in NEXT:
        after = attempt._replace(phase=NEXT[attempt.phase])
        more = {"graded": {"stored": True}, "put": {"flying": attempt.flying + 1}}.get(attempt.phase, {})
        for effect in PRESUMED.get(attempt.phase, [None]):
            seen = {"revision": effect[1]} if effect else {}
            yield f"to {after.phase}", after._replace(**more, **seen), effect
    if attempt.phase in LOST and not attempt.moved:
        after = attempt._replace(phase=LOST[attempt.phase])
        yield "preempt", after._replace(revision=0) if after.phase == "lost" else after, None
    if attempt.phase in FOUND:
        yield "resume", attempt._replace(phase=FOUND[attempt.phase], moved=True), None
    if attempt.flying == 1 and not attempt.doubled:
        yield "duplicate", attempt._replace(flying=2, doubled=True), None


def answer(shard: Shard, epoch: int) -> str:
    """Return the ledger's answer to a commit."""
    later = shard.grants[epoch + 1 :]
    if shard.grants[epoch].ledger == "booked":
        return "already"
    if any(grant.ledger != "none" for grant in later):
        return "stale"
    return "booked" if shard.grants[epoch].ledger == "held" else "unreserved"


def granted(shard: Shard, epoch: int, what: str) -> tuple[Shard, Any] | None:
    """Return the shard after a step of the ledger, and the change of the totals it asks for; None if there is none."""
    grant = shard.grants[epoch]
    booked = any(other.ledger == "booked" for other in shard.grants)
    free = epoch == 0 or shard.grants[epoch - 1].lease == 2
    steps = {
        "reserve": (grant.ledger == "none" and not booked and free, {"ledger": "held"}, "hold"),
        "dispatch": (grant.ledger == "held", {"lease": 1}, None),
        "expire": (grant.lease == 1 and grant.ledger != "booked", {"lease": 2}, None),
        "reclaim": (grant.lease == 2 and grant.ledger == "held", {"ledger": "freed"}, "release"),
    }
    possible, change, effect = steps[what]
    return (put(shard, epoch, grant._replace(**change)), effect) if possible else None


def put(shard: Shard, epoch: int, grant: Grant) -> Shard:
    """Return the shard with another grant."""
    return shard._replace(grants=(*shard.grants[:epoch], grant, *shard.grants[epoch + 1 :]))


def booked(shard: Shard, epoch: int) -> Shard:
    """Return the shard after an attempt was booked."""
    low = shard.low or any(grant.ledger == "booked" for grant in shard.grants[epoch + 1 :])
    return put(shard, epoch, shard.grants[epoch]._replace(ledger="booked"))._replace(low=low)


def totals(run: Run, what: str, ceiling: int) -> Run | Refused:
    """Return the run after a change of its totals."""
    if what == "hold":
        return run._replace(held=run.held + 1) if run.spent + run.held + 1 <= ceiling else REFUSED
    return run._replace(held=run.held - 1, spent=run.spent + (what == "book"))


LEDGER = ("reserve", "dispatch", "expire", "reclaim")
OF_PHASE = {"dispatch": "none"}
"""Steps of the ledger that an attempt must be in a phase for."""


def told(attempt: Attempt, said: str) -> Attempt:
    """Return the attempt after an answer to its commit."""
    return attempt._replace(flying=attempt.flying - 1, answer=said)


def of_shard(epoch: int, shard: Shard, attempt: Attempt) -> Iterator[Step]:
    """Yield the steps of one attempt whose shard is the unit."""
    name = f"attempt{epoch}"
    for what, after, effect in work(attempt):
        yield Step(Event(what, epoch=epoch), ((name, after),), effect)
    for what in LEDGER:
        found = granted(shard, epoch, what) if OF_PHASE.get(what, attempt.phase) == attempt.phase else None
        if found:
            moved = attempt._replace(phase="dispatched") if what == "dispatch" else attempt
            yield Step(Event(what, epoch=epoch), (("shard", found[0]), (name, moved)), found[1])
    if attempt.flying:
        said = answer(shard, epoch)
        kept, effect = (booked(shard, epoch), "book") if said == "booked" else (shard, None)
        yield Step(Event("deliver", outcome=said, epoch=epoch), (("shard", kept), (name, told(attempt, said))), effect)


def of_attempt(place: tuple[int, int], attempt: Attempt) -> Iterator[Step]:
    """Yield the steps of an attempt that is the unit; what it presumes of its shard is an effect."""
    for what, after, effect in work(attempt):
        yield Step(Event(what, epoch=place[1]), (("attempt", after),), effect)
    for what in LEDGER:
        if OF_PHASE.get(what, attempt.phase) == attempt.phase:
            moved = attempt._replace(phase="dispatched") if what == "dispatch" else attempt
            yield Step(Event(what, epoch=place[1]), (("attempt", moved),), (what, *place))
    for said in ("already", "stale", "unreserved", "booked") if attempt.flying else ():
        after = told(attempt, said)
        yield Step(Event("deliver", outcome=said, epoch=place[1]), (("attempt", after),), (said, *place))


def allow(run: Run, effect: Any, ceiling: int) -> Run | Refused:
    """Return the run after an effect; a step of the ledger is (what, shard, epoch) where attempts are units."""
    if isinstance(effect, str):
        return totals(run, effect, ceiling)
    if effect[0] == "alias":
        return run if run.alias == effect[1] else REFUSED
    what, number, epoch = effect
    shard = run.shards[number]
    if what in LEDGER:
        found = granted(shard, epoch, what)
    elif answer(shard, epoch) == what:
        found = (booked(shard, epoch), "book") if what == "booked" else (shard, None)
    else:
        found = None
    if found is None:
        return REFUSED
    after = run if found[1] is None else totals(run, found[1], ceiling)
    if after is REFUSED:
        return REFUSED
    return after._replace(shards=(*run.shards[:number], found[0], *run.shards[number + 1 :]))


def flip(run: Run) -> Iterator[SharedStep[Run]]:
    """Let the alias name the other revision, once."""
    if run.alias == 0:
        yield SharedStep(Event("flip_alias"), run._replace(alias=1))


def by_shard(shards: int, epochs: int) -> Machine[Run, Any]:
    """Return the model with a shard and its attempts as a unit."""
    names = tuple(f"attempt{epoch}" for epoch in range(epochs))
    begun = (Shard((Grant(),) * epochs), *(Attempt() for _ in names))
    actions = [tabled(name, ("shard", name), partial(of_shard, epoch)) for epoch, name in enumerate(names)]
    once = Property("booked_once", ("shard",), lambda shard: twice(shard))
    return machine(("shard", *names), State(Run(), (begun,) * shards), tuple(actions), once, shards + 1)


def by_attempt(shards: int, epochs: int) -> Machine[Run, Any]:
    """Return the model with an attempt as a unit."""
    run = Run(shards=(Shard((Grant(),) * epochs),) * shards)
    units = tuple(((number, epoch), Attempt()) for number in range(shards) for epoch in range(epochs))
    once = Property("booked_once", ("shared",), lambda run: next(filter(None, map(twice, run.shards)), None))
    action = tabled("attempt", ("place", "attempt"), of_attempt)
    return machine(("place", "attempt"), State(run, units), (action,), once, shards + 1)


def machine(
    parts: tuple[str, ...], initial: State[Run, Any], actions: tuple[Action, ...], once: Property, ceiling: int
) -> Machine[Run, Any]:
    """Return a machine with the promises of the model."""
    under = Property("under_ceiling", ("shared",), lambda run: f"{run.spent} spent" if run.spent > ceiling else None)
    return Machine(
        parts, initial, actions, partial(allow, ceiling=ceiling), lambda run: 0, (flip,), properties=(under, once)
    )


def twice(shard: Shard) -> str | None:
    """Say what is wrong with what a shard has booked."""
    times = sum(grant.ledger == "booked" for grant in shard.grants)
    return f"booked {times} times" if times > 1 or shard.low else None


CUTS: dict[str, Callable[[int, int], Machine[Run, Any]]] = {"shard": by_shard, "attempt": by_attempt}


def measure(size: str, cut: str) -> str:
    """Explore in this process; return a row of the table."""
    shards, epochs = map(int, size.split("x"))
    started = time.process_time()
    result = explore(CUTS[cut](shards, epochs), options=Options(symmetry=False))
    seconds = time.process_time() - started
    found = result.states, result.transitions
    if found != COUNTS.get((shards, epochs), found) or result.findings:
        raise SystemExit(f"{size} by {cut}: {found}, expected {COUNTS[shards, epochs]} and no finding")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    counts = f"{result.states:,} | {result.transitions:,}"
    return f"| {size} | {cut} | {counts} | {seconds:.1f} | {result.states / seconds:,.0f} | {peak} |"


def main() -> None:
    """Measure each size, cut both ways, in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["1x1", "1x2", "2x1"], help="shards x epochs")
    parser.add_argument("--cut", choices=CUTS, help="one way to cut the model into units; both unless told")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        print(measure(asked.sizes[0], asked.cut))
        return
    print("| shards x epochs | unit | states | transitions | CPU s | states/CPU s | peak MiB |")
    print("|---|---|---|---|---|---|---|")
    for size in asked.sizes:
        for cut in [asked.cut] if asked.cut else CUTS:
            subprocess.run([sys.executable, __file__, size, "--cut", cut, "--here"], check=True)


if __name__ == "__main__":
    main()
