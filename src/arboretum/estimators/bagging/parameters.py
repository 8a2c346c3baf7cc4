"""The parameters of ensembles: their rules, and what each means for a table."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from arboretum._data.scalars import is_integer
from arboretum._grow.significance.choosing import ColumnTest
from arboretum._options.rules import Flag, Rows, Rule, Whole, refuse
from arboretum._options.running import RandomState, Threads, Verbose
from arboretum._options.settings import Settings
from arboretum._wording import many, shown
from arboretum.errors import ParameterError, choices
from arboretum.estimators.bagging.samples import Bootstrap

MaxFeatures: TypeAlias = int | float | Literal["sqrt", "log2"] | None


@dataclass(frozen=True)
class _ColumnsOfNode:
    """How many columns a node may ask about."""

    words: str = (
        "'sqrt', 'log2', a number of columns of 1 or more, a share of them above 0.0 and up to 1.0, "
        "or None for all"
    )

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        if value is None or (isinstance(value, str) and value in ("sqrt", "log2")):
            return value
        if isinstance(value, str):
            raise ParameterError(choices(name, value, ("sqrt", "log2", None)))
        try:
            return Rows(1).read(value, name, owner)
        except ParameterError as error:
            raise refuse(value, name, owner, self.words) from error


@dataclass(frozen=True)
class _Bootstrap:
    """How rows are drawn."""

    words: str = "True, False or 'balanced'"

    def read(self, value: Any, name: str, owner: str = "") -> Bootstrap:
        if isinstance(value, str) and value == "balanced":
            return "balanced"
        if isinstance(value, bool | np.bool_):
            return bool(value)
        raise ParameterError(choices(name, value, (True, False, "balanced")))


@dataclass(frozen=True)
class _OrNone:
    """What a rule allows, or None."""

    rule: Rule

    @property
    def words(self) -> str:
        return f"{self.rule.words}, or None"

    def read(self, value: Any, name: str, owner: str = "") -> Any:
        if value is None:
            return None
        try:
            return self.rule.read(value, name, owner)
        except ParameterError as error:
            raise refuse(value, name, owner, self.words) from error


_RULES: Final[dict[str, Rule]] = {
    "n_trees": Whole(1),
    "max_features": _ColumnsOfNode(),
    "bootstrap": _Bootstrap(),
    "max_samples": _OrNone(Rows(1)),
    "oob": Flag(),
    "patience": Whole(1, or_none=True),
    "warm_start": Flag(),
    "random_state": RandomState(
        "an integer of 0 or more, a RandomState, or None, which always draws the same rows"
    ),
    "n_jobs": Threads(),
    "verbose": Verbose(),
}


@dataclass(frozen=True)
class BagSettings:
    """The parameters of an ensemble, checked. Each field has the name of its parameter."""

    n_trees: int
    max_features: MaxFeatures
    bootstrap: Bootstrap
    max_samples: int | float | None
    oob: bool
    patience: int | None
    warm_start: bool
    random_state: Any
    n_jobs: int
    verbose: bool

    def n_columns(self, n_columns: int) -> int | None:
        """Return how many of so many columns each node draws; None: it may ask about all."""
        given = self.max_features
        if is_integer(given) and int(given) > n_columns:  # type: ignore[arg-type]
            raise ParameterError(
                f"max_features={given} asks for more columns than X has, which is {n_columns}.\n"
                "Hint: max_features=None lets every node ask about all columns."
            )
        if given is None:
            return None
        by_name = {"sqrt": math.sqrt, "log2": math.log2}
        if isinstance(given, str):
            n_drawn = int(by_name[given](n_columns))
        else:
            n_drawn = int(given) if is_integer(given) else int(given * n_columns)
        return None if n_drawn >= n_columns else max(1, n_drawn)

    def n_drawn(self, n_there: int, unit: str) -> int:
        """Return how many rows or queries are drawn for each tree; the `unit` is what messages call one."""
        given = self.max_samples
        if given is None:
            return n_there
        n_drawn = int(given) if is_integer(given) else max(1, round(given * n_there))
        if self.bootstrap is False and n_drawn > n_there:
            raise ParameterError(
                f"max_samples={given} is more than there are to draw from, which is {many(n_there, unit)}, "
                f"and with bootstrap=False no {unit} is drawn twice.\n"
                "Hint: choose bootstrap=True, or max_samples=None."
            )
        return n_drawn


def read_bag_settings(params: Mapping[str, Any], settings: Settings) -> BagSettings:
    """Return the parameters of an ensemble of such trees; refuse the first that is not allowed."""
    bag = BagSettings(**{name: rule.read(params[name], name) for name, rule in _RULES.items()})
    if bag.bootstrap == "balanced" and not settings.of_classes:
        raise ParameterError(
            "bootstrap='balanced' draws every class equally often, but a regressor has no classes.\n"
            "Hint: choose bootstrap=True."
        )
    if bag.max_features is not None and isinstance(settings.significance, ColumnTest):
        raise ParameterError(
            f"max_features={shown(bag.max_features)} draws the columns of each node, but "
            f"significance={type(settings.significance).__name__}(…) chooses among all of them by its test.\n"
            "Hint: choose max_features=None, or a test of questions."
        )
    if bag.oob and bag.bootstrap is False and bag.max_samples is None:
        raise ParameterError(
            "oob=True judges each row by the trees that were not grown from it, but with bootstrap=False and "
            "max_samples=None every tree is grown from all rows.\nHint: choose bootstrap=True, or oob=False."
        )
    if bag.patience is not None and not bag.oob:
        raise ParameterError(
            f"patience={bag.patience} stops when the out-of-bag error is flat, but oob=False does not "
            "measure it.\n"
            "Hint: choose oob=True as well."
        )
    return bag
