"""How a command ends: every end is an exit code and at most one line on standard error."""

import codecs
import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import click

from fencebench.checker.errors import BAD_INPUT, BROKEN, CLOSED, HOLDS, UNDETERMINED, BadInput
from fencebench.model.fence import FenceError
from fencebench.model.machine import BadMachine

PLAIN = {"–": "-", "—": "-", "−": "-", "→": "->", "…": "...", "≤": "<=", "≥": ">=", "×": "x", "│": "|", "─": "-"}
"""How a terminal that knows ASCII alone shows the other signs that texts have; whatever else is a question mark."""


OUTPUT_LOST = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EDQUOT)
"""What goes wrong when an output cannot be written."""


def run_whole(command: Callable[[], object]) -> int:
    """Run a command and write all that it printed; return the exit code."""
    fit_to_terminal()
    try:
        code = ended(command)
        sys.stdout.flush()
    except BrokenPipeError:
        silence()
        return CLOSED
    except OSError as error:
        silence()
        return failed(f"standard output cannot be written ({error.strerror}); name a place that can")
    return code


def ended(command: Callable[[], object]) -> int:
    """Run a command; return its exit code. What a person can mend is told in one line."""
    try:
        command()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else HOLDS
    except (BadInput, FenceError, BadMachine, click.ClickException) as error:
        return told(mendable(error), BAD_INPUT)
    except (KeyboardInterrupt, click.Abort):
        return told("stopped by the keyboard; nothing is decided", UNDETERMINED)
    except click.exceptions.Exit as end:
        return end.exit_code
    except Exception as error:
        if isinstance(error, OSError) and error.errno in OUTPUT_LOST:
            raise
        return failed(f"{type(error).__name__}: {first_line(error)}; {reported(error)}")
    return HOLDS


def mendable(error: BadInput | FenceError | BadMachine | click.ClickException) -> str:
    """Say what a person can mend."""
    if isinstance(error, click.UsageError):
        return f"{error.format_message()} (see fencebench --help)"
    return error.format_message() if isinstance(error, click.ClickException) else str(error)


def told(message: str, code: int) -> int:
    """Tell the one line, and return the exit code."""
    print(f"fencebench: {' '.join(message.split(chr(10)))}", file=sys.stderr)
    return code


def failed(message: str) -> int:
    """Tell that the bench itself failed."""
    return told(f"the bench itself failed, nothing is decided: {message}", BROKEN)


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, not too long."""
    return (str(error).splitlines() or [""])[0][:200]


def reported(error: Exception) -> str:
    """Save the whole report; say where it is."""
    handle, name = tempfile.mkstemp(prefix="fencebench-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(f"{sys.argv}\n{''.join(traceback.format_exception(error))}")
    return f"the report is in {Path(name)}"


def fit_to_terminal() -> None:
    """Let a terminal that does not know a sign show a plain one instead."""
    codecs.register_error("fencebench", plain)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="fencebench")


def plain(error: UnicodeError) -> tuple[str, int]:
    """Replace what an encoding does not know."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(sign, "?") for sign in error.object[error.start : error.end]), error.end


def silence() -> None:
    """Let what is left in the buffer of a broken standard output go nowhere, so that the end says nothing more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
