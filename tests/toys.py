"""Toy machines with every feature of the contract: shared budgets, faults, bugs, self-loops, dead ends, witnesses."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from hypothesis import strategies as st

from fencebench.checker.search.result import Result
from fencebench.model.machine import (
    REFUSED,
    Action,
    Event,
    Machine,
    Progress,
    Property,
    Refused,
    SharedStep,
    State,
    Step,
    Unit,
    Witness,
    tabled,
)


class Purse(NamedTuple):
    left: int
    struck: int
    spent: int = 0


def allow_purse(purse: Purse, effect: Any) -> Purse | Refused:
    kind, amount = effect
    if kind == "fault":
        return purse._replace(struck=purse.struck + 1) if purse.struck < amount else REFUSED
    if kind == "pay":
        return purse._replace(left=purse.left - amount, spent=purse.spent + amount) if purse.left >= amount else REFUSED
    if kind == "broke":
        return purse if purse.left < amount else REFUSED
    return REFUSED


def counter_actions(top: int, faults: int) -> tuple[Action, ...]:
    """What a counter does: tick for a coin, slip or jump by a fault, sulk when there is no coin."""

    def tick(count: int) -> Iterator[Step]:
        if count < top:
            yield Step(Event("tick", outcome="applied"), (("count", count + 1),), ("pay", 1))
            yield Step(Event("tick", outcome="OVER", rule="purse.empty"), (("mood", "stuck"),), ("broke", 1))

    def slip(count: int, mood: str) -> Iterator[Step]:
        if count and mood != "stuck":
            yield Step(Event("slip", fault="slip"), (("count", count - 1),), ("fault", faults))
            yield Step(Event("jump", fault="jump", behind=("purse.empty",)), (("count", count + 2),), ("fault", faults))

    def sulk(mood: str) -> Iterator[Step]:
        if mood == "stuck":
            yield Step(Event("sulk"))
            yield Step(Event("cheer"), (("mood", "fine"),), ("pay", 0))

    return tabled("tick", ("count",), tick), tabled("slip", ("count", "mood"), slip), tabled("sulk", ("mood",), sulk)


def refill(purse: Purse) -> Iterator[SharedStep]:
    """An empty purse gets a coin once a fault has struck."""
    if purse.left == 0 and purse.struck:
        yield SharedStep(Event("refill"), purse._replace(left=1))


def counters(units: int = 2, top: int = 3, budget: int = 4, faults: int = 1) -> Machine:
    """Counters that pay for each tick from one purse; a fault sets a counter back or doubles it."""
    return Machine(
        parts=("count", "mood"),
        initial=State(Purse(budget, 0), ((0, "fine"),) * units),
        actions=counter_actions(top, faults),
        allow=allow_purse,
        faults=lambda purse: purse.struck,
        shared_actions=(refill,),
        properties=(
            Property("below_top", ("count",), lambda count: f"{count} is above" if count > top else None),
            Property("never_falls", ("count", "after_count"), lambda a, b: f"{a} to {b}" if b < a else None),
            Property("no_jump", ("event",), lambda event: "jumped" if event.action == "jump" else None),
            Property("thrift", ("shared",), lambda purse: f"spent {purse.spent}" if purse.spent > budget else None),
            Property(
                "no_gift",
                ("event", "shared", "after_shared"),
                lambda event, a, b: f"{event.action}: {a.left} to {b.left}" if b.left > a.left else None,
            ),
            Property(
                "pays_while_fine",
                ("mood", "after_shared", "event"),
                lambda mood, b, event: f"{event.action} at {b.left}" if mood == "stuck" and b.left == 1 else None,
            ),
            Property(
                "ends_at_top",
                ("units", "shared"),
                lambda units, purse: f"{sorted(units)}, {purse.left}" if any(u[0] < top for u in units) else None,
            ),
        ),
        witnesses=(
            Witness("stuck", ("mood",), lambda mood: mood == "stuck"),
            Witness("poor", ("shared",), lambda purse: purse.left == 0),
            Witness("never", ("count",), lambda count: count > top + 7),
            Witness("cheered", ("mood", "after_mood"), lambda a, b: (a, b) == ("stuck", "fine")),
            Witness("refilled", ("event",), lambda event: event.action == "refill"),
            Witness("last_coin", ("after_shared", "count"), lambda b, count: b.left == 0 and count == 1),
        ),
    )


class Door(NamedTuple):
    holder: int
    crashes: int


def allow_door(door: Door, effect: Any, bug: bool) -> Door | Refused:
    if effect == "crash":
        return Door(0 if bug else door.holder, door.crashes + 1) if door.crashes < 2 else REFUSED
    if effect == "take":
        return REFUSED if door.holder else door._replace(holder=1)
    if effect == "taken":
        return door if door.holder else REFUSED
    return door._replace(holder=0)


def move_through(place: str, memory: bool) -> Iterator[Step]:
    if place == "out":
        yield Step(Event("take", outcome="applied"), (("place", "in"), ("memory", True)), "take")
        yield Step(Event("take", outcome="refused", rule="lock.held"), (), "taken")
    if place == "in":
        yield Step(Event("leave"), (("place", "done"),), "release")
        yield Step(Event("crash", fault="crash"), (("place", "down"),), "crash")
    if place == "down" and memory:
        yield Step(Event("resume"), (("place", "in"),))
        yield Step(Event("forget"), (("memory", False),))


def lock(units: int = 2, bug: bool = True) -> Machine:
    """A lock that, with the bug, is handed over when its holder crashes and yet comes back."""
    return Machine(
        parts=("place", "memory"),
        initial=State(Door(0, 0), (("out", False),) * units),
        actions=(tabled("move", ("place", "memory"), move_through),),
        allow=partial(allow_door, bug=bug),
        faults=lambda door: door.crashes,
        properties=(
            Property(
                "held_while_in",
                ("after_place", "after_shared"),
                lambda place, door: "in without the lock" if place == "in" and door.holder == 0 else None,
            ),
            Property("all_done", ("units",), lambda units: None if all(u[0] == "done" for u in units) else "not done"),
        ),
        witnesses=(Witness("down", ("place",), lambda place: place == "down"),),
    )


def ladder(length: int = 5, wide: int = 40) -> Machine:
    """One unit that climbs: many part values, few shared ones."""

    def climb(rung: int, side: int) -> Iterator[Step]:
        if rung < length:
            for k in range(3):
                yield Step(Event("climb", label=str(k)), (("rung", rung + 1), ("side", (side * 3 + k) % wide)))

    return Machine(
        parts=("rung", "side", "idle"),
        initial=State((0,), ((0, 0, None),)),
        actions=(tabled("climb", ("rung", "side"), climb),),
        allow=lambda shared, effect: REFUSED,
        faults=lambda shared: 0,
        properties=(Property("low", ("rung", "side"), lambda r, s: f"{r}, {s}" if r == length and s == 7 else None),),
    )


def detour() -> Machine:
    """Two ways to one bad event: the first in order costs a fault, and so does the first way to take it."""

    def walk(at: int) -> Iterator[Step]:
        if at == 0:
            yield Step(Event("go"), (("at", 1),))
            yield Step(Event("go"), (("at", 2),))
        if at == 1:
            yield Step(Event("bad"), (("at", 3),), ("fault", 1))
        if at == 2:
            yield Step(Event("bad"), (("at", 4),), ("fault", 1))
            yield Step(Event("bad"), (("at", 5),))

    return Machine(
        parts=("at",),
        initial=State(Purse(0, 0), ((0,),)),
        actions=(tabled("walk", ("at",), walk),),
        allow=allow_purse,
        faults=lambda purse: purse.struck,
        properties=(Property("never_bad", ("event",), lambda event: "bad" if event.action == "bad" else None),),
    )


def swamp() -> Machine:
    """A walker who has to arrive and can sink, also by a fault; only another fault helps out again."""

    def walk(at: str) -> Iterator[Step]:
        if at == "edge":
            yield Step(Event("fall", fault="fall"), (("at", "sunk"),), ("fault", 2))
            yield Step(Event("walk"), (("at", "path"),))
        if at == "path":
            yield Step(Event("arrive"), (("at", "home"),), ("pay", 1))
            yield Step(Event("sink"), (("at", "sunk"),))
        if at == "sunk":
            yield Step(Event("rescue", fault="rescue"), (("at", "path"),), ("fault", 2))

    return Machine(
        parts=("at",),
        initial=State(Purse(1, 0), (("edge",),)),
        actions=(tabled("walk", ("at",), walk),),
        allow=allow_purse,
        faults=lambda purse: purse.struck,
        progress=Progress("dry", lambda purse: purse.spent == 1, lambda unit: unit[0], lambda purse, _: purse.left > 0),
    )


@st.composite
def machines(draw: st.DrawFn, units: int | None = None) -> Machine:
    """A random small system of two parts a unit, a budget of faults and a budget of effects."""
    size = draw(st.integers(2, 3))
    values = st.integers(0, size - 1)
    effects = st.sampled_from([None, None, ("pay", 1), ("broke", 1), ("fault", 2), ("fault", 1)])
    step = st.tuples(st.integers(0, 5), st.none() | values, st.none() | values, effects)
    table = st.dictionaries(st.tuples(values, values), st.lists(step, max_size=3), max_size=size * size)
    both, single = draw(table), draw(st.dictionaries(values, st.lists(step, max_size=2), max_size=size))
    refills = draw(st.dictionaries(st.integers(0, 2), st.lists(st.integers(0, 2), max_size=2), max_size=2))
    names = draw(st.lists(st.sampled_from("pq"), min_size=8, max_size=8) | st.none())
    bad = draw(st.tuples(values, values, st.integers(0, 5), st.integers(0, 2), st.integers(0, 2)))
    starts = draw(st.lists(st.tuples(values, values), min_size=units or 1, max_size=units or 3))
    budget = draw(st.integers(0, 3))

    def made(a: int | None, b: int | None, name: int, effect: tuple[str, int] | None) -> Step:
        changes = tuple((part, value) for part, value in (("a", a), ("b", b)) if value is not None)
        fault = "fault" if effect and effect[0] == "fault" else ""
        return Step(Event(f"e{name}", outcome=str(name % 2), fault=fault), changes, effect)

    def first(a: int, b: int) -> list[Step]:
        return [made(x, y, name, effect) for name, x, y, effect in both.get((a, b), [])]

    def second(b: int) -> list[Step]:
        return [made(x, y, name, effect) for name, x, y, effect in single.get(b, [])]

    def own(purse: Purse) -> list[SharedStep]:
        return [SharedStep(Event("own"), purse._replace(left=left)) for left in refills.get(purse.left, [])]

    return Machine(
        parts=("a", "b"),
        initial=State(Purse(budget, 0), tuple(starts)),
        actions=(tabled("first", ("a", "b"), first), tabled("second", ("b",), second)),
        allow=lambda purse, effect: capped(allow_purse(purse, effect)),
        faults=lambda purse: purse.struck,
        shared_actions=(own,),
        properties=renamed(random_properties(bad), names),
        witnesses=random_witnesses(bad),
    )


def capped(purse: Purse | Refused) -> Purse | Refused:
    """Forget what was spent, so that the machine stays finite."""
    return purse if purse is REFUSED else purse._replace(spent=0)


def said(*values: object) -> str:
    return ", ".join(map(str, values))


def renamed(properties: tuple[Property, ...], names: list[str] | None) -> tuple[Property, ...]:
    """Give several properties one name, or leave them as they are."""
    return tuple(replace(p, name=n) for p, n in zip(properties, names, strict=True)) if names else properties


def random_properties(bad: tuple[int, int, int, int, int]) -> tuple[Property, ...]:
    a, b, name, left, struck = bad
    event = f"e{name}"

    def final(units: tuple[Unit, ...], purse: Purse) -> str | None:
        return said(sorted(units), purse) if (a, b) in units or purse.struck == struck else None

    return (
        Property("unit", ("a", "b"), lambda x, y: said(x, y) if (x, y) == (a, b) else None),
        Property("shared", ("shared",), lambda s: said(s) if (s.left, s.struck) == (left, struck) else None),
        Property("move", ("a", "after_b", "event"), lambda x, y, e: said(x, y, e) if x == y == b else None),
        Property("event", ("event",), lambda e: e.action if e.action == event else None),
        Property("passage", ("shared", "after_shared"), lambda s, t: said(s, t) if t.left > s.left else None),
        Property(
            "told", ("event", "after_shared"), lambda e, t: said(e) if t.left == left and "1" in e.action else None
        ),
        Property(
            "mixed", ("shared", "after_a", "b"), lambda s, x, y: said(s) if (s.left, x, y) == (left, a, b) else None
        ),
        Property("final", ("units", "shared"), final),
    )


def random_witnesses(bad: tuple[int, int, int, int, int]) -> tuple[Witness, ...]:
    a, b, name, left, struck = bad
    return (
        Witness("w_shared", ("shared",), lambda s: (s.left, s.struck) == (left, struck)),
        Witness("w_event", ("event",), lambda e: e.action == f"e{name}"),
        Witness("w_move", ("a", "after_a"), lambda x, y: (x, y) == (a, b)),
        Witness("w_mixed", ("after_b", "after_shared"), lambda y, s: (y, s.struck) == (b, struck)),
    )


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
    "detour": detour(),
}
