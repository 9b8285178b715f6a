"""The engines that `check` can be told to use; both fill in the same result."""

from collections.abc import Callable

from checker.command.check import Engine
from checker.explore import Watch, explore
from checker.result import Limits, Result
from model.machine import Machine


def plain(symmetry: bool) -> Engine:
    """Return the plain explorer; it knows no reduction."""
    return explore


def fast(symmetry: bool) -> Engine:
    """Return the explorer on tables, with or without symmetry of the shards."""
    from checker.fast.explore import Options
    from checker.fast.explore import explore as explore_fast

    def engine(machine: Machine, limits: Limits, watch: Watch) -> Result:
        return explore_fast(machine, limits, watch, Options(symmetry=symmetry))

    return engine


ENGINES: dict[str, Callable[[bool], Engine]] = {"auto": fast, "fast": fast, "plain": plain}
