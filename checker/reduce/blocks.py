"""A unit made small: blocks of states that show the same, without the steps that nobody sees."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from fencebench.checker.reduce.bisimulation import Edges, branching, strong
from fencebench.checker.reduce.system import HIDDEN, Label, System
from fencebench.checker.tables.arrays import Words, distinct

Labels = tuple[Label, ...]
Steps = dict[int, tuple[tuple[int, int], ...]]
"""What a block shows next: (label, block that the step leads to), in order."""


@dataclass(frozen=True)
class Blocks:
    """Blocks by number with their steps, labels by number, and the block for each way to begin."""

    steps: Steps
    labels: tuple[Label, ...]
    roots: tuple[int, ...]


def minimised(system: System) -> Blocks:
    """Make a system small. What it shows stays the same; how often it hesitates does not.

    Strong bisimulation is quick, and leaves branching bisimulation little to do; without hidden steps more coincides.
    """
    edges, roots = Edges(system.states, system.source, system.label, system.target), np.array(system.roots)
    for equivalence in (strong, branching):
        blocks = equivalence(edges)
        edges, roots = quotient(edges, blocks), blocks[roots]
    for simpler in (only_seen, coinciding, without_the_past, only_seen):
        edges, roots = simpler(edges, system.labels, roots)
    return Blocks(steps_of(edges), system.labels, tuple(roots.tolist()))


def coinciding(edges: Edges, labels: Labels, roots: Words) -> tuple[Edges, Words]:
    """Make one of blocks that show the same."""
    blocks = strong(edges)
    return quotient(edges, blocks), blocks[roots]


def without_the_past(edges: Edges, labels: Labels, roots: Words) -> tuple[Edges, Words]:
    """Let an earlier block stand for one that is entered in a later phase, if from then on they show the same.

    What else the earlier one shows is over by then.
    """
    phase = np.array([label.phase for label in labels])[edges.label]
    entered = np.full(edges.states, phase.max(initial=0))
    np.minimum.at(entered, edges.target, phase)
    entered[roots] = 0
    stands = np.arange(edges.states)
    for now in range(int(phase.max(initial=0)), 0, -1):
        later = Edges(edges.states, *(column[phase >= now] for column in edges[1:]))
        blocks = strong(later)
        first = np.lexsort((np.arange(edges.states), entered, blocks))
        leader = first[np.searchsorted(blocks[first], blocks)]
        stands = np.where(entered >= now, leader, np.arange(edges.states))[stands]
    return edges._replace(target=stands[edges.target]), roots


def quotient(edges: Edges, blocks: Words) -> Edges:
    """Return the edges between blocks, each once, without hidden steps within one."""
    count = int(blocks.max(initial=-1)) + 1
    labels = int(edges.label.max(initial=0)) + 1
    keys = distinct((blocks[edges.source] * labels + edges.label) * count + blocks[edges.target])
    source, label, target = keys // (labels * count), keys // count % labels, keys % count
    told = (label != HIDDEN) | (source != target)
    return Edges(count, source[told], label[told], target[told])


def steps_of(edges: Edges) -> Steps:
    """Return the steps of each block."""
    steps: dict[int, list[tuple[int, int]]] = {block: [] for block in range(edges.states)}
    for source, label, target in zip(edges.source.tolist(), edges.label.tolist(), edges.target.tolist(), strict=True):
        steps[source].append((label, target))
    return {block: tuple(told) for block, told in steps.items()}


def only_seen(edges: Edges, labels: Labels, roots: Words) -> tuple[Edges, Words]:
    """Let each block show at once what it can show after steps that nobody sees; drop those, and what falls idle.

    What happens to all units is noticed with the next step that is seen, which presumes that it has happened.
    """
    unseen = {HIDDEN} | {number for number, label in enumerate(labels) if label.common is not None}
    steps, found = steps_of(edges), Steps()
    waiting = roots.tolist()
    while waiting:
        block = waiting.pop()
        if block not in found:
            told = {step for near in nearby(block, steps, unseen) for step in steps[near] if step[0] not in unseen}
            found[block] = tuple(sorted(told))
            waiting += [target for _, target in found[block]]
    number = {block: i for i, block in enumerate(sorted(found))}
    flat = [(number[block], label, number[target]) for block in sorted(found) for label, target in found[block]]
    columns = np.array(flat, np.int64).reshape(-1, 3).T
    return Edges(len(number), *columns), np.array([number[block] for block in roots.tolist()], np.int64)


def nearby(block: int, steps: Steps, unseen: Iterable[int]) -> set[int]:
    """Return the block and those that it comes to by steps that nobody sees."""
    near, waiting = {block}, [block]
    while waiting:
        for label, target in steps[waiting.pop()]:
            if label in unseen and target not in near:
                near.add(target)
                waiting.append(target)
    return near
