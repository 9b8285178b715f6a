"""A story in lanes for a terminal: three columns a lane (lease on the driver's clock, lifeline, lease on its own)."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import wrap

from fencebench.checker.report.picture import words
from fencebench.checker.report.picture.measure import drawable
from fencebench.checker.report.story import Lane, Lease, Story, StoryStep

MARGIN = 15
WIDEST, NARROWEST, TOLD = 9, 4, 36
RAIL = {"none": " ", "valid": "█", "margin": "▒", "expired": "░"}
ASCII = {
    "█": "#", "▒": "%", "░": ":", "│": "|", "┊": ".", "─": "-", "═": "=", "▶": ">", "◀": "<", "○": "o", "●": "*",
    "✖": "X", "→": "->", "−": "-", "–": "-", "…": "...", "≤": "<=", "≥": ">=", "’": "'",
}  # fmt: skip
LABELS = 15
RAILS = "lease beside a worker, left on the driver's clock, right on its own"


@dataclass(frozen=True)
class Page:
    """Where things stand, in columns: the lifelines, and the texts from `told` on."""

    lanes: tuple[Lane, ...]
    pitch: int
    told: int
    width: int

    def at(self, key: str | None) -> int:
        """Find the column of a lifeline."""
        return next(MARGIN + self.pitch * i + self.pitch // 2 for i, lane in enumerate(self.lanes) if lane.key == key)


Row = list[str]


def as_text(story: Story, ascii_only: bool = False, width: int = 100) -> str:
    """Draw the story; with `ascii_only` every character is plain ASCII."""
    story = words.cleaned(story, plain if ascii_only else drawable)
    page = page_of(story, width)
    rule = "─" * width
    lines = [*header(story, width), rule, *heads(page), *rows(story, page), rule, *footer(story, width)]
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return plain(text) if ascii_only else text


def plain(text: str) -> str:
    """Put every sign into ASCII, a letter that has none as its escape."""
    signs = "".join(ASCII.get(c, c) for c in text)
    return "".join(c if c == "\n" else drawable(c) for c in signs).encode("ascii", "backslashreplace").decode()


def page_of(story: Story, width: int) -> Page:
    """Choose the pitch of the lanes so that the texts keep their room."""
    lanes = words.lanes_of(story)
    room = (width - MARGIN - TOLD) // max(1, len(lanes))
    pitch = max(NARROWEST, min(WIDEST, room))
    told = MARGIN + pitch * len(lanes) + 1
    return Page(lanes, pitch, told, max(width, told + TOLD // 2))


def paragraph(label: str, text: str, width: int) -> list[str]:
    """Set a text beside its label, its other lines below."""
    return wrap(text, width, initial_indent=label.ljust(LABELS), subsequent_indent=" " * LABELS) if text else []


def header(story: Story, width: int) -> list[str]:
    """Say what went wrong, and the figures."""
    verdict = f"{story.verdict.upper()}  " if story.properties else ""
    facts = [line for label, text in words.facts(story) for line in paragraph(label, text, width)]
    return [*wrap(verdict + story.title, width), "", *facts]


def footer(story: Story, width: int) -> list[str]:
    """Explain the signs, say why, which rule, what instead, and how to run it."""
    lines = [*paragraph("signs", "; ".join(signs(story)), width), ""]
    for label, text in (("why", story.why), ("rule R", story.rule), ("instead", words.instead(story))):
        lines += paragraph(label, text, width)
    return lines + [("reproduce" if i == 0 else "").ljust(LABELS) + line for i, line in enumerate(story.reproduce)]


def signs(story: Story) -> list[str]:
    """Explain the signs that occur."""
    leases = words.shown_leases(story)
    clocks = {clock for lease in leases for clock in (lease.driver, lease.worker)}
    clocks |= {"margin"} if any(step.margin_seconds is not None for step in story.steps) else set()
    rails = ", ".join(f"{RAIL[clock]} {clock}" for clock in ("valid", "margin", "expired") if clock in clocks)
    found = {
        f"{RAILS}: {rails}": rails,
        "┊ not running": any(not lease.running for lease in leases),
        "✖ fault": any(step.fault for step in story.steps),
        "○ in flight": any(words.flight(step) for step in story.steps),
        "R the missing rule would refuse here": any(step.bites for step in story.steps),
        ">> the offending step": any(step.violated for step in story.steps),
    }
    return [sign for sign, occurs in found.items() if occurs]


def heads(page: Page) -> list[str]:
    """Name the lanes: in words where they fit, else by codes that a line above explains."""
    sharded = words.many_shards(page.lanes)
    names = [words.short_name(lane, sharded) for lane in page.lanes]
    parts = [name.replace(", ", " ").split() for name in names]
    if max(len(word) for part in parts for word in part) < page.pitch:
        return columns_of(page, parts)
    codes = [words.code(lane, sharded) for lane in page.lanes]
    told = (
        lane.kind if lane.kind != "worker" else name.replace("s", "shard ")
        for lane, name in zip(page.lanes, names, strict=True)
    )
    key = "; ".join(f"{code} {name}" for code, name in zip(codes, told, strict=True))
    return [*wrap(key, page.width), *columns_of(page, [[code] for code in codes])]


def columns_of(page: Page, parts: list[list[str]]) -> list[str]:
    """Set words under each other over each lifeline, the last of each on the same line."""
    deep = max(map(len, parts))
    padded = [[""] * (deep - len(part)) + part for part in parts]
    return [" " * MARGIN + "".join(part[i].center(page.pitch) for part in padded) for i in range(deep)]


def rows(story: Story, page: Page) -> Iterator[str]:
    """Draw each step, a free line after it, and the instants at which a margin starts."""
    marks, looks, resumes = words.faults_of(story), words.looks(story), words.resumes(story)
    before: dict[str, Lease] = {}
    yield line(page, "", lifelines(page, before), "")
    for index, (step, now, again) in enumerate(zip(story.steps, looks, resumes, strict=True)):
        if words.needs_names(index, len(story.steps)):
            yield from heads(page)[-1:]
        if step.margin_seconds is not None:
            yield margin(page, step, before, now)
        yield from step_rows(page, step, now, marks.get(step.number, ""), again)
        before = now


def line(page: Page, left: str, lanes: Row, told: str) -> str:
    """Join the three parts of a line."""
    return left.ljust(MARGIN) + "".join(lanes) + " " + told


def lifelines(page: Page, leases: dict[str, Lease]) -> Row:
    """Draw every lane between steps."""
    cells = [" "] * (page.pitch * len(page.lanes))
    for lane in page.lanes:
        x, lease = page.at(lane.key) - MARGIN, leases.get(lane.key)
        cells[x] = "│" if lease is None or lease.running else "┊"
        if lease:
            cells[x - 1], cells[x + 1] = RAIL[lease.driver], RAIL[lease.worker]
    return cells


def margin(page: Page, step: StoryStep, before: dict[str, Lease], now: dict[str, Lease]) -> str:
    """Show the leases that enter their margin before the step's own instant."""
    between = {key: entering(lease, now[key]) for key, lease in before.items()}
    left = f"{'':6} {words.seconds(step.margin_seconds):>8}"
    return line(page, left, lifelines(page, between), "a lease's margin starts")


