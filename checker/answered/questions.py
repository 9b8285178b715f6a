"""Turns a question of the model into rows, and what the model does on a yes into rows.

A view tells less than tables hold, so the rest is chosen: beside the shard that is asked about stand three others of
its run, and an earlier run of the same shard that was committed and sealed under a high epoch. A statement that forgets
the run or the shard in a key sees those. The clock stands at the very second at which a lease ends, or one before it.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from fencebench.checker.answered.rows import (
    RUN,
    SHARD,
    Account,
    Artifact,
    Checkpoint,
    Grant,
    Question,
    Receipt,
    Request,
    Run,
    Shard,
    Tables,
    View,
    is_own,
)
from fencebench.model.fence import Answer
from fencebench.model.machines import driver, endpoint, ledger, reducer, shared, store, worker
from fencebench.model.settings import Settings, Setup, digest, revision_name

NOW_SECONDS = 1_000_000
"""The control plane's clock in every question."""

EARLIER, EARLIER_EPOCH = "r6", 7
"""The run before this one, and the epoch that it committed, unless the bound says which."""

SHARDS = 4


def inputs(content: ledger.Content) -> str:
    """Name the inputs of a result."""
    return "+".join(map(digest, content.inputs))


def revisions(content: ledger.Content) -> str:
    """Name the revisions of a result."""
    return "+".join(map(revision_name, content.revisions))


def content_digest(content: ledger.Content) -> str:
    """Name a result by all that it is made of."""
    return f"{inputs(content)}/{revisions(content)}/{content.cases}"


def made_of(content: ledger.Content) -> dict[str, Any]:
    """Return the columns that say what a result is made of."""
    names = {"digest": content_digest(content), "revision": revisions(content), "input_digest": inputs(content)}
    return {**names, "cases": content.cases}


def receipt(row: ledger.Receipt) -> Receipt:
    """Return a committed row."""
    return Receipt(RUN, SHARD, row.epoch, row.tokens, **made_of(row.content))


def artifact(epoch: int, content: ledger.Content) -> Artifact:
    """Return a stored result."""
    return Artifact(RUN, SHARD, epoch, **made_of(content))


def granted(
    epoch: int,
    grant: ledger.Grant,
    drawn: int = 0,
    remaining: int = 1,
    alive: bool = True,
    of: tuple[str, str] = (RUN, SHARD),
) -> Grant:
    """Return a grant with its hold and its lease."""
    hold, next_epoch = grant.hold, grant.superseded_by if grant.superseded_by >= 0 else None
    parts = hold.booked, hold.written_off, hold.released
    until = NOW_SECONDS + remaining
    return Grant(
        *of, epoch, digest(grant.named), hold.tokens, hold.live, drawn, *parts, next_epoch, until, remaining, alive
    )


class Mine(NamedTuple):
    """The shard that is asked about, as the model knows it; `grant` is that of `epoch`."""

    setup: Setup
    epoch: int = -1
    highest: int = -1
    sealed: int = -1
    register: int = -1
    loaded: int = 0
    grant: ledger.Grant | None = None
    drawn: int = 0
    lease_over: bool = False
    alive: bool = True
    receipts: tuple[ledger.Receipt, ...] = ()
    conflicts: tuple[ledger.Receipt, ...] = ()
    stored: tuple[tuple[int, ledger.Content], ...] = ()
    checkpoint: ledger.Content | None = None
    elders_live: bool = True

    @property
    def tables(self) -> Tables:
        """Its rows."""
        none = {-1: None}
        epochs = (none.get(n, n) for n in (self.highest, self.sealed, self.register))
        kept = self.checkpoint and Checkpoint(
            RUN, SHARD, revisions(self.checkpoint), inputs(self.checkpoint) or None, self.checkpoint.cases
        )
        return Tables(
            shards=(Shard(RUN, SHARD, digest(self.loaded), *epochs),),
            grants=tuple(filter(None, map(self.grant_of, range(max(self.highest, self.epoch) + 1)))),
            receipts=tuple(map(receipt, self.receipts)),
            artifacts=tuple(artifact(*one) for one in self.stored),
            conflicts=tuple(map(receipt, self.conflicts)),
            checkpoints=(kept,) if kept else (),
        )

    def grant_of(self, epoch: int) -> Grant | None:
        """Return the grant of an epoch: the one in question, the newest with its lease, or one that is settled."""
        if epoch == self.epoch:
            return self.grant and granted(epoch, self.grant, self.drawn, int(not self.lease_over), self.alive)
        if epoch > self.highest:
            return None
        plan, newest = self.setup.settings.plan_tokens, epoch == self.highest
        booked = sum(row.tokens for row in self.receipts if row.epoch == epoch)
        open_still = newest and not booked and self.elders_live
        hold = ledger.Hold(plan, True) if open_still else ledger.Hold(plan, True).closed(booked=booked)
        follows = -1 if newest or booked or self.setup.fence.chain == "none" else epoch + 1
        lease = self.setup.settings.lease_seconds
        return granted(epoch, ledger.Grant(0, hold, follows), booked, lease if newest else -lease)


