"""The fast explorer: model calls become tables, states become integers, levels become sorted arrays."""

from fencebench.checker.fast.explore import Options, explore

__all__ = ["Options", "explore"]