def entering(old: Lease, new: Lease) -> Lease:
    """Give the look of a lease while its margin runs on the clocks on which it is no longer valid."""
    driver = "margin" if old.driver == "valid" and new.driver in ("margin", "expired") else old.driver
    worker = "margin" if old.worker == "valid" and new.worker in ("margin", "expired") else old.worker
    return Lease(old.lane, driver, worker, old.running)


def step_rows(page: Page, step: StoryStep, now: dict[str, Lease], mark: str, resumes: bool) -> Iterator[str]:
    """Draw one step: its arrow or sign on the first line, the texts beside the lifelines."""
    loud = ">>" if step.violated else " !" if step.fault else ""
    first = struck(page, step, lifelines(page, now), resumes)
    left = f"{loud:2} {step.number:>3} {words.seconds(step.driver_seconds):>8}"
    texts = told(step, mark, page.width - page.told)
    yield line(page, left, first, texts[0])
    for text in texts[1:]:
        yield line(page, loud if step.violated else "", lifelines(page, now), text)
    yield line(page, "", lifelines(page, now), "")


def struck(page: Page, step: StoryStep, cells: Row, resumes: bool) -> Row:
    """Put a step's arrow, or its sign on the lifeline, over the lanes."""
    source = page.at(step.source) - MARGIN
    if not words.is_note(step):
        span(page, step, cells)
    if step.fault:
        cells[source] = "✖"
    elif words.is_note(step):
        cells[source] = "▶" if resumes else "●"
    return cells


def span(page: Page, step: StoryStep, cells: Row) -> None:
    """Draw an arrow from lifeline to lifeline, an open circle at an end that is in flight."""
    source, target = page.at(step.source) - MARGIN, page.at(step.target) - MARGIN
    way = 1 if target > source else -1
    start, end = source + way * beside(page, step.source), target - way * beside(page, step.target)
    for x in range(start, end + way, way):
        cells[x] = "═" if step.violated else "─"
    cells[end] = "○" if words.in_flight(step) else "▶" if way > 0 else "◀"
    if step.sent_at is not None:
        cells[start] = "○"


def beside(page: Page, key: str | None) -> int:
    """Count the columns from a lifeline to the first that is free beside its rails."""
    return 2 if any(lane.key == key and lane.kind == "worker" for lane in page.lanes) else 1


def told(step: StoryStep, mark: str, room: int) -> list[str]:
    """Tell a step in lines: what was said, where and when, what changed, what it breaks."""
    head = f"{words.fault_head(step, mark)}: " if step.fault else ""
    facts = [words.flight(step), own_clock(step), *map(words.change_line, step.changed)]
    facts += [f"R  {words.bite(step)}"] if step.bites else []
    facts += [f"!! VIOLATED {name}" for name in step.violated]
    lines = wrap(head + spoken(step), room, subsequent_indent="  ")
    return lines + [
        part for fact in facts for part in wrap(fact, room, initial_indent="   ", subsequent_indent="     ")
    ]


def spoken(step: StoryStep) -> str:
    """Join call and answer: `commit(epoch 0) = COMMITTED`, a refusal marked as one."""
    reply = words.answer(step)
    sign = " = refused " if step.refused else " = "
    return " ".join(part for part in (step.label, step.detail) if part) + (sign + reply if reply else "")


def own_clock(step: StoryStep) -> str:
    """Tell the worker's clock where it differs, and the host."""
    clock = f"worker's clock {words.seconds(step.worker_seconds)}" if step.worker_seconds is not None else ""
    same = step.worker_seconds == step.driver_seconds
    return ", ".join(part for part in ("" if same else clock, words.host(step)) if part)
