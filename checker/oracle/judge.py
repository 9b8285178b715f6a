"""Judges one event of a run under any sound policy.

`judge` lets an allowed answer change the run. For one that was not allowed it returns a finding and changes nothing
yet: `adopt` takes the answer as given, `mend` takes the right answer in its place.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fencebench.checker.oracle.acceptances import ACCEPTANCES
from fencebench.checker.oracle.branches import (
    bounds,
    branches_of,
    change,
    close_leases,
    cut,
    keep_possible,
    recount_all,
    scene_of,
    settle,
)
from fencebench.checker.oracle.effects import CORRECTED, EFFECTS, OBSERVED, REFUSED, UNAPPLIED, Effect, nothing
from fencebench.checker.oracle.events import Event, Name
from fencebench.checker.oracle.guards_spend import releasable
from fencebench.checker.oracle.ops import OPS
from fencebench.checker.oracle.queries import is_sealed, lease_may_run, same_content, stale
from fencebench.checker.oracle.refusals import REFUSALS
from fencebench.checker.oracle.state import FRESH, NOTHING, Facts, Run, Scene, Spend
from fencebench.model.fence import GO_ON, Refusal

_OF_THE_RUN = ("report.print", "ledger.rebuild")


@dataclass(frozen=True)
class Finding:
    """An answer that was not allowed: the rule that was false, the property it protects, what was allowed instead."""

    rule: str
    property: str
    code: str | None
    why: str
    allowed: tuple[str, ...]


def judge(run: Run, event: Event) -> Finding | None:
    """Judge one event, and if its answer is allowed, let it change the run."""
    _observe(run, event)
    if event.shard is None and event.op not in _OF_THE_RUN:
        return None
    if event.answer == "observe":
        if event.op in OBSERVED:
            _change_all(run, event, EFFECTS[event.op])
        return None
    if event.answer == "unknown" and event.applied is not True:
        _keep_both(run, event)
        return None
    return _judge_run(run, event) if event.shard is None else _judge_shard(run, event, event.shard)


def adopt(run: Run, event: Event) -> None:
    """Go on from the answer that was given."""
    if event.op == "ledger.rebuild" and event.answer != "refuse":
        added = (event.total or 0) - run.spend.booked
        run.spend = run.spend.plus(Spend(added, added, added, 0))
    _change_all(run, event, _given(event))


def mend(run: Run, event: Event, finding: Finding) -> None:
    """Go on from the answer that should have been given."""
    if event.answer != "refuse":
        _change_all(run, event, CORRECTED.get(finding.rule, nothing))
    elif set(OPS[event.op].accepts) & set(finding.allowed):
        _change_all(run, event, EFFECTS.get(event.op, nothing))


def _given(event: Event) -> Effect:
    return (REFUSED if event.answer == "refuse" else EFFECTS).get(event.op, nothing)


def _observe(run: Run, event: Event) -> None:
    op = "lease.grant" if event.op == "lease.wait" and event.answer == "accept" else event.op
    if op not in run.observed:
        run.observed.add(op)
        if op == "model.call":
            recount_all(run, event.t)
    if op in ("ledger.reserve", "lease.grant", "lease.renew"):
        close_leases(run, event.t)
    if op == "config.change" and event.ceiling is not None:
        run.plan = run.plan._replace(ceiling=event.ceiling)


def _judge_run(run: Run, event: Event) -> Finding | None:
    finding = check(Scene(event, run, Facts(), FRESH, {}, 0, NOTHING, run.spend))
    if event.op == "report.print" and event.answer != "refuse" and finding is None:
        _keep_sealed(run)
    return finding


def _keep_sealed(run: Run) -> None:
    for shard in sorted(run.doubtful, key=str):
        branches = run.shards[shard]
        kept = [branch for branch in branches if is_sealed(run, branch.facts)]
        settle(run, shard, kept or branches, bounds(branches))


def _judge_shard(run: Run, event: Event, shard: Name) -> Finding | None:
    branches = branches_of(run, shard)
    scenes = [scene_of(run, branch, event) for branch in branches]
    findings = [check(scene) for scene in scenes]
    if None not in findings:
        return findings[0]
    before, effect = bounds(branches), _given(event)
    kept = [(b, s) for b, s, finding in zip(branches, scenes, findings, strict=True) if finding is None]
    if effect is not nothing:
        for branch, scene in kept:
            change(run, branch, scene, effect(scene))
    settle(run, shard, [branch for branch, _ in kept], before)
    _note(run, event)
    return None


def _change_all(run: Run, event: Event, effect: Effect) -> None:
    if effect is nothing or event.shard is None:
        return
    branches = branches_of(run, event.shard)
    before = bounds(branches)
    for branch in branches:
        scene = scene_of(run, branch, event)
        change(run, branch, scene, effect(scene))
    settle(run, event.shard, branches, before)


def _keep_both(run: Run, event: Event) -> None:
    """No reply: in one alternative the request took effect, unless it is known that it did not; in the other not."""
    if event.shard is None:
        return
    branches = branches_of(run, event.shard)
    before = bounds(branches)
    applied = [branch.copy() for branch in branches] if event.applied is None else []
    for group, effect in ((branches, UNAPPLIED.get(event.op, nothing)), (applied, EFFECTS.get(event.op, nothing))):
        for branch in group:
            scene = scene_of(run, branch, event)
            change(run, branch, scene, effect(scene))
    settle(run, event.shard, cut(run, branches + applied, event.line), before)


def _note(run: Run, event: Event) -> None:
    """What an answer says about the run as a whole."""
    ceiling = run.plan.ceiling
    if event.op == "ledger.commit" and event.answer == "accept" and event.revision is not None:
        run.revisions.add(event.revision)
    if event.answer == "refuse" and event.refusal is Refusal.CONFLICT and event.op in ("store.put", "ledger.commit"):
        run.conflicts = True
    if event.op != "ledger.reserve" or ceiling is None or not run.doubtful:
        return
    if event.answer == "accept":
        keep_possible(run, lambda total: total.least <= ceiling)
    elif event.refusal is Refusal.OVER_CEILING:
        keep_possible(run, lambda total: total.most + (event.tokens or 0) > ceiling)


def check(scene: Scene) -> Finding | None:
    """Whether the answer is allowed in this alternative."""
    return _check_refusal(scene) if scene.event.answer == "refuse" else check_acceptance(scene)


def check_acceptance(scene: Scene) -> Finding | None:
    """The first guard that is false."""
    for guard in ACCEPTANCES.get(scene.event.op, ()):
        clause = guard.failing(scene)
        if clause is not None:
            return Finding(guard.rule, guard.property, guard.code, clause, allowed(scene))
    return None


def _check_refusal(scene: Scene) -> Finding | None:
    refusal = scene.event.refusal
    return _check_bare_refusal(scene) if refusal is None else _check_class(scene, refusal)


def _check_class(scene: Scene, refusal: Refusal) -> Finding | None:
    truth = REFUSALS.get(scene.event.op, {}).get(refusal)
    clause = f"{scene.event.op} is never refused with it" if truth is None else truth(scene)
    return _wrong_refusal(scene, refusal.lower(), f"{refusal} is not true: {clause}") if clause else None


def _check_bare_refusal(scene: Scene) -> Finding | None:
    """A refusal without a class of the design: some class is seen to be true, and not because of its own change."""
    if _own_change(scene):
        return _wrong_refusal(
            scene, "own_change", f"epoch {scene.epoch} repeats its own request, with the same content"
        )
    if check_acceptance(scene) is not None or _true_classes(scene, go_on=False):
        return None
    return _wrong_refusal(scene, "refused_for_a_reason", "no class of refusal is true and every guard holds")


def _own_change(scene: Scene) -> bool:
    return same_content(scene) is True and not stale(scene) and not scene.attempt.ended and lease_may_run(scene)


def _wrong_refusal(scene: Scene, rule: str, why: str) -> Finding:
    own = same_content(scene) is True or (scene.facts.version_by == scene.epoch and scene.facts.version is not None)
    code = "OWN_WRITE_REFUSED" if own else None
    return Finding(rule, "rejections_classified", code, why, allowed(scene))


def allowed(scene: Scene) -> tuple[str, ...]:
    """Every answer that is allowed here: the acceptance if its guards hold, and the classes seen to be true."""
    guards = ACCEPTANCES.get(scene.event.op, ())
    given = scene._replace(event=scene.event._replace(counted=None))
    accepted = () if any(guard.failing(given) for guard in guards) else OPS[scene.event.op].accepts[:1]
    others = (*OTHERWISE.get(scene.event.op, _no_other)(scene), *_true_classes(scene, go_on=True))
    return (*accepted, *others) if accepted or others else ("refused",)


def _no_other(scene: Scene) -> tuple[str, ...]:
    return ()


OTHERWISE: Final[dict[str, Callable[[Scene], tuple[str, ...]]]] = {
    "ckpt.resume": lambda scene: ("restarted",),
    "ledger.release": lambda scene: (f"released, at most {releasable(scene)} tokens",),
    "ledger.rebuild": lambda scene: (f"ok, with a total of {scene.others.booked}",),
}
"""Answers with other values that are allowed whatever the guards say."""


def _true_classes(scene: Scene, go_on: bool) -> tuple[str, ...]:
    truths = REFUSALS.get(scene.event.op, {}).items()
    return tuple(str(name) for name, truth in truths if (go_on or name not in GO_ON) and truth(scene) is None)
