"""The orders of events that the documents tell, stored and replayed."""

from dataclasses import replace

import pytest

from fencebench.checker.report.stored import recall
from fencebench.checker.search.replay import Replay
from tests.orders import ORDERS, TRACES, Order, told


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
def test_a_stored_order_is_what_the_model_tells(order: Order) -> None:
    assert order.path.read_text(encoding="utf-8") == told(order)


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: order.name)
def test_a_stored_order_still_violates_where_it_was_told(order: Order) -> None:
    assert recall(order.path, None).replay().verdict == "still violates"


def on(name: str, fence: str) -> Replay:
    return recall(TRACES / f"{name}.itf.json", fence).replay()


@pytest.mark.parametrize(
    ("name", "fence", "refusal"),
    [
        ("six-steps", "spend-sketch", "LEASE_MARGIN"),
        ("six-steps", "reference", "NO_HOLD"),
        ("late-commit", "reference", "STALE_EPOCH"),
        ("both-epochs-commit", "reference", "STALE_EPOCH"),
        ("other-content-as-duplicate", "reference", "NO_HOLD"),
        ("late-row-after-seal", "provenance-sketch-a", "STALE_EPOCH"),
    ],
)
def test_a_fence_that_stops_an_order_says_with_what(name: str, fence: str, refusal: str) -> None:
    again = on(name, fence)
    assert again.verdict == "fixed"
    assert refusal in [answer for _, answer in again.answered]


def test_the_late_commit_of_the_drive_is_booked_by_both_weak_fences() -> None:
    for fence in ("shard-keyed", "spend-sketch"):
        again = on("late-commit", fence)
        assert again.verdict == "still violates"
        assert again.trace[-1].event.outcome == "COMMITTED"


def test_a_second_run_is_no_matter_to_a_fence_keyed_by_run() -> None:
    assert on("second-run-refused", "reference").verdict == "fixed"


def test_a_story_of_other_steps_is_no_longer_executable() -> None:
    again = on("six-steps", "provenance-sketch-a")
    assert (again.verdict, again.step) == ("no longer executable", 4)


def test_a_story_on_a_changed_bound_stops_where_the_budget_ends() -> None:
    recalled = recall(TRACES / "late-commit.itf.json", None)
    without = replace(recalled, bound=replace(recalled.bound, faults=0)).replay()
    late = [step.action for step, _ in recalled.trace.steps].index("late") + 1
    assert (without.verdict, without.step) == ("no longer executable", late)
