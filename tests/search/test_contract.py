"""A machine that breaks the contract is told so in one line, the same by every engine; None is a shared part."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from fencebench.checker.fast import Options, explore
from fencebench.checker.reduce.explore import explore as reduced
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.result import Result
from fencebench.checker.walk.tables import WalkTables
from fencebench.checker.walk.walker import Walker
from fencebench.model.machine import (
    REFUSED,
    BadMachine,
    Event,
    Machine,
    Property,
    SharedStep,
    State,
    Step,
    Witness,
    tabled,
)
from tests.reduce.test_small_units import with_shares
from tests.toys import told


def walked(machine: Machine) -> set[str]:
    walker = Walker(WalkTables(machine, ()))
    while steps := [option for rule in walker.tables.ordinary for option in walker.options(rule)]:
        walker.take(steps[0])
    return {*walker.broken}


LIST: Any = []
Wrong: Any = Step
"""What cannot be hashed."""

ENGINES: dict[str, Callable[[Machine], Any]] = {
    "plain": plain,
    "small": lambda machine: explore(machine, options=Options(symmetry=False)),
    "large": lambda machine: explore(machine, options=Options(symmetry=False, small_states=0)),
    "walk": walked,
}


def climber(shared: Any = None, step: Callable[[int], Any] | None = None, **changes: Any) -> Machine:
    """Climbs three steps, and breaks a promise at the third."""

    def climb(count: int) -> Iterator[Any]:
        if count < 3:
            yield step(count) if step and count == 1 else Step(Event("climb"), (("count", count + 1),), "go")

    machine: Machine = Machine(
        parts=("count",),
        initial=State(shared, ((0,),)),
        actions=(tabled("climb", ("count",), climb),),
        allow=lambda shared, effect: shared if effect == "go" else REFUSED,
        faults=lambda shared: 0,
        properties=(Property("low", ("count",), lambda count: f"{count} is high" if count == 3 else None),),
    )
    return replace(machine, **changes)


@pytest.mark.parametrize("engine", ["small", "large"])
def test_a_shared_part_that_is_none_is_a_shared_part(engine: str) -> None:
    expected: Result = plain(climber())
    assert (expected.states, expected.findings["low"].steps) == (4, 3)
    assert told(ENGINES[engine](climber())) == told(expected)


def test_a_walk_and_small_units_take_none_for_a_shared_part() -> None:
    assert walked(climber()) == {"low"}
    alone = with_shares(climber())
    nothing = replace(alone.machine, allow=lambda known, effect: known)
    split = alone.splits[0]._replace(shared=None)
    found = reduced(climber(), replace(alone, machine=nothing, splits=(split,)), lambda m, limits, watch: plain(m))
    assert found.findings["low"].steps == 3


def test_a_shared_part_that_becomes_none_and_back_is_followed() -> None:
    def flip(shared: int | None) -> Iterator[SharedStep]:
        yield SharedStep(Event("flip"), 1 if shared is None else None)

    machine = climber(shared_actions=(flip,), allow=lambda shared, effect: REFUSED if shared else shared)
    expected: Result = plain(machine)
    assert expected.states == 8
    assert [told(ENGINES[name](machine)) for name in ("small", "large")] == [told(expected)] * 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("step", "said"),
    [
        (lambda n: Step(Event("climb"), (("height", 2),)), "a step changes 'height'; expected one of count"),
        (lambda n: Step(Event("climb"), (("count", LIST),)), "count becomes [], which is not hashable"),
        (lambda n: Step(Event("climb"), (("count", (2, LIST)),)), "count becomes (2, []), which is not hashable"),
        (lambda n: Step(Event("climb"), (("count", 2),), LIST), "the effect [], which is not hashable"),
        (lambda n: Wrong(Event("climb"), ("count", 2)), "expected pairs of a part's name and its new value"),
        (lambda n: Wrong(Event("climb"), {"count": 2}), "expected pairs of a part's name and its new value"),
        (lambda n: Wrong("climb"), "the event of a step is 'climb'; expected an Event"),
        (lambda n: Step(Event("climb", message=LIST)), "expected an Event of hashable values"),
        (lambda n: Event("climb"), "it yields Event(action='climb'"),
        (lambda n: None, "it yields None; expected a Step"),
        (lambda n: State(0, ()), "expected a Step"),
    ],
)
def test_a_step_that_is_none_names_action_and_state(engine: str, step: Callable[[int], Any], said: str) -> None:
    with pytest.raises(BadMachine) as raised:
        ENGINES[engine](climber(0, step))
    assert str(raised.value).startswith("action climb at count=1: ")
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("answers", "said"), [(None, "it yields None"), (Event("x"), r"it yields Event\("), ([1], "it yields 1")]
)
def test_an_action_that_returns_something_else_than_steps_is_named(engine: str, answers: Any, said: str) -> None:
    wrong = tabled("climb", ("count",), lambda count: answers)
    with pytest.raises(BadMachine, match=f"action climb at count=0: {said}"):
        ENGINES[engine](climber(0, actions=(wrong,)))


@pytest.mark.parametrize("engine", ENGINES)
def test_a_shared_part_that_cannot_be_told_apart_is_named(engine: str) -> None:
    with pytest.raises(BadMachine, match=r"effect 'go' at shared=0: shared becomes \[\], which is not hashable"):
        ENGINES[engine](climber(0, allow=lambda shared, effect: []))
    wrong = climber(0, shared_actions=(lambda shared: [SharedStep(Event("own"), [])],))
    with pytest.raises(BadMachine, match=r"action .*lambda.* at shared=0: shared becomes \[\]"):
        ENGINES[engine](wrong)
    stepping = climber(0, shared_actions=(lambda shared: [Step(Event("own"))],))
    with pytest.raises(BadMachine, match=r"at shared=0: it yields Step.*; expected a SharedStep"):
        ENGINES[engine](stepping)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_promise_that_answers_with_a_truth_value_is_named(engine: str) -> None:
    machine = climber(properties=(Property("low", ("count",), lambda count: count == 3),))
    with pytest.raises(BadMachine, match="promise low answers False; expected why it is broken, or None"):
        ENGINES[engine](machine)


def nothing(*_: Any) -> None:
    """Keep a promise."""


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"actions": (tabled("climb", ("height",), nothing),)}, "action climb reads 'height'; expected some of count"),  # type: ignore[arg-type]
        ({"properties": (Property("p", ("after_height",), nothing),)}, "promise p reads 'after_height'"),
        ({"properties": (Property("p", ("units", "count"), nothing),)}, "promise p reads 'count'; expected some of s"),
        ({"properties": (Property("p", (), nothing),)}, "promise p reads nothing"),
        ({"witnesses": (Witness("w", ("shard",), bool),)}, "witness w reads 'shard'"),
        ({"parts": ("shared",)}, "a part cannot be called shared"),
        ({"parts": ("after_count",)}, "a part cannot be called after_count"),
        ({"parts": ("count", "count")}, "two parts are called count"),
        ({"initial": State(0, ((0, 1),))}, "unit 0 begins with 2 parts; expected 1: count"),
        ({"initial": State(0, ((LIST,),))}, "unit 0 begins wrong: count becomes []"),
        ({"initial": State([], ((0,),))}, "the initial state: shared becomes []"),
    ],
)
def test_a_machine_checks_itself_when_it_is_made(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(BadMachine) as raised:
        climber(0, **changes)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("engine", ["plain", "small", "large"])
def test_a_witness_of_all_units_is_looked_for_in_final_states(engine: str) -> None:
    early = Witness("early", ("units",), lambda units: units[0][0] == 1)
    last = Witness("last", ("units",), lambda units: units[0][0] == 3)
    assert ENGINES[engine](climber(0, witnesses=(early, last))).coverage.witnesses == {"last"}
