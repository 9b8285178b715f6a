"""What the catalogue expects: each fence's verdict over the default union of bounds, and promises it must break."""

from typing import NamedTuple


class Expected(NamedTuple):
    """A verdict, and promises of which each must be broken (there may be more)."""

    verdict: str
    broken: tuple[str, ...] = ()


EXPECTED = {
    "shard-keyed": Expected("violated", ("one_accepted_artifact", "billed_once")),
    "spend-sketch": Expected(
        "violated",
        (
            "one_accepted_artifact",
            "billed_once",
            "ends_well",
            "lease_gates_writes",
            "lease_gates_resume",
            "meter_under_ceiling",
            "rejections_classified",
        ),
    ),
    "provenance-sketch-a": Expected("violated", ("one_accepted_artifact",)),
    "provenance-sketch-b": Expected("violated", ("one_revision",)),
    "provenance-sketch-c": Expected("violated", ("sealed_is_final",)),
    "provenance-sketch-d": Expected("violated", ("attributable",)),
    "worker-clock": Expected("violated", ("lease_gates_writes",)),
    "last-write-wins": Expected("violated", ("winner_by_epoch",)),
    "worker-epochs": Expected("violated", ("one_accepted_artifact", "billed_once")),
    "liveness-gated": Expected("violated", ("lease_gates_writes", "lease_gates_resume")),
    "case-index-checkpoint": Expected("violated", ("one_input_version",)),
    "charge-on-commit": Expected("violated", ("spend_under_ceiling",)),
    "truncating": Expected("violated", ("whole_artifact",)),
    "token-level": Expected("holds"),
    "compensating": Expected("holds"),
    "reference": Expected("holds"),
}

KEYED_WITHOUT_RUN = ("spend-sketch",)
"""Fences that keep something by shard whatever the run: a second run of the same shards is one more bound for them."""
