"""The coarsest partitions of a transition system whose blocks show the same, by signature refinement on arrays.

A state's signature is the set of (label, block that the step leads to). States stay in one block while their
signatures are equal; that is repeated until no block splits. `strong` takes a hidden step for any other; `branching`
takes no notice of hidden steps within a block: it is branching bisimulation, which for safety need not preserve
divergence. Sets are compared by hashes that are added up, and the outcome is proved exactly (`stable`).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fencebench.checker.reduce.system import HIDDEN
from fencebench.checker.tables.action_table import spread
from fencebench.checker.tables.arrays import Words, distinct, union, within

Hashes = NDArray[np.uint64]


class Edges(NamedTuple):
    """The edges of a system with so many states, as columns."""

    states: int
    source: Words
    label: Words
    target: Words


Signature = Callable[[Edges, Words], tuple[Words, Words]]
"""What states show under a partition: (state, what), each pair once and ordered by state."""


def strong(edges: Edges) -> Words:
    """Return the block of each state: states of one block take the same steps to the same blocks."""
    return refined(edges, all_steps)


def branching(edges: Edges) -> Words:
    """Return the block of each state: as `strong`, but for hidden steps within a block."""
    return refined(edges, beyond_the_block)


def refined(edges: Edges, signature: Signature) -> Words:
    """Split blocks until all states of a block have the same signature."""
    blocks, count = np.zeros(edges.states, np.int64), 1
    while True:
        state, what = signature(edges, blocks)
        hashes = np.zeros(edges.states, np.uint64)
        np.add.at(hashes, state, mixed(what.astype(np.uint64) + np.uint64(1)))  # 0 is its own hash
        finer = numbered(mixed(hashes) + mixed(blocks.astype(np.uint64) + np.uint64(1)))
        if finer.max(initial=-1) + 1 == count:
            assert stable(blocks, state, what), "two signatures have one hash"
            return blocks
        blocks, count = finer, int(finer.max()) + 1


def mixed(values: Hashes) -> Hashes:
    """Return a hash of each value (the finalizer of splitmix64)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def numbered(values: Hashes) -> Words:
    """Number distinct values in their order."""
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def stable(blocks: Words, state: Words, what: Words) -> bool:
    """Say whether each state of a block has all that any state of the block has."""
    of_states = np.bincount(state, minlength=len(blocks))
    _, [block, _] = paired(blocks[state], what)
    return bool((of_states == np.bincount(block, minlength=len(blocks))[blocks]).all())


def paired(first: Words, second: Words) -> tuple[Words, tuple[Words, Words]]:
    """Return pairs of numbers as one number each, sorted and each once, and apart again."""
    width = int(second.max(initial=0)).bit_length()
    keys = distinct(first << width | second)
    return keys, (keys >> width, keys & ((1 << width) - 1))


def all_steps(edges: Edges, blocks: Words) -> tuple[Words, Words]:
    """Return every step as (state, label and block)."""
    return paired(edges.source, shown(edges, blocks))[1]


def shown(edges: Edges, blocks: Words) -> Words:
    """Return label and block of each step as one number."""
    return edges.label * edges.states + blocks[edges.target]


def beyond_the_block(edges: Edges, blocks: Words) -> tuple[Words, Words]:
    """Return the steps that each state can take, now or after hidden steps within its block, but for such steps."""
    inert = (edges.label == HIDDEN) & (blocks[edges.source] == blocks[edges.target])
    what = shown(edges, blocks)
    width = int(what.max(initial=0)).bit_length()
    order = np.argsort(edges.target[inert], kind="stable")
    source, target = edges.source[inert][order], edges.target[inert][order]
    first = np.searchsorted(target, np.arange(edges.states + 1))
    new = known = distinct(edges.source[~inert] << width | what[~inert])
    while len(new):
        state = new >> width
        place, edge = spread(first[state], np.diff(first)[state])
        earlier = distinct(source[edge] << width | (new[place] & ((1 << width) - 1)))
        new = earlier[~within(earlier, known)]
        known = union([known, new])
    return known >> width, known & ((1 << width) - 1)
