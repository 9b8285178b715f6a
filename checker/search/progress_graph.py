"""Progress on the state graph: from every hopeful state the goal stays reachable without a further fault.

A safety search cannot say this: it needs the edges. They go into a networkx graph, and the states that can reach the
goal are its ancestors. No fairness is assumed: it is enough that some way is left.
"""

from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

import networkx as nx

from fencebench.checker.search.explore import Node, path
from fencebench.checker.search.progress import blocked
from fencebench.checker.search.result import Finding
from fencebench.model.machine import Machine, Progress, State

GOAL = "goal"


@dataclass(frozen=True)
class Graph:
    """Every reachable state with its cheapest way, and the steps between them that are no faults."""

    nodes: dict[State, Node]
    edges: "nx.DiGraph[State | str]"


def graph(machine: Machine, progress: Progress) -> Graph:
    """Explore every state, cheapest first."""
    numbers = count()
    root = Node(machine.faults(machine.initial.shared), 0, next(numbers), machine.initial, None, None)
    nodes, frontier = {machine.initial: root}, [root]
    edges: nx.DiGraph[State | str] = nx.DiGraph()
    while frontier:
        node = heappop(frontier)
        if nodes[node.state] is not node:  # a cheaper way was found after this one was queued
            continue
        if progress.goal(node.state.shared):
            edges.add_edge(node.state, GOAL)
        for step in machine.successors(node.state):
            child = Node(machine.faults(step.after.shared), node.steps + 1, next(numbers), step.after, node, step)
            if child.faults == node.faults:
                edges.add_edge(node.state, step.after)
            if step.after not in nodes or child.cost < nodes[step.after].cost:
                nodes[step.after] = child
                heappush(frontier, child)
    return Graph(nodes, edges)


def stuck(machine: Machine, progress: Progress) -> Finding | None:
    """Return the cheapest way to a hopeful state from which the goal is out of reach."""
    found = graph(machine, progress)
    able = nx.ancestors(found.edges, GOAL) if GOAL in found.edges else set()
    lost = [n for n in found.nodes.values() if n.state not in able and progress.due(n.state)]
    if not lost:
        return None
    node = min(lost, key=lambda n: (n.cost, n.number))
    return Finding(progress.name, *node.cost, blocked(machine, node.state), path(node))
