"""Which pruner the option `prune` names.

Words: a *pruner* is one of CostComplexity, ReducedError, Pessimistic; what they do is in their own files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arboretum.errors import ParameterError, choices
from arboretum.pruning.cost_complexity import CostComplexity
from arboretum.pruning.pessimistic import Pessimistic
from arboretum.pruning.reduced_error import ReducedError

__all__ = ["PRUNERS", "Pruner", "resolve_pruner"]

Pruner = CostComplexity | ReducedError | Pessimistic

PRUNERS: Final[dict[str, Callable[[], Pruner]]] = {
    "cost_complexity": lambda: CostComplexity(alpha="auto"),
    "reduced_error": ReducedError,
    "pessimistic": Pessimistic,
}


def resolve_pruner(prune: Any) -> Pruner | None:
    """Return the pruner that the option names; None keeps the tree as it was grown."""
    if prune is None or isinstance(prune, Pruner):
        return prune
    if isinstance(prune, type) and issubclass(prune, Pruner):
        raise ParameterError(
            f"prune={prune.__name__} is a class, not an object of it.\nHint: write {prune.__name__}()."
        )
    if not isinstance(prune, str) or prune not in PRUNERS:
        raise ParameterError(
            choices("prune", prune, (None, *PRUNERS))
            + " Or give CostComplexity(…), ReducedError(…) or Pessimistic(…)."
        )
    return PRUNERS[prune]()
