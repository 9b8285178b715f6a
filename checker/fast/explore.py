"""What the fast explorer can be told."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from fencebench.checker.fast.outcome import Outcome, result
from fencebench.checker.fast.small import SmallSearch, stranded
from fencebench.checker.search.limits import UNLIMITED, Clock, Limits, Watch
from fencebench.checker.search.result import Result
from fencebench.checker.tables.known import Known, known_of
from fencebench.model.machine import Machine


@dataclass(frozen=True)
class Options:
    """How to search. None of it changes a verdict or a story; `symmetry` changes the counts.

    `small_states` is the number of states up to which plain Python integers serve, before arrays take over. In large
    buckets so many `threads` work. `max_bytes` caps the memory for the words of states (the tables come on top); what
    exceeds it goes to files in `spill`, or the search stops. `checkpoint` is a file to save the search in, at most
    every `checkpoint_seconds`; `resume` says to go on from it. `key` tells machine and bound apart from all others.
    """

    symmetry: bool = True
    small_states: int = 4_000
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
    """Search on integers, and go on on arrays if that does not end soon; from a checkpoint on arrays at once."""
    known = Known(machine) if options.resume else known_of(machine)
    known.tables.check_time = clock.check if clock.limits.max_seconds is not None else no_limit
    small = None if options.resume else SmallSearch(known, machine.initial, clock, symmetry)
    outcome = small.run(options.small_states) if small else None
    if small and outcome:
        return replace(outcome, stranded=partial(stranded, small))
    from fencebench.checker.fast.checkpoint import (
        search_long,  # NumPy takes a tenth of a second to load: not for a small search
    )

    return search_long(known, machine, clock, symmetry, options, small)


def no_limit() -> None:
    """Let a search take the time that it takes."""
