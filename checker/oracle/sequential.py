"""The sequential ledger and store of the reference fence: what one call after another may be answered.

A call is accepted when no class of refusal is true of the state, and refused with a class that is. The same key with
the same content is success told again and changes nothing. Amounts are tokens, times seconds on the control plane's
clock.
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from fencebench.checker.oracle.events import Name
from fencebench.checker.oracle.history import Call, Plan
from fencebench.model.fence import GO_ON, Refusal

NONE_YET: Final = -1


class Shard(NamedTuple):
    """One shard. `granted` is the highest epoch, `held` its live hold; `holds` are (epoch, tokens) of all made so far.

    `expires` is the end of the newest lease if it is known, `over` whether it was declared over. `stored` are
    (epoch, digest), `receipt` is (epoch, tokens, digest).
    """

    granted: int = NONE_YET
    held: int = 0
    holds: tuple[tuple[int, int], ...] = ()
    leased: int = NONE_YET
    expires: float | None = None
    over: bool = False
    register: int = NONE_YET
    stored: tuple[tuple[int, Name | None], ...] = ()
    receipt: tuple[int, int, Name | None] | None = None
    sealed: bool = False


class Ledger(NamedTuple):
    """All shards of a part of a history, by position; `spent` is committed, written off and held.

    `mark` is a hash that a change of one shard moves without looking at the others.
    """

    spent: int
    shards: tuple[Shard, ...]
    mark: int = 0

    def __hash__(self) -> int:
        return self.mark ^ self.spent


class World(NamedTuple):
    """What does not change: the plan, the position of each shard, and which families of calls the history has."""

    plan: Plan
    positions: dict[Name | None, int]
    holds: bool
    puts: bool


Step = tuple[Ledger | None, str]
"""The ledger after a call, or None and the clause that says why the answer cannot be given here."""


def step(world: World, ledger: Ledger, call: Call) -> Step:
    """The ledger after the call with the answer that it got."""
    shard = ledger.shards[world.positions[call.shard]] if call.shard is not None else Shard()
    true = dict(classes(world, ledger, shard, call))
    blocking = [name for name in true if name not in GO_ON]
    again = len(blocking) < len(true)
    if call.answer == "info":
        return (ledger, "") if again or blocking else (_after(world, ledger, shard, call), "")
    if call.refusal is not None:
        return (ledger, "") if call.refusal in true else (None, f"{call.refusal} is not true{_but(true)}")
    if call.answer == "fail":
        return (ledger, "") if blocking and not again else (None, f"there is no reason to refuse it{_but(true)}")
    if again:
        return ledger, ""
    return (None, f"it must be refused{_but(true)}") if blocking else (_after(world, ledger, shard, call), "")


def _but(true: dict[Refusal, str]) -> str:
    return f": {'; '.join(f'{name} ({clause})' for name, clause in true.items())}" if true else ""


def _after(world: World, ledger: Ledger, shard: Shard, call: Call) -> Ledger:
    """The effect of an accepted call."""
    effect = EFFECTS.get(call.op)
    if effect is None or call.shard is None:
        return ledger
    new, spent = effect(shard, call)
    position = world.positions[call.shard]
    mark = ledger.mark ^ hash((position, shard)) ^ hash((position, new))
    return Ledger(ledger.spent + spent, (*ledger.shards[:position], new, *ledger.shards[position + 1 :]), mark)


def classes(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    """Every class that is true of the call here, in the order of the design, each with the values it looked at."""
    return CLASSES[call.op](world, ledger, shard, call)


def _reserve(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    made = dict(shard.holds).get(call.epoch)
    if made == call.tokens:
        yield Refusal.ALREADY_RESERVED, f"{made} tokens are held for epoch {call.epoch}"
        return
    if made is not None:
        yield Refusal.CONFLICT, f"epoch {call.epoch} holds {made} tokens"
    if call.epoch < shard.leased or call.epoch <= shard.granted:
        yield Refusal.STALE_EPOCH, f"epoch {max(shard.leased, shard.granted)} was granted"
    yield from _sealed(shard)
    used = ledger.spent - shard.held
    if world.plan.ceiling is not None and used + call.tokens > world.plan.ceiling:
        yield Refusal.OVER_CEILING, f"{used} and {call.tokens} tokens pass {world.plan.ceiling}"


def _grant(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    if call.epoch == shard.leased and not shard.over:
        yield Refusal.ALREADY_RESERVED, f"epoch {call.epoch} is granted"
        return
    if call.epoch < shard.granted or call.epoch <= shard.leased:
        yield Refusal.STALE_EPOCH, f"epoch {max(shard.leased, shard.granted)} was granted"
    yield from _sealed(shard)


def _renew(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    yield from _stale(shard, call)
    yield from _sealed(shard)
    yield from _lease(shard, call)


def _expire(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    yield from _stale(shard, call)
    yield from _sealed(shard)
    if shard.over:
        yield Refusal.NO_HOLD, f"epoch {current(shard)} was declared over"
    if shard.expires is not None and call.ended is not None and call.ended < shard.expires:
        yield Refusal.CONFLICT, f"the lease runs until {shard.expires:g}"


def _tell(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    if call.epoch < shard.register:
        yield Refusal.STALE_EPOCH, f"the register is at epoch {shard.register}"


def _put(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    stored = dict(shard.stored)
    if call.epoch in stored and stored[call.epoch] == call.digest:
        yield Refusal.ALREADY_STORED, f"{call.digest} is stored under epoch {call.epoch}"
        return
    yield from _made_on(world, call)
    if call.epoch in stored:
        yield Refusal.CONFLICT, f"{stored[call.epoch]} is stored under epoch {call.epoch}"
    yield from _stale(shard, call)
    yield from _sealed(shard)
    yield from _lease(shard, call)
    if call.parts is not None and call.parts[0] != call.parts[1]:
        yield Refusal.INCOMPLETE, f"{call.parts[0]} of {call.parts[1]} parts"


def _commit(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    if shard.receipt == (call.epoch, call.tokens, call.digest):
        yield Refusal.ALREADY_COMMITTED, f"epoch {call.epoch} has its receipt"
        return
    yield from _made_on(world, call)
    if shard.receipt is not None and shard.receipt[0] == call.epoch:
        yield (
            Refusal.CONFLICT,
            f"the receipt of epoch {call.epoch} is for {shard.receipt[1]} tokens, {shard.receipt[2]}",
        )
    yield from _stale(shard, call)
    yield from _sealed(shard)
    yield from _lease(shard, call)
    if world.holds and (shard.held == 0 or shard.granted != call.epoch):
        yield Refusal.UNRESERVED_SPEND, f"no live hold of epoch {call.epoch}"
    if world.puts and call.digest not in dict(shard.stored).values():
        yield Refusal.NO_ARTIFACT, f"{call.digest} is not stored"


def _seal(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    if shard.receipt is None:
        yield Refusal.NO_RECEIPT, "nothing is committed"


def _print(world: World, ledger: Ledger, shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    missing = [name for name in world.plan.shards if ledger.shards[world.positions[name]].receipt is None]
    if missing:
        yield Refusal.MISSING_SHARDS, f"no receipt of {missing[:5]}"


def current(shard: Shard) -> int:
    """The highest epoch, by hold or by lease."""
    return max(shard.granted, shard.leased)


def _stale(shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    newest = max(current(shard), shard.register)
    if call.epoch < newest:
        yield Refusal.STALE_EPOCH, f"epoch {newest} was granted"


def _sealed(shard: Shard) -> Iterator[tuple[Refusal, str]]:
    if shard.receipt is not None:
        yield Refusal.SEALED, f"the shard has its receipt, of epoch {shard.receipt[0]}"


def _lease(shard: Shard, call: Call) -> Iterator[tuple[Refusal, str]]:
    """The lease is over. Within a call that spans its end both answers are right: this tells only what is certain."""
    if shard.over:
        yield Refusal.LEASE_EXPIRED, f"the lease of epoch {current(shard)} was declared over"
    elif shard.expires is not None and call.begun is not None and call.begun >= shard.expires:
        yield Refusal.LEASE_EXPIRED, f"the lease ended at {shard.expires:g}"
    elif call.answer == "fail" and _may_be_over(shard, call):
        yield Refusal.LEASE_EXPIRED, "the lease may be over by the clock"


def _may_be_over(shard: Shard, call: Call) -> bool:
    """Whether the clock can have ended the lease by the call's end; if that is not known, only who says so is right."""
    if shard.expires is None or call.ended is None:
        return call.refusal is Refusal.LEASE_EXPIRED
    return call.ended >= shard.expires


