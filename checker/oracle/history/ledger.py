"""One order of the calls of a history, step by step: the shards of a part after the calls that are placed.

The same guards, conditions and effects as for a log; shards are values here, of which a step copies what it changes.
"""

import math
from typing import NamedTuple

from fencebench.checker.oracle.history.history import Call
from fencebench.checker.oracle.judge.context import Context, RunView, meant_epoch
from fencebench.checker.oracle.judge.decide import Finding, check, check_acceptance
from fencebench.checker.oracle.judge.effects import (
    EFFECTS,
    OBSERVED,
    REFUSED,
    UNAPPLIED,
    Effect,
    accepted_effect,
    nothing,
)
from fencebench.checker.oracle.judge.guards_spend import sealed_names
from fencebench.checker.oracle.judge.spend import beside, shard_spend
from fencebench.checker.oracle.judge.state import EMPTY, NOTHING, Attempt, Names, Plan, Shard, Spend
from fencebench.checker.oracle.log.events import Name

FRESH = Attempt()


class Entry(NamedTuple):
    """A shard as a value: what makes it equal to another, and from when on a lease of it is over by the clock."""

    shard: Shard
    key: object
    spends: tuple[Spend, Spend]
    lapses: float


def entry_of(shard: Shard) -> Entry:
    """The entry of a shard; it counts what it does while no lease ends by the clock, without and with calls seen."""
    spends = shard_spend(shard, -math.inf, False), shard_spend(shard, -math.inf, True)
    live = [a.low for a in shard.attempts.values() if a.granted and not a.ended and a.receipt is None]
    return Entry(shard, shard.key(), spends, min(live, default=math.inf))


class Ledger(NamedTuple):
    """All shards of a part, by position, with the plan of the moment and what was printed.

    `mark` is a hash that a change of one shard moves without looking at the others. `totals` are what counts against
    the ceiling while no lease ends by the clock, `lapses` a second before which none does.
    """

    entries: tuple[Entry, ...]
    plan: Plan
    totals: tuple[Spend, Spend] = (NOTHING, NOTHING)
    lapses: float = math.inf
    printed: tuple[tuple[Names, float], ...] = ()
    mark: int = 0

    def key(self) -> tuple[object, ...]:
        """What makes two ledgers equal."""
        return (*(entry.key for entry in self.entries), self.plan.ceiling, self.printed)


class World(NamedTuple):
    """What does not change: the position of each shard."""

    positions: dict[Name | None, int]


class Step(NamedTuple):
    """The ledger after a call, or None and what is wrong with its answer there."""

    after: Ledger | None
    finding: Finding | None = None


def step(world: World, ledger: Ledger, call: Call) -> Step:
    """Place the call next; an unknown one takes effect where that breaks no promise, else it changes nothing."""
    context = context_of(world, ledger, call)
    if call.event.answer == "observe":
        return Step(changed(world, ledger, context, _observed(context)))
    if call.event.answer == "unknown":
        possible = check_acceptance(context) is None
        return Step(changed(world, ledger, context, accepted_effect(context)) if possible else ledger)
    finding = check(context)
    if finding is not None:
        return Step(None, finding)
    if call.event.answer == "refuse":
        return Step(changed(world, ledger, context, REFUSED.get(call.event.op, nothing)))
    return Step(changed(world, _noted(ledger, context), context, accepted_effect(context)))


def _observed(context: Context) -> Effect:
    op = context.event.op
    return EFFECTS[op] if op in OBSERVED else UNAPPLIED.get(op, nothing)


def _noted(ledger: Ledger, context: Context) -> Ledger:
    if context.event.op != "report.print" or context.event.value is None:
        return ledger
    return ledger._replace(printed=(*ledger.printed, (sealed_names(context), context.event.value)))


def context_of(world: World, ledger: Ledger, call: Call) -> Context:
    """What the judge looks at."""
    event = call.event
    shard = Shard() if event.shard is None else ledger.entries[world.positions[event.shard]].shard
    epoch = event.epoch if event.epoch is not None else meant_epoch(shard, event)
    attempt = shard.attempts.get(epoch, FRESH)
    return Context(event, ledger.plan, call.seen, shard, attempt, epoch, view(world, ledger))


def changed(world: World, ledger: Ledger, context: Context, effect: Effect) -> Ledger:
    """The ledger after an effect; the very same one where nothing changes."""
    event = context.event
    if event.op == "config.change" and event.ceiling is not None:
        ledger = ledger._replace(plan=ledger.plan._replace(ceiling=event.ceiling))
    if effect is nothing or event.shard is None:
        return ledger
    position = world.positions[event.shard]
    old, shard = ledger.entries[position], context.shard.copy_for(context.epoch)
    effect(context._replace(shard=shard, attempt=shard.attempts[context.epoch]))
    new = entry_of(shard)
    if new.key == old.key:
        return ledger
    a, b = (now.minus(was).plus(is_) for now, was, is_ in zip(ledger.totals, old.spends, new.spends, strict=True))
    return ledger._replace(
        entries=(*ledger.entries[:position], new, *ledger.entries[position + 1 :]),
        totals=(a, b),
        lapses=min(ledger.lapses, new.lapses),
        mark=ledger.mark ^ hash((position, old.key)) ^ hash((position, new.key)),
    )


def view(world: World, ledger: Ledger) -> RunView:
    """What is asked of the run as a whole."""
    return RunView(
        lambda s: others(world, ledger, s),
        lambda name: [ledger.entries[world.positions[name]].shard] if name in world.positions else [],
        lambda: (ledger.totals[0].booked, ledger.totals[0].booked),
        lambda: sorted((n for n, at in named(world) if ledger.entries[at].shard.conflict is not None), key=str),
        lambda: any(entry.shard.disputed for entry in ledger.entries),
        lambda certain: EMPTY.union(*(e.shard.receipt.revisions for e in ledger.entries if e.shard.receipt)),
        dict(ledger.printed).get,
    )


def named(world: World) -> list[tuple[Name, int]]:
    """The shards by name, with their positions."""
    return [(name, at) for name, at in world.positions.items() if name is not None]


def others(world: World, ledger: Ledger, s: Context) -> Spend:
    """What counts against the ceiling beside the attempt of the context, with the leases that ended by the clock."""
    calls, t = "model.call" in s.seen, s.event.latest_t
    total = ledger.totals[calls]
    at = None if s.event.shard is None else world.positions[s.event.shard]
    if ledger.lapses <= t:
        for position, entry in enumerate(ledger.entries):
            if entry.lapses <= t and position != at:
                total = total.minus(entry.spends[calls]).plus(shard_spend(entry.shard, t, calls))
    return total if at is None else total.minus(ledger.entries[at].spends[calls]).plus(beside(s))
