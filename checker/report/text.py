"""What `check` prints: text for a person, JSON for a program. First the verdict, last the command to reproduce."""

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from rich.console import Console, RenderableType
from rich.table import Table

from fencebench.checker.analysis.bounds import as_options, told
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import EXITS, Checked, Run
from fencebench.checker.files import columns
from fencebench.checker.report.case import records, story_of
from fencebench.checker.search.limits import INTERRUPTED, Stop, StopKind
from fencebench.checker.search.result import Coverage, Result, Verdict
from fencebench.model.fence import ATOMIC
from fencebench.model.promises.catalogue import names_of
from fencebench.model.settings import FAULTS

ROOM = "raise --max-memory, let --checkpoint or TMPDIR name a directory with room for files, or lower a bound"
ADVICE = {StopKind.MEMORY: ROOM, StopKind.FILES: ROOM, StopKind.WORD: "lower a bound"}
"""The way past a limit that is not simply raised."""


def stop_advice(limit: Stop) -> str:
    """Tell a limit and the way past it."""
    if limit == INTERRUPTED:
        return "by the keyboard; the counts are those until then"
    return f"a run hit its limit of {limit}; {ADVICE.get(limit.kind, 'raise it, or lower a bound')}"


def laid_out(*parts: RenderableType) -> str:
    """Lay out at the terminal's width, with colours on a terminal only, and no blanks at the ends of lines."""
    out = Console(width=columns(), highlight=False, soft_wrap=False)
    with out.capture() as captured:
        for part in parts:
            out.print(part)
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def show(*parts: RenderableType) -> None:
    """Print what is laid out."""
    print(laid_out(*parts))


def case_of(checked: Checked, name: str) -> Case:
    """Return the cheapest story of a broken promise."""
    run, finding = checked.findings[name]
    return Case(checked.fence, run.bound, checked.settings, finding, run.result.minimal)


def counted(number: int, noun: str) -> str:
    """Write a number and its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def bounds_table(checked: Checked) -> Table:
    """Tabulate what was explored."""
    table = Table("bound", box=None, pad_edge=False, header_style="dim")
    for column in ("states", "transitions", "depth", "verdict"):
        table.add_column(column, justify="right")
    for run in checked.runs:
        r = run.result
        told_bound = told(run.bound, checked.settings)
        table.add_row(told_bound, f"{r.states:,}", f"{r.transitions:,}", str(r.depth), str(r.verdict))
    return table


def promises_table(checked: Checked) -> Table:
    """Tabulate the broken promises with their cheapest stories."""
    table = Table("broken promise", box=None, pad_edge=False, header_style="dim")
    table.add_column("faults", justify="right")
    table.add_column("steps", justify="right")
    table.add_column("what failed")
    for name, (_, found) in checked.findings.items():
        table.add_row(name, str(found.faults), str(found.steps), found.why)
    return table


def faults_tried(coverage: Coverage) -> str:
    """List the faults that struck, and how often."""
    known = dict.fromkeys((*FAULTS, *sorted(coverage.faults)))
    struck = [f"{fault} {coverage.faults[fault]:,}" for fault in known if fault and coverage.faults[fault]]
    return ", ".join(struck) or "none"


def facts(checked: Checked) -> Iterator[tuple[str, str]]:
    """Yield what a person needs to trust the verdict: name and text."""
    kept = [name for name in names_of(checked.fence) if name not in (*checked.findings, *checked.unjudged)]
    if checked.verdict in (Verdict.HOLDS, Verdict.VACUOUS):
        yield "promises kept", ", ".join(kept)
    if checked.limit:
        yield "stopped", stop_advice(checked.limit)
    judged = [f"{run.bound.shards} shard(s) to sum {run.progress_faults}" for run in checked.runs]
    if not checked.limit and all(run.progress_faults is not None for run in checked.runs):
        yield "can_finish", f"judged on the state graph: {', '.join(dict.fromkeys(judged))}"
    yield "faults tried", faults_tried(checked.coverage)
    yield from ((f"{boundary} answered by", who.summary) for boundary, who in checked.fence.answered)
    if checked.fence.answered:
        yield "not shown", ATOMIC
    if checked.unjudged:
        yield "reductions", "; ".join(dict.fromkeys(str(note) for run in checked.runs for note in run.result.notes))
        return
    yield "standby rules", "; ".join(f"{rule} behind {what}" for rule, what in checked.standby) or "none"
    if not checked.findings and not checked.limit:
        owed = "; ".join(f"{d.kind} {d.name}{f' ({d.advice})' if d.advice else ''}" for d in checked.unreached)
        yield "unreached", owed or "nothing"


def facts_grid(named: Iterable[tuple[str, str]]) -> Table:
    """Lay out names and texts side by side."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=14, style="dim")
    grid.add_column()
    for name, text in named:
        grid.add_row(name, text)
    return grid


