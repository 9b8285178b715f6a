"""How small a shard becomes: counts that no block may be merged or split beyond unseen."""

from types import MappingProxyType

import pytest

from fencebench.checker.reduce.explore import Reduced
from fencebench.model.budget_split import local_view
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.settings import FAULTS, Bound

FEW = MappingProxyType({fault: int(fault in ("preempt", "crash_driver", "redeliver")) for fault in FAULTS})


@pytest.mark.parametrize(
    ("name", "bound", "counts"),
    [
        ("reference", Bound(2, faults=1), (5938, 173)),
        ("spend-sketch", Bound(2, faults=1), (3848, 296)),
        ("reference", Bound(2, faults=2, caps=FEW), (18_595, 495)),
    ],
    ids=["reference", "spend-sketch", "reference with crashes in two phases"],
)
def test_states_of_one_shard_and_blocks_that_are_left(name: str, bound: Bound, counts: tuple[int, int]) -> None:
    machine = build(FENCES[name], bound)
    reduced = Reduced.of(machine, local_view(machine))
    assert (reduced.states, len(reduced.blocks.steps)) == counts
