"""The whole machine with each unit made small: a machine again, for any explorer. Its steps are labels."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from fencebench.checker.reduce.blocks import Blocks
from fencebench.checker.reduce.system import Label
from fencebench.checker.search.properties import on_final, on_shared
from fencebench.model.local_view import LocalView, Split
from fencebench.model.machine import (
    REFUSED,
    Effect,
    Event,
    Machine,
    Property,
    Refused,
    Shared,
    SharedStep,
    State,
    Step,
    tabled,
)


def product(machine: Machine, local: LocalView, blocks: Blocks) -> Machine:
    """Return the machine with a block number for each unit's parts, but for where it begins."""
    return Machine(
        parts=("block",),
        initial=State(machine.initial.shared, ()),
        actions=(tabled("show", ("block",), partial(shows, blocks=blocks)),),
        allow=partial(allowed, local=local),
        faults=machine.faults,
        shared_actions=tuple(partial(own_steps, act=act, local=local) for act in machine.shared_actions),
        properties=(*map(observing, filter(on_shared, machine.properties)), *broken(blocks)),
    )


def begun(small: Machine, local: LocalView, blocks: Blocks, split: Split) -> Machine:
    """Return the small machine that begins as a split says."""
    root = dict(zip(local.starts, blocks.roots, strict=True))
    return replace(small, initial=State(local.forgets(split.shared), tuple((root[known],) for known in split.known)))


def unjudged(machine: Machine) -> Iterator[str]:
    """Yield the promises that the small machine says nothing of: of final states, and of a unit and the shared part."""
    for claim in machine.properties:
        meets = bool({"shared", "after_shared"} & {*claim.reads}) and not on_shared(claim)
        if on_final(claim) or meets:
            yield claim.name


def shows(block: int, *, blocks: Blocks) -> Iterator[Step]:
    """Yield what a block shows next."""
    for number, target in blocks.steps[block]:
        label = blocks.labels[number]
        yield Step(Event("", fault=label.fault, message=label), (("block", target),), label.effect)


def allowed(shared: Shared, effect: Effect, *, local: LocalView) -> Shared | Refused:
    """Return the shared part after an effect, or `REFUSED`, without what makes no difference any more."""
    after = local.allow(shared, effect)
    return REFUSED if after is REFUSED else local.forgets(after)


def own_steps(
    shared: Shared, *, act: Callable[[Shared], Iterable[SharedStep]], local: LocalView
) -> Iterator[SharedStep]:
    """Yield the steps of the shared part."""
    yield from (step._replace(shared=local.forgets(step.shared)) for step in act(shared))


def real(event: Event) -> Event | None:
    """Return the event of a step as promises hear it; None if it is none of their business."""
    return event.message.observed if isinstance(event.message, Label) else event


def observing(claim: Property) -> Property:
    """Return a promise on the shared part that observable real events."""
    if "event" not in claim.reads:
        return claim
    place = claim.reads.index("event")

    def fails(*values: Any) -> str | None:
        return claim.why(*values[:place], real(values[place]), *values[place + 1 :])

    def about(event: Event) -> bool:
        observed = real(event)
        return observed is not None and claim.about(observed)

    return replace(claim, fails=fails, about=about)


def broken(blocks: Blocks) -> Iterator[Property]:
    """Yield the promises on one unit that some step is the first to break."""
    for name in sorted({name for label in blocks.labels for name in label.breaks}):
        yield Property(name, ("event",), lambda event: "broken", about=partial(breaks, name=name))


def breaks(event: Event, *, name: str) -> bool:
    """Say whether a step is the first to break a promise."""
    return isinstance(event.message, Label) and name in event.message.breaks
