"""Each promise by each of its conjuncts, called directly: what fails, and what is one step short of failing."""

from dataclasses import replace
from typing import Any

import pytest

from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import Event
from fencebench.model.machines import shared as run
from fencebench.model.machines.driver import Driver
from fencebench.model.machines.lease import Clock
from fencebench.model.machines.ledger import Content, Grant, Hold, Ledger, Receipt
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Artifact, Store
from fencebench.model.machines.worker import Attempt
from fencebench.model.promises import artifacts, endings, progress, provenance, report, spend
from fencebench.model.settings import Bound, Settings, Setup
from fencebench.model.shard import Epoch, Shard, shard_of

PLAN = 50 * 37
WHOLE = Content((0,), (0,), 50)
SETUP = Setup(REFERENCE, Settings(), Bound())
AT_PUT = replace(SETUP, fence=FENCES["shard-keyed"])
LATEST = replace(SETUP, fence=FENCES["last-write-wins"])
ROW, NEXT_ROW = Receipt(0, PLAN, WHOLE), Receipt(1, PLAN, WHOLE)
TWO_INPUTS, OTHER_REVISION, SHORT = Content((0, 1), (0,), 50), Content((0,), (1,), 50), Content((0,), (0,), 39)
COMMITTED, PRINTED = Event("deliver", outcome="COMMITTED", epoch=0), Event("publish", outcome="printed")
CREATED = Event("put", outcome="created", epoch=0)


def totals(**fields: Any) -> Shared:
    start = run.start(Bound(shards=2), Settings())
    return start._replace(**fields)


def unit(shard: Shard, *epochs: Epoch) -> tuple[object, ...]:
    filled = (*epochs, *[Epoch(Attempt(), Clock(), 0, None)] * (2 - len(epochs)))
    return (*shard[:-1], *(part for epoch in filled for part in epoch))


def held(tokens: int, **parts: int) -> Grant:
    return Grant(0, Hold(tokens, live=not parts, **parts))


class TestSpend:
    def test_totals_may_not_rise_above_the_ceiling_of_now(self) -> None:
        full, more = totals(held=2 * PLAN), totals(held=2 * PLAN, committed=1)
        assert spend.spend_under_ceiling(full, more, setup=SETUP)
        assert spend.spend_under_ceiling(totals(), full, setup=SETUP) is None

    @pytest.mark.parametrize("kind", ["committed", "held", "written_off"])
    def test_every_kind_of_promise_counts(self, kind: str) -> None:
        assert spend.spend_under_ceiling(totals(), totals(**{kind: 2 * PLAN + 1}), setup=SETUP)

    def test_a_cut_below_what_is_promised_is_no_violation(self) -> None:
        full = totals(held=2 * PLAN)
        assert spend.spend_under_ceiling(full, full._replace(ceiling=PLAN), setup=SETUP) is None
        less = full._replace(held=PLAN, written_off=10, ceiling=PLAN)
        assert spend.spend_under_ceiling(full._replace(ceiling=PLAN), less, setup=SETUP) is None

    @pytest.mark.parametrize(
        ("parts", "fails"),
        [
            ({"booked": PLAN}, False),
            ({"written_off": 1110, "released": PLAN - 1110}, False),
            ({"booked": PLAN, "released": 1}, True),
            ({"booked": PLAN - 1}, True),
            ({"booked": PLAN + 37, "released": -37}, True),
        ],
    )
    def test_the_parts_of_an_ended_hold_add_up_once(self, parts: dict[str, int], fails: bool) -> None:
        assert bool(spend.holds_end_once(held(PLAN, **parts), setup=SETUP)) is fails

    def test_a_live_hold_has_not_ended(self) -> None:
        assert spend.holds_end_once(held(PLAN), setup=SETUP) is None

    def test_a_shard_is_billed_once(self) -> None:
        assert spend.billed_once(Ledger(receipts=(ROW, NEXT_ROW)), setup=SETUP)
        assert spend.billed_once(Ledger(receipts=(ROW,)), setup=SETUP) is None

    @pytest.mark.parametrize(
        ("receipts", "grant", "meter", "fails"),
        [
            ((), held(PLAN), PLAN, False),
            ((), held(PLAN), PLAN + 1, True),
            ((ROW,), held(PLAN, booked=PLAN), PLAN, False),
            ((ROW,), held(PLAN, booked=PLAN), PLAN + 1, True),
            ((), held(PLAN, written_off=1110, released=740), 1110, False),
            ((), held(PLAN, written_off=1110, released=740), 1147, True),
            ((), None, 1, True),
        ],
    )
    def test_the_books_cover_the_meter(
        self, receipts: tuple[Receipt, ...], grant: Grant | None, meter: int, fails: bool
    ) -> None:
        why = spend.books_cover_meter(Ledger(receipts=receipts), (meter, 0), (grant, None), setup=SETUP)
        assert bool(why) is fails

    def test_a_shard_burns_one_plan_for_each_grant(self) -> None:
        assert spend.meter_under_ceiling(Ledger(highest=0), (PLAN + 1, 0), setup=SETUP)
        assert spend.meter_under_ceiling(Ledger(highest=1), (PLAN + 1, 0), setup=SETUP) is None

    def test_no_call_lifts_the_run_above_its_ceiling(self) -> None:
        assert spend.meter_of_run(totals(burned=PLAN), totals(burned=2 * PLAN + 1), setup=SETUP)
        assert spend.meter_of_run(totals(burned=2 * PLAN), totals(burned=2 * PLAN, ceiling=0), setup=SETUP) is None


