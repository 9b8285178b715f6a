"""A chart of lines over one axis, in the same shapes as a story: axes, curves, a marked place, a legend."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fencebench.checker.report.picture.dot import dot
from fencebench.checker.report.picture.layout import Layout
from fencebench.checker.report.picture.measure import FAINT, PLAIN, STRONG, Style, width
from fencebench.checker.report.picture.shapes import (
    BROKEN,
    HAIRLINE,
    LIFELINE,
    RULE,
    WHITE,
    Box,
    Line,
    Mark,
    Name,
    Shape,
    Text,
    centred,
    flush_right,
)

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#7A4D00", "#1F2328", "#8C959F")
CARD, PAD, LEFT, PLOT, GAP, KEY = 720.0, 16.0, 76.0, 190.0, 74.0, 16.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """A named line through points; a `step` keeps its value up to the next point. `dots` marks every point.

    Of lines that coincide each is thinner than the one below it, so that all are seen.
    """

    name: str
    points: tuple[Point, ...]
    step: bool = False
    dots: bool = False


@dataclass(frozen=True)
class Upright:
    """A dashed line across a panel at x, with a text, in the colour of the curve called `curve`."""

    x: float
    text: str
    curve: str = ""


@dataclass(frozen=True)
class Panel:
    """One pair of axes with its curves; y begins at 0 if `from_zero`, and ends at `most` where that is given."""

    y_label: str
    curves: tuple[Curve, ...]
    uprights: tuple[Upright, ...] = ()
    most: float | None = None
    percent: bool = False
    from_zero: bool = True


@dataclass(frozen=True)
class Chart:
    """Panels over each other with one x axis, a title, and lines of text at the foot."""

    title: str
    x_label: str
    panels: tuple[Panel, ...]
    foot: tuple[str, ...] = ()


def as_svg(chart: Chart) -> bytes:
    """Give a standalone SVG."""
    from fencebench.checker.report.picture.render import render

    return render(dot(laid_out(chart)), "svg")


def as_png(chart: Chart) -> bytes:
    """Give a PNG."""
    from fencebench.checker.report.picture.render import render

    return render(dot(laid_out(chart)), "png")


def laid_out(chart: Chart) -> Layout:
    """Place everything."""
    names = list(dict.fromkeys(curve.name for panel in chart.panels for curve in panel.curves))
    shapes: list[Shape] = [Text(Name("title"), PAD, PAD + 8, chart.title, Style(13, True))]
    keys, top = legend(names, PAD + 26)
    shapes += keys
    xs = span([x for p in chart.panels for c in p.curves for x, _ in c.points], from_zero=False)
    for number, panel in enumerate(chart.panels):
        shapes += Placed(number, panel, top + 26, xs, names).shapes(chart.x_label)
        top += PLOT + GAP
    for i, text in enumerate(chart.foot):
        shapes.append(Text(Name(f"foot-{i}"), PAD, top + 8 + 14 * i, text, FAINT))
    height = top + 14 * len(chart.foot) + PAD
    card = Box(Name("card"), 0, 0, CARD, height, WHITE, RULE)
    return Layout(CARD, height, (card, *shapes), chart.title)


def legend(names: Sequence[str], top: float) -> tuple[list[Shape], float]:
    """Return a key for each curve, in lines, and where the next thing may begin."""
    shapes, x, y = list[Shape](), PAD, top + 6
    for i, name in enumerate(names):
        wide = width(name) * 1.1 + 44
        if x + wide > CARD - PAD and x > PAD:
            x, y = PAD, y + KEY
        shapes.append(Line(Name(f"key-{i}"), ((x, y), (x + 22, y)), colour(i), 2.4))
        shapes.append(Text(Name(f"key-text-{i}"), x + 28, y, name, PLAIN))
        x += wide
    return shapes, y + 10


def colour(number: int) -> str:
    """Return the colour of a curve."""
    return COLOURS[number % len(COLOURS)]


def span(values: Sequence[float], from_zero: bool) -> tuple[float, float]:
    """Return the ends of an axis: the values, never an empty range."""
    low, high = (0.0 if from_zero else min(values)), max(values)
    return (low, high) if high > low else (low - (not from_zero) * max(abs(low), 1) / 2, high + max(abs(high), 1) / 2)


def ticks(low: float, high: float) -> list[float]:
    """Return four to nine round numbers in a range."""
    rough = (high - low) / 5
    unit = 10 ** math.floor(math.log10(rough))
    pitch = next(unit * m for m in (1, 2, 2.5, 5, 10) if unit * m >= rough)
    first = math.ceil(low / pitch - 1e-9)
    return [n * pitch for n in range(first, math.floor(high / pitch + 1e-9) + 1)]


def tick_text(value: float, percent: bool = False) -> str:
    """Write the number at a tick."""
    if percent:
        return f"{100 * value:g} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.6g}"


@dataclass(frozen=True)
class Placed:
    """A panel at its place; `xs` are the ends of the x axis, `names` those of all curves in the order of the legend."""

    number: int
    panel: Panel
    top: float
    xs: tuple[float, float]
    names: Sequence[str]

    @property
    def ys(self) -> tuple[float, float]:
        """The ends of the y axis."""
        if self.panel.most is not None:
            return 0, self.panel.most
        values = [y for curve in self.panel.curves for _, y in curve.points] or [1.0]
        spare = 0.08 * (max(values) - min(values)) or 0.02 * max(values) or 1.0
        return (0 if self.panel.from_zero else min(values) - spare), max(values) + spare

    def x(self, value: float) -> float:
        """Give the place of a value on the x axis."""
        low, high = self.xs
        return LEFT + (value - low) / (high - low) * (CARD - PAD - 20 - LEFT)

    def y(self, value: float) -> float:
        """Give the place of a value on the y axis."""
        low, high = self.ys
        return self.top + PLOT - (value - low) / (high - low) * PLOT

    def name(self, what: str) -> Name:
        """Name an element of this panel."""
        return Name(f"panel-{self.number}-{what}")

    def shapes(self, x_label: str) -> list[Shape]:
        """Return all shapes, those at the back first."""
        middle = (LEFT + CARD - PAD - 20) / 2
        return [
            Text(self.name("y-label"), PAD, self.top - 14, self.panel.y_label, STRONG),
            *self.grid(),
            *(shape for curve in self.panel.curves for shape in self.curve(curve)),
            *(shape for i, upright in enumerate(self.panel.uprights) for shape in self.upright(i, upright)),
            centred(self.name("x-label"), middle, self.top + PLOT + 31, x_label, FAINT),
        ]

    def grid(self) -> Iterator[Shape]:
        """Yield the axes and their ticks."""
        left, right, bottom = self.x(self.xs[0]), self.x(self.xs[1]), self.top + PLOT
        for i, value in enumerate(ticks(*self.ys)):
            y = self.y(value)
            yield Line(self.name(f"rule-{i}"), ((left, y), (right, y)), HAIRLINE, 0.8)
            yield flush_right(self.name(f"y-{i}"), left - 8, y, tick_text(value, self.panel.percent), FAINT)
        for i, value in enumerate(ticks(*self.xs)):
            x = self.x(value)
            yield Line(self.name(f"tick-{i}"), ((x, bottom), (x, bottom + 4)), LIFELINE, 0.8)
            yield centred(self.name(f"x-{i}"), x, bottom + 13, tick_text(value), FAINT)
        yield Line(self.name("axis"), ((left, bottom), (right, bottom)), LIFELINE, 1.0)

    def curve(self, curve: Curve) -> Iterator[Shape]:
        """Yield a curve."""
        number = list(self.names).index(curve.name)
        places = tuple((self.x(x), self.y(y)) for x, y in (stepped(curve.points) if curve.step else curve.points))
        if len(places) > 1:
            below = len(self.panel.curves) - 1 - [c.name for c in self.panel.curves].index(curve.name)
            yield Line(self.name(f"curve-{number}"), places, colour(number), 1.8 + 1.8 * min(below, 4))
        for i, (x, y) in enumerate(places if curve.dots else ()):
            yield Mark(self.name(f"dot-{number}-{i}"), "circle", x, y, 3, colour(number), colour(number))

    def upright(self, number: int, upright: Upright) -> Iterator[Shape]:
        """Yield a marked place, its text on the side that has room, each lower than the one left of it."""
        ink = colour(list(self.names).index(upright.curve)) if upright.curve else BROKEN
        x, style = self.x(upright.x), Style(9, True, colour=ink)
        wide, y = width(upright.text, style) * 1.1, self.top + PLOT * 0.55 + 16 * (number % 5)
        left = x + 5 if x + wide + 10 < CARD - PAD else x - 5 - wide
        yield Line(self.name(f"upright-{number}"), ((x, self.top), (x, self.top + PLOT)), ink, 1.2, "dashed")
        yield Box(self.name(f"upright-ground-{number}"), left - 1, y - 7, left + wide, y + 7)
        yield Text(self.name(f"upright-text-{number}"), left, y, upright.text, style)


def stepped(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the corners of a line that keeps its value up to the next point."""
    corners = [points[0]]
    for (_, before), (x, y) in pairwise(points):
        corners += [(x, before), (x, y)]
    return tuple(corners)
