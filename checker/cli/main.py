"""fencebench: explores the fence of an evaluation batch, and shows the shortest story that breaks it."""

import sys
from importlib import import_module

import click

from fencebench.checker.cli.failures import run_whole
from fencebench.checker.cli.options import EXIT_CODES, HELP

COMMANDS = {
    "accept": "cli.accept:accept_command",
    "ask": "cli.ask:ask_command",
    "audit": "cli.oracle.audit:audit_command",
    "check": "cli.check:check_command",
    "diff": "cli.diff:diff_command",
    "expect": "cli.expect:expect_command",
    "explore": "cli.explore:explore_command",
    "gallery": "cli.gallery:gallery_command",
    "knockout": "cli.knockout:knockout_command",
    "list": "cli.listing:list_fences",
    "oracle": "cli.oracle.judge:oracle",
    "render": "cli.replay:render_command",
    "replay": "cli.replay:replay_command",
    "sweep": "cli.sweep:sweep",
    "walk": "cli.walk:walk_command",
}
"""Where each verb is, as module:name below `fencebench.checker`; a module is loaded when its verb is asked for."""


class LazyGroup(click.Group):
    """A group whose commands are loaded one by one."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loaded."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command: click.Command = getattr(import_module(f"fencebench.checker.{module}"), name)
        return command


@click.group(cls=LazyGroup, context_settings=HELP, epilog=EXIT_CODES)
@click.version_option(package_name="fencebench", prog_name="fencebench")
def cli() -> None:
    """Explore a fence up to a bound: every interleaving, every fault; show the shortest story that breaks it.

    A FENCE is a name (see `fencebench list`) or path/to/file.py:NAME; the file is Python and is executed.
    """


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit code."""
    words = sys.argv[1:] if arguments is None else arguments
    return run_whole(lambda: invoked(list(words)))


def invoked(words: list[str]) -> None:
    """Run the command that the words name (not by click's own main, which ends with 1 where a pipe is closed)."""
    with cli.make_context("fencebench", words) as context:
        cli.invoke(context)


if __name__ == "__main__":
    sys.exit(main())
