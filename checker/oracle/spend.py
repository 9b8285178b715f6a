"""What counts against the ceiling, in tokens, as far as a log can show it: at least so much, at most so much.

A live hold counts whole. A hold ends with its attempt; from then on what was burned counts, and more only if a `waste`
line books it. A sweep ends nothing. Between the end of a lease by the clock and the line that says so, both are sound.
"""

from fencebench.checker.oracle.state import Attempt, Spend


def attempt_spend(attempt: Attempt, newest: bool, t: float, calls_observed: bool) -> Spend:
    """The tokens of one attempt; `newest` when no newer epoch was granted."""
    settled = attempt.booked + attempt.wasted
    held = max(attempt.open_hold, attempt.owed)
    closed = attempt.ended or not newest
    most = settled + (attempt.owed if closed and calls_observed else held)
    if closed or (attempt.granted and t >= attempt.low):
        return Spend(settled + attempt.owed, most, attempt.booked, attempt.owed)
    return Spend(settled + held, most, attempt.booked, 0)
