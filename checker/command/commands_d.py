"""The commands `walk` and `accept`: long random runs, beyond what a search can enumerate."""

from pathlib import Path
from typing import Any

import click

from checker.command.options import HELP, bound_options

WALK_CODES = """\b
Exit codes: 0 no violation found on these walks (which proves nothing), 1 violated, 2 bad input,
3 undetermined (a limit was hit), 4 vacuous (something owed never ran)."""

ACCEPT_CODES = """\b
Exit codes: 0 accepted, 1 not accepted, 2 bad input."""


@click.command(context_settings=HELP, epilog=WALK_CODES)
@click.argument("fence", default="reference")
@click.option("--examples", type=int, default=300, show_default=True, help="walks to take")
@click.option("--steps", type=int, default=200, show_default=True, help="steps a walk, at most")
@click.option("--seed", type=int, default=0, show_default=True, help="the same seed walks the same walks")
@click.option("--stop-at", type=click.Choice(["first", "all"]), default="all", show_default=True)
@click.option("--property", "property_", help="look for this promise alone, and stop when it is broken")
@click.option("--max-seconds", type=float, help="stop undetermined after so many seconds")
@click.option("--format", "form", type=click.Choice(["text", "json", "itf"]), default="text", show_default=True)
@click.option("--traces", type=click.Path(path_type=Path), help="a folder for the traces, shrunk and minimised")
@bound_options
def walk(**options: Any) -> None:
    """Walk a FENCE at random, far beyond a search's bound: by default 8 shards, 10 epochs, 40 faults."""
    from checker.walk.command import run_walk

    raise SystemExit(run_walk(**options))


@click.command(context_settings=HELP, epilog=ACCEPT_CODES)
@click.argument("fence", default="reference")
@click.option("--preemptions", type=int, default=500, show_default=True, help="batches run until so many have struck")
@click.option("--shards", type=int, default=4, show_default=True, help="shards a batch")
@click.option("--seed", type=int, default=0, show_default=True, help="the same seed runs the same batches")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def accept(**options: Any) -> None:
    """Apply the blunt acceptance rule to a FENCE: spend under the ceiling, one artifact a shard, true reasons."""
    from checker.walk.accept_command import run_accept

    raise SystemExit(run_accept(**options))


COMMANDS = [walk, accept]
