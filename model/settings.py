"""Settings, bounds and what every machine is set up with: the load, how far a search goes, the epoch acted for.

Source: the constants of `seeds/000` (4 shards, 50 cases, 37 tokens a case, a checkpoint every 30, preempted at 39).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from fencebench.model.fence import Fence


@dataclass(frozen=True)
class Fault:
    """What can strike: its name, one sentence, and whether each strike is felt by every shard at once.

    A fault of one's own brings its `action`, a generator of steps whose effect names it, and how often it may strike.
    """

    name: str
    sentence: str
    felt_by_all: bool = False
    action: Callable[..., Iterable[Any]] | None = None
    cap: int = 1


ALL_FAULTS = (
    Fault("preempt", "a host is taken away, between any two steps of its worker"),
    Fault("stall", "a worker lives, and its lease renewals do not arrive"),
    Fault("late", "a commit that was sent stays in flight past the end of its lease"),
    Fault("duplicate", "a commit in flight arrives twice"),
    Fault("redeliver", "a dispatch arrives again, and the same attempt executes again"),
    Fault(
        "flip_alias",
        "the alias resolves to another revision, which serves one pinned call",
        felt_by_all=True,
    ),
    Fault("change_fixture", "the input slice of a shard is edited during the run"),
    Fault("skew", "the clock of a worker is off"),
    Fault("forge", "a commit arrives that no worker sent"),
    Fault("lose_reply", "a call takes effect, and its caller never hears of it"),
    Fault("crash_driver", "the driver crashes, and goes on from what is durable", felt_by_all=True),
    Fault("cut_allowance", "the ceiling falls during the run"),
)
"""What can strike, in the order in which budgets are kept."""

FAULTS = tuple(fault.name for fault in ALL_FAULTS)


def fault_names(fence: Fence) -> tuple[str, ...]:
    """Return the names of all that can strike a fence, in the order in which budgets are kept."""
    return (*FAULTS, *(fault.name for fault in fence.faults))


RANGES = {
    "shards": (1, 1_000),
    "epochs": (1, 100),
    "faults": (0, 1_000),
    **dict.fromkeys(FAULTS, (0, 1_000)),
    "ceiling": (0, 10**12),
    "cases": (1, 100_000),
    "checkpoint_cases": (1, 100_000),
    "tokens_per_case": (1, 10**6),
    "lease_seconds": (1, 10**9),
    "margin_seconds": (0, 10**9),
    "skew_seconds": (0, 10**9),
}
"""The least and the largest value of each number that a person may give."""


class SettingsError(ValueError):
    """Settings do not fit each other; the message is one line that says what was expected."""


@dataclass(frozen=True)
class Settings:
    """The load of a shard and the times of a lease; tokens, cases and seconds are whole numbers.

    `checkpoint_cases` is after how many cases the checkpoint is written. `milestones` are the cases graded after each
    call; () are those that follow: the checkpoint, nine twentieths of the rest (39 of the seed's 50), the end.
    """

    cases: int = 50
    checkpoint_cases: int = 30
    tokens_per_case: int = 37
    lease_seconds: int = 300
    margin_seconds: int = 90
    skew_seconds: int = 90
    milestones: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.checkpoint_cases < self.cases:
            raise SettingsError(
                f"checkpoint_cases must be from 1 to below cases ({self.cases}); found {self.checkpoint_cases}"
            )
        ends = self.slice_ends
        if ends != tuple(sorted({*ends})) or ends[0] < 1 or ends[-1] != self.cases or self.checkpoint_cases not in ends:
            raise SettingsError(
                f"milestones must ascend to cases ({self.cases}) by way of checkpoint_cases ({self.checkpoint_cases}); "
                f"found {', '.join(map(str, ends))}"
            )

    @property
    def slice_ends(self) -> tuple[int, ...]:
        """Cases graded after each call of an attempt that grades in slices."""
        between = self.checkpoint_cases + -(-9 * (self.cases - self.checkpoint_cases) // 20)
        return self.milestones or tuple(sorted({self.checkpoint_cases, between, self.cases}))

    @property
    def plan_tokens(self) -> int:
        """What one whole attempt at a shard draws."""
        return self.cases * self.tokens_per_case

    @property
    def offsets_seconds(self) -> tuple[int, ...]:
        """How far a worker's clock may be off when skew strikes."""
        return (-self.skew_seconds, self.skew_seconds) if self.skew_seconds else ()

    @property
    def ages_seconds(self) -> tuple[int, ...]:
        """Lower ends of the lease ages that some clock can tell apart, ascending."""
        ends = (self.lease_seconds - self.margin_seconds, self.lease_seconds)
        return tuple(sorted({0, *ends, *(end - off for end in ends for off in self.offsets_seconds)}))


@dataclass(frozen=True)
class Bound:
    """How far a search goes: `faults` caps the sum, `caps` each fault; `ceiling_tokens` None is the plan of the run.

    `earlier_run` starts each shard's ledger as an earlier run of the same shards left it.
    """

    shards: int = 1
    epochs: int = 2
    faults: int = 2
    caps: Mapping[str, int] = field(default_factory=lambda: MappingProxyType(dict.fromkeys(FAULTS, 1)))
    spare_attempts: int = 0
    ceiling_tokens: int | None = None
    earlier_run: bool = False

    def cap(self, fault: str) -> int:
        """Return how often the fault may strike at most; never more than the sum allows."""
        return min(self.caps.get(fault, 1), self.faults)

    def ceiling(self, settings: Settings) -> int:
        """Return the run's ceiling in tokens."""
        plan = (self.shards + self.spare_attempts) * settings.plan_tokens
        return plan if self.ceiling_tokens is None else self.ceiling_tokens


@dataclass(frozen=True)
class Setup:
    """A fence under a bound; `epoch` is that of the attempt an action belongs to."""

    fence: Fence
    settings: Settings
    bound: Bound
    epoch: int = 0

    @property
    def milestones(self) -> tuple[int, ...]:
        """Cases graded after each call."""
        return self.settings.slice_ends if self.fence.calls == "slices" else (self.settings.cases,)

    def pinned(self, epoch: int) -> int | None:
        """Return the model revision that the grant of an epoch names; a floating alias names none."""
        return {"pinned": 0, "a revision per epoch": epoch, "floating": None}[self.fence.model]


def revision_name(number: int) -> str:
    """Name a model revision; rev-A is the one that is pinned."""
    return f"rev-{chr(ord('A') + number)}"


def digest(version: int) -> str:
    """Name an input digest by the version of the slice."""
    return f"in-{version}"
