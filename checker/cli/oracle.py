"""Commands of the oracle: replay a log, check a concurrent history."""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.files import write_whole
from fencebench.checker.cli.drive import drive_command
from fencebench.checker.oracle.log.events import BadLineError
from fencebench.checker.oracle.history.linearize import EXITS, linearize
from fencebench.checker.oracle.replay.modes import SOUND, Mode, strictly
from fencebench.checker.oracle.replay.render import as_json, as_text, linearized_text
from fencebench.checker.oracle.replay.replay import Verdict, exit_code, first_divergence, replay
from fencebench.checker.oracle.history.search import LIMIT
from fencebench.checker.oracle.log.streams import STDIN, followed, lines_of
from fencebench.checker.cli.vectors import vectors_command
from fencebench.checker.report.story import Story


class BadInput(click.ClickException):  # click's own name for it
    """Bad input: one line on standard error and exit code 2."""

    exit_code = 2


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
        raise BadInput(f"{source}: {error}") from None
    except OSError as error:
        raise BadInput(f"{source}: cannot be read ({error.strerror})") from None


@oracle.command("replay")
@click.argument("log", metavar="LOG")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--follow", is_flag=True, help="Keep reading a growing log; stop at the first divergence.")
@click.option("--fence", help="Strict: each answer must be the one that this fence gives.")
@click.option(
    "--picture", type=click.Path(path_type=Path), help="Draw the run up to the divergence (.svg, .png, .txt)."
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
    click.echo(as_json(verdict) if form == "json" else as_text(verdict))
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

    forms: dict[str, Callable[[Story], str | bytes]] = {
        ".svg": picture.as_svg,
        ".png": picture.as_png,
        ".dot": picture.as_dot,
        ".txt": picture.as_text,
    }
    if path.suffix not in forms:
        raise BadInput(f"{path}: expected a name that ends in {', '.join(forms)}")
    if verdict.line is not None:
        write_whole(path, forms[path.suffix](story_of_log(lines, verdict)))


@oracle.command("linearize")
@click.argument("history", metavar="HISTORY")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="Configurations a part.")
def linearize_command(history: str, form: str, limit: int) -> None:
    """Judge HISTORY, a concurrent history (JSON Lines; - reads standard input), by the sequential ledger and store.

    Exit codes: 0 linearizable, 1 not linearizable, 2 bad input, 3 undetermined (the limit was hit), 4 vacuous.
    """
    with one_line_errors(history):
        found = linearize(lines_of(history), history, limit)
    click.echo(as_json(found) if form == "json" else linearized_text(found))
    raise SystemExit(EXITS[found.verdict])


oracle.add_command(vectors_command)
oracle.add_command(drive_command)
