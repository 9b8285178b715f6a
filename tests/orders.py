"""Orders of events that the documents tell, as wishes; `test_orders` keeps the stored traces equal to them."""

from dataclasses import dataclass, field
from pathlib import Path

from fencebench.checker.report.itf import script
from fencebench.checker.search.guided import Wish, guide
from fencebench.model.build import build
from fencebench.model.fences import FENCES
from fencebench.model.settings import FAULTS, Bound

TRACES = Path(__file__).parent / "traces"


@dataclass(frozen=True)
class Order:
    """A stored order: its title, the fence it is told on, the promise it breaks there, and its wishes."""

    name: str
    title: str
    fence: str
    promise: str
    wishes: tuple[Wish, ...]
    bound: Bound = field(default_factory=lambda: Bound(faults=3, spare_attempts=1))

    @property
    def path(self) -> Path:
        return TRACES / f"{self.name}.itf.json"


W = Wish
ORDERS = (
    Order(
        "six-steps",
        "The first document's six steps: a preempted worker comes back on another host and writes a second artifact",
        "shard-keyed",
        "one_accepted_artifact",
        (
            W("reserve", 0),
            W("dispatch", 0),
            W("restart", 0),
            W("grade", 0),
            W("grade", 0),
            W("preempt", 0),
            W("elapse", 0),
            W("expire", 0),
            W("reserve", 1),
            W("dispatch", 1),
            W("resume_checkpoint", 1),
            W("put", 1),
            W("deliver", 1),
            W("resume", 0),
            W("grade", 0),
            W("put", 0),
            W("deliver", 0),
        ),
    ),
    Order(
        "late-commit",
        "The first document's one-line drive: the dead epoch's commit arrives after the next dispatch",
        "spend-sketch",
        "no_stale_commit",
        (
            W("reserve", 0),
            W("dispatch", 0),
            W("send", 0),
            W("late", 0),
            W("elapse", 0),
            W("expire", 0),
            W("reserve", 1),
            W("dispatch", 1),
            W("deliver", 0),
        ),
    ),
    Order(
        "both-epochs-commit",
        "The old epoch's commit lands first, and both are booked",
        "spend-sketch",
        "billed_once",
        (
            W("send", 0),
            W("late", 0),
            W("elapse", 0),
            W("expire", 0),
            W("reserve", 1),
            W("dispatch", 1),
            W("deliver", 0),
            W("deliver", 1),
        ),
    ),
    Order(
        "second-run-refused",
        "A second run of the same shard is refused as stale, by what the first run committed",
        "spend-sketch",
        "rejections_classified",
        (W("send", 0), W("deliver", 0, "STALE_EPOCH")),
        Bound(faults=0, spare_attempts=1, earlier_run=True),
    ),
    Order(
        "other-content-as-duplicate",
        "The same key with other content is answered as a duplicate",
        "spend-sketch",
        "rejections_classified",
        (
            W("send", 0),
            W("deliver", 0, "COMMITTED"),
            W("observe"),
            W("redeliver", 0),
            W("grade", 0, "by rev-B"),
            W("send", 0),
            W("deliver", 0, "ALREADY_COMMITTED"),
        ),
    ),
    Order(
        "late-row-after-seal",
        "Epoch 0's row arrives after epoch 1 is sealed",
        "provenance-sketch-c",
        "sealed_is_final",
        (
            W("send", 0),
            W("late", 0),
            W("elapse", 0),
            W("expire", 0),
            W("reserve", 1),
            W("dispatch", 1),
            W("deliver", 1),
            W("seal", 1),
            W("deliver", 0),
        ),
    ),
)


def told(order: Order) -> str:
    """Write an order's shortest run as a stored trace."""
    run = guide(build(FENCES[order.fence], order.bound), list(order.wishes))
    steps = [
        {
            "action": t.event.action,
            "label": t.event.label,
            "shard": t.unit,
            "epoch": t.event.epoch,
            "fault": t.event.fault or None,
            "outcome": t.event.outcome,
        }
        for t in run
    ]
    b = order.bound
    shape = {"shards": b.shards, "epochs": b.epochs, "faults": b.faults, "ceiling": 3700, "earlier_run": b.earlier_run}
    meta = {
        "title": order.title,
        "fence": order.fence,
        "property": order.promise,
        "bound": {**shape, **{fault: b.cap(fault) for fault in FAULTS}},
        "settings": {"lease_seconds": 300, "margin_seconds": 90, "skew_seconds": 90},
    }
    return script(meta, steps)


if __name__ == "__main__":
    for one in ORDERS:
        one.path.write_text(told(one), encoding="utf-8")
