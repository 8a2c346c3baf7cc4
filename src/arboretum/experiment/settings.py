"""Settings, {parameter: value}: listed in a grid, drawn at random, or proposed by Optuna.

Names of parameters that do not exist are refused before anything is fitted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import ParameterGrid, ParameterSampler

from arboretum._data.scalars import is_integer
from arboretum._options.parameter_names import no_parameter
from arboretum._options.running import progress
from arboretum._wording import shown
from arboretum.errors import DataTypeError, PackageError, ParameterError

Setting = dict[str, Any]

_WIDEST = 60  # characters of a value in a table


def expand(grid: Any) -> list[Setting]:
    """Return every combination of the listed values, the last parameter changing fastest.

    >>> expand({"max_depth": [1, 2], "criterion": ["gini", "entropy"]})[1]
    {'max_depth': 1, 'criterion': 'entropy'}
    """
    settings: list[Setting] = []
    for one in _mappings(grid, "grid"):
        lists = [_listed(name, values) for name, values in one.items()]
        # In the order given; scikit-learn's ParameterGrid sorts the names.
        settings += [dict(zip(one, values, strict=True)) for values in product(*lists)]
    return settings


def draw(distributions: Any, n: int, random: np.random.RandomState) -> list[Setting]:
    """Return random settings: from lists without repetition, from `rvs(random_state=)` as they come."""
    choices: list[Any] = []
    for one in _mappings(distributions, "distributions"):
        choices.append({k: v if hasattr(v, "rvs") else _listed(k, v) for k, v in one.items()})
    if not any(hasattr(values, "rvs") for one in choices for values in one.values()):
        n = min(n, len(ParameterGrid(choices)))  # there are no more combinations
    return [
        {k: _plain(v) for k, v in drawn.items()}
        for drawn in ParameterSampler(choices, n, random_state=random)
    ]


def check_count(option: str, found: Any) -> int:
    """Return a number of settings, or refuse it."""
    if not is_integer(found) or found < 1:
        raise ParameterError(f"{option}={shown(found)} is not allowed; give a whole number from 1 upwards.")
    return int(found)


def _mappings(given: Any, option: str) -> Sequence[Mapping[str, Any]]:
    several = [given] if isinstance(given, Mapping) else given
    if not isinstance(several, Sequence) or not several or not all(isinstance(m, Mapping) for m in several):
        raise ParameterError(
            f"{option}={shown(given)} is not allowed; give {{parameter: values}}, or a list of them."
        )
    return several


def _listed(name: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable) or isinstance(values, Mapping):
        raise ParameterError(f"{name}={shown(values)} is one value, not a list of them.\nHint: [{values!r}].")
    listed = [_plain(value) for value in values]
    if not listed:
        raise ParameterError(f"{name}=[] leaves nothing to try; give one value at least.")
    return listed


def _plain(value: Any) -> Any:
    """Return a NumPy number as a Python number, which prints better."""
    return value.item() if isinstance(value, np.generic) else value


def make(estimator: Any, setting: Mapping[str, Any]) -> Any:
    """Return an unfitted copy of the estimator with this setting; refuse what is not an estimator."""
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
    except ParameterError:  # a tree's own message is better
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
    """Return a setting as one would type it, on one line.

    >>> setting_text({"max_depth": 3, "criterion": "gini"})
    "max_depth=3, criterion='gini'"
    """
    # An estimator writes itself in several lines.
    texts = {
        k: one_line(repr(v)) if isinstance(v, BaseEstimator) else cut(repr(v)) for k, v in setting.items()
    }
    return ", ".join(f"{name}={text}" for name, text in texts.items())


def one_line(text: str) -> str:
    """Return a text of several lines as one, cut if it is too long for a table."""
    return cut(" ".join(text.split()))


def cut(text: str) -> str:
    """Return a text, cut if it is too long for a table."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


class Candidate(NamedTuple):
    """An unfitted estimator to try."""

    estimator: Any
    name: str
    setting: Setting


def candidates(estimator: Any, name: str | None, settings: list[Setting]) -> list[Candidate]:
    """Return a copy of the estimator for each setting."""
    return [
        Candidate(make(estimator, setting), name or type(estimator).__name__, setting) for setting in settings
    ]


def single(estimator: Any, name: str | None) -> Candidate:
    """Return a copy of the estimator as it is; unless a name is given, its parameters are its name."""
    return Candidate(make(estimator, {}), name or one_line(repr(estimator)), {})


def run_study(
    objective: Callable[[Any], float], n_trials: int, study: Any, seed: int, *, shown: bool
) -> None:
    """Let a study, or a new one with this seed, propose settings that lower the objective."""
    optuna = _import_optuna()
    with _quiet(optuna):
        if study is None:
            study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        elif study.direction != optuna.study.StudyDirection.MINIMIZE:
            raise ParameterError(
                "study maximises, but a low loss is wanted; create it with direction='minimize'."
            )
        for _ in progress(range(n_trials), n_trials, "settings", shown=shown):
            study.optimize(objective, n_trials=1)


def _import_optuna() -> Any:
    try:
        return import_module("optuna")
    except ImportError as error:
        raise PackageError(
            "Experiment.optuna needs Optuna, which is not installed. Hint: pip install optuna, or use random."
        ) from error


@contextmanager
def _quiet(optuna: Any) -> Iterator[None]:
    """Silence Optuna, except for warnings, while the block runs."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(max(before, optuna.logging.WARNING))
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