def text_of(checked: Checked, property_: str | None, reproduce: str) -> str:
    """Write the verdict, what was explored, and the story of one broken promise."""
    fence = checked.fence
    colour = {Verdict.HOLDS: "green", Verdict.VIOLATED: "red"}.get(checked.verdict, "yellow")
    left_out = f"; not judged: {', '.join((*checked.unjudged, 'witnesses'))}" if checked.unjudged else ""
    verdict = f"[bold {colour}]{checked.verdict.upper()}[/]  {fence.name}: {fence.summary}{left_out}"
    broken = (promises_table(checked), "") if checked.findings else ()
    text = laid_out(f"{verdict}\n", bounds_table(checked), "", *broken, facts_grid(facts(checked)))
    if checked.findings:
        from fencebench.checker.report.picture import as_text

        first = property_ if property_ in checked.findings else cheapest(checked)
        text += f"\n\n{as_text(story_of(case_of(checked, first)), width=columns())}"
    return f"{text}\n\nreproduce: {reproduce}\n"


def cheapest(checked: Checked) -> str:
    """Return the broken promise with the cheapest story; among equals the first."""
    return min(checked.findings, key=lambda name: (checked.findings[name][1].faults, checked.findings[name][1].steps))


def run_record(checked: Checked, run: Run) -> dict[str, Any]:
    """Return one bound's result as JSON has it."""
    r, stopped = run.result, run.result.limit
    properties: dict[str, Any] = {}
    for name in names_of(checked.fence):
        found = r.findings.get(name)
        if found is None:
            verdict = Verdict.UNDETERMINED if stopped or name in r.unjudged else Verdict.HOLDS
            properties[name] = {"verdict": verdict, "faults": None, "steps": None, "trace": None}
        else:
            story = story_of(Case(checked.fence, run.bound, checked.settings, found, r.minimal))
            trace = records(story, found.trace)
            properties[name] = {
                "verdict": Verdict.VIOLATED,
                "faults": found.faults,
                "steps": found.steps,
                "trace": trace,
            }
    coverage = {k: dict(sorted(getattr(r.coverage, k).items())) for k in ("actions", "rules", "outcomes")}
    return {
        "fence": checked.fence.name,
        "bound": {"text": told(run.bound, checked.settings), "options": as_options(run.bound, checked.settings)},
        "verdict": r.verdict if r.findings or stopped or not checked.unreached else Verdict.VACUOUS,
        "states": r.states,
        "transitions": r.transitions,
        "depth": r.depth,
        "seconds": round(r.seconds, 3),
        "properties": properties,
        "coverage": {k: {n: c for n, c in v.items() if n} for k, v in coverage.items()},
        "unreached": [debt.name for debt in checked.unreached],
        "standby": [{"rule": rule, "behind": what} for rule, what in checked.standby if not r.unjudged],
        **reduced_record(r),
        "reproduce": f"fencebench check {shlex.quote(checked.fence.name)} {as_options(run.bound, checked.settings)}"
        f"{' --reduce' * bool(r.unjudged)}",
    }


def reduced_record(result: Result) -> dict[str, Any]:
    """Return what JSON has of a reduced run on top: the promises that were not judged, and what was reduced."""
    return {"not_judged": [*result.unjudged, "witnesses"], "reductions": result.notes} if result.unjudged else {}


def as_json(results: list[Checked], exit_code: int, verdict: Verdict) -> str:
    """Write all results as one JSON object."""
    runs = [run_record(checked, run) for checked in results for run in checked.runs]
    return json.dumps({"verdict": verdict, "exit": exit_code, "runs": runs}, indent=1, ensure_ascii=False)


def mixture(verdicts: list[Verdict]) -> Verdict:
    """Return the verdict that decides: the first of violated, undetermined, vacuous, holds that occurs."""
    order = sorted(EXITS, key=lambda verdict: EXITS[verdict] or 9)
    return min(verdicts, key=order.index)
