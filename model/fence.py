"""A fence is data: rules for each boundary, in order, and a strategy for whatever is no rule; refusals by class."""

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Literal, NamedTuple


class Refusal(StrEnum):
    """The class of an answer that is not plain success; the first three are success told again."""

    ALREADY_RESERVED = "ALREADY_RESERVED"
    ALREADY_STORED = "ALREADY_STORED"
    ALREADY_COMMITTED = "ALREADY_COMMITTED"
    CONFLICT = "CONFLICT"
    REVISION_MISMATCH = "REVISION_MISMATCH"
    INPUT_MISMATCH = "INPUT_MISMATCH"
    CONFIG_MISMATCH = "CONFIG_MISMATCH"
    STALE_EPOCH = "STALE_EPOCH"
    SEALED = "SEALED"
    LEASE_EXPIRED = "LEASE_EXPIRED"
    LEASE_MARGIN = "LEASE_MARGIN"
    UNRESERVED_SPEND = "UNRESERVED_SPEND"
    NO_HOLD = "NO_HOLD"
    HOLD_EXHAUSTED = "HOLD_EXHAUSTED"
    OVER_CEILING = "OVER_CEILING"
    NO_ARTIFACT = "NO_ARTIFACT"
    INCOMPLETE = "INCOMPLETE"
    MISSING_SHARDS = "MISSING_SHARDS"
    UNRESOLVED_CONFLICT = "UNRESOLVED_CONFLICT"
    MIXED_REVISIONS = "MIXED_REVISIONS"
    NO_RECEIPT = "NO_RECEIPT"


GO_ON = frozenset({Refusal.ALREADY_RESERVED, Refusal.ALREADY_STORED, Refusal.ALREADY_COMMITTED})


BOUNDARIES = ("reserve", "resume", "call", "write", "put", "commit", "consume", "publish")


@dataclass(frozen=True)
class Rule:
    """A named pure predicate on (request, view) and the class it answers with.

    `behind` names rules (`boundary.rule`), or `strategy=value`, that keep this one from ever being asked a question
    it would refuse. While one of them is in the fence, this rule is standby and owes no witness.
    """

    name: str
    refusal: Refusal
    applies: Callable[[Any, Any], bool]
    behind: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What the rule says, in one sentence."""
        return (self.applies.__doc__ or self.name).strip().splitlines()[0]


def rule(refusal: Refusal, behind: tuple[str, ...] = ()) -> Callable[[Callable[[Any, Any], bool]], Rule]:
    """Turn a predicate into a rule of the same name."""

    def make(applies: Callable[[Any, Any], bool]) -> Rule:
        return Rule(applies.__name__, refusal, applies, behind)

    return make


class Answer(NamedTuple):
    """What a boundary answers: no refusal means yes. `behind` are rules that would have refused as well."""

    refusal: Refusal | None
    rule: str = ""
    behind: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fence:
    """Rules by boundary, strategies by field; a variant is `fence.without("stale_epoch")` or `replace(fence, …)`.

    Attributes:
        epochs: who mints them.
        holds: what a reservation promises: a shard's plan, only what a usable checkpoint leaves of it, or nothing.
        claims: which tokens a commit names: those drawn under its epoch, or those held for it.
        register: whether the store's fence register is raised before each dispatch.
        chain: whether a grant links the attempt before it to its successor.
        acceptance: `put`: what the store created counts; `receipt`: only what a receipt names; `latest`: the put with
            the latest timestamp of its worker's clock.
        settlement: what becomes of the hold of an attempt that was given up.
        sealing: with the commit in one transaction, or by the driver a step later.
        model: which revision a call is served by.
        checkpoint: what is kept after the first milestone; with its input digest after each one (`each slice`).
        calls: whether a shard is graded in slices or by one call.
        cut_off: what an attempt does when the provider refuses a call over its allowance.
        consumption: whether the reducer takes rows with receipts, or whatever is stored.
        report: what the aggregate is divided by: one row a shard, or all rows.
        on_stale: what follows a stale commit: the refusal alone, another grading, or a retraction by the report.
        recovery: what a driver knows after a crash: what the ledger holds, or nothing but the next epoch.

    """

    name: str
    summary: str
    reserve: tuple[Rule, ...] = ()
    resume: tuple[Rule, ...] = ()
    call: tuple[Rule, ...] = ()
    write: tuple[Rule, ...] = ()
    put: tuple[Rule, ...] = ()
    commit: tuple[Rule, ...] = ()
    consume: tuple[Rule, ...] = ()
    publish: tuple[Rule, ...] = ()
    epochs: Literal["driver", "worker"] = "driver"
    holds: Literal["shard", "slice", "none"] = "shard"
    claims: Literal["drawn", "held"] = "drawn"
    register: Literal["raised", "none"] = "raised"
    chain: Literal["with the grant", "none"] = "with the grant"
    acceptance: Literal["put", "receipt", "latest"] = "receipt"
    settlement: Literal["keep", "release", "write off whole", "write off drawn"] = "write off drawn"
    sealing: Literal["with commit", "a step later"] = "with commit"
    model: Literal["pinned", "floating", "a revision per epoch"] = "pinned"
    checkpoint: Literal["none", "index", "with digest", "each slice"] = "with digest"
    calls: Literal["slices", "whole"] = "slices"
    cut_off: Literal["end", "commit what is there"] = "end"
    consumption: Literal["receipts", "stored"] = "receipts"
    report: Literal["mean over shards", "total over rows"] = "mean over shards"
    on_stale: Literal["reject", "replay", "compensate"] = "reject"
    recovery: Literal["ledger", "next epoch"] = "ledger"

    def rules(self) -> tuple[tuple[str, Rule], ...]:
        """Return every rule with its full name, in order."""
        return tuple((f"{b}.{r.name}", r) for b in BOUNDARIES for r in getattr(self, b))

    def without(self, *names: str) -> "Fence":
        """Return this fence less the named rules; a name is `rule` (everywhere) or `boundary.rule`.

        Raises:
            ValueError: no rule of this fence has that name.

        """
        for name in names:
            if not any(name in (full, r.name) for full, r in self.rules()):
                raise ValueError(
                    f"fence {self.name} has no rule {name}; it has {', '.join(f for f, _ in self.rules())}"
                )
        kept: dict[str, Any] = {
            b: tuple(r for r in getattr(self, b) if r.name not in names and f"{b}.{r.name}" not in names)
            for b in BOUNDARIES
        }
        told = f"{self.summary}, without {', '.join(names)}"
        return replace(self, name=f"{self.name}-without-{'-'.join(names)}", summary=told, **kept)

    def having(self, **changes: Any) -> "Fence":
        """Return this fence with other rules at a boundary, or another strategy in a field."""
        return replace(self, **changes)

    def has(self, what: str) -> bool:
        """Say whether the fence has the rule `boundary.rule`, or the strategy `field=value`."""
        if "=" in what:
            name, value = what.split("=")
            return bool(getattr(self, name) == value)
        return any(full == what for full, _ in self.rules())

    def strategies(self) -> dict[str, str]:
        """Return the fields that are no rules, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in (*BOUNDARIES, "name", "summary")}

    def judge(self, boundary: str, request: object, view: object) -> Answer:
        """Ask the boundary's rules in order; the first that applies answers."""
        applying = [r for r in getattr(self, boundary) if r.applies(request, view)]
        if not applying:
            return Answer(None)
        names = tuple(f"{boundary}.{r.name}" for r in applying)
        return Answer(applying[0].refusal, names[0], names[1:])
