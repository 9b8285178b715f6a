"""The plain explorer: every interleaving up to the bound, cheapest first. Its one virtue is to be obviously right.

A state's cost is (faults struck, steps taken). States are expanded in the order of their cost, so the first story
found for a promise has the fewest faults, then the fewest steps, then comes first in the fixed order of the actions.
"""

from collections.abc import Iterable
from heapq import heappop, heappush
from itertools import count
from typing import NamedTuple

from fencebench.checker.search.coverage import Counting
from fencebench.checker.search.limits import FIRST, UNLIMITED, Clock, Limits, Watch
from fencebench.checker.search.properties import Promises
from fencebench.checker.search.result import Finding, Result
from fencebench.model.machine import Machine, State, Transition

NEVER = (1 << 30, 0)
"""A cost that no story has."""


class Node(NamedTuple):
    """A way to a state and its cost; `number` breaks ties, so that states are never compared."""

    faults: int
    steps: int
    number: int
    state: State
    parent: "Node | None"
    step: Transition | None

    @property
    def cost(self) -> tuple[int, int]:
        """Fewest faults first, then fewest steps."""
        return self.faults, self.steps


def path(node: Node | None) -> tuple[Transition, ...]:
    """Return the steps from the initial state to the node."""
    steps = []
    while node is not None and node.step is not None:
        steps.append(node.step)
        node = node.parent
    return tuple(reversed(steps))


def record(findings: dict[str, Finding], node: Node, broken: Iterable[tuple[str, str]]) -> None:
    """Keep the cheapest story of each broken promise; among equals the first."""
    for name, why in broken:
        old = findings.get(name)
        if old is None or node.cost < old.cost:
            findings[name] = Finding(name, *node.cost, why, path(node))


def explore(machine: Machine, limits: Limits = UNLIMITED, watch: Watch = lambda *_: None) -> Result:
    """Search every reachable state; stop early only where a limit says so."""
    clock, numbers, limit = Clock(limits), count(), None
    promises, counting, findings = Promises.of(machine), Counting(machine), dict[str, Finding]()
    root = Node(machine.faults(machine.initial.shared), 0, next(numbers), machine.initial, None, None)
    frontier, reached = [root], {root.state: root}
    states = transitions = depth = finals = 0
    best = NEVER
    while frontier:
        node = heappop(frontier)
        if reached[node.state] is not node:  # a cheaper way was found after this one was queued
            continue
        if limit := clock.settled(node.cost, best) or clock.over(states):
            break
        states += 1
        record(findings, node, promises.of_arrival(node.state, node.step))
        counting.arrival(node.state, node.step)
        depth, final = max(depth, node.steps), True
        for step in machine.successors(node.state):
            child = Node(machine.faults(step.after.shared), node.steps + 1, next(numbers), step.after, node, step)
            transitions += 1
            counting.step(node.state, step)
            record(findings, child, promises.of_step(node.state, step))
            final = final and (step.after == node.state or child.faults > node.faults)
            if step.after not in reached or child.cost < reached[step.after].cost:
                reached[step.after] = child
                heappush(frontier, child)
        if final:
            finals += 1
            counting.final(node.state)
            record(findings, node, promises.of_final(node.state))
        best = min((f.cost for f in findings.values()), default=NEVER)
        watch(states, len(frontier), depth)
    if limit == FIRST:
        findings = {name: found for name, found in findings.items() if found.cost == best}
    return Result(states, transitions, depth, clock.seconds, findings, counting.coverage, limit, finals)
