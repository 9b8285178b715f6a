"""What is known of a next-state relation, kept from one search to the next.

The bounds of one fence differ in where a run begins and in nothing else, so what a search has learned serves the next.
"""

from dataclasses import replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from fencebench.checker.tables.machine_tables import Tables
from fencebench.checker.tables.unit_rows import UnitTable
from fencebench.model.machine import Machine, State

if TYPE_CHECKING:
    from fencebench.checker.tables.successors import Relation


NOWHERE = State(None, ())


class Known:
    """The tables of one relation; those on arrays are made when they are asked for."""

    def __init__(self, machine: Machine) -> None:
        self.tables = Tables(machine)
        self.unit_table = UnitTable(self.tables)

    @cached_property
    def relation(self) -> "Relation":
        """The relation on arrays."""
        from fencebench.checker.tables.successors import Relation  # NumPy takes a tenth of a second to load

        return Relation(self.tables, self.unit_table)


def known_of(machine: Machine) -> Known:
    """Return what is known of a machine's relation, wherever its runs begin."""
    return of_relation(replace(machine, initial=NOWHERE))


@lru_cache(maxsize=2)
def of_relation(machine: Machine) -> Known:
    """Keep what was learned last, and before that."""
    return Known(machine)