class TestArtifacts:
    def test_one_is_accepted(self) -> None:
        both = (Artifact(0, WHOLE), Artifact(1, WHOLE))
        assert artifacts.one_accepted_artifact(Ledger(receipts=(ROW, NEXT_ROW)), Store(), setup=SETUP)
        assert artifacts.one_accepted_artifact(Ledger(), Store(both), setup=AT_PUT)
        assert artifacts.one_accepted_artifact(Ledger(receipts=(ROW,)), Store(both), setup=SETUP) is None
        assert artifacts.one_accepted_artifact(Ledger(), Store(both, winner=(1, 0)), setup=LATEST) is None

    def test_no_dead_epoch_is_committed(self) -> None:
        assert artifacts.no_stale_commit(Ledger(highest=1, receipts=(ROW,)), setup=SETUP)
        assert artifacts.no_stale_commit(Ledger(highest=0, receipts=(ROW,)), setup=SETUP) is None

    @pytest.mark.parametrize("other", [Artifact(1, WHOLE), Artifact(0, SHORT)])
    def test_a_receipt_needs_its_very_artifact(self, other: Artifact) -> None:
        ledger = Ledger(receipts=(ROW,))
        assert artifacts.receipt_has_artifact(ledger, Store((other,)), setup=SETUP)
        assert artifacts.receipt_has_artifact(ledger, Store((other, Artifact(0, WHOLE))), setup=SETUP) is None

    def test_an_artifact_is_whole(self) -> None:
        assert artifacts.whole_artifact(Ledger(receipts=(Receipt(0, 1443, SHORT),)), Store(), setup=SETUP)
        assert artifacts.whole_artifact(Ledger(), Store((Artifact(0, SHORT),)), setup=SETUP) is None

    @pytest.mark.parametrize(
        ("event", "setup", "age", "fails"),
        [
            (CREATED, SETUP, 300, True),
            (CREATED, SETUP, 299, False),
            (COMMITTED, SETUP, 300, True),
            (COMMITTED, AT_PUT, 300, False),  # what counts there is the put, and that was judged
            (Event("put", outcome="LEASE_EXPIRED", epoch=0), SETUP, 300, False),
        ],
    )
    def test_a_lease_gates_puts_and_first_acceptance(self, event: Event, setup: Setup, age: int, fails: bool) -> None:
        assert bool(artifacts.lease_gates_writes(event, Clock(age), setup=setup)) is fails

    def test_a_lease_gates_every_start(self) -> None:
        begun, stopped = Attempt("grading"), Attempt("ended")
        event = Event("restart", epoch=0)
        assert artifacts.lease_gates_resume(event, Clock(300), begun, setup=SETUP)
        assert artifacts.lease_gates_resume(event, Clock(299), begun, setup=SETUP) is None
        assert artifacts.lease_gates_resume(event, Clock(300), stopped, setup=SETUP) is None

    def test_one_input_version(self) -> None:
        assert artifacts.one_input_version(Ledger(receipts=(Receipt(0, PLAN, TWO_INPUTS),)), Store(), setup=SETUP)
        assert artifacts.one_input_version(Ledger(receipts=(ROW,)), Store(), setup=SETUP) is None

    def test_the_input_is_the_granted_one(self) -> None:
        ledger = Ledger(receipts=(ROW,))
        assert artifacts.input_as_granted(ledger, Store(), Grant(1, Hold()), setup=SETUP)
        assert artifacts.input_as_granted(ledger, Store(), Grant(0, Hold()), setup=SETUP) is None

    def test_after_the_seal_nothing_is_booked_accepted_or_removed(self) -> None:
        sealed, stored = Ledger(receipts=(ROW,), sealed=0), Store((Artifact(0, WHOLE),))
        more = stored._replace(artifacts=(Artifact(0, WHOLE), Artifact(1, WHOLE)))
        both = sealed._replace(receipts=(ROW, NEXT_ROW))

        def why(after: Ledger, left: Store, setup: Setup, before: Ledger = sealed) -> str | None:
            return artifacts.sealed_is_final(COMMITTED, before, after, stored, left, setup=setup)

        assert "committed" in (why(both, stored, SETUP) or "")
        assert "is accepted" in (why(sealed, more, AT_PUT) or "")
        assert "is removed" in (why(sealed, Store(), SETUP) or "")
        assert "is removed" in (why(sealed, Store(), AT_PUT) or "")
        assert why(sealed, more, SETUP) is None
        unsealed = sealed._replace(sealed=-1)
        assert why(both._replace(sealed=-1), Store(), SETUP, before=unsealed) is None

    def test_the_winner_is_the_highest_epoch_that_has_put(self) -> None:
        both = (Artifact(0, WHOLE), Artifact(1, WHOLE))
        assert artifacts.winner_by_epoch(Ledger(), Store(both, winner=(0, 0)), setup=LATEST)
        assert artifacts.winner_by_epoch(Ledger(), Store(both, winner=(1, 0)), setup=LATEST) is None


