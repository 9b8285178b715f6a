"""The command `accept`: the rule part by part, counters for each class, tokens, and the worst batch."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click
from rich.table import Table

from fencebench.checker.analysis.acceptance import Acceptance, accept
from fencebench.checker.analysis.acceptance_batch import RULES, Batch
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import FORMS, HELP, in_form
from fencebench.checker.errors import BadInput
from fencebench.checker.report.text import show
from fencebench.model.fence import Refusal
from fencebench.model.settings import RANGES, Settings

TOKENS = ("held", "most_held", "committed", "written_off", "burned")


def run_accept(fence: str, preemptions: int, shards: int, seed: int, form: str) -> int:
    """Apply the rule to a fence; print; return the exit code.

    Raises:
        BadInput: a number is too small, or there is no such fence.
    """
    for name, value in (("preemptions", preemptions), ("shards", shards)):
        if value < 1:
            raise BadInput(f"--{name} must be 1 or more; found {value}")
    result = accept(find_fence(fence), preemptions, shards, seed, Settings())
    command = f"fencebench accept {fence} --preemptions {preemptions} --shards {shards} --seed {seed}"
    in_form(
        form,
        text=lambda: print_text(result, command),
        json=lambda: print(json.dumps(as_json(result, command), indent=1, ensure_ascii=False)),
    )
    return 0 if result.accepted else 1


def rule_table(result: Acceptance) -> Table:
    """Tabulate the parts of the rule, then broken promises beyond it."""
    table = Table("rule", "verdict", "batches", "first failure", box=None, pad_edge=False, header_style="dim")
    failed = {failure.rule: failure for failure in result.failures}
    for rule in dict.fromkeys((*RULES, *failed)):
        failure = failed.get(rule)
        why = f"batch {failure.batch}: {failure.why}" if failure else ""
        table.add_row(rule, "FAILED" if failure else "passed", str(failure.times) if failure else "", why)
    return table


def class_table(counts: Mapping[str, int]) -> Table:
    """Tabulate how often each class was answered; a class that never was is named as well."""
    table = Table("class", box=None, pad_edge=False, header_style="dim")
    table.add_column("answers", justify="right")
    for refusal in sorted(Refusal, key=lambda refusal: (-counts.get(refusal, 0), refusal)):
        table.add_row(str(refusal), f"{counts.get(refusal, 0):,}")
    return table


def token_table(result: Acceptance) -> Table:
    """Tabulate tokens by kind: over all batches, and of the worst one."""
    table = Table("tokens", box=None, pad_edge=False, header_style="dim")
    for column in ("all batches", "worst batch"):
        table.add_column(column, justify="right")
    for kind in TOKENS:
        total = max if kind == "most_held" else sum
        name = "most held at once" if kind == "most_held" else kind.replace("_", " ")
        table.add_row(name, f"{total(getattr(b, kind) for b in result.batches):,}", f"{getattr(result.worst, kind):,}")
    return table


def told(batch: Batch) -> str:
    """Tell the worst batch in one sentence."""
    ratio = batch.burned / batch.plan
    what = f"{batch.preemptions} preemptions, {batch.faults} faults, {batch.steps} steps"
    end = "complete" if batch.complete else "not complete"
    return f"batch {batch.number}: {what}, burned {ratio:.2f} x plan under a ceiling of {batch.ceiling:,}, {end}"


def facts(result: Acceptance) -> Iterator[tuple[str, str]]:
    """Yield what was run: name and text."""
    batches = result.batches
    owed = [batch for batch in batches if batch.owes_completion]
    struck = sum(batch.preemptions for batch in batches)
    yield "batches", f"{len(batches)}, with {struck} preemptions, {sum(b.faults for b in batches)} faults in all"
    yield "had to complete", f"{len(owed)}, of which {sum(b.complete for b in owed)} did"
    yield "worst batch", told(result.worst)


def print_text(result: Acceptance, command: str) -> None:
    """Print it all for a person."""
    verdict = "[bold green]ACCEPTED[/]" if result.accepted else "[bold red]NOT ACCEPTED[/]"
    show(f"{verdict}  {result.fence.name}: {result.fence.summary}\n", rule_table(result), "")
    show(class_table(result.classes), "", token_table(result), "")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(width=16, style="dim")
    grid.add_column()
    for name, text in facts(result):
        grid.add_row(name, text)
    show(grid)
    print(f"\nreproduce: {command}")


def as_json(result: Acceptance, command: str) -> dict[str, Any]:
    """Return it all for a program."""
    worst, failed = result.worst, {f.rule: f for f in result.failures}
    rules = {
        rule: {"passed": rule not in failed, **({"batch": f.batch, "times": f.times, "why": f.why} if f else {})}
        for rule, f in ((rule, failed.get(rule)) for rule in dict.fromkeys((*RULES, *failed)))
    }
    return {
        "verdict": "accepted" if result.accepted else "not accepted",
        "exit": 0 if result.accepted else 1,
        "fence": result.fence.name,
        "batches": len(result.batches),
        "preemptions": sum(batch.preemptions for batch in result.batches),
        "rules": rules,
        "classes": {str(refusal): result.classes.get(refusal, 0) for refusal in Refusal},
        "tokens": {kind: sum(getattr(b, kind) for b in result.batches) for kind in TOKENS if kind != "most_held"},
        "worst": {"batch": worst.number, "complete": worst.complete, **{kind: getattr(worst, kind) for kind in TOKENS}},
        "reproduce": command,
    }


ACCEPT_CODES = """\b
Exit codes: 0 accepted, 1 not accepted, 2 bad input."""


@click.command("accept", context_settings=HELP, epilog=ACCEPT_CODES)
@click.argument("fence", default="reference")
@click.option(
    "--preemptions",
    type=click.IntRange(1, 10**6),
    default=500,
    show_default=True,
    help="batches until so many have struck",
)
@click.option("--shards", type=click.IntRange(*RANGES["shards"]), default=4, show_default=True, help="shards a batch")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**63 - 1),
    default=0,
    show_default=True,
    help="the same seed, the same batches",
)
@FORMS
def accept_command(**options: Any) -> None:
    """Apply the blunt acceptance rule to a FENCE: spend under the ceiling, one artifact a shard, true reasons."""
    raise SystemExit(run_accept(**options))
