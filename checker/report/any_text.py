"""What `check --shards any` prints: text for a person, JSON for a program, or a trace."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from fencebench.checker.analysis.any_shards import MOST_SHARDS, MOST_STATES, AnyShards, Spurious
from fencebench.checker.analysis.bounds import as_options, depth_told, extras_told, told
from fencebench.checker.analysis.check import EXITS
from fencebench.checker.errors import BadInput
from fencebench.checker.files import columns
from fencebench.checker.report.case import records, story_of
from fencebench.checker.report.form import Format, table
from fencebench.checker.report.stored import trace_text
from fencebench.checker.report.text import cheapest, facts_grid, faults_tried, laid_out, promises_table, stop_advice
from fencebench.checker.search.limits import limit_text
from fencebench.checker.search.result import Verdict
from fencebench.model.any_shards import NOT_COVERED
from fencebench.model.promises.catalogue import names_of

PARTLY = "rejections_classified at publish, witnesses"


def bound_told(found: AnyShards) -> str:
    """Describe the bound in one line."""
    return ", ".join(("any number of shards", *depth_told(found.bound), *extras_told(found.bound)))


def covered(found: AnyShards) -> Iterator[str]:
    """Yield the promises that are said of any number of shards and were not broken."""
    doubtful = {story.of.promise for story in found.spurious} | {*found.real.findings}
    yield from (name for name in names_of(found.fence) if name not in NOT_COVERED and name not in doubtful)


@dataclass(frozen=True)
class AnyAnswer:
    """What `check --shards any` has to tell; `property_` is the promise whose story is wanted."""

    results: list[AnyShards]
    verdict: Verdict
    property_: str | None
    reproduce: str


def as_text(answer: AnyAnswer) -> str:
    """Write each fence's result."""
    return "".join(text_of(found, answer.property_, answer.reproduce) for found in answer.results)


def text_of(found: AnyShards, property_: str | None, reproduce: str) -> str:
    """Write the verdict and what it does not cover, what was explored, and the story of one broken promise."""
    colour = {Verdict.HOLDS: "green", Verdict.VIOLATED: "red"}.get(found.verdict, "yellow")
    fence, left_out = found.fence, ", ".join((*NOT_COVERED, PARTLY))
    text = laid_out(
        f"[bold {colour}]{found.verdict.upper()}[/]  {fence.name}: {fence.summary}, for any number of shards;"
        f" not covered, and left to bounded runs: {left_out}\n",
        explored_table(found),
        "",
        *((promises_table(found.real), "") if found.real.findings else ()),
        facts_grid(facts(found)),
        *(part for story in found.spurious for part in ("", spurious_table(story))),
    )
    if found.real.findings:
        from fencebench.checker.report.picture import as_text as story_text

        first = property_ if property_ in found.real.findings else cheapest(found.real)
        text += f"\n\n{story_text(story_of(found.case(str(first))), width=columns())}"
    return f"{text}\n\nreproduce: {reproduce}\n"


def explored_table(found: AnyShards) -> Table:
    """Tabulate what was explored."""
    table = Table("bound", box=None, pad_edge=False, header_style="dim")
    for column in ("states", "transitions", "depth"):
        table.add_column(column, justify="right")
    r = found.result
    table.add_row(bound_told(found), f"{r.states:,}", f"{r.transitions:,}", str(r.depth))
    return table


def facts(found: AnyShards) -> Iterator[tuple[str, str]]:
    """Yield what a person needs to trust the verdict: name and text."""
    if found.result.limit:
        yield "stopped", stop_advice(found.result.limit)
    elif found.verdict != Verdict.VIOLATED:
        yield "promises kept", ", ".join(covered(found))
    yield "totals", "judged by what each step presumes before it adds to them, whatever they are"
    for bound in dict.fromkeys(told(run.bound, found.settings) for run, _ in found.real.findings.values()):
        yield "found with", f"{bound}: {', '.join(broken_with(found, bound))}"
    for story in found.spurious:
        yield "spurious", f"{story.of.promise}: {searched_told(story)}"
    yield "faults tried", faults_tried(found.result.coverage)


def broken_with(found: AnyShards, bound: str) -> Iterator[str]:
    """Yield the promises whose whole run needs just this bound."""
    yield from (name for name, (run, _) in found.real.findings.items() if told(run.bound, found.settings) == bound)


