import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from struct import unpack
from xml.etree import ElementTree

import pytest

from fencebench.checker.report.picture import as_dot, as_mermaid, as_png, as_svg, as_text, words
from fencebench.checker.report.picture.dot import dot
from fencebench.checker.report.picture.layout import Layout, layout
from fencebench.checker.report.picture.measure import PLAIN, SPARE, balanced, fitting, flow, width, wrap
from fencebench.checker.report.picture.render import PictureError, dots, render
from fencebench.checker.report.picture.shapes import Box, Line, Mark, Name, Shape, Text
from fencebench.checker.report.story import Lease, Story
from tests.stories import LONG, ODD, STORIES, tiny, two_shards, zombie

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
SVG = "{http://www.w3.org/2000/svg}"
ALL = pytest.mark.parametrize("name", STORIES)
Rect = tuple[float, float, float, float]


def overlap(a: Rect, b: Rect) -> bool:
    """More than a touch: half a point."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 0.5 and min(a[3], b[3]) - max(a[1], b[1]) > 0.5


def inside(a: Rect, b: Rect) -> bool:
    return a[0] >= b[0] - 0.01 and a[1] >= b[1] - 0.01 and a[2] <= b[2] + 0.01 and a[3] <= b[3] + 0.01


def overlaps(shapes: tuple[Shape, ...]) -> list[tuple[str, str]]:
    texts = [shape for shape in shapes if isinstance(shape, Text)]
    return [(a.name.id, b.name.id) for a, b in combinations(texts, 2) if overlap(a.box, b.box)]


def outside(picture: Layout) -> list[str]:
    """Texts count with the cell they are drawn in, which is wider than our measure."""
    card = (0.0, 0.0, picture.width, picture.height)
    return [shape.name.id for shape in picture.shapes if not inside(drawn(shape), card)]


def drawn(shape: Shape) -> Rect:
    x0, y0, x1, y1 = shape.box
    return (x0, y0, x0 + (x1 - x0) * SPARE, y1) if isinstance(shape, Text) else shape.box


def struck_texts(picture: Layout) -> list[tuple[str, str]]:
    """Texts that a lifeline, a rail or a sign runs through with no plate between."""
    found = []
    for i, text in enumerate(picture.shapes):
        plates = [s for s in picture.shapes[:i] if isinstance(s, Box | Mark) and inside(text.box, s.box) and plate(s)]
        last = picture.shapes.index(plates[-1]) if plates else -1
        if isinstance(text, Text):
            found += [
                (text.name.id, s.name.id)
                for s in picture.shapes[last + 1 :]
                if upright(s) and overlap(text.box, wide(s))
            ]
    return found


def plate(shape: Box | Mark) -> bool:
    return shape.name.id != "card" and shape.name.classes != "shard" and not re.fullmatch(r"step-\d+", shape.name.id)


def upright(shape: Shape) -> bool:
    """Whether a shape would make a text under or over it hard to read."""
    return isinstance(shape, Mark) or shape.name.id.startswith(("line-", "lease-"))


def wide(shape: Shape) -> Rect:
    x0, y0, x1, y1 = shape.box
    return x0 - 0.75, y0, x1 + 0.75, y1


@ALL
def test_no_two_texts_overlap(name: str) -> None:
    assert overlaps(layout(STORIES[name]()).shapes) == []


@ALL
def test_nothing_lies_outside_the_card(name: str) -> None:
    assert outside(layout(STORIES[name]())) == []


@ALL
def test_no_lifeline_and_no_lease_runs_through_a_text(name: str) -> None:
    assert struck_texts(layout(STORIES[name]())) == []


def test_the_checks_of_the_layout_see_what_they_look_for() -> None:
    picture = layout(tiny())
    twin = Text(Name("twin"), 24, 26, "twin", PLAIN)
    far = Text(Name("far"), picture.width - 10, 26, "far away", PLAIN)
    line = next(shape for shape in picture.shapes if isinstance(shape, Line) and upright(shape))
    struck = Text(Name("struck"), line.points[0][0] - 5, line.points[0][1] + 10, "struck", PLAIN)
    worse = Layout(picture.width, picture.height, (*picture.shapes, twin, far, struck), "")
    assert overlaps(worse.shapes) == [("title-0", "twin")]
    assert outside(worse) == ["far"]
    assert struck_texts(worse) == [("struck", line.name.id)]


@ALL
def test_names_are_unique(name: str) -> None:
    ids = Counter(shape.name.id for shape in layout(STORIES[name]()).shapes)
    assert [key for key, count in ids.items() if count > 1] == []


@ALL
def test_svg_is_well_formed_with_unique_ids_and_every_step(name: str) -> None:
    story = STORIES[name]()
    root = ElementTree.fromstring(as_svg(story))
    ids = Counter(element.get("id") for element in root.iter() if element.get("id"))
    assert [key for key, count in ids.items() if count > 1] == []
    assert {f"step-{step.number}" for step in story.steps} <= set(ids)


@ALL
def test_svg_holds_every_text_of_the_layout(name: str) -> None:
    root = ElementTree.fromstring(as_svg(STORIES[name]()))
    shown = Counter(clean(element.text or "") for element in root.iter(f"{SVG}text"))
    meant = Counter(clean(shape.text) for shape in layout(STORIES[name]()).shapes if isinstance(shape, Text))
    assert shown == meant


def clean(text: str) -> str:
    return " ".join(text.replace("\u200b", "").split())


def test_a_step_of_the_svg_tells_itself_in_full() -> None:
    root = ElementTree.fromstring(as_svg(zombie()))
    group = next(element for element in root.iter() if element.get("id") == "step-17-call")
    assert group.get("class", "").split()[:3] == ["step", "step-17", "violation"]
    tips = [e.findtext(f"{SVG}title") for e in root.iter() if group in [*e.iter()]]
    tip = [tip for tip in tips if tip][-1]
    assert tip.splitlines() == [
        "17. Worker epoch 1 → Spend ledger: commit(epoch 1) = COMMITTED",
        "+345 s on the driver's clock, +345 s on the worker's, host C",
        "sent at 12",
        "ledger: receipts 1 → 2",
        "ledger: committed 1850 → 3700 of 7400",
        "VIOLATED: one_accepted_artifact, billed_once",
        "instead: driver observe, worker e0 stop, driver crash",
    ]


def test_markup_and_escapes_reach_a_tooltip_as_they_are() -> None:
    root = ElementTree.fromstring(as_svg(STORIES["unruly"]()))
    tips = {element.text or "" for element in root.iter(f"{SVG}title")}
    assert any("ledger: held &lt; <b>9</b> of \\N" in tip.splitlines() for tip in tips)
    assert any(f"instead: {ODD}, {LONG}" in tip.splitlines() for tip in tips)


@ALL
def test_png_is_one_and_not_too_wide(name: str) -> None:
    png = as_png(STORIES[name]())
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    picture = layout(STORIES[name]())
    pixels = picture.width * dots(f"0,0,{picture.width},0") / 72
    assert unpack(">I", png[16:20])[0] == pytest.approx(pixels, abs=6)
    assert unpack(">I", png[16:20])[0] <= 1400


def test_a_wide_card_takes_fewer_dots() -> None:
    assert (dots("0,0,1000,9"), dots("0,0,2000,9")) == (96, 50)


def test_drawing_twice_gives_the_same_bytes() -> None:
    assert as_svg(two_shards()) == as_svg(two_shards())
    assert as_png(zombie()) == as_png(zombie())


def test_dot_and_texts_do_not_depend_on_the_hash_seed() -> None:
    code = "from tests.stories import *; from fencebench.checker.report.picture import *; s = two_shards()\n"
    code += "import sys; sys.stdout.buffer.write((as_dot(s) + as_text(s) + as_mermaid(s)).encode())"
    told = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert told[0] == told[1] == (as_dot(two_shards()) + as_text(two_shards()) + as_mermaid(two_shards())).encode()


@pytest.mark.parametrize(
    ("file", "form", "story"),
    [
        ("tiny.dot", as_dot, tiny),
        ("zombie.dot", as_dot, zombie),
        ("tiny.txt", as_text, tiny),
        ("zombie.txt", as_text, zombie),
        ("tiny.mmd", as_mermaid, tiny),
    ],
)
def test_a_drawing_is_the_golden_one(file: str, form: Callable[[Story], str], story: Callable[[], Story]) -> None:
    if os.environ.get("REWRITE_GOLDEN"):
        (GOLDEN / file).write_text(form(story()), encoding="utf-8")
    assert form(story()) == (GOLDEN / file).read_text(encoding="utf-8")


def test_a_complaint_of_graphviz_is_an_error() -> None:
    broken = 'digraph { a [pos="10,10" label=<<b>never closed>]; }'
    with pytest.raises(PictureError, match="never closed"):
        render(broken, "svg")


def test_dot_that_cannot_be_read_is_an_error_too() -> None:
    with pytest.raises(PictureError, match="syntax error"):
        render("digraph { a [", "svg")


def test_what_others_write_to_stderr_is_still_heard_afterwards(capfd: pytest.CaptureFixture[str]) -> None:
    as_svg(tiny())
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"


def test_text_and_mermaid_need_no_graphviz() -> None:
    code = "import sys; sys.modules['graphviz'] = sys.modules['pygraphviz'] = None\n"
    code += "from tests.stories import tiny; from fencebench.checker.report.picture import *\n"
    code += "as_text(tiny()); as_mermaid(tiny())"
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)


@ALL
def test_the_ascii_switch_leaves_nothing_else(name: str) -> None:
    story = STORIES[name]()
    assert as_text(story, ascii_only=True).isascii()
    assert not as_text(story).isascii()


@pytest.mark.parametrize("name", ["zombie", "two_shards", "tiny"])
def test_text_keeps_to_its_width(name: str) -> None:
    assert max(map(len, as_text(STORIES[name]()).splitlines())) <= 100


def test_text_marks_the_offending_step_and_no_other() -> None:
    loud = [line for line in as_text(zombie()).splitlines() if line.startswith(">>")]
    assert loud[0].split()[1] == "17"
    assert [line.split("!! ")[1] for line in loud if "!!" in line] == [
        "VIOLATED one_accepted_artifact",
        "VIOLATED billed_once",
    ]


def test_text_shows_a_lease_that_only_one_clock_has_ended() -> None:
    step = next(line for line in as_text(zombie()).splitlines() if line.startswith("     7"))
    assert "░┊█" in step


def test_lanes_that_nothing_touches_are_dropped_and_the_order_is_fixed() -> None:
    keys = [lane.key for lane in words.lanes_of(two_shards())]
    assert keys == [
        *("ledger", "driver", "worker 0/0", "worker 0/1", "worker 0/2", "worker 1/0"),
        *("store", "model", "report"),
    ]
    assert [lane.key for lane in words.lanes_of(tiny())] == ["ledger", "driver"]


def ids(story: Story) -> set[str]:
    return {shape.name.id for shape in layout(story).shapes}


def test_each_sign_is_where_its_step_is() -> None:
    found = ids(zombie())
    assert {"step-3-fault", "step-6-fault", "step-13-resume", "step-16-bite", "step-17-pill", "margin-7"} <= found
    assert {name for name in found if name.endswith("-pill")} == {"step-17-pill"}
    assert "step-12-answer" not in found
    assert {"step-15-lost", "step-29-dot"} <= ids(two_shards())


def lines(story: Story) -> dict[str, Line]:
    return {shape.name.id: shape for shape in layout(story).shapes if isinstance(shape, Line)}


def test_a_message_in_flight_has_an_open_end_at_both_steps() -> None:
    found = lines(zombie())
    assert (found["step-12-call"].head, found["step-12-call"].tail) == ("circle", "none")
    assert (found["step-17-call"].head, found["step-17-call"].tail) == ("call", "circle")
    assert found["step-1-call"].dash == "solid"
    assert (found["step-1-answer"].dash, found["step-1-answer"].tail) == ("dashed", "none")
    assert lines(two_shards())["step-34-answer"].tail == "tee"


def rail(story: Story, clock: str, worker: str = "0-0") -> list[str]:
    boxes = [shape for shape in layout(story).shapes if isinstance(shape, Box)]
    return [box.name.classes for box in boxes if box.name.id.startswith(f"lease-worker-{worker}-{clock}-")]


def test_the_two_rails_tell_two_clocks() -> None:
    assert rail(zombie(), "driver") == ["lease valid", "lease margin", "lease expired"]
    assert rail(zombie(), "own") == ["lease valid"]
    assert rail(two_shards(), "own") == ["lease valid", "lease margin"]
    assert rail(two_shards(), "driver", "1-0") == ["lease valid"]


def test_a_lifeline_is_dotted_while_nothing_runs() -> None:
    found = [line.dash for name, line in lines(zombie()).items() if name.startswith("line-worker-0-0-")]
    assert found == ["solid", "dotted", "solid", "dotted", "solid"]


def test_an_attempt_that_never_began_is_pale_and_in_no_legend() -> None:
    idle = Lease("worker 0/0", "none", "none", False)
    story = replace(tiny(), steps=(replace(tiny().steps[0], target="worker 0/0", leases=(idle,)),))
    assert [line.dash for name, line in lines(story).items() if name.startswith("line-worker-")] == ["solid"]
    assert "legend-not-running" not in ids(story)
    begun = replace(story, steps=(replace(story.steps[0], leases=(replace(idle, driver="valid"),)),))
    assert "legend-not-running" in ids(begun)


def test_an_epoch_keeps_its_colour_though_its_lane_is_dropped() -> None:
    story = zombie()
    early = replace(story, steps=story.steps[:8], lanes=tuple(lane for lane in story.lanes if lane.epoch != 1))
    assert (
        lines(early)["step-8-call"].colour == lines(story)["step-8-call"].colour != lines(story)["step-1-call"].colour
    )


def test_the_offending_step_shows_all_that_it_changed() -> None:
    step = two_shards().steps[14]
    told = [
        replace(tiny(), steps=(replace(step, violated=broken),), lanes=two_shards().lanes) for broken in ((), ("p",))
    ]
    shown = [[s.text for s in layout(story).shapes if isinstance(s, Text)] for story in told]
    assert "and 2 more" in shown[0]
    assert "and 2 more" not in shown[1]


def test_lane_names_come_again_in_a_long_story() -> None:
    again = {name for name in ids(two_shards()) if name.startswith("names-") and name.endswith("-ledger")}
    assert again == {"names-1-ledger", "names-2-ledger"}
    assert not any(name.startswith("names-") for name in ids(zombie()))


def test_the_legend_shows_only_signs_that_occur() -> None:
    assert {name for name in ids(tiny()) if name.startswith("legend-") and name.endswith("-text")} == {
        "legend-call-text"
    }
    assert {"legend-refused", "legend-answer-lost", "legend-fault", "legend-margin"} <= ids(two_shards())
    assert "legend-refused" not in ids(zombie())


def test_a_crowd_tells_its_calls_in_the_state_column() -> None:
    found = ids(STORIES["crowd"]())
    assert not {name for name in found if name.endswith(("-label", "-said"))}
    assert "step-1-state-0-0" in found


def test_an_unknown_shape_is_refused() -> None:
    with pytest.raises(TypeError, match="no such shape"):
        dot(Layout(1, 1, ("a string",), ""))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [LONG, ODD * 9, "commit(s0, e1) and (more of it) here", "W" * 99, "a (b (c) d"])
@pytest.mark.parametrize("room", [40.0, 77.0, 200.0])
def test_wrapping_keeps_every_letter_and_the_room(text: str, room: float) -> None:
    for found in (wrap(text, room), balanced(text, room)):
        assert "".join("".join(found).split()) == "".join(text.split())
        assert max(map(width, found)) <= room


def test_words_break_outside_brackets_first() -> None:
    assert wrap("commit(s0, e1) sent", 60) == ("commit", "(s0, e1)", "sent")
    assert flow((("grant(s0, e1)", PLAIN),), 300) == ((("grant(s0, e1)", PLAIN),),)


def test_a_text_shrinks_before_a_word_is_cut() -> None:
    room = width("COMMITTED", PLAIN) * 0.91
    assert fitting([("COMMITTED", PLAIN)], room) == 9
    assert fitting([("COMMITTED", PLAIN)], room * 2) == 10


@ALL
def test_mermaid_is_balanced_and_knows_its_lanes(name: str) -> None:
    body = as_mermaid(STORIES[name]()).split("---\n", 2)[2].splitlines()
    assert body[0] == "sequenceDiagram"
    declared = {line.split()[1] for line in body if line.strip().startswith("participant ")}
    used = {end for line in body if (found := ARROW.match(line.strip())) for end in found.groups()}
    assert used <= declared
    assert declared == used | noted(body) or not STORIES[name]().steps
    assert sum(line.strip().startswith(("rect ", "box ")) for line in body) == sum(
        line.strip() == "end" for line in body
    )
    assert not [line for line in body if KNOWN.match(line.strip()) is None]


ARROW = re.compile(r"(\w+?)(?:-->>|->>|-\)|--x)(\w+): ")
KNOWN = re.compile(
    rf"sequenceDiagram$|participant \w+ as |box shard \d+$|rect rgb|end$|(?:de)?activate \w+$|%% |{ARROW.pattern}"
    r"|Note (?:over|right of) [\w,]+: [^;<>\"]*(?:(?:<br/>|#\d+;)[^;<>\"]*)*$"
)


def noted(body: list[str]) -> set[str]:
    """Lanes that only a note stands on."""
    return {name for line in body if (found := re.match(r"\s*Note over (\w+): ", line)) for name in found.groups()}


@ALL
def test_mermaid_deactivates_only_what_is_active(name: str) -> None:
    active: set[str] = set()
    for line in as_mermaid(STORIES[name]()).splitlines():
        word, _, lane = line.strip().partition(" ")
        if word == "activate":
            assert lane not in active
            active.add(lane)
        if word == "deactivate":
            active.remove(lane)
    assert active == set()


def test_mermaid_tells_the_second_clock_and_the_margin() -> None:
    text = as_mermaid(zombie())
    assert "worker's clock −88 s" in text
    assert "margin started at +210 s" in text
