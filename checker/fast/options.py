"""What the fast explorer can be told."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """How to search. None of it changes a verdict or a story; `symmetry` changes the counts.

    `small_states` is the number of states up to which plain Python integers serve, before arrays take over. In large
    buckets so many `threads` work. `max_bytes` caps the memory for the words of states (the tables come on top); what
    exceeds it goes to files in `spill`, or the search stops. `checkpoint` is a file to save the search in, at most
    every `checkpoint_seconds`; `resume` says to go on from it. `key` tells machine and bound apart from all others.
    """

    symmetry: bool = True
    small_states: int = 3_000
    threads: int = 2
    max_bytes: int | None = None
    spill: Path | None = None
    checkpoint: Path | None = None
    checkpoint_seconds: float = 60
    resume: bool = False
    key: str = ""
