"""What a search counts is what happens: every step of every reachable state, once, under each of its aspects."""

from collections import Counter
from types import MappingProxyType

import pytest

from fencebench.checker.fast.explore import explore as fast
from fencebench.checker.search.explore import explore as plain
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.machine import Event, Machine
from fencebench.model.settings import FAULTS, Bound

FEW = MappingProxyType({fault: int(fault in ("preempt", "redeliver", "duplicate")) for fault in FAULTS})
ENGINES = {"plain": plain, "fast": fast}


def events(machine: Machine) -> Counter[Event]:
    """Count the events of all steps by hand: a set of states, and no order."""
    reached, waiting, seen = {machine.initial}, [machine.initial], Counter[Event]()
    while waiting:
        for step in machine.successors(waiting.pop()):
            seen[step.event] += 1
            if step.after not in reached:
                reached.add(step.after)
                waiting.append(step.after)
    return seen


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["reference", "spend-sketch"])
def test_every_aspect_of_every_step_is_counted(name: str, engine: str) -> None:
    machine = build(FENCES[name], Bound(faults=1, caps=FEW))
    found, counted = ENGINES[engine](machine).coverage, events(machine)
    for aspect in ("action", "fault", "outcome", "rule"):
        by_hand = Counter[str]()
        for event, times in counted.items():
            by_hand[getattr(event, aspect)] += times
        assert getattr(found, f"{aspect}s") == by_hand
    for event, times in counted.items():
        for rule in event.behind:
            assert found.behind[rule][event.rule] >= times
