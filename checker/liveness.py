"""Progress on the state graph: from every state with a premise, the goal stays reachable without a further fault.

A safety search cannot say this: it needs the edges. They go into a networkx graph, and the states that can reach the
goal are its ancestors. No fairness is assumed: it is enough that some way is left.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import networkx as nx

from checker.explore import Node, path
from checker.result import Finding
from model.machine import Machine, State, Transition

GOAL = "goal"


@dataclass(frozen=True)
class Graph:
    """Every reachable state with its cheapest way, and the steps between them that are no faults."""

    nodes: dict[State, Node]
    edges: "nx.DiGraph[State | str]"


def graph(machine: Machine, is_goal: Callable[[State], bool], max_states: int) -> Graph | None:
    """Explore breadth-first by steps; None if there are more states than that."""
    root = Node(machine.faults(machine.initial.shared), 0, 0, machine.initial, None, None)
    nodes, queue = {machine.initial: root}, [root]
    edges: nx.DiGraph[State | str] = nx.DiGraph()
    for node in queue:
        if is_goal(node.state):
            edges.add_edge(node.state, GOAL)
        for step in machine.successors(node.state):
            struck = machine.faults(step.after.shared)
            if struck == node.faults:
                edges.add_edge(node.state, step.after)
            if step.after not in nodes:
                nodes[step.after] = Node(struck, node.steps + 1, len(nodes), step.after, node, step)
                queue.append(nodes[step.after])
        if len(nodes) > max_states:
            return None
    return Graph(nodes, edges)


def stuck(
    machine: Machine, name: str, premise: Callable[[State], bool], is_goal: Callable[[State], bool], max_states: int
) -> tuple[Finding, ...] | None:
    """Return the cheapest way to a state with the premise from which the goal is out of reach, or nothing.

    None means that the graph has more than `max_states` states, and nothing is said.
    """
    found = graph(machine, is_goal, max_states)
    if found is None:
        return None
    able = nx.ancestors(found.edges, GOAL) if GOAL in found.edges else set()
    lost = [n for n in found.nodes.values() if n.state not in able and premise(n.state)]
    if not lost:
        return ()
    node = min(lost, key=lambda n: (n.cost, n.number))
    return (Finding(name, *node.cost, blocked(machine, node.state, found), path(node)),)


def blocked(machine: Machine, state: State, found: Graph) -> str:
    """Say why each remaining action leads nowhere: every refusal that is still to come, and where it all ends."""
    ahead = (
        [state, *(s for s in found.nodes if s in nx.descendants(found.edges, state))]
        if state in found.edges
        else [state]
    )
    refusals = dict.fromkeys(told(t) for s in ahead for t in no_faults(machine, s) if t.event.rule)
    return f"the goal is out of reach from here: {'; '.join(refusals) or 'no step is left'}"


def no_faults(machine: Machine, state: State) -> Iterator[Transition]:
    """Yield the steps of a state that are no faults."""
    struck = machine.faults(state.shared)
    yield from (t for t in machine.successors(state) if machine.faults(t.after.shared) == struck)


def told(step: Transition) -> str:
    """Name a refused call with its class."""
    return f"{step.event.label} is answered {step.event.outcome}"
