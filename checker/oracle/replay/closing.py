"""What a verdict ends with: how often each guard and each class was asked, what never occurred, what was left open."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from fencebench.checker.oracle.judge.context import Context, is_newest, is_sealed
from fencebench.checker.oracle.judge.guards import GUARDS
from fencebench.checker.oracle.judge.run import Run
from fencebench.checker.oracle.judge.state import Attempt, Shard
from fencebench.checker.oracle.log.events import Event, Name

FAMILIES: Final[dict[str, tuple[str, ...]]] = {
    "leases": ("lease.grant",),
    "ends of leases": ("lease.expire",),
    "holds": ("ledger.reserve",),
    "settlements of holds": ("ledger.release", "ledger.waste"),
    "dispatches": ("dispatch",),
    "model calls": ("model.call",),
    "starts": ("ckpt.resume",),
    "puts": ("store.put", "store.apply"),
    "commits": ("ledger.commit",),
    "rows": ("row.accept",),
    "seals": ("seal",),
    "reports": ("report.print",),
}
"""Families of ops, of which nothing is demanded where they never occur."""

Asked = Counter[tuple[str, str]]
"""How often an op was accepted (`yes`), refused with a class or without one (`bare`)."""
_MANY: Final = 10


def note(asked: Asked, event: Event) -> None:
    """Count an answer that was judged."""
    if event.answer == "accept" or (event.answer == "unknown" and event.applied):
        asked[event.op, "yes"] += 1
    elif event.answer == "refuse":
        asked[event.op, str(event.refusal or "bare")] += 1


def judged(asked: Asked) -> dict[str, int]:
    """How often each guard of an acceptance and each class of a refusal was asked, by name."""
    found: Counter[str] = Counter()
    for (op, answer), times in sorted(asked.items()):
        if answer == "yes":
            found.update({f"{op} {guard.rule}": times for guard in GUARDS.get(op, ())})
        else:
            found[f"{op} refused {answer}"] += times
    return dict(found)


def never_seen(runs: Iterable[Run]) -> tuple[str, ...]:
    """The families that occurred in no run."""
    seen = {op for run in runs for op in run.seen}
    return tuple(name for name, ops in FAMILIES.items() if seen.isdisjoint(ops))


def left_open(name: Name, run: Run) -> Iterator[str]:
    """What a run has left open at the end of its log, a line a kind."""
    kinds: dict[str, list[str]] = {}
    for shard, branches in run.shards.items():
        for epoch, attempt in branches[0].attempts.items():
            for kind, told in _open(branches[0], epoch, attempt):
                kinds.setdefault(kind, []).append(f"shard {shard} epoch {epoch}{told}")
    context = Context(_END, run.plan, run.seen, Shard(), Attempt(), 0, run.view)
    missing = [n for n in run.plan.shards or () if not any(is_sealed(context, each) for each in run.shards.get(n, ()))]
    if missing:
        kinds["planned shards that are missing"] = [str(shard) for shard in missing]
    for kind, items in kinds.items():
        more = f" and {len(items) - _MANY} more" if len(items) > _MANY else ""
        yield f"run {name}: {len(items)} {kind}: {', '.join(items[:_MANY])}{more}"


_END: Final = Event(0, "observe", 0, "report.print", 0)


def _open(shard: Shard, epoch: int, attempt: Attempt) -> Iterator[tuple[str, str]]:
    over = attempt.ended or attempt.receipt is not None or not is_newest(shard, epoch)
    if attempt.hold and not over and attempt.least_unclosed:
        yield "holds still live", f" ({attempt.least_unclosed} tokens)"
    held = 0 if over else attempt.unclosed
    if attempt.owed > held:
        yield "attempts with burned tokens in no account", f" ({attempt.owed - held} tokens)"
    if attempt.granted and not over and not shard.sealed:
        yield "attempts without an end", ""
