"""Settings: values of an estimator's parameters, to be tried one after the other.

Words: a *setting* is {parameter: value}; a *grid* is every combination of listed values; *draws* are random
ones. Names that do not exist are refused before anything is fitted. Nothing is fitted here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from arboretum.errors import DataTypeError, ParameterError
from arboretum.parameter_names import no_parameter
from arboretum.scalars import is_integer

__all__ = ["Setting", "check_count", "draw", "expand", "make", "one_line", "setting_text"]

Setting = dict[str, Any]

_WIDEST = 60  # characters of a value in a table


def expand(grid: Any) -> list[Setting]:
    """Return every combination of the listed values, the last parameter changing fastest.

    >>> expand({"max_depth": [1, 2], "criterion": ["gini", "entropy"]})[1]
    {'max_depth': 1, 'criterion': 'entropy'}
    """
    settings: list[Setting] = []
    for one in _mappings(grid, "grid"):
        lists = {name: _listed(name, values) for name, values in one.items()}
        # In the order given; ParameterGrid goes through the names in alphabetical order.
        combined: list[Setting] = [{}]
        for name, values in lists.items():
            combined = [{**setting, name: value} for setting in combined for value in values]
        settings += combined
    return settings


def draw(distributions: Any, n: int, random: np.random.RandomState) -> list[Setting]:
    """Return random settings: from lists without repeating one, from `rvs(random_state=)` as it comes."""
    choices: list[Any] = []
    for one in _mappings(distributions, "distributions"):
        choices.append({k: v if hasattr(v, "rvs") else _listed(k, v) for k, v in one.items()})
    if not any(hasattr(values, "rvs") for one in choices for values in one.values()):
        n = min(n, len(ParameterGrid(choices)))  # there are no more
    return [
        {k: _plain(v) for k, v in drawn.items()}
        for drawn in ParameterSampler(choices, n, random_state=random)
    ]


def check_count(option: str, found: Any) -> int:
    """Return a number of settings, or refuse it."""
    if not is_integer(found) or found < 1:
        raise ParameterError(f"{option}={found!r} is not allowed; give a whole number from 1 upwards.")
    return int(found)


def _mappings(given: Any, option: str) -> Sequence[Mapping[str, Any]]:
    several = [given] if isinstance(given, Mapping) else given
    if not isinstance(several, Sequence) or not several or not all(isinstance(m, Mapping) for m in several):
        raise ParameterError(
            f"{option}={given!r} is not allowed; give {{parameter: values}}, or a list of them."
        )
    return several


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise ParameterError(f"{name}={values!r} is one value, not a list of them.\nHint: [{values!r}].")
    listed = [_plain(value) for value in values]
    if not listed:
        raise ParameterError(f"{name}=[] leaves nothing to try; give one value at least.")
    return listed


def _plain(value: Any) -> Any:
    """Return a NumPy number as Python's own, which reads better."""
    return value.item() if isinstance(value, np.generic) else value


def make(estimator: Any, setting: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator with this setting; refuse what is no estimator."""
    if isinstance(estimator, type) or not all(
        hasattr(estimator, m) for m in ("fit", "predict", "get_params")
    ):
        shown = estimator.__name__ if isinstance(estimator, type) else repr(estimator)
        raise DataTypeError(
            f"{shown} is not an estimator; give an object with fit, predict and get_params, such as "
            "TreeClassifier()."
        )
    copy = clone(estimator)
    if not setting:
        return copy
    try:
        # Copies of the values too: a strategy object that two settings share would be fitted twice.
        return copy.set_params(**{name: clone(value, safe=False) for name, value in setting.items()})
    except ParameterError:  # of a tree, which knows best
        raise
    except (AttributeError, TypeError, ValueError) as error:
        unknown = [name for name in setting if not _is_parameter(copy, name)]
        if not unknown:
            raise
        raise ParameterError(_no_parameter(estimator, unknown[0])) from error


def _is_parameter(copy: Any, name: str) -> bool:
    try:
        return name in copy.get_params(deep=True)
    except (AttributeError, TypeError, ValueError):
        return False


def _no_parameter(estimator: Any, name: str) -> str:
    known = sorted(estimator.get_params(deep=True))
    owner = type(estimator).__name__
    outer, _, inner = name.partition("__")
    value = estimator.get_params(deep=False).get(outer)
    if inner and outer in known and not hasattr(value, "get_params"):
        return f"{owner} has no parameter {name!r}: its {outer} is {value!r}, which has none of its own."
    return no_parameter(owner, name, known)


def setting_text(setting: Mapping[str, Any]) -> str:
    """Return a setting as it would be typed, on one line.

    >>> setting_text({"max_depth": 3, "criterion": "gini"})
    "max_depth=3, criterion='gini'"
    """
    return ", ".join(f"{name}={_shown(value)}" for name, value in setting.items())


def _shown(value: Any) -> str:
    return one_line(repr(value)) if isinstance(value, BaseEstimator) else cut(repr(value))


def one_line(text: str) -> str:
    """Return a text of several lines as one, not too long."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return the beginning of a text that is too long for a table."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
