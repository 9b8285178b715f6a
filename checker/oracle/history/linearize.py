"""Whether a concurrent history is linearizable: Wing and Gong's search with Lowe's memoisation.

Runs share nothing and are searched apart. The shards of a run share the ceiling and the report: they are searched apart
only where no order of the calls could reach the ceiling and no report is printed; else the run is searched as a whole.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from fencebench.checker.oracle.log.events import Name
from fencebench.checker.oracle.history.history import FOREVER, Call, History, Plan, read_history
from fencebench.checker.oracle.history.search import LIMIT, Found, Part, search
from fencebench.checker.oracle.sequential import Ledger, Shard, World, step

Word = Literal["linearizable", "not-linearizable", "undetermined", "vacuous"]

EXITS: Final[dict[str, int]] = {"linearizable": 0, "not-linearizable": 1, "undetermined": 3, "vacuous": 4}

_REASONS: Final = 5


@dataclass(frozen=True)
class Linearized:
    """What was found. `line` is the first completion that has no place; every call completed before it has one.

    `why` are the reasons, one for each ledger in which the call was tried last. `order` are the invocation lines of the
    last calls that were placed before it, in an order that works. `parts` were searched apart, and `tried` is how many
    configurations (calls placed, ledger) it took.
    """

    history: str
    verdict: Word
    calls: int
    parts: int
    tried: int
    line: int | None = None
    client: Name | None = None
    op: str | None = None
    answered: str | None = None
    why: tuple[str, ...] = ()
    order: tuple[int, ...] = ()


def linearize(lines: Iterable[str | bytes], name: str = "-", limit: int = LIMIT) -> Linearized:
    """Judge a history. Raises `BadLineError` for a line that cannot be read."""
    history = read_history(lines)
    parts = parts_of(history)
    found = [(part, search(part, limit)) for part in parts]
    tried = sum(result.tried for _, result in found)
    done = Linearized(name, "linearizable", len(history.calls), len(parts), tried)
    wrong = [(part, result) for part, result in found if result.stuck is not None]
    if wrong:
        return _explained(done, *min(wrong, key=lambda pair: pair[1].stuck.completed if pair[1].stuck else FOREVER))
    if any(result.word == "undetermined" for _, result in found):
        return _with_word(done, "undetermined")
    return done if any(call.answer == "ok" for call in history.calls) else _with_word(done, "vacuous")


def _with_word(done: Linearized, word: Word) -> Linearized:
    return Linearized(done.history, word, done.calls, done.parts, done.tried)


def _explained(done: Linearized, part: Part, found: Found) -> Linearized:
    call = found.stuck
    if call is None:
        return done
    reasons = dict.fromkeys(step(part.world, ledger, call)[1] for ledger in found.ledgers)
    answered = f"{call.answer} {call.refusal}" if call.refusal else call.answer
    return Linearized(
        done.history,
        "not-linearizable",
        done.calls,
        done.parts,
        done.tried,
        line=call.completed,
        client=call.client,
        op=call.op,
        answered=answered,
        why=tuple(reason for reason in reasons if reason)[:_REASONS],
        order=found.order,
    )


def parts_of(history: History) -> list[Part]:
    """The parts that can be searched apart."""
    runs: dict[Name, list[Call]] = defaultdict(list)
    for call in history.calls:
        runs[call.run].append(call)
    parts: list[Part] = []
    for run, calls in runs.items():
        plan = history.plans.get(run, Plan())
        groups = _by_shard(calls) if _shards_are_apart(plan, calls) else [calls]
        families = {call.op for call in calls}
        parts.extend(_part(plan, group, families) for group in groups)
    return parts


def _by_shard(calls: list[Call]) -> list[list[Call]]:
    groups: dict[Name | None, list[Call]] = defaultdict(list)
    for call in calls:
        groups[call.shard].append(call)
    return list(groups.values())


def _shards_are_apart(plan: Plan, calls: list[Call]) -> bool:
    """Whether no order of the calls can bring shards together: the ceiling is out of reach and no report is printed."""
    if any(call.op == "report.print" for call in calls):
        return False
    return plan.ceiling is None or sum(_most(group) for group in _by_shard(calls)) <= plan.ceiling


def _most(calls: list[Call]) -> int:
    """The most that a shard can come to in any order: all that may be written off, and its largest hold or receipt."""
    wasted = sum(call.tokens for call in calls if call.op == "lease.expire")
    return wasted + max((call.tokens for call in calls if call.op in ("ledger.reserve", "ledger.commit")), default=0)


def _part(plan: Plan, calls: list[Call], families: set[str]) -> Part:
    names: dict[Name | None, int] = {}
    for name in (*(plan.shards if any(c.op == "report.print" for c in calls) else ()), *(c.shard for c in calls)):
        if name is not None:
            names.setdefault(name, len(names))
    world = World(plan, names, "ledger.reserve" in families, "store.put" in families)
    return Part(world, Ledger(0, (Shard(),) * len(names)), tuple(calls))
