"""Commands of the oracle: replay a log, check a concurrent history."""

import gc
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.oracle.drive import drive_command
from fencebench.checker.cli.oracle.vectors import vectors_command
from fencebench.checker.errors import BadInput
from fencebench.checker.files import write_whole
from fencebench.checker.oracle.history import picture as history_picture
from fencebench.checker.oracle.history import render as history_render
from fencebench.checker.oracle.history.linearize import EXITS, Linearized, linearize, linearize_growing
from fencebench.checker.oracle.history.search import LIMIT
from fencebench.checker.oracle.log.events import BadLineError
from fencebench.checker.oracle.log.streams import STDIN, followed, lines_of
from fencebench.checker.oracle.log.text import printable
from fencebench.checker.oracle.replay.modes import SOUND, Mode, strictly
from fencebench.checker.oracle.replay.render import as_json, as_text
from fencebench.checker.oracle.replay.replay import Verdict, exit_code, first_divergence, replay
from fencebench.checker.report.story import Story


@click.group()
def oracle() -> None:
    """Judge what another implementation answered.

    Exit codes: 0 conforms, 1 diverges, 2 bad input, 3 undetermined, 4 vacuous (nothing was granted or committed).
    """


@contextmanager
def one_line_errors(source: str) -> Iterator[None]:
    """Turn what is wrong with an input into one line that names it."""
    try:
        yield
    except BadLineError as error:
        raise BadInput(printable(f"{source}: {error}")) from None
    except OSError as error:
        raise BadInput(f"{source}: cannot be read ({error.strerror}); name a file that can") from None


@oracle.command("replay")
@click.argument("log", metavar="LOG")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--follow", is_flag=True, help="Keep reading a growing log; stop at the first divergence.")
@click.option("--fence", help="Strict: each answer must be the one that this fence gives, and one that is sound.")
@click.option(
    "--picture",
    type=click.Path(path_type=Path),
    help="Draw the run up to the divergence (.svg, .png, .dot, .txt, .html).",
)
@click.option("--idle", type=click.FloatRange(min=0), help="With --follow: stop after so many seconds without a line.")
def replay_command(
    log: str, form: str, follow: bool, idle: float | None, fence: str | None, picture: Path | None
) -> None:
    """Judge LOG, an event log of version 1 (JSON Lines; - reads standard input).

    Any answer of a sound policy is allowed; with --fence exactly the answers of that fence are.

    Tells the first line that diverges, and which later lines only follow from it.

    Exit codes: 0 conforms, 1 diverges, 2 bad input, 3 undetermined, 4 vacuous (nothing was granted or committed).
    """
    gc.disable()  # a replay makes no cycles, and collecting over 10,000 open shards costs a quarter of its time
    try:
        with one_line_errors(log):
            mode = SOUND if fence is None else strictly(find_fence(fence))
            lines = kept(lines_of(log)) if picture is not None and log == STDIN else lines_of(log)
            verdict = _followed(log, idle, mode) if follow else replay(lines, log, mode)
            if picture is not None:
                draw(picture, lines if log == STDIN else lines_of(log), verdict)
    finally:
        gc.enable()
    click.echo(printable(as_json(verdict) if form == "json" else as_text(verdict)))
    raise SystemExit(exit_code(verdict))


def _followed(log: str, idle: float | None, mode: Mode) -> Verdict:
    if log == STDIN:
        return first_divergence(lines_of(log), log, mode)
    with Path(log).open("rb") as file:
        return first_divergence(followed(file, idle), log, mode)


def kept(lines: Iterable[bytes]) -> list[bytes]:
    """Keep the lines of a stream that is read twice: judged, then drawn."""
    return list(lines)


def draw(path: Path, lines: Iterable[bytes], verdict: Verdict) -> None:
    """Draw the run up to its divergence."""
    from fencebench.checker.oracle.replay.story import story_of_log
    from fencebench.checker.report import picture
    from fencebench.checker.report.html.page import as_html
    from fencebench.checker.report.html.pages import of_story

    forms: dict[str, Callable[[Story], str | bytes]] = {
        ".svg": picture.as_svg,
        ".png": picture.as_png,
        ".dot": picture.as_dot,
        ".txt": picture.as_text,
        ".html": lambda story: as_html(of_story(story, verdict.verdict, verdict.line is None)),
    }
    if path.suffix not in forms:
        raise BadInput(f"{path}: expected a name that ends in {', '.join(forms)}")
    if verdict.line is not None:
        write_whole(path, forms[path.suffix](story_of_log(lines, verdict)))


@oracle.command("linearize")
@click.argument("history", metavar="HISTORY")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Configurations a part.")
@click.option("--picture", type=click.Path(path_type=Path), help="Draw the smallest part that fails (.svg, .txt).")
@click.option("--follow", is_flag=True, help="Keep reading a growing history; stop when a call cannot be placed.")
@click.option("--idle", type=click.FloatRange(min=0), help="With --follow: stop after so many seconds without a line.")
def linearize_command(
    history: str, form: str, limit: int, picture: Path | None, follow: bool, idle: float | None
) -> None:
    """Judge HISTORY, a concurrent history (JSON Lines; - reads standard input), by the sequential ledger and store.

    What cannot be placed is told by the smallest part of the history that already fails.

    Exit codes: 0 linearizable, 1 not linearizable, 2 bad input, 3 undetermined (the limit was hit), 4 vacuous.
    """
    with one_line_errors(history):
        found = _grown(history, idle, limit) if follow else linearize(lines_of(history), history, limit)
    if picture is not None:
        draw_history(picture, found)
    click.echo(printable(as_json(found) if form == "json" else history_render.as_text(found)))
    raise SystemExit(EXITS[found.verdict])


def _grown(history: str, idle: float | None, limit: int) -> Linearized:
    if history == STDIN:
        return linearize_growing(lines_of(history), history, limit, time.monotonic)
    with Path(history).open("rb") as file:
        return linearize_growing(followed(file, idle), history, limit, time.monotonic)


def draw_history(path: Path, found: Linearized) -> None:
    """Draw the smallest part of a history that fails."""
    if path.suffix not in (".svg", ".txt"):
        raise BadInput(f"{path}: expected a name that ends in .svg, .txt")
    if found.line is None:
        return
    title = history_render.headline(found)
    lines = "\n".join([title, *history_picture.as_text(found.smallest), ""])
    write_whole(path, history_picture.as_svg(found.smallest, title) if path.suffix == ".svg" else printable(lines))


oracle.add_command(vectors_command)
oracle.add_command(drive_command)
