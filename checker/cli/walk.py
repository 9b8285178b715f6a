"""The command `walk`: bounds for walks, the verdict, what is printed and stored."""

import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import fits_fence
from fencebench.checker.analysis.case import Case
from fencebench.checker.analysis.check import EXITS
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.analysis.walks import WalkReport, plan_of, walk_bound, walk_fence
from fencebench.checker.cli.options import HELP, HTML, bound_options, check_property
from fencebench.checker.files import artifact, write_whole
from fencebench.checker.report.form import Format, format_option
from fencebench.checker.report.walk_stories import itf_of, told
from fencebench.checker.report.walk_text import FORMATS, headline


def save(report: WalkReport, folder: Path) -> None:
    """Store each broken promise's story twice: as hypothesis shrank it, and minimised."""
    for name, case in report.stories.items():
        place = artifact(folder, report.fence.name, name)
        raw = Case(report.fence, report.bound, report.settings, report.walked.shrunk[name])
        write_whole(place.with_name(f"{place.name}.itf.json"), itf_of(case, report.reproduce, "minimised walk"))
        write_whole(place.with_name(f"{place.name}.walk.itf.json"), itf_of(raw, report.reproduce, "shrunk walk"))


def run_walk(fence: str, form: Format[WalkReport], traces: Path | None, **options: Any) -> int:
    """Walk a fence; print; return the exit code."""
    named, wanted = find_fence(fence), walk_bound(options)
    fits_fence(named, wanted)
    check_property(options["property_"], [named])
    progress = Progress(named.name)
    try:
        report = walk_fence(named, wanted, plan_of(options), progress.tell)
    finally:
        progress.clear()
    if traces:
        save(report, traces)
    if options["html"]:
        from fencebench.checker.report.html.page import as_html
        from fencebench.checker.report.html.pages import of_walk

        stories = {name: (case, told(case, report.reproduce)) for name, case in report.stories.items()}
        page = of_walk(report.checked, stories, headline(report), report.reproduce)
        write_whole(options["html"], as_html(page))
    print(form.write(report), end="", flush=True)
    return EXITS[report.verdict]


@dataclass
class Progress:
    """Tells how far the walks of a fence are; `due` is the time of the next line."""

    label: str
    quiet: bool = False
    started: float = field(default_factory=time.monotonic)
    due: float = 0.0

    def __post_init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.pause_seconds = 0.5 if self.live else 60.0
        self.due = self.due or self.started + self.pause_seconds

    def tell(self, walks: int, steps: int, broken: int) -> None:
        """Tell, if it is time."""
        now = time.monotonic()
        if self.quiet or now < self.due:
            return
        self.due = now + self.pause_seconds
        rate = steps / max(now - self.started, 1e-9)
        line = f"{self.label}: {walks:,} walks, {steps:,} steps, {rate:,.0f} steps/s, {broken} promises broken"
        print(f"\r\x1b[K{line}" if self.live else line, end="" if self.live else "\n", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the live line away."""
        if self.live and not self.quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


WALK_CODES = """\b
Exit codes: 0 no violation found on these walks (which proves nothing), 1 violated, 2 bad input,
3 undetermined (a limit was hit), 4 vacuous (something owed never ran)."""


@click.command("walk", context_settings=HELP, epilog=WALK_CODES)
@click.argument("fence", default="reference")
@click.option("--examples", type=click.IntRange(1, 10**9), default=300, show_default=True, help="walks to take")
@click.option("--steps", type=click.IntRange(1, 10**6), default=200, show_default=True, help="steps a walk, at most")
@click.option(
    "--seed", type=click.IntRange(0, 2**63 - 1), default=0, show_default=True, help="the same seed, the same walks"
)
@click.option("--stop-at", type=click.Choice(["first", "all"]), default="all", show_default=True)
@click.option("--property", "property_", help="look for this promise alone, and stop when it is broken")
@click.option("--max-seconds", type=float, help="stop undetermined after so many seconds")
@format_option(FORMATS)
@HTML
@click.option("--traces", type=click.Path(path_type=Path), help="a folder for the traces, shrunk and minimised")
@bound_options
def walk_command(**options: Any) -> None:
    """Walk a FENCE at random, far beyond a search's bound: by default 8 shards, 10 epochs, 40 faults."""
    raise SystemExit(run_walk(**options))
