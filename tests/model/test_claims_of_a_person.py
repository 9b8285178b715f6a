"""Claims that a person would make of a sound batch, written down apart from the promises of the bench.

Each is judged on the reference, and on the reference less one or two of its ideas. What breaks a claim and no promise
of the bench is either a hole in the promises or a free choice; the free choices are listed here with the reason.
"""

from collections.abc import Callable

import pytest

from fencebench.checker.analysis.variants import altered, rule_names, strategy_changes
from fencebench.checker.fast.explore import explore
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.machine import Event, Unit
from fencebench.model.machines.driver import Driver
from fencebench.model.machines.lease import Clock, over
from fencebench.model.machines.ledger import Content, Grant, Ledger
from fencebench.model.machines.shared import Shared
from fencebench.model.machines.store import Store
from fencebench.model.machines.worker import Attempt
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.promises.promise import Promise, Scope
from fencebench.model.settings import Bound, Setup
from fencebench.model.shard import shard_of
from tests.quick import thorough

SERVED = ("by rev-A", "by rev-B", "by rev-C")


def totals_are_sums(shared: Shared, units: tuple[Unit, ...], *, setup: Setup) -> str | None:
    """When a run is over its totals are the sums of what the shards' books and meters say."""
    shards = [shard_of(unit) for unit in units]
    holds = [grant.hold for shard in shards for grant in shard.grants]
    sums = {
        "held": sum(hold.tokens for hold in holds if hold.live),
        "written_off": sum(hold.written_off for hold in holds),
        "committed": sum(row.tokens for shard in shards for row in shard.ledger.receipts),
        "burned": sum(meter for shard in shards for meter in shard.meters),
        "sealed": sum(shard.ledger.sealed >= 0 for shard in shards),
    }
    return next(
        (f"{name}: {total} in the shards" for name, total in sums.items() if total != getattr(shared, name)), None
    )


def books_are_exact(shared: Shared, units: tuple[Unit, ...], *, setup: Setup) -> str | None:
    """When a run is over the books say neither more nor less than what was burned."""
    booked = shared.committed + shared.written_off
    return None if booked == shared.burned else f"{booked} tokens on the books, {shared.burned} burned"


def rows_name_what_was_drawn(event: Event, meter: int, after_ledger: Ledger, *, setup: Setup) -> str | None:
    """A row is booked with the tokens that its epoch has drawn by then."""
    wrong = [row.tokens for row in after_ledger.receipts if row.epoch == setup.epoch and row.tokens != meter]
    return f"a row names {wrong[0]} tokens, and {meter} were drawn" if wrong and event.outcome == "COMMITTED" else None


def one_live_hold(grants: tuple[Grant | None, ...], *, setup: Setup) -> str | None:
    """A shard has at most one live hold."""
    live = sum(grant is not None and grant.hold.live for grant in grants)
    return f"{live} live holds" if live > 1 else None


def no_call_after_the_receipt(event: Event, ledger: Ledger, *, setup: Setup) -> str | None:
    """No call is served for a shard that has its receipt."""
    return "a call is served after the receipt" if event.outcome in SERVED and ledger.receipts else None


def no_call_beside_a_successor(event: Event, ledger: Ledger, attempt: Attempt, *, setup: Setup) -> str | None:
    """No call is served to an attempt whose successor is granted."""
    return "a replaced attempt is served" if event.outcome in SERVED and setup.epoch < ledger.highest else None


def no_grant_before_the_end_of_a_lease(event: Event, older: Clock, ledger: Ledger, *, setup: Setup) -> str | None:
    """The next epoch is granted only when the lease before it is over."""
    early = event.outcome == "reserved" and setup.epoch > 0 and not over(older, setup)
    return f"granted {older.age_seconds} s into the lease before" if early else None


def rows_are_pinned(ledger: Ledger, *, setup: Setup) -> str | None:
    """Every booked row was served by the revision that is planned for its run, wholly."""
    return next((f"revisions {r.content.revisions}" for r in ledger.receipts if r.content.revisions != (0,)), None)


