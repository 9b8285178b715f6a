"""Walks: they take the model's own steps, agree with the explorer, find what it finds, and shrink to short stories."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from types import MappingProxyType

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from fencebench.checker.analysis.bounds import SETTINGS, SHAPE, Asked
from fencebench.checker.analysis.walk_profiles import PROFILES
from fencebench.checker.analysis.walks import FAULT_CAP, WalkReport, source_of, walk_bound, walk_fence
from fencebench.checker.cli.walk import run_walk
from fencebench.checker.fast.explore import explore as explore_fast
from fencebench.checker.report.stored import recall
from fencebench.checker.report.walk_stories import itf_of
from fencebench.checker.report.walk_text import FORMATS
from fencebench.checker.search.explore import explore
from fencebench.checker.search.properties import Promises
from fencebench.checker.search.replay import is_final, replay, stored
from fencebench.checker.search.result import Verdict
from fencebench.checker.walk.least import least, retold
from fencebench.checker.walk.listeners import Plan
from fencebench.checker.walk.rules import Broken, walk_class
from fencebench.checker.walk.run import survey, walk
from fencebench.checker.walk.tables import SUBJECT, WalkSource, WalkTables
from fencebench.checker.walk.walker import Walker
from fencebench.model.build import build
from fencebench.model.fence import Fence, Refusal, Rule
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import REFUSED, Event, Machine, Property, State, Step, Transition, tabled
from fencebench.model.rules import put
from fencebench.model.settings import FAULTS, Bound, Settings
from tests.quick import thorough, thorough_but

WIDE = Bound(8, 10, 40, MappingProxyType(dict.fromkeys(FAULTS, FAULT_CAP)), spare_attempts=4)
SMALL = Bound(1, 2, 1)


def source(fence: Fence, bound: Bound = WIDE) -> WalkSource:
    return source_of(fence, bound, Settings())


def stroll(tables: WalkTables, chance: Random, steps: int) -> Iterator[Walker]:
    """A walk that takes any step at all, yielded before each."""
    walker = Walker(tables)
    rules = (*tables.ordinary, *tables.faults)
    for _ in range(steps):
        yield walker
        can = [rule for rule in rules if walker.can(rule)]
        if not can:
            return
        walker.take(chance.choice(list(walker.options(chance.choice(can)))))


def as_options(walker: Walker) -> set[Transition]:
    rules = (*walker.tables.ordinary, *walker.tables.faults)
    return {walker.transition(option) for rule in rules for option in walker.options(rule)}


@pytest.mark.parametrize("name", ["reference", "spend-sketch", "provenance-sketch-d"])
def test_a_walk_is_offered_exactly_the_successors(name: str) -> None:
    tables = WalkTables(build(FENCES[name], replace(WIDE, shards=2, epochs=3)), FAULTS)
    for seed in range(3):
        for walker in stroll(tables, Random(seed), 60):
            assert as_options(walker) == set(walker.machine.successors(walker.state))
            assert walker.is_final() is is_final(walker.machine, walker.state)


@pytest.mark.parametrize("name", ["reference", "spend-sketch", "provenance-sketch-a"])
def test_every_state_inside_a_bound_is_one_that_the_explorer_reached(name: str) -> None:
    machine = build(FENCES[name], SMALL)
    reached, waiting = {machine.initial}, [machine.initial]
    while waiting:
        new = {t.after for t in machine.successors(waiting.pop())} - reached
        reached |= new
        waiting += new
    assert len(reached) == explore(machine).states
    tables, seen = WalkTables(machine, FAULTS), set[State]()
    for seed in range(40):
        for walker in stroll(tables, Random(seed), 80):
            seen.add(walker.state)
    assert seen <= reached
    assert len(seen) > 100


def test_promises_are_judged_as_a_replay_judges_them() -> None:
    tables = WalkTables(build(FENCES["spend-sketch"], replace(WIDE, shards=2, epochs=3)), FAULTS)
    for seed in range(5):
        *_, walker = stroll(tables, Random(seed), 120)
        promises, before, found = Promises.of(tables.machine), tables.machine.initial, set[str]()
        for step in walker.trace:
            found |= dict(promises.of_step(before, step)).keys() | dict(promises.of_arrival(step.after, step)).keys()
            found |= dict(promises.of_final(step.after)).keys() if is_final(tables.machine, step.after) else set()
            before = step.after
        assert found == set(walker.broken)


WALKED = [("shard-keyed", 40), ("provenance-sketch-a", 40)]


@pytest.mark.parametrize(("name", "examples"), thorough_but(WALKED, WALKED[1]))
def test_what_the_explorer_finds_walks_find_as_well(name: str, examples: int) -> None:
    explored = explore(build(FENCES[name], replace(SMALL, spare_attempts=1))).findings
    wider = replace(WIDE, shards=1, epochs=3, faults=12, spare_attempts=3)
    tally = survey(source(FENCES[name], wider), Plan(examples=examples, steps=100), float("inf"), lambda *_: None)
    assert explored
    assert set(explored) <= set(tally.found)


@pytest.mark.parametrize("seed", thorough_but([0, 3], 0))
def test_the_drift_of_the_second_document_is_found(seed: int) -> None:
    plan = Plan(examples=40, seed=seed, promise="one_accepted_artifact", shrink_steps=500)
    walked = walk(source(FENCES["provenance-sketch-a"]), plan)
    found = walked.least["one_accepted_artifact"]
    assert found.faults <= 3
    assert found.steps <= 20
    assert walked.first["one_accepted_artifact"].steps >= found.steps


def test_the_double_commit_of_the_first_document_is_found() -> None:
    plan = Plan(examples=30, seed=0, promise="billed_once", shrink_steps=0)
    found = walk(source(FENCES["spend-sketch"]), plan).least["billed_once"]
    assert found.faults <= 3
    assert found.steps <= 40


def climber(top: int) -> Machine:
    """A toy with a bug that only three falls show, and a fault that is no use."""

    def climb(height: int) -> Iterator[Step]:
        if height < top:
            yield Step(Event("climb", label=f"to {height + 1}"), (("height", height + 1),))

    def fall(height: int, falls: int) -> Iterator[Step]:
        if height == top:
            yield Step(Event("fall", label="falls", fault="fall"), (("height", 0), ("falls", falls + 1)), "fault")

    def wave(height: int) -> Iterator[Step]:
        yield Step(Event("wave", label="waves", fault="wave"), (), "fault")

    return Machine(
        parts=("height", "falls"),
        initial=State(0, ((0, 0), (0, 0))),
        actions=(
            tabled("climb", ("height",), climb),
            tabled("fall", ("height", "falls"), fall),
            tabled("wave", ("height",), wave),
        ),
        allow=lambda struck, effect: struck if effect is None else struck + 1 if struck < 12 else REFUSED,
        faults=lambda struck: struck,
        properties=(Property("few_falls", ("falls",), lambda falls: f"{falls} falls" if falls > 2 else None),),
    )


def climbs() -> WalkSource:
    return WalkSource(lambda: climber(3), ("wave", "fall"))


def test_minimising_leaves_nothing_out_that_is_needed_and_everything_else() -> None:
    walked = walk(climbs(), Plan(examples=30, steps=60, shrink_steps=0))
    found = walked.least["few_falls"]
    assert [t.event.action for t in found.trace] == (["climb"] * 3 + ["fall"]) * 3
    assert {t.unit for t in found.trace} == {0}


def test_hypothesis_shrinks_by_itself() -> None:
    walked = walk(climbs(), Plan(examples=30, steps=60, seed=2, shrink_steps=3000))
    first, small = walked.first["few_falls"], walked.shrunk["few_falls"]
    assert (small.faults, small.steps) < (first.faults, first.steps)


def test_the_same_seed_walks_the_same_walks_and_another_does_not() -> None:
    runs = [walk(climbs(), Plan(examples=10, steps=40, seed=seed, shrink_steps=0)) for seed in (4, 4, 5)]
    assert runs[0].first == runs[1].first
    assert (runs[0].steps, runs[0].faults) == (runs[1].steps, runs[1].faults)
    assert runs[0].first != runs[2].first


def test_a_story_that_is_replayed_breaks_the_same_promise() -> None:
    tables = climbs().tables
    found = walk(climbs(), Plan(examples=30, steps=60, shrink_steps=0)).least["few_falls"]
    again = retold(tables, [stored(t) for t in found.trace], "few_falls")
    assert again == found
    assert least(tables, found) == found
    assert retold(tables, [stored(t) for t in found.trace[:-1]], "few_falls") is None


DEFAULT = Bound(1, 2, 2, spare_attempts=1)
"""The largest bound of one shard that `check` searches by default."""
THIRD_IS_STALE = replace(put.stale_epoch, applies=lambda r, view: r.epoch == 2 or put.stale_epoch.applies(r, view))
"""A planted bug: the store takes every third attempt for a stale one."""


@thorough
def test_a_bug_of_the_third_epoch_is_found_by_walks_and_not_by_the_default_bound() -> None:
    rules = tuple(THIRD_IS_STALE if rule is put.stale_epoch else rule for rule in REFERENCE.put)
    planted = replace(REFERENCE, name="planted", put=rules)
    assert not explore_fast(build(planted, DEFAULT)).findings
    plan = Plan(examples=100, promise="rejections_classified", shrink_steps=0)
    found = walk(source(planted), plan).least
    assert max(t.event.epoch or 0 for t in found["rejections_classified"].trace) == 2


def test_a_system_under_test_is_judged_step_by_step() -> None:
    def forgetful(before: State, step: Transition) -> str | None:
        return "it answers expired twice" if step.event.action == "expire" and step.event.epoch == 1 else None

    bound = replace(WIDE, shards=1, epochs=3, faults=4)
    walked = walk(
        WalkSource(lambda: build(REFERENCE, bound), FAULTS, subject=forgetful),
        Plan(examples=20, steps=100, shrink_steps=0),
    )
    assert list(walked.first) == [SUBJECT]
    assert walked.least[SUBJECT].trace[-1].event.action == "expire"


NEVER = Rule("never", Refusal.CONFLICT, lambda request, view: False)
PLENTY = 400
"""Walks after which nothing but a dead rule is left that never ran."""


def small_report(fence: Fence, plan: Plan, **caps: int) -> WalkReport:
    bound = replace(WIDE, shards=1, epochs=1, faults=0, caps=MappingProxyType(dict.fromkeys(FAULTS, 0) | caps))
    return walk_fence(fence, Asked((bound,), Settings()), plan)


def test_a_rule_that_never_ran_fails_the_run_with_its_name() -> None:
    plan = Plan(examples=3, steps=40)
    told = replace(REFERENCE, name="with-a-dead-rule", call=(*REFERENCE.call, NEVER))
    bare, dead = small_report(REFERENCE, plan), small_report(told, plan)
    assert dead.verdict is Verdict.VACUOUS
    names = {debt.name for debt in dead.checked.unreached} - {debt.name for debt in bare.checked.unreached}
    assert names == {"call.never"}


def test_a_sound_fence_holds_and_a_dead_rule_in_it_is_named() -> None:
    told = replace(REFERENCE, name="with-a-dead-rule", call=(*REFERENCE.call, NEVER))
    wanted = Asked((replace(WIDE, shards=2, epochs=3, spare_attempts=2),), Settings())
    report = walk_fence(told, wanted, Plan(examples=PLENTY, steps=100))
    assert report.verdict is Verdict.VACUOUS
    assert [debt.name for debt in report.checked.unreached] == ["call.never"]


def test_a_temper_is_made_of_the_model_own_rules() -> None:
    tables = source(REFERENCE).tables
    for profile in PROFILES:
        assert profile.faults <= set(tables.faults)
        assert profile.keen | profile.lazy <= {*tables.faults, *tables.ordinary}


def test_a_walk_is_no_longer_than_asked_for() -> None:
    walked = walk(climbs(), Plan(examples=5, steps=10, shrink_steps=0))
    assert walked.longest == 10


def test_a_limit_is_no_pass() -> None:
    report = small_report(REFERENCE, Plan(examples=50, steps=40, max_seconds=1e-6))
    assert report.verdict is Verdict.UNDETERMINED


@pytest.fixture(scope="module")
def drift() -> WalkReport:
    plan = Plan(examples=40, promise="one_accepted_artifact", shrink_steps=300)
    return walk_fence(FENCES["provenance-sketch-a"], Asked((WIDE,), Settings()), plan)


def test_a_story_is_stored_so_that_replay_takes_it(drift: WalkReport, tmp_path: Path) -> None:
    case = drift.stories["one_accepted_artifact"]
    place = tmp_path / "drift.itf.json"
    place.write_text(itf_of(case, drift.reproduce, "minimised walk"), encoding="utf-8")
    assert recall(place, None).replay().verdict == "still violates"
    assert json.loads(place.read_text(encoding="utf-8"))["#meta"]["reproduce"] == [drift.reproduce]


def test_a_story_is_told_in_the_smallest_bound_that_has_it(drift: WalkReport) -> None:
    case = drift.stories["one_accepted_artifact"]
    assert (case.bound.shards, case.bound.epochs, case.bound.faults) == (1, 2, case.finding.faults)
    again = replay(case.machine, [(stored(t), t.event.outcome) for t in case.finding.trace], case.finding.property)
    assert again.verdict == "still violates"


def options(**given: object) -> dict[str, object]:
    return {**dict.fromkeys((*SHAPE, *SETTINGS, *FAULTS, "bounds_file")), **given}


def test_the_default_bound_is_wide() -> None:
    wanted = walk_bound(options())
    assert wanted.bounds == (WIDE,)
    assert walk_bound(options(shards=2, ceiling=5000, preempt=9)).bounds[0].cap("preempt") == 9


def test_the_command_prints_the_verdict_first_and_the_seed_last(capsys: pytest.CaptureFixture[str]) -> None:
    given = options(shards=1, epochs=1, faults=1)
    wanted = {"examples": 20, "steps": 60, "seed": 5, "stop_at": "first"}
    wanted |= dict.fromkeys(("max_seconds", "property_", "html"))
    code = run_walk("shard-keyed", FORMATS["text"], None, **given, **wanted)
    lines = capsys.readouterr().out.splitlines()
    assert code == 1
    assert lines[0].startswith("VIOLATED  shard-keyed")
    assert "--examples 20 --steps 60 --seed 5 --stop-at first" in lines[-1]


def test_pytest_runs_a_short_walk_of_the_reference() -> None:
    class Silence:
        def step(self, before: State, step: Transition) -> None: ...

        def broken(self, walker: Walker) -> None:
            raise Broken(str(walker.broken))

        def ended(self, walker: Walker) -> None: ...

    short = settings(
        derandomize=True,
        max_examples=8,
        stateful_step_count=26,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(walk_class(source(REFERENCE), Silence(), 100), settings=short)
