"""Why a search stopped before its end, and what can be done about it, in one line."""

from checker.fast.clock import INTERRUPTED


def told(limit: str) -> str:
    """Tell a limit and the way past it."""
    if limit == INTERRUPTED:
        return "by the keyboard; the counts are those until then"
    if "memory" in limit:
        advice = "raise --max-memory, let --checkpoint or TMPDIR name a directory with room for files, or lower a bound"
    elif "bits" in limit:
        advice = "lower a bound"
    else:
        advice = "raise it, or lower a bound"
    return f"a run hit its limit of {limit}; {advice}"
