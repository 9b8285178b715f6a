"""Runs of a machine that together take every transition, found on its graph of states."""

from collections.abc import Callable, Hashable, Iterator
from itertools import pairwise
from typing import Any

import networkx as nx

from fencebench.checker.errors import BadInput
from fencebench.model.machine import Machine, State, Transition

Graph = nx.MultiDiGraph
Kind = Callable[[State, Transition], Hashable]
"""What a transition is to the covering: one of each kind is enough; None need not be covered."""

Edge = tuple[int, int, int]


def graph_of(machine: Machine, kind: Kind, max_states: int) -> "Graph[int]":
    """Explore every state, numbered as first met; each edge carries its step and its kind."""
    graph: Graph[int] = nx.MultiDiGraph()
    numbers, frontier = {machine.initial: 0}, [machine.initial]
    for state in frontier:
        for step in machine.successors(state):
            if step.after not in numbers:
                numbers[step.after] = len(numbers)
                frontier.append(step.after)
            graph.add_edge(numbers[state], numbers[step.after], step=step, kind=kind(state, step))
        if len(numbers) > max_states:
            raise BadInput(f"the bound has more than {max_states} states; cover a smaller one, e.g. --faults 1")
    return graph


def covering(machine: Machine, kind: Kind, max_states: int = 20_000) -> Iterator[tuple[Transition, ...]]:
    """Yield runs from the initial state until one transition of each kind was taken; the same ones every time."""
    graph = graph_of(machine, kind, max_states)
    ways = nx.single_source_shortest_path(graph, 0) if graph else {}
    missing = {data["kind"] for _, _, data in graph.edges(data=True)} - {None}
    for node in sorted(ways, key=lambda n: (-len(ways[n]), n)):
        while any(data["kind"] in missing for _, _, data in graph.out_edges(node, data=True)):
            yield tuple(run_through(graph, ways[node], missing))


def run_through(graph: "Graph[int]", way: list[int], missing: set[Hashable]) -> Iterator[Transition]:
    """Yield the steps along a way, then on through whatever is still missing, as far as that can be reached."""
    for start, end in pairwise(way):
        yield taken(graph, (start, end, best(graph, (start, end), missing)), missing)
    node = way[-1]
    while (onward := to_missing(graph, node, missing)) is not None:
        for edge in onward:
            yield taken(graph, edge, missing)
        node = onward[-1][1]


def best(graph: "Graph[int]", edge: tuple[int, int], missing: set[Hashable]) -> int:
    """Return the key of the edge between two states that is still missing, else of the first."""
    between: Any = graph[edge[0]][edge[1]]
    found: int = min(between, key=lambda key: (between[key]["kind"] not in missing, key))
    return found


def taken(graph: "Graph[int]", edge: Edge, missing: set[Hashable]) -> Transition:
    """Return the step of an edge, which is missing no more."""
    data = graph.edges[edge]
    missing.discard(data["kind"])
    step: Transition = data["step"]
    return step


def to_missing(graph: "Graph[int]", node: int, missing: set[Hashable]) -> list[Edge] | None:
    """Return the shortest way from a state over the nearest missing edge, or None where none can be reached."""
    came: dict[int, Edge | None] = {node: None}
    for here in (queue := [node]):
        for start, end, key, data in graph.out_edges(here, keys=True, data=True):
            if data["kind"] in missing:
                return [*back(came, here), (start, end, key)]
            if end not in came:
                came[end] = (start, end, key)
                queue.append(end)
    return None


def back(came: dict[int, Edge | None], node: int) -> list[Edge]:
    """Return the edges by which a search came to a state."""
    edges = []
    while (edge := came[node]) is not None:
        edges.append(edge)
        node = edge[0]
    return edges[::-1]
