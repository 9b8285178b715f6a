"""Stories of walks, told and stored."""

from dataclasses import replace

from fencebench.checker.analysis.case import Case
from fencebench.checker.report.case import story_of
from fencebench.checker.report.narrate import lanes_of, steps_of
from fencebench.checker.report.stored import written
from fencebench.checker.report.story import Story

FEW_SHARDS = 2
"""Stories of more shards are told without asking which rule would have stopped them: that is a search of its own."""


def told(case: Case, reproduce: str) -> Story:
    """Tell a story of a walk."""
    if case.bound.shards <= FEW_SHARDS:
        return replace(story_of(case), reproduce=(reproduce,), minimal=False)
    steps, telling = steps_of(case.machine, case.finding.trace)
    last = replace(steps[-1], violated=(case.finding.property,))
    return Story(
        title=case.finding.property.replace("_", " "),
        properties=(case.finding.property,),
        fence=case.fence.name,
        fence_summary=case.fence.summary,
        bound=f"{case.bound.shards} shards, {case.bound.epochs} epochs",
        faults=case.finding.faults,
        minimal=False,
        lanes=lanes_of(case.machine, steps, telling),
        steps=(*steps[:-1], last),
        why=f"Step {last.number}: {case.finding.why}.",
        reproduce=(reproduce,),
    )


def itf_of(case: Case, reproduce: str, kind: str) -> str:
    """Write a story of a walk as ITF; `kind` says whether it is minimised or as hypothesis shrank it."""
    return written(replace(case, minimal=False), told(case, reproduce), kind=kind)
