"""The commands `render` and `replay` of a stored trace."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import click

from fencebench.checker.cli.options import FORMS, HELP, in_form
from fencebench.checker.errors import BadInput
from fencebench.checker.files import columns, write_whole
from fencebench.checker.report import picture
from fencebench.checker.report.case import story_of
from fencebench.checker.report.stored import Recalled, case_of, recall
from fencebench.checker.report.story import Story
from fencebench.checker.search.replay import Replay


class Drawing(NamedTuple):
    """A format that a story is drawn in: the ending of its file, and what draws it."""

    ending: str
    draw: Callable[[Story], str | bytes]


DRAW = {
    "svg": Drawing(".svg", picture.as_svg),
    "png": Drawing(".png", picture.as_png),
    "dot": Drawing(".dot", picture.as_dot),
    "text": Drawing(".txt", lambda story: picture.as_text(story, width=columns())),
    "ascii": Drawing(".txt", lambda story: picture.as_text(story, ascii_only=True, width=columns())),
    "mermaid": Drawing(".mmd", picture.as_mermaid),
}
EXITS = {"still violates": 1, "fixed": 0, "no longer executable": 3}


def form_of(form: str | None, output: Path | None) -> str:
    """Return the format that is asked for, else the one that the output's name ends with, else SVG.

    Raises:
        BadInput: nothing is drawn that such a name ends with, or the format is another one.
    """
    if output is None or output == Path("-"):
        return form or "svg"
    fitting = [name for name, drawing in DRAW.items() if drawing.ending == output.suffix]
    if form in fitting or (form is None and fitting):
        return form or fitting[0]
    endings = dict.fromkeys(drawing.ending for drawing in DRAW.values())
    wanted = DRAW[form].ending if form else f"one of {', '.join(endings)}"
    raise BadInput(f"{output}: expected a name that ends in {wanted}")


def render_trace(path: Path, asked: str | None, output: Path | None, fence: str | None) -> None:
    """Draw a stored trace where the person stands, or where it is wanted; texts without an output are printed."""
    form = form_of(asked, output)
    recalled = recall(path, fence)
    again = recalled.replay()
    if not again.trace and recalled.trace.steps:
        raise BadInput(f"{path}: nothing can be drawn, as its first step is not executable on {recalled.fence.name}")
    ending, draw = DRAW[form]
    drawn = draw(story_of(case_of(recalled, again)))
    to_terminal = output is None and isinstance(drawn, str) and form in ("text", "ascii")
    if output == Path("-") or to_terminal:
        sys.stdout.buffer.write(drawn if isinstance(drawn, bytes) else drawn.encode() + b"\n")
        return
    place = output or Path(path.name.removesuffix(".json").removesuffix(".itf") + ending)
    write_whole(place, drawn)
    print(place)


def answer(recalled: Recalled, again: Replay) -> str:
    """Say in one line what became of the trace."""
    name = recalled.fence.name
    if again.verdict == "still violates":
        broken = dict(again.broken)
        first = recalled.promise or next(iter(broken))
        return f"STILL VIOLATES  {first} on {name}: {broken[first]}"
    if again.verdict == "no longer executable":
        wanted = recalled.trace.steps[(again.step or 1) - 1][0]
        return f"NO LONGER EXECUTABLE  at step {again.step} on {name}: {wanted.label}"
    told = "; ".join(f"step {step} is answered {refusal}" for step, refusal in again.answered)
    return f"FIXED  on {name}: {told or 'the run breaks nothing'}"


def replay_trace(path: Path, fence: str | None, form: str) -> int:
    """Replay a stored trace, print the answer, return the exit code."""
    recalled = recall(path, fence)
    again = recalled.replay()
    record = {
        "verdict": again.verdict,
        "exit": EXITS[again.verdict],
        "fence": recalled.fence.name,
        "step": again.step,
        "broken": dict(again.broken),
        "answered": [{"step": step, "class": refusal} for step, refusal in again.answered],
    }
    in_form(form, text=lambda: print(answer(recalled, again)), json=lambda: print(json.dumps(record, indent=1)))
    return EXITS[again.verdict]


@click.command("render", context_settings=HELP)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(list(DRAW)), help="default: by the output's name, else svg")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="default: here, named as the trace; - is stdout")
@click.option("--fence", help="tell it as this fence answers it (default: the trace's own)")
def render_command(trace: Path, form: str | None, output: Path | None, fence: str | None) -> None:
    """Draw a stored TRACE."""
    render_trace(trace, form, output, fence)


@click.command(
    "replay",
    context_settings=HELP,
    epilog="Exit codes: 1 still violates, 0 fixed, 3 no longer executable, 2 bad input.",
)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--fence", help="replay on this fence (default: the trace's own)")
@FORMS
def replay_command(trace: Path, fence: str | None, form: str) -> None:
    """Replay a stored TRACE: still violates, fixed, or no longer executable at step k."""
    raise SystemExit(replay_trace(trace, fence, form))
