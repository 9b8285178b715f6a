"""The blunt acceptance rule: batches at random until so many preemptions have struck, and what must be true of each.

Source: `seeds/000`, its last section. Some batches know preemptions and faults that cost no attempt, have an epoch more
than preemptions and the ceiling of as many plans, and must complete. The others know more and need not: every fault, at
the plan's own ceiling and well above it; attempts that act late; an allowance that falls; inputs that change.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import cycle
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from fencebench.checker.analysis.acceptance_batch import RULES, Batch, at_random, run_batch
from fencebench.checker.analysis.walk_profiles import LATECOMERS, RELAY, SHORTAGE
from fencebench.checker.walk.tables import WalkTables
from fencebench.checker.walk.walker import Walker
from fencebench.model.build import build
from fencebench.model.fence import Fence, Refusal
from fencebench.model.settings import FAULTS, Bound, Settings, Setup, fault_names

HARMLESS = frozenset(("duplicate", "skew"))
"""Faults that cost a sound fence no attempt. (A forged row may leave a conflict, which rightly stops the report.)"""


class Load(NamedTuple):
    """Preemptions of a batch, plans a shard that its ceiling spares, which faults strike, which rules are lazy."""

    preemptions: int
    spare: int
    faults: frozenset[str]
    lazy: frozenset[str] = frozenset()

    @property
    def owes(self) -> bool:
        """Say whether a batch has to complete."""
        return self.faults == HARMLESS


LOADS = (
    Load(3, 3, HARMLESS),
    Load(3, 0, frozenset(FAULTS)),
    Load(6, 6, HARMLESS),
    Load(6, 6, frozenset(FAULTS)),
    Load(3, 3, LATECOMERS.faults, LATECOMERS.lazy),
    Load(3, 0, SHORTAGE.faults),
    Load(3, 3, RELAY.faults, RELAY.lazy),
)
"""Batches take turns in these."""


@dataclass(frozen=True)
class Failure:
    """A part of the rule that failed: in which batch first, in how many, and why that first time."""

    rule: str
    batch: int
    times: int
    why: str


@dataclass(frozen=True)
class Acceptance:
    """All batches of a fence, and what failed: parts of the rule first, then promises beyond it."""

    fence: Fence
    seed: int
    batches: tuple[Batch, ...]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What failed, each once."""
        first: dict[str, tuple[int, str]] = {}
        times: Counter[str] = Counter()
        for batch in self.batches:
            for rule, why in batch.failures:
                first.setdefault(rule, (batch.number, why))
                times[rule] += 1
        order = sorted(first, key=lambda rule: RULES.index(rule) if rule in RULES else len(RULES))
        return tuple(Failure(rule, first[rule][0], times[rule], first[rule][1]) for rule in order)

    @property
    def accepted(self) -> bool:
        """Say whether nothing failed."""
        return not self.failures

    @property
    def classes(self) -> Counter[str]:
        """How often each class of refusal was answered."""
        counts: Counter[str] = Counter()
        for batch in self.batches:
            counts.update({c: n for c, n in batch.answers.outcomes.items() if c in Refusal.__members__})
        return counts

    @property
    def worst(self) -> Batch:
        """The batch that burned most for its plan, incomplete ones first; among equals the first."""
        return max(self.batches, key=lambda b: (len(b.failures), b.burned / b.plan, -b.number))


def bound_of(load: Load, shards: int) -> Bound:
    """Return the bound of a batch."""
    caps = {fault: shards if fault in load.faults else 0 for fault in FAULTS} | {"preempt": load.preemptions}
    return Bound(
        shards=shards,
        epochs=load.preemptions + 1,
        faults=sum(caps.values()),
        caps=MappingProxyType(caps),
        spare_attempts=shards * load.spare,
    )


def accept(fence: Fence, preemptions: int, shards: int, seed: int, settings: Settings) -> Acceptance:
    """Run batches until so many preemptions have struck."""
    setups = [Setup(fence, settings, bound_of(load, shards)) for load in LOADS]
    all_tables = [WalkTables(build(fence, setup.bound, settings), fault_names(fence)) for setup in setups]
    chance, batches, turns = Random(seed), list[Batch](), cycle(zip(LOADS, setups, all_tables, strict=True))
    while sum(batch.preemptions for batch in batches) < preemptions:
        load, setup, tables = next(turns)
        walker = Walker(tables)
        steps = at_random(walker, Random(chance.random()), load.lazy)
        batches.append(run_batch(len(batches), setup, walker, steps, load.owes))
    return Acceptance(fence, seed, tuple(batches))
