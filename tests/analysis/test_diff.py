import json
from dataclasses import replace

import pytest

from fencebench.checker.analysis.bounds import asked
from fencebench.checker.analysis.diff import compare
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.analysis.variants import named_variant, strategy_changes, values_of
from fencebench.checker.cli.main import main
from fencebench.checker.errors import BadInput
from fencebench.checker.search.limits import Limits
from fencebench.checker.search.lockstep import lockstep
from fencebench.checker.search.uniform_cost import cheapest_first
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import Machine
from fencebench.model.settings import FAULTS, Bound

CALM = Bound(faults=0, spare_attempts=1)
ONE = Bound(faults=1, spare_attempts=1)
STALL = {"shards": 1, "epochs": 1, "faults": 1, "ceiling": 1850, **{f: int(f == "stall") for f in FAULTS}}
SMALL = asked(STALL, None)


def called(name: str) -> Fence:
    fence = named_variant(name, find_fence)
    assert fence is not None
    return fence


def machine(fence: Fence, bound: Bound = ONE) -> Machine:
    return build(fence, bound)


def test_the_cheapest_way_has_fewest_faults_then_fewest_steps() -> None:
    ways = {0: [("a", 10), ("b", 1)], 1: [("c", 2)], 2: [("d", 3)], 10: [("e", 3)], 3: []}
    found = {w.place: w for w in cheapest_first(0, lambda n: ways[n], lambda n: int(n >= 10))}
    assert {place: way.cost for place, way in found.items()} == {0: (0, 0), 1: (0, 1), 2: (0, 2), 3: (0, 3), 10: (1, 1)}
    assert found[3].moves() == ("b", "c", "d")


def test_a_fence_never_differs_from_itself() -> None:
    found = lockstep(machine(REFERENCE), machine(REFERENCE), Limits())
    assert (found.difference, found.limit) == (None, None)


def test_a_rule_that_never_answers_makes_no_difference() -> None:
    assert lockstep(machine(REFERENCE), machine(REFERENCE.without("put.conflict")), Limits()).difference is None


def test_the_answers_that_differ_are_named_with_their_rules() -> None:
    found = lockstep(machine(REFERENCE), machine(REFERENCE.without("put.lease_over")), Limits()).difference
    assert found is not None
    old, new = found.last
    assert old is not None
    assert new is not None
    assert (old.event.rule, old.event.outcome) == ("put.lease_over", "LEASE_EXPIRED")
    assert (new.event.rule, new.event.outcome) == ("", "created")
    assert found.faults == 1
    assert found.steps == len(found.run)


def test_all_moves_before_the_last_have_the_same_answers() -> None:
    found = lockstep(machine(REFERENCE), machine(REFERENCE.without("commit.lease_over")), Limits()).difference
    assert found is not None
    for old, new in found.run[:-1]:
        assert old is None or new is None or old.event.outcome == new.event.outcome


def test_no_run_is_shorter_in_either_direction() -> None:
    other = REFERENCE.without("put.stale_epoch", "put.lease_over")
    both = (REFERENCE, other), (other, REFERENCE)
    there, back = (lockstep(machine(a), machine(b), Limits()).difference for a, b in both)
    assert there is not None
    assert back is not None
    assert there.cost == back.cost


def test_a_step_that_only_one_fence_has_is_not_a_difference_by_itself() -> None:
    """Without faults a worker that looks at its lease before it writes does the same as one that does not."""
    unlooking = replace(REFERENCE, write=())
    assert lockstep(machine(REFERENCE, CALM), machine(unlooking, CALM), Limits()).difference is None
    assert lockstep(machine(REFERENCE), machine(unlooking), Limits()).difference is not None


def test_a_limit_is_told() -> None:
    found = lockstep(machine(REFERENCE), machine(REFERENCE), Limits(max_states=5))
    assert (str(found.limit), found.states) == ("5 states", 5)


def test_promises_are_lost_one_way_and_won_the_other() -> None:
    weak = called("reference-without-put.lease_over")
    lost, won = compare(REFERENCE, weak, SMALL, Limits()), compare(weak, REFERENCE, SMALL, Limits())
    assert (lost.lost, lost.won, lost.exit) == (("lease_gates_writes",), (), 1)
    assert (won.lost, won.won, won.exit) == ((), ("lease_gates_writes",), 0)


def test_a_limit_leaves_open_what_is_lost() -> None:
    assert compare(REFERENCE, REFERENCE, SMALL, Limits(max_states=10)).exit == 3


@pytest.mark.parametrize(
    ("name", "rules", "strategies"),
    [
        ("REFERENCE-without-stale_epoch", ("put.stale_epoch", "commit.stale_epoch", "reserve.stale_epoch"), {}),
        ("reference-without-put.stale_epoch-commit.sealed", ("put.stale_epoch", "commit.sealed"), {}),
        ("reference-with-sealing=a_step_later", (), {"sealing": "a step later"}),
        ("reference-without-sealed-with-model=floating", ("commit.sealed", "reserve.sealed"), {"model": "floating"}),
    ],
)
def test_a_name_says_how_a_variant_is_made(name: str, rules: tuple[str, ...], strategies: dict[str, str]) -> None:
    fence = called(name)
    assert {full for full, _ in REFERENCE.rules()} - {full for full, _ in fence.rules()} == set(rules)
    assert fence.strategies() == {**REFERENCE.strategies(), **strategies}
    assert called(fence.name) == fence


def test_every_strategy_change_of_every_fence_has_a_name() -> None:
    for fence in FENCES.values():
        for change in strategy_changes(fence):
            field, _, value = change.partition("=")
            assert value in values_of(field)
            assert called(f"{fence.name}-with-{change.replace(' ', '_')}").strategies()[field] == value


def test_a_plain_name_is_no_variant() -> None:
    assert named_variant("reference", find_fence) is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("reference-without-nothing", "no rule nothing"),
        ("reference-with-seal=x", "did you mean sealing"),
        ("reference-with-sealing=x", "expected one of with commit, a step later"),
        ("referense-without-sealed", "did you mean reference"),
    ],
)
def test_a_name_that_cannot_be_made_is_bad_input(name: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        named_variant(name, find_fence)


def test_the_command_prints_what_is_lost(capsys: pytest.CaptureFixture[str]) -> None:
    bound = [word for name, value in STALL.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    assert main(["diff", "reference", "reference-without-put.lease_over", "--format", "json", *bound]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["lost"] == ["lease_gates_writes"]
    assert told["difference"]["old"] == {"asked": "put artifact", "outcome": "LEASE_EXPIRED", "rule": "put.lease_over"}
    assert told["difference"]["new"] == {"asked": "put artifact", "outcome": "created", "rule": ""}
    assert len(told["difference"]["trace"]) == told["difference"]["steps"]


def test_the_command_prints_that_nothing_differs(capsys: pytest.CaptureFixture[str]) -> None:
    bound = ["--shards", "1", "--faults", "0", "--ceiling", "1850"]
    assert main(["diff", "reference", "reference-without-put.stale_epoch", *bound]) == 0
    told = capsys.readouterr().out
    assert told.startswith("KEPT")
    assert "no request is answered differently" in told
