"""The legend: only the signs that this picture uses."""

from collections.abc import Callable
from dataclasses import replace

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import EPOCHS, PAD, Columns
from fencebench.checker.report.picture.marks import OCTAGON, cross
from fencebench.checker.report.picture.measure import DIM, FAINT, INK, PLAIN, tinted, width
from fencebench.checker.report.picture.rails import phase
from fencebench.checker.report.picture.shapes import (
    BITE,
    FAULT,
    LIFELINE,
    WHITE,
    Line,
    Mark,
    Name,
    Shape,
    Text,
    centred,
)
from fencebench.checker.report.story import Story

PITCH = 22.0
Draw = Callable[[Name, float, float], list[Shape]]
Entry = tuple[str, float, Draw]


def legend(story: Story, columns: Columns, top: float) -> tuple[list[Shape], float]:
    """Signs with their meaning, from left to right, as many lines as needed; returns the y under them."""
    x, y, shapes = PAD, top + PITCH / 2, list[Shape]()
    for text, wide, draw in entries(story):
        step = wide + 6 + width(text) * 1.04 + 14
        if x > PAD and x + step - 14 > columns.card - PAD:
            x, y = PAD, y + PITCH
        name = Name(f"legend-{text.split(',')[0].split(':')[0].replace(' ', '-')}", "legend", text)
        shapes += draw(name, x, y)
        shapes.append(Text(replace(name, id=f"{name.id}-text"), x + wide + 6, y, text, FAINT))
        x += step
    return shapes, y + PITCH / 2


def entries(story: Story) -> list[Entry]:
    """Give the signs that occur, in a fixed order."""
    steps = story.steps
    calls = [step for step in steps if not words.is_note(step)]
    found: list[tuple[bool, Entry]] = [
        (bool(calls), ("call, answer", 24, call)),
        (any(step.refused for step in calls), ("refused", 24, refusal)),
        (any(map(words.in_flight, steps)), ("still in flight", 24, flying)),
        (any(map(words.is_lost, steps)), ("answer lost", 24, lost)),
    ]
    found += [*leases(story), *signs(story)]
    return [entry for occurs, entry in found if occurs]


def leases(story: Story) -> list[tuple[bool, Entry]]:
    """Give the looks of a lease."""
    seen = words.shown_leases(story)
    clocks = {clock for lease in seen for clock in (lease.driver, lease.worker)}
    ticks = any(step.margin_seconds is not None for step in story.steps)
    return [
        ("valid" in clocks, ("lease valid", 8, rail("valid"))),
        ("margin" in clocks or ticks, ("margin", 8, rail("margin"))),
        ("expired" in clocks, ("expired", 8, rail("expired"))),
        (bool(clocks - {"none"}), ("left: driver's clock, right: worker's own", 20, both)),
        (any(not lease.running for lease in seen), ("not running", 4, gone)),
    ]


def signs(story: Story) -> list[tuple[bool, Entry]]:
    """Give the marks on a lifeline."""
    return [
        (any(step.fault for step in story.steps), ("fault", 23, fault)),
        (any(words.resumes(story)), ("resumes", 18, resume)),
        (any(step.bites for step in story.steps), ("rule R would refuse here", 20, rule)),
    ]


def call(name: Name, x: float, y: float) -> list[Shape]:
    """Draw a call over its answer."""
    back = Name(f"{name.id}-2", name.classes, name.tip)
    there = Line(name, ((x, y - 3), (x + 24, y - 3)), DIM, 1.5, "solid", "call")
    return [there, Line(back, ((x + 24, y + 4), (x, y + 4)), DIM, 1.0, "dashed", "answer")]


def refusal(name: Name, x: float, y: float) -> list[Shape]:
    """Draw an answer that starts from a bar."""
    return [Line(name, ((x + 24, y), (x, y)), DIM, 1.0, "dashed", "answer", "tee")]


def flying(name: Name, x: float, y: float) -> list[Shape]:
    """Draw an arrow that ends in an open circle."""
    return [Line(name, ((x, y), (x + 24, y)), DIM, 1.5, "solid", "circle")]


def lost(name: Name, x: float, y: float) -> list[Shape]:
    """Half an answer and a cross."""
    back = Line(name, ((x + 24, y), (x + 8, y)), DIM, 1.0, "dashed")
    return [back, *cross(Name(f"{name.id}-cross", name.classes, name.tip), x + 8, y)]


def rail(look: str) -> Draw:
    """Give a stretch of a rail in one look."""
    return lambda name, x, y: phase(name, x, y - 8, y + 8, look, DIM)


def both(name: Name, x: float, y: float) -> list[Shape]:
    """Draw a lifeline between two rails that disagree."""
    right = Name(f"{name.id}-2", name.classes, name.tip)
    left = phase(name, x, y - 8, y + 8, "expired", EPOCHS[0])
    middle = Line(Name(f"{name.id}-line", name.classes, name.tip), ((x + 10, y - 8), (x + 10, y + 8)), LIFELINE, 1.5)
    return [*left, middle, *phase(right, x + 13, y - 8, y + 8, "valid", EPOCHS[0])]


def gone(name: Name, x: float, y: float) -> list[Shape]:
    """Draw a dotted lifeline."""
    return [Line(name, ((x + 2, y - 8), (x + 2, y + 8)), INK, 1.5, "dotted")]


def fault(name: Name, x: float, y: float) -> list[Shape]:
    """Draw the octagon."""
    text = centred(Name(f"{name.id}-number", name.classes, name.tip), x + 11.5, y, "F1", PLAIN)
    return [Mark(name, "octagon", x + 11.5, y, OCTAGON - 1.5, FAULT, INK), text]


def resume(name: Name, x: float, y: float) -> list[Shape]:
    """Draw the triangle."""
    return [Mark(name, "triangle", x + 8, y, 8, WHITE, DIM, 1.6)]


def rule(name: Name, x: float, y: float) -> list[Shape]:
    """Draw the diamond."""
    letter = centred(Name(f"{name.id}-letter", name.classes, name.tip), x + 10, y, "R", tinted(PLAIN, BITE))
    return [Mark(name, "diamond", x + 10, y, 10, WHITE, BITE, 1.4), letter]
