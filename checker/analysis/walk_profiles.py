"""What walks of this model are bent on beside chance: stories of many deaths, and of attempts that act too late."""

from fencebench.checker.walk.tables import Profile
from fencebench.model.promises.obligations import DEATH

ATTRITION = Profile(
    frozenset(DEATH), frozenset((*DEATH, "elapse", "expire")), frozenset(("renew", "resume")), alone=True
)
"""Attempt after attempt of one shard dies, until no epoch is left; the others complete."""
LATECOMERS = Profile(
    frozenset((*DEATH, "skew")), lazy=frozenset(("renew", "resume", "elapse", "expire", "put", "send", "deliver"))
)
"""Attempts write when their lease is over: before the driver goes on, or long after."""
WRONG_CLOCKS = Profile(frozenset(("skew", "stall")), lazy=LATECOMERS.lazy)
"""The same, on a clock that is off."""
RELAY = Profile(frozenset(("preempt", "change_fixture")), lazy=frozenset(("resume",)))
"""An attempt dies at any moment, and the next one goes on from its checkpoint, on whatever inputs there are now."""
SHORTAGE = Profile(frozenset(("preempt", "cut_allowance")), keen=frozenset(("reserve",)))
"""The allowance falls when everything is granted, and attempts burn what is left."""
FORGERY = Profile(frozenset(("forge",)))
"""Rows that nobody sent, and nothing else that would keep the run from its end."""
PROFILES = (ATTRITION, LATECOMERS, WRONG_CLOCKS, RELAY, SHORTAGE, FORGERY)
