"""The documents' tables as facts: each row runs the bench and asserts what the row says, or where it says too much."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import pytest

from fencebench.checker.cli.main import main
from fencebench.checker.expect.decision import Range, decisions, ranges
from fencebench.checker.expect.figures import expect
from fencebench.checker.expect.kernel import kernel
from fencebench.checker.expect.load import Load, modelled
from fencebench.checker.expect.renewal import Shard, shard
from fencebench.checker.fast.explore import explore
from fencebench.checker.oracle.rows.audit import audit, interpretable
from fencebench.checker.oracle.rows.rows import Plan, Row
from fencebench.checker.search.guided import Wish, guide
from fencebench.checker.search.result import Finding, Result
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import State, Transition
from fencebench.model.machines.ledger import Ledger
from fencebench.model.settings import FAULTS, Bound, revision_name
from tests.quick import thorough

PREEMPT, LATE, DOUBLED, FLIP, FIXTURE, SKEW = (
    ("preempt",),
    ("late",),
    ("duplicate",),
    ("flip_alias",),
    ("change_fixture",),
    ("skew", "stall"),
)


def bound(faults: Iterable[str], total: int | None = None, spare: int = 1, shards: int = 1, epochs: int = 2) -> Bound:
    """Budgets for these faults alone, one each."""
    named = tuple(faults)
    caps = MappingProxyType({fault: int(fault in named) for fault in FAULTS})
    return Bound(shards, epochs, len(named) if total is None else total, caps, spare)


@cache
def explored(fence: Fence, faults: tuple[str, ...], spare: int = 1, shards: int = 1, epochs: int = 2) -> Result:
    return explore(build(fence, bound(faults, spare=spare, shards=shards, epochs=epochs)))


def broken(name: str, faults: tuple[str, ...], **shape: int) -> dict[str, Finding]:
    return dict(explored(FENCES[name], faults, **shape).findings)


def outcomes(fence: Fence, faults: tuple[str, ...], **shape: int) -> Counter[str]:
    return explored(fence, faults, **shape).coverage.outcomes


def run(fence: Fence, faults: Iterable[str], *wishes: Wish) -> tuple[Transition, ...]:
    found = guide(build(fence, bound(faults)), list(wishes))
    assert found, "the machines allow no such run"
    return found


def ledger(state: State) -> Ledger:
    return state.units[0][1]  # type: ignore[no-any-return]


W = Wish
REDISPATCH = (W("preempt", 0), W("elapse", 0), W("expire", 0), W("reserve", 1), W("dispatch", 1))


class TestFailureInjection:
    """seeds/000, failure injection matrix: fault, symptom, invariant attacked, detection, recovery."""

    def test_preemption_at_78_percent(self) -> None:
        grades = (W("grade", 0), W("grade", 0))
        story = run(REFERENCE, PREEMPT, *grades, *REDISPATCH, W("deliver", 1))
        assert story[-1].event.outcome == "COMMITTED"  # recovery: dispatched again with epoch + 1
        at = next(t for t in story if t.event.fault)
        assert at.after.shared.burned == 39 * 37  # the symptom comes at 39 of 50 cases, without an exit code
        assert "one_accepted_artifact" in broken("shard-keyed", PREEMPT)  # what it attacks
        assert broken("reference", PREEMPT) == {}

    def test_duplicate_delivery(self) -> None:
        assert outcomes(REFERENCE, DOUBLED)["ALREADY_COMMITTED"] > 0  # detection
        assert broken("reference", DOUBLED) == {}  # rejected, not billed again
        assert "billed_once" in broken("shard-keyed", DOUBLED)  # what it attacks

    def test_resurrected_worker(self) -> None:
        assert outcomes(REFERENCE, LATE)["STALE_EPOCH"] > 0
        assert broken("reference", LATE) == {}
        # The document's own counter is too weak: its gate looks at what committed, so the old epoch may land first.
        assert "billed_once" in broken("spend-sketch", LATE)

    def test_fixture_change_mid_run(self) -> None:
        faults = ("change_fixture", "stall")
        coverage = explored(REFERENCE, faults).coverage
        assert coverage.rules["resume.other_input"] > 0  # detection: digests compared on resume
        assert broken("reference", faults) == {}  # restarted, never merged
        assert "one_input_version" in broken("case-index-checkpoint", faults)

    def test_clock_skew_of_90_seconds(self, capsys: pytest.CaptureFixture[str]) -> None:
        story = broken("worker-clock", SKEW)["lease_gates_writes"]
        assert "(worker's clock: 210 s)" in story.why  # the symptom: it appears valid after its end
        assert broken("worker-clock", ("stall",)) == {}
        assert broken("reference", SKEW) == {}  # detection: the expiry that the driver issued
        # The advice to shorten the lease is wrong below margin + skew: nobody could write any more.
        assert main(["check", "reference", "--lease-seconds", "180"]) == 2
        assert "could never write" in capsys.readouterr().err


class TestTradeoffs:
    """seeds/000, trade-offs: what each choice gains, what it costs, and the one that is never right."""

    def test_driver_issued_epochs(self) -> None:
        same_but_driver = replace(FENCES["worker-epochs"], epochs="driver")
        assert "no_stale_commit" in broken("worker-epochs", LATE)
        assert explored(same_but_driver, LATE).findings.keys().isdisjoint({"no_stale_commit", "billed_once"})

    def test_checkpoint_every_30_is_a_cheap_resume(self) -> None:
        wishes = (W("grade", 0), *REDISPATCH, W("deliver", 1))
        cheap = run(REFERENCE, PREEMPT, *wishes)[-1].after.shared.burned
        dear = run(replace(REFERENCE, checkpoint="none"), PREEMPT, *wishes)[-1].after.shared.burned
        assert dear - cheap == 30 * 37

    def test_reserve_before_dispatch(self) -> None:
        assert "spend_under_ceiling" in broken("charge-on-commit", LATE, spare=0) or "meter_under_ceiling" in broken(
            "charge-on-commit", ("redeliver",), spare=0
        )
        assert broken("reference", ("redeliver",), spare=0) == {}
        never_expire = replace(REFERENCE, settlement="keep")  # the price: reservations must expire cleanly
        assert "ends_well" in explored(never_expire, PREEMPT, spare=0).findings

    def test_restart_on_digest_mismatch_wastes_work(self) -> None:
        faults = ("change_fixture", "preempt")
        wishes = (
            W("grade", 0),
            W("preempt", 0),
            W("change_fixture"),
            W("expire", 0),
            W("dispatch", 1),
            W("deliver", 1),
        )
        story = run(REFERENCE, faults, *wishes)
        assert story[-1].after.shared.burned == 30 * 37 + 50 * 37
        assert story[-1].event.outcome == "COMMITTED"

    def test_worker_self_epochs_never(self) -> None:
        story = broken("worker-epochs", LATE)["billed_once"]
        assert "epoch 0" in story.why
        assert "epoch 1" in story.why


def means(fence: Fence, load: Load) -> Shard:
    """What is expected of one shard, at 20 % interruptions an hour and a minute a case if nothing else is said."""
    found = shard(kernel(fence, load), load.epochs)
    assert found is not None
    return found


def with_dead(name: str, load: Load) -> Range:
    """The tokens that a shard burns in two attempts, dead ones included: least, most, and if none comes back."""
    found = ranges(decisions(*modelled(FENCES[name], load), 2, late=False), load)
    return found["burned"]


class TestTradeoffsInFigures:
    """seeds/000, trade-offs and limitations: how much is gained and how much is paid."""

    def test_a_checkpoint_at_30_halves_the_waste_and_costs_seconds(self) -> None:
        none, at_30 = (means(REFERENCE, Load(checkpoint_cases=every)) for every in (0, 30))
        assert (none.burned_cases - 50) * 37 == pytest.approx(179, abs=1)
        assert (at_30.burned_cases - 50) * 37 == pytest.approx(89, abs=1)
        assert at_30.seconds < none.seconds  # the write of two seconds is more than paid for
        calm = [means(REFERENCE, Load(checkpoint_cases=every, interruptions_per_hour=0)).seconds for every in (0, 30)]
        assert calm[1] - calm[0] == 2

    def test_a_checkpoint_is_worth_it_in_short_shards_too(self) -> None:
        # The document: "shards longer than a few minutes". What decides is the write against what it saves.
        short = Load(cases=10, checkpoint_cases=5, seconds_per_case=6)  # a minute in all
        assert means(REFERENCE, short).seconds > means(REFERENCE, replace(short, checkpoint_cases=0)).seconds
        longer = replace(short, seconds_per_case=60)
        assert means(REFERENCE, longer).seconds < means(REFERENCE, replace(longer, checkpoint_cases=0)).seconds

    def test_token_level_trades_no_throughput_until_writes_dominate(self) -> None:
        # The document: it "trades throughput for a narrower blast radius". Every 5 is faster than once at 30.
        every_5, at_30 = (means(REFERENCE, Load(checkpoint_cases=every)) for every in (5, 30))
        assert every_5.seconds < at_30.seconds
        slow = [means(REFERENCE, Load(checkpoint_cases=every, write_seconds=30)).seconds for every in (5, 30)]
        assert slow[0] > slow[1]

    def test_reserving_costs_a_higher_ceiling_and_buys_that_it_holds(self) -> None:
        load = Load(runs=5000)
        held, charged = (expect(FENCES[name], load).figures for name in ("reference", "charge-on-commit"))
        assert charged["burned"] == held["burned"]
        assert (held["ceiling_99"].value or 0) > 1.05 * (charged["ceiling_99"].value or 0)
        over = 1 - (charged["burned_within"].value or 0)  # nothing stops these runs at the ceiling of the plan
        assert over == pytest.approx(0.511, abs=0.002)

    def test_two_writers_of_self_epochs_both_draw(self) -> None:
        load = Load(call_cases=10, interruptions_per_attempt=0.2)
        assert with_dead("reference", load).most == with_dead("reference", load).least
        worst = with_dead("worker-epochs", load)
        assert worst.most - worst.in_order == pytest.approx(261, abs=1)  # tokens a shard that nobody needs

    def test_near_no_interruptions_the_fence_buys_little(self) -> None:
        dedicated = means(REFERENCE, Load(interruptions_per_hour=0.001))
        assert (dedicated.burned_cases - 50) * 37 < 1

    def test_late_commits_cost_what_is_graded_since_the_checkpoint(self) -> None:
        late = Load(interruptions_per_hour=0, late_per_commit=0.05)
        assert means(REFERENCE, late).burned_cases - 50 == pytest.approx(20 * 0.05 / 0.95)


class TestFailureDomains:
    """seeds/002, the failure domains: symptom, what it corrupts, containment."""

    def test_preemption_shrinks_the_denominator(self) -> None:
        silent = broken("provenance-sketch-a", PREEMPT, epochs=1)
        assert "no_aggregate_when_missing" in silent
        assert outcomes(REFERENCE, PREEMPT, epochs=1)["MISSING_SHARDS"] > 0  # the report that refuses
        assert "no_aggregate_when_missing" not in broken("reference", PREEMPT, epochs=1)

    def test_late_publication_double_weights_a_shard(self) -> None:
        assert "denominator_is_shards" in broken("provenance-sketch-c", LATE)
        # Containment by a gate on the *sealed* epoch is too weak: a higher epoch still lands after the seal.
        assert "denominator_is_shards" in broken("provenance-sketch-a", LATE)
        assert broken("reference", LATE) == {}

    def test_alias_drift(self) -> None:
        faults = ("flip_alias", "redeliver")
        assert "attributable" in broken("provenance-sketch-d", faults)
        assert "attributable" not in broken("reference", faults)  # containment: pinned for the job

    def test_duplicate_delivery_corrupts_nothing_that_is_idempotent(self) -> None:
        kept = {"billed_once", "one_accepted_artifact", "denominator_is_shards"}
        assert kept.isdisjoint(broken("provenance-sketch-a", DOUBLED))
        assert outcomes(FENCES["provenance-sketch-a"], DOUBLED)["ALREADY_COMMITTED"] > 0

    def test_last_write_wins_depends_on_a_clock(self) -> None:
        story = broken("last-write-wins", ("preempt",))["winner_by_epoch"]
        assert [t.event.epoch for t in story.trace if t.event.action == "put"] == [1, 0]
        skewed = broken("last-write-wins", ("skew", "stall"))  # a slow clock loses against an earlier put
        assert "winner_by_epoch" in skewed
        assert "winner_by_epoch" not in broken("reference", ("skew", "stall"))


def rows_of(state: State) -> list[Row]:
    """Write the ledger's rows and conflicts as an auditor sees them."""
    book = ledger(state)
    told: list[tuple[Any, str]] = [(r, "committed") for r in book.receipts] + [(r, "conflict") for r in book.conflicts]
    return [
        Row("7", "0", r.epoch, "+".join(map(revision_name, r.content.revisions)), "in-0", r.tokens, 0.5, outcome)
        for r, outcome in told
    ]


