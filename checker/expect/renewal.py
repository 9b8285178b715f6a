"""Attempts follow each other as a Markov renewal process: the laws of a shard and of a run, by convolution.

Tokens are counted in cases. All is exact up to `NEGLIGIBLE`. A bound on epochs ends a shard without a result.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.expect.kernel import NEGLIGIBLE, Kernel

Law = NDArray[np.float64]
"""Chances by number of cases."""

WIDEST = 1 << 22


class Means(NamedTuple):
    """What is to be expected of a shard, done or not: the chance that it is, cases burned, seconds, attempts."""

    done: float
    burned_cases: float
    seconds: float
    attempts: float


@dataclass(frozen=True)
class Shard:
    """The means of a shard, and its laws; a law that is wider than can be told is None.

    `law` gives cases burned, `done_law` the same where the shard is done as well.
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
    return None if means is None else Shard(*means, *(laws_of(kernel, epochs, means.burned_cases) or (None, None)))


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


def expected(kernel: Kernel, epochs: int | None) -> Means | None:
    """Return the means of a shard; None if it never ends."""
    again, each = matrix(kernel), rewards(kernel)
    if epochs is None:
        total = solved(again, each)
    else:
        total = np.zeros_like(each)
        for _ in range(epochs):
            total = each + again @ total
    return None if total is None else Means(*map(float, total[0]))


def solved(again: NDArray[np.float64], each: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Solve x = each + again x for the starts that can be reached; None where an attempt follows another for ever."""
    here = reached(again, {0})
    leaves = {i for i in here if again[i].sum() < 1 - NEGLIGIBLE or each[i, 0] > 0}
    if here - reached(again.T, leaves):
        return None
    at = sorted(here)
    return np.asarray(np.linalg.solve(np.eye(len(at)) - again[np.ix_(at, at)], each[at]), dtype=np.float64)


def reached(again: NDArray[np.float64], starts: set[int]) -> set[int]:
    """Return what can be reached from some starts."""
    found, waiting = set(starts), list(starts)
    while waiting:
        fresh = {int(i) for i in np.flatnonzero(again[waiting.pop()])} - found
        found |= fresh
        waiting += fresh
    return found


def laws_of(kernel: Kernel, epochs: int | None, mean_cases: float) -> tuple[Law, Law] | None:
    """Return the law of cases burned of a shard, and the same where it is done; None if they are too wide.

    A lattice too short for a law folds its tail back, which shows in the mean.
    """
    size = 1 << max(6, math.ceil(math.log2(4 * mean_cases + 2 * longest(kernel) + 2)))
    while size <= WIDEST:
        law, done = inverted(kernel, epochs, size)
        if abs(float(law @ np.arange(size)) - mean_cases) <= 1e-9 * (1 + mean_cases):
            return trimmed(law), trimmed(done)
        size *= 2
    return None


def longest(kernel: Kernel) -> int:
    """Return the most cases that one attempt burns."""
    return max(b.burned for start in kernel.starts for b in start.branches)


def inverted(kernel: Kernel, epochs: int | None, size: int) -> tuple[Law, Law]:
    """Return the law of cases burned, and that of shards that are done, on a lattice of so many cases.

    A convolution of laws is a product of their transforms, so a renewal is one linear equation at each frequency.
    """
    again, over, done = transforms(kernel, size)
    if epochs is None:
        laws = [forever(again, over), forever(again, done)]
    else:
        one, nothing = np.ones_like(over), np.zeros_like(over)
        laws = [bounded(again, over, one, epochs), bounded(again, done, nothing, epochs)]
    found = [np.fft.irfft(law, n=size) for law in laws]
    return clean(found[0]), clean(found[1])


Transform = NDArray[np.complex128]
Pairs = Mapping[tuple[int, int], Transform]


def transforms(kernel: Kernel, size: int) -> tuple[Pairs, Transform, Transform]:
    """Return the transforms of what an attempt burns: by start and next start, where a shard ends, is done."""
    by_pair, ends = dict[tuple[int, int], Law](), np.zeros((2, len(kernel.starts), size))
    for i, start in enumerate(kernel.starts):
        for b in start.branches:
            if b.next >= 0:
                by_pair.setdefault((i, b.next), np.zeros(size))[b.burned] += b.chance
            else:
                ends[: 1 + (b.kind == "done"), i, b.burned] += b.chance
    over, done = np.fft.rfft(ends)
    return {pair: np.fft.rfft(law) for pair, law in by_pair.items()}, over, done


def forever(again: Pairs, ends: Transform) -> Transform:
    """Return the transform of all attempts together, as many as it takes; a checkpoint never goes back."""
    total = ends.copy()
    for i in reversed(range(len(total))):
        for (start, following), law in again.items():
            if start == i and following > i:
                total[i] += law * total[following]
        total[i] /= 1 - again.get((i, i), np.zeros(1))
    return np.asarray(total[0])


def bounded(again: Pairs, ends: Transform, last: Transform, epochs: int) -> Transform:
    """Return the transform of at most so many attempts; `last` is what counts for a shard given up after them."""
    total = last
    for _ in range(epochs):
        before, total = total, ends.copy()
        for (start, following), law in again.items():
            total[start] += law * before[following]
        if np.abs(total - before).max() < NEGLIGIBLE * 1e-3:
            break
    return np.asarray(total[0])


def clean(law: Law) -> Law:
    """Return a law without what rounding left where there is no chance at all."""
    return np.where(law > NEGLIGIBLE * 1e-3, law, 0.0)


def trimmed(law: Law) -> Law:
    """Return the law without the zeros at its end."""
    last = np.flatnonzero(law)
    return law[: last[-1] + 1] if len(last) else law[:1]


def of_run(law: Law, shards: int) -> Law:
    """Return the law of the sum over independent shards."""
    size = (len(law) - 1) * shards + 1
    lattice = 1 << (size - 1).bit_length()
    return clean(np.fft.irfft(np.fft.rfft(law, n=lattice) ** shards, n=lattice)[:size])


def quantile(law: Law, level: float) -> int | None:
    """Return the fewest cases that are enough with this chance; None if no number is."""
    over = np.flatnonzero(np.cumsum(law) >= level - NEGLIGIBLE)
    return int(over[0]) if len(over) else None


def at_most(law: Law, cases: int) -> float:
    """Return the chance of at most so many cases; what transforms leave of rounding is rounded off."""
    return min(round(float(law[: max(cases + 1, 0)].sum()), 12), 1.0)
