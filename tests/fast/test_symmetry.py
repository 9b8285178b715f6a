"""Interchangeable units may be sorted: fewer states, the same verdicts, the same stories."""

from math import comb

import pytest
from hypothesis import HealthCheck, given, settings

from fencebench.checker.fast import Options, explore
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.result import Result
from fencebench.model.machine import Event, Machine, State, Step, tabled
from tests.toys import counters, lock, machines

UNREDUCED = Options(symmetry=False)
SMALL = Options()
LARGE = Options(small_states=0)


def said(result: Result) -> dict[str, object]:
    return {
        "verdict": (result.verdict, result.limit),
        "findings": dict(result.findings),
        "seen": (result.coverage.witnesses, set(result.coverage.actions), set(result.coverage.rules)),
    }


def dials(units: int, top: int) -> Machine:
    """Dials that turn freely: every combination is reached."""
    turn = tabled("turn", ("at",), lambda at: [Step(Event("turn"), (("at", at + 1),))] if at < top else [])
    initial = State(0, ((0,),) * units)
    return Machine(("at",), initial, (turn,), lambda shared, effect: None, lambda shared: 0)


@pytest.mark.parametrize("options", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("units", [1, 2, 3, 4])
def test_states_shrink_to_multisets(units: int, options: Options) -> None:
    machine = dials(units, 4)
    assert explore(machine, options=UNREDUCED).states == 5**units
    assert explore(machine, options=options).states == comb(5 + units - 1, units)


@pytest.mark.parametrize("options", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("machine", [counters(), counters(3, 2, 5), lock(3), lock(3, bug=False)])
def test_toys_give_the_same_answers_and_stories(machine: Machine, options: Options) -> None:
    reduced, full = explore(machine, options=options), plain(machine)
    assert said(reduced) == said(full)
    assert reduced.depth == full.depth
    assert reduced.states < full.states


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machines())
def test_random_machines_give_the_same_answers_and_stories(machine: Machine) -> None:
    expected = said(plain(machine))
    assert said(explore(machine, options=SMALL)) == expected
    assert said(explore(machine, options=LARGE)) == expected


def test_the_notes_say_that_units_were_sorted() -> None:
    assert explore(counters()).notes == ("symmetry of 2 units",)
    assert explore(counters(), options=UNREDUCED).notes == ()
    assert explore(counters(units=1)).notes == ()
