"""Thresholds: how probable the rare one of two classes must be before a tree says so.

Every row is judged by a tree that was grown without it. A threshold t is the same as the loss matrix that
counts t for a false alarm and 1 - t for a miss, so the tree itself can carry it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data.class_weights import class_totals
from arboretum._data.rows import Rows, as_table, read_target
from arboretum._data.targets import read_weights
from arboretum._options.measures.measure import row_weights
from arboretum._options.measures.of_classes import BalancedAccuracy, Misclassification
from arboretum._options.measures.table import read_matrix
from arboretum._options.rules import Real
from arboretum._types import Array, Integers, Numbers
from arboretum._warning import unheard
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, ParameterError, import_pandas, listing
from arboretum.estimators import TreeClassifier
from arboretum.experiment.fitting import Fold, fit, make_folds
from arboretum.experiment.settings import check_count, make
from arboretum.experiment.splits import read_groups, resolve_seed

if TYPE_CHECKING:
    import pandas as pd

_SHARE = Real("a share above 0 and up to 1", most=1.0, above=True)


@dataclass(frozen=True, eq=False)
class TunedThreshold:
    """A threshold, the loss matrix that stands for it, and the classifier that uses it.

    `thresholds`, `recall`, `precision` and `losses` list what cross-validation says of every threshold that
    makes a difference; `chosen` is the place of the one that was chosen. `precision` is NaN where no row
    would be called positive.
    """

    threshold: float
    positive: Any
    loss: Numbers  # loss[true, predicted], in the order of classes_
    model: TreeClassifier  # fitted to all rows
    thresholds: Numbers
    recall: Numbers
    precision: Numbers
    losses: Numbers
    chosen: int
    measured_by: str
    n_rows: int

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per threshold, from the lowest to the highest."""
        columns = {"threshold": self.thresholds, "recall": self.recall, "precision": self.precision}
        columns |= {"loss": self.losses, "chosen": np.arange(len(self.thresholds)) == self.chosen}
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(columns)
        return frame

    def __str__(self) -> str:
        i = self.chosen
        return (
            f"{self.positive!r} from a probability of {self.threshold:.4g} on: recall {self.recall[i]:.4g}, "
            f"precision {self.precision[i]:.4g}, loss ({self.measured_by}) {self.losses[i]:.4g}, "
            f"cross-validated on {many(self.n_rows, 'row')}"
        )

    __repr__ = __str__


def tune_threshold(
    model: Any,
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    recall: float | None = None,
    precision: float | None = None,
    positive: Any = None,
    folds: int = 10,
    sample_weight: Any = None,
    groups: Any = None,
    random_state: Any = None,
) -> TunedThreshold:
    """Choose the probability from which on a row is called positive, for two classes.

    Trees are grown for each fold, and every row gets its probability from the tree that has not seen it. The
    threshold is chosen by these, and the tree of all rows gets it: its leaves are labelled by it in
    predictions, pictures, files and exports. What is reported of the chosen threshold is a little too good,
    as the best of many is; measure the model on other rows.

    Parameters
    ----------
    model : a TreeClassifier. It is copied; the original is never fitted.
    X, y : a data frame or a 2-D array, and one of two classes per row.
    loss : what the threshold minimises: "balanced_accuracy" (also None), "misclassification" or a loss
        matrix, loss[true, predicted] in the sorted order of the classes.
    recall : instead of a loss, the share of positive rows to be found at least; the highest threshold that
        finds them is chosen.
    precision : instead of a loss, the share of rows called positive that are so at least; the lowest
        threshold that keeps it is chosen.
    positive : the class that must reach the threshold; None is the second in sorted order.
    folds : how many; fewer where there are fewer rows or groups.
    sample_weight : one weight per row, for learning and for measuring.
    groups : one value per row; rows of one group are held out together.
    random_state : None and 0 are the same folds; another whole number gives others.

    >>> import numpy as np
    >>> random = np.random.RandomState(0)
    >>> X = random.normal(size=(500, 2))
    >>> y = np.where(X[:, 0] + random.normal(size=500) > 1.8, "ill", "well")
    >>> tuned = tune_threshold(TreeClassifier(leaf="laplace", prune=None), X, y, recall=0.8, positive="ill")
    >>> bool(tuned.recall[tuned.chosen] >= 0.8), 0 < tuned.threshold < 0.5
    (True, True)
    """
    if not isinstance(model, TreeClassifier):
        raise DataTypeError(
            f"tune_threshold() takes a TreeClassifier(…), not {type(model).__name__}.\n"
            "Hint: for other classifiers, sklearn.model_selection.TunedThresholdClassifierCV."
        )
    wishes = [wish for wish in (loss, recall, precision) if wish is not None]
    if len(wishes) > 1:
        raise ParameterError("tune_threshold() takes one of loss, recall and precision, not several.")
    for name, share in (("recall", recall), ("precision", precision)):
        if share is not None:
            _SHARE.read(share, name)
    table, n_rows = as_table(X)
    target = read_target(y, n_rows, "classes", "tune_threshold")
    assert target.classes is not None
    rows = Rows(table, target, read_weights(sample_weight, n_rows), read_groups(groups, n_rows))
    k = _positive(positive, target.classes)
    name, costs = _costs(BalancedAccuracy.name if loss is None else loss, rows)
    seed, n_folds = resolve_seed(random_state), check_count("folds", folds)
    parts = make_folds(n_folds, n_rows, seed, target.codes, rows.groups, None)
    seen, score = _held_out_scores(model, rows, parts, k)
    tried = _Tried.of(rows.take(seen), score, k, costs)
    chosen = tried.choose(recall, precision)
    threshold = float(tried.thresholds[chosen])
    matrix = np.array([[0.0, 1.0 - threshold], [1.0 - threshold, 0.0]])
    matrix[1 - k, k] = threshold
    fitted = make(model, {})
    fit(fitted, rows, "classes")
    return TunedThreshold(
        threshold,
        target.classes.tolist()[k],
        matrix,
        fitted.with_loss(matrix),
        tried.thresholds,
        tried.recall,
        tried.precision,
        tried.losses,
        chosen,
        name,
        len(seen),
    )


