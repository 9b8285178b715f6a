"""A model-checking test bench for the fence of an evaluation batch on preemptible capacity.

    from fencebench import REFERENCE, check

    def test_our_fence_holds():
        assert check(REFERENCE.without("put.conflict"), shards=1, faults=1).holds

Every name below is loaded when it is asked for, so that a fence file loads no engine. `docs/python.md` shows each of
them at work.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fencebench.checker.api import action as action
    from fencebench.checker.api import audit as audit
    from fencebench.checker.api import check as check
    from fencebench.checker.api import explore as explore
    from fencebench.checker.api import judge_log as judge_log
    from fencebench.checker.api import replay as replay
    from fencebench.checker.api import walk as walk
    from fencebench.checker.errors import BadInput as BadInput
    from fencebench.checker.report.picture import as_svg as as_svg
    from fencebench.checker.report.picture import as_text as as_text
    from fencebench.checker.search.limits import Limits as Limits
    from fencebench.model.fence import Fence as Fence
    from fencebench.model.fence import Refusal as Refusal
    from fencebench.model.fence import Rule as Rule
    from fencebench.model.fence import rule as rule
    from fencebench.model.fences import FENCES as FENCES
    from fencebench.model.fences import REFERENCE as REFERENCE
    from fencebench.model.machine import Action as Action
    from fencebench.model.machine import Event as Event
    from fencebench.model.machine import Machine as Machine
    from fencebench.model.machine import Property as Property
    from fencebench.model.machine import State as State
    from fencebench.model.machine import Step as Step
    from fencebench.model.machines.shared import Effect as Effect
    from fencebench.model.promises.promise import Promise as Promise
    from fencebench.model.settings import Bound as Bound
    from fencebench.model.settings import Fault as Fault
    from fencebench.model.settings import Settings as Settings
    from fencebench.model.shard import Component as Component

PLACES = {
    "checker.api": "action audit check explore judge_log replay walk",
    "checker.errors": "BadInput",
    "checker.report.picture": "as_svg as_text",
    "checker.search.limits": "Limits",
    "model.fence": "Fence Refusal Rule rule",
    "model.fences": "FENCES REFERENCE",
    "model.machine": "Action Event Machine Property State Step",
    "model.promises.promise": "Promise",
    "model.machines.shared": "Effect",
    "model.settings": "Bound Fault Settings",
    "model.shard": "Component",
}
"""Where each name is, below `fencebench`."""

WHERE = {name: module for module, names in PLACES.items() for name in names.split()}
__all__ = sorted(WHERE)


def __getattr__(name: str) -> Any:
    """Load a name."""
    if name not in WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{WHERE[name]}"), name)


def __dir__() -> list[str]:
    """Return the names."""
    return __all__
