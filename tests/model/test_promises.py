"""What each promise asks: questions that were too weak once, with the shortest story that breaks each now."""

from dataclasses import replace
from types import MappingProxyType

import pytest

from fencebench.checker.fast.explore import explore
from fencebench.checker.search.explore import explore as plain
from fencebench.checker.search.guided import Wish, guide
from fencebench.checker.search.result import Finding, Result
from fencebench.model.build import build
from fencebench.model.fence import Fence, Refusal, Rule
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import Machine, Transition
from fencebench.model.settings import FAULTS, Bound
from fencebench.model.shard import shard_of
from tests.quick import thorough

W = Wish


def only(*faults: str, **shape: int) -> Bound:
    """A bound with a budget for these faults alone, one each."""
    caps = MappingProxyType({fault: int(fault in faults) for fault in FAULTS})
    return Bound(caps=caps, **{"faults": len(faults), **shape})  # type: ignore[arg-type]


def result(fence: Fence, bound: Bound) -> Result:
    return explore(build(fence, bound))


def story(fence: Fence, promise: str, bound: Bound) -> Finding:
    return result(fence, bound).findings[promise]


def cost(found: Finding) -> tuple[int, int]:
    return found.faults, found.steps


NO_LEASES = REFERENCE.without("lease_margin", "lease_over")
NO_DIGESTS = REFERENCE.without("call.other_input", "put.other_input", "commit.other_input", "mixed_inputs")
ONE, SPARE = Bound(faults=1), Bound(faults=1, spare_attempts=1)
FIGURES = {
    "a slice that is edited after the grant can never be graded": (
        REFERENCE.without("call.other_input"),
        "can_finish",
        ONE,
        (1, 2),
    ),
    "a driver that forgets burns the plan again": (REFERENCE.having(recovery="next epoch"), "can_finish", ONE, (1, 2)),
    "a hold is written off whole": (REFERENCE.having(settlement="write off whole"), "can_finish", ONE, (1, 2)),
    "what a dead attempt has drawn is released": (
        REFERENCE.having(settlement="release"),
        "books_cover_meter",
        ONE,
        (1, 8),
    ),
    "a dead attempt goes on drawing": (REFERENCE.without("call.no_hold"), "books_cover_meter", ONE, (1, 8)),
    "nobody compares a digest": (NO_DIGESTS, "input_as_granted", only("change_fixture"), (1, 13)),
    "a host stays away and its hold is kept": (NO_LEASES.having(settlement="keep"), "ends_well", ONE, (1, 8)),
    "a kept hold leaves the shard stuck": (FENCES["spend-sketch"], "ends_well", only("preempt"), (1, 7)),
    "nobody waits until rows are consumed": (
        REFERENCE.without("publish.unconsumed"),
        "no_aggregate_when_missing",
        Bound(faults=0),
        (0, 13),
    ),
    "nobody waits until shards are sealed": (
        REFERENCE.without("publish.missing_shards"),
        "no_aggregate_when_missing",
        Bound(faults=0),
        (0, 1),
    ),
    "a number is printed before a stale row is taken back": (
        FENCES["compensating"].without("publish.not_accepted"),
        "consumed_is_accepted",
        SPARE,
        (1, 25),
    ),
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_shortest_story(name: str) -> None:
    fence, promise, bound, expected = FIGURES[name]
    assert cost(story(fence, promise, bound)) == expected


@pytest.mark.parametrize("name", ["reference", "token-level", "compensating"])
@pytest.mark.parametrize("spare", [0, 1])
def test_the_sound_fences_break_none_of_it(name: str, spare: int) -> None:
    assert result(FENCES[name], Bound(faults=1, spare_attempts=spare)).findings == {}


@thorough
@pytest.mark.parametrize("name", ["reference", "token-level", "compensating"])
@pytest.mark.parametrize("spare", [0, 1])
def test_the_sound_fences_hold_under_three_faults_of_one_shard(name: str, spare: int) -> None:
    assert result(FENCES[name], Bound(faults=3, spare_attempts=spare)).findings == {}


class TestBooksCoverMeter:
    """Burned, committed, held and written off, shard by shard."""

    def test_a_fence_that_holds_nothing_breaks_it_with_the_first_call(self) -> None:
        found = story(FENCES["charge-on-commit"], "books_cover_meter", Bound(faults=0))
        assert cost(found) == (0, 5)
        assert found.trace[-1].event.action == "grade"

    def test_the_hold_of_one_shard_does_not_cover_what_another_burns(self) -> None:
        bound = replace(only("preempt", shards=2), spare_attempts=1)
        run = guide(
            build(REFERENCE.having(settlement="release"), bound),
            [W("reserve", 0), W("reserve", 0), W("grade", 0), W("preempt", 0), W("expire", 0)],
        )
        shared = run[-1].after.shared
        assert shared.burned <= shared.promised  # the run's totals alone would hide it
        assert cost(story(REFERENCE.having(settlement="release"), "books_cover_meter", bound)) == (1, 8)


class TestRowIdentity:
    """A row is its key, provenance and content; what was burned is an amount that it carries."""

    def test_a_pinned_redelivery_is_the_same_row(self) -> None:
        machine = build(FENCES["provenance-sketch-a"], only("redeliver"))
        order = [W("deliver", 0, "COMMITTED"), W("redeliver", 0), W("deliver", 0, "ALREADY_COMMITTED")]
        run = guide(machine, order)
        meters = shard_of(run[-1].after.units[0]).meters
        assert meters[0] == 2 * 50 * 37  # it was burned twice, and counts once
        assert explore(machine).coverage.outcomes["CONFLICT"] == 0

    def test_a_conflict_needs_a_redelivery_and_a_flip(self) -> None:
        sketch = FENCES["provenance-sketch-a"]
        assert result(sketch, only("redeliver", "flip_alias")).coverage.outcomes["CONFLICT"] > 0
        assert result(sketch, only("redeliver", faults=2)).coverage.outcomes["CONFLICT"] == 0
        assert result(sketch, only("flip_alias", faults=2)).coverage.outcomes["CONFLICT"] == 0

    def test_other_tokens_under_a_sealed_key_are_no_conflict(self) -> None:
        coverage = result(REFERENCE, only("forge")).coverage
        assert coverage.outcomes["ALREADY_COMMITTED"] > 0
        assert (coverage.outcomes["CONFLICT"], coverage.outcomes["UNRESOLVED_CONFLICT"]) == (0, 0)


class TestHostsThatStayAway:
    """A preempted host may come back or stay away for good; no run needs its return in order to be over."""

    def test_both_happen(self) -> None:
        machine = build(REFERENCE, only("preempt"))
        labels = {t.event.label for t in reached(machine, "preempt")}
        assert labels == {"preempted", "preempted for good"}

    def test_one_that_stays_away_acts_no_more(self) -> None:
        machine = build(REFERENCE, only("preempt"))
        gone = next(t for t in reached(machine, "preempt") if t.event.label == "preempted for good")
        assert not any(t.event.actor == "worker" for t in machine.successors(gone.after))


def reached(machine: Machine, action: str) -> list[Transition]:
    """Return every step with this action from a state on the way to the first commit."""
    states = [t.after for t in guide(machine, [W("send", 0)])]
    return [t for state in states for t in machine.successors(state) if t.event.action == action]


class TestReplay:
    """`on_stale=replay`: a stale row may be refused before or after its successor is sealed."""

    LATE_OLD = (W("send", 0), W("late", 0), W("elapse", 0), W("expire", 0), W("reserve", 1), W("dispatch", 1))
    REFUSED = W("deliver", 0, "STALE_EPOCH")

    @pytest.mark.parametrize("refused_first", [True, False])
    def test_either_order_comes_to_the_same_end(self, refused_first: bool) -> None:
        fence, seal = REFERENCE.having(on_stale="replay"), W("deliver", 1, "COMMITTED")
        middle = (self.REFUSED, seal) if refused_first else (seal, self.REFUSED)
        machine = build(fence, only("late", spare_attempts=1))
        ends = (W("replay", 1), W("reserve", 2, "SEALED"), W("observe"), W("publish", None, "printed"))
        bound = replace(only("late", spare_attempts=2), epochs=3)
        assert guide(build(fence, bound), [*self.LATE_OLD, *middle, *ends])
        assert explore(machine).findings == {}

    def test_a_fence_without_a_rule_against_it_grades_the_shard_again(self) -> None:
        fence = REFERENCE.without("reserve.sealed").having(on_stale="replay")
        bound = replace(only("late", spare_attempts=2), epochs=3)
        again = (self.REFUSED, W("deliver", 1, "COMMITTED"), W("replay", 1), W("reserve", 2, "reserved"))
        assert guide(build(fence, bound), [*self.LATE_OLD, *again, W("dispatch", 2)])

    def test_a_grant_that_follows_the_refusal_is_the_replay(self) -> None:
        fence = REFERENCE.having(on_stale="replay")
        machine = build(fence, Bound(faults=2, epochs=3, spare_attempts=2, caps=only("late", "stall").caps))
        wishes = [*self.LATE_OLD, self.REFUSED, W("stall", 1), W("elapse", 1), W("expire", 1), W("reserve", 2)]
        assert not shard_of(guide(machine, wishes)[-1].after.units[0]).ledger.replay

    def test_a_crash_does_not_forget_it(self) -> None:
        fence = REFERENCE.having(on_stale="replay")
        machine = build(fence, Bound(faults=2, epochs=3, spare_attempts=2, caps=only("late", "crash_driver").caps))
        done = (W("deliver", 1, "COMMITTED"), self.REFUSED, W("observe"), W("crash_driver"), W("recover"))
        assert guide(machine, [*self.LATE_OLD, *done, W("observe"), W("replay", 1)])


class TestCleanUp:
    """Why a worker whose commit is refused deletes nothing."""

    FENCE = REFERENCE.having(cleanup="own artifact")

    def test_it_deletes_what_another_row_of_its_epoch_has_booked(self) -> None:
        bound = Bound(faults=2, spare_attempts=1, caps=only("preempt", "redeliver").caps)
        found = story(self.FENCE, "receipt_has_artifact", bound)
        assert cost(found) == (2, 29)
        assert [t.event.action for t in found.trace[-3:]] == ["deliver", "deliver", "clean_up"]
        assert story(self.FENCE, "sealed_is_final", bound).why.startswith("the artifact of epoch 1 is removed after")


def answering(boundary: str, refusal: Refusal) -> Fence:
    """Return the reference whose first rule at a boundary refuses everything with one class."""
    always = Rule("always", refusal, lambda request, view: True)
    return REFERENCE.having(**{boundary: (always, *getattr(REFERENCE, boundary))})


class TestClasses:
    """A class has one condition, wherever it is answered; what cannot be known at a boundary is no answer there."""

    def why(self, fence: Fence, bound: Bound) -> str | None:
        found = result(fence, bound).findings.get("rejections_classified")
        return found.why if found else None

    def test_a_cut_off_artifact_is_incomplete_at_commit_as_well(self) -> None:
        short = Rule(
            "short", Refusal.INCOMPLETE, lambda request, view: request.content.cases < view.setup.settings.cases
        )
        fence = FENCES["truncating"].having(commit=(short, *FENCES["truncating"].commit))
        found = result(fence, only("cut_allowance"))
        assert found.coverage.outcomes["INCOMPLETE"] > 0
        assert "rejections_classified" not in found.findings

    def test_a_lease_that_is_over_is_expired_at_the_start_as_well(self) -> None:
        over = Rule(
            "over",
            Refusal.LEASE_EXPIRED,
            lambda request, view: view.reading_seconds >= view.setup.settings.lease_seconds,
        )
        fence = REFERENCE.having(resume=(over, *REFERENCE.resume))
        found = result(fence, only("preempt"))
        assert found.coverage.rules["resume.over"] > 0
        assert "rejections_classified" not in found.findings

    @pytest.mark.parametrize(
        ("boundary", "refusal"),
        [
            ("reserve", Refusal.LEASE_MARGIN),
            ("resume", Refusal.NO_ARTIFACT),
            ("call", Refusal.ALREADY_STORED),
            ("put", Refusal.OVER_CEILING),
            ("commit", Refusal.MISSING_SHARDS),
            ("consume", Refusal.HOLD_EXHAUSTED),
            ("publish", Refusal.STALE_EPOCH),
        ],
    )
    def test_a_class_that_cannot_be_known_there_is_called_that(self, boundary: str, refusal: Refusal) -> None:
        why = self.why(answering(boundary, refusal), Bound(faults=0))
        assert why is not None
        assert f"which is not known at {boundary}" in why

    @pytest.mark.parametrize(
        ("boundary", "refusal"),
        [
            ("reserve", Refusal.SEALED),
            ("resume", Refusal.LEASE_EXPIRED),
            ("call", Refusal.STALE_EPOCH),
            ("write", Refusal.LEASE_MARGIN),
            ("put", Refusal.CONFLICT),
            ("commit", Refusal.INCOMPLETE),
            ("consume", Refusal.NO_RECEIPT),
            ("publish", Refusal.MIXED_REVISIONS),
        ],
    )
    def test_a_class_whose_condition_is_not_met_is_not_so(self, boundary: str, refusal: Refusal) -> None:
        why = self.why(answering(boundary, refusal), Bound(faults=0))
        assert why is not None
        assert "which is not so" in why

    def test_a_stale_attempt_may_be_told_so_at_a_call(self) -> None:
        """No rule at a call sees the ledger; a successor on the grant says the same."""
        stale = Rule("stale", Refusal.STALE_EPOCH, lambda request, view: view.grant.superseded_by >= 0)
        fence = NO_LEASES.having(call=(stale, *REFERENCE.call))
        found = result(fence, only("preempt", spare_attempts=1))
        assert found.coverage.rules["call.stale"] > 0
        assert "rejections_classified" not in found.findings


class TestEarlyReport:
    """The report writer may look at any time; what it waits for are rules."""

    def test_it_prints_as_soon_as_its_rules_let_it(self) -> None:
        """Before the driver has seen the receipt, and so before every shard is at rest."""
        run = guide(build(REFERENCE, Bound(faults=0)), [W("deliver", 0, "COMMITTED"), W("publish", None, "printed")])
        assert "observe" not in [t.event.action for t in run]

    def test_a_refusal_that_comes_early_is_no_step(self) -> None:
        machine = build(REFERENCE, Bound(faults=0))
        assert [t for t in machine.successors(machine.initial) if t.event.action == "publish"] == []

    def test_a_sketch_waits_until_every_shard_is_at_rest(self) -> None:
        hasty = FENCES["provenance-sketch-a"].without("publish.unfinished")
        assert cost(story(hasty, "no_aggregate_when_missing", Bound(faults=0))) == (0, 1)

    def test_both_engines_find_the_same_early_number(self) -> None:
        machine = build(REFERENCE.without("publish.unconsumed"), Bound(faults=0))
        assert plain(machine).findings == explore(machine).findings
