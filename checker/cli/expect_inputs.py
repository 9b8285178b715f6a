"""What `expect` is asked: options and a TOML file, and from them every setting."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from fencebench.checker.analysis.bounds import Asked, fits_fence
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.errors import BadInput
from fencebench.checker.expect.load import INPUTS, Load, read
from fencebench.checker.expect.vary import Setting, axis, checked_axis, settings
from fencebench.checker.files import read_text
from fencebench.model.fence import Fence
from fencebench.model.settings import Bound, Settings

GRID = Load(runs=2_000)
"""A grid simulates fewer runs of each setting."""


def input_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for every input."""
    for name, kind in reversed(list(INPUTS.items())):
        default = getattr(Load(), name)
        shown = "" if default is None or name == "interruptions_per_hour" else f", default {default:,}"
        command = click.option(f"--{name.replace('_', '-')}", metavar="N", help=kind.help + shown)(command)
    return command


def read_file(path: Path) -> tuple[list[str], dict[str, Any], dict[str, Sequence[Any]]]:
    """Return fences, inputs and what varies of a TOML file.

    Raises:
        BadInput: it is no TOML, or has a key or a value that nobody reads.
    """
    try:
        values = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}: expected TOML ({error})") from None
    if not values:
        raise BadInput(f"{path}: the file is empty; expected inputs such as shards = 4, fences = […], or [vary]")
    fences, varied = values.pop("fences", []), values.pop("vary", {})
    if not isinstance(fences, list) or not all(isinstance(fence, str) for fence in fences):
        raise BadInput(f"{path}: fences must be a list of names; found {fences!r}")
    if not isinstance(varied, dict) or not all(isinstance(v, list) and v for v in varied.values()):
        raise BadInput(f"{path}: vary must be a table of lists, such as checkpoint_cases = [5, 10]; found {varied!r}")
    for name in values:
        if name not in INPUTS:
            raise BadInput(f"{path}: unknown key {name!r}; expected fences, vary, or one of {', '.join(INPUTS)}")
    axes: dict[str, Sequence[Any]] = dict(checked_axis(name, given, f"{path}: vary") for name, given in varied.items())
    return fences, {name: read(name, value, str(path)) for name, value in values.items()}, axes


class Wanted(NamedTuple):
    """The fences, the inputs that were given, and every setting: one, or all combinations of what varies."""

    fences: list[Fence]
    given: dict[str, Any]
    settings: list[Setting]


def asked(fences: Sequence[str], file: Path | None, vary: Sequence[str], options: Mapping[str, Any]) -> Wanted:
    """Return what is asked for; options win over the file.

    Raises:
        BadInput: something of it cannot be used.
    """
    of_file, given, axes = read_file(file) if file else ([], {}, {})
    options = {name: read(name, value, "options") for name, value in options.items() if value is not None}
    axes |= dict(axis(text, "--vary") for text in vary)
    both = sorted(set(options) & set(axes))
    if both:
        raise BadInput(f"options: {both[0]} is given and varied as well; keep one of them")
    given = {**given, **options}
    grid = settings(given, axes, "options", GRID if axes else Load())
    found = [find_fence(name) for name in dict.fromkeys(fences or of_file or ("reference",))]
    for fence in found:
        for setting in grid:
            fits_fence(fence, lease_of(setting.load))
    return Wanted(found, given, grid)


def lease_of(load: Load) -> Asked:
    """Return the lease of a load as the other commands check it."""
    return Asked((Bound(),), Settings(lease_seconds=load.lease_seconds))
