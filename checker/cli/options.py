"""Options that several commands share."""

import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import click
from click.core import ParameterSource

from fencebench.checker.analysis.bounds import SETTINGS, SHAPE, Asked, as_options, asked
from fencebench.checker.errors import BadInput
from fencebench.checker.search.limits import Limits
from fencebench.model.fence import Fence
from fencebench.model.promises.catalogue import names_of
from fencebench.model.settings import FAULTS

EXIT_CODES = """\b
Exit codes: 0 holds, 1 violated, 2 bad input, 3 undetermined (a limit was hit), 4 vacuous (something
owed was never reached). Of a mixture the first of 1, 2, 3, 4, 0 that occurs. 70: the bench itself failed;
141: the reader of a pipe has gone away."""

HELP = {"help_option_names": ["-h", "--help"]}


class Shards(click.ParamType[Any]):
    """A number of shards, or `any`."""

    name = "number|any"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or `any` as it is."""
        return value if value == "any" else click.INT.convert(value, param, ctx)


class Numbers(click.ParamType[Any]):
    """Whole numbers with commas between them."""

    name = "number,number,…"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the numbers."""
        if not isinstance(value, str):
            return value
        try:
            return [int(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is no list of whole numbers; expected such as 30,39,50", param, ctx)


def bound_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a bound."""
    options = [click.option(f"--{f.replace('_', '-')}", type=int, help=f"at most so many {f} faults") for f in FAULTS]
    shape = [
        click.option("--shards", type=Shards(), help="shards; with --faults or --ceiling: one bound, not the union"),
        click.option("--epochs", type=int, help="epochs a shard, default 2"),
        click.option("--faults", type=int, help="cap on the sum of all faults"),
        click.option("--ceiling", type=int, help="tokens; default: the plan, and plan + one attempt"),
        click.option("--earlier-run", is_flag=True, help="start as an earlier run of the same shards left the ledger"),
        click.option("--cases", type=int, help="cases of a shard, default 50"),
        click.option("--checkpoint-cases", type=int, help="cases after which the checkpoint is written, default 30"),
        click.option("--milestones", type=Numbers(), help="cases graded after each call; by default they follow"),
        click.option("--tokens-per-case", type=int, help="default 37"),
        click.option("--lease-seconds", type=int, help="default 300"),
        click.option("--margin-seconds", type=int, help="default 90"),
        click.option("--skew-seconds", type=int, help="how far a clock is off when skew strikes, default 90"),
        click.option("--bounds", "bounds_file", type=click.Path(path_type=Path), help="a TOML file with these keys"),
    ]
    for option in reversed(shape + options):
        command = option(command)
    return command


def long_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a search that takes long."""
    folder = click.Path(path_type=Path)
    options = [
        click.option("--max-memory", metavar="SIZE", help="e.g. 12GiB, then files serve; default: 3/4 of all"),
        click.option("--checkpoint", type=folder, help="a folder to save the searches in, so that --resume can go on"),
        click.option("--resume", type=folder, help="go on from a --checkpoint of the same command; read only your own"),
        click.option("--checkpoint-seconds", type=float, default=60, show_default=True, help="how often to save"),
    ]
    for option in reversed(options):
        command = option(command)
    return command


def bounds_asked(options: Mapping[str, Any]) -> Asked:
    """Return the bounds of the command's options."""
    return asked({name: options[name] for name in (*SHAPE, *SETTINGS, *FAULTS)}, options["bounds_file"])


def check_property(name: str | None, fences: Sequence[Fence]) -> None:
    """Refuse a promise that none of the fences is asked for.

    Raises:
        BadInput: there is no such promise.
    """
    names = list(dict.fromkeys(n for fence in fences for n in names_of(fence)))
    if name not in (None, *names):
        near = get_close_matches(str(name), names, 1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(names)}"
        raise BadInput(f"no promise is called {name!r}; {hint}")


def limits_asked(options: Mapping[str, Any], stop_at: Literal["first", "all"] = "all") -> Limits:
    """Return the limits of the command's options.

    Raises:
        BadInput: a limit is not above 0.
    """
    for name in ("max_states", "max_seconds", "checkpoint_seconds"):
        number = options.get(name)
        least = 0 if name == "checkpoint_seconds" else 1e-9
        if number is not None and not least <= number <= MOST:
            raise BadInput(f"--{name.replace('_', '-')} must be above 0, and at most {MOST:,}; found {number}")
    return Limits(options.get("max_states"), options.get("max_seconds"), stop_at)


MOST = 10**12
"""The largest number of states or seconds that a limit may name."""


def typed() -> str:
    """Return the command as it was typed, less where its searches are saved."""
    words, kept = iter(sys.argv[1:]), ["fencebench"]
    for word in words:
        if word in ("--checkpoint", "--resume"):
            next(words, None)
        elif not word.startswith(("--checkpoint=", "--resume=")):
            kept.append(word)
    return shlex.join(kept)


def given(leave: Collection[str]) -> Iterator[str]:
    """Yield the options of the running command as they were given, less those named."""
    context = click.get_current_context(silent=True)
    options = (p for p in context.command.params if isinstance(p, click.Option)) if context else ()
    for option in options:
        name = str(option.name)
        if context and name not in leave and context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            yield from words_of(option, context.params[name])


def words_of(option: click.Option, value: object) -> tuple[str, ...]:
    """Return an option and its value as words of a command line."""
    if option.is_flag:
        return (option.opts[0] if value else option.secondary_opts[0],)
    return option.opts[0], str(value)


def again(command: str, wanted: Asked) -> str:
    """Return the line that gives this answer again: as it was typed, or made up from a single bound."""
    if sys.argv[0].endswith(("fencebench", "fencebench/__main__.py")):
        return typed()
    one = f" {as_options(wanted.bounds[0], wanted.settings)}" if len(wanted.bounds) == 1 else ""
    return f"fencebench {command}{one}"


FORMS = click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)


def in_form(form: str, **writers: Callable[[], object]) -> None:
    """Print by the writer of the format that was chosen.

    Raises:
        BadInput: this verb has no such writer.
    """
    if form not in writers:
        raise BadInput(f"there is no --format {form} here; expected one of {', '.join(writers)}")
    writers[form]()


HTML = click.option(
    "--html", metavar="FILE", type=click.Path(path_type=Path), help="one page to read, step through, keep"
)
MAX_STATES = click.option("--max-states", type=int, help="stop undetermined after so many states in one search")
MAX_SECONDS = click.option("--max-seconds", type=float, help="stop undetermined after so many seconds in one search")
