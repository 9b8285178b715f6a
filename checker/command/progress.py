"""Progress on standard error: live on a terminal, a line a minute elsewhere, nothing where it is quickly over."""

import sys
import time
from collections.abc import Callable


def watcher(label: str, every_seconds: float | None = None) -> Callable[[int, int, int], None]:
    """Return a watch for an explorer; `every_seconds` None means by what standard error is."""
    live = sys.stderr.isatty()
    pause = every_seconds if every_seconds is not None else (0.5 if live else 60.0)
    started = time.monotonic()
    due = started + (1.0 if live else pause)

    def watch(states: int, waiting: int, depth: int) -> None:
        nonlocal due
        if states % 256 and states > 1:
            return
        now = time.monotonic()
        if now >= due:
            due = now + pause
            rate = states / max(now - started, 1e-9)
            line = f"{label}: {states:,} states, {waiting:,} waiting, depth {depth}, {rate:,.0f} states/s"
            print(f"\r\x1b[K{line}" if live else line, end="" if live else "\n", file=sys.stderr, flush=True)

    return watch


def clear() -> None:
    """Take the live line away."""
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)
