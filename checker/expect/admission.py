"""Holds of whole shards compete for one ceiling: a seeded simulation, and the exact law of a lone shard.

A grant is asked for when a host is free, in the order of the shards; one that does not fit waits until something ends.
All runs are stepped at once: in each step a run makes one grant, or moves on to its next end of an attempt. How a
shard's attempts end is drawn once, so that runs under other ceilings differ by the ceiling alone.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.expect.kernel import NEGLIGIBLE, Kernel

Array = NDArray[Any]

MOST_ATTEMPTS = 400
"""More attempts a shard than that are not drawn."""

KINDS = {"next": 0, "done": 1, "never": 2}
WANTS, RUNS, RESTS, DONE = range(4)


@dataclass(frozen=True)
class Draws:
    """How attempts end, by attempt, run and shard: cases asked for, cases still promised after, seconds, kind of end.

    A shard whose epochs are used up ends by "never" after its last attempt. `burned` are cases of each run in all.
    """

    asked: Array
    promised: Array
    seconds: Array
    kind: Array
    burned: Array


@dataclass(frozen=True)
class Simulated:
    """Runs under ceilings of their own, in cases: whether each ended with all shards done, and when, in seconds."""

    ended: Array
    seconds: Array
    peak: Array


def drawn(kernel: Kernel, shards: int, runs: int, epochs: int | None, seed: int) -> Draws | None:
    """Draw how the attempts of all shards end; None if some shard needs too many."""
    rng, table = np.random.default_rng(seed), Table(kernel)
    at, alive = np.zeros((runs, shards), dtype=int), np.ones((runs, shards), dtype=bool)
    rows, burned = list[list[Array]](), np.zeros(runs)
    for epoch in range(epochs or MOST_ATTEMPTS):
        branch = table.draw(at, rng)
        last = epochs is not None and epoch == epochs - 1
        kind = np.where(last & (table.kind[branch] == KINDS["next"]), KINDS["never"], table.kind[branch])
        rows.append([table.asked[at], table.promised[branch], table.seconds[branch], kind])
        burned += np.where(alive, table.burned[branch], 0).sum(1)
        alive = alive & (kind == KINDS["next"])
        at = np.where(alive, table.next[branch], 0)
        if not alive.any():
            asked, promised, seconds, kinds = (np.stack(column) for column in zip(*rows, strict=True))
            return Draws(asked, promised, seconds, kinds, burned)
    return None


class Table:
    """The branches of a kernel in arrays, so that many are drawn at once."""

    def __init__(self, kernel: Kernel) -> None:
        branches = [(i, b) for i, start in enumerate(kernel.starts) for b in start.branches]
        self.asked = np.array([start.asked for start in kernel.starts])
        self.promised = np.array([b.promised for _, b in branches])
        self.burned = np.array([b.burned for _, b in branches])
        self.seconds = np.array([b.seconds + (b.next >= 0) * kernel.replacement_seconds for _, b in branches])
        self.kind = np.array([KINDS[b.kind] for _, b in branches])
        self.next = np.array([max(b.next, 0) for _, b in branches])
        sums = [np.cumsum([b.chance for b in start.branches]) for start in kernel.starts]
        self.ladder = np.concatenate([i + s / s[-1] for i, s in enumerate(sums)])

    def draw(self, at: Array, rng: np.random.Generator) -> Array:
        """Draw a branch for each start."""
        return np.minimum(np.searchsorted(self.ladder, at + rng.random(at.shape), side="right"), len(self.ladder) - 1)


def simulate(draws: Draws, ceilings: Array | None, hosts: int) -> Simulated:
    """Run all runs to their end; without ceilings everything fits."""
    runs, shards = draws.asked.shape[1:]
    state = Runs(draws, np.full(runs, np.inf) if ceilings is None else ceilings, hosts)
    while len(state.number):
        state.step()
    assert shards
    return Simulated(state.ended, state.seconds, state.peak)


class Runs:
    """Runs under way; those that are over leave, so that the rest is stepped faster."""

    def __init__(self, draws: Draws, ceilings: Array, hosts: int) -> None:
        runs, shards = draws.asked.shape[1:]
        self.draws, self.hosts = draws, min(hosts, shards)
        self.ended, self.seconds, self.peak = np.zeros(runs, dtype=bool), np.zeros(runs), np.zeros(runs)
        self.number, self.ceiling = np.arange(runs), ceilings
        self.phase, self.epoch = np.full((runs, shards), WANTS), np.zeros((runs, shards), dtype=int)
        self.until, self.promised, self.now = np.full((runs, shards), np.inf), np.zeros(runs), np.zeros(runs)

    def at(self, what: Array, rows: Array, shard: Array) -> Array:
        """Look up what was drawn for the next attempt of one shard in each of some runs."""
        return np.asarray(what[self.epoch[rows, shard], self.number[rows], shard])

    def step(self) -> None:
        """Make one grant or one end in each run."""
        asked = self.draws.asked[self.epoch, self.number[:, None], np.arange(self.phase.shape[1])]
        free = (self.phase == RUNS).sum(1) < self.hosts
        fits = (self.phase == WANTS) & (self.promised[:, None] + asked <= self.ceiling[:, None]) & free[:, None]
        grants = fits.any(1)
        self.grant(np.flatnonzero(grants), fits.argmax(1)[grants])
        moves = ~grants & (self.phase == RUNS).any(1)
        self.end(np.flatnonzero(moves), self.until.argmin(1)[moves])
        self.leave(~grants & ~moves)

    def grant(self, rows: Array, shard: Array) -> None:
        """Hold what an attempt asks for and let it work."""
        self.phase[rows, shard] = RUNS
        self.until[rows, shard] = self.now[rows] + self.at(self.draws.seconds, rows, shard)
        self.promised[rows] += self.at(self.draws.asked, rows, shard)
        peak = self.peak[self.number[rows]]
        self.peak[self.number[rows]] = np.maximum(peak, self.promised[rows])

    def end(self, rows: Array, shard: Array) -> None:
        """Settle the hold of the attempt that ends next."""
        self.now[rows] = self.until[rows, shard]
        self.promised[rows] += self.at(self.draws.promised, rows, shard) - self.at(self.draws.asked, rows, shard)
        kind = self.at(self.draws.kind, rows, shard)
        self.phase[rows, shard] = np.choose(kind, [WANTS, DONE, RESTS])
        self.until[rows, shard] = np.inf
        self.epoch[rows, shard] += kind == KINDS["next"]

    def leave(self, over: Array) -> None:
        """Note how runs ended in which nothing moves any more."""
        if not over.any():
            return
        number = self.number[over]
        self.ended[number] = (self.phase[over] == DONE).all(1)
        self.seconds[number] = self.now[over]
        for name in ("number", "ceiling", "phase", "epoch", "until", "promised", "now"):
            setattr(self, name, getattr(self, name)[~over])


def needed(draws: Draws, hosts: int) -> Array:
    """Return the ceiling in cases that each run needs in order to end, found by halving; inf where none is enough.

    What a run promises at most without a ceiling is always enough.
    """
    free = simulate(draws, None, hosts)
    low, high = np.zeros(len(free.peak)), free.peak
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        ended = simulate(draws, middle, hosts).ended
        low, high = np.where(ended, low, middle), np.where(ended, middle, high)
    return np.where(free.ended, high, np.inf)


def one_shard(kernel: Kernel, ceiling_cases: int, epochs: int | None) -> tuple[float, float] | None:
    """Return exactly (chance that a lone shard is done, chance that it waits for ever) under a ceiling.

    None: too many attempts until what is left is negligible.
    """
    now = np.zeros((len(kernel.starts), ceiling_cases + 1))
    now[0, 0] = 1
    done = stuck = 0.0
    for _ in range(MOST_ATTEMPTS if epochs is None else epochs):
        room = np.array([ceiling_cases - start.asked for start in kernel.starts])
        waits = np.arange(ceiling_cases + 1) > room[:, None]
        stuck += float(now[waits].sum())
        done_now, now = attempted(kernel, np.where(waits, 0, now))
        done += done_now
        if now.sum() < NEGLIGIBLE:
            return done, stuck
    return (done, stuck) if epochs is not None else None


def attempted(kernel: Kernel, now: Array) -> tuple[float, Array]:
    """Return the chance to be done after one more attempt, and what is promised of the others."""
    after, done = np.zeros_like(now), 0.0
    for i, start in enumerate(kernel.starts):
        if not now[i].any():
            continue
        for b in start.branches:
            if b.kind == "done":
                done += b.chance * float(now[i].sum())
            elif b.next >= 0:
                kept = now.shape[1] - b.promised
                after[b.next, b.promised :] += b.chance * now[i, :kept] if kept > 0 else 0
    return done, after
