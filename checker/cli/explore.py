"""The command `explore`: a local page on which a person steps through the model of a fence."""

import socket
from pathlib import Path
from typing import Any

import click

from fencebench.checker.analysis.bounds import Asked, fits_fence
from fencebench.checker.analysis.fences import find_fence
from fencebench.checker.cli.options import HELP, bound_options, bounds_asked
from fencebench.checker.errors import BadInput
from fencebench.checker.explorer.run import Subject
from fencebench.checker.report.stored import recall

LOOPBACK = "127.0.0.1"


def subject_of(name: str, wanted: Asked) -> Subject:
    """Return a fence under the first of the bounds."""
    fence = find_fence(name)
    fits_fence(fence, wanted)
    return Subject(fence, wanted.bounds[0], wanted.settings)


def run_explore(fence: str, beside: str | None, trace: Path | None, port: int, **options: Any) -> int:
    """Serve until the keyboard stops it.

    Raises:
        BadInput: the extra is not installed, or the port is taken.
    """
    try:
        import uvicorn

        from fencebench.checker.explorer.place import written
        from fencebench.checker.explorer.server import Explorer
    except ImportError as error:
        raise BadInput(f"explore needs {error.name}; pip install 'fencebench[explore]'") from None
    wanted = bounds_asked(options)
    subject, start = subject_of(fence, wanted), ""
    if trace:
        recalled = recall(trace, None if fence == "reference" else fence)
        subject = Subject(recalled.fence, recalled.bound, recalled.settings)
        start = written(subject.desk.along(step for step, _ in recalled.trace.steps).choices)
    other = Subject(find_fence(beside), subject.bound, subject.settings) if beside else None
    explorer = Explorer(subject, other, start)
    with bound(port) as taken:
        print(f"http://{LOOPBACK}:{taken.getsockname()[1]}{explorer.first}", flush=True)
        server = uvicorn.Server(uvicorn.Config(explorer.app(), log_level="error", lifespan="off"))
        server.run(sockets=[taken])
    explorer.searches.stop()
    return 0


def bound(port: int) -> socket.socket:
    """Return a socket of this machine alone, of any free port if that is 0.

    Raises:
        BadInput: the port is taken.
    """
    opened = socket.socket()
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((LOOPBACK, port))
        opened.listen()
    except OSError as error:
        opened.close()
        raise BadInput(f"--port {port} cannot be used ({error.strerror}); name another, or 0 for any") from None
    return opened


@click.command("explore", context_settings=HELP)
@click.argument("fence", default="reference")
@click.option("--with", "beside", metavar="OTHER", help="another fence: where does it answer otherwise?")
@click.option("--trace", type=click.Path(path_type=Path), help="begin at the end of a stored trace")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="default: any that is free")
@bound_options
def explore_command(**options: Any) -> None:
    """Step through the model of a FENCE in a browser: every choice, its answer, what it would break.

    Prints an address of this machine alone. Ctrl-C ends it.
    """
    raise SystemExit(run_explore(**options))