class TestProvenance:
    @pytest.mark.parametrize(
        ("ledger", "store"),
        [
            (Ledger(), Store((Artifact(0, OTHER_REVISION), Artifact(0, WHOLE)))),
            (Ledger(receipts=(ROW,)), Store((Artifact(0, OTHER_REVISION),))),
            (Ledger(receipts=(ROW,), conflicts=(Receipt(0, PLAN, OTHER_REVISION),)), Store()),
            (Ledger(receipts=(Receipt(0, PLAN, Content((0,), (0, 1), 50)),)), Store()),
        ],
        ids=["two artifacts", "receipt and artifact", "receipt and conflict on record", "one row"],
    )
    def test_one_key_has_one_revision_wherever_it_stands(self, ledger: Ledger, store: Store) -> None:
        assert provenance.attributable(ledger, store, setup=SETUP)

    def test_two_keys_may_have_two(self) -> None:
        other = Receipt(1, PLAN, OTHER_REVISION)
        assert provenance.attributable(Ledger(receipts=(ROW, other)), Store(), setup=SETUP) is None

    def test_a_run_has_one_revision(self) -> None:
        assert provenance.one_revision(totals(revisions=(0, 1)), setup=SETUP)
        assert provenance.one_revision(totals(revisions=(1,)), setup=SETUP) is None

    def test_a_successor_is_on_record(self) -> None:
        ledger = Ledger(highest=1)
        assert provenance.superseded_chain(ledger, Grant(0, Hold()), setup=SETUP)
        assert provenance.superseded_chain(ledger, Grant(0, Hold(), 1), setup=SETUP) is None
        booked = ledger._replace(receipts=(ROW,))
        assert provenance.superseded_chain(booked, Grant(0, Hold()), setup=SETUP) is None


class TestReport:
    @pytest.mark.parametrize(
        ("claim", "wrong", "right"),
        [
            (report.denominator_is_shards, {"rows": 3, "reduced": 2}, {"rows": 2, "reduced": 2}),
            (report.no_aggregate_when_missing, {"reduced": 1}, {"reduced": 2}),
            (report.conflict_never_averaged, {"disputed": True}, {"disputed": False}),
            (report.printed_is_accepted, {"unaccepted": 1}, {"unaccepted": 0}),
        ],
    )
    def test_what_is_printed(self, claim, wrong: dict[str, object], right: dict[str, object]) -> None:  # type: ignore[no-untyped-def]
        assert claim(PRINTED, totals(**wrong), setup=SETUP)
        assert claim(PRINTED, totals(**right), setup=SETUP) is None
        assert claim(PRINTED._replace(outcome="MISSING_SHARDS"), totals(**wrong), setup=SETUP) is None

    def test_what_is_consumed_in_the_end(self) -> None:
        consumed = Shard(ledger=Ledger(receipts=(NEXT_ROW,)), reduced=((0, WHOLE),))
        kept = consumed._replace(reduced=((1, WHOLE),))
        assert report.consumed_is_accepted((unit(kept), unit(consumed)), setup=SETUP)
        assert report.consumed_is_accepted((unit(kept), unit(kept)), setup=SETUP) is None


