"""What walks of this model are bent on beside chance: stories of many deaths, and of attempts that act too late."""

from fencebench.checker.walk.ground import Temper
from fencebench.model.promises.obligations import DEATH

ATTRITION = Temper(
    frozenset(DEATH), frozenset((*DEATH, "elapse", "expire")), frozenset(("renew", "resume")), alone=True
)
"""Attempt after attempt of one shard dies, until no epoch is left; the others complete."""
LATECOMERS = Temper(
    frozenset((*DEATH, "skew")), lazy=frozenset(("renew", "resume", "elapse", "expire", "put", "send", "deliver"))
)
"""Attempts write when their lease is over: before the driver goes on, or long after."""
WRONG_CLOCKS = Temper(frozenset(("skew", "stall")), lazy=LATECOMERS.lazy)
"""The same, on a clock that is off."""
RELAY = Temper(frozenset(("preempt", "change_fixture")), lazy=frozenset(("resume",)))
"""An attempt dies at any moment, and the next one goes on from its checkpoint, on whatever inputs there are now."""
SHORTAGE = Temper(frozenset(("preempt", "cut_allowance")), keen=frozenset(("reserve",)))
"""The allowance falls when everything is granted, and attempts burn what is left."""
FORGERY = Temper(frozenset(("forge",)))
"""Rows that nobody sent, and nothing else that would keep the run from its end."""
TEMPERS = (ATTRITION, LATECOMERS, WRONG_CLOCKS, RELAY, SHORTAGE, FORGERY)
