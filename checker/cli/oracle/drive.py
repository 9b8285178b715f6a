"""The command `oracle drive`: drives a process in any language, and judges every answer."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import click

from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.errors import BadInput
from fencebench.checker.files import read_text, write_whole
from fencebench.checker.oracle.drive.drive import Bench, Driven, Fault, asked, drive
from fencebench.checker.oracle.drive.process import answered
from fencebench.checker.oracle.drive.requests import Requests, covering_requests, walked_requests
from fencebench.checker.oracle.log.events import BadLineError, numbered, parse, read_object
from fencebench.checker.oracle.log.ops import OPS
from fencebench.checker.oracle.replay.modes import SOUND, strictly
from fencebench.checker.oracle.replay.render import as_text
from fencebench.model.fences import REFERENCE

SAVED = Path("divergence.jsonl")
WIDEST = 240
EXITS = {"hang": 3, "crash": 1, "garbage": 1}
"""Exit codes of a process that gives no answer: one that is only too slow is undetermined."""


@click.command("drive", context_settings={"ignore_unknown_options": False})
@click.argument("command", nargs=-1, required=True, metavar="-- CMD…", type=click.UNPROCESSED)
@click.option("--fence", help="Strict: drive through runs of this fence, each answer must be its own.")
@click.option("--runs", type=click.IntRange(min=0), default=100, show_default=True, help="Random walks.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the random walks.")
@click.option("--covering/--no-covering", default=True, help="Begin with the runs that take every transition.")
@click.option("--timeout-seconds", type=click.FloatRange(min=0.01), default=10.0, show_default=True, help="An answer.")
@click.option("--save", type=click.Path(path_type=Path), default=SAVED, show_default=True, help="The shrunk run.")
@click.option("--replay", "stored", type=click.Path(path_type=Path), help="Drive only the requests of this file.")
def drive_command(
    command: tuple[str, ...],
    fence: str | None,
    runs: int,
    seed: int,
    covering: bool,
    timeout_seconds: float,
    save: Path,
    stored: Path | None,
) -> None:
    """Drive CMD: it reads one request a line on standard input and answers one a line on standard output.

    A request is a line of the event log without its outcome, an answer is {"outcome": …, "reason": …}; run.open resets.
    Any answer of a sound policy is allowed; with --fence exactly the answers of that fence are. The first run that
    goes wrong is shrunk and saved; the file is an event log and can be driven again with --replay.

    Exit codes: 0 conforms, 1 diverges (or the process crashes or answers garbage), 2 bad input, 3 undetermined (no
    answer in time), 4 vacuous (nothing was granted or committed).
    """
    found = REFERENCE if fence is None else find_fence(fence)
    bench = Bench(command, timeout_seconds, SOUND if fence is None else strictly(found))
    if stored is not None:
        driven = drive(bench, [read_requests(stored)])
    else:
        driven = drive(bench, chain(covering_requests(found) if covering else (), walked_requests(found, runs, seed)))
    click.echo("\n".join(told(driven, bench, save, seed, stored)))
    raise SystemExit(exit_code(driven))


def exit_code(driven: Driven) -> int:
    """Return the exit code of a drive."""
    if driven.fault is None:
        return 0 if driven.met else 4
    if driven.fault.broken is not None:
        return EXITS[driven.fault.broken.how]
    assert driven.fault.verdict is not None
    return 3 if driven.fault.verdict.verdict == "undetermined" else 1


def told(driven: Driven, bench: Bench, save: Path, seed: int, stored: Path | None) -> Iterator[str]:
    """Tell a drive: verdict first; what went wrong is saved."""
    count = f"{driven.runs} runs, {driven.requests} requests, seed {seed}, judged by {bench.mode.name}"
    if driven.fault is None:
        word = "CONFORMS" if driven.met else "VACUOUS (nothing was granted or committed)"
        yield f"{word}  {count}"
        return
    yield from told_fault(driven.fault)
    yield f"found in    run {driven.run}: {count}"
    yield f"shrunk      from {driven.first} to {len(driven.fault.log)} requests in {driven.tries} tries"
    if stored is None:
        write_whole(save, "".join(json.dumps(line) + "\n" for line in driven.fault.log))
        yield f"reproduce   fencebench oracle drive --replay {save} -- {' '.join(bench.command)}"


def told_fault(fault: Fault) -> Iterator[str]:
    """Tell what went wrong."""
    if fault.broken is not None:
        yield f"{fault.broken.how.upper()}  {fault.broken}"
    elif fault.verdict is not None:
        yield as_text(fault.verdict)
        yield from (f"{i:<12}{cut(json.dumps(line))}" for i, line in enumerate(fault.log, 1))


def cut(text: str) -> str:
    """Return what fits a screen of a line; the file has the rest."""
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 1]}…"


def read_requests(path: Path) -> Requests:
    """Read the requests of a saved run, or of any event log of one run; the answers are not needed."""
    requests = []
    try:
        for number, text in numbered(read_text(path).splitlines()):
            raw = read_object(text, number)
            parse(json.dumps({"outcome": "no_reply", **raw} if is_asked(raw) else raw), number)
            requests.append(asked(raw))
    except BadLineError as error:
        raise BadInput(f"{path}: {error}") from None
    if not requests or requests[0]["op"] != "run.open":
        raise BadInput(f"{path}: line 1: expected requests that begin with a run.open")
    return tuple(requests)


def is_asked(raw: dict[str, object]) -> bool:
    """Say whether a line is a request that is answered."""
    return isinstance(raw.get("op"), str) and raw["op"] in OPS and answered(str(raw["op"]))
