"""A replayed story: refused, stopped, both or neither; what was answered on the way is told in each case."""

import pytest

from fencebench.checker.report.stored import recall
from fencebench.checker.search.progress import out_of_reach
from fencebench.checker.search.replay import Replay, StoredStep, replay
from tests.orders import TRACES
from tests.toys import swamp

NOWHERE = StoredStep(0, "grade", 1, "grade 7–9", "")
"""A step that no attempt takes."""


def again(fence: str, *more: tuple[StoredStep, str], upto: int | None = None) -> Replay:
    recalled = recall(TRACES / "both-epochs-commit.itf.json", fence)
    return replay(recalled.machine, [*recalled.trace.steps[:upto], *more], recalled.promise)


@pytest.mark.parametrize(
    ("fence", "more", "verdict", "refused"),
    [
        ("spend-sketch", (), "still violates", False),
        ("reference", (), "fixed", True),
        ("reference", ((NOWHERE, ""),), "no longer executable", True),
        ("shard-keyed", ((NOWHERE, ""),), "still violates", False),
    ],
    ids=["neither", "refused", "refused and stopped", "broken before it stopped"],
)
def test_refused_and_stopped(fence: str, more: tuple[tuple[StoredStep, str], ...], verdict: str, refused: bool) -> None:
    found = again(fence, *more)
    assert found.verdict == verdict
    assert bool(found.answered) is refused


def test_a_stop_names_its_step_also_after_a_refusal() -> None:
    whole = again("reference")
    assert whole.step == whole.answered[0][0]
    steps = len(recall(TRACES / "both-epochs-commit.itf.json", None).trace.steps)
    assert again("reference", (NOWHERE, "")).step == steps + 1


def test_a_stop_without_a_refusal() -> None:
    found = again("spend-sketch", (NOWHERE, ""), upto=3)
    assert (found.verdict, found.step, found.answered) == ("no longer executable", 4, ())


def test_what_a_refused_attempt_would_have_done_is_void() -> None:
    """Steps of the attempt that is refused are left out; those of the other are still asked for."""
    found = again("reference")
    refused = {t.event.epoch for t in found.trace if t.event.outcome == "STALE_EPOCH"}
    assert refused == {0}
    assert [t.event.outcome for t in found.trace if t.event.action == "deliver"] == ["STALE_EPOCH", "COMMITTED"]


def test_a_fault_is_no_way_to_the_goal() -> None:
    machine = swamp()
    edge = machine.initial
    path = next(t.after for t in machine.successors(edge) if t.event.action == "walk")
    sunk = next(t.after for t in machine.successors(path) if t.event.action == "sink")
    assert [t.event.fault for t in machine.successors(sunk)] == ["rescue"]
    assert (out_of_reach(machine, edge), out_of_reach(machine, path)) == (None, None)
    assert "no step is left" in (out_of_reach(machine, sunk) or "")
