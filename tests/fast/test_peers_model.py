"""The model that several checkers share has the states and transitions that they found, whichever way it is cut."""

import pytest

from benchmarks.peers_model import COUNTS, CUTS
from fencebench.checker.fast import Options, explore
from fencebench.checker.search.explore import explore as plain
from tests.quick import thorough_but
from tests.toys import told

SIZES = [(1, 1), (1, 2), (2, 1)]


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("size", thorough_but([(size,) for size in SIZES], ((1, 1),)))
def test_both_explorers_find_what_other_checkers_found(size: tuple[int, int], cut: str) -> None:
    machine = CUTS[cut](*size)
    expected = plain(machine)
    assert (expected.states, expected.transitions) == COUNTS[size]
    assert not expected.findings
    assert told(explore(machine, options=Options(symmetry=False))) == told(expected)
