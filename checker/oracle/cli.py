"""Commands of the oracle: replay a log, check a concurrent history."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from checker.oracle.events import BadLineError
from checker.oracle.linearize import EXITS, linearize
from checker.oracle.render import as_json, as_text, linearized_text
from checker.oracle.replay import Verdict, exit_code, first_divergence, replay
from checker.oracle.search import LIMIT
from checker.oracle.streams import STDIN, followed, lines_of


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
@click.option("--idle", type=click.FloatRange(min=0), help="With --follow: stop after so many seconds without a line.")
def replay_command(log: str, form: str, follow: bool, idle: float | None) -> None:
    """Judge LOG, an event log of version 1 (JSON Lines; - reads standard input), under any sound policy.

    Tells the first line that diverges, and which later lines only follow from it.

    Exit codes: 0 conforms, 1 diverges, 2 bad input, 3 undetermined, 4 vacuous (nothing was granted or committed).
    """
    gc.disable()  # a replay makes no cycles, and collecting over 10,000 open shards costs a quarter of its time
    try:
        with one_line_errors(log):
            verdict = _followed(log, idle) if follow else replay(lines_of(log), log)
    finally:
        gc.enable()
    click.echo(as_json(verdict) if form == "json" else as_text(verdict))
    raise SystemExit(exit_code(verdict))


def _followed(log: str, idle: float | None) -> Verdict:
    if log == STDIN:
        return first_divergence(lines_of(log), log)
    with Path(log).open("rb") as file:
        return first_divergence(followed(file, idle), log)


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
