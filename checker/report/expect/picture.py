"""The pictures of `expect`: the law of tokens with the ceiling marked, and curves for what varies."""

from collections.abc import Sequence

import numpy as np

from fencebench.checker.expect.figures import HEADLINE, TITLES, Expected, Figure
from fencebench.checker.expect.renewal import Law
from fencebench.checker.expect.vary import Point
from fencebench.checker.report.expect.text import input_text
from fencebench.checker.report.picture.chart import Chart, Curve, Panel, Upright

DRAWN = ("wasted", HEADLINE, "shard_seconds")


def law_chart(results: Sequence[Expected]) -> Chart:
    """Draw for each fence the law of tokens, and how often a ceiling is enough; the ceiling is marked in both."""
    load = results[0].load
    ceiling = Upright(load.ceiling_tokens, f"ceiling {load.ceiling_tokens:,}")
    marks = [level_of(found) for found in results if found.figures.get(HEADLINE, NONE).value]
    enough = sorted([ceiling, *marks], key=lambda upright: upright.x)
    laws = {"law": "chance that the run burns at most so many tokens (exact)", "needs": ENOUGH}
    low, high = ends(results, enough)
    panels = [
        Panel(
            title,
            tuple(
                Curve(found.fence.name, cumulated(getattr(found, name), load.tokens_per_case, low, high), step=True)
                for found in results
                if getattr(found, name) is not None
            ),
            (ceiling,) if name == "law" else tuple(enough),
            1.0,
            True,
        )
        for name, title in laws.items()
    ]
    return Chart("What a run burns, and which ceiling it needs", "tokens", tuple(panels), (HOLDS, ASSUMED))


NONE = Figure(None)
ENOUGH = "chance that the run ends under a ceiling of so many tokens (simulated where holds compete)"
HOLDS = "A ceiling has to cover what is held as well as what is burned."
ASSUMED = "Assumed: memoryless faults, independent hosts."


def level_of(found: Expected) -> Upright:
    """Mark the ceiling for 99 %."""
    needed = found.figures[HEADLINE]
    return Upright(needed.value or 0, f"99 %: {needed.value:,.0f} ({needed.how})", found.fence.name)


def ends(results: Sequence[Expected], uprights: Sequence[Upright]) -> tuple[float, float]:
    """Return the ends of the x axis in tokens: from the plan to all but the last thousandth."""
    load, marks = results[0].load, [upright.x for upright in uprights]
    laws = [law for found in results for law in (found.law, found.needs) if law is not None]
    tops = [float(np.searchsorted(np.cumsum(law), 0.999 * law.sum())) * load.tokens_per_case for law in laws]
    low, high = min(load.plan_tokens, *marks), max(*tops, *marks)
    return low - 0.03 * (high - low), high + 0.02 * (high - low) or 1.0


def cumulated(law: Law, tokens_per_case: int, low: float, high: float) -> tuple[tuple[float, float], ...]:
    """Return the cumulated law between two ends, thinned to what can be seen."""
    tokens, sums = np.arange(len(law)) * tokens_per_case, np.minimum(np.cumsum(law), 1)
    inside = np.flatnonzero((tokens >= low) & (tokens <= high))
    before = float(law[tokens < low].sum())
    every = max(len(inside) // 600, 1)
    points = [(low, before), *((float(tokens[i]), float(sums[i])) for i in inside[::every])]
    return (*points, (high, points[-1][1]))


def curves_chart(points: Sequence[Point]) -> Chart:
    """Draw what varies first on the x axis; each fence and combination of the rest is a curve."""
    axis = next(iter(points[0].setting.varied))
    panels = tuple(panel(points, axis, name) for name in DRAWN)
    label = axis.replace("_", " ")
    return Chart(f"What a run costs, by {label}", label, panels, (ASSUMED,))


def panel(points: Sequence[Point], axis: str, name: str) -> Panel:
    """Draw one figure of all points."""
    curves = dict[str, list[tuple[float, float]]]()
    for point in points:
        figure = point.expected.figures.get(name)
        if figure is not None and figure.value is not None:
            shown = figure.value / 60 if TITLES[name][1] == "min" else figure.value
            curves.setdefault(curve_name(point, axis), []).append((float(point.setting.varied[axis]), shown))
    title, unit = TITLES[name]
    how = {point.expected.figures[name].how for point in points if name in point.expected.figures}
    label = f"{title.removeprefix('of that ')}, {unit} ({' / '.join(sorted(how))})"
    drawn = tuple(Curve(n, tuple(sorted(p)), dots=True) for n, p in curves.items())
    return Panel(label, drawn, least(drawn, name), from_zero=name == "wasted")


def least(curves: Sequence[Curve], name: str) -> tuple[Upright, ...]:
    """Mark where a wall time is least, if that is the same place for all and no end of the axis."""
    places = {min(curve.points, key=lambda point: point[1])[0] for curve in curves}
    ends = {x for curve in curves for x in (curve.points[0][0], curve.points[-1][0])}
    if name != "shard_seconds" or len(places) != 1 or places & ends:
        return ()
    [place] = places
    return (Upright(place, f"least at {place:g}"),)


def curve_name(point: Point, axis: str) -> str:
    """Name a curve by its fence and by what else varies."""
    rest = [f"{n.replace('_', ' ')} {input_text(n, v)}" for n, v in point.setting.varied.items() if n != axis]
    return ", ".join([point.expected.fence.name, *rest])
