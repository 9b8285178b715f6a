"""A fence is data: rules for each boundary, in order, and a strategy for whatever is no rule; refusals by class."""

import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from importlib import import_module
from operator import itemgetter
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, get_args, get_origin

from fencebench.model.machine import Evidence

if TYPE_CHECKING:
    from fencebench.model.promises.promise import Promise
    from fencebench.model.settings import Fault
    from fencebench.model.shard import Component


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


class FenceError(ValueError):
    """A fence or one of its rules is not what it has to be; the message is one line that says what was expected."""


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

    def __post_init__(self) -> None:
        if not isinstance(self.refusal, Refusal):
            raise FenceError(f"rule {self.name} answers {self.refusal!r}; expected a class such as Refusal.STALE_EPOCH")
        if not callable(self.applies):
            raise FenceError(f"rule {self.name} is no function of a request and a view")

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
    evidence: Evidence | None = None

    @property
    def given(self) -> dict[str, Any]:
        """What an event keeps of who answered."""
        return {"rule": self.rule, "behind": self.behind, "evidence": self.evidence}


ATOMIC = (
    "each answer of your own code is one step by assumption: what transactions do to each other between their "
    "statements is for `oracle linearize` and tests with real clients"
)
"""What a search with somebody else's answers does not show."""


class Respondent(Protocol):
    """Whoever answers a boundary in the place of its rules; `promises` are what is asked of it besides the bench's own.

    It is a function of (request, view): equal questions have equal answers. `fence` is given for its rules at that
    boundary, which say what would have been answered without it.
    """

    @property
    def name(self) -> str:
        """What it is called where a rule would be named."""

    @property
    def summary(self) -> str:
        """Say who answered how much."""

    @property
    def promises(self) -> tuple["Promise", ...]:
        """Promises about its answers."""

    def answer(self, fence: "Fence", boundary: str, request: Any, view: Any) -> Answer:
        """Answer a question."""


def boundary(asks: str) -> Any:
    """Declare a boundary: who asks its rules, and when."""
    return field(default=(), metadata={BOUNDARY: asks})


BOUNDARY = "asks"
"""The key under which a field of a fence says that it is a boundary."""


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
        cleanup: what a worker deletes whose commit was refused.
        promises: what this fence is asked for on top of the bench's own promises.
        faults: what can strike it on top of the bench's own faults.
        machines: what each shard has on top of the bench's own machines.
        answered: boundaries that somebody else answers, and who; their rules only say what would have been answered.
        removed: rules that it was made without.

    """

    name: str
    summary: str
    reserve: tuple[Rule, ...] = boundary("the ledger, before it grants an epoch")
    resume: tuple[Rule, ...] = boundary("a worker, before it starts from a checkpoint or anew")
    call: tuple[Rule, ...] = boundary("the gateway, before a model call")
    write: tuple[Rule, ...] = boundary("a worker, before it puts and before it sends its commit")
    put: tuple[Rule, ...] = boundary("the store, before it keeps an artifact")
    commit: tuple[Rule, ...] = boundary("the ledger, before it books a row")
    consume: tuple[Rule, ...] = boundary("the reducer, before it takes a row into the aggregate")
    publish: tuple[Rule, ...] = boundary("the report writer, before it prints")
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
    cleanup: Literal["nothing", "own artifact"] = "nothing"
    promises: tuple["Promise", ...] = ()
    faults: tuple["Fault", ...] = ()
    machines: tuple["Component", ...] = ()
    answered: tuple[tuple[str, Respondent], ...] = ()
    removed: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        for name, values in STRATEGIES.items():
            if getattr(self, name) not in values:
                raise FenceError(
                    f"fence {self.name}: {name} cannot be {getattr(self, name)!r}; expected one of {', '.join(values)}"
                )
        for name in (*BOUNDARIES, "promises", "faults", "machines"):
            if not isinstance(found := getattr(self, name), tuple):
                hint = f"; write fence.having({name}=…)" if is_respondent(found) else ""
                raise FenceError(f"fence {self.name}: {name} must be a tuple; found {found!r}{hint}")
        for name in BOUNDARIES:
            check_rules(self, name)

    def rules(self) -> tuple[tuple[str, Rule], ...]:
        """Return every rule that is asked, with its full name, in order."""
        return tuple((f"{b}.{r.name}", r) for b in BOUNDARIES if not self.respondent(b) for r in getattr(self, b))

    def respondent(self, boundary: str) -> Respondent | None:
        """Return who answers the boundary in the place of its rules."""
        return next((who for name, who in self.answered if name == boundary), None)

    def looks(self, boundary: str) -> bool:
        """Say whether anybody looks at the boundary at all."""
        return bool(getattr(self, boundary)) or self.respondent(boundary) is not None

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
            if not self.respondent(b)
        }
        summary = f"{self.summary}, without {', '.join(names)}"
        return self.having(name=f"{self.name}-without-{'-'.join(names)}", summary=summary, **kept)

    def having(self, **changes: Any) -> "Fence":
        """Return this fence with other rules, or a respondent, at a boundary, or another strategy in a field.

        Raises:
            FenceError: there is no such boundary or strategy, or it cannot be that.

        """
        for name in changes:
            if name not in {f.name for f in fields(self)}:
                raise FenceError(f"fence {self.name}: there is no boundary or strategy {name!r}; see fencebench list")
        who = {b: changes.pop(b) for b in BOUNDARIES if is_respondent(changes.get(b))}
        kept = [(b, old) for b, old in self.answered if b not in (*who, *changes)]
        changes = {**changes, "answered": tuple(sorted((*kept, *who.items()), key=itemgetter(0)))}
        mine = with_promises((), self.answered)
        own = tuple(p for p in changes.get("promises", self.promises) if p not in mine)
        changes["promises"] = with_promises(own, changes["answered"])
        gone = (r.name for b in BOUNDARIES if b in changes for r in getattr(self, b))
        removed = dict.fromkeys((*self.removed, *gone))
        return replace(self, **changes, removed=tuple(removed))

    def has(self, what: str) -> bool:
        """Say whether the fence has the rule `boundary.rule`, or the strategy `field=value`.

        A respondent is taken to do what the rules in whose place it answers do.
        """
        if "=" in what:
            name, value = what.split("=")
            return bool(getattr(self, name) == value)
        return any(f"{b}.{r.name}" == what for b in BOUNDARIES for r in getattr(self, b))

    def strategies(self) -> dict[str, str]:
        """Return the strategies, by name."""
        return {name: getattr(self, name) for name in STRATEGIES}

    def judge(self, boundary: str, request: object, view: object) -> Answer:
        """Ask whoever answers the boundary: somebody else, or its rules."""
        who = self.respondent(boundary)
        return who.answer(self, boundary, request, view) if who else self.by_rules(boundary, request, view)

    def by_rules(self, boundary: str, request: object, view: object) -> Answer:
        """Ask the boundary's rules in order; the first that applies answers."""
        applying = [r for r in getattr(self, boundary) if asked(f"{boundary}.{r.name}", r, request, view)]
        if not applying:
            return Answer(None)
        names = tuple(f"{boundary}.{r.name}" for r in applying)
        return Answer(applying[0].refusal, names[0], names[1:])


