"""What each row of a picture holds and how high that makes it, in points."""

from dataclasses import dataclass

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import RAIL_OUT, STATE, Columns
from fencebench.checker.report.picture.gaps import captions, ends, gaps_of, room_in, texts
from fencebench.checker.report.picture.measure import (
    DIM,
    INK,
    PLAIN,
    STRONG,
    Run,
    Style,
    balanced,
    fitting,
    flow,
    tinted,
    width,
    wrap,
)
from fencebench.checker.report.picture.shapes import BITE, BROKEN, FAULT_INK
from fencebench.checker.report.story import Change, Story, StoryStep

LINE = 12.0
LEAST = 32.0
AIR = 6.0
ANSWER_BELOW = 7.0
TICK = 18.0
PILL = Style(size=10, bold=True, colour="#FFFFFF")
CHANGES, CHANGES_BROKEN = 4, 10
NOTE_SPARE = 1.05


@dataclass(frozen=True)
class Row:
    """A measured step; its texts stand in the gap right of the lane `gap`.

    `above`, `detail` and `below` are texts around an arrow, `size` their size in points; `note` is set instead for a
    step on one lifeline, `rightward` if it stands at the right.
    """

    step: StoryStep
    mark: str
    gap: int
    above: tuple[str, ...]
    detail: tuple[str, ...]
    below: tuple[str, ...]
    note: tuple[Run, ...]
    state: tuple[tuple[Run, ...], ...]
    pill: tuple[str, ...]
    resumes: bool
    rightward: bool = True
    size: int = 10

    @property
    def pill_height(self) -> float:
        """The red plate under the arrow, with its air."""
        return LINE * len(self.pill) + 12 if self.pill else 0.0

    @property
    def body(self) -> float:
        """What the arrow or the note needs, air included."""
        if self.note:
            return LINE * len(self.note) + 18
        return self.lead + ANSWER_BELOW + 3 + LINE * len(self.below) + AIR

    @property
    def lead(self) -> float:
        """From the top of the body to its instant."""
        if self.note:
            return self.body / 2
        return AIR + LINE * (len(self.above) + len(self.detail)) + 3

    @property
    def content(self) -> float:
        """The height without the pill."""
        return max(LEAST, self.body, LINE * len(self.state) + 10)

    @property
    def height(self) -> float:
        """The whole row."""
        return self.content + self.pill_height

    @property
    def at(self) -> float:
        """From the row's top to its instant."""
        return (self.content - self.body) / 2 + self.lead


def rows_of(story: Story, columns: Columns) -> tuple[Row, ...]:
    """Every step, measured."""
    marks, gaps, resumes = words.faults_of(story), gaps_of(story, columns), words.resumes(story)
    return tuple(
        row(step, marks.get(step.number, ""), gaps, columns, again)
        for step, again in zip(story.steps, resumes, strict=True)
    )


def row(step: StoryStep, mark: str, gaps: dict[tuple[str, str], int], columns: Columns, resumes: bool) -> Row:
    """One step, measured."""
    state, pill = state_lines(step, mark, columns.crowded), pill_lines(step, columns)
    if columns.crowded:
        return Row(step, mark, 0, (), (), (), (), state, pill, resumes)
    if words.is_note(step):
        room, rightward = note_room(step, columns)
        return Row(step, mark, 0, (), (), (), note_lines(step, room), state, pill, resumes, rightward)
    gap = gaps[ends(step)]
    room = room_in(columns, gap, step)
    size = fitting(captions(step), room)
    above, detail, below = texts(step, room, size)
    return Row(step, mark, gap, above, detail, below, (), state, pill, False, size=size)


def note_lines(step: StoryStep, room: float) -> tuple[Run, ...]:
    """Give a note on a lifeline: heading, detail, host and answer."""
    return tuple((line, style) for text, style in note_parts(step) for line in wrap(text, room, style))


def note_room(step: StoryStep, columns: Columns) -> tuple[float, bool]:
    """How wide a note's text may be, and whether it stands right of its lifeline: up to the next, or over it."""
    index, off = columns.index(step.source), note_off(step, columns)
    beside = columns.pitch - off - 20 - RAIL_OUT
    wanted = max(beside, min(150, max(longest(text, style) for text, style in note_parts(step)))) * NOTE_SPARE
    right = columns.right + 8 - columns.x(index) - off - 12
    left = columns.x(index) - columns.left - off - 12
    rightward = right >= wanted or right >= left
    return min(wanted, right if rightward else left) / NOTE_SPARE, rightward


def note_off(step: StoryStep, columns: Columns) -> float:
    """How far from its lifeline a note starts: clear of the rails or of the octagon."""
    return max(columns.reach(columns.index(step.source)) + 7, 17 if step.fault else 11)


def note_parts(step: StoryStep) -> list[Run]:
    """Heading, detail, host and answer."""
    parts = [(step.label, STRONG), (step.detail, PLAIN), (host_line(step), PLAIN)]
    parts += [(f"answer: {step.answer}", STRONG)] if step.answer else []
    return parts


def longest(text: str, style: Style) -> float:
    """Give the width of the longest word."""
    return max((width(word, style) for word in text.split()), default=0.0)


def host_line(step: StoryStep) -> str:
    """Give the host of a fault or a resume, unless the text says it already."""
    told = step.host is not None and step.host in f"{step.label} {step.detail}"
    return "" if told or not step.fault else words.host(step)


def pill_lines(step: StoryStep, columns: Columns) -> tuple[str, ...]:
    """Give the text of the red plate."""
    room = columns.right - columns.left - 40
    return balanced(f"VIOLATED: {', '.join(step.violated)}", room, PILL) if step.violated else ()


def state_lines(step: StoryStep, mark: str, crowded: bool) -> tuple[tuple[Run, ...], ...]:
    """Give what the step changed, the fault of an arrow, and what the missing rule would say."""
    most = CHANGES_BROKEN if step.violated else CHANGES
    shown = step.changed if len(step.changed) <= most else step.changed[: most - 1]
    items = [change_runs(change) for change in shown]
    if len(shown) < len(step.changed):
        items.append(((f"and {len(step.changed) - len(shown)} more", tinted(PLAIN, DIM)),))
    if crowded:
        items.insert(0, said_runs(step))
    if step.fault and (crowded or not words.is_note(step)):
        items.insert(0, ((words.fault_line(step, mark), tinted(STRONG, FAULT_INK)),))
    if step.bites:
        items.append(((words.bite(step), tinted(STRONG, BITE)),))
    return tuple(line for item in items for line in flow(item, STATE - 10))


def said_runs(step: StoryStep) -> tuple[Run, ...]:
    """Tell in the state column what else stands at the arrow: `commit(s0, e0) COMMITTED`."""
    ink = BROKEN if step.violated else INK
    faint = " ".join(part for part in (step.detail, words.flight(step), words.host(step)) if part)
    runs = ((step.label, tinted(PLAIN, ink)), (words.answer(step), tinted(STRONG, ink)), (faint, tinted(PLAIN, DIM)))
    return tuple(run for run in runs if run[0])


def change_runs(change: Change) -> tuple[Run, ...]:
    """`ledger held 0 → 1850 of 7400`, the part faint and the new value bold."""
    before, new, rest = words.changed(change)
    runs = ((change.part, tinted(PLAIN, DIM)), (before, PLAIN), (new, STRONG), (rest, PLAIN))
    return tuple(run for run in runs if run[0])
