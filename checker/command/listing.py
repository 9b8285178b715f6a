"""The command `list`."""

import json

from rich.table import Table

from checker.command.output import console
from model.fences import EXPECTED, FENCES
from model.progress import may_finish
from model.promises import CLAIMS, NAMES


def print_list(form: str) -> None:
    """Print the catalogue of fences and the promises."""
    claims = {name: function.__doc__ or "" for name, function in reversed((*CLAIMS, ("can_finish", may_finish)))}
    if form == "json":
        fences = [{"name": f.name, "summary": f.summary, "expected": EXPECTED[f.name].verdict} for f in FENCES.values()]
        promises = [{"name": name, "claim": claims[name].strip().splitlines()[0]} for name in NAMES]
        print(json.dumps({"fences": fences, "promises": promises}, indent=1))
        return
    out = console()
    table = Table("fence", "expected", "what it is", box=None, pad_edge=False, header_style="dim")
    for fence in FENCES.values():
        table.add_row(fence.name, str(EXPECTED[fence.name].verdict), fence.summary)
    out.print(table)
    promises_table = Table("promise", "claim", box=None, pad_edge=False, header_style="dim")
    for name in NAMES:
        promises_table.add_row(name, claims[name].strip().splitlines()[0])
    out.print()
    out.print(promises_table)
