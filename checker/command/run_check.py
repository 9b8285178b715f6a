"""The command `check`."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from checker.command.bounds import Asked, fits_fence, with_earlier_run
from checker.command.check import EXITS, Checked, Engine, check
from checker.command.engines import engine_asked
from checker.command.fences import find_fence
from checker.command.output import as_json, case_of, cheapest, mixture, print_text
from checker.command.progress import clear, interruptible, watcher
from checker.command.run_any import run_any, wants_any
from checker.command.store import trace_text
from checker.command.subject import bounds_asked, limits_asked, typed
from checker.errors import BadInput
from checker.fast.clock import INTERRUPTED
from checker.files import write_whole
from checker.result import Limits, Verdict
from model.composition import build
from model.fence import Fence
from model.fences import EXPECTED, FENCES, KEYED_WITHOUT_RUN
from model.promises import NAMES
from model.settings import Bound


def run_check(fences: tuple[str, ...], every: bool, form: str, traces: Path | None, **options: Any) -> int:
    """Check the named fences; print; return the exit code."""
    limits = limits_of(options)
    named = [find_fence(name) for name in (FENCES if every else fences or ("reference",))]
    engine = engine_asked(options, named, limits)
    if every and options["reduce"]:
        raise BadInput("--all compares counts of states with expected ones, so it goes without --reduce")
    if wants_any(options):
        return run_any(named, limits, engine, traces, {**options, "every": every, "form": form})
    wanted = bounds_asked(options)
    for fence in named:
        fits_fence(fence, wanted)
    results = [*until_stopped(checked(fence, wanted, limits, engine) for fence in named)]
    if traces:
        for result in results:
            save(result, traces)
    verdict = mixture([r.verdict for r in results])
    code = EXITS[verdict]
    if every and results[-1].limit != INTERRUPTED:
        code = 0 if all(as_expected(r, wanted, engine) for r in results) else 1
    if form in ("junit", "sarif", "github"):
        from checker.command.formats import written

        print(written(form, results, [r.fence.name for r in results], options["pictures"]), end="")
    else:
        show(results, form, options["property_"], verdict, code, every)
    return code


def as_expected(result: Checked, wanted: Asked, engine: Engine) -> bool:
    """Say whether a fence's verdict and its counts at one shard and one fault are those of the catalogue."""
    expected = EXPECTED[result.fence.name]
    return result.verdict == expected.verdict and counts(result.fence, wanted, engine) == expected.counts


def counts(fence: Fence, wanted: Asked, engine: Engine) -> tuple[tuple[int, int], ...]:
    """Count states and depth at one shard and one fault, at both ceilings."""
    bounds = (Bound(faults=1, spare_attempts=spare) for spare in (0, 1))
    found = (engine(build(fence, bound, wanted.settings), Limits(), lambda *_: None) for bound in bounds)
    return tuple((r.states, r.depth) for r in found)


def limits_of(options: Mapping[str, Any]) -> Limits:
    """Return the limits that were asked for."""
    if options["property_"] not in (None, *NAMES):
        raise BadInput(f"no promise is called {options['property_']!r}; expected one of {', '.join(NAMES)}")
    stop_at: Literal["first", "all"] = "all" if options["property_"] else options["stop_at"]
    return limits_asked(options, stop_at)


def checked(fence: Fence, wanted: Asked, limits: Limits, engine: Engine) -> Checked:
    """Check one fence, with progress; one that forgets the run in a key is also tried as a second run."""
    if wanted.union and fence.name in KEYED_WITHOUT_RUN:
        wanted = with_earlier_run(wanted)
    with interruptible(watcher(fence.name)) as watch:
        try:
            return check(fence, wanted, limits, engine, watch)
        finally:
            clear()


def until_stopped(results: Iterable[Checked]) -> Iterator[Checked]:
    """Yield results up to the one that the keyboard stopped."""
    for result in results:
        yield result
        if result.limit == INTERRUPTED:
            return


def save(result: Checked, folder: Path) -> None:
    """Store the trace of every broken promise."""
    for name in result.findings:
        write_whole(folder / f"{result.fence.name}-{name}.itf.json", trace_text(case_of(result, name)))


def show(results: list[Checked], form: str, property_: str | None, verdict: Verdict, code: int, every: bool) -> None:
    """Print what was found in a form of our own."""
    command = typed() if sys.argv[0].endswith("fencebench") else "fencebench check"
    if form == "json":
        print(as_json(results, code, verdict))
    elif form == "itf":
        print(itf(results, property_), end="")
    elif every:
        print_summary(results, code, command)
    else:
        for result in results:
            print_text(result, property_, command)


def itf(results: list[Checked], property_: str | None) -> str:
    """Return the trace of the property, or of the cheapest story."""
    for result in results:
        if result.findings and property_ in (None, *result.findings):
            return trace_text(case_of(result, property_ or cheapest(result)))
    raise BadInput("no promise is broken here, so there is no trace to write; --format json has the verdict")


def print_summary(results: list[Checked], code: int, command: str) -> None:
    """Print every fence's verdict beside the expected one."""
    from rich.table import Table

    from checker.command.output import show as show_parts

    table = Table("fence", "verdict", "expected", "broken promises", box=None, pad_edge=False, header_style="dim")
    for r in results:
        expected = str(EXPECTED[r.fence.name].verdict)
        table.add_row(r.fence.name, str(r.verdict), expected, ", ".join(r.findings) or "none")
    show_parts("[bold green]AS EXPECTED[/]" if code == 0 else "[bold red]NOT AS EXPECTED[/]", table)
    print(f"\nreproduce: {command}")
