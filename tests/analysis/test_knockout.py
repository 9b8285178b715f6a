import json
from dataclasses import replace
from typing import Any

import pytest

from fencebench.checker.analysis.bounds import Asked, asked
from fencebench.checker.analysis.check import check
from fencebench.checker.analysis.diff import part
from fencebench.checker.analysis.knockout import Bench, Change, Knockout, Trial, change_of, knock_out, other_answer
from fencebench.checker.analysis.minimal import Breaking, minimal_fences
from fencebench.checker.analysis.roles import Role, matrix, roles
from fencebench.checker.analysis.variants import altered
from fencebench.checker.cli.main import main
from fencebench.checker.errors import BadInput
from fencebench.checker.search.limits import Limits, Stop, StopKind
from fencebench.model.fence import Fence
from fencebench.model.fences import REFERENCE
from fencebench.model.settings import FAULTS
from tests.quick import thorough


def only(*faults: str, **shape: int) -> Asked:
    """One shard, one epoch, one fault of these kinds: a knock-out takes seconds."""
    return asked({"shards": 1, "epochs": 1, "faults": 1, **shape, **{f: int(f in faults) for f in FAULTS}}, None)


TINY = only("stall", "redeliver", ceiling=1850)

SLIM = replace(
    REFERENCE,
    name="slim",
    resume=REFERENCE.resume[:1],
    put=tuple(r for r in REFERENCE.put if r.name in ("already_stored", "lease_over")),
    commit=tuple(
        r for r in REFERENCE.commit if r.name in ("already_committed", "lease_over", "not_drawn", "no_artifact")
    ),
)
"""A fence of few rules, for tests that try all of them."""


@pytest.fixture(scope="module")
def slim() -> Knockout:
    return knock_out(Bench(SLIM, TINY, Limits()), pairs=False, tell=lambda *_: None)


def test_every_rule_and_every_other_strategy_is_tried(slim: Knockout) -> None:
    tried = [trial.parts[0] for trial in slim.singles]
    assert tried[: len(SLIM.rules())] == [full for full, _ in SLIM.rules()]
    assert "sealing=a step later" in tried
    assert "sealing=with commit" not in tried
    assert len(set(tried)) == len(tried)


def test_a_trial_that_was_not_searched_is_what_a_search_finds(slim: Knockout) -> None:
    spared = [trial for trial in slim.singles if trial.like is not None]
    assert spared
    for trial in spared:
        found = check(altered(SLIM, *trial.parts), TINY, Limits())
        assert {name: (f.faults, f.steps) for name, (_, f) in found.findings.items()} == dict(trial.broken)
        assert [r.result.states for r in found.runs] == [r.result.states for r in check(SLIM, TINY, Limits()).runs]


@thorough
def test_several_searches_at_a_time_find_the_same(slim: Knockout) -> None:
    assert knock_out(Bench(SLIM, TINY, Limits(), jobs=2), pairs=False, tell=lambda *_: None) == slim


def test_a_rule_alone_at_its_boundary_is_always_searched(slim: Knockout) -> None:
    [resume] = [trial for trial in slim.singles if trial.parts == ("resume.lease_margin",)]
    assert resume.like is None


def test_a_search_that_hit_a_limit_spares_nothing() -> None:
    bench = Bench(SLIM, TINY, Limits(max_states=3))
    assert not bench.idle(bench.search(()), "put.already_stored")


def test_a_load_bearing_rule_names_what_it_bears(slim: Knockout) -> None:
    of = {role.part: role for role in roles(slim)}
    assert of["put.lease_over"].kind == "load-bearing"
    assert of["put.lease_over"].breaks == ("lease_gates_writes",)


def test_the_cells_are_those_of_check(slim: Knockout) -> None:
    rows = dict(matrix(slim))
    found = check(altered(SLIM, "put.lease_over"), TINY, Limits()).findings["lease_gates_writes"][1]
    assert rows["put.lease_over"]["lease_gates_writes"] == (found.faults, found.steps)


def test_a_promise_that_nothing_breaks_is_vacuous(slim: Knockout) -> None:
    assert "attributable" in slim.vacuous
    assert "lease_gates_writes" not in slim.vacuous


def trial(*parts: str, answered: tuple[str, ...] = (), **broken: tuple[int, int]) -> Trial:
    return Trial(parts, broken, frozenset(answered))


def judged(found: Knockout) -> dict[str, Role]:
    return {role.part: role for role in roles(found)}


def made(*singles: Trial, **rest: object) -> Knockout:
    return Knockout(REFERENCE, trial(answered=("a.x",)), singles, **{"pairs": (), "changes": {}, **rest})  # type: ignore[arg-type]


def test_two_parts_that_only_break_together_stand_behind_each_other() -> None:
    found = made(trial("a.x"), trial("b.y"), pairs=(trial("a.x", "b.y", billed_once=(1, 5)),))
    assert judged(found)["a.x"] == Role("a.x", "standby", ("b.y",), ("billed_once",), True)
    assert judged(found)["b.y"].behind == ("a.x",)


def test_a_pair_that_breaks_no_more_than_one_of_it_proves_nothing() -> None:
    alone, both = trial("b.y", billed_once=(1, 5)), trial("b.y", "a.x", billed_once=(1, 5))
    assert judged(made(trial("a.x"), alone, rivals=(both,)))["a.x"].kind == "no part"
    cheaper = trial("b.y", "a.x", billed_once=(1, 4))
    assert judged(made(trial("a.x"), alone, rivals=(cheaper,)))["a.x"].behind == ("b.y",)


