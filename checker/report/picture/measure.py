"""How wide a text is in DejaVu Sans, and where to break it. Widths are in points."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

INK = "#1F2328"
DIM = "#57606A"

CHARACTERS = "".join(map(chr, [*range(0x20, 0x7F), *range(0xA0, 0x100)])) + "→−–…≤≥’"
# Advance widths in thousandths of the size, in the order of CHARACTERS, read from the fonts' hmtx tables.
SANS = """
318 401 460 838 636 950 780 275 390 390 500 838 318 361 318 337 636 636 636 636 636 636 636 636 636 636 337
337 838 838 838 531 1000 684 686 698 770 632 575 775 752 295 295 656 557 863 748 787 603 787 695 635 611 732
684 989 685 611 685 390 337 390 838 500 500 613 635 550 635 615 352 635 634 278 278 579 278 974 634 612 635
635 411 521 392 634 592 818 592 592 525 636 337 636 838 318 401 636 636 636 636 337 500 500 1000 471 612 838
361 1000 500 500 838 401 401 500 636 636 318 500 401 471 612 969 969 969 531 684 684 684 684 684 684 974 698
632 632 632 632 295 295 295 295 775 748 787 787 787 787 787 838 787 732 732 732 732 611 605 630 613 613 613
613 613 613 982 550 615 615 615 615 278 278 278 278 612 634 612 612 612 612 612 838 612 634 634 634 634 592
635 592 838 838 500 1000 838 838 318
"""
BOLD = """
348 456 521 838 696 1002 872 306 457 457 523 838 380 415 380 365 696 696 696 696 696 696 696 696 696 696 400
400 838 838 838 580 1000 774 762 734 830 683 683 821 837 372 372 775 637 995 837 850 733 850 770 720 682 812
774 1103 771 724 725 457 365 457 838 500 500 675 716 593 716 678 435 716 712 343 343 665 343 1042 712 687
716 716 493 595 478 712 652 924 645 652 582 712 365 712 838 348 456 696 696 636 696 365 500 500 1000 564 646
838 415 1000 500 500 838 438 438 500 736 636 380 500 438 564 646 1035 1035 1035 580 774 774 774 774 774 774
1085 734 683 683 683 683 372 372 372 372 838 837 850 850 850 850 850 838 850 812 812 812 812 724 738 719 675
675 675 675 675 675 1048 593 678 678 678 678 343 343 343 343 687 712 687 687 687 687 687 838 687 712 712 712
712 652 716 652 838 838 500 1000 838 838 380
"""
MONO_ADVANCE = 602
SIZES = (10, 9, 8, 7)
SPARE = 1.1  # a cell for a rendered text is this much wider than our measure, which is off by some 4 %
ADVANCE = {
    bold: dict(zip(CHARACTERS, map(int, table.split()), strict=True)) for bold, table in ((False, SANS), (True, BOLD))
}


@dataclass(frozen=True)
class Style:
    """How a run of text looks; `size` in whole points, as Graphviz takes no other."""

    size: int = 10
    bold: bool = False
    mono: bool = False
    colour: str = INK


Run = tuple[str, Style]

PLAIN = Style()
STRONG = Style(bold=True)
FAINT = Style(colour=DIM)


def tinted(style: Style, colour: str) -> Style:
    """Give the same style in another colour."""
    return replace(style, colour=colour)


def drawable(text: str) -> str:
    """Give the text on one line, a character that our fonts may lack as its escape."""
    return "".join(c if c in ADVANCE[False] else " " if c.isspace() else escaped(c) for c in text)


def escaped(character: str) -> str:
    r"""`\u4e2d` and the like."""
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else character.encode("ascii", "backslashreplace").decode()


def width(text: str, style: Style = PLAIN) -> float:
    """How far the text advances."""
    if style.mono:
        return len(text) * MONO_ADVANCE * style.size / 1000
    table = ADVANCE[style.bold]
    return sum(table[c] for c in text) * style.size / 1000


def wrap(text: str, room: float, style: Style = PLAIN) -> tuple[str, ...]:
    """Lines no wider than `room`: broken at spaces outside brackets and before "(", a long word as a last resort."""
    lines: list[str] = []
    for glue, word in words(text):
        if lines and width(lines[-1] + glue + word, style) <= room:
            lines[-1] += glue + word
        else:
            lines += cut(word, room, style)
    return tuple(lines)


def balanced(text: str, room: float, style: Style = PLAIN) -> tuple[str, ...]:
    """As few lines as `wrap` needs, of widths as equal as they can be."""
    best = wrap(text, room, style)
    least = max((width(word, style) for word in text.split()), default=room)
    while room - 2 > least and len(lines := wrap(text, room - 2, style)) == len(best):
        best, room = lines, room - 2
    return best


def fitting(runs: Iterable[Run], room: float) -> int:
    """Choose the largest of our sizes at which nothing must be cut in mid-word, else the smallest."""
    runs = tuple(runs)
    return next((size for size in SIZES if fits(runs, room, size)), SIZES[-1])


def fits(runs: Iterable[Run], room: float, size: int) -> bool:
    """Tell whether at this size every part that should stay whole is narrow enough."""
    units = [(unit, style) for text, style in runs for word in text.split() for unit in after(word, "_/.-(")]
    return all(width(unit, replace(style, size=size)) <= room for unit, style in units)


def words(text: str) -> list[tuple[str, str]]:
    """Split a text where it may break; each part with what joins it to the one before: a space, or nothing."""
    found: list[tuple[str, str]] = []
    depth, glue, word = 0, "", ""
    for c in text + " ":
        if depth == 0 and (c == " " or (c == "(" and word)):
            found += [(glue, word)] if word else []
            glue, word = (" ", "") if c == " " else ("", c)
        else:
            word += c
        depth = max(0, depth + (c == "(") - (c == ")"))
    return [*found, (glue, word.rstrip())] if word.strip() else found


def cut(word: str, room: float, style: Style = PLAIN) -> list[str]:
    """Give a word in pieces no wider than `room`: at spaces in brackets, after one of _ / . -, else anywhere."""
    if width(word, style) <= room:
        return [word]
    for marks in (" ", "_/.-"):
        pieces = joined(after(word, marks), room, style)
        if len(pieces) > 1 and all(width(p.strip(), style) <= room for p in pieces):
            return [p.strip() for p in pieces]
    parts = joined(after(word, "_/.-"), room, style)
    return [piece for part in parts for piece in joined(list(part), room, style)]


def after(word: str, marks: str) -> list[str]:
    """Give the word split after each of `marks`; the parts join to the word again."""
    parts = [""]
    for c in word:
        parts[-1] += c
        if c in marks:
            parts.append("")
    return [p for p in parts if p]


def joined(parts: list[str], room: float, style: Style) -> list[str]:
    """Parts put together from the left, as many to a line as fit."""
    lines = parts[:1]
    for part in parts[1:]:
        if width((lines[-1] + part).rstrip(), style) <= room:
            lines[-1] += part
        else:
            lines.append(part)
    return lines


def flow(runs: tuple[Run, ...], room: float) -> tuple[tuple[Run, ...], ...]:
    """Lines of runs of mixed styles, broken like `wrap`; neighbours are one space apart."""
    lines: list[list[Run]] = [[]]
    for text, style in runs:
        for glue, word in ((glue, piece) for glue, w in words(text) for piece in cut(w, room, style)):
            if lines[-1] and span(lines[-1]) + gap(style) + width(word, style) > room:
                lines.append([])
            append(lines[-1], glue, word, style)
    return tuple(tuple(line) for line in lines)


def append(line: list[Run], glue: str, word: str, style: Style) -> None:
    """Add a word to a line of runs; it joins a run of its own style."""
    if line and line[-1][1] == style:
        line[-1] = (line[-1][0] + glue + word, style)
    else:
        line.append((word, style))


def gap(style: Style) -> float:
    """Give the space between two runs of different styles: wider than a space, since rendered widths vary by 4 %."""
    return style.size * 0.4


def span(line: list[Run] | tuple[Run, ...]) -> float:
    """How wide a line of runs is."""
    return sum(width(text, style) + gap(style) for text, style in line) - (gap(line[-1][1]) if line else 0)
