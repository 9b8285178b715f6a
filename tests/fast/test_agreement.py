"""The fast explorer, unreduced, says exactly what the plain one says."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fencebench.checker.fast import Options, explore
from fencebench.checker.search.explore import explore as plain
from fencebench.model.machine import Machine, Property, State, Witness
from tests.toys import TOYS, machines, told

SMALL = Options(symmetry=False)
LARGE = Options(symmetry=False, small_states=0)


@pytest.mark.parametrize("options", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("name", TOYS)
def test_toys_agree(name: str, options: Options) -> None:
    assert told(explore(TOYS[name], options=options)) == told(plain(TOYS[name]))


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machines())
def test_random_machines_agree(machine: Machine) -> None:
    expected = told(plain(machine))
    assert told(explore(machine, options=SMALL)) == expected
    assert told(explore(machine, options=LARGE)) == expected


def costs(machine: Machine) -> dict[State, tuple[int, int]]:
    """Return (faults, steps) of every reachable state."""
    steps, queue = {machine.initial: 0}, [machine.initial]
    for state in queue:
        for transition in machine.successors(state):
            if transition.after not in steps:
                steps[transition.after] = steps[state] + 1
                queue.append(transition.after)
    return {state: (machine.faults(state.shared), count) for state, count in steps.items()}


@pytest.mark.parametrize("options", [SMALL, LARGE, Options(), Options(small_states=0)], ids=repr)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machine=machines(), value=st.integers(0, 2), left=st.integers(0, 3))
def test_every_unit_of_a_state_is_asked(machine: Machine, value: int, left: int, options: Options) -> None:
    meeting = Property("meeting", ("a", "shared"), lambda a, s: f"{a} at {s}" if (a, s.left) == (value, left) else None)
    shown = Witness("shown", ("shared", "b"), lambda s, b: (b, s.left) == (value, left))
    alone = Witness("alone", ("b",), lambda b: b == value)
    asking = replace(machine, properties=(meeting,), witnesses=(shown, alone))
    states = costs(machine)
    bad = [cost for s, cost in states.items() if any((u[0], s.shared.left) == (value, left) for u in s.units)]
    seen = {
        "shown": any((u[1], s.shared.left) == (value, left) for s in states for u in s.units),
        "alone": any(u[1] == value for s in states for u in s.units),
    }
    result = explore(asking, options=options)
    assert [(f.faults, f.steps) for f in result.findings.values()] == ([min(bad)] if bad else [])
    assert all(f.why.startswith(f"{value} at") and len(f.trace) == f.steps for f in result.findings.values())
    assert result.coverage.witnesses == {name for name, was in seen.items() if was}
