"""Two explorers that share no search code agree on every catalogued fence: counts, verdict, stories to the letter."""

import pytest

from fencebench.checker.analysis.engines import explore_plain
from fencebench.checker.fast.explore import Options
from fencebench.checker.fast.explore import explore as fast
from fencebench.checker.search.limits import Limits
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.settings import FAULTS, Bound
from tests.quick import thorough_but


@pytest.mark.parametrize("name", thorough_but(FENCES, "spend-sketch", "worker-clock", "reference"))
def test_the_explorers_agree(name: str) -> None:
    machine = build(FENCES[name], Bound(faults=1))
    one, other = explore_plain(machine, Limits(), lambda *_: None), fast(machine)
    assert (one.states, one.transitions, one.depth, one.finals) == (
        other.states,
        other.transitions,
        other.depth,
        other.finals,
    )
    assert one.findings == other.findings
    assert one.coverage == other.coverage


def test_symmetry_leaves_verdict_and_stories_alone() -> None:
    machine = build(
        FENCES["spend-sketch"], Bound(shards=2, faults=1, caps={fault: int(fault == "stall") for fault in FAULTS})
    )
    whole, reduced = fast(machine, options=Options(symmetry=False)), fast(machine)
    assert {n: f.trace for n, f in whole.findings.items()} == {n: f.trace for n, f in reduced.findings.items()}
    assert whole.findings
    assert reduced.states < whole.states
