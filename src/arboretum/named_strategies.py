"""The strategy object that the value of an option stands for, so that its own parameters can be set.

`prune="cost_complexity"` is short for `CostComplexity(…)`, so `set_params(prune__rule="min")` works on both.
Names without a strategy, such as `missing="category"`, have nothing to set. What a value does is decided
where the option is resolved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sklearn.base import BaseEstimator

from arboretum.errors import ParameterError
from arboretum.leaves import MEstimate
from arboretum.pruning.strategies import PRUNERS, resolve_pruner
from arboretum.searching import Lookahead, MofN, Oblique, resolve_questions, resolve_search
from arboretum.significance.chi_square import ChiSquare
from arboretum.significance.conditional import Conditional
from arboretum.significance.f_test import FTest
from arboretum.significance.permutation import Permutation
from arboretum.significance.strategies import resolve_significance
from arboretum.strategies import GainRatio, Surrogate, resolve_ratio, resolve_surrogates

__all__ = ["set_below"]

_RESOLVERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "criterion": resolve_ratio,
    "missing": resolve_surrogates,
    "prune": resolve_pruner,
    "questions": resolve_questions,
    "search": resolve_search,
}
_STRATEGIES: Final[Mapping[str, tuple[type[BaseEstimator], ...]]] = {
    "criterion": (GainRatio,),
    "leaf": (MEstimate,),
    "missing": (Surrogate,),
    "prune": tuple({type(make()): None for make in PRUNERS.values()}),
    "questions": (MofN, Oblique),
    "search": (Lookahead,),
    "significance": (ChiSquare, FTest, Permutation, Conditional),
}


def set_below(option: str, value: Any, params: Mapping[str, Any], *, of_classes: bool) -> Any:
    """Return the strategy that an option's value stands for, with these parameters of its own.

    A strategy object is changed itself, as scikit-learn does it. A value without a strategy is refused.
    """
    strategy = value if hasattr(value, "set_params") else _strategy_of(option, value, of_classes=of_classes)
    if strategy is None:
        raise ParameterError(_nothing_to_set(option, value, next(iter(params)), of_classes=of_classes))
    return strategy.set_params(**params)


def _strategy_of(option: str, value: Any, *, of_classes: bool) -> Any:
    if option == "significance":
        return resolve_significance(value, of_classes=of_classes)
    return _RESOLVERS[option](value) if option in _RESOLVERS else None


def _nothing_to_set(option: str, value: Any, name: str, *, of_classes: bool) -> str:
    target = "classes" if of_classes else "numbers"
    kinds = [kind for kind in _STRATEGIES.get(option, ()) if target in getattr(kind, "_targets", (target,))]
    with_it = [f"{kind.__name__}()" for kind in kinds if hasattr(kind(), name)]
    hint = f"\nHint: set {option}={' or '.join(with_it)} as well." if with_it else ""
    return f"{option}__{name} cannot be set: {option}={value!r} has no parameters of its own.{hint}"
