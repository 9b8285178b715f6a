"""What an accepted request changes under a fence, and what a refused one leaves on record."""

from collections.abc import Callable
from typing import Any, Final

from fencebench.checker.oracle.log.events import Event
from fencebench.checker.oracle.strict.state import Books, World
from fencebench.model.fence import Refusal
from fencebench.model.machines.driver import settled
from fencebench.model.machines.ledger import Content, Grant, Hold


def apply(world: World, event: Event, accepted: bool) -> World:
    """Let an event change the world, which is returned."""
    if event.op == "config.change" and event.ceiling is not None:
        world.plan = world.plan._replace(ceiling=event.ceiling)
    if event.op == "ledger.commit" and event.refusal is Refusal.CONFLICT:
        world.disputed = True
    if event.shard is not None and accepted and event.op in EFFECTS:
        change(world, world.books(event.shard), event)
    return world


def change(world: World, books: Books, event: Event) -> None:
    """Let an event change a shard, and the run's totals by as much."""
    promised, burned = books.promised, books.burned
    EFFECTS[event.op](world, books, event)
    world.promised += books.promised - promised
    world.burned += books.burned - burned


def reserve(world: World, books: Books, event: Event) -> None:
    """A hold, and the digest that the attempt is to work on; a repeated one changes nothing."""
    epoch, tokens = event.epoch or 0, event.tokens or 0
    named: Any = str(books.fixture if event.input_digest is None else event.input_digest)
    books.grants.setdefault(epoch, Grant(named, Hold(tokens, live=tokens > 0)))
    books.ledger = books.ledger._replace(highest=max(books.ledger.highest, epoch))


def grant(world: World, books: Books, event: Event) -> None:
    """A lease; where nothing is held it is the whole grant."""
    books.leased = max(books.leased, event.epoch or 0)
    if world.fence.holds == "none":
        reserve(world, books, event)
    if event.epoch is not None and event.expires is not None:
        books.expires[event.epoch] = event.expires


def renew(world: World, books: Books, event: Event) -> None:
    """The lease ends later; at most a whole lease from now, where the log does not say when."""
    lease = world.setup(0).settings.lease_seconds
    if event.epoch in books.expires:
        books.expires[event.epoch] = event.t + lease if event.expires is None else event.expires


def expire(world: World, books: Books, event: Event) -> None:
    """The hold is settled as the fence does it; lines that tell the parts change nothing more."""
    epoch = event.epoch or 0
    old = books.grants.get(epoch)
    if old is not None:
        hold = settled(old.hold, books.drawn.get(epoch, 0), world.setup(epoch))
        books.grants[epoch] = old._replace(hold=hold)


def call(world: World, books: Books, event: Event) -> None:
    """Tokens are drawn."""
    epoch = event.epoch or 0
    books.drawn[epoch] = books.drawn.get(epoch, 0) + (event.tokens or 0)


def checkpoint(world: World, books: Books, event: Event) -> None:
    """The shard's checkpoint is this one; its revisions are those that served so far, if the log tells."""
    inputs: Any = () if event.input_digest is None else tuple(str(event.input_digest).split("+"))
    pinned: Any = world.setup(event.epoch or 0).pinned(event.epoch or 0)
    revisions = (pinned,) if event.revision is None else world.revisions(event.revision)
    books.checkpoint = Content(inputs, revisions, len(event.done or ()))


def tell(world: World, books: Books, event: Event) -> None:
    """The register is raised; it never falls."""
    books.register = max(books.register, event.epoch or 0)


def put(world: World, books: Books, event: Event) -> None:
    """The artifact is stored."""
    books.stored = (*books.stored, (event.epoch or 0, event.digest))


def commit(world: World, books: Books, event: Event) -> None:
    """The row is booked and ends its hold; the shard is sealed where that is one transaction."""
    epoch, tokens = event.epoch or 0, event.tokens or 0
    books.rows = (*books.rows, (epoch, tokens, event.digest, event.revision))
    old = books.grants.get(epoch)
    if old is not None:
        books.grants[epoch] = old._replace(hold=old.hold.closed(booked=tokens))
    if world.fence.sealing == "with commit":
        seal(world, books, event)


def seal(world: World, books: Books, event: Event) -> None:
    """The shard is sealed at the epoch or above."""
    books.ledger = books.ledger._replace(sealed=max(books.ledger.sealed, event.epoch or 0))


def change_fixture(world: World, books: Books, event: Event) -> None:
    """The slice has another digest."""
    books.fixture = event.input_digest


def silence(world: World, books: Books, event: Event) -> None:
    """A host is gone."""
    books.silent |= {event.epoch or 0}


def sound(world: World, books: Books, event: Event) -> None:
    """A host is there again."""
    books.silent -= {event.epoch or 0}


EFFECTS: Final[dict[str, Callable[[World, Books, Event], None]]] = {
    "ledger.reserve": reserve,
    "lease.grant": grant,
    "lease.renew": renew,
    "lease.expire": expire,
    "model.call": call,
    "ckpt.write": checkpoint,
    "store.tell": tell,
    "store.put": put,
    "ledger.commit": commit,
    "seal": seal,
    "fixture.change": change_fixture,
    "preempt": silence,
    "resume": sound,
}
