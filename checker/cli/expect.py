"""The command `expect`."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import Asked, fits_fence
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import HELP, typed
from fencebench.checker.cli.progress import clear, teller
from fencebench.checker.errors import BadInput
from fencebench.checker.expect import drn
from fencebench.checker.expect.figures import Watch, whole
from fencebench.checker.expect.load import INPUTS, Load, read
from fencebench.checker.expect.vary import Setting, axis, checked_axis, points, settings
from fencebench.checker.files import read_text, write_whole
from fencebench.checker.report.expect_text import as_json, as_text, points_as_json, points_as_text
from fencebench.model.fence import Fence
from fencebench.model.settings import Bound, Settings

GRID = Load(runs=2_000)
"""A grid simulates fewer runs of each setting."""

DRN_EPOCHS = 2


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


def asked(
    fences: Sequence[str], file: Path | None, vary: Sequence[str], options: Mapping[str, Any]
) -> tuple[list[Fence], dict[str, Any], list[Setting]]:
    """Return the fences, the inputs that were given, and every setting; options win over the file.

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
    return found, given, grid


def lease_of(load: Load) -> Asked:
    """Return the lease of a load as the other commands check it."""
    return Asked((Bound(),), Settings(lease_seconds=load.lease_seconds))


def run_expect(
    fences: tuple[str, ...], file: Path | None, vary: tuple[str, ...], form: str, picture: Path | None, **options: Any
) -> None:
    """Compute what is asked for; print it, and draw it where a picture is asked for."""
    found, given, grid = asked(fences, file, vary, options)
    if form in WRITERS:
        print(written(form, found, grid), end="")
    elif grid[0].varied:
        run_grid(found, given, grid, form, picture)
    else:
        run_one(found, given, grid[0].load, form, picture)


def run_one(fences: Sequence[Fence], given: Mapping[str, Any], load: Load, form: str, picture: Path | None) -> None:
    """Tell fences side by side."""
    tell = teller()
    try:
        results = [whole(fence, load, labelled(tell, fence.name)) for fence in fences]
    finally:
        clear()
    if picture:
        from fencebench.checker.report.expect_picture import law_chart

        if all(found.law is None for found in results):
            raise BadInput("--picture: no fence has a law to draw here: a shard never ends, or too seldom")
        draw(picture, law_chart(results))
    print(as_json(results, typed()) if form == "json" else as_text(results, given, typed()))


def labelled(tell: Watch, name: str) -> Watch:
    """Return what tells the name as well."""
    return lambda what: tell(f"{name}: {what}")


def run_grid(
    fences: Sequence[Fence], given: Mapping[str, Any], grid: Sequence[Setting], form: str, picture: Path | None
) -> None:
    """Tell every setting of every fence."""
    try:
        found = [*points(fences, grid, teller())]
    finally:
        clear()
    if picture:
        from fencebench.checker.report.expect_picture import curves_chart

        draw(picture, curves_chart(found))
    print(points_as_json(found, typed()) if form == "json" else points_as_text(found, given, typed()))


def draw(path: Path, chart: Any) -> None:
    """Write a picture in the form that its name says."""
    from fencebench.checker.report.picture.chart import as_png, as_svg

    write_whole(path, {".svg": as_svg, ".png": as_png}[path.suffix](chart))


WRITERS: dict[str, Callable[[Fence, Load], str]] = {
    "drn": drn.chain,
    "drn-mdp": lambda fence, load: drn.process(fence, load, load.epochs or DRN_EPOCHS),
}
"""Formats of the model itself."""


def written(form: str, fences: Sequence[Fence], grid: Sequence[Setting]) -> str:
    """Write the model of one fence in one setting."""
    if len(fences) > 1 or len(grid) > 1:
        raise BadInput(f"--format {form} writes one model: name one fence, and vary nothing")
    return WRITERS[form](fences[0], grid[0].load)


def pictured(ctx: click.Context, param: click.Parameter, value: Path | None) -> Path | None:
    """Accept a picture that can be drawn."""
    if value is not None and value.suffix not in (".svg", ".png"):
        raise BadInput(f"--picture {value}: expected a name that ends in .svg or .png")
    return value


@click.command("expect", context_settings=HELP, epilog="Exit codes: 0 the figures are told, 2 bad input.")
@click.argument("fences", nargs=-1, metavar="[FENCE]...")
@click.option("--inputs", "file", type=click.Path(path_type=Path), help="a TOML file: inputs, fences = […], [vary]")
@click.option("--vary", multiple=True, metavar="NAME=V,V,…", help="an input and its values; the first is drawn on x")
@click.option("--format", "form", type=click.Choice(["text", "json", *WRITERS]), default="text", show_default=True)
@click.option("--picture", type=click.Path(path_type=Path), callback=pictured, help="a file.svg or .png to draw into")
@input_options
def expect_command(**options: Any) -> None:
    """Say what fences (default: reference) cost at a rate of interruptions, and which ceiling a run needs."""
    run_expect(**options)
