"""Guards of leases, epochs and states: who holds a shard, and until when.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.queries import (
    FINAL_STATES,
    asked_holder,
    current,
    earlier_lease_runs,
    is_final,
    lease_may_be_over,
    lease_may_run,
    leases_observed,
    same,
)
from fencebench.checker.oracle.state import Scene


def at_current_epoch(s: Scene) -> str | None:
    """The attempt is that of the highest epoch granted."""
    now = current(s)
    if now is None or s.epoch == now:
        return None
    if s.epoch > now:
        return f"epoch {s.epoch} was never granted to shard {s.event.shard}"
    return f"epoch {s.epoch} is below the highest granted, epoch {now}"


def not_older(s: Scene) -> str | None:
    """A dispatch is for the current epoch; where nobody grants, it may issue a new one."""
    return at_current_epoch(s) if leases_observed(s) or s.epoch < s.facts.issued else None


def set_by_current_epoch(s: Scene) -> str | None:
    """A state is not set by an attempt that was replaced."""
    now = current(s)
    if s.event.epoch is None or now is None or s.event.epoch >= now:
        return None
    return f"epoch {s.event.epoch} is below the highest granted, epoch {now}"


def planned(s: Scene) -> str | None:
    """The shard is one of the plan's."""
    if s.run.planned is None or s.event.shard in s.run.planned:
        return None
    return f"shard {s.event.shard} is not among the {len(s.run.planned)} planned"


def not_sealed(s: Scene) -> str | None:
    """The shard was not sealed."""
    return f"shard {s.event.shard} is sealed" if s.facts.sealed or s.facts.state == "sealed" else None


def higher_epoch(s: Scene) -> str | None:
    """A grant mints a higher epoch than any before, or repeats the grant of the same named holder."""
    if s.epoch > s.facts.granted:
        return None
    named = same(s.attempt.holder, asked_holder(s))
    if s.epoch == s.facts.granted and named:
        return None
    who = "" if named is None else f", to {s.attempt.holder} and not to {asked_holder(s)}"
    return f"epoch {s.epoch} is not above the highest granted, epoch {s.facts.granted}{who}"


def no_earlier_lease(s: Scene) -> str | None:
    """No other lease of the shard is running."""
    if not earlier_lease_runs(s):
        return None
    earlier = s.attempts[s.facts.granted]
    return f"the lease of epoch {s.facts.granted} runs until {earlier.low:g}, it is {s.event.t:g}"


def ends_later(s: Scene) -> str | None:
    """A granted lease ends after the present."""
    expires = s.event.expires
    if expires is None or expires > s.event.t:
        return None
    return f"the lease would end at {expires:g}, it is {s.event.t:g}"


def lease_running(s: Scene) -> str | None:
    """The attempt's lease is running: t < expires on the control plane's clock."""
    if lease_may_run(s):
        return None
    if not s.attempt.granted:
        return f"epoch {s.epoch} has no lease"
    if s.attempt.expired:
        return f"the lease of epoch {s.epoch} was declared over"
    return f"the lease of epoch {s.epoch} ended at {s.attempt.high:g}, it is {s.event.t:g}{_own_clock(s)}"


def _own_clock(s: Scene) -> str:
    return "" if s.event.clock_of_actor is None else f" (the actor's own clock says {s.event.clock_of_actor:g})"


def lease_over(s: Scene) -> str | None:
    """Only a lease that is over expires."""
    if lease_may_be_over(s):
        return None
    return f"the lease of epoch {s.epoch} runs until {s.attempt.low:g}, it is {s.event.t:g}"


def lease_running_or_accepted(s: Scene) -> str | None:
    """The lease is running, or this very artifact was accepted in time."""
    accepted = s.facts.accepted
    if accepted is not None:
        alike = same(accepted.digest, s.event.digest)
        if alike or (alike is None and accepted.epoch == s.epoch):
            return None
    return lease_running(s)


def not_out_of_final(s: Scene) -> str | None:
    """A state does not leave sealed or completed."""
    before, after = ("sealed" if s.facts.sealed else s.facts.state), s.event.state
    if not is_final(s.facts) or after is None or after == before or after in FINAL_STATES:
        return None
    return f"shard {s.event.shard} is {before} and would become {after}"
