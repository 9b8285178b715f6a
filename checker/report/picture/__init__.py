"""Draws a story: DOT, SVG and PNG by Graphviz, lanes for a terminal, Mermaid for a page that renders it.

Each import waits for its call, so that text and Mermaid need no Graphviz.
"""

from fencebench.checker.report.story import Story


def as_dot(story: Story) -> str:
    """DOT with every position fixed; the same story gives the same text."""
    from fencebench.checker.report.picture.dot import as_dot

    return as_dot(story)


def as_svg(story: Story) -> bytes:
    """Give a standalone SVG; `step-7` and its parts are ids, each with the step in full as a tooltip."""
    from fencebench.checker.report.picture.render import render
    from fencebench.checker.report.picture.smaller import smaller

    return smaller(render(as_dot(story), "svg"))


def as_png(story: Story) -> bytes:
    """Give a PNG at most 1400 pixels wide."""
    from fencebench.checker.report.picture.render import render

    return render(as_dot(story), "png")


def as_text(story: Story, ascii_only: bool = False, width: int = 100) -> str:
    """Lanes for a terminal of `width` columns."""
    from fencebench.checker.report.picture.text import as_text

    return as_text(story, ascii_only, width)


def as_mermaid(story: Story) -> str:
    """Give a Mermaid sequence diagram; what it cannot draw (two clocks, the margin) is told in notes."""
    from fencebench.checker.report.picture.mermaid import as_mermaid

    return as_mermaid(story)
