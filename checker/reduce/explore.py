"""Explores a machine by way of small units: the same safety promises broken by as few faults, in far fewer states."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from fencebench.checker.reduce.blocks import Blocks, minimised
from fencebench.checker.reduce.lift import as_finding, lifted
from fencebench.checker.reduce.product import begun, product, unjudged
from fencebench.checker.reduce.system import system
from fencebench.checker.search.limits import UNLIMITED, Limits, Watch, cut_short
from fencebench.checker.search.properties import Promises
from fencebench.checker.search.result import Coverage, Finding, Result
from fencebench.model.local_view import Known, LocalView, Split
from fencebench.model.machine import Machine

Engine = Callable[[Machine, Limits, Watch], Result]


@dataclass(frozen=True)
class Searched:
    """A way to begin, and what the engine found from there."""

    split: Split
    result: Result


@dataclass(frozen=True)
class Reduced:
    """A machine, one unit of it by itself and made small, and the machine of small units."""

    machine: Machine
    local: LocalView
    states: int
    blocks: Blocks
    small: Machine

    @classmethod
    def of(cls, machine: Machine, local: LocalView) -> "Reduced":
        """Make the units of a machine small."""
        states, blocks = small_unit(replace(local, splits=()), local.starts)
        return cls(machine, local, states, blocks, product(machine, local, blocks))

    def begun(self, split: Split) -> Machine:
        """Return the machine of small units that begins as a split says."""
        return begun(self.small, self.local, self.blocks, split)

    def finding(self, name: str, one: Searched) -> Finding:
        """Bring the story of a broken promise back to the whole machine."""
        story = one.result.findings[name].trace
        return as_finding(
            self.machine, name, lifted(self.machine, self.local, one.split.known, self.begun(one.split), story)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Say what was reduced."""
        made = f"one unit: {self.states:,} states made {len(self.blocks.steps):,} blocks"
        return made, f"{len(self.local.splits)} ways to hand out the faults"

    @property
    def unjudged(self) -> tuple[str, ...]:
        """The promises that small units say nothing of."""
        progress = [self.machine.progress.name] if self.machine.progress else []
        return tuple(dict.fromkeys((*unjudged(self.machine), *progress)))


@lru_cache(maxsize=1)
def small_unit(local: LocalView, starts: tuple[Known, ...]) -> tuple[int, Blocks]:
    """Return the number of states of one unit, and its blocks; several bounds may have the same."""
    whole = system(local, starts)
    return whole.states, minimised(whole)


def explore(
    machine: Machine, local: LocalView, engine: Engine, limits: Limits = UNLIMITED, watch: Watch = lambda *_: None
) -> Result:
    """Make one unit small, let the engine explore the machine of small units, and bring its stories back."""
    started = time.monotonic()
    reduced = Reduced.of(machine, local)
    searched = [*searches(reduced, engine, limits, watch, started)]
    only_best = limits.stop_at == "first"
    found = at_start(machine)
    best = {} if found and only_best else cheapest(searched, only_best)
    found |= {name: reduced.finding(name, one) for name, one in best.items() if name not in found}
    return replace(
        merged(searched),
        findings=found,
        seconds=time.monotonic() - started,
        notes=(*reduced.notes, *searched[0].result.notes),
        unjudged=reduced.unjudged,
        minimal=False,
    )


def searches(reduced: Reduced, engine: Engine, limits: Limits, watch: Watch, started: float) -> Iterator[Searched]:
    """Search from each way to begin, within the limits of all together."""
    states = 0
    for split in reduced.local.splits:
        result = engine(reduced.begun(split), remaining(limits, states, time.monotonic() - started), watch)
        yield Searched(split, result)
        states += result.states
        if cut_short(result.limit):
            return


def remaining(limits: Limits, states: int, seconds: float) -> Limits:
    """Return what is left of the limits."""
    return replace(
        limits,
        max_states=None if limits.max_states is None else max(0, limits.max_states - states),
        max_seconds=None if limits.max_seconds is None else max(0.0, limits.max_seconds - seconds),
    )


def cheapest(searched: list[Searched], only_best: bool) -> Mapping[str, Searched]:
    """Return where each broken promise has its cheapest story; with `only_best` those of the very cheapest alone."""
    best: dict[str, Searched] = {}
    for one in searched:
        for name, found in one.result.findings.items():
            if name not in best or found.cost < best[name].result.findings[name].cost:
                best[name] = one
    least = min((one.result.findings[name].cost for name, one in best.items()), default=None)
    return {n: one for n, one in best.items() if not only_best or one.result.findings[n].cost == least}


def at_start(machine: Machine) -> dict[str, Finding]:
    """Return the promises that the initial state breaks."""
    faults = machine.faults(machine.initial.shared)
    broken = Promises.of(machine).of_arrival(machine.initial, None)
    return {name: Finding(name, faults, 0, why, ()) for name, why in broken}


def merged(searched: list[Searched]) -> Result:
    """Add the searches up. What happened is counted where it is seen: faults, and steps of the shared part."""
    results = [one.result for one in searched]
    coverage = Coverage()
    for result in results:
        coverage.faults.update(result.coverage.faults)
    return replace(
        results[-1],
        states=sum(result.states for result in results),
        transitions=sum(result.transitions for result in results),
        depth=max(result.depth for result in results),
        finals=0,
        coverage=coverage,
        limit=max((result.limit for result in results), key=lambda limit: (limit is not None) + cut_short(limit)),
    )
