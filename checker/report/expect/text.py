"""What `expect` tells: the ceiling first, then every figure with how it was found, then what is assumed."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from fencebench.checker.expect.figures import HEADLINE, TITLES, Expected, Figure, Interval, Returns
from fencebench.checker.expect.load import INPUTS, RATES, Load
from fencebench.checker.expect.vary import Point
from fencebench.checker.report.text import counted, laid_out

SHOWN = {
    "ceiling_99": "99 % ceiling",
    "run_ends": "run ends",
    "burned": "burned",
    "wasted": "wasted",
    "shard_seconds": "shard takes",
    "run_seconds": "run takes",
}
"""Figures of a setting among many, and the heads of their columns."""

ASSUMED = (
    "Every fault is memoryless and strikes hosts independently; published measurements of preemptible machines find "
    "that neither is quite so.",
    "An interruption during a model call draws nothing for that call; a lost host stays away until its lease is over, "
    "and the driver then waits for the whole lease.",
    "Only calls, checkpoint writes, leases and replacements take time.",
)


def assumptions(load: Load) -> list[str]:
    """Return what is assumed, with what the rates that are given mean."""
    told = list(ASSUMED)
    if load.stalls_per_hour:
        told.append("A stalled lease is never renewed again; its worker works on until the driver gives it up.")
    if load.driver_crashes_per_hour:
        told.append("A crash of the driver is counted for each shard on its own.")
    if load.lost_replies_per_call:
        told.append("A model call whose reply is lost stays drawn and is made again.")
    if load.late_per_commit:
        told.append("A late commit arrives after its lease is over; its attempt is lost to the shard.")
    return told


def value_text(name: str, figure: Figure) -> str:
    """Write a figure in its unit, and how far a simulated one may be off."""
    if figure.value is None:
        return f"none: {figure.reason}"
    unit = TITLES[name][1]
    spread = f" ±{number(unit, figure.plus_minus)}" if figure.how == "simulated" else ""
    return f"{number(unit, figure.value)}{spread}{f' {unit}' if unit in ('%', 'min') else ''}"


def number(unit: str, value: float) -> str:
    """Write a number in a unit."""
    if unit == "%":
        return f"{100 * min(value, 1):.2f}"
    if unit == "min":
        return f"{value / 60:,.1f}"
    return f"{value:,.0f}" if unit == "tokens" else f"{value:,.3f}" if value < 1000 else f"{value:,.2f}"


def headline(found: Expected) -> str:
    """Say the one thing that a user wants to know of a fence."""
    name, load = found.fence.name, found.load
    if found.never:
        return f"{name}: a shard never ends at this rate, whatever the ceiling (exact)"
    figure = found.figures[HEADLINE]
    if figure.value is None:
        return f"{name}: no ceiling for 99 %: {figure.reason}"
    above = figure.value / load.plan_tokens - 1
    more = f"{100 * above:.1f} % above the plan of {load.plan_tokens:,}" if above else "which is the plan"
    return f"{name}: {value_text(HEADLINE, figure)} tokens are the ceiling for 99 % ({figure.how}), {more}"


def as_text(results: Sequence[Expected], given: Mapping[str, Any], command: str) -> str:
    """Tell fences side by side."""
    ended = [found for found in results if not found.never]
    lines: list[RenderableType] = [*(f"[bold]{escape(headline(found))}[/]" for found in results), ""]
    lines += [figures_table(ended), "", *map(escape, notes(ended))] if ended else []
    load = results[0].load
    return told([*lines, f"[dim]{inputs_line(load, given)}[/]"], load, command)


def told(parts: Sequence[RenderableType], load: Load, command: str) -> str:
    """Return parts, what is assumed, and how to get the same again."""
    assumed = [f"[dim]- {line}[/]" for line in assumptions(load)]
    return f"{laid_out(*parts, '', '[dim]Assumed:[/]', *assumed)}\n\nreproduce: {command}"


def figures_table(results: Sequence[Expected]) -> Table:
    """Tabulate all figures, a column for each fence."""
    table = Table("what", box=None, pad_edge=False, header_style="dim")
    for found in results:
        table.add_column(escape(found.fence.name), justify="right", no_wrap=len(results) < 4)
    table.add_column("how")
    for row in figure_rows(results):
        table.add_row(*row)
    return table


def figure_rows(results: Sequence[Expected]) -> Iterator[list[str]]:
    """Yield for each figure its title, its value for each fence, and how it was found."""
    for name, (title, _) in TITLES.items():
        figures = [found.figures.get(name) for found in results]
        how = {figure.how for figure in figures if figure}
        if how:
            cells = [value_text(name, figure) if figure else "" for figure in figures]
            yield [title, *cells, how.pop() if len(how) == 1 else "exact; ± simulated"]


def notes(results: Sequence[Expected]) -> list[str]:
    """Return a line for each fence on checkpoints, and one on dead attempts where those still act."""
    lines = [line for found in results for line in (interval_note(found), *returns_notes(found)) if line]
    return [*lines, ""] if lines else []


def interval_note(found: Expected) -> str:
    """Say which checkpoint interval is the best."""
    name = found.fence.name
    if found.fence.checkpoint == "none":
        return f"{name} keeps no checkpoint."
    return "" if found.best is None else f"{name}: {interval_text(found.best, found.load)}"


def interval_text(best: Interval, load: Load) -> str:
    """Describe the best interval."""
    young = f"; Young's sqrt(2 w / rate) is {best.young_cases:.1f} cases" if best.young_cases else ""
    what = "no checkpoint at all" if best.cases >= load.cases else f"a checkpoint every {counted(best.cases, 'case')}"
    return f"{what} gives the least wall time of a shard, {best.seconds / 60:.1f} min (exact){young}."


def returns_notes(found: Expected) -> list[str]:
    """Say what lost hosts that come back can still do, where it matters."""
    back, name = found.returns, found.fence.name
    if back is None:
        return []
    if not back.matters:
        return [f"{name}: a lost host that comes back after its lease changes nothing (exact; {scope(back)})."]
    low, order, high = (f"{value:,.0f}" for value in (back.burned.least, back.burned.in_order, back.burned.most))
    lines = [
        f"{name}: if lost hosts come back after their lease, a shard burns {low} to {high} tokens, and {order} if none "
        f"does (exact; {scope(back)})."
    ]
    if back.doubled.most:
        lines.append(
            f"{name}: a shard then has more than one row with a chance of up to {back.doubled.most:.2%} (exact; "
            f"{back.doubled.in_order:.2%} where late rows come last)."
        )
    return lines


def scope(back: Returns) -> str:
    """Say what was explored of dead attempts."""
    return f"{counted(back.epochs, 'attempt')} at most, calls of {counted(back.call_cases, 'case')}"


def inputs_line(load: Load, given: Mapping[str, Any], varied: Sequence[str] = ()) -> str:
    """Tell every input that does not vary in one line, those that were given first."""
    told = {name: f"{name.replace('_', ' ')} {input_text(name, getattr(load, name))}" for name in used(load, varied)}
    first = ", ".join(text for name, text in told.items() if name in given)
    rest = ", ".join(text for name, text in told.items() if name not in given)
    ceiling = "" if load.ceiling is not None or "ceiling" in varied else ", ceiling the plan"
    return f"Given: {first or 'nothing'}. Taken: {rest}{ceiling}."


def used(load: Load, varied: Sequence[str]) -> list[str]:
    """Return the inputs that have a value and do not vary."""
    unused = {*varied, *(["interruptions_per_hour"] if replaced(load, varied) else [])}
    return [name for name in INPUTS if name not in unused and getattr(load, name) is not None]


def replaced(load: Load, varied: Sequence[str]) -> bool:
    """Say whether another rate of interruptions stands instead of that an hour."""
    return any(getattr(load, name) is not None or name in varied for name in RATES[1:])


def input_text(name: str, value: Any) -> str:
    """Write the value of an input."""
    if isinstance(value, float) and not value.is_integer():
        return f"{value:.4g}"
    return f"{value:,.0f}"


def points_as_text(points: Sequence[Point], given: Mapping[str, Any], command: str) -> str:
    """Tell every fence and setting in a line, then which wastes least and which is done first."""
    varied, load = list(points[0].setting.varied), points[0].setting.load
    table = Table("fence", box=None, pad_edge=False, header_style="dim")
    for column in (*(name.replace("_", " ") for name in varied), *SHOWN.values()):
        table.add_column(column, justify="right")
    for point in points:
        table.add_row(*map(escape, point_cells(point, varied)))
    lines = [
        "[dim]± marks what was simulated; all else is exact[/]",
        *reasons(points),
        *map(escape, best_lines(points)),
        "",
        f"[dim]Varied: {', '.join(map(varied_text, axes_of(points).items()))}.[/]",
        f"[dim]{inputs_line(load, given, varied)}[/]",
    ]
    return told([table, "", *lines], points[-1].setting.load, command)


def axes_of(points: Sequence[Point]) -> dict[str, list[Any]]:
    """Return the values of every input that varies."""
    names = points[0].setting.varied
    return {name: list(dict.fromkeys(point.setting.varied[name] for point in points)) for name in names}


def varied_text(axis: tuple[str, list[Any]]) -> str:
    """Write an input and its values."""
    name, values = axis
    return f"{name.replace('_', ' ')} {', '.join(input_text(name, value) for value in values)}"


def point_cells(point: Point, varied: Sequence[str]) -> list[str]:
    """Write one line of a grid."""
    found = point.expected
    figures = [short_text(name, found.figures.get(name)) for name in SHOWN]
    return [found.fence.name, *(input_text(n, point.setting.varied[n]) for n in varied), *figures]


def short_text(name: str, figure: Figure | None) -> str:
    """Write a figure in a line of many; why there is none is told below."""
    if figure is None:
        return "never ends"
    return "none" if figure.value is None else value_text(name, figure)


def reasons(points: Sequence[Point]) -> list[str]:
    """Say why some figures are none."""
    figures = [point.expected.figures[name] for point in points for name in SHOWN if name in point.expected.figures]
    return [f"none: {reason}" for reason in dict.fromkeys(f.reason for f in figures if f.value is None)]


def best_lines(points: Sequence[Point]) -> list[str]:
    """Say which setting of each fence wastes least and which is done first."""
    lines = []
    for fence in dict.fromkeys(point.expected.fence.name for point in points):
        ended = [p for p in points if p.expected.fence.name == fence and not p.expected.never]
        for name, what in (("wasted", "wastes least"), ("shard_seconds", "takes the least time")):
            values = [point.expected.figures[name].value or 0 for point in ended]
            if values and max(values) - min(values) > 1e-9 * max(values):
                best = ended[values.index(min(values))]
                at = ", ".join(f"{n.replace('_', ' ')} {input_text(n, v)}" for n, v in best.setting.varied.items())
                lines.append(f"{fence} {what} with {at}")
    return lines


def record(found: Expected) -> dict[str, Any]:
    """Write one fence as JSON has it."""
    figures = {name: figure_record(name, figure) for name, figure in found.figures.items()}
    back, best = found.returns, found.best
    return {
        "fence": found.fence.name,
        "never_ends": found.never,
        "plan_tokens": found.load.plan_tokens,
        "ceiling_tokens": found.load.ceiling_tokens,
        "figures": figures,
        "dead_attempts": back and {**back._asdict(), **{n: getattr(back, n)._asdict() for n in BACK}, "how": "exact"},
        "best_checkpoint_cases": best and {**best._asdict(), "how": "exact"},
    }


BACK = ("burned", "doubled", "missing")


def figure_record(name: str, figure: Figure) -> dict[str, Any]:
    """Write one figure as JSON has it; times are seconds, chances are from 0 to 1."""
    unit = {"min": "seconds", "%": "chance"}.get(TITLES[name][1], TITLES[name][1])
    found: dict[str, Any] = {"value": figure.value, "unit": unit, "how": figure.how}
    if figure.how == "simulated":
        found["plus_minus"] = figure.plus_minus
    return {**found, **({"reason": figure.reason} if figure.reason else {})}


def inputs_record(load: Load) -> dict[str, Any]:
    """Write the inputs as JSON has them."""
    return {name: getattr(load, name) for name in INPUTS}


def as_json(results: Sequence[Expected], command: str) -> str:
    """Write fences as JSON."""
    load = results[0].load
    whole = {
        "inputs": inputs_record(load),
        "assumed": assumptions(load),
        "fences": [record(found) for found in results],
        "reproduce": command,
    }
    return json.dumps(whole, indent=1, ensure_ascii=False)


def points_as_json(points: Sequence[Point], command: str) -> str:
    """Write a grid as JSON."""
    settings = [
        {"varied": dict(p.setting.varied), "inputs": inputs_record(p.setting.load), **record(p.expected)}
        for p in points
    ]
    return json.dumps({"assumed": assumptions(points[-1].setting.load), "settings": settings, "reproduce": command})
