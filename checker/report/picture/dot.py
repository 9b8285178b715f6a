"""A layout as DOT: every node and edge has its place, so that Graphviz only draws.

A text is a node of its own, anchored at its left edge in a cell 10 % wider than our measure: rendered widths differ
by some 4 %, and so only that edge counts. A line has two invisible ends of its own, which keeps the order of drawing.
"""

import re
from functools import singledispatch
from html import escape as html
from itertools import pairwise
from typing import Any

import graphviz

from fencebench.checker.report.picture.layout import Layout, layout
from fencebench.checker.report.picture.measure import SPARE, width
from fencebench.checker.report.picture.shapes import Box, Line, Mark, Name, Text
from fencebench.checker.report.story import Story

PLACEHOLDER = re.compile(r"\\(?=[NGETHL])")  # Graphviz would put a name there, even for an entity
FONTS = "DejaVu Sans,Verdana,Arial,sans-serif"
MONO = "DejaVu Sans Mono,Menlo,Consolas,monospace"
ARROWS = {"none": "none", "call": "normal", "answer": "vee", "circle": "odot", "tee": "tee"}
BOLD_SITS_HIGH = 0.125  # of the size: what Graphviz lifts a bold run in an HTML label
SIZES = {"none": 0.5, "call": 0.75, "answer": 0.6, "circle": 0.7, "tee": 0.9}
ORIENTATION = {"triangle": "270", "octagon": "0", "diamond": "0", "circle": "0"}


def as_dot(story: Story) -> str:
    """Give the story's picture."""
    return dot(layout(story))


def dot(picture: Layout) -> str:
    """Give a layout's DOT."""
    graph = graphviz.Digraph("story", graph_attr=graph_attributes(picture), node_attr=NODES, edge_attr=EDGES)
    for shape in picture.shapes:
        draw(shape, graph, picture.height)
    return str(graph.source)


NODES = {"label": "", "fontname": FONTS, "margin": "0", "fixedsize": "true"}
EDGES = {"dir": "both", "arrowhead": "none", "arrowtail": "none"}


def graph_attributes(picture: Layout) -> dict[str, str]:
    """Give a card of a fixed size on a white ground."""
    return {
        "bgcolor": "white",
        "bb": f"0,0,{number(picture.width)},{number(picture.height)}",
        "id": "story",
        "margin": "0",
        "outputorder": "breadthfirst",
        "pad": "0.02",
        "tooltip": tip(picture.title),
    }


@singledispatch
def draw(shape: Any, graph: Any, height: float) -> None:
    """Add one shape to the graph."""
    raise TypeError(f"no such shape: {shape!r}")


@draw.register
def _(text: Text, graph: Any, height: float) -> None:
    wide = width(text.text, text.style) * SPARE
    sunk = text.style.size * BOLD_SITS_HIGH if text.style.bold else 0
    place = point(text.x + wide / 2, text.y + sunk, height)
    graph.node(text.name.id, label=label(text, wide), shape="plain", fixedsize="false", pos=place, **named(text.name))


