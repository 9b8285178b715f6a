"""A process under test: one request a line on its standard input, one answer a line on its standard output."""

import json
import os
import selectors
import signal
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from fencebench.checker.errors import BadInput
from fencebench.checker.oracle.log.ops import OPS, shown

LONGEST_ANSWER_BYTES: Final = 1 << 20


class Broken(Exception):
    """The process gave no answer that can be judged; `how` is hang, crash or garbage, the message one line."""

    def __init__(self, how: str, text: str) -> None:
        super().__init__(text)
        self.how = how


@dataclass
class Process:
    """A running process, in a group of its own so that it can be ended with whatever it started.

    What it writes to standard error is passed on, unless it is to be `quiet`.
    """

    command: tuple[str, ...]
    timeout_seconds: float
    quiet: bool = False
    child: "subprocess.Popen[bytes]" = field(init=False)
    buffer: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        try:
            self.child = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL if self.quiet else None,
                start_new_session=True,
            )
        except OSError as error:
            raise BadInput(f"{self.command[0]}: cannot be started ({error.strerror})") from None

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """End the process and its group, and wait for it."""
        if self.child.poll() is None:
            os.killpg(self.child.pid, signal.SIGKILL)
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written has no reader any more
                    pipe.close()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and return the answer.

        Raises:
            Broken: the process hangs, has crashed, or answers with what is no answer.
        """
        text = json.dumps(request)
        try:
            self.send(text.encode() + b"\n")
        except BrokenPipeError:
            self.crashed(text)
        return checked(request, self.line(text))

    def send(self, data: bytes) -> None:
        """Write a whole line."""
        assert self.child.stdin is not None
        self.child.stdin.write(data)
        self.child.stdin.flush()

    def line(self, asked: str) -> bytes:
        """Return the next line of the process, waiting at most the time it has."""
        assert self.child.stdout is not None
        end = time.monotonic() + self.timeout_seconds
        with selectors.DefaultSelector() as ready:
            ready.register(self.child.stdout, selectors.EVENT_READ)
            while b"\n" not in self.buffer:
                if not ready.select(max(0.0, end - time.monotonic())):
                    raise Broken("hang", f"no answer within {self.timeout_seconds:g} s to {asked}")
                piece = os.read(self.child.stdout.fileno(), 1 << 16)
                if not piece:
                    self.crashed(asked)
                self.buffer += piece
                if len(self.buffer) > LONGEST_ANSWER_BYTES:
                    raise Broken("garbage", f"an answer of more than {LONGEST_ANSWER_BYTES} bytes to {asked}")
        answer, _, rest = bytes(self.buffer).partition(b"\n")
        self.buffer[:] = rest
        return answer

    def crashed(self, asked: str) -> NoReturn:
        """Report that the process is gone."""
        try:
            code = self.child.wait(self.timeout_seconds)
        except subprocess.TimeoutExpired:
            raise Broken("crash", f"the process closed its output and still runs, asked {asked}") from None
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        raise Broken("crash", f"the process ended {how}, asked {asked}")


def checked(request: dict[str, Any], raw: bytes) -> dict[str, Any]:
    """Return the outcome and the reason of an answer line, or raise `Broken`."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        text = shown(raw.decode(errors="replace"))
        raise Broken("garbage", f"expected one JSON object, found {text}, asked {json.dumps(request)}")
    if not answered(request["op"]):
        return {}
    outcome, reason = found.get("outcome"), found.get("reason")
    if not known(request["op"], outcome) or not isinstance(reason, str | None):
        op = OPS[request["op"]]
        words = ", ".join((*op.accepts, *op.observes, "refused"))
        wrong = f"expected an outcome of {words} or a class, found {shown(found)}"
        raise Broken("garbage", f"{wrong}, asked {json.dumps(request)}")
    extra = {"counted": found["counted"]} if isinstance(found.get("counted"), bool) else {}
    return {"outcome": outcome, **({"reason": reason} if reason is not None else {}), **extra}


def answered(op: str) -> bool:
    """Say whether an outcome is expected for an op; others are told, and any object will do."""
    return bool(OPS[op].accepts or OPS[op].observes)


def known(op: str, outcome: object) -> bool:
    """Say whether a word is an answer to an op."""
    words = (*OPS[op].accepts, *OPS[op].observes, "refused", "no_reply")
    return isinstance(outcome, str) and (outcome in words or outcome.isupper())
