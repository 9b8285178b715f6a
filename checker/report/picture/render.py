"""DOT to bytes by the Graphviz library that pygraphviz brings; nothing is laid out (`nop2`).

Graphviz reports a broken label on file descriptor 2 only, and draws on. So that is caught, and anything said there
is an error. The catching makes `render` unfit for threads.
"""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pygraphviz

WIDEST = 1400
DOTS = 96
HARMLESS = re.compile(
    r"Fontconfig (warning|error).*reset-dirs"  # its own configuration parsed by an older library
    r"|Warning: graph has \d+ nodes\.\.\.layout may take a long time\."  # pygraphviz, but nothing is laid out
)


class PictureError(RuntimeError):
    """Graphviz said something while drawing: the picture cannot be trusted."""


def render(dot: str, form: str) -> bytes:
    """Give an SVG, or a PNG at 96 dots an inch unless that makes it wider than 1400 pixels."""
    said: list[str] = []
    try:
        with heard(said):
            drawn = draw(dot, form)
    except (ValueError, pygraphviz.DotError) as error:
        raise PictureError(f"Graphviz failed: {error}; {'; '.join(said)}") from error
    complain(said)
    return drawn


def draw(dot: str, form: str) -> bytes:
    """Draw without listening to complaints."""
    graph = pygraphviz.AGraph(string=dot)
    if form == "png":
        graph.graph_attr["dpi"] = str(dots(graph.graph_attr["bb"]))
    return bytes(graph.draw(format=form, prog="nop2"))


def dots(box: str) -> int:
    """Dots an inch for a card with this bounding box."""
    points = float(box.split(",")[2]) + 4
    return min(DOTS, int(WIDEST * 72 / points))


def complain(said: list[str]) -> None:
    """Raise if a line is more than the known noise."""
    odd = [line for line in said if line.strip() and not HARMLESS.search(line)]
    if odd:
        raise PictureError(f"Graphviz complained: {'; '.join(odd)}")


@contextmanager
def heard(said: list[str]) -> Iterator[None]:
    """Collect what is written to file descriptor 2, and to `sys.stderr`, meanwhile."""
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile() as ear:
        os.dup2(ear.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(kept, 2)
            os.close(kept)
            ear.seek(0)
            said += ear.read().decode("utf-8", "replace").splitlines()
