"""The cheapest step that a fence without one of its rules answers otherwise.

Without a rule only those answers can change that it gave, and the rule that then answers stands behind it in the very
event. So one search of the fence itself finds the step, on any engine; no two machines have to be explored in lockstep.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from checker.command.bounds import Asked
from checker.command.engines import ENGINES
from checker.command.variants import altered
from checker.lockstep import Move, Pair, choices, differing
from checker.result import Finding, Limits
from model.composition import build
from model.fence import Fence
from model.machine import Event, Machine, Property

ASKED = "another answer"


def other_answer(fence: Fence, rule: str, wanted: Asked, limits: Limits) -> Move | None:
    """Return the cheapest differing step over all bounds: with the rule, and without it."""
    best: tuple[tuple[int, int], Finding, Machine, Machine] | None = None
    for bound in wanted.bounds:
        machines = build(fence, bound, wanted.settings), build(altered(fence, rule), bound, wanted.settings)
        found = first(machines[0], partial(differs, fence=fence, rule=rule), limits)
        if found and (best is None or found.cost < best[0]):
            best = found.cost, found, *machines
    return best and move(*best[1:])


def differs(event: Event, *, fence: Fence, rule: str) -> bool:
    """Say whether the rule answers, and what stands behind it would answer with another class."""
    behind = dict(fence.rules())[event.behind[0]].refusal if event.rule == rule and event.behind else None
    return event.rule == rule and behind != event.outcome


def first(machine: Machine, about: Callable[[Event], bool], limits: Limits) -> Finding | None:
    """Find the cheapest step with such an event."""
    claim = Property(ASKED, ("event",), lambda event: event.outcome, about=about)
    asked = replace(machine, properties=(claim,), witnesses=(), progress=None)
    result = ENGINES["auto"](True)(asked, replace(limits, stop_at="first"), lambda *_: None)
    return result.findings.get(ASKED)


def move(found: Finding, old: Machine, new: Machine) -> Move:
    """Return the last step of a story beside what the other machine does instead."""
    *before, last = found.trace
    state = before[-1].after if before else old.initial
    both = differing(old, new, choices(old, new, Pair(state, state)))
    return next((each for each in both if each.old == last), Move(last, None))
