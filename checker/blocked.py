"""Why nothing leads to the goal any more: what a state from which it is out of reach still has ahead."""

from collections.abc import Iterator

from model.machine import Machine, State, Transition


def blocked(machine: Machine, state: State) -> str:
    """Say why each remaining action leads nowhere: every refusal that is still to come."""
    refusals: dict[str, None] = {}
    ahead, queue = {state}, [state]
    for place in queue:
        steps = tuple(no_faults(machine, place))
        refusals |= dict.fromkeys(told(step) for step in steps if step.event.rule)
        queue += dict.fromkeys(step.after for step in steps if step.after not in ahead)
        ahead.update(queue)
    return f"the goal is out of reach from here: {'; '.join(refusals) or 'no step is left'}"


def no_faults(machine: Machine, state: State) -> Iterator[Transition]:
    """Yield the steps of a state that are no faults."""
    struck = machine.faults(state.shared)
    yield from (t for t in machine.successors(state) if machine.faults(t.after.shared) == struck)


def told(step: Transition) -> str:
    """Name a refused call with its class."""
    return f"{step.event.label} is answered {step.event.outcome}"
