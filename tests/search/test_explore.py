"""The plain explorer on toy machines whose states, depths and stories are known by hand."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import pytest

from fencebench.checker.search.explore import explore
from fencebench.checker.search.limits import FIRST, Limits
from fencebench.checker.search.result import Verdict
from fencebench.model.machine import (
    REFUSED,
    Event,
    Machine,
    Property,
    Refused,
    SharedStep,
    State,
    Step,
    Witness,
    tabled,
)


class Budget(NamedTuple):
    left: int = 2
    struck: int = 0


def walk(place: int) -> Iterator[Step]:
    """One step right, up to 3; a fault jumps two."""
    if place < 3:
        yield Step(Event("walk", label=f"to {place + 1}"), (("place", place + 1),))
    if place < 2:
        yield Step(Event("jump", label=f"to {place + 2}", fault="jump"), (("place", place + 2),), "strike")


def strike(shared: Budget, effect: object) -> Budget | Refused:
    return Budget(shared.left - 1, shared.struck + 1) if shared.left else REFUSED


def walker(units: int = 1, budget: int = 2, **changes: object) -> Machine:
    machine = Machine(
        parts=("place",),
        initial=State(Budget(budget), ((0,),) * units),
        actions=(tabled("walk", ("place",), walk),),
        allow=strike,
        faults=lambda shared: shared.struck,
    )
    return replace(machine, **changes)  # type: ignore[arg-type]


def at(place: int, name: str = "never") -> Property:
    return Property(name, ("place",), lambda here: f"the walker is at {here}" if here == place else None)


def test_counts_of_a_line_without_faults() -> None:
    result = explore(walker(budget=0))
    assert (result.states, result.transitions, result.depth, result.finals) == (4, 3, 3, 1)
    assert result.verdict is Verdict.HOLDS


def test_counts_of_a_line_with_one_fault() -> None:
    # Without a fault 0, 1, 2, 3; with one 2, 3 (jumped from 0) and 3 (from 1, the same state): six states.
    result = explore(walker(budget=1))
    assert (result.states, result.transitions, result.depth) == (6, 6, 3)


def test_two_walkers_interleave() -> None:
    result = explore(walker(units=2, budget=0))
    assert (result.states, result.transitions, result.depth) == (16, 24, 6)


def test_fewest_faults_win_over_fewest_steps() -> None:
    result = explore(walker(properties=(at(2),)))
    finding = result.findings["never"]
    assert (finding.faults, finding.steps) == (0, 2)
    assert [t.event.label for t in finding.trace] == ["to 1", "to 2"]


def test_a_fault_is_used_where_nothing_else_leads_there() -> None:
    stuck = tabled("walk", ("place",), lambda place: (s for s in walk(place) if s.event.fault))
    result = explore(walker(actions=(stuck,), properties=(at(2),)))
    assert (result.findings["never"].faults, result.findings["never"].steps) == (1, 1)


def test_the_reason_says_which_value_failed() -> None:
    assert explore(walker(properties=(at(3),))).findings["never"].why == "the walker is at 3"


def test_a_step_property_sees_before_and_after() -> None:
    backwards = Property("grows", ("place", "after_place"), lambda a, b: f"{a} to {b}" if b - a > 1 else None)
    finding = explore(walker(properties=(backwards,))).findings["grows"]
    assert (finding.why, finding.faults, finding.steps) == ("0 to 2", 1, 1)


def test_a_final_property_is_asked_where_only_faults_are_left() -> None:
    asked: list[object] = []

    def ends(units: object) -> None:
        asked.append(units)

    explore(walker(budget=1, properties=(Property("ends", ("units",), ends),)))
    assert asked == [((3,),), ((3,),)]


def test_an_action_of_the_shared_part_is_explored() -> None:
    def refill(shared: Budget) -> Iterator[SharedStep]:
        if shared.left == 0 and shared.struck == 1:
            yield SharedStep(Event("refill"), Budget(1, 1))

    result = explore(walker(budget=1, shared_actions=(refill,)))
    assert result.coverage.actions["refill"] == 2  # from place 2 and from place 3
    assert result.coverage.actions["jump"] == 2


def test_witnesses_and_counts() -> None:
    seen = Witness("reached the end", ("place",), lambda place: place == 3)
    never = Witness("flew", ("place",), lambda place: place == 9)
    coverage = explore(walker(witnesses=(seen, never))).coverage
    assert coverage.witnesses == {"reached the end"}
    assert coverage.faults["jump"] == coverage.actions["jump"] > 0


def test_a_limit_is_no_pass() -> None:
    result = explore(walker(units=2), Limits(max_states=3))
    assert result.verdict is Verdict.UNDETERMINED
    assert str(result.limit) == "3 states"
    assert str(explore(walker(units=3), Limits(max_seconds=0.0)).limit) == "0 seconds"


def test_a_violation_outweighs_a_limit() -> None:
    assert explore(walker(properties=(at(0),)), Limits(max_states=1)).verdict is Verdict.VIOLATED


def test_stop_at_first_finds_the_cheapest_first() -> None:
    machine = walker(properties=(at(3, "late"), at(1, "early")))
    result = explore(machine, Limits(stop_at="first"))
    assert list(result.findings) == ["early"]
    assert result.limit == FIRST


def test_a_broken_model_names_the_action_and_what_it_read() -> None:
    def broken(place: int) -> Iterator[Step]:
        yield Step(Event(str(1 // (2 - place))), (("place", place + 1),))

    with pytest.raises(ZeroDivisionError) as caught:
        explore(walker(actions=(tabled("broken", ("place",), broken),)))
    assert caught.value.__notes__ == ["in action broken, reading {'place': 2}"]