class TestEndings:
    DONE = Shard(Driver("done"), Ledger(highest=0, receipts=(ROW,), sealed=0))
    OVER = totals(sealed=2, report="printed", committed=2 * PLAN)

    def why(self, shared: Shared, *shards: tuple[object, ...]) -> str:
        return endings.ends_well(shared, shards, setup=SETUP) or ""

    def test_a_run_that_is_done_ends_well(self) -> None:
        assert self.why(self.OVER, unit(self.DONE), unit(self.DONE)) == ""

    def test_a_live_hold_is_for_nobody(self) -> None:
        holds = unit(self.DONE, Epoch(Attempt(), Clock(), 0, held(PLAN)))
        assert "still held for nobody" in self.why(self.OVER, unit(self.DONE), holds)

    @pytest.mark.parametrize(
        ("phase", "highest", "ceiling", "fine"),
        [
            ("given up", 1, 9 * PLAN, True),
            ("given up", 0, 9 * PLAN, False),
            ("over ceiling", 0, PLAN, True),
            ("over ceiling", 0, 9 * PLAN, False),
            ("idle", 1, PLAN, False),
        ],
    )
    def test_a_missing_shard_has_a_reason_that_is_true_now(
        self, phase: str, highest: int, ceiling: int, fine: bool
    ) -> None:
        gone = Shard(Driver(phase), Ledger(highest=highest))
        shared = totals(sealed=1, committed=PLAN, report="MISSING_SHARDS", ceiling=ceiling)
        assert ("without a reason" not in self.why(shared, unit(self.DONE), unit(gone))) is fine

    @pytest.mark.parametrize(
        ("fields", "fine"),
        [
            ({"report": "printed", "sealed": 1}, False),
            ({"report": "", "sealed": 2}, False),
            ({"report": "MISSING_SHARDS", "sealed": 2}, False),
            ({"report": "MISSING_SHARDS", "sealed": 1}, True),
            ({"report": "UNRESOLVED_CONFLICT", "sealed": 2, "disputed": True}, True),
            ({"report": "UNRESOLVED_CONFLICT", "sealed": 2}, False),
            ({"report": "MIXED_REVISIONS", "sealed": 2, "revisions": (0, 1)}, True),
            ({"report": "MIXED_REVISIONS", "sealed": 2}, False),
            ({"report": "NO_RECEIPT", "sealed": 2, "unaccepted": 1}, True),
            ({"report": "NO_RECEIPT", "sealed": 2}, False),
        ],
    )
    def test_the_last_word_of_the_report_is_true(self, fields: dict[str, object], fine: bool) -> None:
        assert (endings.reported(totals(**fields), SETUP) is None) is fine


class TestProgress:
    @pytest.mark.parametrize(
        ("shards", "burned", "due"),
        [
            (((False, True), (False, True)), 0, True),
            (((False, True), (False, True)), 1, False),
            (((True, False), (False, True)), PLAN, True),
            (((True, False), (False, True)), PLAN + 1, False),
            (((False, False), (False, True)), 0, False),
            (((True, False), (True, False)), 2 * PLAN, True),
        ],
    )
    def test_burned_and_one_plan_for_each_unsealed_shard_fit(
        self, shards: tuple[tuple[bool, bool], ...], burned: int, due: bool
    ) -> None:
        outlooks = tuple(progress.Outlook(*shard) for shard in shards)
        assert progress.may_finish(totals(burned=burned), outlooks, setup=SETUP) is due

    def test_live_holds_do_not_count_against_it(self) -> None:
        outlooks = (progress.Outlook(False, True),) * 2
        assert progress.may_finish(totals(held=2 * PLAN), outlooks, setup=SETUP)


def test_a_shard_is_what_its_parts_are() -> None:
    shard = TestEndings.DONE
    parts = unit(shard, Epoch(Attempt("sent"), Clock(210), 37, held(PLAN)))
    again = shard_of(parts)
    assert again[:-1] == shard[:-1]
    assert again.epochs[0] == Epoch(Attempt("sent"), Clock(210), 37, held(PLAN))
    assert again.meters == (37, 0)
