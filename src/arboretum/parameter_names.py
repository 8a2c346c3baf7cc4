"""Parameters that an estimator does not have: refused with the name that was probably meant.

People come from scikit-learn and R with names that mean something else here, or nothing; for the usual ones
there is a hint of its own. The values of parameters are checked by `fit`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from inspect import Parameter, signature
from typing import Final

from arboretum.errors import ParameterNameError, listing
from arboretum.quoting import did_you_mean

__all__ = ["no_parameter", "refuse_unknown"]

_MOST_LISTED: Final = 40
# What scikit-learn and rpart call things, and what to write instead.
_HINTS: Final = {
    "ccp_alpha": "prune=CostComplexity(alpha=…) sets the price of a leaf; for classes, measure='gini' "
    "gives it scikit-learn's unit",
    "splitter": "leave it out; the best question is always asked",
    "max_features": "leave it out; every column is searched at every node",
    "min_impurity_split": "min_impurity_decrease=… asks for a gain instead",
    "n_estimators": "this is one tree; sklearn.ensemble.BaggingClassifier and BaggingRegressor take many",
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
