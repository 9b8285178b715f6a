"""A boundary answered by a process, or by an HTTP service on loopback: the drive protocol, and `state.load` before it.

A question is two lines: `state.load` with the rows of `Tables`, then the request as `oracle drive` would send it. What
the process writes is its own; `oracle drive` judges that.
"""

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlsplit

from fencebench.checker.answered.respondent import Reply, Unanswered, understood
from fencebench.checker.answered.rows import Question
from fencebench.checker.oracle.drive.process import Broken, Process
from fencebench.model.fence import FenceError, Refusal

OPS = {
    "reserve": "ledger.reserve",
    "resume": "ckpt.resume",
    "call": "model.call",
    "write": "lease.check",
    "put": "store.put",
    "commit": "ledger.commit",
    "consume": "row.accept",
    "publish": "report.print",
}
"""The op of a request at each boundary; `lease.check` is the worker's look at its own clock before it writes."""

ACCEPTS = {
    "reserve": ("reserved", "granted"),
    "resume": ("resumed", "restarted", "ok"),
    "call": ("ok",),
    "write": ("ok",),
    "put": ("created",),
    "commit": ("committed", "ok"),
    "consume": ("accepted", "consumed"),
    "publish": ("printed",),
}
"""The words of a yes."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")


def load_line(question: Question) -> dict[str, Any]:
    """Return the line that sets the state of a question."""
    rows = {kind: [vars(row) for row in found] for kind, found in question.before._asdict().items()}
    return {"t": question.view.now_seconds, "op": "state.load", "run": question.view.run.run, **rows}


def request_line(question: Question) -> dict[str, Any]:
    """Return the line of the request; what the boundary is not told is absent."""
    told = {name: value for name, value in vars(question.request).items() if value is not None}
    clock = {"clock_of_actor": told.pop("client_now_seconds")} if "client_now_seconds" in told else {}
    return {"t": question.view.now_seconds, "op": OPS[question.boundary], **told, **clock}


def answer_of(question: Question, found: object, words: Mapping[Any, str]) -> Refusal | None:
    """Return what an answer line means.

    Raises:
        Unanswered: it is no answer.
    """
    if not isinstance(found, dict) or not isinstance(found.get("outcome"), str):
        raise Unanswered(f'expected {{"outcome": …}} on one line, found {json.dumps(found)[:80]}')
    outcome = found["outcome"]
    if outcome == "refused":
        return understood(found.get("reason"), words) or refused_without_class()
    yes = ACCEPTS[question.boundary]
    return understood(outcome, {**dict.fromkeys(yes, "yes"), **words})


def refused_without_class() -> Refusal:
    """Refuse an answer that refuses and says not why."""
    raise Unanswered('answered "refused" without a class as its "reason"')


@dataclass
class Remote:
    """Somebody behind a line protocol; each thread has a line of its own."""

    name: str
    place: tuple[str, ...]
    timeout_seconds: float = 5.0
    jobs: int = 4
    words: Mapping[Any, str] = field(default_factory=dict)
    writes: bool = False
    lines: threading.local = field(default_factory=threading.local, repr=False)

    @property
    def kind(self) -> str:
        """What is behind the line."""
        return "service" if self.place[0].startswith("http://") else "process"

    def line(self) -> "Stdio | Http":
        """Return this thread's line."""
        if not hasattr(self.lines, "line"):
            self.lines.line = (Http if self.kind == "service" else Stdio)(self.place, self.timeout_seconds)
        found: Stdio | Http = self.lines.line
        return found

    def ask(self, question: Question) -> Reply:
        """Load the state, then ask."""
        load, request = load_line(question), request_line(question)
        try:
            loaded = self.line().send(load)
            found = self.line().send(request)
        except Broken as error:
            vars(self.lines).pop("line").end()
            raise Unanswered(f"gave no answer: {error}") from error
        if not isinstance(loaded, dict) or loaded.get("outcome") != "ok":
            raise Unanswered(f'expected {{"outcome": "ok"}} to state.load, found {json.dumps(loaded)[:80]}')
        shown = (self.name, "is sent", "", json.dumps(request)), (self.name, "after", "", json.dumps(load))
        return Reply(answer_of(question, found, self.words), (*shown, (self.name, "says", "", json.dumps(found))))


class Stdio:
    """A process; it is ended with this one."""

    def __init__(self, place: tuple[str, ...], timeout_seconds: float) -> None:
        self.process = Process(place, timeout_seconds)

    def send(self, line: dict[str, Any]) -> object:
        """Send a line and return the answer.

        Raises:
            Broken: there is none that is JSON.
        """
        text = json.dumps(line)
        try:
            self.process.send(text.encode() + b"\n")
        except BrokenPipeError:
            self.process.crashed(line["op"])
        return parsed(self.process.line(line["op"]))

    def end(self) -> None:
        """End the process."""
        self.process.end()

    def __del__(self) -> None:
        if hasattr(self, "process"):
            self.end()


class Http:
    """A service: each line is the body of a POST."""

    def __init__(self, place: tuple[str, ...], timeout_seconds: float) -> None:
        url = urlsplit(place[0])
        self.path = url.path or "/"
        self.base = HTTPConnection(url.hostname or "", url.port or 80, timeout=timeout_seconds)

    def send(self, line: dict[str, Any]) -> object:
        """Send a line and return the answer.

        Raises:
            Broken: there is none that is JSON.
        """
        try:
            self.base.request("POST", self.path, json.dumps(line), {"Content-Type": "application/json"})
            answer = self.base.getresponse()
            body = answer.read()
        except TimeoutError:
            raise Broken("hang", f"no answer in time to {line['op']}") from None
        except (OSError, HTTPException) as error:
            raise Broken("crash", f"{type(error).__name__} {error}, asked {line['op']}") from None
        return parsed(body)

    def end(self) -> None:
        """Close the connection."""
        self.base.close()


def parsed(raw: bytes) -> object:
    """Return an answer line as what it says.

    Raises:
        Broken: it is no JSON.
    """
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        raise Broken("garbage", f"expected JSON, found {raw[:80]!r}") from None


def process(*command: str, name: str = "", timeout_seconds: float = 5.0, jobs: int = 4) -> Remote:
    """Return a process that can answer a boundary: it reads a request a line, and answers one a line.

    Raises:
        FenceError: no command is given.
    """
    if not command:
        raise FenceError("process: expected a command, such as process('node', 'handler.mjs')")
    return Remote(name or command[-1].rpartition("/")[2], command, timeout_seconds, jobs)


def service(url: str, name: str = "service", timeout_seconds: float = 5.0, jobs: int = 4) -> Remote:
    """Return an HTTP service that can answer a boundary; it must be on loopback, as its state is overwritten.

    Raises:
        FenceError: it is elsewhere.
    """
    host = urlsplit(url).hostname
    if not url.startswith("http://") or host not in LOOPBACK:
        raise FenceError(
            f"service {url}: expected http:// on {', '.join(LOOPBACK)}, as state.load overwrites its state"
        )
    return Remote(name, (url,), timeout_seconds, jobs)
