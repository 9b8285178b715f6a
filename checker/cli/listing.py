"""The command `list`."""

import json

import click
from rich.table import Table

from fencebench.checker.cli.options import HELP
from fencebench.checker.report.text import show
from fencebench.model.fences import EXPECTED, FENCES
from fencebench.model.promises.catalogue import PROMISES


def print_list(form: str) -> None:
    """Print the catalogue of fences and the promises."""
    if form == "json":
        fences = [{"name": f.name, "summary": f.summary, "expected": EXPECTED[f.name].verdict} for f in FENCES.values()]
        promises = [{"name": p.name, "claim": p.sentence} for p in PROMISES]
        print(json.dumps({"fences": fences, "promises": promises}, indent=1))
        return
    table = Table("fence", "expected", "what it is", box=None, pad_edge=False, header_style="dim")
    for fence in FENCES.values():
        table.add_row(fence.name, str(EXPECTED[fence.name].verdict), fence.summary)
    promises_table = Table("promise", "claim", box=None, pad_edge=False, header_style="dim")
    for promise in PROMISES:
        promises_table.add_row(promise.name, promise.sentence)
    show(table, "", promises_table)


@click.command("list", context_settings=HELP)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_fences(form: str) -> None:
    """List the catalogued fences with their expected verdicts."""
    print_list(form)
