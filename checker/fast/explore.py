"""The fast explorer: the plain one's answers, from tables of numbers."""

from dataclasses import dataclass
from pathlib import Path

from checker.result import Limits, Result
from model.machine import Machine

from .clock import Clock, Watch
from .outcome import Outcome, result
from .small import SmallSearch
from .tables import Tables

UNLIMITED = Limits()


@dataclass(frozen=True)
class Options:
    """How to search. None of it changes a verdict or a story; `symmetry` changes the counts.

    `small_states` is the number of states up to which plain Python integers serve, before arrays take over. In large
    buckets so many `threads` work. `max_bytes` caps the memory for the words of states (the tables come on top); what
    exceeds it goes to files in `spill`, or the search stops. `checkpoint` is a file to save the search in, at most
    every `checkpoint_seconds`; `resume` says to go on from it. `key` tells machine and bound apart from all others.
    """

    symmetry: bool = True
    small_states: int = 30_000
    threads: int = 2
    max_bytes: int | None = None
    spill: Path | None = None
    checkpoint: Path | None = None
    checkpoint_seconds: float = 60
    resume: bool = False
    key: str = ""


DEFAULT = Options()


def explore(
    machine: Machine, limits: Limits = UNLIMITED, watch: Watch = lambda *_: None, options: Options = DEFAULT
) -> Result:
    """Search every reachable state; stop early only where a limit says so."""
    clock = Clock(limits, watch)
    symmetry = options.symmetry and len(machine.initial.units) > 1
    outcome = search(machine, clock, symmetry, options)
    notes = (f"symmetry of {len(machine.initial.units)} units",) if symmetry else ()
    return result(machine, outcome, clock, notes)


def search(machine: Machine, clock: Clock, symmetry: bool, options: Options) -> Outcome:
    """Search on integers, and on arrays if that does not end soon or has to go on from a checkpoint."""
    if not options.resume:
        outcome = SmallSearch(Tables(machine), clock, symmetry).run(options.small_states)
        if outcome is not None:
            return outcome
    from .long import search_long  # NumPy takes a tenth of a second to load: not for a small search

    return search_long(machine, clock, symmetry, options)
