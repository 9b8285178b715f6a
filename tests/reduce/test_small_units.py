"""Random machines and the catalogued fences say the same with their units made small."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from fencebench.checker.fast import explore as fast
from fencebench.checker.reduce.explore import explore
from fencebench.checker.reduce.system import system
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.replay import broken_on_the_way
from fencebench.checker.search.result import Result
from fencebench.model.budget_split import local_view, partitions
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.local_view import LocalView, Split
from fencebench.model.machine import REFUSED, Machine, Refused, State
from fencebench.model.settings import FAULTS, Bound, Settings
from tests.quick import thorough_but
from tests.toys import counters, machines

MOST = 2
"""Faults that a toy's purse allows."""


def with_shares(machine: Machine) -> LocalView:
    """Return one unit of a toy with a purse, which knows how many faults may still strike it."""
    kinds = [split for total in (MOST,) for split in partitions(total, len(machine.initial.units))]

    def allow(left: int, effect: Any) -> int | Refused:
        if effect[0] != "fault":
            return left
        return left - 1 if left else REFUSED

    alone = replace(
        machine,
        initial=State(MOST, machine.initial.units[:1]),
        allow=allow,
        faults=lambda left: 0,
        shared_actions=(),
        properties=tuple(p for p in machine.properties if not {"shared", "after_shared", "units"} & {*p.reads}),
        witnesses=(),
    )
    return LocalView(
        alone,
        shows=lambda left, effect, must_show: effect,
        phase=lambda left: 0,
        either=lambda one, other: False,
        observable=lambda event, effect: True,
        allow=machine.allow,
        splits=tuple(Split(machine.initial.shared, known) for known in kinds),
        forgets=lambda shared: shared,
    )


def observing_nothing(machine: Machine) -> LocalView:
    """Return one unit of a toy whose promises on the shared part hear no event."""
    settled = tuple(p for p in machine.properties if not {"event", "shared"} <= {*p.reads} and p.reads[0] != "event")
    return replace(with_shares(replace(machine, properties=settled)), observable=lambda event, effect: False)


def agree(machine: Machine, reduced: Result, full: Result) -> None:
    """See that the same promises are broken by as few faults, in runs that the whole machine has."""
    expected = {name: f.faults for name, f in full.findings.items() if name not in reduced.unjudged}
    judged = {name: f.faults for name, f in reduced.findings.items() if name not in reduced.unjudged}
    assert judged == expected
    for name, found in reduced.findings.items():
        assert found.steps == len(found.trace) >= full.findings[name].steps
        before = machine.initial
        for step in found.trace:
            assert step in machine.successors(before)
            before = step.after
        assert not found.trace or (name, found.why) in {*broken_on_the_way(machine, list(found.trace))}
        assert machine.faults(before.shared) == found.faults


def alike(machine: Machine) -> Machine:
    """Return the machine with units that begin alike, and no two promises of one name."""
    units = machine.initial.units
    named = {p.name: p for p in machine.properties if "units" not in p.reads}
    return replace(
        machine, initial=machine.initial._replace(units=units[:1] * len(units)), properties=(*named.values(),)
    )


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machines())
def test_random_machines_agree(machine: Machine) -> None:
    machine = alike(machine)
    agree(machine, explore(machine, with_shares(machine), plain), plain(machine))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(machines())
def test_random_machines_with_hidden_steps_agree(machine: Machine) -> None:
    machine = alike(machine)
    silent = observing_nothing(machine)
    fault_free = replace(
        machine, properties=tuple(p for p in machine.properties if "event" not in p.reads or p in own(silent))
    )
    agree(fault_free, explore(fault_free, silent, plain), plain(fault_free))


def own(alone: LocalView) -> tuple[Any, ...]:
    return alone.machine.properties


@pytest.mark.parametrize("machine", [counters(), counters(3, 2, 5), counters(2, 3, 4, 2)])
def test_toys_agree(machine: Machine) -> None:
    agree(machine, explore(machine, with_shares(machine), plain), plain(machine))


CASES = [(name, 1, 1) for name in FENCES] + [("liveness-gated", 2, 1), ("truncating", 2, 1)]


@pytest.mark.parametrize(
    ("name", "shards", "faults"),
    thorough_but(CASES, ("reference", 1, 1), ("provenance-sketch-d", 1, 1), ("charge-on-commit", 1, 1)),
)
def test_fences_agree(name: str, shards: int, faults: int) -> None:
    machine = build(FENCES[name], Bound(shards=shards, faults=faults), Settings())
    reduced = explore(machine, local_view(machine), fast)
    agree(machine, reduced, fast(machine))
    assert {"ends_well", "consumed_is_accepted", "can_finish"} <= {*reduced.unjudged}


def test_what_is_seen_presumes_its_era() -> None:
    alone = local_view(build(FENCES["reference"], Bound(faults=1), Settings()))
    seen = [label for label in system(alone, alone.starts).labels[1:] if label.common is None]
    assert {label.phase for label in seen} == {0, 1}
    assert [label for label in seen if getattr(label.effect, "incarnation", None) != label.phase] == []


def test_every_share_of_the_faults_is_tried() -> None:
    splits = local_view(build(FENCES["reference"], Bound(shards=3, faults=2), Settings())).splits
    shares = [(split.known[0].crashes, tuple(known.own for known in split.known)) for split in splits]
    assert shares == [(0, (2, 0, 0)), (0, (1, 1, 0)), (0, (1, 0, 0)), (1, (1, 0, 0)), (1, (0, 0, 0))]
    caps = [
        tuple(split.shared.limits.caps[FAULTS.index(f)] for f in ("crash_driver", "cut_allowance")) for split in splits
    ]
    assert caps == [(0, 0), (0, 0), (0, 1), (1, 0), (1, 1)]


FEW = {"preempt", "crash_driver", "cut_allowance", "flip_alias"}


@pytest.mark.parametrize("name", thorough_but(["provenance-sketch-d", "spend-sketch", "reference"], "reference"))
def test_fences_agree_with_two_faults_of_few_kinds(name: str) -> None:
    caps = {fault: int(fault in FEW) for fault in FAULTS} | {"crash_driver": 2}
    machine = build(FENCES[name], Bound(shards=1, faults=2, caps=caps), Settings())
    agree(machine, explore(machine, local_view(machine), fast), fast(machine))
