"""Progress of walks on standard error: live on a terminal, a line a minute elsewhere."""

import sys
import time
from dataclasses import dataclass, field


@dataclass
class Progress:
    """Tells how far the walks of a fence are; `due` is the time of the next line."""

    label: str
    quiet: bool = False
    started: float = field(default_factory=time.monotonic)
    due: float = 0.0

    def __post_init__(self) -> None:
        self.live = sys.stderr.isatty()
        self.pause_seconds = 0.5 if self.live else 60.0
        self.due = self.due or self.started + self.pause_seconds

    def tell(self, walks: int, steps: int, broken: int) -> None:
        """Tell, if it is time."""
        now = time.monotonic()
        if self.quiet or now < self.due:
            return
        self.due = now + self.pause_seconds
        rate = steps / max(now - self.started, 1e-9)
        line = f"{self.label}: {walks:,} walks, {steps:,} steps, {rate:,.0f} steps/s, {broken} promises broken"
        print(f"\r\x1b[K{line}" if self.live else line, end="" if self.live else "\n", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Take the live line away."""
        if self.live and not self.quiet:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
