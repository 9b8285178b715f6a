"""What `walk` prints: verdict first, what was walked, what broke, what ran and what never did, the story."""

import json
from collections.abc import Iterator
from typing import Any

from rich.table import Table

from fencebench.checker.analysis.bounds import told as told_bound
from fencebench.checker.analysis.walks import WalkReport, cheapest
from fencebench.checker.errors import BadInput
from fencebench.checker.files import columns
from fencebench.checker.report.case import records
from fencebench.checker.report.form import Format, table
from fencebench.checker.report.text import facts, facts_grid, laid_out
from fencebench.checker.report.walk_stories import itf_of, told
from fencebench.checker.search.result import Verdict
from fencebench.model.promises.obligations import actions as owed_actions
from fencebench.model.settings import fault_names


def headline(report: WalkReport) -> str:
    """Say the verdict in one line, and no more than walks can say."""
    w, fence = report.walked, report.fence
    if report.verdict is Verdict.HOLDS:
        return f"NO VIOLATION FOUND  {fence.name}: in {w.walks:,} walks; walks find violations, they prove nothing"
    if report.verdict is Verdict.VACUOUS:
        return f"VACUOUS  {fence.name}: no violation found in {w.walks:,} walks, but something owed never ran"
    return f"{report.verdict.upper()}  {fence.name}: {fence.summary}"


def walks_table(report: WalkReport) -> Table:
    """Tabulate what was walked."""
    w = report.walked
    table = Table("bound", box=None, pad_edge=False, header_style="dim")
    for column in ("walks", "steps", "longest", "faults", "most", "steps/s"):
        table.add_column(column, justify="right")
    numbers = (w.walks, w.steps, w.longest, w.faults, w.most_faults, int(w.steps / max(w.seconds, 1e-9)))
    table.add_row(told_bound(report.bound, report.settings), *(f"{n:,}" for n in numbers))
    return table


def promises_table(report: WalkReport) -> Table:
    """Tabulate the broken promises: faults and steps as first walked, as shrunk, and as minimised."""
    table = Table("broken promise", box=None, pad_edge=False, header_style="dim")
    for column in ("walked", "shrunk", "minimised"):
        table.add_column(column, justify="right")
    table.add_column("what failed (faults, steps at the left)")
    w = report.walked
    for name, case in report.stories.items():
        sizes = (w.first[name], w.shrunk[name], case.finding)
        table.add_row(name, *(f"{f.faults}, {f.steps}" for f in sizes), case.finding.why)
    return table


def counted(names: dict[str, int]) -> str:
    """Write names with their counts."""
    return ", ".join(f"{name} {count:,}" for name, count in names.items()) or "none"


def never(report: WalkReport) -> list[str]:
    """Name every action, fault and rule of this fence that never ran, owed or not."""
    c = report.walked.coverage
    actions = [f"action {n}" for n, _ in owed_actions(report.fence, (report.bound,)) if not c.actions[n]]
    faults = [f"fault {n}" for n in fault_names(report.fence) if report.bound.cap(n) and not c.faults[n]]
    return actions + faults + [f"rule {full}" for full, _ in report.fence.rules() if not c.rules[full]]


def statistics(report: WalkReport) -> dict[str, dict[str, int]]:
    """Return how often each thing happened, most often first."""
    c = report.walked.coverage
    kinds = {"actions": c.actions, "faults": c.faults, "outcomes": c.outcomes, "rules": c.rules}
    return {kind: {name: count for name, count in counts.most_common() if name} for kind, counts in kinds.items()}


def lines(report: WalkReport) -> Iterator[tuple[str, str]]:
    """Yield what a person needs to judge the walks: name and text."""
    yield from ((kind, counted(counts)) for kind, counts in statistics(report).items())
    yield "never ran", ", ".join(never(report)) or "nothing"
    yield from (fact for fact in facts(report.checked) if fact[0] in ("stopped", "standby rules", "unreached"))


def as_text(report: WalkReport) -> str:
    """Write it all for a person."""
    colour = {Verdict.HOLDS: "green", Verdict.VIOLATED: "red"}.get(report.verdict, "yellow")
    broken = (promises_table(report), "") if report.stories else ()
    head = f"[bold {colour}]{headline(report)}[/]\n"
    text = laid_out(head, walks_table(report), "", *broken, facts_grid(lines(report)))
    if report.stories:
        from fencebench.checker.report.picture import as_text as story_text

        text += f"\n\n{story_text(told(report.stories[cheapest(report)], report.reproduce), width=columns())}"
    return f"{text}\n\nreproduce: {report.reproduce}\n"


def record(report: WalkReport) -> dict[str, Any]:
    """Return it all for a program, with the keys of `check`."""
    from fencebench.checker.analysis.check import EXITS

    w = report.walked
    properties = {}
    for name, case in report.stories.items():
        trace = records(told(case, report.reproduce), case.finding.trace)
        sizes = {kind: [f.faults, f.steps] for kind, f in (("walked", w.first[name]), ("shrunk", w.shrunk[name]))}
        found = {"verdict": Verdict.VIOLATED, "faults": case.finding.faults, "steps": case.finding.steps}
        properties[name] = {**found, **sizes, "why": case.finding.why, "trace": trace}
    run = {
        "fence": report.fence.name,
        "bound": told_bound(report.bound, report.settings),
        "verdict": report.verdict,
        "walks": w.walks,
        "transitions": w.steps,
        "depth": w.longest,
        "faults": w.faults,
        "seconds": round(w.seconds, 3),
        "properties": properties,
        "coverage": statistics(report),
        "unreached": [debt.name for debt in report.checked.unreached],
        "never": never(report),
        "standby": [{"rule": rule, "behind": what} for rule, what in report.checked.standby],
        "reproduce": report.reproduce,
    }
    return {"verdict": report.verdict, "exit": EXITS[report.verdict], "runs": [run]}


def as_json(report: WalkReport) -> str:
    """Write it all for a program."""
    return json.dumps(record(report), indent=1, ensure_ascii=False) + "\n"


def as_itf(report: WalkReport) -> str:
    """Write the trace of the cheapest story."""
    if not report.stories:
        raise BadInput(
            "no promise was broken on these walks, so there is no trace to write; --format json has the verdict"
        )
    return itf_of(report.stories[cheapest(report)], report.reproduce, "minimised walk")


FORMATS = table(
    Format("text", as_text, "for a person"),
    Format("json", as_json, "counts, coverage and stories, for a program"),
    Format("itf", as_itf, "the trace of the cheapest story"),
)
