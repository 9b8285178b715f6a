"""What `diff` has to tell, and every format in which it is told."""

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rich.table import Table

from fencebench.checker.analysis.bounds import as_options, told
from fencebench.checker.analysis.diff import Compared, Parting, answer
from fencebench.checker.files import columns
from fencebench.checker.report.case import RunStory, records
from fencebench.checker.report.ci import place_of
from fencebench.checker.report.form import Format, table
from fencebench.checker.report.plain import Line, Outcome, as_github, as_junit, as_markdown
from fencebench.checker.report.text import laid_out
from fencebench.checker.search.limits import limit_text
from fencebench.model.promises.catalogue import names_of


@dataclass(frozen=True)
class Answer:
    """Two fences compared, and the command that compares them again."""

    compared: Compared
    reproduce: str


WORDS = {0: "KEPT", 1: "LOST", 3: "UNDETERMINED"}
COLOURS = {0: "green", 1: "red", 3: "yellow"}
"""The verdict in a word, and its colour, by the exit code."""


def headline(compared: Compared) -> str:
    """Say in one line what the verdict means."""
    old, new = compared.old.fence.name, compared.new.fence.name
    if compared.exit == 1:
        return f"{new} breaks {len(compared.lost)} promise(s) that {old} keeps"
    if compared.exit == 3:
        return f"a search was stopped at {compared.limits[0]}; raise it, or lower a bound"
    return f"{new} keeps every promise that {old} keeps"


def costs(compared: Compared) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a row for each promise that one of the two breaks: what became of it, name, cost before and after, why."""
    for what, names in (("lost", compared.lost), ("won", compared.won), ("broken", compared.both)):
        for name in names:
            before, after = (c.findings.get(name) for c in (compared.old, compared.new))
            cost = (f"{f[1].faults}, {f[1].steps}" if f else "kept" for f in (before, after))
            yield (what, name, *cost, (after or before)[1].why)  # type: ignore[misc, index]


def as_text(told_answer: Answer) -> str:
    """Write the verdict, the promises, the parting and its run."""
    from fencebench.checker.report.picture import as_text as story_text

    compared = told_answer.compared
    heads = "", "promise", "old", "new", "what failed (faults, steps)"
    rows = Table(*heads, box=None, pad_edge=False, header_style="dim")
    for row in costs(compared):
        rows.add_row(*row)
    text = laid_out(f"[bold {COLOURS[compared.exit]}]{WORDS[compared.exit]}[/]  {headline(compared)}\n")
    text += "\n" + laid_out(rows if rows.row_count else "both keep every promise up to these bounds")
    parting = compared.parting and told_parting(compared, compared.parting).story
    text += f"\n\n{story_text(parting, width=columns()) if parting else laid_out(unparted(compared))}"
    return f"{text}\n\nreproduce: {told_answer.reproduce}\n"


def unparted(compared: Compared) -> str:
    """Say that no answer differs, and how far that goes."""
    cut = f", as far as the search went ({compared.limits[0]})" if compared.limits else " up to these bounds"
    return f"no request is answered differently{cut}"


def sentence(compared: Compared, parting: Parting) -> str:
    """Say what each fence answers in the step in which they differ."""
    old, new = parting.difference.last
    step = len(parting.difference.trace("old" if old else "new"))
    names = compared.old.fence.name, compared.new.fence.name
    return f"Step {step}: {names[0]} {verb(old)}{answer(old, new)}; {names[1]} {verb(new)}{answer(new, old)}."


def verb(step: object) -> str:
    """Join a fence's name and its answer."""
    return "answers " if step is not None else ""


def told_parting(compared: Compared, parting: Parting) -> RunStory:
    """Return the run on which the two part, told as the old fence has it, or as the new one that goes further."""
    side = "old" if parting.difference.last.old else "new"
    names = shlex.join((compared.old.fence.name, compared.new.fence.name))
    return RunStory(
        getattr(compared, side).fence,
        parting.bound,
        compared.old.settings,
        parting.difference.trace(side),
        "Here the two fences answer differently",
        sentence(compared, parting),
        f"fencebench diff {names} {as_options(parting.bound, compared.old.settings)}",
    )


def as_json(told_answer: Answer) -> str:
    """Write the comparison as one JSON object."""
    compared = told_answer.compared
    record = {
        "old": compared.old.fence.name,
        "new": compared.new.fence.name,
        "exit": compared.exit,
        "lost": list(compared.lost),
        "won": list(compared.won),
        "broken_by_both": list(compared.both),
        "limits": [*map(limit_text, compared.limits)],
        "difference": compared.parting and parting_record(compared, compared.parting),
        "reproduce": told_answer.reproduce,
    }
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def parting_record(compared: Compared, parting: Parting) -> dict[str, Any]:
    """Write where the two part: cost, bound, both answers, the steps."""
    run, difference = told_parting(compared, parting), parting.difference
    return {
        "faults": difference.faults,
        "steps": difference.steps,
        "bound": told(parting.bound, compared.old.settings),
        "old": step_answer(difference.last.old),
        "new": step_answer(difference.last.new),
        "why": run.why,
        "trace": records(run.story, run.trace),
    }


def step_answer(step: Any) -> dict[str, str] | None:
    """Write one fence's answer."""
    return step and {"asked": step.event.label, "outcome": step.event.outcome, "rule": step.event.rule}


def outcome(told_answer: Answer) -> Outcome:
    """Return the comparison for a pull request: what is lost, what is won, and where the answers part."""
    compared = told_answer.compared
    lines = tuple(
        Line(name, what, f"{why} (faults, steps: {old}, now {new})") for what, name, old, new, why in costs(compared)
    )
    parting = compared.parting and told_parting(compared, compared.parting)
    return Outcome(
        title=f"fence {compared.new.fence.name}: {WORDS[compared.exit].lower()}",
        sentence=f"{headline(compared)}. {parting.why if parting else unparted(compared)}",
        passed=compared.exit == 0,
        lines=lines,
        kept=tuple(name for name in names_of(compared.new.fence) if name not in {line.name for line in lines}),
        failing=("lost",),
        story=parting.story if parting else None,
        place=place_of(compared.new.fence.name),
        reproduce=told_answer.reproduce,
    )


FORMATS = table(
    Format("text", as_text, "for a person"),
    Format("json", as_json, "for a program"),
    Format("markdown", lambda told_answer: as_markdown(outcome(told_answer)), "a comment for the pull request"),
    Format("junit", lambda told_answer: as_junit(outcome(told_answer)), "a test case a promise"),
    Format("github", lambda told_answer: as_github(outcome(told_answer)), "an annotation in a workflow"),
)
