"""Progress on standard error, and the keyboard: a live line on a terminal, a line a minute elsewhere."""

import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple

from fencebench.checker.answered.respondent import Respondent, unwatched
from fencebench.checker.search.limits import Watch
from fencebench.model.fence import Fence


class Sight(NamedTuple):
    """How far a search was at a moment: states reached and waiting, and the time."""

    states: int
    waiting: int
    seconds: float


class Progress:
    """What is told of one search while it runs."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.last = self.peak = Sight(0, 0, time.monotonic())

    def line(self, states: int, waiting: int, depth: int) -> str:
        """Describe where the search is, with the rate since the last time."""
        now = Sight(states, waiting, time.monotonic())
        rate = (states - self.last.states) / max(now.seconds - self.last.seconds, 1e-9)
        share = self.share(now)
        parts = [
            f"{self.label}: depth {depth}",
            f"{states:,} states",
            f"{max(rate, 0):,.0f} states/s",
            f"frontier {waiting:,}",
            f"memory {peak_bytes() / (1 << 30):.2f} GiB",
            *([] if share is None else [f"about {share:.0%} done"]),
        ]
        self.last = now
        return ", ".join(parts)

    def share(self, now: Sight) -> float | None:
        """Estimate the share of the states that is reached, once the frontier has shrunk to half its largest.

        A frontier grows as long as new faults strike and shrinks after the last. The states found for each one that
        it shrank by are taken to be found for each one still in it.
        """
        if now.waiting >= self.peak.waiting or now.states < self.peak.states:
            self.peak = now
        if 2 * now.waiting > self.peak.waiting or not self.peak.waiting:  # some searches count none that wait
            return None
        pace = (now.states - self.peak.states) / (self.peak.waiting - now.waiting)
        return now.states / (now.states + pace * now.waiting)


def peak_bytes() -> int:
    """Return the most memory that this process has taken so far."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most << 10


def watcher(label: str, every_seconds: float | None = None) -> Watch:
    """Return a watch for an explorer; `every_seconds` None means by what standard error is."""
    live = sys.stderr.isatty()
    pause = every_seconds if every_seconds is not None else (0.5 if live else 60.0)
    due = time.monotonic() + (1.0 if live else pause)
    progress = Progress(label)

    def watch(states: int, waiting: int, depth: int) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + pause
            line = progress.line(states, waiting, depth)
            print(f"\r\x1b[K{line}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)

    return watch


def teller() -> Callable[[str], None]:
    """Return what tells where a computation is: on a terminal at once, elsewhere a line a minute."""
    live, due = sys.stderr.isatty(), time.monotonic() + 60

    def tell(text: str) -> None:
        nonlocal due
        if live:
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() >= due:
            due = time.monotonic() + 60
            print(text, file=sys.stderr, flush=True)

    return tell


def clear() -> None:
    """Take the live line away."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def shown() -> Iterator[Callable[[str], Watch]]:
    """Give a maker of watches whose live line is taken away in the end."""
    try:
        yield watcher
    finally:
        clear()


@contextmanager
def interruptible(watch: Watch) -> Iterator[Watch]:
    """Give a watch that stops the search where its counts are whole once Ctrl-C is pressed; twice stops at once."""
    pressed = False

    def press(_number: int, _frame: FrameType | None) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    def patient(states: int, waiting: int, depth: int) -> None:
        watch(states, waiting, depth)
        if pressed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, press)
    try:
        yield patient
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def asking(fence: Fence, every_seconds: float = 10.0) -> Iterator[None]:
    """Tell how many questions are answered by whoever answers boundaries of a fence, while a search goes on."""
    due = time.monotonic() + every_seconds

    def tell(who: Respondent) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + every_seconds
            print(who.pace, file=sys.stderr, flush=True)

    answered = [who for _, who in fence.answered if isinstance(who, Respondent)]
    for who in answered:
        who.watch = tell
    try:
        yield
    finally:
        for who in answered:
            who.watch = unwatched
