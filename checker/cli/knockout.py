"""The command `knockout`: prints the matrix, the roles, the minimal fences and the vacuous promises."""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.table import Table

from fencebench.checker.analysis.bounds import fits_fence, told
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.analysis.jobs import cores
from fencebench.checker.analysis.knockout import Bench, Knockout, Trial, knock_out
from fencebench.checker.analysis.minimal import Minimal, minimal_fences
from fencebench.checker.analysis.roles import Role, matrix, roles
from fencebench.checker.cli.options import (
    FORMS,
    HELP,
    HTML,
    MAX_SECONDS,
    MAX_STATES,
    again,
    bound_options,
    bounds_asked,
    in_form,
    limits_asked,
)
from fencebench.checker.cli.progress import shown
from fencebench.checker.files import columns, write_whole
from fencebench.checker.report.html.page import Page, Sheet, as_html
from fencebench.checker.report.text import show
from fencebench.checker.search.limits import limit_text
from fencebench.model.promises.catalogue import names_of

LABEL, CELL = 40, 7


def run_knockout(
    fence: str, pairs: bool, minimal: bool, form: str, jobs: int | None, html: Path | None, **options: Any
) -> int:
    """Take a fence apart; print; return the exit code."""
    wanted, limits = bounds_asked(options), limits_asked(options)
    subject = find_fence(fence)
    fits_fence(subject, wanted)
    with shown() as watching:
        found = knock_out(Bench(subject, wanted, limits, jobs or cores(), watching), pairs, progress)
        smallest = minimal_fences(subject, wanted, limits, watching) if minimal else None
    bounds = [told(bound, wanted.settings) for bound in wanted.bounds]
    reproduce = again(f"knockout {fence}{' --pairs' * pairs}{' --minimal' * minimal}", wanted)
    if html:
        write_whole(html, as_html(page_of(found, smallest, bounds, reproduce)))
    told_answer = found, smallest, bounds, reproduce
    in_form(form, text=lambda: print_text(*told_answer), json=lambda: print(as_json(*told_answer)))
    return exit_code(found, smallest)


def exit_code(found: Knockout, smallest: Minimal | None) -> int:
    """3 if a limit leaves something open, 1 if a part is not explained, else 0."""
    if found.limit or (smallest and smallest.limit):
        return 3
    return 0 if all(role.explained for role in all_roles(found, smallest)) else 1


def all_roles(found: Knockout, smallest: Minimal | None) -> tuple[Role, ...]:
    """Return the roles, explained by the breaking sets as well if those were sought."""
    return roles(found, smallest.breaking if smallest else ())


def progress(trial: Trial, number: int, of: int) -> None:
    """Say on standard error how far the trials are."""
    if trial.like is None or number == of:
        broken = f"breaks {len(trial.broken)}" if trial.broken else "breaks nothing"
        print(f"{number}/{of} without {' + '.join(trial.parts)}: {broken}", file=sys.stderr, flush=True)


def page_of(found: Knockout, smallest: Minimal | None, bounds: list[str], reproduce: str) -> Page:
    """Return the page: what each part carries, and the matrix of parts and promises."""
    rows, judged = matrix(found), all_roles(found, smallest)
    names = [name for name in names_of(found.fence) if any(name in cells for _, cells in rows)]
    costs = [(label, *("{}, {}".format(*cells[n]) if n in cells else "" for n in names)) for label, cells in rows]
    counts = Counter(role.kind for role in judged)
    return Page(
        title=found.fence.name,
        verdict="undetermined" if found.limit else "knock-out",
        headline=", ".join(f"{count} {kind}" for kind, count in counts.items()),
        good=exit_code(found, smallest) == 0,
        reproduce=reproduce,
        facts=[("bounds", "; ".join(bounds)), ("promises that nothing tried here breaks", ", ".join(found.vacuous))],
        sheets=[
            Sheet("Parts", ("part", "role", ""), [(role.part, role.kind, sentence(role)) for role in judged]),
            Sheet("Faults and steps of the shortest counterexample", ("without", *names), costs),
        ],
    )


def headline(found: Knockout, judged: tuple[Role, ...]) -> str:
    """Give the answer in one line."""
    kinds = [role.kind for role in judged]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    colour = "yellow" if found.limit else "green" if all(role.explained for role in judged) else "red"
    return f"[bold {colour}]KNOCK-OUT[/]  {found.fence.name}: {counts}"


def tables(found: Knockout) -> Iterator[Table]:
    """Yield the matrix in blocks of columns that fit the width."""
    rows = matrix(found)
    broken = [name for name in names_of(found.fence) if any(name in cells for _, cells in rows)]
    fit = (columns() - LABEL) // CELL
    for start in range(0, len(broken), fit):
        block = broken[start : start + fit]
        table = Table("without", box=None, pad_edge=False, header_style="dim")
        table.columns[0].width = LABEL - 2
        for name in block:
            table.add_column(letter(broken.index(name)), justify="right", width=CELL - 2)
        for label, cells in rows:
            if any(name in cells for name in block):
                table.add_row(label, *(f"{cells[n][0]},{cells[n][1]}" if n in cells else "·" for n in block))
        table.caption = "; ".join(f"{letter(broken.index(name))} {name}" for name in block)
        table.caption_justify = "left"
        yield table


