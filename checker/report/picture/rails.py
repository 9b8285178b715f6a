"""Lifelines and, around a worker's, its lease on two clocks: left the driver's, right the worker's own."""

from dataclasses import dataclass
from itertools import pairwise

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import RAIL_IN, RAIL_OUT, Columns
from fencebench.checker.report.picture.measure import INK
from fencebench.checker.report.picture.shapes import LIFELINE, RULE, WHITE, Box, Line, Name, Shape
from fencebench.checker.report.story import Clock, Lane, Lease, Story

ZIGZAG = 3.5
TEETH = 100  # of a line: Graphviz reads no string of more than 16,384 characters


@dataclass(frozen=True)
class Instant:
    """Where a step's row has its instant, and where the margin that it passes starts (`tick`), in points."""

    at: float
    tick: float | None


Piece = tuple[float, float, str]


def lifelines(story: Story, columns: Columns, instants: tuple[Instant, ...], top: float, end: float) -> list[Shape]:
    """All lanes, behind everything that happens on them."""
    looks = words.looks(story)
    shapes: list[Shape] = []
    for index, lane in enumerate(columns.lanes):
        leases = [look.get(lane.key) for look in looks]
        shapes += line(lane, columns.x(index), pieces(states(leases), instants, top, end))
        if lane.kind == "worker":
            shapes += rails(lane, columns, index, leases, instants, end)
    return shapes


def states(leases: list[Lease | None]) -> list[str]:
    """How the lifeline looks after each step: before the first grant an attempt is not there yet."""
    return ["" if lease is None else "runs" if lease.running else "gone" for lease in leases]


def pieces(states: list[str], instants: tuple[Instant, ...], top: float, end: float) -> list[Piece]:
    """Stretches of one look, from the top to the end."""
    cuts = [(top, "")] + [(instant.at, state) for state, instant in zip(states, instants, strict=True)] + [(end, "")]
    return merged([(y0, y1, look) for (y0, look), (y1, _) in pairwise(cuts)])


def merged(stretches: list[Piece]) -> list[Piece]:
    """Neighbours of one look as one."""
    found: list[Piece] = []
    for y0, y1, look in stretches:
        if found and found[-1][2] == look:
            found[-1] = (found[-1][0], y1, look)
        elif y1 > y0:
            found.append((y0, y1, look))
    return found


def line(lane: Lane, x: float, stretches: list[Piece]) -> list[Shape]:
    """Draw a lifeline: dotted while nothing runs there, pale before the attempt exists."""
    shapes: list[Shape] = []
    for i, (y0, y1, look) in enumerate(stretches):
        name = Name(f"line-{lane_id(lane)}-{i}", "lifeline", f"{lane.title}: {SAID[look]}" if look else lane.title)
        pale = lane.kind == "worker" and not look
        colour = RULE if pale else INK if look == "gone" else LIFELINE
        shapes.append(Line(name, ((x, y0), (x, y1)), colour, 1.5, "dotted" if look == "gone" else "solid"))
    return shapes


SAID = {"runs": "running", "gone": "not running"}


def lane_id(lane: Lane) -> str:
    """Give a lane's key as part of an id."""
    return lane.kind if lane.kind != "worker" else f"worker-{lane.shard}-{lane.epoch}"


def rails(
    lane: Lane, columns: Columns, index: int, leases: list[Lease | None], instants: tuple[Instant, ...], end: float
) -> list[Shape]:
    """Both rails of a worker."""
    colour, x = columns.colour(lane.epoch), columns.x(index)
    driver: list[Clock] = [lease.driver if lease else "none" for lease in leases]
    worker: list[Clock] = [lease.worker if lease else "none" for lease in leases]
    left = rail(lane, "driver", x - RAIL_OUT, colour, phases(driver, instants, end))
    return left + rail(lane, "own", x + RAIL_IN, colour, phases(worker, instants, end))


def phases(clocks: list[Clock], instants: tuple[Instant, ...], end: float) -> list[Piece]:
    """Give the stretches of a lease on one clock; a margin passed on the way starts at its tick."""
    cuts: list[tuple[float, str]] = []
    before = "none"
    for clock, instant in zip(clocks, instants, strict=True):
        if before == "valid" and clock in ("margin", "expired") and instant.tick is not None:
            cuts.append((instant.tick, "margin"))
        cuts.append((instant.at, clock))
        before = clock
    cuts.append((end, "none"))
    return [piece for piece in merged([(y0, y1, look) for (y0, look), (y1, _) in pairwise(cuts)]) if piece[2] != "none"]


def rail(lane: Lane, clock: str, x: float, colour: str, stretches: list[Piece]) -> list[Shape]:
    """One rail: filled while valid, a zigzag in the margin, hollow when expired."""
    shapes: list[Shape] = []
    whose = "the driver's clock" if clock == "driver" else "the worker's own clock"
    for i, (y0, y1, look) in enumerate(stretches):
        name = Name(f"lease-{lane_id(lane)}-{clock}-{i}", f"lease {look}", f"{lane.title}: lease {look} on {whose}")
        shapes += phase(name, x, y0, y1, look, colour)
    return shapes


def phase(name: Name, x: float, y0: float, y1: float, look: str, colour: str) -> list[Shape]:
    """One stretch of a rail."""
    wide = RAIL_OUT - RAIL_IN
    box = Box(name, x, y0, x + wide, y1, colour if look == "valid" else WHITE, colour, 0.9)
    if look != "margin":
        return [box]
    teeth = zigzag(x, wide, y0, y1)
    parts = [teeth[i : i + TEETH + 1] for i in range(0, len(teeth) - 1, TEETH)]
    names = [Name(f"{name.id}-zigzag-{i}", name.classes, name.tip) for i in range(len(parts))]
    return [box, *(Line(part_name, part, colour, 1.1) for part_name, part in zip(names, parts, strict=True))]


def zigzag(x: float, wide: float, y0: float, y1: float) -> tuple[tuple[float, float], ...]:
    """Give a line from side to side down a rail."""
    count = max(2, round((y1 - y0) / ZIGZAG))
    return tuple((x + wide * (i % 2), y0 + (y1 - y0) * i / count) for i in range(count + 1))
