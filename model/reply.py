"""Lost replies: a call takes effect at whoever was called, and its caller never hears of it.

Fault: `lose_reply`. What the callee did stands; the caller stays as it was, or as `instead` says, and asks again.
"""

from model.machine import Part, Step
from model.shared import Effect


def lost(step: Step, caller: tuple[str, ...], **instead: Part) -> Step:
    """Return the step with its reply lost."""
    kept = tuple((name, part) for name, part in step.changes if name not in caller)
    effect = step.effect if isinstance(step.effect, Effect) else Effect()
    event = step.event._replace(fault="lose_reply")
    return Step(event, (*kept, *instead.items()), effect._replace(fault="lose_reply"))