@draw.register
def _(box: Box, graph: Any, height: float) -> None:
    size = {"width": inches(box.x1 - box.x0), "height": inches(box.y1 - box.y0)}
    style = "filled,rounded" if box.rounded else "filled"
    fill, pen = box.fill or "transparent", box.pen if box.stroke else 0
    look = {"fillcolor": fill, "color": box.stroke or fill, "penwidth": number(pen)}
    place = point((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2, height)
    graph.node(box.name.id, shape="box", style=style, pos=place, **size, **look, **named(box.name))


@draw.register
def _(mark: Mark, graph: Any, height: float) -> None:
    size = {"width": inches(2 * mark.r), "height": inches(2 * mark.r)}
    look = {"fillcolor": mark.fill, "color": mark.stroke, "penwidth": number(mark.pen), "style": "filled"}
    place = point(mark.x, mark.y, height)
    turn = ORIENTATION[mark.kind]
    graph.node(mark.name.id, shape=mark.kind, orientation=turn, pos=place, **size, **look, **named(mark.name))


@draw.register
def _(line: Line, graph: Any, height: float) -> None:
    tail, head = f"{line.name.id}.a", f"{line.name.id}.b"
    for end, (x, y) in ((tail, line.points[0]), (head, line.points[-1])):
        graph.node(end, style="invis", shape="point", width="0.01", height="0.01", pos=point(x, y, height))
    look = {"color": line.colour, "penwidth": number(line.pen), "style": line.dash}
    graph.edge(tail, head, pos=spline(line, height), **look, **arrows(line), **named(line.name))


def arrows(line: Line) -> dict[str, str]:
    """Give the marks at both ends; a thick line takes smaller ones, since they grow with the pen."""
    found: dict[str, str] = {}
    if line.head != "none":
        found |= {"arrowhead": ARROWS[line.head], "arrowsize": number(SIZES[line.head])}
    if line.tail != "none":
        found |= {"arrowtail": ARROWS[line.tail], "arrowsize": number(SIZES[line.head])}
    return found


LENGTHS = {"none": 0.0, "call": 7.5, "answer": 6.0, "circle": 5.6, "tee": 2.2}


def spline(line: Line, height: float) -> str:
    """Give the points as cubic pieces, shortened by the end marks, whose tips come first as `s,` and `e,`."""
    points = list(line.points)
    tips = ""
    if line.tail != "none":
        tips += f"s,{point(*points[0], height)} "
        points[0] = toward(points[0], points[1], LENGTHS[line.tail])
    if line.head != "none":
        tips += f"e,{point(*points[-1], height)} "
        points[-1] = toward(points[-1], points[-2], LENGTHS[line.head])
    places = [point(x, y, height) for x, y in points]
    pieces = [f"{a} {b} {b}" for a, b in pairwise(places)]
    return f"{tips}{places[0]} {' '.join(pieces)}"


def toward(start: tuple[float, float], end: tuple[float, float], length: float) -> tuple[float, float]:
    """Give the point at `length` from start on the way to end; our marked lines are level."""
    return start[0] + (length if end[0] > start[0] else -length), start[1]


def label(text: Text, wide: float) -> str:
    """Give an HTML label of one cell with one run."""
    style = text.style
    run = PLACEHOLDER.sub(r"\\&#8203;", html(text.text, quote=True)).replace("  ", "&#160; ")
    run = f"<b>{run}</b>" if style.bold else run
    face = f' face="{MONO}"' if style.mono else ""
    font = f'<font point-size="{number(style.size)}" color="{style.colour}"{face}>{run}</font>'
    table = '<table border="0" cellspacing="0" cellpadding="0">'
    return f'<{table}<tr><td align="left" width="{number(wide)}">{font}</td></tr></table>>'


def named(name: Name) -> dict[str, str]:
    """Id, class and tooltip in the SVG."""
    found = {"id": name.id, "class": name.classes, "tooltip": tip(name.tip)}
    return filled(found)


def filled(attributes: dict[str, str]) -> dict[str, str]:
    """Those that say something."""
    return {key: value for key, value in attributes.items() if value}


def tip(text: str) -> str:
    r"""Escape a tooltip, `\n` between lines; Graphviz halves backslashes twice."""
    plain = text.replace("&", "&amp;").replace("\\", "\\" * 4)
    told: str = graphviz.nohtml(plain.replace("\n", "\\n"))  # a type of its own: <text> is then no HTML
    return told


def point(x: float, y: float, height: float) -> str:
    """Give a place in Graphviz's terms: points, y up."""
    return f"{number(x)},{number(height - y)}"


def inches(points: float) -> str:
    """Give a length in inches."""
    return f"{points / 72:.4f}"


def number(value: float) -> str:
    """At most two decimals, no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