PLAN = Plan("7", ("0",))


class TestScenarios:
    """seeds/002, the four scenarios: verdict words of its audit, and the response it requires."""

    LATE_OLD = (W("send", 0), W("late", 0), W("elapse", 0), W("expire", 0), W("reserve", 1), W("dispatch", 1))

    def words(self, name: str, faults: Iterable[str], *wishes: Wish) -> tuple[str, ...]:
        found = audit(rows_of(run(FENCES[name], faults, *wishes)[-1].after), PLAN)
        return ("interpretable",) if interpretable(found) else found.words

    def test_a_is_clean_in_the_simulator_and_not_here(self) -> None:
        calm = self.words("provenance-sketch-a", (), W("deliver", 0), W("seal", 0))
        assert calm == ("interpretable",)
        words = self.words("provenance-sketch-a", LATE, *self.LATE_OLD, W("deliver", 0), W("deliver", 1))
        assert "denominator-drift" in words
        # Required response: publish only with no shard missing. Drift is not missing, so the refusal does not help.
        refusing = replace(FENCES["provenance-sketch-a"], publish=REFERENCE.publish[:1])
        assert "denominator_is_shards" in explored(refusing, LATE).findings

    def test_b_mixes_revisions(self) -> None:
        words = self.words("provenance-sketch-b", LATE, *self.LATE_OLD, W("deliver", 0), W("deliver", 1))
        assert "multi-revision-aggregate" in words
        # Required response: split by revision before quoting. Over two shards one retry is enough to mix.
        assert "one_revision" in broken("provenance-sketch-b", PREEMPT, shards=2)
        refusing = replace(FENCES["provenance-sketch-b"], publish=REFERENCE.publish)
        assert explored(refusing, PREEMPT, shards=2).coverage.outcomes["MIXED_REVISIONS"] > 0

    def test_c_takes_a_late_row_after_the_seal(self) -> None:
        after_seal = (*self.LATE_OLD, W("deliver", 1), W("seal", 1), W("deliver", 0, "COMMITTED"))
        assert "denominator-drift" in self.words("provenance-sketch-c", LATE, *after_seal)
        # Required response: fix the gate. With the gate of A this very order is refused.
        gated = guide(build(FENCES["provenance-sketch-a"], bound(LATE)), list(after_seal))
        assert gated == ()

    def test_d_has_one_key_with_two_revisions(self) -> None:
        faults = ("flip_alias", "redeliver")
        order = (W("deliver", 0), W("redeliver", 0), W("flip_alias"), W("deliver", 0, "CONFLICT"))
        assert "unresolved-revision-mix" in self.words("provenance-sketch-d", faults, *order)
        # Required response: never average the conflict. The sketch's report does; the reference's rule refuses.
        assert "conflict_never_averaged" in broken("provenance-sketch-d", faults)
        refusing = replace(FENCES["provenance-sketch-d"], publish=REFERENCE.publish)
        assert "conflict_never_averaged" not in explored(refusing, faults).findings


