"""The command `ask`: the whole table of a boundary that somebody else answers."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import click

from fencebench.checker.analysis.bounds import Asked, fits_fence, told
from fencebench.checker.analysis.check import check
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.answered.respondent import YES, Respondent
from fencebench.checker.answered.table import Line, ahead, table
from fencebench.checker.cli.options import FORMS, HELP, again, bound_options, bounds_asked
from fencebench.checker.cli.progress import asking, clear, interruptible, watcher
from fencebench.checker.errors import BadInput
from fencebench.checker.report.text import show
from fencebench.checker.search.limits import Limits
from fencebench.model.fence import ATOMIC, BOUNDARIES, Fence

EXITS = """\b
Exit codes: 0 no answer differs in a way that some promise feels, 1 one does, 2 bad input."""


def run_ask(fence: str, boundary: str, form: str, **options: Any) -> int:
    """Ask everything; print the table; return the exit code."""
    wanted = bounds_asked(options)
    found = find_fence(fence)
    fits_fence(found, wanted)
    who = found.respondent(boundary)
    if not isinstance(who, Respondent):
        answered = ", ".join(name for name, _ in found.answered) or "none"
        raise BadInput(
            f"{fence}: {boundary} is answered by rules; expected one of those answered otherwise: {answered}"
        )
    lines = asked_all(found, boundary, who, wanted)
    felt = felt_by(found, boundary, wanted) if any(line.differs for line in lines) else ()
    reproduce = again(f"ask {fence} --boundary {boundary}", wanted)
    print_json(lines, felt, who, reproduce) if form == "json" else print_text(lines, felt, who, boundary, reproduce)
    return int(bool(felt))


def asked_all(fence: Fence, boundary: str, who: Respondent, wanted: Asked) -> tuple[Line, ...]:
    """Return the table over the bounds of one shard, or over all where there are no others."""
    bounds = tuple(bound for bound in wanted.bounds if bound.shards == 1 or boundary == "publish") or wanted.bounds
    with asking(fence), interruptible(watcher(f"{boundary} of {fence.name}")) as watch:
        try:
            ahead(fence, bounds, wanted.settings, watch)
            return table(fence, boundary, who, bounds, wanted.settings, watch)
        finally:
            clear()


def felt_by(fence: Fence, boundary: str, wanted: Asked) -> tuple[str, ...]:
    """Return the promises that the fence breaks, and would keep with its rules at the boundary."""
    broken: list[set[str]] = []
    for one in (fence, fence.having(**{boundary: getattr(fence, boundary)})):
        with interruptible(watcher(one.name)) as watch:
            try:
                broken.append({*check(one, wanted, Limits(), ENGINES["auto"](True), watch).findings})
            finally:
                clear()
    return tuple(sorted(broken[0] - broken[1]))


def answers(line: Line) -> tuple[str, str]:
    """Return the answer, and the rules' where it differs."""
    by_rule = f" ({line.by_rules.rule})" if line.by_rules.rule else ""
    theirs = f"{line.by_rules.refusal or YES}{by_rule}" if line.reply.refusal != line.by_rules.refusal else ""
    return str(line.reply.refusal or YES), theirs


def run_told(line: Line) -> Iterator[str]:
    """Yield the steps of the run that asks."""
    for number, step in enumerate(line.run, 1):
        fault = f" [{step.event.fault}]" if step.event.fault else ""
        yield f"{number} {step.event.label}{fault}"


def block(line: Line) -> Iterator[str]:
    """Yield the lines of one question."""
    mine, theirs = answers(line)
    mark = "DIFFERS" if line.differs else "same"
    yield f"{mark:<8}{mine}{f'; the rules answer {theirs}' if theirs else ''}   {line.question}"
    if line.differs:
        yield from (
            f"          {part}: {field} {old}{' -> ' * bool(old)}{new}" for part, field, old, new in line.reply.shown
        )
        if line.reply.wrong:
            yield f"          wrong: {line.reply.wrong}"
    yield f"        asked after {line.faults} faults, {len(line.run)} steps: {', '.join(run_told(line))}"


def headline(lines: Sequence[Line], felt: Sequence[str]) -> str:
    """Give the answer in one line."""
    differing = sum(line.differs for line in lines)
    if not differing:
        return f"[bold green]CONFORMS[/]  all {len(lines):,} answers are those of the rules"
    of = f"{differing:,} of {len(lines):,} answers differ from those of the rules"
    if felt:
        return f"[bold red]DIFFERS[/]  {of}; promises that feel it: {', '.join(felt)}"
    return f"[bold yellow]DIFFERS[/]  {of}; no promise feels it up to these bounds"


def print_text(lines: Sequence[Line], felt: Sequence[str], who: Respondent, boundary: str, reproduce: str) -> None:
    """Print the table."""
    show(headline(lines, felt))
    print(f"\n{boundary} answered by {who.summary}\nnot shown: {ATOMIC}\n")
    for line in lines:
        print("\n".join(block(line)))
    print(f"\nreproduce: {reproduce}")


def print_json(lines: Sequence[Line], felt: Sequence[str], who: Respondent, reproduce: str) -> None:
    """Print the table as one JSON object."""
    record = {
        "answered_by": who.name,
        "kind": who.asked.kind,
        "questions": len(lines),
        "differ": sum(line.differs for line in lines),
        "felt": list(felt),
        "not_shown": ATOMIC,
        "table": [line_record(line) for line in lines],
        "reproduce": reproduce,
    }
    print(json.dumps(record, indent=1, ensure_ascii=False))


def line_record(line: Line) -> dict[str, Any]:
    """Write one question."""
    from fencebench.model.settings import Settings

    told_run = {"faults": line.faults, "steps": list(run_told(line)), "bound": told(line.bound, Settings())}
    request = {name: value for name, value in vars(line.question.request).items() if value is not None}
    mine = {"answer": line.reply.refusal or YES, "rules": line.by_rules.refusal or YES, "rule": line.by_rules.rule}
    shown = [f"{part}: {field} {old}{' -> ' * bool(old)}{new}" for part, field, old, new in line.reply.shown]
    return {
        "request": request,
        **mine,
        "differs": line.differs,
        "wrong": line.reply.wrong,
        "shown": shown,
        "run": told_run,
    }


@click.command("ask", context_settings=HELP, epilog=EXITS)
@click.argument("fence")
@click.option("--boundary", type=click.Choice(list(BOUNDARIES)), required=True, help="the boundary to ask")
@FORMS
@bound_options
def ask_command(**options: Any) -> None:
    """Ask every question of a boundary of FENCE that somebody else answers, and compare with the rules.

    Each question is asked once, with the shortest run that leads to it; without bounds those of one shard.
    """
    raise SystemExit(run_ask(**options))
