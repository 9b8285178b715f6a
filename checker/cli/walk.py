"""The command `walk`: bounds for walks, the verdict, what is printed and stored."""

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import SHAPE, TIMES, Asked, as_options, asked, fits_fence
from fencebench.checker.analysis.check import EXITS, Checked, Run
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import HELP, HTML, bound_options
from fencebench.checker.errors import BadInput
from fencebench.checker.files import artifact, write_whole
from fencebench.checker.report.case import Case
from fencebench.checker.report.form import Format, format_option
from fencebench.checker.report.walk_stories import itf_of, snug, told
from fencebench.checker.report.walk_text import FORMATS, headline
from fencebench.checker.search.result import Result, Verdict
from fencebench.checker.walk.ground import Site
from fencebench.checker.walk.listeners import Plan
from fencebench.checker.walk.profiles import TEMPERS
from fencebench.checker.walk.run import Walked, walk
from fencebench.model.build import build
from fencebench.model.fence import Fence
from fencebench.model.promises.catalogue import NAMES
from fencebench.model.settings import FAULTS, Bound, Settings

SHARDS, EPOCHS, FAULT_SUM, FAULT_CAP = 8, 10, 40, 6
"""How far a walk goes unless it is told otherwise; the ceiling is the plan and half of it."""


@dataclass(frozen=True)
class Report:
    """A fence that was walked: `stories` are the minimised findings, each in the smallest bound that still has it."""

    fence: Fence
    bound: Bound
    settings: Settings
    plan: Plan
    walked: Walked
    stories: Mapping[str, Case]

    @cached_property
    def checked(self) -> Checked:
        """The walks in the shape of an exploration, so that what is owed and standby is reckoned the same way."""
        w = self.walked
        found = {name: case.finding for name, case in self.stories.items()}
        limit = "" if w.limit == "first violation" else w.limit
        result = Result(0, w.steps, w.longest, w.seconds, found, w.coverage, limit, w.finals, "walk")
        return Checked(self.fence, self.settings, (Run(self.bound, result),))

    @property
    def verdict(self) -> Verdict:
        """Violated, undetermined on a limit, vacuous where something owed never ran; holds means nothing was found."""
        return self.checked.verdict

    @property
    def reproduce(self) -> str:
        """The command that walks the same walks."""
        p = self.plan
        more = f" --property {p.promise}" if p.promise else " --stop-at first" if p.stop_at == "first" else ""
        where = as_options(self.bound, self.settings)
        return (
            f"fencebench walk {self.fence.name} --examples {p.examples} --steps {p.steps} --seed {p.seed}{more} {where}"
        )


def bound_of(options: Mapping[str, Any]) -> Asked:
    """Return the one bound to walk in.

    Raises:
        BadInput: the options or the file are not usable, or name several bounds.
    """
    names = (*SHAPE, *TIMES, *FAULTS)
    given = {name: options[name] for name in names if options[name] not in (None, False)}
    file = options["bounds_file"]
    defaults = (
        {} if file else {"shards": SHARDS, "epochs": EPOCHS, "faults": FAULT_SUM, **dict.fromkeys(FAULTS, FAULT_CAP)}
    )
    wanted = asked({**defaults, **given}, file)
    bounds = [b for b in wanted.bounds if not b.spare_attempts]
    if len(bounds) != 1:
        raise BadInput(f"{file}: a walk goes through one bound, and this file has {len(bounds)}")
    [bound] = bounds
    spare = max(1, bound.shards // 2) if bound.ceiling_tokens is None else 0
    return Asked((replace(bound, spare_attempts=spare),), wanted.settings)


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return how much to walk.

    Raises:
        BadInput: a number is too small, or there is no such promise.
    """
    for name in ("examples", "steps", "max_seconds"):
        if options[name] is not None and options[name] <= 0:
            raise BadInput(f"--{name.replace('_', '-')} must be above 0; found {options[name]}")
    if options["property_"] not in (None, *NAMES):
        raise BadInput(f"no promise is called {options['property_']!r}; expected one of {', '.join(NAMES)}")
    return Plan(
        examples=options["examples"],
        steps=options["steps"],
        seed=options["seed"],
        max_seconds=options["max_seconds"],
        stop_at=options["stop_at"],
        promise=options["property_"],
    )


def site_of(fence: Fence, bound: Bound, settings: Settings) -> Site:
    """Return the ground for walks of a fence."""
    return Site(lambda: build(fence, bound, settings), FAULTS, TEMPERS)


def report_of(fence: Fence, wanted: Asked, plan: Plan, quiet: bool = False) -> Report:
    """Walk a fence, with progress on standard error."""
    [bound], settings = wanted.bounds, wanted.settings
    progress = Progress(fence.name, quiet)
    try:
        walked = walk(site_of(fence, bound, settings), plan, progress.tell)
    finally:
        progress.clear()
    stories = {n: snug(fence, bound, settings, f) for n, f in walked.least.items()}
    ordered = {name: stories[name] for name in NAMES if name in stories}
    return Report(fence, bound, settings, plan, walked, ordered)


def save(report: Report, folder: Path) -> None:
    """Store each broken promise's story twice: as hypothesis shrank it, and minimised."""
    for name, case in report.stories.items():
        place = artifact(folder, report.fence.name, name)
        raw = Case(report.fence, report.bound, report.settings, report.walked.shrunk[name])
        write_whole(place.with_name(f"{place.name}.itf.json"), itf_of(case, report.reproduce, "minimised walk"))
        write_whole(place.with_name(f"{place.name}.walk.itf.json"), itf_of(raw, report.reproduce, "shrunk walk"))


def run_walk(fence: str, form: Format[Report], traces: Path | None, **options: Any) -> int:
    """Walk a fence; print; return the exit code."""
    wanted, plan, named = bound_of(options), plan_of(options), find_fence(fence)
    fits_fence(named, wanted)
    report = report_of(named, wanted, plan)
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