BOUNDARIES = {f.name: f.metadata[BOUNDARY] for f in fields(Fence) if BOUNDARY in f.metadata}
"""Every boundary in its order, and who asks its rules when."""

STRATEGIES: dict[str, tuple[str, ...]] = {
    f.name: get_args(f.type) for f in fields(Fence) if get_origin(f.type) is Literal
}
"""Every strategy, and the values that it can have."""


def is_respondent(value: object) -> bool:
    """Say whether a value answers questions of a boundary."""
    return callable(getattr(value, "answer", None))


def with_promises(
    promises: tuple["Promise", ...], answered: tuple[tuple[str, Respondent], ...]
) -> tuple["Promise", ...]:
    """Return promises of a fence with those about the answers of somebody else, each once."""
    return tuple(dict.fromkeys((*promises, *(promise for _, who in answered for promise in who.promises))))


def check_rules(fence: Fence, boundary: str) -> None:
    """Refuse what is no rule at a boundary, a rule that is there twice, and a name in `behind` that nothing has."""
    rules = getattr(fence, boundary)
    for one in rules:
        if not isinstance(one, Rule):
            what = getattr(one, "__name__", repr(one))
            raise FenceError(f"fence {fence.name}: {what} at {boundary} is no rule; put @rule(Refusal.…) before it")
        if [other.name for other in rules].count(one.name) > 1:
            raise FenceError(f"fence {fence.name}: two rules at {boundary} are called {one.name}; rename one")
        for name in one.behind:
            if not known(fence, name):
                where = f"rule {boundary}.{one.name} of fence {fence.name}"
                raise FenceError(f"{where}: behind names {name!r}; expected a `boundary.rule` or a `strategy=value`")


def known(fence: Fence, name: str) -> bool:
    """Say whether a name in `behind` is a strategy's value, a rule of the bench, or one that this fence has or had."""
    left, sign, value = name.partition("=")
    if sign:
        return value in STRATEGIES.get(left, ())
    boundary, _, rule_name = name.partition(".")
    if boundary not in BOUNDARIES:
        return False
    module = import_module(f"fencebench.model.rules.{boundary}")
    mine = {r.name for b in BOUNDARIES for r in getattr(fence, b) if isinstance(r, Rule)}
    return isinstance(getattr(module, rule_name, None), Rule) or rule_name in mine or rule_name in fence.removed


def asked(name: str, one: Rule, request: object, view: object) -> bool:
    """Ask a rule, twice: it has to be a function of what it is given. What it prints is kept out of the report.

    Raises:
        FenceError: it raises, answers differently the second time, or answers neither True nor False.

    """
    try:
        with redirect_stdout(sys.stderr):
            first, again = one.applies(request, view), one.applies(request, view)
    except (Exception, SystemExit) as error:
        raise FenceError(
            f"rule {name} raised {type(error).__name__}: {error}{place(error)}, asked {request}"
        ) from error
    if not isinstance(first, bool):
        raise FenceError(f"rule {name} answered {first!r}; expected True or False")
    if first is not again:
        raise FenceError(f"rule {name} answered {first}, then {again} to the same question; it must be a function")
    return first


def place(error: BaseException) -> str:
    """Say in which file and line an exception was raised."""
    frames = extract_tb(error.__traceback__)
    return f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
