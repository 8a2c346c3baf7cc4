"""Pruning: the pruners, the weakest-link path, and the rows held out for them."""

from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.pessimistic import Pessimistic
from arboretum._prune.reduced_error import ReducedError

__all__ = ["CostComplexity", "Pessimistic", "ReducedError"]
