"""What stands around the rows: title and figures above, lane heads, legend and sentences below."""

from dataclasses import replace

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import PAD, Columns
from fencebench.checker.report.picture.measure import (
    DIM,
    FAINT,
    PLAIN,
    SPARE,
    STRONG,
    Style,
    balanced,
    fitting,
    tinted,
    width,
    wrap,
)
from fencebench.checker.report.picture.rails import lane_id
from fencebench.checker.report.picture.shapes import (
    BITE,
    BROKEN,
    GROUP,
    PLATE,
    RULE,
    Box,
    Line,
    Name,
    Shape,
    Text,
    centred,
    flush_right,
    stacked,
)
from fencebench.checker.report.story import Lane, Story

TITLE = Style(size=15, bold=True)
VERDICT = Style(size=12, bold=True, colour="#FFFFFF")
COMMAND = Style(size=9, mono=True)
LINE = 12.0
LABELS = 112.0
TITLE_LINE = 19.0
VERDICT_WIDE = 100.0
LONG = 10
"""A verdict of so many letters takes twice the width."""


def header(story: Story, columns: Columns) -> tuple[list[Shape], float]:
    """Draw the title, the verdict and the figures; returns the y of the rule under them."""
    lines = wrap(story.title, (columns.card - 2 * PAD - plate_wide(story)) / SPARE, TITLE)
    top = 16.0
    shapes: list[Shape] = [
        Text(Name(f"title-{i}"), PAD, top + TITLE_LINE * (i + 0.5), line, TITLE) for i, line in enumerate(lines)
    ]
    shapes += verdict(story, columns) if story.properties else []
    return figures(story, columns, shapes, top + TITLE_LINE * len(lines) + 6)


def verdict(story: Story, columns: Columns) -> list[Shape]:
    """Draw the plate at the top right: red where a promise is broken."""
    right, middle, wide = columns.card - PAD, 26.0, plate_wide(story)
    ground = BROKEN if story.verdict == "violated" else DIM
    plate = Box(Name("verdict"), right - wide, middle - 11, right, middle + 11, ground, ground, 1, True)
    return [plate, centred(Name("verdict-text"), right - wide / 2, middle, story.verdict.upper(), VERDICT)]


def plate_wide(story: Story) -> float:
    """Return how wide the plate is, in points."""
    return VERDICT_WIDE if len(story.verdict) < LONG else 2 * VERDICT_WIDE


def figures(story: Story, columns: Columns, shapes: list[Shape], top: float) -> tuple[list[Shape], float]:
    """Four blocks side by side: property, fence, bound, counterexample."""
    wide, deep = (columns.card - 2 * PAD) / 4, 0
    for i, (label, text) in enumerate(words.facts(story)):
        style = STRONG if label == "property" else PLAIN
        lines = wrap(text, wide - 20, style)
        shapes += stacked(Name(f"figure-{label}"), PAD + wide * i, top, (label,), FAINT)
        shapes += stacked(Name(f"figure-{label}-text"), PAD + wide * i, top + LINE, lines, style)
        deep = max(deep, len(lines))
    y = top + LINE * (deep + 1) + 7
    return [*shapes, Line(Name("header-rule"), ((PAD, y), (columns.card - PAD, y)), RULE, 1.5)], y


def head_lines(lane: Lane, columns: Columns) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give the title and the subtitle of a head, wrapped; only a code in a crowd."""
    if columns.crowded:
        return (words.code(lane, False) if lane.kind == "worker" else lane.kind.capitalize(),), ()
    room = columns.pitch - 18
    return balanced(lane.title, room, STRONG), balanced(lane.subtitle, room, PLAIN)


def head_height(columns: Columns) -> float:
    """As high as the fullest head needs."""
    return max((LINE * sum(map(len, head_lines(lane, columns))) for lane in columns.lanes), default=LINE) + 12


def group_room(columns: Columns) -> float:
    """Give what the names of the shard groups take above the heads."""
    return 16.0 if columns.sharded else 0.0


def heads(columns: Columns, top: float) -> list[Shape]:
    """Draw a rounded head for each lane, and the titles of the other columns."""
    high, shapes = head_height(columns), list[Shape]()
    for index, lane in enumerate(columns.lanes):
        shapes += head(lane, columns, index, top, high)
    return shapes + column_titles(columns, top + high)


def head(lane: Lane, columns: Columns, index: int, top: float, high: float) -> list[Shape]:
    """One lane's head."""
    title, subtitle = head_lines(lane, columns)
    x, half = columns.x(index), columns.pitch / 2 - (1.5 if columns.crowded else 4)
    style = replace(STRONG, size=fitting([(line, STRONG) for line in title], 2 * half - 4))
    name = Name(f"head-{lane_id(lane)}", "head", lane.title)
    y = top + (high - LINE * (len(title) + len(subtitle))) / 2
    plate = Box(name, x - half, top, x + half, top + high, columns.tint(lane.epoch), columns.edge(lane), 1.2, True)
    shapes = stacked(Name(f"{name.id}-title", "head", lane.title), x, y, title, style, middle=True)
    under = Name(f"{name.id}-subtitle", "head", lane.title)
    return [plate, *shapes, *stacked(under, x, y + LINE * len(title), subtitle, FAINT, middle=True)]


