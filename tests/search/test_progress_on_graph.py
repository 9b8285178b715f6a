"""Progress on the state graph: the plain judgement and the two fast ones agree, story and all."""

import pytest

from fencebench.checker import fast
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.progress_graph import stuck
from fencebench.checker.search.result import Finding
from fencebench.model.build import build
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.settings import Bound
from tests.quick import thorough_but
from tests.toys import swamp

VARIANTS = {
    "reference": REFERENCE,
    "no go-on": REFERENCE.without("reserve.already_reserved"),
    "no revision at resume": REFERENCE.without("resume.other_revision"),
    "spend-sketch": FENCES["spend-sketch"],
    "token-level": FENCES["token-level"],
    "truncating": FENCES["truncating"],
}
FOUND = {"reference": None, "no revision at resume": (1, 5), "token-level": None}


def by_tables(name: str, bound: Bound, small_states: int, symmetry: bool = False) -> Finding | None:
    result = fast.explore(build(VARIANTS[name], bound), options=fast.Options(symmetry, small_states))
    assert result.progress
    return result.findings.get("can_finish")


def by_graph(name: str, bound: Bound) -> Finding | None:
    machine = build(VARIANTS[name], bound)
    assert machine.progress is not None
    return stuck(machine, machine.progress)


@pytest.mark.parametrize("spare", [0, 1])
@pytest.mark.parametrize("name", thorough_but(VARIANTS, "reference", "no go-on"))
def test_one_shard_with_one_fault(name: str, spare: int) -> None:
    bound = Bound(faults=1, spare_attempts=spare)
    found = by_graph(name, bound)
    assert by_tables(name, bound, 1 << 30) == by_tables(name, bound, 0) == found
    if spare and name in FOUND:
        assert (found and (found.faults, found.steps)) == FOUND[name]


def test_two_shards_without_a_fault() -> None:
    bound = Bound(shards=2, faults=0)
    assert by_graph("spend-sketch", bound) == by_tables("spend-sketch", bound, 0)
    assert by_tables("spend-sketch", bound, 0, True) == by_tables("spend-sketch", bound, 1 << 30, True)


@pytest.mark.parametrize("small_states", [0, 1 << 30])
def test_the_cheapest_hopeful_state_is_told(small_states: int) -> None:
    machine = swamp()
    found = fast.explore(machine, options=fast.Options(small_states=small_states)).findings["dry"]
    assert machine.progress is not None
    assert found == stuck(machine, machine.progress)
    assert (found.faults, [step.event.action for step in found.trace]) == (0, ["walk", "sink"])
    assert found.why == "the goal is out of reach from here: no step is left"


def test_a_search_that_was_cut_short_judges_no_progress() -> None:
    assert not fast.explore(build(REFERENCE, Bound(faults=1)), Limits(max_states=10)).progress
