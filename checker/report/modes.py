"""How fences fail, in plain words: one failure mode for each promise, grouped by what is at stake.

The sentence tells somebody who never saw the bench what goes wrong; the question is for a fence under review.
"""

from typing import NamedTuple


class Mode(NamedTuple):
    """A failure mode: the group it belongs to, one sentence in plain words, and the question for a reviewer."""

    group: str
    sentence: str
    question: str


MONEY, RESULT, ORIGIN = "Money", "Two writers, one result", "Where a number comes from"
REPORT, ANSWERS, PROGRESS = "What the report says", "Answers", "Getting to an end"
GROUPS = (RESULT, MONEY, ORIGIN, REPORT, ANSWERS, PROGRESS)
"""In the order of the catalogue."""

MODES: dict[str, Mode] = {
    "one_accepted_artifact": Mode(
        RESULT,
        "An attempt that was given up comes back, and both its result and its successor's count for the same shard.",
        "What makes the second of two finished results lose, whichever comes first?",
    ),
    "billed_once": Mode(
        RESULT,
        "Two attempts at one shard are booked, so the shard is paid for twice and weighs twice.",
        "Does the ledger refuse a second receipt of a shard, or only a second receipt of an attempt?",
    ),
    "no_stale_commit": Mode(
        RESULT,
        "The ledger books a row of an attempt although a newer one was granted: it compares with the wrong mark.",
        "Is the gate raised when an epoch is granted, or only when one commits or is sealed?",
    ),
    "winner_by_epoch": Mode(
        RESULT,
        "Of two results the one with the later timestamp wins, so a clock decides and not the order of the grants.",
        "Does any comparison of two results look at a time?",
    ),
    "lease_gates_writes": Mode(
        RESULT,
        "Something is written for an attempt whose lease is over, while its successor may already be at work.",
        "Whose clock judges the lease at the moment of the write?",
    ),
    "lease_gates_resume": Mode(
        RESULT,
        "An attempt starts or goes on under a lease that has run out, and spends for nothing.",
        "Is the lease looked at before every start, also where there is no checkpoint?",
    ),
    "sealed_is_final": Mode(
        RESULT,
        "A shard is closed, and a late row still changes what it says.",
        "Does everything that can write ask first whether the shard is sealed?",
    ),
    "spend_under_ceiling": Mode(
        MONEY,
        "More tokens are booked or promised than the run is allowed to spend.",
        "Is the ceiling checked in the same write that makes the promise?",
    ),
    "holds_end_once": Mode(
        MONEY,
        "A reservation is settled twice or not in full, so the books do not add up.",
        "Can a hold be closed by two events that do not know of each other?",
    ),
    "meter_under_ceiling": Mode(
        MONEY,
        "The provider bills more than was ever granted: dead or repeated attempts burn tokens that nobody counts.",
        "Who refuses a call of an attempt that is no longer wanted?",
    ),
    "receipt_has_artifact": Mode(
        ORIGIN,
        "A receipt exists and the result that it names does not.",
        "Does the ledger look into the store before it books?",
    ),
    "whole_artifact": Mode(
        ORIGIN,
        "A result with fewer cases than planned is accepted as if it were whole.",
        "What happens to an attempt that the provider cuts off?",
    ),
    "one_input_version": Mode(
        ORIGIN,
        "The cases of one result were graded on two versions of the input.",
        "Is the digest of the input compared when a checkpoint is used, and again before it counts?",
    ),
    "attributable": Mode(
        ORIGIN,
        "One key carries results of two model revisions, so nobody can say who produced the number.",
        "Is the revision that served a call compared with the one that was pinned?",
    ),
    "one_revision": Mode(
        ORIGIN,
        "Shards of one run were graded by different model revisions and are averaged all the same.",
        "Is the revision a fact of the run, or of each attempt?",
    ),
    "superseded_chain": Mode(
        ORIGIN,
        "An attempt was replaced and nothing on record says by which.",
        "Is the link to the successor written together with the successor's grant?",
    ),
    "denominator_is_shards": Mode(
        REPORT,
        "The average is taken over what happens to be there and not over what was planned.",
        "What is the number divided by when a shard is missing or counted twice?",
    ),
    "no_aggregate_when_missing": Mode(
        REPORT,
        "A total is printed although a planned shard has no result.",
        "What does the report do when it is asked too early?",
    ),
    "conflict_never_averaged": Mode(
        REPORT,
        "Two results that contradict each other are both taken into the average.",
        "Does a recorded conflict stop the report until somebody decides?",
    ),
    "consumed_is_accepted": Mode(
        REPORT,
        "The reducer used a result that was never accepted, or was taken back later.",
        "Can anything be consumed before its shard is sealed, and is it ever retracted?",
    ),
    "rejections_classified": Mode(
        ANSWERS,
        "A refusal gives a reason that is not true, so whoever reads it does the wrong thing next.",
        "Is the same key with other content told apart from the same message sent twice?",
    ),
    "ends_well": Mode(
        PROGRESS,
        "All is over, and tokens are still held, a shard is missing without a reason, or the report is silent.",
        "Who gives back what a dead attempt has reserved?",
    ),
    "can_finish": Mode(
        PROGRESS,
        "There is budget and there are epochs left, and still the run can never be completed.",
        "After this fault, is there any way at all to a sealed run?",
    ),
}
