"""The fast explorer, unreduced, says exactly what the plain one says."""

import pytest
from hypothesis import HealthCheck, given, settings

from checker.explore import explore as plain
from checker.fast import Options, explore
from model.machine import Machine
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
