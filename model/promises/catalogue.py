"""The promises and the witnesses of a setup, bound to its parts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from fencebench.model.binding import Binding
from fencebench.model.machine import Event, Property, Witness
from fencebench.model.promises import claims as p
from fencebench.model.promises import refusals as truth
from fencebench.model.promises import witnesses
from fencebench.model.promises.progress import may_finish
from fencebench.model.settings import Setup

CLAIMS: tuple[tuple[str, Callable[..., str | None]], ...] = (
    *((f.__name__, f) for f in (p.spend_under_ceiling, p.holds_end_once, p.billed_once, p.meter_under_ceiling)),
    ("meter_under_ceiling", p.meter_of_run),
    *((f.__name__, f) for f in (p.one_accepted_artifact, p.no_stale_commit, p.receipt_has_artifact, p.whole_artifact)),
    *(
        (f.__name__, f)
        for f in (p.lease_gates_writes, p.lease_gates_resume, p.one_input_version, p.sealed_is_final, p.winner_by_epoch)
    ),
    *((f.__name__, f) for f in (p.attributable, p.one_revision, p.superseded_chain)),
    *((f.__name__, f) for f in (p.denominator_is_shards, p.no_aggregate_when_missing, p.conflict_never_averaged)),
    ("consumed_is_accepted", p.consumed_is_accepted),
    *(("rejections_classified", f) for f in truth.BY_BOUNDARY),
    ("ends_well", p.ends_well),
)

ABOUT: Mapping[Callable[..., Any], tuple[str, ...]] = {
    p.lease_gates_writes: ("put", "deliver", "forge"),
    p.lease_gates_resume: ("restart", "resume_checkpoint"),
    **dict.fromkeys((p.denominator_is_shards, p.no_aggregate_when_missing, p.conflict_never_averaged), ("publish",)),
    **truth.BY_BOUNDARY,
}
"""The actions that a claim is about, if not any."""

NAMES = (*dict.fromkeys(name for name, _ in CLAIMS), "can_finish")
"""Every promise; `can_finish` is judged on the state graph (`model.progress`)."""


SENTENCES = {
    **{name: (function.__doc__ or "").strip().splitlines()[0] for name, function in reversed(CLAIMS)},
    "rejections_classified": "The class of every refusal is true of what stands, and a refusal changes nothing else.",
    "can_finish": (may_finish.__doc__ or "").strip().splitlines()[0],
}
"""What each promise claims, in one sentence."""


def epochs_of(function: Callable[..., Any], setup: Setup) -> Iterator[Binding]:
    """Yield the function bound to each epoch it has to be asked for; commits can be forged one epoch further."""
    if not Binding(function, setup).per_epoch:
        yield Binding(function, setup)
        return
    beyond = 1 if function in (truth.commit_refusals,) else 0
    for epoch in range(setup.bound.epochs + beyond):
        yield Binding(function, replace(setup, epoch=epoch))


def asked(binding: Binding) -> Callable[..., Any]:
    """Return the bound function over the values of its reads."""
    return cache(lambda *parts: binding.call(*binding.arguments(*parts)))


def about(binding: Binding) -> Callable[[Event], bool]:
    """Return the test whether a claim is about an event: one of its actions and, if it is of an epoch, of that one."""
    actions, epoch = ABOUT.get(binding.function), binding.setup.epoch if binding.per_epoch else None
    return lambda e: (actions is None or e.action in actions) and (epoch is None or e.epoch == epoch)


def promises(setup: Setup) -> Iterator[Property]:
    """Yield every promise, bound."""
    for name, function in CLAIMS:
        for binding in epochs_of(function, setup):
            yield Property(name, binding.reads, asked(binding), function.__doc__ or "", about(binding))


def witnessed(setup: Setup) -> Iterator[Witness]:
    """Yield every witness, bound."""
    for name, function in witnesses.ALL.items():
        for binding in epochs_of(function, setup):
            yield Witness(name, binding.reads, asked(binding), about(binding))
