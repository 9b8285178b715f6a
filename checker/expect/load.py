"""What a user knows of a batch: one table of inputs, their defaults, least values and units.

Times are seconds, rates are those of one attempt's host. Every fault is memoryless: at any moment it is as likely to
strike as at any other. Source: the constants of `seeds/000`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

from fencebench.checker.errors import BadInput
from fencebench.model.fence import Fence
from fencebench.model.settings import RANGES, Settings


@dataclass(frozen=True)
class Load:
    """A batch, its hosts, and how often what goes wrong; None: the fence's own checkpoints, no bound, no ceiling.

    `interruptions_per_hour` is the mean number in an hour of one host; the other two forms, where given, stand instead
    of it. `crash` and `stall` rates are per hour of an attempt, `late` per commit, `lost_replies` per model call.
    """

    interruptions_per_hour: float = -math.log(0.8)
    interruptions_per_attempt: float | None = None
    interruptions_per_case: float | None = None
    seconds_per_case: float = 60
    shards: int = 4
    cases: int = 50
    tokens_per_case: int = 37
    call_cases: int = 1
    checkpoint_cases: int | None = None
    write_seconds: float = 2
    replacement_seconds: float = 0
    lease_seconds: int = 300
    hosts: int | None = None
    epochs: int | None = None
    ceiling: int | None = None
    price_per_million: float | None = None
    stalls_per_hour: float = 0
    late_per_commit: float = 0
    lost_replies_per_call: float = 0
    driver_crashes_per_hour: float = 0
    restart_seconds: float = 60
    runs: int = 20_000
    seed: int = 0

    @property
    def plan_tokens(self) -> int:
        """What the run draws if nothing goes wrong."""
        return self.shards * self.cases * self.tokens_per_case

    @property
    def ceiling_tokens(self) -> int:
        """The run's ceiling; the plan where none is given."""
        return self.plan_tokens if self.ceiling is None else self.ceiling

    @property
    def rate_per_second(self) -> float:
        """How often a host is interrupted, per second; infinite where no case is ever finished."""
        if self.interruptions_per_attempt is not None:
            return hazard(self.interruptions_per_attempt, self.cases * self.seconds_per_case)
        if self.interruptions_per_case is not None:
            return hazard(self.interruptions_per_case, self.seconds_per_case)
        return self.interruptions_per_hour / 3600


def hazard(chance: float, seconds: float) -> float:
    """Return the rate per second at which something memoryless happens within so many seconds with this chance."""
    return math.inf if chance >= 1 else -math.log1p(-chance) / seconds


class Input(NamedTuple):
    """An input: `least` and `most` are allowed values; `whole` numbers have no fraction."""

    help: str
    whole: bool = False
    least: float = 0
    most: float = math.inf
    above: bool = False


INPUTS: Mapping[str, Input] = {
    "interruptions_per_hour": Input(
        "mean interruptions of a host in an hour, or 20%: the chance of one within an hour"
    ),
    "interruptions_per_attempt": Input("or: chance that a host is lost while it grades a whole shard", most=1),
    "interruptions_per_case": Input("or: chance that a host is lost while it grades a case", most=1),
    "seconds_per_case": Input("seconds that a case takes", above=True),
    "shards": Input("shards of the run", whole=True, least=1, most=RANGES["shards"][1]),
    "cases": Input("cases a shard", whole=True, least=2, most=RANGES["cases"][1]),
    "tokens_per_case": Input("tokens a case", whole=True, least=1, most=RANGES["tokens_per_case"][1]),
    "call_cases": Input("cases in one model call", whole=True, least=1),
    "checkpoint_cases": Input(
        "a checkpoint after every so many cases, 0 for none; default: the fence's own", whole=True
    ),
    "write_seconds": Input("seconds that a checkpoint takes to write"),
    "replacement_seconds": Input("seconds from the end of a lease until another host works"),
    "lease_seconds": Input(
        "seconds until the driver gives up an attempt that it does not hear of", whole=True, least=1
    ),
    "hosts": Input("hosts that work at a time; default: one for each shard", whole=True, least=1),
    "epochs": Input("attempts a shard at most; default: as many as it takes", whole=True, least=1, most=1000),
    "ceiling": Input("tokens that the run may spend; default: the plan", whole=True),
    "price_per_million": Input("price of a million tokens"),
    "stalls_per_hour": Input("renewals of a lease stall for good, in an hour of an attempt"),
    "late_per_commit": Input("chance that a commit is in flight until its lease is over", most=1),
    "lost_replies_per_call": Input("chance that the reply to a model call is lost", most=0.9),
    "driver_crashes_per_hour": Input("crashes of the driver in an hour of an attempt"),
    "restart_seconds": Input("seconds until a crashed driver works again"),
    "runs": Input("runs of a simulation", whole=True, least=100, most=1_000_000),
    "seed": Input("seed of a simulation", whole=True),
}
"""Every input by name; what is in no other place is said here."""