def others(account: shared.Account, settings: Settings, earlier: int) -> Tables:
    """Return the other shards of the run, one sealed, one at work, one settled, and another run."""
    plan, content = settings.plan_tokens, ledger.Content((0,), (0,), settings.cases)
    booked, lost, held = account.committed, account.written_off, account.held
    rows = (
        row_of((EARLIER, SHARD), earlier, plan, content),
        *((row_of((RUN, "s1"), 0, booked, content),) if booked else ()),
    )
    live = granted(0, ledger.Grant(0, ledger.Hold(held, held > 0)), of=(RUN, "s2"), remaining=settings.lease_seconds)
    gone = ledger.Hold(lost, True).closed(written_off=lost)
    settled = granted(0, ledger.Grant(0, gone), lost, -settings.lease_seconds, of=(RUN, "s3"))
    booked_holds = (closed_by(row, settings) for row in rows)
    return Tables(
        shards=(
            *(Shard(r.run, r.shard, digest(0), r.epoch, r.epoch, r.epoch) for r in rows),
            *(Shard(RUN, shard, digest(0), 0, None, 0) for shard in ("s2", "s3")),
        ),
        grants=(*booked_holds, live, settled),
        receipts=rows,
        artifacts=tuple(Artifact(r.run, r.shard, r.epoch, **made_of(content)) for r in rows),
    )


def row_of(of: tuple[str, str], epoch: int, tokens: int, content: ledger.Content) -> Receipt:
    """Return a committed row of another shard or run."""
    return Receipt(*of, epoch, tokens, **made_of(content))


def closed_by(row: Receipt, settings: Settings) -> Grant:
    """Return the grant under which a row of another shard was committed."""
    hold = ledger.Hold(row.tokens, True).closed(booked=row.tokens)
    return granted(row.epoch, ledger.Grant(0, hold), row.tokens, -settings.lease_seconds, of=(row.run, row.shard))


def usual(settings: Settings) -> shared.Account:
    """Return an account with room for everybody."""
    return shared.Account(settings.plan_tokens, 0, settings.plan_tokens, SHARDS * settings.plan_tokens)


def posed(
    boundary: str,
    request: Request,
    mine: Mine,
    after: Mine,
    total: shared.Account | None = None,
    burned: int = 0,
    earlier: int = -1,
) -> Question:
    """Return a question about a shard; `total` are tokens of the whole run, those of the shard included."""
    settings, setup = mine.setup.settings, mine.setup
    total = total or usual(settings)
    pinned = setup.pinned(max(mine.epoch, 0))
    named = None if pinned is None else revision_name(pinned)
    times = settings.lease_seconds, settings.margin_seconds
    run = Run(RUN, SHARDS, settings.cases, total.ceiling, named, *times, burned)
    before_this = replace(run, run=EARLIER, burned_tokens=0)
    own_tokens = sum(row.tokens for row in mine.receipts)
    rest = others(
        total._replace(committed=max(0, total.committed - own_tokens)),
        settings,
        earlier if earlier >= 0 else EARLIER_EPOCH,
    )
    world = rest.and_also(Tables(runs=(run, before_this)))
    account = Account(total.committed, total.written_off, total.held, burned, total.ceiling)
    tables = mine.tables
    grant = next((g for g in tables.grants if g.epoch == mine.epoch), None)
    kept = tables.grants, tables.receipts, tables.artifacts, tables.conflicts, next(iter(tables.checkpoints), None)
    view = View(NOW_SECONDS, run, account, tables.shards[0], grant, *kept)
    return Question(boundary, request, view, tables.and_also(world), after.tables.and_also(world))


