"""The command `oracle vectors`: test vectors of a fence."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import Asked, asked, both_ceilings, fits_fence
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import bound_options
from fencebench.checker.files import write_whole
from fencebench.model.settings import Bound

SMALL = Bound(shards=1, epochs=2, faults=1)
"""The bound without options, at both ceilings."""


@click.command("vectors")
@click.argument("fence", default="reference", metavar="[FENCE]")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="Default: standard output.")
@click.option("--every-step", is_flag=True, help="Cover also steps that no log shows (a dozen times as many lines).")
@bound_options
def vectors_command(
    fence: str, output: Path | None, every_step: bool, bounds_file: Path | None, **options: Any
) -> None:
    """Write test vectors of FENCE: runs that take every transition at a small bound, as JSON.

    A step is a request, the expected answer and a hash of the durable state. The schema of the file is
    vectors.schema.json beside this program's oracle. Default bound: one shard, two epochs, one fault, both ceilings.

    Exit codes: 0 written, 2 bad input.
    """
    from fencebench.checker.oracle.drive.translate import Source
    from fencebench.checker.oracle.drive.vectors import as_text, document

    found, wanted = find_fence(fence), asked_or_small(options, bounds_file)
    fits_fence(found, wanted)
    text = as_text(document((Source(found, bound, wanted.settings) for bound in wanted.bounds), every_step))
    if output is None or output == Path("-"):
        sys.stdout.write(text)
    else:
        write_whole(output, text)
        click.echo(output)


def asked_or_small(options: dict[str, Any], file: Path | None) -> Asked:
    """Return the bounds that were asked for; without a shape, the small one."""
    wanted = asked(options, file)
    if not wanted.union:
        return wanted
    small = replace(wanted.bounds[0], shards=SMALL.shards, faults=SMALL.faults, ceiling_tokens=None)
    return replace(wanted, bounds=both_ceilings(small))
