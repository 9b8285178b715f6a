"""The commands `sweep skew`, `sweep faults` and `sweep cost`."""

import json
from typing import Any

import click
from rich.table import Table

from fencebench.checker.analysis.bounds import Asked, as_options, fits_fence, told
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.analysis.sweep import (
    MEASURES,
    Costs,
    FaultStep,
    SkewRange,
    costs,
    harmless,
    largest_safe,
    sweep_faults,
    sweep_skew,
)
from fencebench.checker.cli.options import (
    FORMS,
    HELP,
    MAX_SECONDS,
    MAX_STATES,
    bound_options,
    bounds_asked,
    in_form,
    limits_asked,
)
from fencebench.checker.cli.progress import shown
from fencebench.checker.files import columns
from fencebench.checker.report.case import RunStory, records
from fencebench.checker.report.text import counted, show
from fencebench.checker.search.limits import limit_text
from fencebench.checker.search.worst import Peak
from fencebench.model.fence import Fence


def run_skew(fence: str, form: str, **options: Any) -> int:
    """Find the largest skew that is safe; print; 1 if none is, 3 if a limit leaves it open, else 0."""
    checked_fence, wanted = find_fence(fence), bounds_asked(options)
    with shown() as watching:
        swept = list(sweep_skew(checked_fence, wanted, limits_asked(options, "first"), watching))
    safe, cut = largest_safe(swept), any(one.checked.limit for one in swept)
    in_form(
        form,
        text=lambda: print_skew(checked_fence, wanted, swept, safe),
        json=lambda: print(skew_json(checked_fence, swept, safe)),
    )
    return 0 if safe is not None else 3 if cut else 1


def skew_line(fence: Fence, wanted: Asked, swept: list[SkewRange], safe: int | None) -> str:
    """Say how much skew the fence bears."""
    times = f"lease {wanted.settings.lease_seconds} s, margin {wanted.settings.margin_seconds} s"
    if safe is None:
        return f"{fence.name} is not proven safe even without skew ({times})"
    more = "beyond that no worker could write" if safe == swept[-1].high else f"at {safe + 1} s it is not"
    return f"{fence.name} is safe up to a skew of {safe} s ({times}); {more}"


def print_skew(fence: Fence, wanted: Asked, swept: list[SkewRange], safe: int | None) -> None:
    """Print the answer and every range."""
    show(f"[bold]{skew_line(fence, wanted, swept, safe)}[/]\n")
    table = Table("skew in seconds", "verdict", "broken first", box=None, pad_edge=False, header_style="dim")
    for one in swept:
        what = "stopped at a limit" if one.checked.limit else "broken" if one.checked.findings else "safe"
        table.add_row(span(one), what, ", ".join(one.checked.findings))
    show(table)
    show(
        "\n[dim]a verdict can change only where two moments that a clock tells apart coincide: each such skew and one "
        "between any two were searched, so nothing is assumed to grow with the skew[/]"
    )


def span(one: SkewRange) -> str:
    """Write a range."""
    return str(one.low) if one.low == one.high else f"{one.low} to {one.high}"


def skew_json(fence: Fence, swept: list[SkewRange], safe: int | None) -> str:
    """Write the sweep as JSON."""
    ranges = [
        {"low": s.low, "high": s.high, "broken": list(s.checked.findings), "limit": limit_text(s.checked.limit)}
        for s in swept
    ]
    return json.dumps({"fence": fence.name, "largest_safe_skew_seconds": safe, "ranges": ranges}, indent=1)


def run_faults(fence: str, form: str, **options: Any) -> int:
    """Find the largest fault sum proven harmless; print; 1 if a promise breaks, 3 if nothing is proven, else 0."""
    checked_fence, wanted = find_fence(fence), bounds_asked(options)
    fits_fence(checked_fence, wanted)
    with shown() as watching:
        steps = list(sweep_faults(checked_fence, wanted, limits_asked(options).max_seconds or 0, watching))
    proven = harmless(steps)
    in_form(
        form,
        text=lambda: print_faults(checked_fence, steps, proven),
        json=lambda: print(faults_json(checked_fence, steps, proven)),
    )
    return 1 if steps[-1].checked.findings else 0 if proven is not None else 3


def faults_line(fence: Fence, steps: list[FaultStep], proven: int | None) -> str:
    """Say how many faults are harmless, and what ended the sweep."""
    last = steps[-1]
    if last.checked.findings:
        end = f"{last.faults} break {', '.join(last.checked.findings)}"
    else:
        end = f"the time was up at {last.faults}" if last.checked.limit else "every cap is used up, or the time is"
    return f"{fence.name}: {'no fault sum' if proven is None else counted(proven, 'fault')} proven harmless; {end}"


def print_faults(fence: Fence, steps: list[FaultStep], proven: int | None) -> None:
    """Print the answer and every step."""
    show(f"[bold]{faults_line(fence, steps, proven)}[/]\n")
    table = Table("fault sum", box=None, pad_edge=False, header_style="dim")
    for column in ("states", "seconds", "verdict"):
        table.add_column(column, justify="right")
    for step in steps:
        states = sum(run.result.states for run in step.checked.runs)
        verdict = "stopped" if step.checked.limit else "broken" if step.checked.findings else "harmless"
        table.add_row(str(step.faults), f"{states:,}", f"{step.seconds:.1f}", verdict)
    show(table)


def faults_json(fence: Fence, steps: list[FaultStep], proven: int | None) -> str:
    """Write the sweep as JSON."""
    tried = [
        {
            "faults": s.faults,
            "seconds": round(s.seconds, 3),
            "broken": list(s.checked.findings),
            "limit": limit_text(s.checked.limit),
        }
        for s in steps
    ]
    return json.dumps({"fence": fence.name, "harmless_faults": proven, "steps": tried}, indent=1)


