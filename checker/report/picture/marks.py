"""What happens in a row: arrows between lifelines, notes beside them, signs on them."""

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.gaps import span_of
from fencebench.checker.report.picture.measure import DIM, INK, Style, tinted, width
from fencebench.checker.report.picture.placed import NUMBER, Placed, gutter, pill, state
from fencebench.checker.report.picture.rows import ANSWER_BELOW, LINE, NOTE_SPARE, note_off
from fencebench.checker.report.picture.shapes import (
    BITE,
    BROKEN,
    FAULT,
    FAULT_NOTE,
    WHITE,
    Box,
    Ends,
    Line,
    Mark,
    Name,
    Shape,
    centred,
    stacked,
)

OCTAGON, DIAMOND = 11.5, 10.0


def row_shapes(placed: Placed) -> list[Shape]:
    """Everything that stands on the ground and the lifelines."""
    middle = note(placed) if words.is_note(placed.row.step) else arrow(placed)
    return [*gutter(placed), *middle, *sign(placed), *bite(placed), *state(placed), *pill(placed)]


def arrow(placed: Placed) -> list[Shape]:
    """Draw a call with its answer, or one half of a message that was in flight."""
    step = placed.row.step
    start, end = arrow_ends(placed)
    pen, ink = (2.6 if step.violated else 1.5), placed.ink
    tail: Ends = "none" if step.sent_at is None else "circle"
    head: Ends = "circle" if words.in_flight(step) else "call"
    call = Line(placed.name("call"), ((start, placed.at), (end, placed.at)), ink, pen, "solid", head, tail)
    back = answer(placed, start, end) if words.answer(step) else []
    return [call, *back, *captions(placed)]


def arrow_ends(placed: Placed) -> tuple[float, float]:
    """Where an arrow starts and ends: off the rails, off a mark, and short of the other lane while in flight."""
    step = placed.row.step
    start, end = placed.x(step.source), placed.x(step.target)
    way = 1 if end > start else -1
    stop = 16.0 if words.in_flight(step) else 3.0
    return start + way * clear(placed, step.source, 2), end - way * clear(placed, step.target, stop)


def clear(placed: Placed, key: str | None, least: float) -> float:
    """How far from a lifeline an arrow stays."""
    step, columns = placed.row.step, placed.columns
    rails = columns.reach(columns.index(key or step.source))
    sizes = [rails + least]
    sizes += [OCTAGON + 1] if step.fault and key == step.source else []
    sizes += [DIAMOND + 2] if step.bites and key == step.target else []
    return max(sizes)


def answer(placed: Placed, start: float, end: float) -> list[Shape]:
    """Draw the dashed way back: from a bar if it is a refusal, and only half way, to a cross, if it gets lost."""
    step, y, ink = placed.row.step, placed.at + ANSWER_BELOW, placed.ink
    if not words.is_lost(step):
        tail: Ends = "tee" if step.refused else "none"
        pen = 1.4 if step.violated else 1.0
        return [Line(placed.name("answer"), ((end, y), (start, y)), ink, pen, "dashed", "answer", tail)]
    middle = (start + end) / 2
    back = Line(placed.name("answer"), ((end, y), (middle, y)), ink, 1.0, "dashed")
    return [back, *cross(placed.name("lost"), middle, y)]


def cross(name: Name, x: float, y: float) -> list[Shape]:
    """Two strokes where an answer was lost."""
    other = Name(f"{name.id}-2", name.classes, name.tip)
    return [
        Line(name, ((x - 4, y - 4), (x + 4, y + 4)), INK, 1.8),
        Line(other, ((x - 4, y + 4), (x + 4, y - 4)), INK, 1.8),
    ]


def captions(placed: Placed) -> list[Shape]:
    """Draw the texts over and under an arrow, in their gap."""
    row, step = placed.row, placed.row.step
    if placed.columns.crowded:
        return []
    x = sum(span_of(placed.columns, row.gap, step)) / 2
    loud, soft, said = caption_styles(placed)
    pitch = row.size * 1.2
    top = placed.at - 3 - pitch * (len(row.above) + len(row.detail))
    under = placed.at + (3 if words.in_flight(step) else ANSWER_BELOW + 3)
    return [
        *stacked(placed.name("label"), x, top, row.above, loud, middle=True),
        *stacked(placed.name("detail"), x, top + pitch * len(row.above), row.detail, soft, middle=True),
        *stacked(placed.name("said"), x, under, row.below, said, middle=True),
    ]


def caption_styles(placed: Placed) -> tuple[Style, Style, Style]:
    """Give the styles of a label, of its detail, and of what stands under the arrow."""
    step, size = placed.row.step, placed.row.size
    ink = BROKEN if step.violated else INK
    loud = Style(size, bool(step.violated), colour=ink)
    soft = loud if step.violated else Style(size, colour=DIM)
    return loud, soft, Style(size, colour=DIM) if words.in_flight(step) else Style(size, True, colour=ink)


def note(placed: Placed) -> list[Shape]:
    """Draw a square note beside its lifeline, left of it where the lanes end."""
    row, x = placed.row, placed.x(placed.row.step.source)
    if not row.note:
        return []
    wide = max(width(text, style) for text, style in row.note) * NOTE_SPARE + 12
    high = LINE * len(row.note) + 8
    off = note_off(row.step, placed.columns)
    left = x + off if row.rightward else x - off - wide
    near = left if row.rightward else left + wide
    fill, stroke = note_colours(placed)
    shapes: list[Shape] = [Line(placed.name("string"), ((x, placed.at), (near, placed.at)), stroke, 1.0)]
    top = placed.at - high / 2
    shapes.append(Box(placed.name("note"), left, top, left + wide, top + high, fill, stroke, 1.2))
    for i, (text, style) in enumerate(row.note):
        y = top + 4 + LINE * i
        ink = tinted(style, BROKEN) if placed.row.step.violated else style
        shapes += stacked(placed.name(f"note-{i}"), left + 6, y, (text,), ink)
    return shapes


def note_colours(placed: Placed) -> tuple[str, str]:
    """Ground and outline of a note."""
    step = placed.row.step
    if step.fault:
        return FAULT_NOTE, FAULT
    if placed.row.resumes:
        return placed.columns.tint(step.epoch), placed.columns.colour(step.epoch)
    return WHITE, BROKEN if step.violated else DIM


def sign(placed: Placed) -> list[Shape]:
    """Draw what stands on the lifeline of the source: a fault's octagon, a triangle where a process resumes, a dot."""
    step, x, y = placed.row.step, placed.x(placed.row.step.source), placed.at
    if step.fault:
        text = centred(placed.name("fault-number"), x, y, placed.row.mark, NUMBER)
        return [Mark(placed.name("fault"), "octagon", x, y, OCTAGON, FAULT, INK, 1.0), text]
    if not words.is_note(step):
        return []
    if placed.row.resumes:
        return [Mark(placed.name("resume"), "triangle", x, y, 9, WHITE, placed.ink, 1.6)]
    return [Mark(placed.name("dot"), "circle", x, y, 4, placed.ink, placed.ink)]


def bite(placed: Placed) -> list[Shape]:
    """Draw the green diamond on the receiver that a missing rule would have made refuse."""
    step, y = placed.row.step, placed.at
    if not step.bites:
        return []
    x = placed.x(step.target)
    text = centred(placed.name("bite-letter"), x, y, "R", tinted(NUMBER, BITE))
    return [Mark(placed.name("bite"), "diamond", x, y, DIAMOND, WHITE, BITE, 1.4), text]
