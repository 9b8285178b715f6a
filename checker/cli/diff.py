"""The command `diff`: checks two fences, prints what is won, lost and answered differently."""

import json
from collections.abc import Iterator
from typing import Any

import click

from fencebench.checker.analysis.bounds import as_options, fits_fence, told
from fencebench.checker.analysis.diff import Compared, Parting, answer, compare
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import (
    FORMS,
    HELP,
    MAX_SECONDS,
    MAX_STATES,
    again,
    bound_options,
    bounds_asked,
    limits_asked,
)
from fencebench.checker.cli.progress import shown
from fencebench.checker.files import columns
from fencebench.checker.report.case import RunStory, records
from fencebench.checker.report.text import show


def run_diff(old: str, new: str, form: str, **options: Any) -> int:
    """Compare two fences; print; return the exit code."""
    wanted = bounds_asked(options)
    fences = find_fence(old), find_fence(new)
    for fence in fences:
        fits_fence(fence, wanted)
    with shown() as watching:
        compared = compare(*fences, wanted, limits_asked(options), watching)
    reproduce = again(f"diff {old} {new}", wanted)
    print(as_json(compared, reproduce)) if form == "json" else print_text(compared, reproduce)
    return compared.exit


def headline(compared: Compared) -> str:
    """Give the verdict in one line."""
    old, new = compared.old.fence.name, compared.new.fence.name
    if compared.exit == 1:
        return f"[bold red]LOST[/]  {new} breaks {len(compared.lost)} promise(s) that {old} keeps"
    if compared.exit == 3:
        return f"[bold yellow]UNDETERMINED[/]  a search was stopped at {compared.limits[0]}; raise it, or lower a bound"
    return f"[bold green]KEPT[/]  {new} keeps every promise that {old} keeps"


def costs(compared: Compared) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield a row for each promise that one of the two breaks: what became of it, name, cost before and after, why."""
    for what, names in (("lost", compared.lost), ("won", compared.won), ("broken", compared.both)):
        for name in names:
            before, after = (c.findings.get(name) for c in (compared.old, compared.new))
            cost = (f"{f[1].faults}, {f[1].steps}" if f else "kept" for f in (before, after))
            yield (what, name, *cost, (after or before)[1].why)  # type: ignore[misc, index]


def print_text(compared: Compared, reproduce: str) -> None:
    """Print the verdict, the promises, the parting and its run."""
    from rich.table import Table

    from fencebench.checker.report.picture import as_text

    show(headline(compared) + "\n")
    rows = list(costs(compared))
    table = Table(
        "", "promise", "old", "new", "what failed (faults, steps)", box=None, pad_edge=False, header_style="dim"
    )
    for row in rows:
        table.add_row(*row)
    show(table if rows else "both keep every promise up to these bounds")
    if compared.parting is None:
        cut = f", as far as the search went ({compared.limits[0]})" if compared.limits else " up to these bounds"
        show(f"\nno request is answered differently{cut}")
    else:
        print(f"\n{as_text(told_parting(compared, compared.parting).story, width=columns())}")
    print(f"\nreproduce: {reproduce}")


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
    names = f"{compared.old.fence.name} {compared.new.fence.name}"
    return RunStory(
        getattr(compared, side).fence,
        parting.bound,
        compared.old.settings,
        parting.difference.trace(side),
        "Here the two fences answer differently",
        sentence(compared, parting),
        f"fencebench diff {names} {as_options(parting.bound, compared.old.settings)}",
    )


def as_json(compared: Compared, reproduce: str) -> str:
    """Write the comparison as one JSON object."""
    record = {
        "old": compared.old.fence.name,
        "new": compared.new.fence.name,
        "exit": compared.exit,
        "lost": list(compared.lost),
        "won": list(compared.won),
        "broken_by_both": list(compared.both),
        "limits": list(compared.limits),
        "difference": compared.parting and parting_record(compared, compared.parting),
        "reproduce": reproduce,
    }
    return json.dumps(record, indent=1, ensure_ascii=False)


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


DIFF_EXITS = """\b
Exit codes: 0 no promise is lost, 1 one is, 2 bad input, 3 undetermined (a limit was hit)."""


@click.command("diff", context_settings=HELP, epilog=DIFF_EXITS)
@click.argument("old")
@click.argument("new")
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def diff_command(**options: Any) -> None:
    """Compare fence OLD with fence NEW: promises won and lost, and the shortest run they answer differently.

    A variant has a name: reference-without-stale_epoch, reference-with-sealing=a_step_later.
    """
    raise SystemExit(run_diff(**options))
