"""Commands whose modules are loaded when they are asked for, so that the others start at once."""

from importlib import import_module

import click

PLACES = {"oracle": "checker.oracle.cli:oracle", "audit": "checker.oracle.audit_cli:audit_command"}
"""Where a command is, as module:name."""


class LazyGroup(click.Group):
    """A group that knows where some of its commands are."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted({*super().list_commands(ctx), *PLACES})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, loaded if it has to be."""
        if cmd_name not in PLACES:
            return super().get_command(ctx, cmd_name)
        module, name = PLACES[cmd_name].split(":")
        command: click.Command = getattr(import_module(module), name)
        return command
