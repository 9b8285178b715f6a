"""What still lies ahead of a state without a further fault: whether the goal is among it, and what refuses the way."""

from collections.abc import Iterator

from fencebench.model.machine import Machine, State, Transition


def blocked(machine: Machine, state: State) -> str:
    """Say why each remaining action leads nowhere: every refusal that is still to come."""
    steps = (step for place in ahead(machine, state) for step in no_faults(machine, place) if step.event.rule)
    refusals = dict.fromkeys(map(refused_call, steps))
    return f"the goal is out of reach from here: {'; '.join(refusals) or 'no step is left'}"


def out_of_reach(machine: Machine, state: State) -> str | None:
    """Say why the goal is out of reach of a state from which it has to be reachable, or None."""
    progress = machine.progress
    if progress is None or not progress.due(state):
        return None
    reachable = any(progress.goal(place.shared) for place in ahead(machine, state))
    return None if reachable else blocked(machine, state)


def ahead(machine: Machine, state: State) -> Iterator[State]:
    """Yield every state that steps without a fault lead to, this one first."""
    reached, queue = {state}, [state]
    for place in queue:
        yield place
        found = dict.fromkeys(step.after for step in no_faults(machine, place))
        queue += [after for after in found if after not in reached]
        reached.update(queue)


def no_faults(machine: Machine, state: State) -> Iterator[Transition]:
    """Yield the steps of a state that are no faults."""
    struck = machine.faults(state.shared)
    yield from (t for t in machine.successors(state) if machine.faults(t.after.shared) == struck)


def refused_call(step: Transition) -> str:
    """Name a refused call with its class."""
    return f"{step.event.label} is answered {step.event.outcome}"