def column_titles(columns: Columns, bottom: float) -> list[Shape]:
    """`step`, the clocks, and the state column."""
    clock = PAD + columns.gutter - 12
    title = "what happened, and what changed" if columns.crowded else "what changed in the state"
    shapes: list[Shape] = [Text(Name("column-step"), PAD, bottom - 7, "step", FAINT)]
    shapes += two_lines("column-clock", clock, bottom, "driver's")
    shapes += two_lines("column-own-clock", columns.left - 12, bottom, "worker's") if columns.own_clock else []
    shapes.append(Text(Name("column-state"), columns.state + 8, bottom - 7, title, FAINT))
    return shapes


def two_lines(name: str, right: float, bottom: float, whose: str) -> list[Shape]:
    """`driver's` over `clock`."""
    return [
        flush_right(Name(name), right, bottom - 7 - LINE, whose, FAINT),
        flush_right(Name(f"{name}-2"), right, bottom - 7, "clock", FAINT),
    ]


def groups(columns: Columns, top: float, end: float) -> list[Shape]:
    """Draw a tinted ground behind the workers of each shard, with its name, when there are several."""
    shapes: list[Shape] = []
    for shard in shards(columns) if columns.sharded else []:
        places = [i for i, lane in enumerate(columns.lanes) if lane.kind == "worker" and lane.shard == shard]
        x0, x1 = columns.x(places[0]) - columns.pitch / 2 + 1.5, columns.x(places[-1]) + columns.pitch / 2 - 1.5
        shapes.append(Box(Name(f"shard-{shard}", "shard", f"shard {shard}"), x0, top, x1, end, GROUP))
        name = Name(f"shard-{shard}-name")
        shapes.append(centred(name, (x0 + x1) / 2, top + 8, f"shard {shard}", tinted(STRONG, DIM)))
    return shapes


def shards(columns: Columns) -> list[int]:
    """Give the shards that have workers here."""
    return sorted({lane.shard for lane in columns.lanes if lane.shard is not None})


def names_again(columns: Columns, number: int, top: float) -> list[Shape]:
    """Draw the short lane names on a grey strip, for a long picture."""
    strip = Box(Name(f"names-{number}"), PAD, top + 1, columns.right, top + 17, PLATE)
    shapes: list[Shape] = [strip]
    for index, lane in enumerate(columns.lanes):
        text, style = words.short_name(lane, columns.sharded), FAINT
        if width(text, style) > columns.pitch - 4:
            text = words.code(lane, columns.sharded)
        shapes.append(centred(Name(f"names-{number}-{lane_id(lane)}"), columns.x(index), top + 9, text, style))
    return shapes


def footer(story: Story, columns: Columns, top: float) -> tuple[list[Shape], float]:
    """Draw the sentences under the legend; returns the y of the card's end."""
    parts = [
        ("Why", story.why, STRONG, PLAIN),
        ("Rule R", story.rule, tinted(STRONG, BITE), PLAIN),
        ("Instead", words.instead(story), STRONG, PLAIN),
    ]
    shapes: list[Shape] = []
    for label, text, bold, style in parts:
        lines = wrap(text, (columns.card - PAD - LABELS) / SPARE, style)
        shapes += stacked(Name(f"footer-{label.split()[0].lower()}"), PAD, top, (label,), bold) if lines else []
        shapes += stacked(Name(f"footer-{label.split()[0].lower()}-text"), PAD + LABELS, top, lines, style)
        top += LINE * len(lines) + 6 if lines else 0
    return reproduce(story, columns, shapes, top)


def reproduce(story: Story, columns: Columns, shapes: list[Shape], top: float) -> tuple[list[Shape], float]:
    """Draw the commands on a grey plate; one that is too long goes on after a backslash."""
    room = (columns.card - PAD - LABELS - 16) / SPARE
    lines = tuple(line for command in story.reproduce for line in command_lines(command, room))
    if not lines:
        return shapes, top + 10
    high = 10.8 * len(lines) + 12
    plate = Box(Name("reproduce"), PAD + LABELS, top, columns.card - PAD, top + high, PLATE)
    label = stacked(Name("footer-reproduce"), PAD, top + 6, ("Reproduce",), STRONG)
    commands = stacked(Name("command"), PAD + LABELS + 8, top + 6, lines, COMMAND)
    return [*shapes, plate, *label, *commands], top + high + PAD


def command_lines(command: str, room: float) -> list[str]:
    """Give a command in lines that a shell joins again."""
    lines = wrap(command, room - width(" \\", COMMAND), COMMAND)
    return [f"{line} \\" for line in lines[:-1]] + list(lines[-1:])
