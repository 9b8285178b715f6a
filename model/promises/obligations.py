"""What a search owes before its pass means anything: actions, faults, rules and witnesses that must have been reached.

A `Need` is data beside the name: groups of faults of which one each must have a budget, and the fewest epochs. What
needs a fault without budget is not owed; what needs more epochs is owed, and the bound has to be raised.
"""

from collections.abc import Iterator
from typing import NamedTuple

from fencebench.model.fence import Fence, Rule
from fencebench.model.promises.witnesses import REFUSED, completed
from fencebench.model.settings import Bound, Settings, fault_names

DEATH = ("preempt", "stall", "late")
DEATH_BEFORE_SEND = ("preempt", "stall")


class Need(NamedTuple):
    """Fault groups (one of each must have a budget), fewest epochs, and whether a second full attempt must fit."""

    groups: tuple[tuple[str, ...], ...] = ()
    epochs: int = 1
    spare: bool = False

    def budgeted(self, bound: Bound, fence: Fence, settings: Settings) -> bool:
        """Say whether the bound's faults and tokens suffice."""
        caps = all(any(bound.cap(fault) for fault in group) for group in self.groups)
        room = (bound.shards + 1) * settings.plan_tokens
        fits = not fence.has("reserve.over_ceiling") or bound.ceiling(settings) >= room
        return caps and bound.faults >= len(self.groups) and (fits or not self.spare)


class Debt(NamedTuple):
    """Something owed: `kind` is action, fault, rule or witness; `advice` says which bound to raise, or ""."""

    kind: str
    name: str
    advice: str = ""


ACTIONS: dict[str, Need] = {
    **dict.fromkeys(
        ("reserve", "dispatch", "restart", "grade", "put", "send", "deliver", "observe", "publish"), Need()
    ),
    **dict.fromkeys(("elapse", "expire"), Need((DEATH,))),
    "renew": Need((DEATH,)),
    "resume": Need((("preempt",),)),
    "resume_checkpoint": Need((DEATH,), epochs=2, spare=True),
    "tell_store": Need(),
    "check_lease": Need(),
    "seal": Need(),
    "give_up": Need((DEATH,)),
    "recover": Need((("crash_driver",),)),
    "replay": Need((DEATH,), epochs=2, spare=True),
    "compensate": Need((DEATH,), epochs=2, spare=True),
    "clean_up": Need((DEATH,), epochs=2, spare=True),
}

RULES: dict[str, Need] = {
    "reserve.ALREADY_RESERVED": Need((("lose_reply", "crash_driver"),)),
    "reserve.CONFLICT": Need((("lose_reply", "crash_driver"), ("change_fixture",))),
    "reserve.OVER_CEILING": Need((DEATH,), epochs=2),
    "resume.LEASE_MARGIN": Need((DEATH_BEFORE_SEND,)),
    "resume.INPUT_MISMATCH": Need((("change_fixture",), DEATH), epochs=2, spare=True),
    "resume.REVISION_MISMATCH": Need((("flip_alias",), DEATH), epochs=2, spare=True),
    "call.NO_HOLD": Need((DEATH_BEFORE_SEND,)),
    "call.INPUT_MISMATCH": Need((("change_fixture",),)),
    "call.HOLD_EXHAUSTED": Need((("redeliver", "lose_reply"),)),
    "call.OVER_CEILING": Need((("cut_allowance",),)),
    "write.LEASE_MARGIN": Need((DEATH_BEFORE_SEND,)),
    "put.ALREADY_STORED": Need((("redeliver", "lose_reply"),)),
    "put.REVISION_MISMATCH": Need((("flip_alias",),)),
    "put.INPUT_MISMATCH": Need((("change_fixture",),)),
    "put.CONFLICT": Need((("redeliver",), ("flip_alias", "change_fixture"))),
    "put.STALE_EPOCH": Need((DEATH_BEFORE_SEND,), epochs=2, spare=True),
    "put.LEASE_EXPIRED": Need((DEATH_BEFORE_SEND,)),
    "commit.ALREADY_COMMITTED": Need((("duplicate", "redeliver", "lose_reply"),)),
    "commit.REVISION_MISMATCH": Need((("flip_alias",),)),
    "commit.INPUT_MISMATCH": Need((("change_fixture",),)),
    "commit.CONFLICT": Need((("redeliver",), ("flip_alias", "change_fixture"))),
    "commit.STALE_EPOCH": Need((DEATH,), epochs=2, spare=True),
    "commit.SEALED": Need((("forge",),)),
    "commit.LEASE_EXPIRED": Need((DEATH,)),
    "commit.UNRESERVED_SPEND": Need((("forge",),)),
    "put.INCOMPLETE": Need((("cut_allowance",),)),
    "publish.MISSING_SHARDS": Need((DEATH,)),
    "publish.UNRESOLVED_CONFLICT": Need((("redeliver",), ("flip_alias", "change_fixture"))),
    "publish.NO_RECEIPT": Need((DEATH,), epochs=2, spare=True),
}


def actions(fence: Fence, bounds: tuple[Bound, ...]) -> Iterator[tuple[str, Need]]:
    """Yield the actions that this fence has, each with its need."""
    absent = {
        "tell_store": fence.register == "none",
        "check_lease": not fence.looks("write"),
        "seal": fence.sealing == "with commit",
        "resume_checkpoint": fence.checkpoint == "none",
        "replay": fence.on_stale != "replay",
        "compensate": fence.on_stale != "compensate",
        "clean_up": fence.cleanup == "nothing",
        "give_up": all(bound.faults < bound.epochs for bound in bounds),
    }
    yield from ((name, need) for name, need in ACTIONS.items() if not absent.get(name, False))


def standby(fence: Fence, rule: Rule) -> str:
    """Name what keeps a rule from ever answering in this fence, or nothing."""
    return next((what for what in rule.behind if fence.has(what)), "")


def witnesses(fence: Fence, settings: Settings) -> Iterator[tuple[str, Need]]:
    """Yield the witnesses that this fence can show: some rule refuses the dead; a checkpoint is worth resuming."""
    refuses = {rule.refusal for _, rule in fence.rules()} & {"STALE_EPOCH", "LEASE_EXPIRED", "LEASE_MARGIN", "NO_HOLD"}
    if refuses:
        yield REFUSED, Need((DEATH_BEFORE_SEND,), epochs=2, spare=True)
    if fence.calls == "slices":
        yield completed(settings), Need((("preempt",),), epochs=2, spare=True)


def owed(fence: Fence, bounds: tuple[Bound, ...], settings: Settings) -> Iterator[Debt]:
    """Yield everything that a search of the union of these bounds has to reach."""
    needs = [("action", name, need) for name, need in actions(fence, bounds)]
    needs += [("fault", name, Need(((name,),))) for name in fault_names(fence)]
    needs += [
        ("rule", full, RULES.get(f"{full.split('.')[0]}.{rule.refusal}", Need()))
        for full, rule in fence.rules()
        if not standby(fence, rule)
    ]
    needs += [("witness", name, need) for name, need in witnesses(fence, settings)]
    for kind, name, need in needs:
        able = [bound for bound in bounds if need.budgeted(bound, fence, settings)]
        if able:
            most = max(bound.epochs for bound in able)
            yield Debt(kind, name, f"raise --epochs to {need.epochs}" if most < need.epochs else "")
