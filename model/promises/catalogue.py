"""The promises of the bench, and the promises and the witnesses of a setup, bound to its parts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from fencebench.model.binding import Binding
from fencebench.model.fence import Fence
from fencebench.model.machine import Event, Property, Witness
from fencebench.model.promises import artifacts, endings, provenance, refusals, report, spend, witnesses
from fencebench.model.promises.promise import Claim, Promise
from fencebench.model.settings import Setup

PROMISES: tuple[Promise, ...] = (
    *spend.PROMISES,
    *artifacts.PROMISES,
    *provenance.PROMISES,
    *report.PROMISES,
    *refusals.PROMISES,
    *endings.PROMISES,
)
"""Every promise of the bench, in the order in which all lists have them."""

NAMES = tuple(promise.name for promise in PROMISES)


def promises_of(fence: Fence) -> tuple[Promise, ...]:
    """Return the promises that a fence is asked for: the bench's, and those that come with the fence."""
    return (*PROMISES, *fence.promises)


def names_of(fence: Fence) -> tuple[str, ...]:
    """Return the names of a fence's promises, in order."""
    return tuple(promise.name for promise in promises_of(fence))


def promise_of(fence: Fence, name: str) -> Promise:
    """Return the promise of this name."""
    return next(promise for promise in promises_of(fence) if promise.name == name)


def epochs_of(function: Callable[..., Any], setup: Setup, beyond: int = 0) -> Iterator[Binding]:
    """Yield the function bound to each epoch it has to be asked for, so many beyond the bound included."""
    if not Binding(function, setup).per_epoch:
        yield Binding(function, setup)
        return
    for epoch in range(setup.bound.epochs + beyond):
        yield Binding(function, replace(setup, epoch=epoch))


def asked(binding: Binding) -> Callable[..., Any]:
    """Return the bound function over the values of its reads."""
    return cache(lambda *parts: binding.call(*binding.arguments(*parts)))


def about(
    binding: Binding, actions: tuple[str, ...] = (), answers: frozenset[str] = frozenset()
) -> Callable[[Event], bool]:
    """Return the test whether a claim is about an event: its actions and answers and, if of an epoch, that one."""
    epoch = binding.setup.epoch if binding.per_epoch else None

    def concerned(event: Event) -> bool:
        named = (not actions or event.action in actions) and (not answers or event.outcome in answers)
        return named and (epoch is None or event.epoch == epoch)

    return concerned


def properties(setup: Setup) -> Iterator[Property]:
    """Yield every promise of the setup's fence, bound; one on the state graph is no property of states or steps."""
    for promise in promises_of(setup.fence):
        for claim in promise.claims:
            yield from bound(promise.name, claim, setup)


def bound(name: str, claim: Claim, setup: Setup) -> Iterator[Property]:
    """Yield a claim bound to each epoch that it is asked for."""
    for binding in epochs_of(claim.fails, setup, claim.beyond):
        yield Property(
            name, binding.reads, asked(binding), claim.fails.__doc__ or "", about(binding, claim.about, claim.answers)
        )


def witnessed(setup: Setup) -> Iterator[Witness]:
    """Yield every witness, bound."""
    for name, function in witnesses.witnesses_of(setup.settings).items():
        for binding in epochs_of(function, setup):
            yield Witness(name, binding.reads, asked(binding), about(binding))
