"""A model-checking test bench for the fence of an evaluation batch on preemptible capacity."""

from fencebench.model.fence import Fence
from fencebench.model.fences import FENCES, REFERENCE

__all__ = ["FENCES", "REFERENCE", "Fence"]
