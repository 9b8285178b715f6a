"""Says whether an answer is allowed in one alternative: acceptances by their guards, refusals by their conditions."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fencebench.checker.oracle.judge.conditions import CONDITIONS
from fencebench.checker.oracle.judge.context import (
    Context,
    is_replaced,
    is_retry,
    lease_may_run,
    same_content,
)
from fencebench.checker.oracle.judge.guards import GUARDS, REFUSALS_PROMISE
from fencebench.checker.oracle.judge.spend import releasable
from fencebench.checker.oracle.log.ops import OPS
from fencebench.model.fence import GO_ON, Refusal


@dataclass(frozen=True)
class Finding:
    """An answer that was not allowed: the rule that was false, the promise it serves, what was allowed instead.

    `promises` are all that the answer breaks, `property` the first of them.
    """

    rule: str
    property: str
    code: str | None
    why: str
    allowed: tuple[str, ...]
    promises: tuple[str, ...] = ()


def check(s: Context) -> Finding | None:
    """Whether the answer is allowed; None, or what is wrong with it."""
    return _check_refusal(s) if s.event.answer == "refuse" else check_acceptance(s)


def check_acceptance(s: Context) -> Finding | None:
    """The first guard that is false. To say yes again to what is there already breaks no promise."""
    guards = GUARDS.get(s.event.op, ())
    again = s.event.counted is not True and guards and is_retry(s)
    for number, guard in enumerate(() if again else guards):
        clause = guard.failing(s)
        if clause is not None:
            broken = dict.fromkeys(p for g in guards[number:] if g is guard or g.failing(s) for p in g.promises)
            return Finding(guard.rule, guard.promise, guard.code, clause, allowed(s), tuple(broken))
    return None


def _check_refusal(s: Context) -> Finding | None:
    refusal = s.event.refusal
    condition = None if refusal is None else CONDITIONS[refusal]
    if refusal is None or condition is None or s.event.op not in condition.ops:
        return _check_bare_refusal(s)
    clause = condition.denied(s)
    return _wrong_refusal(s, refusal.lower(), f"{refusal} is not true: {clause}") if clause else None


def _check_bare_refusal(s: Context) -> Finding | None:
    """A refusal without a class of the design: some class is seen to be true, and not because of its own change."""
    if _own_change(s):
        return _wrong_refusal(s, "own_change", f"epoch {s.epoch} repeats its own request, with the same content")
    if check_acceptance(s) is not None or _true_classes(s, go_on=False):
        return None
    return _wrong_refusal(s, "refused_for_a_reason", "no class of refusal is true and every guard holds")


def _own_change(s: Context) -> bool:
    return same_content(s) is True and not is_replaced(s) and not s.attempt.ended and lease_may_run(s)


def _wrong_refusal(s: Context, rule: str, why: str) -> Finding:
    own = same_content(s) is True or (s.shard.version_by == s.epoch and s.shard.version is not None)
    code = "OWN_WRITE_REFUSED" if own else None
    return Finding(rule, REFUSALS_PROMISE, code, why, allowed(s), (REFUSALS_PROMISE,))


def allowed(s: Context) -> tuple[str, ...]:
    """Every answer that is allowed here: the acceptance if its guards hold, and the classes seen to be true."""
    given = s._replace(event=s.event._replace(counted=None, outcome=_success(s.event.op)))
    guards = () if is_retry(given) else GUARDS.get(s.event.op, ())
    accepted = () if any(guard.failing(given) for guard in guards) else OPS[s.event.op].accepts[:1]
    others = (*OTHERWISE.get(s.event.op, _no_other)(s), *_true_classes(s, go_on=True))
    return (*accepted, *others) if accepted or others else ("refused",)


def _success(op: str) -> str | None:
    return next(iter(OPS[op].accepts), None)


def _no_other(s: Context) -> tuple[str, ...]:
    return ()


OTHERWISE: Final[dict[str, Callable[[Context], tuple[str, ...]]]] = {
    "ckpt.resume": lambda s: ("restarted",) if lease_may_run(s) and not is_replaced(s) else (),
    "ledger.release": lambda s: (f"released, at most {releasable(s)} tokens",),
    "ledger.rebuild": lambda s: (f"ok, with a total of {s.run.committed()[0]}",),
    "ledger.commit": lambda s: (f"committed, with {s.attempt.drawn} tokens",) if _other_tokens(s) else (),
}
"""Answers with other values that are allowed, where that is not plain from the words."""


def _other_tokens(s: Context) -> bool:
    given = s._replace(event=s.event._replace(tokens=s.attempt.drawn, counted=None))
    wrong = s.attempt.called and s.event.tokens != s.attempt.drawn
    return wrong and not any(guard.failing(given) for guard in GUARDS["ledger.commit"])


def _true_classes(s: Context, go_on: bool) -> tuple[str, ...]:
    return tuple(str(name) for name in classes_of(s.event.op, go_on) if CONDITIONS[name].denied(s) is None)


def classes_of(op: str, go_on: bool = True) -> tuple[Refusal, ...]:
    """The classes that make sense at an op; without `go_on`, those that are no success told again."""
    return tuple(n for n, each in CONDITIONS.items() if op in each.ops and (go_on or n not in GO_ON))