def _made_on(world: World, call: Call) -> Iterator[tuple[Refusal, str]]:
    if None not in (world.plan.revision, call.revision) and call.revision != world.plan.revision:
        yield Refusal.REVISION_MISMATCH, f"made by {call.revision}, pinned is {world.plan.revision}"
    if None not in (world.plan.input_digest, call.input_digest) and call.input_digest != world.plan.input_digest:
        yield Refusal.INPUT_MISMATCH, f"made on {call.input_digest}, planned is {world.plan.input_digest}"


CLASSES: Final[dict[str, Callable[[World, Ledger, Shard, Call], Iterator[tuple[Refusal, str]]]]] = {
    "ledger.reserve": _reserve,
    "lease.grant": _grant,
    "lease.renew": _renew,
    "lease.expire": _expire,
    "store.tell": _tell,
    "store.put": _put,
    "ledger.commit": _commit,
    "seal": _seal,
    "report.print": _print,
}

EFFECTS: Final[dict[str, Callable[[Shard, Call], tuple[Shard, int]]]] = {
    "ledger.reserve": lambda shard, call: (
        shard._replace(
            granted=call.epoch,
            held=call.tokens,
            holds=(*shard.holds, (call.epoch, call.tokens)),
            expires=call.expires if call.epoch > shard.leased else shard.expires,
            over=shard.over and call.epoch <= shard.leased,
        ),
        call.tokens - shard.held,
    ),
    "lease.grant": lambda shard, call: (shard._replace(leased=call.epoch, expires=call.expires, over=False), 0),
    "lease.renew": lambda shard, call: (shard._replace(expires=call.expires), 0),
    "lease.expire": lambda shard, call: (shard._replace(over=True, held=0), call.tokens - shard.held),
    "store.tell": lambda shard, call: (shard._replace(register=call.epoch), 0),
    "store.put": lambda shard, call: (
        shard._replace(stored=tuple(sorted({**dict(shard.stored), call.epoch: call.digest}.items()))),
        0,
    ),
    "ledger.commit": lambda shard, call: (
        shard._replace(receipt=(call.epoch, call.tokens, call.digest), held=0),
        call.tokens - shard.held,
    ),
    "seal": lambda shard, call: (shard._replace(sealed=True), 0),
}
"""What an accepted call changes, and by how much it moves what is spent."""
