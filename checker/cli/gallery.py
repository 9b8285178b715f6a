"""The command `gallery`: checks fences over the union of bounds, and writes what breaks them."""

import sys
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import asked
from fencebench.checker.analysis.engines import ENGINES
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.check import checked
from fencebench.checker.cli.options import HELP, HTML, typed
from fencebench.checker.errors import BadInput
from fencebench.checker.files import write_whole
from fencebench.checker.report.gallery import Exhibit, exhibits, files, usable, write
from fencebench.checker.report.gallery_index import index
from fencebench.checker.report.html.page import as_html
from fencebench.checker.report.html.pages import of_gallery
from fencebench.checker.search.limits import Limits
from fencebench.model.fences import EXPECTED, FENCES


def run_gallery(fences: tuple[str, ...], output: Path, bounds_file: Path | None, html: Path | None) -> int:
    """Write the gallery of these fences, of the whole catalogue if none is named; return the exit code."""
    usable(output)
    shown = [e for name in fences or FENCES for e in collected(name, bounds_file)]
    if not shown:
        raise BadInput("none of these fences breaks a promise, so there is nothing to show; name one that fails")
    kept = [name for name in fences or FENCES if name not in {e.fence for e in shown}]
    stale = write(output, files(shown, index(shown, kept)))
    print(f"{output}: {len(shown)} stories of {len({e.fence for e in shown})} fences; index {output / 'README.md'}")
    if html:
        write_whole(html, as_html(of_gallery(shown, kept, typed())))
        print(f"{html}: all of them on one page")
    for path in stale:
        print(f"removed {path}")
    return 0


def one_shard(name: str) -> dict[str, int]:
    """Return the bound that stories are told in: one shard, two faults, without those that shorten every story."""
    without = EXPECTED[name].told_without if name in EXPECTED else ()
    return {"shards": 1, "faults": 2, **dict.fromkeys(without, 0)}


def collected(name: str, bounds_file: Path | None) -> list[Exhibit]:
    """Check one fence over the bounds and tell everything that breaks."""
    wanted = asked({} if bounds_file else one_shard(name), bounds_file)
    found = checked(find_fence(name), wanted, Limits(stop_at="all"), ENGINES["auto"](True))
    print(f"{name}: {found.verdict}, {len(found.findings)} promises broken", file=sys.stderr, flush=True)
    return list(exhibits(found))


@click.command("gallery", context_settings=HELP)
@click.argument("fences", nargs=-1, metavar="[FENCE]...")
@HTML
@click.option(
    "--output", "-o", type=click.Path(path_type=Path), default=Path("counterexamples"), show_default=True, help="folder"
)
@click.option("--bounds", "bounds_file", type=click.Path(path_type=Path), help="a TOML file instead of the union")
def gallery_command(**options: Any) -> None:
    """Write the shortest story of every promise that a fence breaks: pictures, texts, traces and an index.

    Without a FENCE: the whole catalogue. Files of stories that no longer exist are removed.
    """
    raise SystemExit(run_gallery(**options))