ORDERS = {
    "a resurrected worker": ("late",),
    "a duplicate delivery": ("duplicate",),
    "a fixture changed under a resume": ("change_fixture", "stall"),
    "a stale epoch after the seal": ("late",),
    "a fresh attempt on a new revision": ("flip_alias", "stall"),
}
PROMISES = {
    "a resurrected worker": "billed_once",
    "a duplicate delivery": "billed_once",
    "a fixture changed under a resume": "one_input_version",
    "a stale epoch after the seal": "sealed_is_final",
    "a fresh attempt on a new revision": "attributable",
}


class TestClosingQuestions:
    """Both documents end with a question: which order breaks first, and does it reject, replay or compensate?"""

    @staticmethod
    def cheapest(fence: Fence, order: str) -> tuple[int, int] | None:
        finding = explored(fence, ORDERS[order]).findings.get(PROMISES[order])
        return (finding.faults, finding.steps) if finding else None

    def table(self, name: str, orders: Iterable[str]) -> dict[tuple[str, str], tuple[int, int] | None]:
        policies = ("reject", "replay", "compensate")
        fences = {policy: FENCES[name].having(on_stale=policy) for policy in policies}
        return {(order, policy): self.cheapest(fences[policy], order) for order in orders for policy in policies}

    @thorough
    def test_the_first_documents_question(self) -> None:
        found = self.table("spend-sketch", list(ORDERS)[:3])
        assert {policy: found["a resurrected worker", policy] for policy in ("reject", "replay", "compensate")} == {
            "reject": (1, 24),
            "replay": (1, 24),
            "compensate": (1, 24),
        }
        assert {answer for (order, _), answer in found.items() if order != "a resurrected worker"} == {None}

    def test_the_second_documents_question(self) -> None:
        found = self.table("provenance-sketch-a", list(ORDERS)[3:])
        stale = {policy: found["a stale epoch after the seal", policy] for policy in ("reject", "replay", "compensate")}
        assert set(stale.values()) == {(1, 18)}  # it breaks first, whatever follows the refusal
        fresh = [found["a fresh attempt on a new revision", policy] for policy in ("reject", "replay", "compensate")]
        assert all(answer is None or answer > (1, 18) for answer in fresh)

    def test_the_reference_breaks_on_none_of_them_whatever_follows_a_refusal(self) -> None:
        for policy in ("reject", "compensate"):
            for order in ORDERS:
                assert explored(REFERENCE.having(on_stale=policy), ORDERS[order]).findings == {}, (order, policy)


class TestWorkloads:
    """Both documents say who does not need this; each says so by a run."""

    def test_one_shard_and_one_attempt_need_no_fence(self) -> None:
        for name in FENCES:
            unbooked = {"books_cover_meter"} if FENCES[name].holds == "none" else set()
            assert {*explored(FENCES[name], (), epochs=1).findings} == unbooked

    def test_a_dedicated_host_needs_no_lease(self) -> None:
        no_deaths = ("duplicate", "change_fixture")
        without = REFERENCE.without("lease_margin", "lease_over")
        assert explored(without, no_deaths).findings == {}