def searched_told(story: Spurious) -> str:
    """Say where no whole run was found."""
    cut_short = sum(1 for _, result in story.searched if result.limit)
    extent = f"in {MOST_STATES:,} states each; {cut_short} of {len(story.searched)} searches did not end"
    searched = "all of it searched" if not cut_short else extent
    return f"no run of 1 to {MOST_SHARDS} shards has this story or breaks this promise ({searched})"


def spurious_table(story: Spurious) -> Table:
    """Tabulate a story of one shard that no whole run was found for."""
    table = Table(f"spurious story of {story.of.promise}", box=None, pad_edge=False, header_style="dim")
    for number, step in enumerate(story.of.story.trace, 1):
        event = step.event
        fault = f"FAULT {event.fault}: " if event.fault else ""
        outcome = f" = {event.outcome}" if event.outcome else ""
        table.add_row(f"{number:3}  {fault}{event.label}{outcome}")
    table.add_row(f"     {story.of.story.why}")
    return table


def as_itf(answer: AnyAnswer) -> str:
    """Write the trace of the property, or of the cheapest whole run."""
    for found in answer.results:
        if found.real.findings and answer.property_ in (None, *found.real.findings):
            return trace_text(found.case(answer.property_ or cheapest(found.real)))
    raise BadInput("no whole run breaks a promise here, so there is no trace to write; --format json has the verdict")


def as_json(answer: AnyAnswer) -> str:
    """Write all results as one JSON object."""
    runs = [record(found) for found in answer.results]
    whole = {"verdict": answer.verdict, "exit": EXITS[answer.verdict], "runs": runs}
    return json.dumps(whole, indent=1, ensure_ascii=False) + "\n"


def record(found: AnyShards) -> dict[str, Any]:
    """Return a fence's result as JSON has it."""
    options = f"--shards any --epochs {found.bound.epochs} --faults {found.bound.faults}"
    coverage = {k: dict(sorted(getattr(found.result.coverage, k).items())) for k in ("actions", "rules", "outcomes")}
    return {
        "fence": found.fence.name,
        "bound": {"text": bound_told(found), "options": options},
        "verdict": found.verdict,
        "states": found.result.states,
        "transitions": found.result.transitions,
        "depth": found.result.depth,
        "seconds": round(found.result.seconds, 3),
        "properties": {name: property_record(found, name) for name in names_of(found.fence)},
        "not_covered": [*NOT_COVERED, *PARTLY.split(", ")],
        "spurious": [spurious_record(story) for story in found.spurious],
        "coverage": {k: {n: c for n, c in v.items() if n} for k, v in coverage.items()},
        "unreached": [],
        "standby": [],
        "reproduce": f"fencebench check {found.fence.name} {options}",
    }


def property_record(found: AnyShards, name: str) -> dict[str, Any]:
    """Return what is said of one promise; what is not covered is undetermined."""
    if name not in found.real.findings:
        kept = name in covered(found) and not found.result.limit
        verdict = Verdict.HOLDS if kept else Verdict.UNDETERMINED
        return {"verdict": verdict, "faults": None, "steps": None, "trace": None}
    case = found.case(name)
    return {
        "verdict": Verdict.VIOLATED,
        "faults": case.finding.faults,
        "steps": case.finding.steps,
        "minimal": case.minimal,
        "bound": {"text": told(case.bound, case.settings), "options": as_options(case.bound, case.settings)},
        "trace": records(story_of(case), case.finding.trace),
    }


def spurious_record(story: Spurious) -> dict[str, Any]:
    """Return a story of one shard that no whole run was found for."""
    names = ("action", "label", "epoch", "fault", "outcome")
    return {
        "property": story.of.promise,
        "why": story.of.story.why,
        "searched": [{"shards": b.shards, "states": r.states, "limit": limit_text(r.limit)} for b, r in story.searched],
        "story": [{name: getattr(step.event, name) for name in names} for step in story.of.story.trace],
    }


FORMATS = table(
    Format("text", as_text, "for a person"),
    Format("json", as_json, "every run with its coverage, for a program"),
    Format("itf", as_itf, "the trace of one broken promise"),
)