assert set(INPUTS) == {f.name for f in fields(Load)}


def read(name: str, value: Any, where: str) -> Any:
    """Return the value of an input.

    Raises:
        BadInput: it is no number, or none that the input takes.
    """
    kind = INPUTS[name]
    number: Any = percent(name, value, where) if isinstance(value, str) else value
    wanted = "a whole number" if kind.whole else "a number"
    right = isinstance(number, int) or (isinstance(number, float) and not kind.whole and math.isfinite(number))
    above = kind.above and right and number <= kind.least
    if not right or isinstance(number, bool) or above or not kind.least <= number <= kind.most:
        raise BadInput(f"{where}: {name} must be {wanted}{span(kind)}; found {value!r}")
    return number


def span(kind: Input) -> str:
    """Describe the allowed values."""
    least = f" above {kind.least:g}" if kind.above else f", {kind.least:g} or more"
    return (
        least
        if math.isinf(kind.most)
        else f" from {kind.least:g} to {kind.most if kind.most < 1 else int(kind.most):,}"
    )


def percent(name: str, text: str, where: str) -> float | int | str:
    """Read a number; of interruptions an hour `20%` is the chance of one within an hour."""
    try:
        if name == "interruptions_per_hour" and text.endswith("%"):
            return chance_of_hour(float(text[:-1]) / 100, text, where)
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        return text


def chance_of_hour(chance: float, text: str, where: str) -> float:
    """Return the mean number of interruptions in an hour that come within it with this chance."""
    if not 0 <= chance < 1:
        raise BadInput(f"{where}: interruptions_per_hour as a chance must be from 0% to below 100%; found {text!r}")
    return -math.log1p(-chance)


RATES = ("interruptions_per_hour", "interruptions_per_attempt", "interruptions_per_case")


def loaded(values: Mapping[str, Any], where: str, base: Load | None = None) -> Load:
    """Return a load of read values.

    Raises:
        BadInput: the values do not go together.
    """
    named = [name for name in RATES if name in values]
    if len(named) > 1:
        raise BadInput(f"{where}: {' and '.join(named)} say the same thing twice; keep one of them")
    others = dict.fromkeys(RATES[1:]) if named else {}
    load = replace(base or Load(), **{**others, **values})
    if load.call_cases > load.cases:
        raise BadInput(
            f"{where}: call_cases must be at most the {load.cases} cases of a shard; found {load.call_cases}"
        )
    return load


def modelled(fence: Fence, load: Load) -> tuple[Fence, Settings]:
    """Return the fence and the model's settings: a milestone after each call and at each checkpoint, no skew.

    The one place that says how finely the machines are explored, and which checkpoints a fence then writes.
    """
    every = checkpoint_interval(fence, load)
    ends = {*range(load.call_cases, load.cases, load.call_cases), load.cases}
    ends |= {*range(every, load.cases, every)} if every else set()
    settings = Settings(
        cases=load.cases,
        checkpoint_cases=every or (min(ends) if len(ends) > 1 else 1),
        tokens_per_case=load.tokens_per_case,
        lease_seconds=load.lease_seconds,
        skew_seconds=0,
        milestones=tuple(sorted(ends)) if len(ends) > 1 else (),
    )
    if not every:
        fence = fence.having(checkpoint="none")
    elif fence.checkpoint == "each slice":
        fence = fence.having(checkpoint="with digest")  # a slice is as long as the interval
    return (fence if len(ends) > 1 else fence.having(calls="whole")), settings


def checkpoint_interval(fence: Fence, load: Load) -> int | None:
    """Return after how many cases each the fence writes a checkpoint, or None; one that keeps none keeps none."""
    own = load.call_cases if fence.checkpoint == "each slice" else Settings.checkpoint_cases
    every = own if load.checkpoint_cases is None else load.checkpoint_cases
    return every if 0 < every < load.cases and fence.checkpoint != "none" else None