def run_cost(fence: str, form: str, story: str, **options: Any) -> int:
    """Find what faults cost at most; print; 3 if a limit leaves that open, else 0."""
    searched, wanted = find_fence(fence), bounds_asked(options)
    fits_fence(searched, wanted)
    with shown() as watching:
        found = costs(searched, wanted, limits_asked(options), watching)
    in_form(
        form,
        text=lambda: print_costs(searched, wanted, found, story),
        json=lambda: print(cost_json(searched, wanted, found)),
    )
    return 3 if any(one.found.limit for one in found) else 0


def print_costs(fence: Fence, wanted: Asked, found: tuple[Costs, ...], story: str) -> None:
    """Print, for each bound, what so many faults cost at most, and the worst run by the measure of the story."""
    for one in found:
        cut = f" [yellow](only a lower bound: stopped at {one.found.limit})[/]" if one.found.limit else ""
        above = one.above_plan("burned")
        most = f"{counted(len(above) - 1, 'fault')} cost at most {above[-1]:,} tokens above plan"
        show(f"[bold]{fence.name}: {most}[/]{cut}")
        show(f"[dim]{told(one.bound, wanted.settings)}; plan {one.plan_tokens:,} tokens[/]\n")
        show(cost_table(one))
        show("")
    if story != "none":
        print_worst(fence, wanted, found, story)


def cost_table(one: Costs) -> Table:
    """Tabulate the peaks of a bound."""
    table = Table("up to so many faults", box=None, pad_edge=False, header_style="dim")
    for measure in MEASURES:
        for column in (f"{measure} at most", "above plan", "steps"):
            table.add_column(column, justify="right")
    peaks = {measure: one.at_most(measure) for measure in MEASURES}
    for faults in range(len(peaks["burned"])):
        cells = [
            text
            for m in MEASURES
            for text in (f"{peaks[m][faults].value:,}", f"{one.above_plan(m)[faults]:,}", str(peaks[m][faults].steps))
        ]
        table.add_row(str(faults), *cells)
    return table


def told_peak(fence: Fence, wanted: Asked, one: Costs, measure: str, peak: Peak) -> RunStory:
    """Return the run that reaches a peak, to be told."""
    above = max(peak.value - one.plan_tokens, 0)
    return RunStory(
        fence,
        one.bound,
        wanted.settings,
        peak.trace,
        f"The most that {counted(peak.faults, 'fault')} can make this run cost ({measure})",
        f"{peak.value:,} tokens are {measure}, {above:,} above the plan of {one.plan_tokens:,}.",
        f"fencebench sweep cost {fence.name} {as_options(one.bound, wanted.settings)} --story {measure}",
    )


def print_worst(fence: Fence, wanted: Asked, found: tuple[Costs, ...], measure: str) -> None:
    """Print the run that goes furthest above plan, over all bounds."""
    from fencebench.checker.report.picture import as_text

    one = max(found, key=lambda c: c.above_plan(measure)[-1])
    print(as_text(told_peak(fence, wanted, one, measure, one.at_most(measure)[-1]).story, width=columns()))


def cost_json(fence: Fence, wanted: Asked, found: tuple[Costs, ...]) -> str:
    """Write all peaks with their runs as JSON."""
    bounds = [
        {
            "bound": told(one.bound, wanted.settings),
            "plan_tokens": one.plan_tokens,
            "limit": limit_text(one.found.limit),
            **{m: [peak_record(fence, wanted, one, m, peak) for peak in one.found.peaks[m]] for m in MEASURES},
        }
        for one in found
    ]
    return json.dumps({"fence": fence.name, "bounds": bounds}, indent=1, ensure_ascii=False)


def peak_record(fence: Fence, wanted: Asked, one: Costs, measure: str, peak: Peak) -> dict[str, Any]:
    """Write one peak."""
    trace = records(told_peak(fence, wanted, one, measure, peak).story, peak.trace)
    above = max(peak.value - one.plan_tokens, 0)
    return {"faults": peak.faults, "tokens": peak.value, "above_plan": above, "steps": peak.steps, "trace": trace}


@click.group(context_settings=HELP)
def sweep() -> None:
    """Turn one dial until a fence breaks: clock skew, faults, or what faults cost."""


@sweep.command(context_settings=HELP, epilog="Exit codes: 0 some skew is safe, 1 none is, 2 bad input, 3 undetermined.")
@click.argument("fence", default="reference")
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def skew(**options: Any) -> None:
    """Find the largest clock skew that is still safe for a lease and a margin."""
    raise SystemExit(run_skew(**options))


@sweep.command(
    context_settings=HELP,
    epilog="Exit codes: 0 nothing broke in that time, 1 a promise did, 2 bad input, 3 nothing is proven.",
)
@click.argument("fence", default="reference")
@FORMS
@click.option("--max-seconds", type=float, default=60.0, show_default=True, help="for the whole sweep")
@bound_options
def faults(**options: Any) -> None:
    """Find the largest fault sum that is proven harmless within a time limit."""
    raise SystemExit(run_faults(**options))


@sweep.command(context_settings=HELP, epilog="Exit codes: 0 the figures are exact, 2 bad input, 3 undetermined.")
@click.argument("fence", default="reference")
@click.option(
    "--story",
    type=click.Choice(["burned", "committed", "none"]),
    default="burned",
    show_default=True,
    help="tell the run that goes furthest above plan",
)
@FORMS
@MAX_STATES
@MAX_SECONDS
@bound_options
def cost(**options: Any) -> None:
    """Find the most tokens that a run can burn and book for each number of faults."""
    raise SystemExit(run_cost(**options))