def asking(row: ledger.Request, **more: Any) -> Request:
    """Return who asks under which epoch."""
    return Request(epoch=row.epoch, claimed_epoch=row.epoch if row.claimed < 0 else row.claimed, **more)


def reserve(request: ledger.Request, view: driver.ReserveView) -> Question:
    """A grant is asked for; what the ledger says of elder epochs is that they are settled."""
    kept = view.ledger
    mine = Mine(view.setup, request.epoch, kept.highest, kept.sealed, receipts=kept.receipts, grant=view.grant)
    mine = mine._replace(loaded=request.named, conflicts=kept.conflicts, elders_live=False)
    made = ledger.Grant(request.named, ledger.Hold(request.tokens, request.tokens > 0))
    after = mine._replace(highest=max(kept.highest, request.epoch), grant=made)
    asked = asking(request, tokens=request.tokens, input_digest=digest(request.named))
    return posed("reserve", asked, mine, after, view.account, earlier=kept.earlier)


def client_clock(reading_seconds: int, lease_over: bool, settings: Settings) -> int:
    """Return what the caller's clock shows when the lease has this age on it."""
    return NOW_SECONDS + int(not lease_over) - settings.lease_seconds + reading_seconds


def worker_clock(view: worker.ResumeView | worker.WriteView) -> int:
    """Return the clock of a worker whose lease has an age on it; only this clock is looked at."""
    return client_clock(view.reading_seconds, False, view.setup.settings)


def at_work(epoch: int, setup: Setup, loaded: int = 0) -> Mine:
    """Return a shard of which a worker knows that its epoch was granted."""
    grant = ledger.Grant(loaded, ledger.Hold(setup.settings.plan_tokens, True))
    return Mine(setup, epoch, epoch, register=epoch, loaded=loaded, grant=grant)


def resume(request: ledger.Request, view: worker.ResumeView) -> Question:
    """A worker starts, from a checkpoint or anew; it knows its own clock alone."""
    mine = at_work(request.epoch, view.setup, view.loaded)._replace(checkpoint=view.checkpoint)
    asked = asking(request, input_digest=digest(view.loaded), client_now_seconds=worker_clock(view))
    return posed("resume", asked, mine, mine)


def write(request: ledger.Request, view: worker.WriteView) -> Question:
    """A worker looks at its own clock before it writes."""
    mine = at_work(request.epoch, view.setup)
    return posed("write", asking(request, client_now_seconds=worker_clock(view)), mine, mine)


def call(request: ledger.Request, view: endpoint.CallView) -> Question:
    """A model call is to be made; a yes draws its tokens on the hold."""
    mine = Mine(view.setup, request.epoch, request.epoch, grant=view.grant, drawn=view.drawn, loaded=view.loaded)
    after = mine._replace(drawn=view.drawn + request.tokens)
    total = usual(view.setup.settings)
    burned = total.ceiling - request.tokens + view.above
    asked = asking(request, tokens=request.tokens, input_digest=digest(view.loaded))
    return posed("call", asked, mine, after, total, burned)


