"""The fast explorer: model calls become tables, states become integers, levels become sorted arrays."""

from .explore import explore
from .options import Options

__all__ = ["Options", "explore"]