def letter(number: int) -> str:
    """Name a column: A to Z, then a to z."""
    return chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)


def sentence(role: Role) -> str:
    """Say what a part does, in a few words."""
    told_change = f" ({role.change[0]} becomes {role.change[1]})" if role.change else ""
    if role.kind == "load-bearing":
        return f"breaks {', '.join(role.breaks)}"
    if role.kind == "standby":
        which = f"; without them: {', '.join(role.breaks)}" if role.proven else "; nothing tried breaks without both"
        return f"behind {', '.join(role.behind)}{which}{told_change}"
    if role.kind == "no part":
        return "changes nothing up to these bounds; raise one, or try --pairs"
    return told_change.strip(" ()")


def print_text(found: Knockout, smallest: Minimal | None, bounds: list[str], reproduce: str) -> None:
    """Print everything for a person."""
    judged = all_roles(found, smallest)
    show(f"{headline(found, judged)}\n\nbounds  {'; '.join(bounds)}\n")
    for table in tables(found):
        show(table)
        show("")
    show("[dim]cells: faults, steps of the shortest counterexample[/]\n")
    table = Table("part", "role", "", box=None, pad_edge=False, header_style="dim")
    for role in judged:
        table.add_row(role.part, role.kind, sentence(role))
    show(table)
    vacuous = ", ".join(found.vacuous) or "none"
    show(f"\n[dim]promises that nothing tried here breaks[/]  {vacuous}")
    if smallest:
        print_minimal(smallest)
    print(f"\nreproduce: {reproduce}")


def print_minimal(smallest: Minimal) -> None:
    """Print the minimal sufficient fences."""
    common = smallest.common
    show(f"\n[bold]{len(smallest.fences)} minimal sufficient fence(s)[/], all with: {', '.join(common) or 'no rule'}")
    for number, one in enumerate(smallest.fences, 1):
        rest = [rule for rule in one.rules if rule not in common]
        show(f"  {number}  {len(one.rules)} rules, {one.verdict}: and {', '.join(rest) or 'nothing more'}")
    for group in smallest.breaking:
        show(f"  cannot {'all ' * (len(group.rules) > 1)}go: {', '.join(group.rules)} ({group.promise})")
    show(
        f"[dim]found by {smallest.searches} searches; no set of rules was passed over unless a story that breaks a "
        "promise goes through with it as well, or unless it contains one of these[/]"
    )


def as_json(found: Knockout, smallest: Minimal | None, bounds: list[str], reproduce: str) -> str:
    """Write everything as one JSON object."""
    record = {
        "fence": found.fence.name,
        "exit": exit_code(found, smallest),
        "bounds": bounds,
        "limit": limit_text(found.limit),
        "trials": [trial_record(trial) for trial in found.trials],
        "roles": [role_record(role) for role in all_roles(found, smallest)],
        "vacuous": list(found.vacuous),
        "minimal": smallest and [{"rules": list(f.rules), "verdict": f.verdict} for f in smallest.fences],
        "breaking": smallest and [{"rules": list(b.rules), "promise": b.promise} for b in smallest.breaking],
        "reproduce": reproduce,
    }
    return json.dumps(record, indent=1, ensure_ascii=False)


def trial_record(trial: Trial) -> dict[str, Any]:
    """Write one row of the matrix."""
    cells = {name: {"faults": cost[0], "steps": cost[1]} for name, cost in trial.broken.items()}
    same = None if trial.like is None else list(trial.like)
    return {"without": list(trial.parts), "broken": cells, "limit": limit_text(trial.limit), "same_as_without": same}


def role_record(role: Role) -> dict[str, Any]:
    """Write one role."""
    change = role.change and {"before": role.change[0], "after": role.change[1]}
    names = {"behind": list(role.behind), "breaks": list(role.breaks)}
    return {"part": role.part, "role": role.kind, **names, "proven": role.proven, "change": change}


KNOCKOUT_EXITS = """\b
Exit codes: 0 every rule is explained, 1 one is not, 2 bad input, 3 undetermined (a limit was hit)."""


@click.command("knockout", context_settings=HELP, epilog=KNOCKOUT_EXITS)
@click.argument("fence", default="reference")
@click.option("--pairs", is_flag=True, help="also two parts at a time; this takes long")
@click.option("--minimal", is_flag=True, help="find every minimal set of rules that keeps all promises")
@click.option("--jobs", type=click.IntRange(1), help="searches at a time; default: one a core")
@FORMS
@HTML
@MAX_STATES
@MAX_SECONDS
@bound_options
def knockout_command(**options: Any) -> None:
    """Take a FENCE apart: which rule and which strategy carries which promise.

    Each rule is removed and each strategy replaced by its other values. A part is load-bearing, standby behind
    another, or changes only the class of an answer. Promises that nothing breaks are named.
    """
    raise SystemExit(run_knockout(**options))
