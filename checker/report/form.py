"""An output format is one record: the option's choices, its help and what is written all come from a verb's table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import click

Result = TypeVar("Result")


@dataclass(frozen=True)
class Format(Generic[Result]):
    """A way to write the result of a verb.

    Attributes:
        name: what `--format` calls it.
        write: returns the whole text; the command line prints it.
        help: a few words for `--help`.

    """

    name: str
    write: Callable[[Result], str]
    help: str


def table(*formats: Format[Result]) -> dict[str, Format[Result]]:
    """Return the formats of a verb by their names, the default first."""
    return {one.name: one for one in formats}


class FormatName(click.ParamType[Any]):
    """The name of a format in a verb's table."""

    name = "format"

    def __init__(self, formats: Mapping[str, Format[Any]]) -> None:
        self.formats = formats

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Format[Any]:
        """Return the record of the format."""
        if isinstance(value, Format):
            return value
        if value not in self.formats:
            self.fail(f"{value!r} is no format here; expected one of {', '.join(self.formats)}", param, ctx)
        return self.formats[value]

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """Return the names for `--help`."""
        return f"[{'|'.join(self.formats)}]"

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
        """Return the names that a shell can complete."""
        found = (one for name, one in self.formats.items() if name.startswith(incomplete))
        return [click.shell_completion.CompletionItem(one.name, help=one.help) for one in found]


class FormatOption(click.Option):
    """`--format`, with each name's meaning in its help, read from the table when it is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return what `--help` shows."""
        formats = self.type.formats if isinstance(self.type, FormatName) else {}
        self.help = "; ".join(f"{one.name}: {one.help}" for one in formats.values())
        return super().get_help_record(ctx)


def format_option(formats: Mapping[str, Format[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option `--format` of a verb; its value is the record, by default the first."""
    first = next(iter(formats))
    return click.option("--format", "form", cls=FormatOption, type=FormatName(formats), default=first)
