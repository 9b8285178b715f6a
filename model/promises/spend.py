"""Promises about tokens: what is held, booked, written off and burned."""

from fencebench.model.machines.ledger import Grant, Ledger
from fencebench.model.machines.shared import Shared
from fencebench.model.promises.promise import MONEY, RESULT, Claim, Promise, Scope
from fencebench.model.settings import Setup


def spend_under_ceiling(shared: Shared, after_shared: Shared, *, setup: Setup) -> str | None:
    """No step raises committed + held + written off above the ceiling of that moment.

    Source: seeds/000, "a budget overshoot is prevented rather than detected".
    """
    now = after_shared.promised
    if shared.promised < now > after_shared.ceiling:
        kinds = (
            f"committed {after_shared.committed} + held {after_shared.held} + written off {after_shared.written_off}"
        )
        return f"{kinds} = {now} tokens, above the ceiling of {after_shared.ceiling}"
    return None


def holds_end_once(grant: Grant | None, *, setup: Setup) -> str | None:
    """The booked, written off and released parts of an ended hold add up to the hold, once.

    Source: seeds/000 step 2, reservations that are reclaimable and receipts that are append-only.
    """
    hold = grant.hold if grant else None
    if hold is None or hold.live or not hold.tokens:
        return None
    parts = (hold.booked, hold.written_off, hold.released)
    if min(parts) < 0 or sum(parts) != hold.tokens:
        told = f"booked {parts[0]}, written off {parts[1]} and released {parts[2]}"
        return f"the hold of {hold.tokens} tokens of epoch {setup.epoch} ended as {told}"
    return None


def billed_once(ledger: Ledger, *, setup: Setup) -> str | None:
    """A shard has at most one receipt.

    Source: seeds/000, "committed spend counted twice"; seeds/002, two rows for one shard.
    """
    if len(ledger.receipts) > 1:
        rows = " and ".join(f"epoch {r.epoch} ({r.tokens} tokens)" for r in ledger.receipts)
        return f"{len(ledger.receipts)} receipts for one shard: {rows}"
    return None


def books_cover_meter(
    ledger: Ledger, meters: tuple[int, ...], grants: tuple[Grant | None, ...], *, setup: Setup
) -> str | None:
    """What a shard burned is never more than what is committed, held and written off for it.

    Source: seeds/000, tokens of dead attempts burn unseen; design section 5: nothing that is billed is in no account.
    """
    holds = [grant.hold for grant in grants if grant]
    committed = sum(row.tokens for row in ledger.receipts)
    held, wasted = sum(h.tokens for h in holds if h.live), sum(h.written_off for h in holds)
    burned, kept = sum(meters), committed + held + wasted
    if burned > kept:
        return (
            f"{burned} tokens are burned, and the books have {committed} committed, {held} held, {wasted} written off"
        )
    return None


def meter_under_ceiling(ledger: Ledger, meters: tuple[int, ...], *, setup: Setup) -> str | None:
    """A shard never burns more than one plan for each epoch granted, and no call lifts the run above its ceiling.

    Source: seeds/000, tokens of dead attempts burn unseen; "it fails quietly by truncating, which is worse".
    """
    most, granted = setup.settings.plan_tokens * (ledger.highest + 1), ledger.highest + 1
    if sum(meters) > most:
        return (
            f"the shard burned {sum(meters)} tokens under {granted} granted epoch(s) of {most // max(granted, 1)} each"
        )
    return None


def meter_of_run(shared: Shared, after_shared: Shared, *, setup: Setup) -> str | None:
    """No call raises the run's burned total above the ceiling of that moment.

    Source: as `meter_under_ceiling`, of which this is the run's part.
    """
    if shared.burned < after_shared.burned > after_shared.ceiling:
        return f"the run burned {after_shared.burned} tokens, above the ceiling of {after_shared.ceiling}"
    return None


PROMISES = (
    Promise(
        spend_under_ceiling,
        scope=Scope.TOTALS,
        title="More is promised than the ceiling covers",
        group=MONEY,
        failure="More tokens are booked or promised than the run is allowed to spend.",
        question="Is the ceiling checked in the same write that makes the promise?",
    ),
    Promise(
        holds_end_once,
        title="A hold ends twice, or not in full",
        group=MONEY,
        failure="A reservation is settled twice or not in full, so the books do not add up.",
        question="Can a hold be closed by two events that do not know of each other?",
    ),
    Promise(
        billed_once,
        title="One shard is billed twice",
        group=RESULT,
        failure="Two attempts at one shard are booked, so the shard is paid for twice and weighs twice.",
        question="Does the ledger refuse a second receipt of a shard, or only a second receipt of an attempt?",
    ),
    Promise(
        books_cover_meter,
        title="Tokens are billed that no account has",
        group=MONEY,
        failure="The provider bills tokens that are neither booked nor held nor written off, so nobody sees them.",
        question="What becomes of the tokens that a dead attempt has drawn, and of those that it draws after that?",
    ),
    Promise(
        meter_under_ceiling,
        more=(Claim(meter_of_run),),
        scope=Scope.TOTALS,
        title="More is burned than was ever granted",
        group=MONEY,
        failure="The provider bills more than was ever granted: "
        "dead or repeated attempts burn tokens that nobody counts.",
        question="Who refuses a call of an attempt that is no longer wanted?",
    ),
)
