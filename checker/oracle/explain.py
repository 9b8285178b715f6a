"""The state of a shard and its run in words, as it was before a line."""

from fencebench.checker.oracle.branches import branches_of
from fencebench.checker.oracle.events import Event
from fencebench.checker.oracle.queries import unsealed
from fencebench.checker.oracle.state import Attempt, Branch, Run


def state_of(run: Run, event: Event) -> tuple[str, ...]:
    """What was known when the event came, one line a fact; each alternative where there are several."""
    total = f"run {event.run}: {_totals(run)}"
    if event.shard is None:
        return (total, f"planned and not sealed: {unsealed(run)}")
    branches = branches_of(run, event.shard)
    lines = [total]
    for number, branch in enumerate(branches, 1):
        if len(branches) > 1:
            lines.append(f"alternative {number} of {len(branches)}, because of an answer that never came")
        lines.extend(_branch(branch, event))
    return tuple(lines)


def _totals(run: Run) -> str:
    spend, ceiling = run.spend, run.plan.ceiling
    used = str(spend.least) if spend.least == spend.most else f"{spend.least} to {spend.most}"
    return f"{used} tokens count against the ceiling of {ceiling}, {spend.booked} are committed"


def _branch(branch: Branch, event: Event) -> list[str]:
    facts = branch.facts
    known = {
        "input": facts.input,
        "config": facts.config,
        "accepted": facts.accepted and f"{facts.accepted.digest} of epoch {facts.accepted.epoch}",
        "receipt of epoch": facts.receipt_epoch,
        "state": facts.state,
        "version": facts.version,
        "sealed": "yes" if facts.sealed else None,
    }
    shard = ", ".join(f"{word} {value}" for word, value in known.items() if value is not None)
    newest = sorted(branch.attempts.items())[-4:]
    return [f"shard {event.shard}: {shard or 'nothing is known'}", *(_attempt(n, attempt) for n, attempt in newest)]


def _attempt(number: int, attempt: Attempt) -> str:
    known = {
        "lease until": f"{attempt.low:g}" if attempt.granted else None,
        "holder": attempt.holder,
        "declared over": "yes" if attempt.expired else None,
        "ended": "yes" if attempt.ended and not attempt.expired else None,
        "hold": attempt.hold,
        "swept": "yes" if attempt.swept else None,
        "released": attempt.released or None,
        "written off": attempt.wasted or None,
        "drawn": attempt.drawn if attempt.called else None,
        "stored": attempt.stored and attempt.stored.digest,
        "may still land": ", ".join(str(digest) for digest in sorted(attempt.pending, key=str)) or None,
        "committed": attempt.receipt and attempt.receipt.tokens,
        "cases in checkpoint": attempt.checkpoint and len(attempt.checkpoint.done or ()),
    }
    return f"  epoch {number}: " + ", ".join(f"{word} {value}" for word, value in known.items() if value is not None)
