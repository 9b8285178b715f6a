"""The fixture: which version of a shard's input slice stands.

State: a version number. Fault: `change_fixture`, at any time. Source: `seeds/000` step 3 and its fourth injection.
"""

from collections.abc import Iterator

from fencebench.model.machine import Event, Step
from fencebench.model.machines.shared import Effect
from fencebench.model.settings import Setup


def change_fixture(fixture: int, *, setup: Setup) -> Iterator[Step]:
    """Fault: the slice is edited; whoever has loaded it keeps what it loaded."""
    event = Event("change_fixture", "fixture", label="fixture changes", fault="change_fixture")
    yield Step(event, (("fixture", fixture + 1),), Effect(fault="change_fixture"))
