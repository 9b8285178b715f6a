"""What `expect` tells, as a page to keep: the headline, the picture, the figures, what is assumed."""

from collections.abc import Mapping, Sequence
from typing import Any

from fencebench.checker.expect.figures import Expected
from fencebench.checker.expect.load import Load
from fencebench.checker.expect.vary import Point
from fencebench.checker.report.expect.picture import curves_chart, law_chart
from fencebench.checker.report.expect.text import (
    SHOWN,
    assumptions,
    best_lines,
    figure_rows,
    headline,
    inputs_line,
    notes,
    point_cells,
)
from fencebench.checker.report.html.page import Drawing, Page, Sheet
from fencebench.checker.report.picture.chart import as_svg


def page_of(results: Sequence[Expected], given: Mapping[str, Any], command: str) -> Page:
    """Return the page of fences side by side."""
    ended = [found for found in results if not found.never]
    drawn = [Drawing("law of tokens", as_svg(law_chart(results)))] if any(f.law is not None for f in results) else []
    names = ("what", *(found.fence.name for found in ended), "how")
    return Page(
        title=", ".join(found.fence.name for found in results),
        verdict="expected",
        headline="; ".join(map(headline, results)),
        good=len(ended) == len(results),
        reproduce=command,
        facts=facts(results[0].load, given, [line for line in notes(ended) if line]),
        sheets=[Sheet("Figures of a run", names, list(figure_rows(ended)))] if ended else (),
        drawings=drawn,
    )


def page_of_points(points: Sequence[Point], given: Mapping[str, Any], command: str) -> Page:
    """Return the page of inputs that vary."""
    varied, lines = list(points[0].setting.varied), best_lines(points)
    columns = ("fence", *(name.replace("_", " ") for name in varied), *SHOWN.values())
    return Page(
        title=", ".join(dict.fromkeys(point.expected.fence.name for point in points)),
        verdict="expected",
        headline="; ".join(lines),
        good=not any(point.expected.never for point in points),
        reproduce=command,
        facts=facts(points[-1].setting.load, given, ["± marks what was simulated; all else is exact"], varied),
        sheets=[Sheet("Settings", columns, [point_cells(point, varied) for point in points])],
        drawings=[Drawing("curves of what varies", as_svg(curves_chart(points)))],
    )


def facts(
    load: Load, given: Mapping[str, Any], lines: Sequence[str], varied: Sequence[str] = ()
) -> list[tuple[str, str]]:
    """Return what the figures rest on."""
    found = [("", line) for line in (*lines, inputs_line(load, given, varied))]
    return [*found, *(("assumed", line) for line in assumptions(load))]
