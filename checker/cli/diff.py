"""The command `diff`: checks two fences, prints what is won, lost and answered differently."""

from typing import Any

import click

from fencebench.checker.analysis.bounds import fits_fence
from fencebench.checker.analysis.diff import compare
from fencebench.checker.analysis.fences import asked_alike, find_fence
from fencebench.checker.cli.options import (
    HELP,
    HTML,
    MAX_SECONDS,
    MAX_STATES,
    again,
    bound_options,
    bounds_asked,
    limits_asked,
)
from fencebench.checker.cli.progress import shown
from fencebench.checker.files import write_whole
from fencebench.checker.report.compared import FORMATS, Answer
from fencebench.checker.report.form import Format, format_option


def run_diff(old: str, new: str, form: Format[Answer], **options: Any) -> int:
    """Compare two fences; print; return the exit code."""
    wanted = bounds_asked(options)
    fences = asked_alike(find_fence(old), find_fence(new))
    for fence in fences:
        fits_fence(fence, wanted)
    with shown() as watching:
        compared = compare(fences[0], fences[1], wanted, limits_asked(options), watching)
    reproduce = again(f"diff {old} {new}", wanted)
    if options["html"]:
        from fencebench.checker.report.html.page import as_html
        from fencebench.checker.report.html.pages import of_compared

        write_whole(options["html"], as_html(of_compared(Answer(compared, reproduce))))
    print(form.write(Answer(compared, reproduce)), end="")
    return compared.exit


DIFF_EXITS = """\b
Exit codes: 0 no promise is lost, 1 one is, 2 bad input, 3 undetermined (a limit was hit)."""


@click.command("diff", context_settings=HELP, epilog=DIFF_EXITS)
@click.argument("old")
@click.argument("new")
@format_option(FORMATS)
@HTML
@MAX_STATES
@MAX_SECONDS
@bound_options
def diff_command(**options: Any) -> None:
    """Compare fence OLD with fence NEW: promises won and lost, and the shortest run they answer differently.

    A variant has a name: reference-without-stale_epoch, reference-with-sealing=a_step_later.
    """
    raise SystemExit(run_diff(**options))
