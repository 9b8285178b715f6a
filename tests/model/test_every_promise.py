"""No promise is vacuous: a catalogued fence breaks it, or the reference does without some rules."""

from pathlib import Path

import pytest

from fencebench.checker.fast.explore import explore
from fencebench.model.build import build
from fencebench.model.fences import FENCES, REFERENCE
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.settings import Bound

STORIES = Path(__file__).resolve().parents[2] / "counterexamples"
"""`test_gallery` sees to it that each of these still breaks its promise."""

WITHOUT = {
    "holds_end_once": (("commit.not_drawn",), (1, 10)),
    "books_cover_meter": (("call.no_hold",), (1, 8)),
    "input_as_granted": (("call.other_input", "put.other_input", "commit.other_input", "mixed_inputs"), (1, 13)),
    "receipt_has_artifact": (("commit.not_drawn", "commit.no_artifact"), (1, 1)),
    "can_finish": (("reserve.already_reserved",), (1, 1)),
}
"""Promises that no catalogued fence breaks: the rules that bear them, and the cost of the shortest story without."""


@pytest.mark.parametrize("promise", WITHOUT)
def test_without_these_rules_the_promise_breaks(promise: str) -> None:
    rules, cost = WITHOUT[promise]
    broken = explore(build(REFERENCE.without(*rules), Bound(faults=1, spare_attempts=1))).findings
    assert (broken[promise].faults, broken[promise].steps) == cost


def test_every_promise_is_broken_by_something() -> None:
    told = {path.name.removesuffix(".itf.json") for name in FENCES for path in (STORIES / name).glob("*.itf.json")}
    assert told | {*WITHOUT} == {*NAMES}
