"""The single tree nearest to an ensemble: grown from its predictions, and measured on held-out rows.

Of classes, each row counts once for every class, with the ensemble's probability of it as its weight; so the
tree's loss is the cross-entropy between the two. Copies of a row are always held out together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from sklearn.base import clone

from arboretum._data.rows import as_table, read_target, take_rows
from arboretum._options.rules import Flag, Whole
from arboretum._tree.fitted import refuse_model
from arboretum._types import Array, Indices, Numbers
from arboretum._warning import unheard
from arboretum._wording import many
from arboretum.errors import DataError, DataTypeError, ParameterError
from arboretum.estimators.bagging.bagged_ranker import BaggedRanker
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.members import LeftOut
from arboretum.estimators.tree_estimators import TreeClassifier, TreeRegressor

__all__ = ["NearestTree", "nearest_tree"]

_ASKER: Final = "nearest_tree()"
_FOLDS: Final = 5


@dataclass(frozen=True)
class NearestTree:
    """The single tree that is nearest to an ensemble, and what is lost by it.

    `model` is the fitted tree estimator. The other numbers are of held-out rows:
    `agreement` is the share of rows for which both predict the same class (of numbers, R² of the tree's
    predictions against the ensemble's); `score` and `ensemble_score` are the accuracies (of numbers: R²) of
    the tree and of the ensemble, None if no targets were given.
    """

    model: TreeClassifier | TreeRegressor
    agreement: float
    score: float | None
    ensemble_score: float | None

    @property
    def given_up(self) -> float | None:
        """By how much the score of the tree is below that of the ensemble."""
        if self.score is None or self.ensemble_score is None:
            return None
        return self.ensemble_score - self.score

    def __repr__(self) -> str:
        return f"<NearestTree: {many(self.model.get_n_leaves(), 'leaf')}, agreement {self.agreement:.3g}>"

    def __str__(self) -> str:
        of_classes = isinstance(self.model, TreeClassifier)
        lines = [
            f"A tree of {self.model.get_n_leaves()} leaves in place of the ensemble. On held-out rows:",
            f"predicts the same class for {self.agreement:.1%}"
            if of_classes
            else f"R² against what the ensemble predicts: {self.agreement:.3f}",
        ]
        if self.score is not None and self.ensemble_score is not None:
            what = "accuracy" if of_classes else "R²"
            lines.append(f"{what} {self.score:.3f}, that of the ensemble {self.ensemble_score:.3f}")
        return "\n".join(lines)


def nearest_tree(
    model: Any, X: Any, y: Any = None, *, leaves: int | None = 16, tree: Any = None, oob: bool = False
) -> NearestTree:
    """Return the single tree that is nearest to an ensemble, with the accuracy that it gives up.

    A tree is grown from what the ensemble predicts for the rows of X, and pruned. The numbers come from five
    folds: trees grown from the predictions for four of them, judged by the fifth.

    >>> from arboretum import BaggedClassifier, datasets
    >>> X, y = datasets.load_penguins()
    >>> forest = BaggedClassifier(n_trees=50, max_features="sqrt").fit(X, y)
    >>> found = nearest_tree(forest, X, y, oob=True)
    >>> print(found)
    A tree of ... leaves in place of the ensemble. On held-out rows:
    ...

    Parameters
    ----------
    model : a fitted BaggedClassifier, BaggedRegressor or BaggedRanker
    X : rows to be near on; they need no targets, so there may be more of them than the ensemble has seen
    y : the targets of these rows, for the scores; rows that the ensemble was grown from flatter it
    leaves : how many leaves the tree may have, so that it can be read; None: as many as are nearest by
        cross-validation, often hundreds, since predictions of an ensemble have little noise
    tree : a TreeClassifier (for numbers and scores: a TreeRegressor) with the parameters of the tree
    oob : whether X and y are those of the fit, and the ensemble predicts each row by the trees that were not
        grown from it
    """
    if not isinstance(model, BaseBagging):
        refuse_model(model, _ASKER, "a fitted ensemble", "BaggedClassifier().fit(X, y) makes one")
    template = _template(model, tree)
    if leaves is not None:
        Whole(1).read(leaves, "leaves")
    oob = Flag().read(oob, "oob")
    table, n_rows = as_table(X)
    if y is not None and isinstance(model, BaggedRanker):
        raise ParameterError(
            f"{_ASKER} compares scores of a BaggedRanker, not orders: leave y out, and measure what the tree "
            "predicts by arboretum.ranking.ndcg()."
        )
    of_classes = hasattr(model, "classes_")
    known = None if y is None else _targets(y, n_rows, of_classes=of_classes)
    judge: Any = model
    if oob:
        if y is None:
            raise ParameterError("oob=True needs y as well: the table and the targets of the fit.")
        judge = LeftOut(model, X, y, None)
        rows = np.flatnonzero(judge.is_judged)
        table, known, n_rows = take_rows(table, rows), None if known is None else known[rows], len(rows)
    if n_rows < 2 * _FOLDS:
        raise DataError(
            f"{_ASKER} compares the tree and the ensemble on {_FOLDS} folds of the rows, but there are only "
            f"{n_rows}; give {2 * _FOLDS} at least."
        )
    answers = judge.predict(table)
    aim = _Aim(template, leaves, table, answers, judge.predict_proba(table) if of_classes else None, model)
    held_out = aim.held_out()
    return NearestTree(
        aim.grown(np.arange(n_rows)),
        aim.score(held_out, answers),
        None if known is None else aim.score(held_out, known),
        None if known is None else aim.score(answers, known),
    )


def _template(model: BaseBagging, tree: Any) -> Any:
    """Return the estimator that the tree is grown by."""
    wanted = TreeClassifier if hasattr(model, "classes_") else TreeRegressor
    if tree is None:
        return wanted()
    if not isinstance(tree, wanted):
        found = tree.__name__ if isinstance(tree, type) else type(tree).__name__
        raise DataTypeError(
            f"{_ASKER} takes as tree a {wanted.__name__} for this ensemble, not {found}.\n"
            f"Hint: tree={wanted.__name__}(max_depth=4)."
        )
    return tree


def _targets(y: Any, n_rows: int, *, of_classes: bool) -> Array:
    kind = "classes" if of_classes else "numbers"
    return read_target(y, n_rows, kind, _ASKER).values(kind)


@dataclass(frozen=True)
class _Aim:
    """What the ensemble predicts for a table, which a tree is to come near to."""

    template: Any
    leaves: int | None
    table: Any
    answers: Array
    shares: Numbers | None  # of classes
    model: Any

    def grown(self, rows: Indices) -> Any:
        """Return the tree that is nearest on these rows."""
        fitted = clone(self.template)
        if self.shares is None:
            return self._small(fitted.fit(take_rows(self.table, rows), self.answers[rows]))
        row, label = np.nonzero(self.shares[rows])
        weights = self.shares[rows][row, label]
        labels = self.model.classes_.take(label)
        return self._small(fitted.fit(take_rows(self.table, rows[row]), labels, weights, groups=row))

    def _small(self, fitted: Any) -> Any:
        if self.leaves is None or fitted.get_n_leaves() <= self.leaves:
            return fitted
        return fitted.pruned(leaves=self.leaves)

    def held_out(self) -> Array:
        """Return what trees that were not grown from a row predict for it."""
        n_rows = len(self.answers)
        fold = np.random.RandomState(0).permutation(n_rows) % _FOLDS
        found = np.empty_like(self.answers)
        for number in range(_FOLDS):
            with unheard():  # the tree of all rows is heard
                grown = self.grown(np.flatnonzero(fold != number))
            here = np.flatnonzero(fold == number)
            found[here] = grown.predict(take_rows(self.table, here))
        return found

    def score(self, predicted: Array, true: Array) -> float:
        """Return the share of rows that are the same; of numbers, R²."""
        if self.shares is not None:
            return float(np.mean(predicted == true))
        spread = float(np.sum((true - true.mean()) ** 2))
        missed = float(np.sum((predicted - true) ** 2))
        return 1.0 - missed / spread if spread else float(missed == 0)
