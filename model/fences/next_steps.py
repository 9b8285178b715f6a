"""The first source document's own next steps, on top of the reference.

Source: `seeds/000`, "what I would change next": reservations inside a shard, and a path that compensates.
"""

from dataclasses import replace

from model.fences.reference import REFERENCE

TOKEN_LEVEL = replace(
    REFERENCE,
    name="token-level",
    summary="the reference with a checkpoint after each slice, and holds for what a checkpoint leaves to do",
    holds="slice",
    checkpoint="each slice",
)
"""A preemption at 39 of 50 re-grades the last eleven cases only, and fits under the plan's own ceiling."""

COMPENSATING = replace(
    REFERENCE.without("unsealed"),
    name="compensating",
    summary="the reference with a reducer that takes what is stored, and retracts what the seal did not accept",
    consumption="stored",
    on_stale="compensate",
)
"""The reducer is ahead of the ledger, and comes back to it."""
