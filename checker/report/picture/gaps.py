"""Where the texts of an arrow stand: between two lifelines, never on one."""

from dataclasses import replace

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.columns import Columns
from fencebench.checker.report.picture.measure import PLAIN, SIZES, STRONG, Run, fits, fitting, wrap
from fencebench.checker.report.story import Story, StoryStep


def captions(step: StoryStep) -> tuple[Run, Run, Run, Run]:
    """Give the texts of an arrow: label, detail and where it was sent above, the answer or where it arrives below."""
    loud, where = (STRONG if step.violated else PLAIN), words.flight(step)
    under = (where, PLAIN) if words.in_flight(step) else (words.answer(step), STRONG)
    return (step.label, loud), (step.detail, loud), (where if step.sent_at is not None else "", loud), under


def texts(step: StoryStep, room: float, size: int) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Give what stands over an arrow, the fainter part of it, and what stands under it."""
    above, detail, sent, below = (wrap(text, room, replace(style, size=size)) for text, style in captions(step))
    return above, detail + sent, below


def ends(step: StoryStep) -> tuple[str, str]:
    """Sender and receiver."""
    return step.source, step.target or step.source


def gaps_of(story: Story, columns: Columns) -> dict[tuple[str, str], int]:
    """For each sender and receiver the gap that takes their texts in the fewest lines, then the nearest the sender."""
    pairs: dict[tuple[str, str], list[StoryStep]] = {}
    for step in story.steps:
        if not words.is_note(step):
            pairs.setdefault(ends(step), []).append(step)
    return {pair: best_gap(pair, steps, columns) for pair, steps in pairs.items()}


def best_gap(pair: tuple[str, str], steps: list[StoryStep], columns: Columns) -> int:
    """Give the gap between two lifelines for the texts of one pair."""
    source, target = columns.index(pair[0]), columns.index(pair[1])
    between = range(source, target) if source < target else range(source - 1, target - 1, -1)

    costs = {gap: sum(cost(step, room_in(columns, gap, step)) for step in steps) for gap in between}
    return min(between, key=lambda gap: (costs[gap], abs(gap - between[0])))


def cost(step: StoryStep, room: float) -> int:
    """Count the lines of an arrow's texts; a point less counts like two more, a cut word like nine."""
    size = fitting(captions(step), room)
    cut = 0 if fits(captions(step), room, size) else 9
    return sum(map(len, texts(step, room, size))) + 2 * (SIZES[0] - size) + cut


def span_of(columns: Columns, gap: int, step: StoryStep) -> tuple[float, float]:
    """Give the free space between a lane and the next, clear of rails and of the arrow's head."""
    return columns.x(gap) + kept(columns, gap, step), columns.x(gap + 1) - kept(columns, gap + 1, step)


def kept(columns: Columns, lane: int, step: StoryStep) -> float:
    """Tell how far from a lifeline texts stay: off its rails, off the octagon or the diamond, off the arrow's head."""
    struck = 14 if step.fault and lane == columns.index(step.source) else 0
    target = lane == columns.index(step.target or step.source)
    return max(columns.reach(lane) + (8 if target else 3), struck, 13 if target and step.bites else 0)


def room_in(columns: Columns, gap: int, step: StoryStep) -> float:
    """Give the width of that space, less what a rendered text may be wider than our measure."""
    left, right = span_of(columns, gap, step)
    return (right - left) * 0.97
