"""Drives a process through runs and judges every answer; shrinks the first run that goes wrong."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from fencebench.checker.oracle.drive.process import Broken, Process
from fencebench.checker.oracle.drive.requests import Request, Requests, atoms
from fencebench.checker.oracle.replay.modes import Mode
from fencebench.checker.oracle.replay.replay import Verdict, first_divergence

MOST_TRIES: Final = 400
FEW_TRIES: Final = 20
"""Restarts of the process while a run is shrunk, and while one is that hangs."""


class Fault(NamedTuple):
    """What went wrong in a run: a divergence, or a process that hangs, crashes or answers garbage.

    `kind` says when two runs go wrong in the same way; `log` is the run up to there, with its answers.
    """

    kind: tuple[str, ...]
    log: tuple[dict[str, Any], ...]
    verdict: Verdict | None = None
    broken: Broken | None = None


class Ran(NamedTuple):
    """A run that was driven: what went wrong, or nothing; and whether anything was granted or committed."""

    fault: Fault | None
    met: bool


@dataclass(frozen=True)
class Driven:
    """A whole drive. `tries` counts the restarts that shrinking took, `first` the requests of the run as it was."""

    runs: int
    requests: int
    met: bool
    fault: Fault | None = None
    run: int | None = None
    first: int = 0
    tries: int = 0


@dataclass(frozen=True)
class Bench:
    """The process to drive and how it is judged."""

    command: tuple[str, ...]
    timeout_seconds: float
    mode: Mode

    def process(self, quiet: bool = False) -> Process:
        """Start the process."""
        return Process(self.command, self.timeout_seconds, quiet)

    def run(self, process: Process, requests: Requests) -> Ran:
        """Drive one run up to what goes wrong."""
        log: list[dict[str, Any]] = []
        try:
            for request in requests:
                log.append(request)
                log[-1] = {**request, **process.ask(request)}
        except Broken as broken:
            return Ran(Fault((broken.how, log[-1]["op"]), tuple(log), broken=broken), False)
        return self.judged(log)

    def judged(self, log: list[dict[str, Any]]) -> Ran:
        """Judge a run that was answered to its end."""
        verdict = first_divergence([json.dumps(line) for line in log], "drive", self.mode)
        if verdict.line is None:
            return Ran(None, verdict.verdict == "conforms" and any(map(took_effect, log)))
        kind = (verdict.op or "", verdict.rule or "")
        return Ran(Fault(kind, tuple(log[: verdict.line]), verdict=verdict), True)

    def again(self, requests: Requests) -> Fault | None:
        """Drive one run with a fresh process."""
        with self.process(quiet=True) as process:
            return self.run(process, requests).fault


def took_effect(line: dict[str, Any]) -> bool:
    """Say whether a line is a grant or a commit that was accepted."""
    return line["op"] in ("lease.grant", "ledger.commit") and line.get("outcome") in ("granted", "committed", "ok")


def drive(bench: Bench, runs: Iterable[Requests], watch: Callable[[int], None] = lambda _: None) -> Driven:
    """Drive runs with one process until one goes wrong, then shrink that one."""
    count = requests = 0
    met = False
    with bench.process() as process:
        for run in runs:
            count, requests = count + 1, requests + len(run)
            watch(count)
            ran = bench.run(process, run)
            met = met or ran.met
            if ran.fault is not None:
                break
        else:
            return Driven(count, requests, met)
    smallest = shrunk(bench, ran.fault)
    return Driven(count, requests, True, smallest.fault, count, len(ran.fault.log), smallest.tries)


@dataclass
class Smallest:
    """The smallest run so far that goes wrong in the same way."""

    fault: Fault
    tries: int = 0

    def requests(self) -> Requests:
        """Return its requests, without the answers."""
        return tuple(asked(line) for line in self.fault.log)

    @property
    def exhausted(self) -> bool:
        """Say whether enough was tried; a run that hangs costs its whole time each try."""
        hangs = self.fault.broken is not None and self.fault.broken.how == "hang"
        return self.tries >= (FEW_TRIES if hangs else MOST_TRIES)


def shrunk(bench: Bench, fault: Fault) -> Smallest:
    """Return the same fault on a run from which no piece can be left out.

    A fault that a fresh process does not show on this run alone stays as it is.
    """
    smallest = Smallest(fault)
    for smaller in candidates(smallest.requests):
        if smallest.exhausted:
            break
        smallest.tries += 1
        found = bench.again(smaller)
        if found is not None and found.kind == fault.kind:
            smallest.fault = found
    return smallest


def asked(line: dict[str, Any]) -> Request:
    """Return a line without its answer."""
    return {name: value for name, value in line.items() if name not in ("outcome", "reason", "applied", "counted")}


def candidates(now: Callable[[], Requests]) -> Iterator[Requests]:
    """Yield runs to try: the whole, then with ever smaller pieces left out (delta debugging).

    `now` is the smallest run so far; the first request, which opens the run, and the last, which fails, stay.
    """
    yield now()
    size = max(1, (len(atoms(now())) - 2) // 2)
    while True:
        start, before = 1, len(now())
        while start < len(atoms(now())) - 1:
            pieces = atoms(now())
            rest = pieces[: max(start, 0)] + pieces[min(start + size, len(pieces) - 1) :]
            yield tuple(request for piece in rest for request in piece)
            start += size if len(atoms(now())) == len(pieces) else 0
        if size == 1 and len(now()) == before:
            return
        size = max(1, size // 2)
