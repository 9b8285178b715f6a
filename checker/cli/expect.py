"""The command `expect`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from fencebench.checker.cli.expect_inputs import Wanted, asked, input_options
from fencebench.checker.cli.options import HELP, HTML, typed
from fencebench.checker.cli.progress import clear, teller
from fencebench.checker.errors import BadInput
from fencebench.checker.expect import drn
from fencebench.checker.expect.figures import Watch, whole
from fencebench.checker.expect.load import Load
from fencebench.checker.expect.vary import points
from fencebench.checker.files import write_whole
from fencebench.checker.report.expect.text import as_json, as_text, points_as_json, points_as_text
from fencebench.model.fence import Fence

DRN_EPOCHS = 2


class Output(NamedTuple):
    """In which form the answer is printed, and where a picture and a page go, if anywhere."""

    form: str
    picture: Path | None
    html: Path | None


def run_expect(fences: tuple[str, ...], file: Path | None, vary: tuple[str, ...], out: Output, **options: Any) -> None:
    """Compute what is asked for, print it, and write the picture and the page that are asked for."""
    wanted = asked(fences, file, vary, options)
    if out.form in WRITERS:
        print(written(out.form, wanted), end="")
    elif wanted.settings[0].varied:
        run_settings(wanted, out)
    else:
        run_one(wanted, out)


def run_one(wanted: Wanted, out: Output) -> None:
    """Tell fences side by side."""
    from fencebench.checker.report.expect.page import page_of
    from fencebench.checker.report.expect.picture import law_chart

    tell, [setting] = teller(), wanted.settings
    try:
        results = [whole(fence, setting.load, labelled(tell, fence.name)) for fence in wanted.fences]
    finally:
        clear()
    if out.picture and all(found.law is None for found in results):
        raise BadInput("--picture: no fence has a law to draw here: a shard never ends, or too seldom")
    told = (results, wanted.given, typed())
    write(out, lambda: law_chart(results), lambda: page_of(*told))
    print(as_json(results, typed()) if out.form == "json" else as_text(*told))


def run_settings(wanted: Wanted, out: Output) -> None:
    """Tell every setting of every fence."""
    from fencebench.checker.report.expect.page import page_of_points
    from fencebench.checker.report.expect.picture import curves_chart

    try:
        found = [*points(wanted.fences, wanted.settings, teller())]
    finally:
        clear()
    told = (found, wanted.given, typed())
    write(out, lambda: curves_chart(found), lambda: page_of_points(*told))
    print(points_as_json(found, typed()) if out.form == "json" else points_as_text(*told))


def labelled(tell: Watch, name: str) -> Watch:
    """Return what tells the name as well."""
    return lambda what: tell(f"{name}: {what}")


def write(out: Output, chart: Callable[[], Any], page: Callable[[], Any]) -> None:
    """Write the picture and the page, if they are asked for."""
    from fencebench.checker.report.html.page import as_html

    if out.picture:
        draw(out.picture, chart())
    if out.html:
        write_whole(out.html, as_html(page()))


def draw(path: Path, chart: Any) -> None:
    """Write a picture in the form that its name says."""
    from fencebench.checker.report.picture.chart import as_png, as_svg

    write_whole(path, {".svg": as_svg, ".png": as_png}[path.suffix](chart))


WRITERS: dict[str, Callable[[Fence, Load], str]] = {
    "drn": drn.chain,
    "drn-mdp": lambda fence, load: drn.process(fence, load, load.epochs or DRN_EPOCHS),
}
"""Formats of the model itself."""


def written(form: str, wanted: Wanted) -> str:
    """Write the model of one fence in one setting."""
    if len(wanted.fences) > 1 or len(wanted.settings) > 1:
        raise BadInput(f"--format {form} writes one model: name one fence, and vary nothing")
    return WRITERS[form](wanted.fences[0], wanted.settings[0].load)


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
@HTML
@input_options
def expect_command(form: str, picture: Path | None, html: Path | None, **options: Any) -> None:
    """Say what fences (default: reference) cost at a rate of interruptions, and which ceiling a run needs."""
    run_expect(out=Output(form, picture, html), **options)
