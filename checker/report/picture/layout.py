"""The whole picture as shapes at their places; nothing after this moves anything."""

from dataclasses import dataclass

from fencebench.checker.report.picture import frame, words
from fencebench.checker.report.picture.columns import PAD, Columns, columns
from fencebench.checker.report.picture.legend import legend
from fencebench.checker.report.picture.marks import row_shapes
from fencebench.checker.report.picture.measure import FAINT, drawable
from fencebench.checker.report.picture.placed import Placed, ground
from fencebench.checker.report.picture.rails import Instant, lifelines
from fencebench.checker.report.picture.rows import TICK, Row, rows_of
from fencebench.checker.report.picture.shapes import LIFELINE, RULE, WHITE, Box, Line, Name, Shape, Text, flush_right
from fencebench.checker.report.story import Clock, Story


@dataclass(frozen=True)
class Layout:
    """The card's size in points and its shapes, those at the back first."""

    width: float
    height: float
    shapes: tuple[Shape, ...]
    title: str


@dataclass(frozen=True)
class Stack:
    """Rows put under each other, with the ticks and the name strips between them, by their y."""

    rows: tuple[Placed, ...]
    ticks: dict[int, float]
    strips: tuple[float, ...]
    bottom: float


def layout(story: Story) -> Layout:
    """Place everything."""
    story = words.cleaned(story, drawable)
    grid = columns(story)
    top, rule = frame.header(story, grid)
    heads = rule + 5 + frame.group_room(grid)
    first = heads + frame.head_height(grid)
    stack = stacked_rows(rows_of(story, grid), grid, first + 6)
    body = rows_and_lines(story, grid, stack, rule + 4, first)
    below, height = foot(story, grid, stack.bottom + 6)
    card = Box(Name("card"), 0, 0, grid.card, height, WHITE, RULE)
    return Layout(grid.card, height, (card, *top, *body, *frame.heads(grid, heads), *below), story.title)


def stacked_rows(rows: tuple[Row, ...], grid: Columns, top: float) -> Stack:
    """Give each row its place."""
    placed, ticks, strips = list[Placed](), dict[int, float](), list[float]()
    for index, row in enumerate(rows):
        if words.needs_names(index, len(rows)):
            strips.append(top)
            top += TICK
        if row.step.margin_seconds is not None:
            ticks[index] = top + TICK / 2
            top += TICK
        placed.append(Placed(row, top, grid))
        top += row.height
    return Stack(tuple(placed), ticks, tuple(strips), top)


def rows_and_lines(story: Story, grid: Columns, stack: Stack, group_top: float, first: float) -> list[Shape]:
    """From the back: bands, shard grounds, lifelines, then what happens."""
    instants = tuple(Instant(placed.at, stack.ticks.get(i)) for i, placed in enumerate(stack.rows))
    shapes = frame.groups(grid, group_top, stack.bottom)
    shapes += [shape for placed in stack.rows for shape in ground(placed)]
    shapes += lifelines(story, grid, instants, first, stack.bottom)
    shapes += [shape for i, top in enumerate(stack.strips) for shape in frame.names_again(grid, i + 1, top)]
    shapes += [shape for i, y in stack.ticks.items() for shape in tick(story, grid, i, y)]
    return shapes + [shape for placed in stack.rows for shape in row_shapes(placed)]


def tick(story: Story, grid: Columns, index: int, y: float) -> list[Shape]:
    """Draw the instant between two steps at which a margin starts, and the lanes it starts on."""
    step = story.steps[index]
    name = f"margin-{step.number}"
    time = words.seconds(step.margin_seconds)
    shapes: list[Shape] = [flush_right(Name(name), PAD + grid.gutter - 12, y, time, FAINT)]
    lanes = margin_lanes(story, grid, index)
    if lanes:
        reach = ((PAD + grid.gutter - 8, y), (grid.x(lanes[-1]) - 13, y))
        shapes.append(Line(Name(f"{name}-line", "margin", "a lease's margin starts"), reach, LIFELINE, 0.8, "dotted"))
    for lane in lanes[:1] if grid.crowded else lanes:
        x = grid.state + 8 if grid.crowded else grid.x(lane) + 14
        shapes.append(Text(Name(f"{name}-{lane}", "margin"), x, y, "margin starts", FAINT))
    return shapes


def margin_lanes(story: Story, grid: Columns, index: int) -> list[int]:
    """Give the lanes whose lease is no longer valid on one of its clocks after this step."""
    looks = words.looks(story)
    before, after = (looks[index - 1] if index else {}), looks[index]
    found = []
    for i, lane in enumerate(grid.lanes):
        old, new = before.get(lane.key), after.get(lane.key)
        if old and new and (passes(old.driver, new.driver) or passes(old.worker, new.worker)):
            found.append(i)
    return found


def passes(old: Clock, new: Clock) -> bool:
    """Whether the margin starts between two looks of a lease on one clock."""
    return old == "valid" and new in ("margin", "expired")


def foot(story: Story, grid: Columns, top: float) -> tuple[list[Shape], float]:
    """Legend and sentences; returns the card's height."""
    rule = Line(Name("legend-rule"), ((PAD, top), (grid.card - PAD, top)), RULE, 1.5)
    signs, y = legend(story, grid, top + 2)
    sentences, height = frame.footer(story, grid, y + 4)
    return [rule, *signs, *sentences], height
