"""Guards of leases, epochs and states: who holds a shard, and until when.

Each is None when it holds, else a clause that says what is false, with the values it looked at. A field that was not
observed makes no guard false.
"""

from fencebench.checker.oracle.judge.context import (
    FINAL_STATES,
    Context,
    asked_holder,
    current,
    is_final,
    is_replaced,
    lease_may_be_over,
    lease_may_run,
    other_lease,
    same,
    same_grant,
    same_put,
)


def not_replaced(s: Context) -> str | None:
    """No higher epoch of the shard was granted."""
    if not is_replaced(s):
        return None
    return f"epoch {s.epoch} is below the highest granted, epoch {current(s)}"


def not_replaced_and_second(s: Context) -> str | None:
    """An attempt that was replaced adds no second artifact."""
    accepted = s.shard.accepted
    if accepted is None or s.plan.by_receipt or same_put(s, accepted) is True:
        return None
    return not_replaced(s)


def planned(s: Context) -> str | None:
    """The shard is one of the plan's."""
    if s.plan.names is None or s.event.shard in s.plan.names:
        return None
    return f"shard {s.event.shard} is not among the {len(s.plan.names)} planned"


def not_sealed(s: Context) -> str | None:
    """The shard was not sealed."""
    return f"shard {s.event.shard} is sealed" if s.shard.sealed or s.shard.state == "sealed" else None


def higher_epoch(s: Context) -> str | None:
    """A grant mints a higher epoch than any before, or repeats the grant of the same named holder."""
    if s.epoch > s.shard.granted or (s.epoch == s.shard.granted and same_grant(s) is True):
        return None
    named = same_grant(s) is False and s.attempt.granted
    who = f", to {s.attempt.holder} and not to {asked_holder(s.event)}" if named else ""
    return f"epoch {s.epoch} is not above the highest granted, epoch {s.shard.granted}{who}"


def no_other_lease(s: Context) -> str | None:
    """No other lease of the shard is running."""
    holder = other_lease(s)
    if holder is None:
        return None
    return f"the lease of epoch {s.shard.granted} runs until {holder.low:g}, it is {s.event.latest_t:g}"


def ends_later(s: Context) -> str | None:
    """A lease that is granted or renewed ends after the present."""
    expires = s.event.expires
    if expires is None or expires > s.event.t:
        return None
    return f"the lease would end at {expires:g}, it is {s.event.t:g}"


def ends_no_earlier(s: Context) -> str | None:
    """A renewal does not end the lease earlier than before."""
    expires = s.event.expires
    if expires is None or not s.attempt.granted or expires >= s.attempt.low:
        return None
    return f"the lease would end at {expires:g}, it runs until {s.attempt.low:g}"


def lease_running(s: Context) -> str | None:
    """The attempt's lease is running: t < expires on the control plane's clock."""
    if lease_may_run(s):
        return None
    if not s.attempt.granted:
        return f"epoch {s.epoch} has no lease"
    if s.attempt.expired:
        return f"the lease of epoch {s.epoch} was declared over"
    return f"the lease of epoch {s.epoch} ended at {s.attempt.high:g}, it is {s.event.t:g}{_own_clock(s)}"


def _own_clock(s: Context) -> str:
    return "" if s.event.clock_of_actor is None else f" (the actor's own clock says {s.event.clock_of_actor:g})"


def lease_running_at_dispatch(s: Context) -> str | None:
    """An attempt is dispatched under its running lease; to tell the same host again starts nothing till it expired."""
    again = s.attempt.sent and same(s.attempt.host, s.event.host) is not False
    return None if again and not s.attempt.expired else lease_running(s)


def lease_running_or_accepted(s: Context) -> str | None:
    """The lease is running, or this very artifact was accepted in time."""
    accepted = s.shard.accepted
    if accepted is not None:
        alike = same_put(s, accepted)
        if alike or (alike is None and accepted.epoch == s.epoch):
            return None
    return lease_running(s)


def lease_over(s: Context) -> str | None:
    """Only a lease that is over expires."""
    if lease_may_be_over(s):
        return None
    return f"the lease of epoch {s.epoch} runs until {s.attempt.low:g}, it is {s.event.latest_t:g}"


def not_out_of_final(s: Context) -> str | None:
    """A state does not leave sealed or completed."""
    before, after = ("sealed" if s.shard.sealed else s.shard.state), s.event.state
    if not is_final(s.shard) or after is None or after == before or after in FINAL_STATES:
        return None
    return f"shard {s.event.shard} is {before} and would become {after}"


def set_by_current_epoch(s: Context) -> str | None:
    """A state is not set by an attempt that was replaced."""
    return None if s.event.epoch is None else not_replaced(s)
