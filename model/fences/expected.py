"""What the catalogue expects of each fence: verdict over the default union of bounds, promises it breaks, counts."""

from typing import NamedTuple


class Expected(NamedTuple):
    """A verdict, promises of which each must be broken (there may be more), and counts.

    `counts` are (states, depth) of one shard, two epochs and a fault sum of one, at the plan's ceiling and plan + one
    attempt. `told_without` are faults that the fence's stories are told without, as any of them would be shorter by it.
    """

    verdict: str
    counts: tuple[tuple[int, int], tuple[int, int]]
    broken: tuple[str, ...] = ()
    told_without: tuple[str, ...] = ()


EXPECTED = {
    "shard-keyed": Expected(
        "violated", ((9455, 27), (9455, 27)), ("one_accepted_artifact", "billed_once"), told_without=("forge",)
    ),
    "spend-sketch": Expected(
        "violated",
        ((2049, 24), (6998, 30)),
        (
            "one_accepted_artifact",
            "billed_once",
            "ends_well",
            "lease_gates_writes",
            "lease_gates_resume",
            "meter_under_ceiling",
            "rejections_classified",
        ),
        told_without=("forge",),
    ),
    "provenance-sketch-a": Expected(
        "violated", ((4682, 25), (4682, 25)), ("one_accepted_artifact",), told_without=("forge",)
    ),
    "provenance-sketch-b": Expected(
        "violated", ((4682, 25), (4682, 25)), ("one_revision",), told_without=("forge", "flip_alias")
    ),
    "provenance-sketch-c": Expected(
        "violated", ((4604, 25), (4604, 25)), ("sealed_is_final",), told_without=("forge",)
    ),
    "provenance-sketch-d": Expected("violated", ((4709, 25), (4709, 25)), ("attributable",), told_without=("forge",)),
    "last-write-wins": Expected("violated", ((13687, 28), (13687, 28)), ("winner_by_epoch",), told_without=("forge",)),
    "worker-epochs": Expected(
        "violated", ((6693, 33), (6693, 33)), ("one_accepted_artifact", "billed_once"), told_without=("forge",)
    ),
    "worker-clock": Expected("violated", ((1884, 26), (3677, 32)), ("lease_gates_writes",)),
    "liveness-gated": Expected("violated", ((1759, 23), (3091, 28)), ("lease_gates_writes", "lease_gates_resume")),
    "case-index-checkpoint": Expected("violated", ((1877, 26), (3670, 32)), ("one_input_version",)),
    "charge-on-commit": Expected("violated", ((4210, 32), (4210, 32)), ("spend_under_ceiling",)),
    "truncating": Expected("violated", ((1916, 26), (3677, 32)), ("whole_artifact",)),
    "token-level": Expected("holds", ((2429, 27), (3603, 31))),
    "compensating": Expected("holds", ((2217, 26), (4705, 32))),
    "reference": Expected("holds", ((1884, 26), (3677, 32))),
}

KEYED_WITHOUT_RUN = ("spend-sketch",)
"""Fences that keep something by shard whatever the run: a second run of the same shards is one more bound for them."""
