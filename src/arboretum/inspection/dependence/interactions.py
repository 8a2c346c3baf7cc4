"""Interactions: how far the partial dependence of two columns is from the sum of that of each.

Friedman's H (Friedman and Popescu 2008) is 0 where two columns add up, and 1 where all of their joint effect
comes from having them together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._options.rules import Whole
from arboretum._tree.digits import DIGITS, computed_text
from arboretum._types import Indices, Numbers
from arboretum._wording import many, shown_names
from arboretum.errors import ParameterError, import_pandas
from arboretum.experiment.results import aligned
from arboretum.inspection.dependence.partial_dependence import find_columns
from arboretum.inspection.dependence.subjects import Subject, open_subject
from arboretum.inspection.dependence.targets import target_column, target_names

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = 30
_ROUNDING: Final = 1e-12  # of the largest prediction


@dataclass(frozen=True, eq=False)
class InteractionStrength:
    """Friedman's H of pairs of columns: `print` shows the strongest, `to_frame()` returns a data frame.

    `values` has a row per target, one for each of `classes` or one in all for numbers, and a column per pair.
    """

    pairs: tuple[tuple[str, str], ...]
    values: Numbers
    classes: tuple[Any, ...] | None

    @property
    def _order(self) -> Indices:
        """The pairs, strongest first by the mean over the targets; of equals the first."""
        return np.argsort(-self.values.mean(axis=0), kind="stable")

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each pair, and each class; the strongest first."""
        pandas = import_pandas("to_frame()")
        n_targets, order = len(self.values), self._order
        columns: dict[str, Any] = {
            "first": np.repeat([self.pairs[i][0] for i in order], n_targets),
            "second": np.repeat([self.pairs[i][1] for i in order], n_targets),
        }
        if (told := target_column(self.classes, n_targets)) is not None:
            columns[told[0]] = told[1] * len(order)
        columns["strength"] = self.values[:, order].T.ravel()
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the strongest pairs as text.

        Strengths have so many `digits`, but four at most, unless more than six are asked for; None shows all.
        """
        chosen = Whole(1, or_none=True).read(digits, "digits")
        targets = target_names(self.classes, len(self.values), "H")
        if self.classes is not None:
            targets = [f"H of {name}" for name in targets]
        table = [["first", "second", *targets]]
        order = self._order[:_SHOWN].tolist()
        names = sorted({name for place in order for name in self.pairs[place]})
        said = dict(zip(names, shown_names(names), strict=True))
        for place in order:
            strengths = [computed_text(value, chosen) for value in self.values[:, place].tolist()]
            table.append([*(said[name] for name in self.pairs[place]), *strengths])
        more = len(self.pairs) - _SHOWN
        lines = ["strength of interactions (0: the two columns add up)", aligned(table, {0, 1})]
        return "\n".join([*lines, *([f"… and {many(more, 'weaker pair')}"] if more > 0 else [])])

    __repr__ = __str__


def interaction_strength(
    model: Any, X: Any, columns: Any = None, *, sample_weight: Any = None
) -> InteractionStrength:
    """Return Friedman's H for pairs of columns: the part of their joint effect that is not additive.

    H² is the sum of squares of F(a, b) - F(a) - F(b) over the rows, in parts of that of F(a, b), where F is
    the partial dependence at the row's own values, minus its mean. H is its square root: 0 if the two columns
    add up or do nothing, 1 if neither does anything without the other. It can be large for a pair with hardly
    any effect at all, so look at `partial_dependence` as well.

    A tree is asked through its questions; any other model predicts all rows anew for each pair of values,
    the square of the number of rows in all: give it a sample.

    >>> from arboretum import TreeRegressor, datasets
    >>> X, _ = datasets.load_iris()
    >>> model = TreeRegressor(max_leaf_nodes=6, prune=None).fit(X.iloc[:, 1:], X["sepal_length"])
    >>> print(interaction_strength(model, X))
    strength of interactions (0: the two columns add up)
    first        second            H
    sepal_width  petal_length  0.114

    Parameters
    ----------
    model : a fitted estimator or a Tree; any other model that has `predict_proba` or `predict`
    X : rows, with whose values the columns are looked at
    columns : two or more columns, by name or position; None for all that a tree asks about, or all of X
    sample_weight : how much each row of X counts
    """
    subject = open_subject(model, X, "auto" if X is not None else "exact", sample_weight, _ASKER)
    places = _places(model, subject, columns)
    if len(places) < 2:
        raise ParameterError(
            f"{_ASKER} needs two columns, but there {'is' if len(places) == 1 else 'are'} "
            f"{many(len(places), 'column')} that the model asks about."
        )
    alone = {place: _centred(subject, [place]) for place in places}
    pairs = list(combinations(places, 2))
    found = [_strength(_centred(subject, pair), alone[pair[0]], alone[pair[1]], subject) for pair in pairs]
    names = tuple((subject.names[a], subject.names[b]) for a, b in pairs)
    classes = subject.classes if subject.classes else None
    return InteractionStrength(names, np.array(found).T, classes)


_ASKER: Final = "interaction_strength()"


def _places(model: Any, subject: Subject, columns: Any) -> list[int]:
    if columns is not None:
        return find_columns(subject.names, columns, most=len(subject.names))
    asked = getattr(getattr(model, "tree_", model), "_asked", None)
    return sorted(range(len(subject.names)) if asked is None else asked)


def _strength(joint: Numbers, one: Numbers, other: Numbers, subject: Subject) -> Numbers:
    """Return H per target, from what each row has of the joint effect and of the single ones."""
    apart, whole = joint - one - other, joint
    square_apart = np.average(apart**2, axis=1, weights=subject.weights)
    square_whole = np.average(whole**2, axis=1, weights=subject.weights)
    # What is left of nothing after rounding is no interaction.
    tiny = (_ROUNDING * max(1e-300, float(np.abs(joint).max(initial=0.0)))) ** 2
    nothing = (square_apart <= tiny) | (square_whole <= tiny)
    share = np.where(nothing, 0.0, square_apart / np.where(nothing, 1.0, square_whole))
    return np.asarray(np.sqrt(share), dtype=np.float64)


def _centred(subject: Subject, places: Sequence[int]) -> Numbers:
    """Return the partial dependence at each row's own values, minus its mean: targets by rows."""
    codes, cells = zip(*(_cells_of_rows(subject, place) for place in places), strict=True)
    together, number = np.unique(np.array(codes), axis=1, return_inverse=True)
    values = [cell.take(code) for cell, code in zip(cells, together, strict=True)]
    found = subject.means(list(places), values)[:, number.ravel()]
    centred = found - np.average(found, axis=1, weights=subject.weights)[:, None]
    # Means of the same predictions may differ in their last digits: that is no effect.
    least = _ROUNDING * np.abs(found).max(axis=1, keepdims=True, initial=0.0)
    return np.where(np.abs(centred) <= least, 0.0, centred)


def _cells_of_rows(subject: Subject, place: int) -> tuple[Indices, ColumnData]:
    """Return the number of each row's cell, and one value for each cell; missing values have their own."""
    rows, cuts = subject.rows_of(place), subject.cuts(place)
    assert rows is not None
    keys = rows.values
    # Integers that come as floats are compared in another way.
    as_fitted = rows.column.kind == "number" or keys.dtype.kind != "f"
    if rows.column.levels is None and cuts is not None and as_fitted:
        keys = np.searchsorted(cuts, keys, side="left")
    missing = rows.is_missing()
    numbers = np.full(len(keys), -1, dtype=np.intp)
    numbers[~missing] = np.unique(keys[~missing], return_inverse=True)[1].ravel()
    _, first, codes = np.unique(numbers, return_index=True, return_inverse=True)
    return codes.ravel(), rows.take(first)
