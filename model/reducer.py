"""The reducer: which rows of a shard the report has consumed, and what it takes back.

State: the consumed rows of a shard, as (epoch, content); how many there are in the run is shared. Actions: `consume`,
`compensate`; the report itself (`publish`) is in `shared`. Source: `seeds/000`, "a second fence at the reduce step" and
its compensation path; `seeds/002`, the denominator is the shard count.
"""

from collections.abc import Iterator
from typing import NamedTuple

from model.ledger import Content, Ledger, Request
from model.machine import Event, Step
from model.setup import Setup
from model.shared import Effect
from model.store import Store

Rows = tuple[tuple[int, Content], ...]


class ConsumeView(NamedTuple):
    """What the reducer may look at before it takes a row."""

    ledger: Ledger
    pinned: int | None
    setup: Setup


def offered(ledger: Ledger, store: Store, setup: Setup) -> Rows:
    """Return the rows that the reducer may take: those with receipts, or whatever is stored."""
    if setup.fence.consumption == "stored":
        return tuple((a.epoch, a.content) for a in store.artifacts)
    return tuple((r.epoch, r.content) for r in ledger.receipts)


def consume(ledger: Ledger, store: Store, reduced: Rows, *, setup: Setup) -> Iterator[Step]:
    """Take a row into the aggregate: one a shard, or all there are, while the report is open."""
    if reduced and setup.fence.report == "mean over shards":
        return
    for epoch, content in offered(ledger, store, setup):
        if (epoch, content) in reduced:
            continue
        view = ConsumeView(ledger, setup.pinned(epoch), setup)
        answer = setup.fence.judge("consume", Request(epoch, content=content), view)
        outcome = str(answer.refusal or "consumed")
        event = Event("consume", "report", "ledger", f"consume epoch {epoch}", outcome, *answer[1:], epoch=epoch)
        if answer.refusal is not None:
            yield Step(event)
            continue
        effect = Effect(rows=1, reduced=int(not reduced), is_open=True)
        yield Step(event, (("reduced", tuple(sorted((*reduced, (epoch, content))))),), effect)


def compensate(ledger: Ledger, reduced: Rows, *, setup: Setup) -> Iterator[Step]:
    """Take back every consumed row that the seal did not accept; the report is to be printed again."""
    kept = tuple(row for row in reduced if any(row == (r.epoch, r.content) for r in ledger.receipts))
    if setup.fence.on_stale == "compensate" and ledger.sealed >= 0 and kept != reduced:
        event = Event("compensate", "report", "ledger", "retract a stale row", "retracted", epoch=ledger.sealed)
        effect = Effect(rows=len(kept) - len(reduced), reduced=-int(not kept), retracts=True)
        yield Step(event, (("reduced", kept),), effect)
