"""The commands `render` and `replay` of a stored trace."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import click

from fencebench.checker.cli.options import HELP
from fencebench.checker.errors import BadInput
from fencebench.checker.files import write_whole
from fencebench.checker.report import picture
from fencebench.checker.report.case import story_of
from fencebench.checker.report.stored import Recalled, case_of, recall
from fencebench.checker.report.story import Story
from fencebench.checker.search.replay import Replay

DRAW: dict[str, tuple[str, Callable[[Story], str | bytes]]] = {
    "svg": (".svg", picture.as_svg),
    "png": (".png", picture.as_png),
    "dot": (".dot", picture.as_dot),
    "text": (".txt", picture.as_text),
    "ascii": (".txt", lambda story: picture.as_text(story, ascii_only=True)),
    "mermaid": (".mmd", picture.as_mermaid),
}
EXITS = {"still violates": 1, "fixed": 0, "no longer executable": 3}


def render_trace(path: Path, form: str, output: Path | None, fence: str | None) -> None:
    """Draw a stored trace beside it, or where it is wanted; texts without an output go to standard output."""
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
    place = output or path.with_name(path.name.removesuffix(".json").removesuffix(".itf") + ending)
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
    if form == "json":
        record = {
            "verdict": again.verdict,
            "exit": EXITS[again.verdict],
            "fence": recalled.fence.name,
            "step": again.step,
            "broken": dict(again.broken),
            "answered": [{"step": step, "class": refusal} for step, refusal in again.answered],
        }
        print(json.dumps(record, indent=1))
    else:
        print(answer(recalled, again))
    return EXITS[again.verdict]


@click.command("render", context_settings=HELP)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["svg", "png", "dot", "text", "ascii", "mermaid"]), default="svg")
@click.option("--output", "-o", type=click.Path(path_type=Path), help="default: beside the trace; - is standard output")
@click.option("--fence", help="tell it as this fence answers it (default: the trace's own)")
def render_command(trace: Path, form: str, output: Path | None, fence: str | None) -> None:
    """Draw a stored TRACE."""
    render_trace(trace, form, output, fence)


@click.command(
    "replay",
    context_settings=HELP,
    epilog="Exit codes: 1 still violates, 0 fixed, 3 no longer executable, 2 bad input.",
)
@click.argument("trace", type=click.Path(path_type=Path))
@click.option("--fence", help="replay on this fence (default: the trace's own)")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def replay_command(trace: Path, fence: str | None, form: str) -> None:
    """Replay a stored TRACE: still violates, fixed, or no longer executable at step k."""
    raise SystemExit(replay_trace(trace, fence, form))
