"""Pruning: the pruners, the weakest-link path, and the rows held out for them.

A pruner is registered by its line here and its short name below: public names, checks, model files and the
command line follow.
"""

from typing import Literal, TypeAlias

from arboretum._prune.cost_complexity import CostComplexity as CostComplexity
from arboretum._prune.pessimistic import Pessimistic as Pessimistic
from arboretum._prune.reduced_error import ReducedError as ReducedError

PrunerName: TypeAlias = Literal["cost_complexity", "reduced_error", "pessimistic"]
