"""The fast explorer: the plain one's answers, from tables of numbers."""

from dataclasses import replace
from functools import partial

from checker.result import Limits, Result
from model.machine import Machine

from .clock import Clock, Watch
from .known import Known, known_of
from .options import Options
from .outcome import Outcome, result
from .small import SmallSearch
from .stranded import stranded

UNLIMITED = Limits()


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
    known = Known(machine) if options.resume else known_of(machine)
    if not options.resume:
        small = SmallSearch(known, machine.initial, clock, symmetry)
        outcome = small.run(options.small_states)
        if outcome is not None:
            return replace(outcome, stranded=partial(stranded, small))
    from .long import search_long  # NumPy takes a tenth of a second to load: not for a small search

    return search_long(known, machine, clock, symmetry, options)
