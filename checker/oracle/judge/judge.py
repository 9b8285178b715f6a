"""Judges one event of a run under any sound policy.

`judge` lets an allowed answer change the run. For one that was not allowed it returns a finding and changes nothing
yet: `adopt` takes the answer as given, `mend` takes the right answer in its place.
"""

from typing import Final

from fencebench.checker.oracle.judge.context import Context, is_sealed
from fencebench.checker.oracle.judge.decide import Finding, check, check_acceptance
from fencebench.checker.oracle.judge.effects import (
    CORRECTED,
    EFFECTS,
    OBSERVED,
    REFUSED,
    UNAPPLIED,
    Effect,
    accepted_effect,
    nothing,
)
from fencebench.checker.oracle.judge.guards_spend import sealed_names
from fencebench.checker.oracle.judge.run import (
    LIMIT,
    LOOKS_AT_TOTALS,
    Run,
    close_leases,
    context_of,
    contexts,
    count_all,
    keep_possible,
    put_in_place,
)
from fencebench.checker.oracle.judge.state import Attempt, Shard, Spend
from fencebench.checker.oracle.log.events import Event, Name
from fencebench.checker.oracle.log.ops import OPS
from fencebench.model.fence import Refusal

OF_THE_RUN: Final = ("report.print", "ledger.rebuild")


def judge(run: Run, event: Event) -> Finding | None:
    """Judge one event, and if its answer is allowed, let it change the run."""
    observe(run, event)
    if event.shard is None and event.op not in OF_THE_RUN:
        return None
    if event.answer == "observe":
        if event.op in OBSERVED:
            _change_all(run, event, EFFECTS[event.op])
        return None
    if event.answer == "unknown" and event.applied is not True:
        _keep_both(run, event)
        return None
    return _judge_run(run, event) if event.shard is None else _judge_shard(run, event)


def adopt(run: Run, event: Event) -> None:
    """Go on from the answer that was given."""
    if event.op == "ledger.rebuild" and event.answer != "refuse":
        added = (event.total or 0) - run.spend.booked
        run.spend = run.spend.plus(Spend(added, added, added))
    for context in contexts(run, event):
        _given(context)(context)
    _settle(run, event)


def mend(run: Run, event: Event, finding: Finding) -> None:
    """Go on from the answer that should have been given."""
    if event.answer != "refuse":
        _change_all(run, event, CORRECTED.get(finding.rule, nothing))
    elif set(OPS[event.op].accepts) & set(finding.allowed):
        _change_all(run, event, EFFECTS.get(event.op, nothing))


def _given(context: Context) -> Effect:
    if context.event.answer == "refuse":
        return REFUSED.get(context.event.op, nothing)
    return accepted_effect(context)


def observe(run: Run, event: Event) -> None:
    """What a line shows before it is judged: that its family occurs, the time, another ceiling."""
    op = "lease.grant" if event.op == "lease.wait" and event.answer == "accept" else event.op
    if op not in run.seen:
        run.seen.add(op)
        if op == "model.call":
            count_all(run, event.t)
    if op in LOOKS_AT_TOTALS:
        close_leases(run, event.t)
    if op == "config.change" and event.ceiling is not None:
        run.plan = run.plan._replace(ceiling=event.ceiling)


def _judge_run(run: Run, event: Event) -> Finding | None:
    context = Context(event, run.plan, run.seen, Shard(), Attempt(), 0, run.view)
    finding = check(context)
    if event.op == "report.print" and event.answer != "refuse" and finding is None:
        _keep_sealed(run, context)
        if event.value is not None:
            run.printed[sealed_names(context)] = event.value
    return finding


def _keep_sealed(run: Run, context: Context) -> None:
    for shard in sorted(run.doubtful, key=str):
        kept = [each for each in run.shards[shard] if is_sealed(context, each)]
        put_in_place(run, shard, kept or run.shards[shard], context.event)


def _judge_shard(run: Run, event: Event) -> Finding | None:
    found = [(context, check(context)) for context in contexts(run, event)]
    kept = [context for context, finding in found if finding is None]
    if not kept:
        return found[0][1]
    for context in kept:
        _given(context)(context)
    if len(found) > 1 and event.shard is not None:
        run.shards[event.shard] = [context.shard for context in kept]
    _settle(run, event)
    _note(run, event)
    return None


def _settle(run: Run, event: Event) -> None:
    if event.shard is not None:
        put_in_place(run, event.shard, run.shards[event.shard], event)
        if event.answer == "refuse" and event.refusal is Refusal.CONFLICT:
            _dispute(run, event.shard)


def _dispute(run: Run, shard: Name) -> None:
    run.disputed = run.disputed or any(each.disputed for each in run.shards[shard])
    if any(each.conflict is not None for each in run.shards[shard]):
        run.torn.add(shard)


def _change_all(run: Run, event: Event, effect: Effect) -> None:
    if effect is nothing or event.shard is None:
        return
    for context in contexts(run, event):
        effect(context)
    put_in_place(run, event.shard, run.shards[event.shard], event)


def _keep_both(run: Run, event: Event) -> None:
    """No reply: in one alternative it took effect, where that breaks no promise, unless it is known not to have."""
    if event.shard is None:
        return
    branches = run.branches(event.shard)
    applied = [context_of(run, each.copy(), event) for each in branches] if event.applied is None else []
    for context in contexts(run, event):
        UNAPPLIED.get(event.op, nothing)(context)
    possible = [context for context in applied if check_acceptance(context) is None]
    for context in possible:
        accepted_effect(context)(context)
    kept = branches + [context.shard for context in possible]
    if len(kept) > LIMIT and run.cut is None:
        run.cut = event.line
    put_in_place(run, event.shard, kept[:LIMIT], event)


def _note(run: Run, event: Event) -> None:
    """What an answer says about the run's totals."""
    ceiling = run.plan.ceiling
    if event.op != "ledger.reserve" or ceiling is None or not run.doubtful:
        return
    if event.answer == "accept":
        keep_possible(run, event.t, lambda total: total.least <= ceiling)
    elif event.refusal is Refusal.OVER_CEILING:
        keep_possible(run, event.t, lambda total: total.most + (event.tokens or 0) > ceiling)