def print_is_what_is_sealed(shared: Shared, units: tuple[Unit, ...], *, setup: Setup) -> str | None:
    """A printed number is made of one row a shard, that of the sealed epoch, and its artifact can be fetched."""
    for shard in map(shard_of, units) if shared.report == "printed" else ():
        sealed = [row.identity for row in shard.ledger.receipts if row.epoch == shard.ledger.sealed]
        if not sealed or list(shard.reduced) != sealed or sealed[0] not in shard.store.artifacts:
            return f"printed {shard.reduced}, sealed {sealed}"
    return None


def paid_work_is_used(
    event: Event, checkpoint: Content | None, fixture: int, grant: Grant | None, *, setup: Setup
) -> str | None:
    """A checkpoint that is of the granted slice and the pinned revision is gone on from, not graded again."""
    if checkpoint is None or grant is None or event.outcome != "from 0":
        return None
    usable = checkpoint.inputs == (grant.named,) == (fixture,) and checkpoint.revisions == (0,)
    return "a usable checkpoint is left alone" if usable else None


def nothing_is_dispatched_in_vain(
    event: Event, driver: Driver, grant: Grant | None, store: Store, *, setup: Setup
) -> str | None:
    """Whoever is sent out has a live hold, and the store knows of its epoch."""
    ready = grant is not None and grant.hold.live and store.register >= setup.epoch
    return None if event.outcome != "started" or event.fault or ready else "sent out without a hold or a register"


OF_STEPS: dict[Callable[..., str | None], tuple[str, ...]] = {
    rows_name_what_was_drawn: ("deliver", "forge"),
    no_call_after_the_receipt: ("grade",),
    no_call_beside_a_successor: ("grade",),
    no_grant_before_the_end_of_a_lease: ("reserve",),
    paid_work_is_used: ("restart",),
    nothing_is_dispatched_in_vain: ("dispatch",),
}
OF_STATES = (one_live_hold, rows_are_pinned)
OF_ENDS = (totals_are_sums, books_are_exact, print_is_what_is_sealed)
CLAIMS = (
    *(Promise(claim, about) for claim, about in OF_STEPS.items()),
    *map(Promise, OF_STATES),
    *(Promise(claim, scope=Scope.FINAL) for claim in OF_ENDS),
)
MINE = {promise.name for promise in CLAIMS}

FREE = {
    "register=none": (
        "nothing_is_dispatched_in_vain",
        "the store asks whether the lease runs, and a successor has none",
    ),
    "model=a revision per epoch": (
        "rows_are_pinned",
        "a grant may name a newer revision; two shards tell the difference",
    ),
}
"""What breaks a claim and no promise: choices that are free, and why."""

SEEN = {
    "call.no_hold": {"no_call_after_the_receipt", "no_call_beside_a_successor", "books_are_exact"},
    "commit.not_drawn": {"rows_name_what_was_drawn", "books_are_exact"},
    "settlement=write off whole": {"books_are_exact"},
    "recovery=next epoch": {"no_grant_before_the_end_of_a_lease", "one_live_hold"},
    "consumption=stored": {"print_is_what_is_sealed"},
}
"""What breaks claims (these, and maybe more), and a promise of the bench with them."""


def broken(fence: Fence) -> set[str]:
    asked = fence.having(promises=CLAIMS)
    bounds = (Bound(faults=1), Bound(faults=1, spare_attempts=1))
    return {name for bound in bounds for name in explore(build(asked, bound)).findings}


@pytest.mark.parametrize("name", ["reference", "token-level", "compensating"])
def test_the_sound_fences_keep_every_claim(name: str) -> None:
    assert broken(FENCES[name]) == set()


@pytest.mark.parametrize("part", SEEN)
def test_what_breaks_a_claim_breaks_a_promise(part: str) -> None:
    found = broken(altered(REFERENCE, part))
    assert found >= SEEN[part]
    assert found & {*NAMES}


@pytest.mark.parametrize("part", FREE)
def test_a_free_choice_breaks_a_claim_and_no_promise(part: str) -> None:
    assert broken(altered(REFERENCE, part)) == {FREE[part][0]}


@thorough
@pytest.mark.parametrize("part", sorted({*rule_names(REFERENCE), *strategy_changes(REFERENCE)} - {*FREE}))
def test_no_single_part_breaks_a_claim_unseen(part: str) -> None:
    found = broken(altered(REFERENCE, part))
    assert found & {*NAMES} or not found
