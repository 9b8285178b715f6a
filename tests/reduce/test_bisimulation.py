"""Partition refinement on arrays against the definition, on every pair of states of small random systems."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fencebench.checker.reduce.bisimulation import Edges, branching, stable, strong

Graph = frozenset[tuple[int, int, int]]
Pairs = set[tuple[int, int]]

SIZE = 6
graphs = st.frozensets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, 2), st.integers(0, SIZE - 1)), max_size=14)


def edges(graph: Graph) -> Edges:
    columns = np.array(sorted(graph), np.int64).reshape(-1, 3).T
    return Edges(SIZE, *(np.ascontiguousarray(column) for column in columns))


def greatest(graph: Graph, matched: Callable[[Graph, Pairs, int, int, int, int], bool]) -> Pairs:
    """Return the largest relation in which every step of one state is matched by the other."""
    pairs = {(s, t) for s in range(SIZE) for t in range(SIZE)}
    while True:
        kept = {
            (s, t)
            for s, t in pairs
            if all(matched(graph, pairs, s, t, a, to) for at, a, to in graph if at == s)
            and all(matched(graph, pairs, t, s, a, to) for at, a, to in graph if at == t)
        }
        if kept == pairs:
            return pairs
        pairs = kept


def at_once(graph: Graph, pairs: Pairs, s: int, t: int, label: int, to: int) -> bool:
    return any((to, other) in pairs for at, a, other in graph if (at, a) == (t, label))


def in_the_end(graph: Graph, pairs: Pairs, s: int, t: int, label: int, to: int) -> bool:
    """Match a step after hidden steps that stay equivalent; a hidden step may be matched by none."""
    if label == 0 and (to, t) in pairs:
        return True
    near, waiting = {t}, [t]
    while waiting:
        here = waiting.pop()
        if (s, here) in pairs and at_once(graph, pairs, s, here, label, to):
            return True
        for at, a, other in graph:
            if at == here and a == 0 and other not in near:
                near.add(other)
                waiting.append(other)
    return False


def relation(blocks: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Pairs:
    return {(s, t) for s in range(SIZE) for t in range(SIZE) if blocks[s] == blocks[t]}


@settings(max_examples=300, deadline=None)
@given(graphs)
def test_strong_is_the_greatest_bisimulation(graph: Graph) -> None:
    assert relation(strong(edges(graph))) == greatest(graph, at_once)


@settings(max_examples=300, deadline=None)
@given(graphs)
def test_branching_is_the_greatest_branching_bisimulation(graph: Graph) -> None:
    assert relation(branching(edges(graph))) == greatest(graph, in_the_end)


def test_a_partition_that_hides_a_difference_is_not_stable() -> None:
    state, what = np.array([0, 1]), np.array([5, 6])
    assert stable(np.array([0, 1]), state, what)
    assert not stable(np.array([0, 0]), state, what)


@pytest.mark.parametrize(("length", "label", "expected"), [(1000, 0, 2), (1000, 1, 1000)])
def test_a_long_chain_ends_in_a_step_that_is_seen(length: int, label: int, expected: int) -> None:
    chain = np.arange(length - 1)
    labels = np.full(length - 1, label)
    labels[-1] = 2
    blocks = branching(Edges(length, chain, labels, chain + 1))
    assert len(set(blocks.tolist())) == expected
