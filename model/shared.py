"""The shared part: run totals, the model alias, fault budgets, the report. Shards meet nowhere else.

A shard's step carries an `Effect`: what it presumes of the shared part and what it adds to it. The shared part allows
exactly the presumption that is true. Source: design section 3, "Shards meet only in the shared part".
"""

from collections.abc import Iterator
from typing import NamedTuple

from model.fence import Fence
from model.machine import Event, SharedStep
from model.settings import FAULTS, Bound, Settings


class Shared(NamedTuple):
    """Tokens of the run by kind, the alias, faults struck by kind, shards sealed and at rest, and the report.

    `revisions` are those that receipts of the run carry; `report` is "", a refusal's class or "printed".
    """

    ceiling: int
    struck: tuple[int, ...]
    held: int = 0
    committed: int = 0
    written_off: int = 0
    burned: int = 0
    alias: int = 0
    sealed: int = 0
    resting: int = 0
    revisions: tuple[int, ...] = ()
    report: str = ""

    @property
    def promised(self) -> int:
        """Tokens that the ceiling has to cover: booked, written off or held."""
        return self.committed + self.written_off + self.held


class Effect(NamedTuple):
    """A presumption (`fault` has budget, `asks` tokens `fits`, the alias resolves to `alias`) and what is added."""

    fault: str = ""
    asks: int = 0
    fits: bool | None = None
    alias: int | None = None
    held: int = 0
    committed: int = 0
    written_off: int = 0
    burned: int = 0
    sealed: int = 0
    resting: int = 0
    revisions: tuple[int, ...] = ()


class PublishView(NamedTuple):
    """What the report writer may look at."""

    planned: int
    sealed: int
    revisions: tuple[int, ...]


def start(bound: Bound, settings: Settings) -> Shared:
    """Return the shared part of a run that has just been opened."""
    return Shared(bound.ceiling(settings), (0,) * len(FAULTS))


def presumed(shared: Shared, effect: Effect) -> bool:
    """Say whether what the effect presumes is true."""
    fits = shared.promised + effect.asks <= shared.ceiling
    return effect.fits in (None, fits) and effect.alias in (None, shared.alias)


def strike(struck: tuple[int, ...], fault: str, bound: Bound) -> tuple[int, ...] | None:
    """Count a fault, or return None where its budget or the sum is used up."""
    if not fault:
        return struck
    i = FAULTS.index(fault)
    if sum(struck) >= bound.faults or struck[i] >= bound.cap(fault):
        return None
    return (*struck[:i], struck[i] + 1, *struck[i + 1 :])


def allow(shared: Shared, effect: Effect, *, bound: Bound) -> Shared | None:
    """Return the shared part after the effect, or None where it presumes what is not so."""
    struck = strike(shared.struck, effect.fault, bound)
    if struck is None or not presumed(shared, effect):
        return None
    return shared._replace(
        struck=struck,
        held=shared.held + effect.held,
        committed=shared.committed + effect.committed,
        written_off=shared.written_off + effect.written_off,
        burned=shared.burned + effect.burned,
        sealed=shared.sealed + effect.sealed,
        resting=shared.resting + effect.resting,
        revisions=tuple(sorted({*shared.revisions, *effect.revisions})),
    )


def faults(shared: Shared) -> int:
    """Return how many faults have struck."""
    return sum(shared.struck)


def flip_alias(shared: Shared, *, fence: Fence, bound: Bound) -> Iterator[SharedStep]:
    """Fault: a floating alias resolves to the next revision from now on; of a pinned call see `endpoint`."""
    struck = strike(shared.struck, "flip_alias", bound)
    if fence.model == "floating" and struck is not None:
        event = Event("flip_alias", "model", label="alias flips", fault="flip_alias")
        yield SharedStep(event, shared._replace(struck=struck, alias=shared.alias + 1))


def publish(shared: Shared, *, fence: Fence, bound: Bound) -> Iterator[SharedStep]:
    """The report writer looks when every shard is at rest: it prints once, or refuses with a class."""
    answer = fence.judge("publish", None, PublishView(bound.shards, shared.sealed, shared.revisions))
    report = str(answer.refusal or "printed")
    if shared.resting == bound.shards and shared.report not in ("printed", report):
        event = Event("publish", "report", "ledger", "publish", report, answer.rule, answer.behind)
        yield SharedStep(event, shared._replace(report=report))
