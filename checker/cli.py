"""fencebench: explores the fence of an evaluation batch, and shows the shortest story that breaks it."""

import sys
from pathlib import Path
from typing import Any

import click

from checker.command.commands_b import COMMANDS as ABOUT_PARTS
from checker.command.commands_d import COMMANDS as WALKS
from checker.command.lazy import LazyGroup
from checker.command.options import EXIT_CODES, HELP, bound_options, long_options
from checker.errors import BadInput

FORMATS = ["text", "json", "itf", "junit", "sarif", "github"]


@click.group(cls=LazyGroup, context_settings=HELP, epilog=EXIT_CODES)
@click.version_option(package_name="fencebench", prog_name="fencebench")
def cli() -> None:
    """Explore a fence up to a bound: every interleaving, every fault; show the shortest story that breaks it.

    A FENCE is a name (see `fencebench list`) or path/to/file.py:NAME; the file is Python and is executed.
    """


@cli.command(context_settings=HELP, epilog=EXIT_CODES)
@click.argument("fences", nargs=-1, metavar="[FENCE]...")
@click.option("--all", "every", is_flag=True, help="every catalogued fence against its expected verdict")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("--pictures", type=click.Path(path_type=Path), help="with a format for CI: a folder for what is lost")
@click.option("--stop-at", type=click.Choice(["first", "all"]), default="first", show_default=True)
@click.option("--property", "property_", help="tell the story of this promise (implies --stop-at all)")
@click.option("--traces", type=click.Path(path_type=Path), help="a folder for the trace of every broken promise")
@click.option("--max-states", type=int, help="stop undetermined after so many states in one bound")
@click.option("--max-seconds", type=float, help="stop undetermined after so many seconds in one bound")
@click.option("--engine", type=click.Choice(["auto", "fast", "plain"]), default="auto", show_default=True)
@long_options
@click.option("--symmetry/--no-symmetry", default=True, help="count states that differ by the order of shards once")
@click.option("--reduce/--no-reduce", default=False, help="make each shard small first: for safety promises alone")
@bound_options
def check(**options: Any) -> None:
    """Check fences (default: reference) over a union of bounds."""
    from checker.command.run_check import run_check

    raise SystemExit(run_check(**options))


@cli.command("list", context_settings=HELP)
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def list_fences(form: str) -> None:
    """List the catalogued fences with their expected verdicts."""
    from checker.command.listing import print_list

    print_list(form)


@cli.command(context_settings=HELP)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["svg", "png", "dot", "text", "ascii", "mermaid"]), default="svg")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="default: beside the trace; - is standard output")
@click.option("--fence", help="tell it as this fence answers it (default: the trace's own)")
def render(trace: Path, form: str, output: Path | None, fence: str | None) -> None:
    """Draw a stored TRACE."""
    from checker.command.stored import render_trace

    render_trace(trace, form, output, fence)


@cli.command(
    context_settings=HELP, epilog="Exit codes: 1 still violates, 0 fixed, 3 no longer executable, 2 bad input."
)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--fence", help="replay on this fence (default: the trace's own)")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def replay(trace: Path, fence: str | None, form: str) -> None:
    """Replay a stored TRACE: still violates, fixed, or no longer executable at step k."""
    from checker.command.stored import replay_trace

    raise SystemExit(replay_trace(trace, fence, form))


for command in (*ABOUT_PARTS, *WALKS):
    cli.add_command(command)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code. Bad input is one line on standard error."""
    try:
        cli.main(arguments, prog_name="fencebench", standalone_mode=False)
    except BadInput as error:
        print(f"fencebench: {error}", file=sys.stderr)
        return 2
    except click.UsageError as error:
        print(f"fencebench: {error.format_message()} (see fencebench --help)", file=sys.stderr)
        return 2
    except click.ClickException as error:
        print(f"fencebench: {error.format_message()}", file=sys.stderr)
        return 2
    except SystemExit as stop:
        return int(stop.code or 0)
    except (KeyboardInterrupt, click.Abort):
        print("\nfencebench: stopped by the keyboard; nothing is decided", file=sys.stderr)
        return 3
    except BrokenPipeError:
        return 0
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