def test_another_class_is_told_from_another_answer() -> None:
    changes = {"a.x": Change("SEALED", "STALE_EPOCH", "b.y", True), "b.y": Change("SEALED", "created", "", False)}
    found = judged(made(trial("a.x"), trial("b.y"), changes=changes))
    assert (found["a.x"].kind, found["b.y"].kind) == ("changes only the class", "changes only the answer")
    assert found["a.x"].change == ("SEALED", "STALE_EPOCH")


def test_a_silent_rule_stands_behind_the_part_without_which_it_answers() -> None:
    found = made(trial("c.z"), trial("b.y", answered=("c.z",)))
    assert judged(found)["c.z"] == Role("c.z", "standby", ("b.y",))


def test_a_breaking_set_explains_a_rule_with_two_others_before_it() -> None:
    breaking = (Breaking(("a.x", "b.y", "c.z"), "billed_once"),)
    explained = {role.part: role for role in roles(made(trial("c.z")), breaking)}
    assert explained["c.z"] == Role("c.z", "standby", ("a.x", "b.y"), ("billed_once",), True)


def test_a_rule_without_a_part_is_unexplained_and_a_strategy_without_one_is_a_free_choice() -> None:
    found = judged(made(trial("a.x"), trial("report=total over rows")))
    assert {part: role.kind for part, role in found.items()} == dict.fromkeys(found, "no part")
    assert [role.explained for role in found.values()] == [False, True]


def test_a_limit_leaves_a_part_undetermined() -> None:
    assert judged(made(replace(trial("a.x"), limit=Stop(StopKind.STATES, "5 states"))))["a.x"].kind == "undetermined"


def kept(fence: Fence, rules: frozenset[str], wanted: Asked) -> bool:
    gone = [full for full, _ in fence.rules() if full not in rules]
    return not check(fence.without(*gone) if gone else fence, wanted, Limits(stop_at="first")).findings


def brute(fence: Fence, wanted: Asked) -> set[frozenset[str]]:
    """Every minimal sufficient set, by checking every subset."""
    names = [full for full, _ in fence.rules()]
    subsets = [frozenset(n for i, n in enumerate(names) if bits >> i & 1) for bits in range(1 << len(names))]
    enough = [rules for rules in subsets if kept(fence, rules, wanted)]
    return {rules for rules in enough if not any(other < rules for other in enough)}


def of_reference(*names: str, **strategies: Any) -> Fence:
    gone = [full for full, _ in REFERENCE.rules() if full not in names]
    return replace(REFERENCE.without(*gone), name="few", **strategies)


REPORT = ("publish.missing_shards", "publish.unconsumed")
LEASES = of_reference(
    "resume.lease_margin", "call.no_hold", "write.lease_margin", "put.lease_over", "commit.lease_over", *REPORT
)
REVISIONS = of_reference("commit.other_revision", "consume.other_revision", *REPORT, calls="whole")
SMALL = {"leases": (LEASES, only("stall", ceiling=1850)), "revisions": (REVISIONS, only("flip_alias", ceiling=1850))}


@pytest.mark.parametrize("name", SMALL)
def test_minimal_fences_are_those_of_a_search_of_every_subset(name: str) -> None:
    fence, wanted = SMALL[name]
    assert {frozenset(one.rules) for one in minimal_fences(fence, wanted, Limits()).fences} == brute(fence, wanted)


def test_a_rule_can_make_another_one_necessary() -> None:
    """A reducer that refuses a row needs a ledger that never books it: more rules are not always safer."""
    fence, wanted = SMALL["revisions"]
    assert kept(fence, frozenset(REPORT), wanted)
    assert not kept(fence, frozenset({*REPORT, "consume.other_revision"}), wanted)
    assert kept(fence, frozenset({*REPORT, "consume.other_revision", "commit.other_revision"}), wanted)
    [least] = minimal_fences(fence, wanted, Limits()).fences
    assert least.rules == REPORT


@pytest.mark.parametrize("name", SMALL)
def test_what_cannot_all_go_breaks_the_promise_without_it(name: str) -> None:
    fence, wanted = SMALL[name]
    for group in minimal_fences(fence, wanted, Limits()).breaking:
        assert group.promise in check(fence.without(*group.rules), wanted, Limits()).findings


def test_a_limit_leaves_open_which_fences_suffice() -> None:
    found = minimal_fences(REFERENCE, TINY, Limits(max_states=20))
    assert (found.fences, str(found.limit)) == ((), "20 states")


def test_a_fence_that_breaks_a_promise_has_no_sufficient_set() -> None:
    with pytest.raises(BadInput, match="mend it first"):
        minimal_fences(LEASES.without("put.lease_over"), SMALL["leases"][1], Limits())


def test_the_command_prints_roles_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    bound = ["--shards", "1", "--epochs", "1", "--faults", "0", "--ceiling", "1850"]
    main(["knockout", "shard-keyed", "--format", "json", *bound])
    told = json.loads(capsys.readouterr().out)
    assert {role["role"] for role in told["roles"]} <= {"load-bearing", "standby", "no part"} | ODD
    assert told["minimal"] is None
    assert told["reproduce"].startswith("fencebench knockout shard-keyed --shards 1")


ODD = {"changes only the class", "changes only the answer"}


@pytest.mark.parametrize(
    ("rule", "found"), [("put.lease_over", True), ("commit.not_drawn", True), ("put.already_stored", False)]
)
def test_one_search_finds_the_other_answer_that_lockstep_finds(rule: str, found: bool) -> None:
    wanted = only("stall", "redeliver", "forge", ceiling=1850)
    parting, _ = part(SLIM, altered(SLIM, rule), wanted, Limits())
    move = other_answer(SLIM, rule, wanted, Limits())
    assert (move and change_of(move)) == (parting and change_of(parting.difference.last))
    assert (move is not None) is found
