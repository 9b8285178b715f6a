"""The reducer: which rows of a shard the report has consumed, and what it takes back.

State: the consumed rows of a shard, as (epoch, content); how many there are in the run is shared. Actions: `consume`,
`compensate`; the report itself (`publish`) is in `shared`. Source: `seeds/000`, "a second fence at the reduce step" and
its compensation path; `seeds/002`, the denominator is the shard count.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.machine import Event, Step
from fencebench.model.machines.acceptance import accepted, unaccepted
from fencebench.model.machines.driver import RESTING, Driver
from fencebench.model.machines.ledger import Content, Ledger, Request
from fencebench.model.machines.shared import Effect
from fencebench.model.machines.store import Store
from fencebench.model.settings import Setup

Rows = tuple[tuple[int, Content], ...]


class ConsumeView(NamedTuple):
    """What the reducer may look at before it takes a row."""

    ledger: Ledger
    pinned: int | None
    setup: Setup


def stale(row: tuple[int, Content], ledger: Ledger) -> bool:
    """Say whether no receipt names the row."""
    return all(row != (r.epoch, r.content) for r in ledger.receipts)


def decided(driver: Driver, ledger: Ledger, setup: Setup) -> bool:
    """Say whether a fence that compensates knows what becomes of the shard: it is sealed, or the driver left it."""
    return setup.fence.on_stale == "compensate" and (ledger.sealed >= 0 or driver.phase in RESTING)


def offered(ledger: Ledger, store: Store, setup: Setup) -> Rows:
    """Return the rows that the reducer may take: those with receipts, or whatever is stored."""
    if setup.fence.consumption == "stored":
        return tuple((a.epoch, a.content) for a in store.artifacts)
    return tuple((r.epoch, r.content) for r in ledger.receipts)


def consume(driver: Driver, ledger: Ledger, store: Store, reduced: Rows, *, setup: Setup) -> Iterator[Step]:
    """Take a row into the aggregate: one a shard, or all there are, while the report is open."""
    if reduced and setup.fence.report == "mean over shards":
        return
    for row in offered(ledger, store, setup):
        if row in reduced or (decided(driver, ledger, setup) and stale(row, ledger)):
            continue
        epoch, content = row
        request = Request(epoch, content=content)
        answer = setup.fence.judge("consume", request, ConsumeView(ledger, setup.pinned(epoch), setup))
        outcome = str(answer.refusal or "consumed")
        event = Event("consume", "report", "ledger", f"consume epoch {epoch}", outcome, epoch=epoch, message=request)
        event = event._replace(**answer.given)
        if answer.refusal is None:
            stray = int(row not in accepted(ledger, store, setup))
            effect = Effect(rows=1, reduced=int(not reduced), unaccepted=stray, is_open=True)
            yield Step(event, (("reduced", tuple(sorted((*reduced, row)))),), effect)
        else:
            yield Step(event)


def compensate(driver: Driver, ledger: Ledger, store: Store, reduced: Rows, *, setup: Setup) -> Iterator[Step]:
    """Take back every consumed row that was not accepted in the end; the report is to be printed again."""
    kept = tuple(row for row in reduced if not stale(row, ledger))
    if decided(driver, ledger, setup) and kept != reduced:
        event = Event("compensate", "report", "ledger", "retract a stale row", "retracted")
        strays = unaccepted(kept, ledger, store, setup) - unaccepted(reduced, ledger, store, setup)
        gone = len(kept) - len(reduced)
        effect = Effect(rows=gone, reduced=-int(not kept), unaccepted=strays, retracts=True)
        yield Step(event, (("reduced", kept),), effect)
