"""A part of a history as a picture: clients are lanes, calls are bars, the longest order that works is numbered.

The call that has no place is red; one whose end is not known runs on to the right.
"""

from collections.abc import Iterable
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from fencebench.checker.oracle.history.smallest import Bar

_COLUMN: Final = 6
"""Characters of one line of the history in the text."""
_WIDE, _HIGH, _LEFT, _TOP = 90, 46, 110, 30
"""Pixels of one line of the history, of a lane, and of the margins."""
_RED: Final = "#c62828"


def columns(shown: Iterable[Bar]) -> dict[int, int]:
    """The lines at which something begins or ends, in order, as columns from 0."""
    lines = {line for bar in shown for line in (bar.invoked, bar.ended) if line is not None}
    return {line: column for column, line in enumerate(sorted(lines))}


def lanes(shown: Iterable[Bar]) -> dict[str, int]:
    """The clients in the order of their first call, as lanes from 0."""
    return {name: lane for lane, name in enumerate(dict.fromkeys(str(bar.client) for bar in shown))}


def as_text(shown: tuple[Bar, ...]) -> list[str]:
    """Each lane as a line of bars, then each call with its number and its answer."""
    at = columns(shown)
    wide = max(map(len, lanes(shown)), default=0)
    drawn = []
    for name in lanes(shown):
        mine = [bar for bar in shown if str(bar.client) == name]
        drawn.append(f"{name:<{wide}} {_lane(mine, at)}".rstrip())
    return [*drawn, *(_told(bar) for bar in shown)]


def _lane(mine: list[Bar], at: dict[int, int]) -> str:
    cells = [" "] * (len(at) * _COLUMN + 2)
    for bar in mine:
        start = at[bar.invoked] * _COLUMN
        end = len(cells) - 1 if bar.ended is None else at[bar.ended] * _COLUMN
        cells[start : end + 1] = ["[", *"-" * (end - start - 1), ">" if bar.ended is None else "]"]
        for offset, sign in enumerate(mark(bar)):
            if start + 2 + offset < end:
                cells[start + 2 + offset] = sign
    return "".join(cells)


def mark(bar: Bar) -> str:
    """The number of a call in the longest order, a cross where it has no place, nothing where it is not in it."""
    return "x" if bar.stuck else "" if bar.place is None else str(bar.place)


def _told(bar: Bar) -> str:
    ended = "" if bar.ended is None else f"-{bar.ended}"
    return f"{mark(bar) or '-':>3}  lines {bar.invoked}{ended}, {bar.client}: {bar.label} = {bar.answered}"


def as_svg(shown: tuple[Bar, ...], title: str) -> str:
    """The picture as SVG, which needs nothing to be shown."""
    at, lane = columns(shown), lanes(shown)
    size = (_LEFT + _WIDE * (len(at) + 2), _TOP + _HIGH * len(lane) + 18 * len(shown) + 30)
    body = [_text(10, 18, title, "bold")]
    body += [_lane_of(name, number, size[0]) for name, number in lane.items()]
    body += [_bar(bar, lane[str(bar.client)], at) for bar in shown]
    under = _TOP + _HIGH * len(lane) + 20
    body += [_text(10, under + 18 * n, _told(bar), red=bar.stuck) for n, bar in enumerate(shown)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size[0]}" height="{size[1]}" font-family="sans-serif">'
    white = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head, white, *body, "</svg>", ""])


def _lane_of(name: str, number: int, width: int) -> str:
    y = _TOP + _HIGH * number + _HIGH // 2
    line = f'<line x1="{_LEFT}" y1="{y}" x2="{width - 10}" y2="{y}" stroke="#bbb"/>'
    return f"{_text(10, y + 4, name)}{line}"


def _bar(bar: Bar, lane: int, at: dict[int, int]) -> str:
    x, y = _LEFT + _WIDE * at[bar.invoked], _TOP + _HIGH * lane + 8
    ended = len(at) + 1 if bar.ended is None else at[bar.ended]
    width = _WIDE * ended - _WIDE * at[bar.invoked]
    look = f'fill="{"#ffcdd2" if bar.stuck else "#e3f2fd"}" stroke="{_RED if bar.stuck else "#1565c0"}"'
    dashed = ' stroke-dasharray="4 3"' if bar.ended is None else ""
    box = f'<rect x="{x}" y="{y}" width="{width}" height="{_HIGH - 16}" rx="3" {look}{dashed}>'
    tip = f"<title>{escape(_printable(_told(bar)))}</title>"
    return f"{box}{tip}</rect>{_text(x + 6, y + 19, mark(bar) or bar.label.split()[0], 'bold', bar.stuck)}"


def _text(x: int, y: int, words: str, weight: str = "normal", red: bool = False) -> str:
    look = f'font-size="12" font-weight={quoteattr(weight)} fill="{_RED if red else "black"}"'
    return f'<text x="{x}" y="{y}" xml:space="preserve" {look}>{escape(_printable(words))}</text>'


def _printable(words: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in words)
