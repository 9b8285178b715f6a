"""Commands about a fence's parts, its changes and its worst cases."""

from pathlib import Path
from typing import Any

import click

from checker.command.options import HELP, bound_options

FORMS = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
MAX_STATES = click.option("--max-states", type=int, help="stop undetermined after so many states in one search")
MAX_SECONDS = click.option("--max-seconds", type=float, help="stop undetermined after so many seconds in one search")

DIFF_EXITS = """\b
Exit codes: 0 no promise is lost, 1 one is, 2 bad input, 3 undetermined (a limit was hit)."""


@click.command(context_settings=HELP, epilog=DIFF_EXITS)
@click.argument("old")
@click.argument("new")
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def diff(**options: Any) -> None:
    """Compare fence OLD with fence NEW: promises won and lost, and the shortest run they answer differently.

    A variant has a name: reference-without-stale_epoch, reference-with-sealing=a_step_later.
    """
    from checker.command.run_diff import run_diff

    raise SystemExit(run_diff(**options))


KNOCKOUT_EXITS = """\b
Exit codes: 0 every rule is explained, 1 one is not, 2 bad input, 3 undetermined (a limit was hit)."""


@click.command(context_settings=HELP, epilog=KNOCKOUT_EXITS)
@click.argument("fence", default="reference")
@click.option("--pairs", is_flag=True, help="also two parts at a time; this takes long")
@click.option("--minimal", is_flag=True, help="find every minimal set of rules that keeps all promises")
@click.option("--jobs", type=click.IntRange(1), help="searches at a time; default: one a core")
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def knockout(**options: Any) -> None:
    """Take a FENCE apart: which rule and which strategy carries which promise.

    Each rule is removed and each strategy replaced by its other values. A part is load-bearing, standby behind
    another, or changes only the class of an answer. Promises that nothing breaks are named.
    """
    from checker.command.run_knockout import run_knockout

    raise SystemExit(run_knockout(**options))


@click.command(context_settings=HELP)
@click.argument("fences", nargs=-1, metavar="[FENCE]...")
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), default=Path("counterexamples"), show_default=True, help="folder"
)
@click.option("--bounds", "bounds_file", type=click.Path(path_type=Path), help="a TOML file instead of the union")
def gallery(**options: Any) -> None:
    """Write the shortest story of every promise that a fence breaks: pictures, texts, traces and an index.

    Without a FENCE: the whole catalogue. Files of stories that no longer exist are removed.
    """
    from checker.command.run_gallery import run_gallery

    raise SystemExit(run_gallery(**options))


@click.group(context_settings=HELP)
def sweep() -> None:
    """Turn one dial until a fence breaks: clock skew, faults, or what faults cost."""


@sweep.command(context_settings=HELP, epilog="Exit codes: 0 some skew is safe, 1 none is, 2 bad input, 3 undetermined.")
@click.argument("fence", default="reference")
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def skew(**options: Any) -> None:
    """Find the largest clock skew that is still safe for a lease and a margin."""
    from checker.command.run_sweep import run_skew

    raise SystemExit(run_skew(**options))


@sweep.command(
    context_settings=HELP,
    epilog="Exit codes: 0 nothing broke in that time, 1 a promise did, 2 bad input, 3 nothing is proven.",
)
@click.argument("fence", default="reference")
@FORMS
@click.option("--max-seconds", type=float, default=60.0, show_default=True, help="for the whole sweep")
@bound_options
def faults(**options: Any) -> None:
    """Find the largest fault sum that is proven harmless within a time limit."""
    from checker.command.run_sweep import run_faults

    raise SystemExit(run_faults(**options))


@sweep.command(context_settings=HELP, epilog="Exit codes: 0 the figures are exact, 2 bad input, 3 undetermined.")
@click.argument("fence", default="reference")
@click.option(
    "--story",
    type=click.Choice(["burned", "committed", "none"]),
    default="burned",
    show_default=True,
    help="tell the run that goes furthest above plan",
)
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def cost(**options: Any) -> None:
    """Find the most tokens that a run can burn and book for each number of faults."""
    from checker.command.run_sweep import run_cost

    raise SystemExit(run_cost(**options))


COMMANDS = [diff, knockout, gallery, sweep]
