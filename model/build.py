"""Composes the machines: which parts a shard has, which actions there are in which order, where a run begins."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from types import MappingProxyType
from typing import Any

from fencebench.model.binding import Binding
from fencebench.model.describe import describe
from fencebench.model.fence import Fence
from fencebench.model.machine import Action, Machine, State, Step, tabled
from fencebench.model.machines import channel, driver, endpoint, fixture, host, lease, reducer, shared, store, worker
from fencebench.model.promises.catalogue import properties, witnessed
from fencebench.model.promises.progress import can_finish
from fencebench.model.settings import FAULTS, Bound, Settings, Setup
from fencebench.model.shard import opened, part_names

ONCE = (
    driver.recover,
    driver.seal,
    driver.observe,
    driver.give_up,
    driver.replay,
    store.tell_store,
    reducer.consume,
    reducer.compensate,
)
EACH_EPOCH = (
    driver.reserve,
    driver.dispatch,
    worker.begin,
    endpoint.grade,
    worker.check_lease,
    store.put,
    worker.send,
    channel.deliver,
    store.clean_up,
    driver.expire,
    lease.renew,
    host.resume,
    lease.elapse,
    host.preempt,
    lease.hold_up,
    lease.skew,
    host.redeliver,
)
FAULTS_ONCE = (channel.duplicate, fixture.change_fixture)
DEFAULT, SEED = Bound(), Settings()
SHARED = (shared.publish, shared.flip_alias, shared.crash_driver, shared.cut_allowance)


def action_of(function: Callable[..., Iterable[Step]], setup: Setup) -> Action:
    """Bind a machine's action to its epoch; steps are computed once for each distinct view."""
    binding = Binding(function, setup)

    @cache
    def table(*views: Any) -> tuple[Step, ...]:
        return tuple(placed(step, binding) for step in binding.call(*views))

    return tabled(function.__name__, binding.reads, lambda *looked: table(*binding.arguments(*looked)), binding.looks)


def placed(step: Step, binding: Binding) -> Step:
    """Name the changed parts in full; what belongs to no epoch of the bound has nowhere to change."""
    changes = ((binding.part(name), value) for name, value in step.changes)
    return step._replace(changes=tuple((name, value) for name, value in changes if name is not None))


def actions(setup: Setup) -> Iterator[Action]:
    """Yield every action of a shard, in the fixed order that breaks ties between stories."""
    yield from (action_of(function, setup) for function in ONCE)
    for function in EACH_EPOCH:
        yield from of_each_epoch(function, setup)
    yield from (action_of(function, setup) for function in FAULTS_ONCE)
    yield from (action_of(channel.forge, replace(setup, epoch=e)) for e in range(setup.bound.epochs + 1))
    own = [fault.action for fault in setup.fence.faults if fault.action]
    for mine in (*(action for component in setup.fence.machines for action in component.actions), *own):
        yield from of_each_epoch(mine, setup) if Binding(mine, setup).per_epoch else [action_of(mine, setup)]


def of_each_epoch(function: Callable[..., Iterable[Step]], setup: Setup) -> Iterator[Action]:
    """Yield an action bound to each epoch."""
    yield from (action_of(function, replace(setup, epoch=e)) for e in range(setup.bound.epochs))


def build(fence: Fence, bound: Bound = DEFAULT, settings: Settings = SEED) -> Machine:
    """Return the whole model of a fence under a bound.

    The bound says where a run begins: the limits of the shared part, and the shards. Models of one fence that differ
    in nothing else share their actions and promises, and so what was computed of them. (Without skew fewer ages of a
    lease can be told apart, so that is another model.)
    """
    if not bound.cap("skew"):
        settings = replace(settings, skew_seconds=0)
    earlier = bound.epochs - 1 if bound.earlier_run else -1
    unit = opened(bound.epochs, earlier, fence.machines)
    initial = State(shared.start(bound, settings, fence.faults), (unit,) * bound.shards)
    most = max(1, *initial.shared.limits.caps)
    return replace(relation(fence, settings, bound.epochs, most), initial=initial)


@lru_cache(maxsize=128)
def relation(fence: Fence, settings: Settings, epochs: int, most: int) -> Machine:
    """Return the model of a fence with no shard yet; a fault may strike up to so many times."""
    bound = Bound(epochs=epochs, faults=most, caps=MappingProxyType(dict.fromkeys(FAULTS, most)))
    setup = Setup(fence, settings, bound)
    return Machine(
        parts=part_names(bound.epochs, fence.machines),
        initial=State(shared.start(bound, settings, fence.faults), ()),
        actions=tuple(actions(setup)),
        allow=cache(shared.allow),
        faults=shared.faults,
        shared_actions=tuple(partial(function, setup=setup) for function in SHARED),
        properties=tuple(properties(setup)),
        witnesses=tuple(witnessed(setup)),
        describe=partial(describe, setup=setup),
        progress=can_finish(setup),
        housekeeping=frozenset({"tell_store", "check_lease", "seal", "observe", "consume"}),
    )
