"""The fast explorer, unreduced, says exactly what the plain one says."""

import pytest
from hypothesis import HealthCheck, given, settings
from tests.toys import counters, ladder, lock, machines

from checker.explore import explore as plain
from checker.fast import Options, explore
from checker.result import Result
from model.machine import Machine

SMALL = Options(symmetry=False)
LARGE = Options(symmetry=False, small_states=0)


def told(result: Result) -> dict[str, object]:
    return {
        "counts": (result.states, result.transitions, result.depth, result.finals),
        "verdict": (result.verdict, result.limit),
        "findings": dict(result.findings),
        "coverage": result.coverage,
    }


TOYS = {
    "counters": counters(),
    "one counter": counters(units=1, top=5, budget=3, faults=2),
    "three counters": counters(units=3, top=2, budget=5, faults=1),
    "rich counters": counters(budget=20, faults=3),
    "lock": lock(),
    "lock of three": lock(units=3),
    "sound lock": lock(bug=False),
    "ladder": ladder(),
}


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
