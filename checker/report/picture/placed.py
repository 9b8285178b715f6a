"""A measured row at its place: its ground, its gutter, its line of state, and the red plate."""

from dataclasses import dataclass

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import PAD, Columns
from fencebench.checker.report.picture.measure import DIM, PLAIN, Style, gap, span, tinted, width
from fencebench.checker.report.picture.rows import LINE, PILL, Row
from fencebench.checker.report.picture.shapes import (
    BROKEN,
    BROKEN_BAND,
    FAULT,
    FAULT_BAND,
    HAIRLINE,
    LIFELINE,
    WHITE,
    Box,
    Line,
    Mark,
    Name,
    Shape,
    centred,
    flush_right,
    stacked,
)

EDGE = 12.0
SILENT = ("rule", "edge", "state", "number", "clock", "own-clock")
NUMBER = Style(size=9)


@dataclass(frozen=True)
class Placed:
    """A row at its place, `top` points below the card's top; all else follows."""

    row: Row
    top: float
    columns: Columns

    @property
    def at(self) -> float:
        """The y of its instant."""
        return self.top + self.row.at

    @property
    def bottom(self) -> float:
        """Where the next row starts."""
        return self.top + self.row.height

    @property
    def ink(self) -> str:
        """The colour of its arrow."""
        return BROKEN if self.row.step.violated else self.columns.colour(self.row.step.epoch)

    @property
    def tip(self) -> str:
        """The step in full."""
        return words.sentence(self.row.step, self.columns.titles, self.row.mark)

    def name(self, part: str = "") -> Name:
        """Name a part of the row, `step-17-call`; `SILENT` ones have no tooltip, to keep the DOT short."""
        step = self.row.step
        kind = " violation" if step.violated else " fault" if step.fault else ""
        number = f"step-{step.number}"
        tip = "" if part.startswith(SILENT) else self.tip
        return Name(f"{number}-{part}" if part else number, f"step {number}{kind}", tip)

    def x(self, key: str | None) -> float:
        """Give the lifeline of a lane."""
        return self.columns.x(self.columns.index(key or self.row.step.source))


def ground(placed: Placed) -> list[Shape]:
    """Draw the row itself: its band, the rule at its left edge, the hairline under it."""
    step, card = placed.row.step, placed.columns.card
    fill = BROKEN_BAND if step.violated else FAULT_BAND if step.fault else ""
    shapes: list[Shape] = [Box(placed.name(), EDGE, placed.top, card - EDGE, placed.bottom, fill)]
    if fill:
        ink = BROKEN if step.violated else FAULT
        shapes.append(Box(placed.name("edge"), EDGE, placed.top, EDGE + 4, placed.bottom, ink))
    under = ((PAD, placed.bottom), (card - PAD, placed.bottom))
    return [*shapes, Line(placed.name("rule"), under, HAIRLINE, 0.8)]


def gutter(placed: Placed) -> list[Shape]:
    """Draw the number in its circle, the driver's clock, and the worker's where that differs."""
    step, y = placed.row.step, placed.at
    fill = BROKEN if step.violated else FAULT if step.fault else WHITE
    ring = Mark(placed.name("ring"), "circle", PAD + 10, y, 10, fill, fill if fill != WHITE else LIFELINE, 0.9)
    style = tinted(NUMBER, WHITE) if step.violated else NUMBER
    faint = tinted(PLAIN, DIM)
    shapes: list[Shape] = [ring, centred(placed.name("number"), PAD + 10, y, str(step.number), style)]
    shapes.append(
        flush_right(
            placed.name("clock"), PAD + placed.columns.gutter - 12, y, words.seconds(step.driver_seconds), faint
        )
    )
    if placed.columns.own_clock and step.worker_seconds is not None:
        own = tinted(PLAIN, placed.columns.colour(step.epoch))
        right = placed.columns.left - 12
        shapes.append(flush_right(placed.name("own-clock"), right, y, words.seconds(step.worker_seconds), own))
    return shapes


def state(placed: Placed) -> list[Shape]:
    """Draw the lines of the state column, in the middle of the row."""
    row, shapes = placed.row, list[Shape]()
    top = placed.top + (row.content - LINE * len(row.state)) / 2
    for i, line in enumerate(row.state):
        for j, (text, style) in enumerate(line):
            x = placed.columns.state + 8 + (span(line[:j]) + gap(style) if j else 0)
            shapes += stacked(placed.name(f"state-{i}-{j}"), x, top + LINE * i, (text,), style)
    return shapes


def pill(placed: Placed) -> list[Shape]:
    """Draw the red plate that names the broken promises."""
    row = placed.row
    if not row.pill:
        return []
    wide = max(width(line, PILL) for line in row.pill) * 1.04 + 28
    x, top = (placed.columns.left + placed.columns.right) / 2, placed.top + row.content + 1
    end = top + LINE * len(row.pill) + 6
    plate = Box(placed.name("pill"), x - wide / 2, top, x + wide / 2, end, BROKEN, BROKEN, 1, True)
    return [plate, *stacked(placed.name("violated"), x, top + 3, row.pill, PILL, middle=True)]
