"""Two machines in lockstep: what differs is an answer, not who gives it."""

from dataclasses import replace

from fencebench.checker.search.limits import Limits
from fencebench.checker.search.lockstep import lockstep
from fencebench.model.build import build
from fencebench.model.fences import REFERENCE
from fencebench.model.machine import Machine
from fencebench.model.settings import FAULTS, Bound

BOUND = Bound(faults=1, caps={fault: int(fault == "late") for fault in FAULTS}, spare_attempts=1)


def renamed(boundary: str) -> Machine:
    """Return the reference with every rule of a boundary under another name."""
    rules = tuple(replace(rule, name=f"{rule.name}_too", behind=()) for rule in getattr(REFERENCE, boundary))
    return build(REFERENCE.having(**{boundary: rules}), BOUND)


def test_the_same_answers_by_other_rules_are_no_difference() -> None:
    found = lockstep(build(REFERENCE, BOUND), renamed("commit"), Limits())
    assert (found.difference, found.limit) == (None, None)
    assert found.states > 100


def test_another_class_is_one() -> None:
    found = lockstep(build(REFERENCE, BOUND), build(REFERENCE.without("commit.stale_epoch"), BOUND), Limits())
    assert found.difference is not None
    last = found.difference.last
    assert last.old is not None
    assert last.new is not None
    assert (last.old.event.outcome, last.new.event.outcome) == ("STALE_EPOCH", "LEASE_EXPIRED")
