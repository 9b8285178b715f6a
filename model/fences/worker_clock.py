"""The reference, except that the store judges the lease by the worker's clock, read in the very step of the put.

Source: `seeds/000`, the row "clock skew of 90s" of its injection matrix, whose advice this fence does not take.
"""

from dataclasses import replace

from model.fences.reference import REFERENCE
from model.rules import put

WORKER_CLOCK = replace(
    REFERENCE,
    name="worker-clock",
    summary="the reference, but the store judges the lease by the worker's clock",
    put=tuple(put.lease_over_by_worker if r is put.lease_over else r for r in REFERENCE.put),
)