def put(request: ledger.Request, view: store.PutView) -> Question:
    """An artifact is to be kept; the store knows its register and whether the lease runs."""
    register, grant = view.store.register, at_work(request.epoch, view.setup, request.named).grant
    mine = Mine(view.setup, request.epoch, register, register=register, grant=grant, loaded=request.named)
    mine = mine._replace(lease_over=view.lease_over, alive=view.heartbeat, drawn=grant.hold.tokens if grant else 0)
    before = mine._replace(stored=tuple((a.epoch, a.content) for a in view.store.artifacts))
    new = request.epoch, request.content
    after = before._replace(stored=tuple(sorted({*before.stored, new})))
    clock = client_clock(request.reading_seconds, view.lease_over, view.setup.settings)
    content = {**made_of(request.content), "granted_digest": digest(request.named), "client_now_seconds": clock}
    return posed("put", asking(request, **content), before, after)


def commit(request: ledger.Request, view: ledger.CommitView) -> Question:
    """A row is to be booked: what the ledger has, and what it has after the model's own booking."""
    mine = booked_so_far(request, view, view.ledger, view.grant)
    row = ledger.Receipt(request.epoch, request.tokens, request.content)
    booking = ledger.booked(row, Answer(None), view)
    after = booked_so_far(request, view, booking.ledger, booking.grant)
    content = {**made_of(request.content), "granted_digest": digest(request.named), "tokens": request.tokens}
    return posed("commit", asking(request, **content), mine, after, earlier=view.ledger.earlier)


def booked_so_far(
    request: ledger.Request, view: ledger.CommitView, kept: ledger.Ledger, grant: ledger.Grant | None
) -> Mine:
    """Return the shard as a ledger has it."""
    mine = Mine(view.setup, request.epoch, kept.highest, kept.sealed, kept.highest, request.named, grant, view.drawn)
    lease = mine._replace(lease_over=view.lease_over, alive=view.heartbeat, stored=tuple(map(tuple, view.stored)))  # type: ignore[arg-type]
    return lease._replace(receipts=kept.receipts, conflicts=kept.conflicts)


def consume(request: ledger.Request, view: reducer.ConsumeView) -> Question:
    """The reducer is to take a row."""
    kept = view.ledger
    mine = Mine(view.setup, -1, kept.highest, kept.sealed, receipts=kept.receipts, conflicts=kept.conflicts)
    return posed("consume", asking(request, **made_of(request.content)), mine, mine, earlier=kept.earlier)


BY_SHARD: dict[str, Callable[[Any, Any], Question]] = {
    "reserve": reserve,
    "resume": resume,
    "call": call,
    "write": write,
    "put": put,
    "commit": commit,
    "consume": consume,
}


def publish(view: shared.PublishView, setup: Setup) -> Question:
    """The report is to be printed: as many shards as are planned, of which some are sealed."""
    question = posed("publish", Request(shard=""), Mine(setup), Mine(setup))
    rows = tuple(published(i, view, setup.settings) for i in range(view.sealed))
    shards = tuple(Shard(RUN, f"s{i}", digest(0), 0, 0 if i < view.sealed else None) for i in range(view.planned))
    elsewhere = Tables._make(tuple(r for r in rows if r.run == EARLIER) for rows in question.before)
    run = replace(
        question.view.run,
        shards=view.planned,
        consumed_shards=view.consumed,
        resting_shards=view.resting,
        unaccepted_rows=view.unaccepted,
    )
    conflicts = (replace(published(0, view, setup.settings), tokens=0),) if view.disputed else ()
    mine = Tables((run,), shards, tuple(closed_by(r, setup.settings) for r in rows), rows, conflicts=conflicts)
    tables = mine.and_also(elsewhere)
    seen = replace(question.view, run=run, receipts=rows, conflicts=conflicts)
    return replace(question, before=tables, after=tables, view=seen)


def published(number: int, view: shared.PublishView, settings: Settings) -> Receipt:
    """Return the row of a sealed shard; each revision of the run is that of some row."""
    served = view.revisions[number % len(view.revisions) :][:1] if view.revisions else (0,)
    return row_of((RUN, f"s{number}"), 0, settings.plan_tokens, ledger.Content((0,), served, settings.cases))


__all__ = ["BY_SHARD", "NOW_SECONDS", "is_own", "publish"]
