"""Attempts follow each other as a Markov renewal process: the laws of a shard and of a run, by convolution.

Tokens are counted in cases. All is exact up to `NEGLIGIBLE`. A bound on epochs ends a shard without a result.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.expect.kernel import NEGLIGIBLE, Kernel

Law = NDArray[np.float64]
"""Chances by number of cases."""

MOST_EPOCHS = 20_000
WIDEST = 1 << 22


@dataclass(frozen=True)
class Shard:
    """What is to be expected of a shard, done or not: cases burned, seconds, attempts, and the chance that it is done.

    `law` gives cases burned, `done_law` the same where the shard is done as well; None: wider than can be told.
    """

    done: float
    burned_cases: float
    seconds: float
    attempts: float
    law: Law | None
    done_law: Law | None


def shard(kernel: Kernel, epochs: int | None) -> Shard | None:
    """Return what is to be expected of one shard; None if it never ends."""
    means = expected(kernel, epochs)
    if means is None:
        return None
    done, burned, seconds, attempts = means
    laws = laws_of(kernel, epochs, burned)
    return Shard(done, burned, seconds, attempts, *(laws or (None, None)))


def matrix(kernel: Kernel) -> NDArray[np.float64]:
    """Return with which chance an attempt from one start is followed by one from another."""
    found = np.zeros((len(kernel.starts),) * 2)
    for i, start in enumerate(kernel.starts):
        for branch in start.branches:
            if branch.next >= 0:
                found[i, branch.next] += branch.chance
    return found


def rewards(kernel: Kernel) -> NDArray[np.float64]:
    """Return for each start: the chance to be done, mean cases burned, mean seconds, and 1, of one attempt."""
    return np.array(
        [
            [
                sum(b.chance for b in start.branches if b.kind == "done"),
                sum(b.chance * b.burned for b in start.branches),
                sum(b.chance * (b.seconds + (b.next >= 0) * kernel.replacement_seconds) for b in start.branches),
                1.0,
            ]
            for start in kernel.starts
        ]
    )


def expected(kernel: Kernel, epochs: int | None) -> tuple[float, ...] | None:
    """Return (chance to be done, cases burned, seconds, attempts); None if a shard never ends."""
    again, each = matrix(kernel), rewards(kernel)
    if epochs is None:
        total = solved(again, each)
    else:
        total = np.zeros_like(each)
        for _ in range(epochs):
            total = each + again @ total
    return None if total is None else tuple(map(float, total[0]))


def solved(again: NDArray[np.float64], each: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Solve x = each + again x for the starts that can be reached; None where an attempt follows another for ever."""
    here = reached(again, {0})
    leaves = {i for i in here if again[i].sum() < 1 - NEGLIGIBLE or each[i, 0] > 0}
    if here - reached(again.T, leaves):
        return None
    at = sorted(here)
    return np.linalg.solve(np.eye(len(at)) - again[np.ix_(at, at)], each[at])


def reached(again: NDArray[np.float64], starts: set[int]) -> set[int]:
    """Return what can be reached from some starts."""
    found, waiting = set(starts), list(starts)
    while waiting:
        fresh = {int(i) for i in np.flatnonzero(again[waiting.pop()])} - found
        found |= fresh
        waiting += fresh
    return found


def laws_of(kernel: Kernel, epochs: int | None, mean_cases: float) -> tuple[Law, Law] | None:
    """Return the law of cases burned of a shard, and the same where it is done; None if they are too wide."""
    size = 1 << max(6, math.ceil(math.log2(4 * mean_cases + 2 * longest(kernel) + 2)))
    while size <= WIDEST:
        found = carried(kernel, epochs, size)
        if found is None:
            return None
        law, done, left = found
        if left < NEGLIGIBLE:
            return trimmed(law), trimmed(done)
        size *= 2
    return None


def longest(kernel: Kernel) -> int:
    """Return the most cases that one attempt burns."""
    return max(b.burned for start in kernel.starts for b in start.branches)


def carried(kernel: Kernel, epochs: int | None, size: int) -> tuple[Law, Law, float] | None:
    """Carry the law from epoch to epoch on a lattice of so many cases; return with it the chance that fell off.

    None: too many epochs until what is left is negligible.
    """
    now = np.zeros((len(kernel.starts), size))
    now[0, 0] = 1
    law, done = np.zeros(size), np.zeros(size)
    for epoch in range(MOST_EPOCHS if epochs is None else epochs):
        ends, now = step(kernel, now)
        law += ends["done"] + ends["never"]
        done += ends["done"]
        if now.sum() < NEGLIGIBLE / 100 or (epochs is not None and epoch == epochs - 1):
            break
        if size * epoch > WIDEST * 64:
            return None
    law += now.sum(0)
    return law, done, 1 - float(law.sum())


def step(kernel: Kernel, now: NDArray[np.float64]) -> tuple[dict[str, Law], NDArray[np.float64]]:
    """Return the law of cases burned after one more attempt: of shards that ended, by how, and of the others."""
    after = np.zeros_like(now)
    ends = {"done": np.zeros(now.shape[1]), "never": np.zeros(now.shape[1])}
    for i, start in enumerate(kernel.starts):
        if now[i].any():
            for b in start.branches:
                into = after[b.next] if b.next >= 0 else ends[b.kind]
                into[b.burned :] += b.chance * now[i, : now.shape[1] - b.burned]
    return ends, after


def trimmed(law: Law) -> Law:
    """Return the law without the zeros at its end."""
    last = np.flatnonzero(law)
    return law[: last[-1] + 1] if len(last) else law[:1]


def of_run(law: Law, shards: int) -> Law:
    """Return the law of the sum over independent shards."""
    size = (len(law) - 1) * shards + 1
    found = np.fft.irfft(np.fft.rfft(law, n=1 << (size - 1).bit_length()) ** shards, n=1 << (size - 1).bit_length())
    return np.where(found[:size] > NEGLIGIBLE * 1e-3, found[:size], 0)


def quantile(law: Law, level: float) -> int | None:
    """Return the fewest cases that are enough with this chance; None if no number is."""
    over = np.flatnonzero(np.cumsum(law) >= level - NEGLIGIBLE)
    return int(over[0]) if len(over) else None


def at_most(law: Law, cases: int) -> float:
    """Return the chance of at most so many cases."""
    return min(float(law[: max(cases + 1, 0)].sum()), 1.0)
