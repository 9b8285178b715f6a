"""The command `list`."""

import json

import click
from rich.table import Table

from fencebench.checker.cli.options import FORMS, HELP, in_form
from fencebench.checker.report.text import show
from fencebench.model.fences import EXPECTED, FENCES
from fencebench.model.promises.catalogue import PROMISES


def print_json() -> None:
    """Print the catalogue of fences and the promises as one JSON object."""
    fences = [{"name": f.name, "summary": f.summary, "expected": EXPECTED[f.name].verdict} for f in FENCES.values()]
    promises = [{"name": p.name, "claim": p.sentence} for p in PROMISES]
    print(json.dumps({"fences": fences, "promises": promises}, indent=1))


def print_text() -> None:
    """Print the catalogue of fences and the promises."""
    table = Table("fence", "expected", "what it is", box=None, pad_edge=False, header_style="dim")
    for fence in FENCES.values():
        table.add_row(fence.name, str(EXPECTED[fence.name].verdict), fence.summary)
    promises_table = Table("promise", "claim", box=None, pad_edge=False, header_style="dim")
    for promise in PROMISES:
        promises_table.add_row(promise.name, promise.sentence)
    show(table, "", promises_table)


@click.command("list", context_settings=HELP)
@FORMS
def list_fences(form: str) -> None:
    """List the catalogued fences with their expected verdicts."""
    in_form(form, text=print_text, json=print_json)
