"""A trace told for a person: what every picture, text and file of a counterexample is made from.

Nothing here knows a machine or a fence: strings, whole seconds and whole numbers only, so a story can be stored,
drawn again and compared. `checker.narrate` makes one from a trace.
"""

from dataclasses import dataclass, field
from typing import Literal

Clock = Literal["none", "valid", "margin", "expired"]
Told = Literal["violated", "fixed", "no longer executable", ""]
"""What a story shows of its promise; nothing, where it is about none."""


@dataclass(frozen=True)
class Lane:
    """A lifeline. `kind` is ledger, driver, worker, forger, store, model or report; `key` is unique, e.g. `worker 0/1`.

    `shard` and `epoch` are set for workers only. `title` and `subtitle` are what the head shows.
    """

    key: str
    kind: str
    title: str
    subtitle: str
    shard: int | None = None
    epoch: int | None = None


@dataclass(frozen=True)
class Change:
    """One field that a step changed: `part` ("ledger"), `field` ("held"), old and new as text ("0", "1850 of 7400")."""

    part: str
    field: str
    old: str
    new: str


@dataclass(frozen=True)
class Lease:
    """How an attempt's lease looks after a step, on the driver's clock and the worker's own; `running`: has a host.

    A lane that a step does not name keeps the look it had; both clocks `none` end its rails.
    """

    lane: str
    driver: Clock
    worker: Clock
    running: bool


@dataclass(frozen=True)
class StoryStep:
    """One row of the picture.

    `source` and `target` are lane keys; a step without a target is a note on its source's lifeline. `label` is the
    call or the note's heading, `detail` the note's second line, `answer` what came back ("" while in flight; with the
    fault `lose_reply` what was answered and got lost).
    `arrives_at` is set on a send and names the step that delivers it, `sent_at` on that delivery.
    `driver_seconds` is the driver's clock since the run opened, `worker_seconds` the same instant on the worker's.
    `margin_seconds` is set where this step passes the start of a lease's margin: the driver's clock at that instant.
    `enabled` are the other steps that could have been taken instead. `violated` names the promises broken here.
    `bites` is (rule, class) of the rule that would have refused here, were it in the fence.
    """

    number: int
    action: str
    source: str
    target: str | None
    label: str
    detail: str
    answer: str
    driver_seconds: int
    worker_seconds: int | None
    host: str | None
    shard: int | None
    epoch: int | None
    fault: str | None = None
    refused: bool = False
    arrives_at: int | None = None
    sent_at: int | None = None
    margin_seconds: int | None = None
    changed: tuple[Change, ...] = ()
    leases: tuple[Lease, ...] = ()
    enabled: tuple[str, ...] = ()
    violated: tuple[str, ...] = ()
    bites: tuple[str, str] | None = None


@dataclass(frozen=True)
class Story:
    """A whole counterexample, ready to draw. `why` and `rule` are single sentences; `reproduce` are command lines."""

    title: str
    properties: tuple[str, ...]
    fence: str
    fence_summary: str
    bound: str
    faults: int
    minimal: bool
    lanes: tuple[Lane, ...]
    steps: tuple[StoryStep, ...]
    why: str
    rule: str = ""
    reproduce: tuple[str, ...] = field(default=())
    verdict: Told = "violated"
