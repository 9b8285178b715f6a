"""The command `list`."""

import json

from rich.table import Table

from checker.command.output import show
from model.fences import EXPECTED, FENCES
from model.promises import NAMES, SENTENCES


def print_list(form: str) -> None:
    """Print the catalogue of fences and the promises."""
    if form == "json":
        fences = [{"name": f.name, "summary": f.summary, "expected": EXPECTED[f.name].verdict} for f in FENCES.values()]
        promises = [{"name": name, "claim": SENTENCES[name]} for name in NAMES]
        print(json.dumps({"fences": fences, "promises": promises}, indent=1))
        return
    table = Table("fence", "expected", "what it is", box=None, pad_edge=False, header_style="dim")
    for fence in FENCES.values():
        table.add_row(fence.name, str(EXPECTED[fence.name].verdict), fence.summary)
    promises_table = Table("promise", "claim", box=None, pad_edge=False, header_style="dim")
    for name in NAMES:
        promises_table.add_row(name, SENTENCES[name])
    show(table, "", promises_table)
