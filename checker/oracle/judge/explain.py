"""The state of a shard and its run in words, as it was before a line."""

from fencebench.checker.oracle.judge.context import Context, is_sealed
from fencebench.checker.oracle.judge.run import Run
from fencebench.checker.oracle.judge.state import Attempt, Shard
from fencebench.checker.oracle.log.events import Event, Name

LAST = 4
"""Attempts that are told, the newest."""


def state_of(run: Run, event: Event) -> tuple[str, ...]:
    """What was known when the event came, one line a fact; each alternative where there are several."""
    total = f"run {event.run}: {_totals(run)}"
    if event.shard is None:
        return (total, f"planned and not sealed: {_unsealed(run, event)}")
    branches = run.branches(event.shard)
    lines = [total]
    for number, branch in enumerate(branches, 1):
        if len(branches) > 1:
            lines.append(f"alternative {number} of {len(branches)}, because of an answer that never came")
        lines.extend(shard_told(branch, event.shard))
    return tuple(lines)


def _unsealed(run: Run, event: Event) -> list[Name]:
    context = Context(event, run.plan, run.seen, Shard(), Attempt(), 0, run.view)
    return [n for n in run.plan.shards or () if not any(is_sealed(context, each) for each in run.shards.get(n, []))][
        :20
    ]


def _totals(run: Run) -> str:
    spend, ceiling = run.spend, run.plan.ceiling
    used = str(spend.least) if spend.least == spend.most else f"{spend.least} to {spend.most}"
    return f"{used} tokens count against the ceiling of {ceiling}, {spend.booked} are committed"


def shard_told(shard: Shard, name: object) -> list[str]:
    """A shard and its newest attempts, one line each."""
    known = {
        "input": shard.input,
        "config": shard.config,
        "accepted": shard.accepted and f"{shard.accepted.digest} of epoch {shard.accepted.epoch}",
        "receipt of epoch": shard.receipt and shard.receipt.epoch,
        "rows of cases": len(shard.rows) or None,
        "state": shard.state,
        "version": shard.version,
        "conflict on record from line": shard.conflict,
        "sealed": "yes" if shard.sealed else None,
    }
    told = ", ".join(f"{word} {value}" for word, value in known.items() if value is not None)
    newest = [pair for pair in sorted(shard.attempts.items()) if pair[1] != Attempt()][-LAST:]
    return [f"shard {name}: {told or 'nothing is known'}", *(_attempt(n, attempt) for n, attempt in newest)]


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
        "made by": " and ".join(sorted(map(str, attempt.revisions))) or None,
        "stored": attempt.stored and attempt.stored.digest,
        "may still land": ", ".join(str(digest) for digest in sorted(attempt.pending, key=str)) or None,
        "committed": attempt.receipt and attempt.receipt.tokens,
        "cases in checkpoint": attempt.checkpoint and len(attempt.checkpoint.done or ()),
    }
    return f"  epoch {number}: " + ", ".join(f"{word} {value}" for word, value in known.items() if value is not None)
