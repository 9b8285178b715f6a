"""Progress on the state graph: from every hopeful state the goal stays reachable without a further fault.

A safety search cannot say this: it needs the edges. They go into a networkx graph, and the states that can reach the
goal are its ancestors. No fairness is assumed: it is enough that some way is left.
"""

from collections.abc import Iterator

import networkx as nx

from fencebench.checker.search.progress import blocked
from fencebench.checker.search.result import Finding
from fencebench.checker.search.uniform_cost import cheapest_first
from fencebench.model.machine import Machine, Progress, State, Transition

GOAL = "goal"


def stuck(machine: Machine, progress: Progress) -> Finding | None:
    """Return the cheapest way to a hopeful state from which the goal is out of reach."""
    edges: nx.DiGraph[State | str] = nx.DiGraph()

    def expand(state: State) -> Iterator[tuple[Transition, State]]:
        struck = machine.faults(state.shared)
        for step in machine.successors(state):
            if machine.faults(step.after.shared) == struck:
                edges.add_edge(state, step.after)
            yield step, step.after

    ways = list(cheapest_first(machine.initial, expand, lambda state: machine.faults(state.shared)))
    edges.add_edges_from((way.place, GOAL) for way in ways if progress.goal(way.place.shared))
    able = nx.ancestors(edges, GOAL) if GOAL in edges else set()
    lost = next((way for way in ways if way.place not in able and progress.due(way.place)), None)
    return None if lost is None else Finding(progress.name, *lost.cost, blocked(machine, lost.place), lost.moves())
