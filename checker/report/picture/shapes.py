"""The few shapes a picture is made of, in points, x to the right and y down, and the colours they take."""

from dataclasses import dataclass
from typing import Literal

from fencebench.checker.report.picture.measure import INK, Style, width

RULE = "#D0D7DE"
HAIRLINE = "#E6EAEE"
LIFELINE = "#8C959F"
PLATE = "#F2F3F5"
GROUP = "#EEF1F6"
FAULT, FAULT_BAND, FAULT_NOTE, FAULT_INK = "#E69F00", "#FFF9EA", "#FFF0CC", "#7A4D00"
BROKEN, BROKEN_BAND = "#C4161C", "#FDEBEA"
BITE = "#0B6B4F"
WHITE = "#FFFFFF"

Ends = Literal["none", "call", "answer", "circle", "tee"]
Dash = Literal["solid", "dashed", "dotted"]
Kind = Literal["circle", "octagon", "diamond", "triangle"]


@dataclass(frozen=True)
class Name:
    """What an element is in the SVG: a unique id, classes, and the tooltip."""

    id: str
    classes: str = ""
    tip: str = ""


@dataclass(frozen=True)
class Text:
    """One run of one style; `x` is its left edge and `y` its middle."""

    name: Name
    x: float
    y: float
    text: str
    style: Style

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom, by our own widths."""
        half = self.style.size * 0.6
        return self.x, self.y - half, self.x + width(self.text, self.style), self.y + half


@dataclass(frozen=True)
class Box:
    """A rectangle given by two corners."""

    name: Name
    x0: float
    y0: float
    x1: float
    y1: float
    fill: str = WHITE
    stroke: str = ""
    pen: float = 1.0
    rounded: bool = False

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x0, self.y0, self.x1, self.y1


@dataclass(frozen=True)
class Line:
    """Straight pieces from point to point, with an end mark at the first (`tail`) and the last (`head`)."""

    name: Name
    points: tuple[tuple[float, float], ...]
    colour: str = INK
    pen: float = 1.0
    dash: Dash = "solid"
    head: Ends = "none"
    tail: Ends = "none"

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom of the points."""
        xs, ys = zip(*self.points, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True)
class Mark:
    """A small sign with its middle at (x, y) and `r` from there to its edge."""

    name: Name
    kind: Kind
    x: float
    y: float
    r: float
    fill: str = WHITE
    stroke: str = INK
    pen: float = 1.0

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x - self.r, self.y - self.r, self.x + self.r, self.y + self.r


Shape = Text | Box | Line | Mark


def centred(name: Name, x: float, y: float, text: str, style: Style) -> Text:
    """Give a text whose middle is at (x, y)."""
    return Text(name, x - width(text, style) / 2, y, text, style)


def flush_right(name: Name, x: float, y: float, text: str, style: Style) -> Text:
    """Give a text that ends at x."""
    return Text(name, x - width(text, style), y, text, style)


def stacked(name: Name, x: float, top: float, lines: tuple[str, ...], style: Style, middle: bool = False) -> list[Text]:
    """Lines under each other from `top`, each an element of its own; `middle` centres them on x."""
    pitch = style.size * 1.2
    place = centred if middle else Text
    return [
        place(Name(f"{name.id}-{i}" if i else name.id, name.classes, name.tip), x, top + pitch * (i + 0.5), line, style)
        for i, line in enumerate(lines)
    ]