def _positive(positive: Any, classes: Array) -> int:
    """Return the number of the positive class."""
    labels = classes.tolist()
    if len(labels) != 2:
        raise DataError(
            f"tune_threshold() needs two classes, but y has {len(labels)}: {listing(labels, 10)}.\n"
            "Hint: for more classes, TreeClassifier(loss=…) weighs the mistakes."
        )
    if positive is None:
        return 1
    if positive not in labels:
        raise ParameterError(f"positive={shown(positive)} is not a class of y; choose {listing(labels)}.")
    return int(labels.index(positive))


def _costs(loss: Any, rows: Rows) -> tuple[str, Numbers]:
    """Return the name of a loss of labels alone, and what each true and predicted class costs a row."""
    target, weights = rows.target, row_weights(rows.target, rows.weights)
    totals = class_totals(np.asarray(target.codes), weights, 2)
    if not totals.all():
        raise DataError("All rows of a class have the weight 0, so that no threshold can be chosen.")
    if isinstance(loss, str) and loss == Misclassification.name:
        return loss, 1.0 - np.eye(2)
    if isinstance(loss, str) and loss == BalancedAccuracy.name:
        return f"1 - {loss}", (1.0 - np.eye(2)) * totals.sum() / totals[:, None] / 2
    if isinstance(loss, str) or callable(loss):
        names = f"{Misclassification.name!r}, {BalancedAccuracy.name!r}"
        raise ParameterError(
            f"loss={shown(loss)} does not go by labels alone; give {names} or a loss matrix."
        )
    assert target.classes is not None
    return "matrix", read_matrix(loss, target.classes)


def _held_out_scores(model: Any, rows: Rows, folds: list[Fold], k: int) -> tuple[Integers, Numbers]:
    """Return rows, and the probability of class `k` from the tree of the fold that holds each out."""
    assert rows.target.classes is not None
    label, scores = rows.target.classes.tolist()[k], []
    for learnt, held_out in folds:
        grown = make(model, {})
        with unheard():  # the fit to all rows says what there is to say
            fit(grown, rows.take(learnt), "classes")
            probability = grown.predict_proba(rows.take(held_out).X)
        known = grown.classes_.tolist()
        missing = np.zeros(len(held_out))
        scores.append(probability[:, known.index(label)] if label in known else missing)
    return np.concatenate([held_out for _, held_out in folds]), np.concatenate(scores)


@dataclass(frozen=True, eq=False)
class _Tried:
    """What every threshold that makes a difference would do to held-out rows."""

    thresholds: Numbers
    recall: Numbers
    precision: Numbers
    losses: Numbers

    @staticmethod
    def of(rows: Rows, score: Numbers, k: int, costs: Numbers) -> _Tried:
        """Return recall, precision and mean cost at every threshold between two scores."""
        weights, positive = row_weights(rows.target, rows.weights), np.asarray(rows.target.codes) == k
        values, place = np.unique(score, return_inverse=True)
        below = [
            np.append(0.0, np.cumsum(np.bincount(place.ravel(), np.where(side, weights, 0.0), len(values))))
            for side in (~positive, positive)
        ]
        called = [side[-1] - side for side in below]  # weight above each cut: of the others, of the class
        cuts = (np.append(0.0, values) + np.append(values, 1.0)) / 2
        with np.errstate(invalid="ignore"):
            precision = called[1] / (called[0] + called[1])
        losses = below[0] * costs[1 - k, 1 - k] + called[0] * costs[1 - k, k]
        losses = (losses + below[1] * costs[k, 1 - k] + called[1] * costs[k, k]) / weights.sum()
        inside = (cuts > 0) & (cuts < 1)
        return _Tried(cuts[inside], (called[1] / below[1][-1])[inside], precision[inside], losses[inside])

    def choose(self, recall: float | None, precision: float | None) -> int:
        """Return the place of the threshold that is wanted."""
        if recall is not None:
            enough = np.flatnonzero(self.recall >= recall)
            return int(_some(enough, "recall", recall, self.recall)[-1])
        if precision is not None:
            enough = np.flatnonzero(self.precision >= precision)
            return int(_some(enough, "precision", precision, self.precision)[0])
        least = np.flatnonzero(self.losses <= self.losses.min() + 1e-12)
        return int(least[np.argmin(np.abs(self.thresholds[least] - 0.5))])


def _some(enough: Integers, option: str, wanted: float, found: Numbers) -> Integers:
    if not len(enough):
        raise DataError(
            f"No threshold reaches {option}={wanted}; on held-out rows the highest is "
            f"{np.nanmax(found):.4g}.\nHint: ask for less, or let the tree grow larger."
        )
    return enough
