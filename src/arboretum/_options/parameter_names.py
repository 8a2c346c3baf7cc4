"""Parameters by name: refusing those that do not exist, and setting those of strategies.

Names that people bring from scikit-learn and R get a hint of their own. `fit` checks the values.
`prune="cost_complexity"` is short for `CostComplexity(…)`, so `set_params(prune__rule="min")` works on both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, Final

from arboretum._options.settings import strategy_of
from arboretum._options.strategy import strategies_for
from arboretum._wording import did_you_mean, shown
from arboretum.errors import ParameterError, ParameterNameError, listing

_MOST_LISTED: Final = 40
# What scikit-learn and rpart call things, and what to write instead.
_HINTS: Final = {
    "ccp_alpha": "prune=CostComplexity(alpha=…) sets the price of a leaf; for classes, measure='gini' "
    "gives it scikit-learn's unit",
    "splitter": "leave it out; the best question is always asked",
    "max_features": "a tree searches every column at every node; BaggedClassifier(max_features=…) and "
    "BaggedRegressor draw them",
    "min_impurity_split": "min_impurity_decrease=… asks for a gain instead",
    "n_estimators": "BaggedClassifier(n_trees=…) and BaggedRegressor(n_trees=…) grow many trees",
    "feature_names": "leave it out; names are those of the data frame that is given to fit",
    "cp": "prune=CostComplexity(alpha=…) sets the price of a leaf; rpart's cp is alpha divided by the risk "
    "of the root",
    "minsplit": "write min_samples_split",
    "minbucket": "write min_samples_leaf",
    "maxdepth": "write max_depth",
    "maxcompete": "write competitors",
    "maxsurrogate": "write missing=Surrogate(max_surrogates=…)",
    "usesurrogate": "write missing=Surrogate(send=…)",
    "xval": "write prune=CostComplexity(folds=…)",
    "parms": "give priors=… and loss=… by themselves",
}


def refuse_unknown(kind: type, names: Iterable[str]) -> None:
    """Refuse the first name that is not a parameter of this class of estimators."""
    known = _parameters_of(kind)
    for name in names:
        if known is not None and name not in known:
            raise ParameterNameError(no_parameter(kind.__name__, name, known))


@cache
def _parameters_of(kind: type) -> tuple[str, ...] | None:
    """Return the parameters of a class; None if it takes any."""
    parameters = signature(kind).parameters.values()
    takes_any = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)
    return None if takes_any else tuple(parameter.name for parameter in parameters)


def no_parameter(owner: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence that refuses a parameter, with what may have been meant.

    >>> print(no_parameter("TreeClassifier", "max_dept", ["criterion", "max_depth"]))
    TreeClassifier has no parameter 'max_dept'. Did you mean 'max_depth'?
    >>> print(no_parameter("TreeClassifier", "minbucket", ["min_samples_leaf"]))
    TreeClassifier has no parameter 'minbucket'.
    Hint: write min_samples_leaf.
    """
    sentence, names = f"{owner} has no parameter {name!r}", list(known)
    if name in _HINTS:
        return f"{sentence}.\nHint: {_HINTS[name]}."
    if meant := did_you_mean(name, names):
        return f"{sentence}.{meant}"
    return f"{sentence}; it has {listing(names, _MOST_LISTED)}."


def set_below(option: str, value: Any, params: Mapping[str, Any], *, of_classes: bool) -> Any:
    """Return the strategy that an option's value stands for, with these parameters of its own.

    A strategy object is changed itself, as scikit-learn does it. A value without a strategy is refused.
    """
    strategy = value if hasattr(value, "set_params") else strategy_of(option, value, of_classes=of_classes)
    if strategy is None:
        raise ParameterError(_nothing_to_set(option, value, next(iter(params)), of_classes=of_classes))
    return strategy.set_params(**params)


def _nothing_to_set(option: str, value: Any, name: str, *, of_classes: bool) -> str:
    kinds = strategies_for(option, "classes" if of_classes else "numbers")
    with_it = [f"{kind.__name__}()" for kind in kinds if hasattr(kind(), name)]
    hint = f"\nHint: set {option}={' or '.join(with_it)} as well." if with_it else ""
    return f"{option}__{name} cannot be set: {option}={shown(value)} has no parameters of its own.{hint}"
