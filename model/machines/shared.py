"""The shared part: run totals, the model alias, fault budgets, the driver's incarnation, the report.

Shards meet nowhere else. A shard's step carries an `Effect`: what it presumes of the shared part and what it adds;
the shared part allows exactly the presumption that is true. Actions of its own: `publish`; faults `flip_alias`,
`crash_driver`, `cut_allowance`. Source: design section 3; `seeds/000` assumption 6 (an allowance that changes fails
quietly); `seeds/002`, what it would change next (a report that refuses).
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

from fencebench.model.machine import REFUSED, Event, Part, Refused, SharedStep, Step
from fencebench.model.settings import FAULTS, Bound, Fault, Settings, Setup


class Limits(NamedTuple):
    """What bounds a run: how many shards are planned, how many faults may strike in all and of each kind.

    `own` names the kinds that come with the fence.
    """

    shards: int
    faults: int
    caps: tuple[int, ...]
    own: tuple[str, ...] = ()


class Shared(NamedTuple):
    """Tokens of the run by kind, the alias, faults struck by kind, shards sealed and at rest, and the report.

    `incarnation` counts driver crashes; `revisions` are those that receipts of the run carry; `reduced` counts shards
    of which the reducer consumed `rows` rows, `unaccepted` of them not accepted; `report` is "", a refusal's class or
    "printed". `limits` never change.
    """

    limits: Limits
    ceiling: int
    struck: tuple[int, ...] = (0,) * len(FAULTS)
    held: int = 0
    committed: int = 0
    written_off: int = 0
    burned: int = 0
    alias: int = 0
    incarnation: int = 0
    sealed: int = 0
    resting: int = 0
    revisions: tuple[int, ...] = ()
    disputed: bool = False
    reduced: int = 0
    rows: int = 0
    unaccepted: int = 0
    report: str = ""

    @property
    def promised(self) -> int:
        """Tokens that the ceiling has to cover: booked, written off or held."""
        return self.committed + self.written_off + self.held


class Effect(NamedTuple):
    """What a step presumes of the shared part (None presumes nothing), and what it adds to it.

    Presumed: `fault` has budget; holding `asks` tokens `fits` the ceiling; burning `draws` is `covered` by it; the
    alias resolves to `alias`; it `stands` so with the tokens (`standing`); the driver's incarnation is `incarnation`,
    or is later than `outlived`; the report `is_open`.
    """

    fault: str = ""
    asks: int = 0
    fits: bool | None = None
    stands: tuple[int, ...] | None = None
    draws: int = 0
    covered: bool | None = None
    alias: int | None = None
    incarnation: int | None = None
    outlived: int | None = None
    is_open: bool | None = None
    held: int = 0
    committed: int = 0
    written_off: int = 0
    burned: int = 0
    sealed: int = 0
    resting: int = 0
    revisions: tuple[int, ...] = ()
    disputes: bool = False
    reduced: int = 0
    rows: int = 0
    unaccepted: int = 0
    retracts: bool = False


SUMS = ("held", "committed", "written_off", "burned", "sealed", "resting", "reduced", "rows", "unaccepted")


class PublishView(NamedTuple):
    """What the report writer may look at: counts of shards, and of consumed rows that are not accepted.

    `resting` are the shards that the driver is done with: sealed, given up, or waiting for the ceiling to rise.
    """

    planned: int
    sealed: int
    consumed: int
    resting: int
    unaccepted: int
    revisions: tuple[int, ...]
    disputed: bool


def start(bound: Bound, settings: Settings, own: tuple[Fault, ...] = ()) -> Shared:
    """Return the shared part of a run that has just been opened; `own` are faults that come with the fence."""
    caps = [bound.cap(fault) for fault in FAULTS] + [min(fault.cap, bound.faults) for fault in own]
    limits = Limits(bound.shards, bound.faults, tuple(caps), tuple(fault.name for fault in own))
    return Shared(limits, bound.ceiling(settings), struck=(0,) * len(caps))


def index_of(fault: str, limits: Limits) -> int:
    """Return the place of a fault in counts and caps."""
    return FAULTS.index(fault) if fault in FAULTS else len(FAULTS) + limits.own.index(fault)


class Account(NamedTuple):
    """Tokens of a run by kind, and its ceiling: what a respondent is shown where a rule is told whether it fits."""

    committed: int
    written_off: int
    held: int
    ceiling: int


PARTIAL = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2))
"""Sums that leave some kind of promised tokens out."""


def stands(account: Account, asks: int) -> tuple[int, ...]:
    """Say how tokens stand to the ceiling: alone above it (2), all below it (-1) or just at it (0), else part by part.

    A sum that leaves kinds of tokens out answers alike for accounts that stand alike.
    """
    room = account.ceiling - asks
    total = sum(account[:3])
    if room < 0:
        return (2,)
    if total <= room:
        return (0,) if total == room else (-1,)
    return tuple(int(sum(account[i] for i in part) > room) for part in PARTIAL)


def compared(total: int, ceiling: int) -> tuple[int, ...]:
    """Say whether a total is below (-1), at (0) or above (1) the ceiling."""
    return ((total > ceiling) - (total < ceiling),)


def standing(shared: Shared, effect: Effect) -> tuple[int, ...]:
    """Say how the tokens that a step asks for, or draws, stand to the ceiling."""
    if effect.draws:
        return compared(shared.burned + effect.draws, shared.ceiling)
    return stands(Account(shared.committed, shared.written_off, shared.held, shared.ceiling), effect.asks)


def accounts(asks: int, booked: int, plan: int) -> Iterator[Account]:
    """Yield an account for each way in which tokens can stand to a ceiling, as near to it as can be.

    At least `booked` tokens are committed; the ceiling is that of four plans, or one below what is asked.
    """
    room = 4 * plan - asks
    amounts = (0, room // 3 + 1, room // 2 + 1, room, room + 1)
    found = (Account(max(c, booked), w, h, 4 * plan) for c, w, h in product(amounts, repeat=3))
    nearest = sorted(found, key=lambda a: abs(sum(a[:3]) - room))
    yield from {stands(a, asks): a for a in reversed(nearest)}.values()
    if asks:
        yield Account(booked, 0, 0, asks - 1)


def presumed(shared: Shared, effect: Effect) -> bool:
    """Say whether all that the effect presumes is true."""
    return (
        effect.fits in (None, shared.promised + effect.asks <= shared.ceiling)
        and effect.covered in (None, shared.burned + effect.draws <= shared.ceiling)
        and effect.stands in (None, standing(shared, effect))
        and effect.alias in (None, shared.alias)
        and effect.incarnation in (None, shared.incarnation)
        and (effect.outlived is None or effect.outlived < shared.incarnation)
        and effect.is_open in (None, shared.report != "printed")
    )


def strike(shared: Shared, fault: str) -> tuple[int, ...] | None:
    """Count a fault, or return None where its budget or the sum is used up."""
    struck, limits = shared.struck, shared.limits
    if not fault:
        return struck
    i = index_of(fault, limits)
    if sum(struck) >= limits.faults or struck[i] >= limits.caps[i]:
        return None
    return (*struck[:i], struck[i] + 1, *struck[i + 1 :])


def allow(shared: Shared, effect: Effect) -> Shared | Refused:
    """Return the shared part after the effect, or `REFUSED` where it presumes what is not so."""
    struck = strike(shared, effect.fault)
    if struck is None or not presumed(shared, effect):
        return REFUSED
    return shared._replace(**added(shared, effect), struck=struck, report="" if effect.retracts else shared.report)


def added(shared: Shared, effect: Effect) -> dict[str, Any]:
    """Return the fields to which the effect adds."""
    sums = {name: getattr(shared, name) + getattr(effect, name) for name in SUMS}
    revisions = tuple(sorted({*shared.revisions, *effect.revisions}))
    return {**sums, "revisions": revisions, "disputed": shared.disputed or effect.disputes}


def faults(shared: Shared) -> int:
    """Return how many faults have struck."""
    return sum(shared.struck)


def struck(shared: Shared, fault: str, label: str, actor: str, **changes: Any) -> Iterator[SharedStep]:
    """Yield the step of a fault of the shared part, while its budget lasts."""
    count = strike(shared, fault)
    if count is not None:
        yield SharedStep(Event(fault, actor, label=label, fault=fault), shared._replace(struck=count, **changes))


def flip_alias(shared: Shared, *, setup: Setup) -> Iterator[SharedStep]:
    """Fault: a floating alias resolves to the next revision from now on; of a pinned call see `endpoint`."""
    if setup.fence.model == "floating":
        yield from struck(shared, "flip_alias", "alias flips", "model", alias=shared.alias + 1)


def crash_driver(shared: Shared, *, setup: Setup) -> Iterator[SharedStep]:
    """Fault: the driver crashes between any two of its steps; each shard has to `recover` before it goes on."""
    yield from struck(shared, "crash_driver", "driver crashes", "driver", incarnation=shared.incarnation + 1)


def cut_allowance(shared: Shared, *, setup: Setup) -> Iterator[SharedStep]:
    """Fault: the ceiling falls by one shard's plan during the run, whatever is promised already."""
    ceiling = max(0, shared.ceiling - setup.settings.plan_tokens)
    yield from struck(shared, "cut_allowance", "allowance is cut", "model", ceiling=ceiling)


def publish(shared: Shared, *, setup: Setup) -> Iterator[SharedStep]:
    """The report writer looks, at any time: it prints once, or refuses with a class.

    What it waits for is up to the rules of the fence. A refusal stands once every shard is at rest; one that comes
    early leaves nothing behind, and is no step.
    """
    if shared.report == "printed":
        return
    counts = shared.limits.shards, shared.sealed, shared.reduced, shared.resting, shared.unaccepted
    answer = setup.fence.judge("publish", None, PublishView(*counts, shared.revisions, shared.disputed))
    report, early = str(answer.refusal or "printed"), shared.resting < shared.limits.shards
    if report != shared.report and not (early and answer.refusal):
        event = Event("publish", "report", "ledger", "publish", report, answer.rule, answer.behind)
        yield SharedStep(event, shared._replace(report=report))


def lost(step: Step, caller: tuple[str, ...], **instead: Part) -> Step:
    """Return the step with its reply lost."""
    kept = tuple((name, part) for name, part in step.changes if name not in caller)
    effect = step.effect if isinstance(step.effect, Effect) else Effect()
    event = step.event._replace(fault="lose_reply")
    return Step(event, (*kept, *instead.items()), effect._replace(fault="lose_reply"))
