"""Permutation importance: by how much the loss rises if the values of a column are shuffled among the rows.

A shuffle puts the values of one column into other rows and leaves all else in place. A tree is asked
directly, without reading the table again; any other model gets a table of the kind that was given.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
from scipy import stats
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from arboretum._data import ColumnData, Dataset, match_dataset
from arboretum._data.queries import read_queries
from arboretum._data.rows import Rows, Target, as_table, read_target, take_rows
from arboretum._data.scalars import is_integer
from arboretum._data.tables import open_table
from arboretum._data.targets import read_numbers, read_weights
from arboretum._options.measures.measure import Measure, average
from arboretum._options.measures.of_order import USUAL, OrderJudge, check_order_measure, order_measure
from arboretum._options.measures.table import estimator_kind, measure_kind, names_for, resolve_loss
from arboretum._options.rules import Flag, refuse
from arboretum._options.running import Threads, Verbose, in_order, progress, random_source
from arboretum._tree.fitted import has_names
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Numbers
from arboretum._warning import unheard
from arboretum._wording import many, visible
from arboretum.errors import DataError, DataTypeError, ParameterError, import_pandas
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.members import LeftOut
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.ranker import RankerMixin
from arboretum.experiment.results import LEVEL, aligned

if TYPE_CHECKING:
    import pandas as pd

_ASKER = "permutation_importance()"
_SHOWN = 50
# From the position of a column and the order of its values to a prediction per row, as the loss reads it.
Shuffled = Callable[[int, Indices], Array]


@dataclass(frozen=True, eq=False)
class PermutationImportance:
    """By how much the loss rises if a column is shuffled, one entry per column of the table.

    `print` shows a table, most important columns first; `to_frame()` returns it as a data frame.

    Attributes
    ----------
    columns : the names of the columns
    values : columns by repeats: by how much the loss rose each time
    baseline : the loss of the table as it is
    loss : which loss it is
    confidence : of the intervals
    """

    columns: tuple[str, ...]
    values: Numbers  # (columns, repeats): the rise of the loss in each repeat
    baseline: float  # the loss as it is
    loss: str
    confidence: float

    @property
    def mean(self) -> Numbers:
        """The importance of each column: the mean over the repeats."""
        return np.asarray(self.values.mean(axis=1), dtype=np.float64)

    @property
    def std(self) -> Numbers:
        """The standard deviation of the repeats; NaN if there is only one."""
        if self.values.shape[1] < 2:
            return np.full(len(self.columns), np.nan)
        with np.errstate(invalid="ignore"):  # a loss may rise to infinity
            return np.asarray(self.values.std(axis=1, ddof=1), dtype=np.float64)

    @property
    def low(self) -> Numbers:
        """The lower end of each interval."""
        return self.mean - self._reach

    @property
    def high(self) -> Numbers:
        """The upper end of each interval."""
        return self.mean + self._reach

    @property
    def _reach(self) -> Numbers:
        """How far Student's interval of the mean reaches: t · s / √repeats."""
        repeats = self.values.shape[1]
        if repeats < 2:
            return np.full(len(self.columns), np.nan)
        t = float(stats.t.ppf((1 + self.confidence) / 2, repeats - 1))
        return np.asarray(t * self.std / np.sqrt(repeats), dtype=np.float64)

    @property
    def _order(self) -> Indices:
        """The columns, most important first; of equals the first."""
        return np.argsort(-self.mean, kind="stable")

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per column, the most important first."""
        columns = {"column": self.columns, "importance": self.mean, "std": self.std}
        columns |= {"low": self.low, "high": self.high}
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(columns)
        return frame.iloc[self._order].reset_index(drop=True)

    def __str__(self) -> str:
        repeats = self.values.shape[1]
        head = (
            f"by how much the loss ({self.loss}), {self.baseline:.4g} as it is, rises if a column is "
            f"shuffled ({many(repeats, 'repeat')})"
        )
        table = [["column", "importance", "std", f"{self.confidence * 100:.6g}% interval"]]
        mean, std, low, high = self.mean, self.std, self.low, self.high
        for place in self._order[:_SHOWN].tolist():
            ends = f"{low[place]:.4g} to {high[place]:.4g}"
            table.append([visible(self.columns[place]), f"{mean[place]:.4g}", f"{std[place]:.4g}", ends])
        more = len(self.columns) - _SHOWN
        return "\n".join([head, aligned(table, {0}), *([f"… and {more} less important"] if more > 0 else [])])

    __repr__ = __str__


def permutation_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    repeats: int = 10,
    loss: Any = None,
    confidence: float = 0.95,
    oob: bool = False,
    random_state: Any = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> PermutationImportance:
    """Return by how much the loss rises if the values of a column are shuffled, for each column of X.

    A column that a tree never asks about has an importance of exactly 0, at no cost. The interval is
    Student's for the mean over all shuffles of these rows and this model: it shrinks as `repeats` grows, and
    says nothing about other rows or another model.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> found = permutation_importance(TreeClassifier(max_depth=2).fit(X, y), X, y)
    >>> [(name, round(value, 2)) for name, value in zip(found.columns, found.mean.tolist())]
    [('sepal_length', 0.0), ('sepal_width', 0.0), ('petal_length', 0.43), ('petal_width', 0.29)]

    Parameters
    ----------
    model : a fitted estimator of this library or of scikit-learn, a pipeline, or a Tree
    X, y : rows with their targets, preferably rows that the model was not fitted to
    sample_weight : how much each row counts in the loss; rows of weight 0 are left out
    groups : of a ranker: the query of each row
    repeats : how often each column is shuffled
    loss : as in `Experiment`: the name of a measure, a loss matrix loss[true, predicted], or a function of
        the truth and the prediction (for classes, the probabilities). None: misclassification for classes,
        the squared error for numbers. Of a ranker "ndcg@10" (the default), "ndcg", "map", "mrr" or "kendall"
    confidence : of the intervals
    oob : of a bagged model and the table that it was fitted to: whether each row is predicted by the trees
        that were not grown from it, as for `oob_score_`. Rows that every tree has seen are left out
    random_state : None and 0 are the same fixed shuffles, another whole number gives others
    n_jobs : how many threads; it does not change the result
    verbose : 1 shows a progress bar
    """
    if not is_integer(repeats) or repeats < 1:
        raise refuse(repeats, "repeats", "", "a whole number, 1 or more (an interval needs 2)")
    LEVEL.read(confidence, "confidence")
    shown, n_threads = Verbose().read(verbose, "verbose"), Threads().read(n_jobs, "n_jobs")
    seed = int(random_source(random_state).randint(2**31))
    _check_model(model)
    predicting = _TreeModel(model) if isinstance(model, Tree) else model
    if Flag().read(oob, "oob"):
        predicting, sample_weight = _out_of_bag(model, X, y, sample_weight, groups)
    if isinstance(model, RankerMixin):
        rows, measure = _read_order(X, y, sample_weight, groups, loss)
    elif groups is not None:
        raise ParameterError(
            f"groups are the queries of a ranker, but {type(model).__name__} is none.\n"
            "Hint: leave groups out."
        )
    else:
        rows, measure = _read(predicting, X, y, sample_weight, loss)

    def loss_of(predicted: Array) -> float:
        return average(measure.each(rows.target, predicted, rows.weights), rows.weights)

    # First of all: the model itself refuses a table that it cannot read.
    baseline = loss_of(measure.predict(predicting, rows.X))
    if not np.isfinite(baseline):
        raise DataError(
            f"The loss ({measure.label}) of the model is {baseline:g} on these rows as they are, so it "
            "cannot rise.\nHint: choose another loss, or a model that rules out nothing (leaf='laplace')."
        )
    names, asked = _column_names(model, rows.X), sorted(_asked_columns(model, rows.X))
    values = np.zeros((len(names), repeats))
    if asked:
        shuffled = _shuffled_by(model, predicting, measure, rows.X)

        def rise(task: tuple[int, int]) -> float:
            order = np.random.default_rng([seed, *task]).permutation(rows.n_rows)
            with unheard():  # the rows as they are have been predicted before
                return loss_of(shuffled(task[0], order)) - baseline

        tasks = [(place, repeat) for place in asked for repeat in range(repeats)]
        found = progress(in_order(rise, tasks, n_threads), len(tasks), "permutation importance", shown=shown)
        for task, value in zip(tasks, found, strict=True):
            values[task] = value
    return PermutationImportance(names, values, baseline, measure.label, float(confidence))


def _check_model(model: Any) -> None:
    if isinstance(model, type) or not hasattr(model, "predict"):
        found = f"the class {model.__name__}" if isinstance(model, type) else type(model).__name__
        raise DataTypeError(
            f"permutation_importance() needs a fitted model that can predict, not {found}.\n"
            "Hint: model.fit(X, y) first, and give the model."
        )
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)


def _out_of_bag(model: Any, X: Any, y: Any, sample_weight: Any, groups: Any) -> tuple[LeftOut, Numbers]:
    """Return what predicts rows out of bag, and weights that leave out those that it cannot predict."""
    if not isinstance(model, BaseBagging):
        raise ParameterError(
            f"oob=True judges rows by the trees that were not grown from them, but {type(model).__name__} is "
            "no ensemble.\nHint: leave oob out, or fit a BaggedClassifier or a BaggedRegressor."
        )
    left_out = LeftOut(model, X, y, sample_weight, groups)
    given = read_weights(sample_weight, len(left_out.is_judged))
    weights = left_out.is_judged.astype(np.float64) if given is None else given * left_out.is_judged
    left_out.keep(weights[left_out.is_judged] > 0)
    return left_out, weights


# Rows and losses


def _read(model: Any, X: Any, y: Any, sample_weight: Any, loss: Any) -> tuple[Rows, Measure]:
    """Return the rows that count something, and what their predictions cost."""
    kind, wanted = estimator_kind(model), measure_kind(loss)
    if isinstance(model, _TreeModel):
        kind = "numbers" if model.classes_ is None else "classes"
    if None not in (kind, wanted) and kind != wanted:
        raise ParameterError(
            f"The model predicts {kind}, but the loss is about {wanted}; choose {names_for(str(kind))}."
        )
    if getattr(model, "output_names_", None) is not None:
        raise DataError(
            f"{_ASKER} takes a model of one output, but this {type(model).__name__} predicts several."
            "\nHint: give one of model.outputs_."
        )
    table, n_rows = as_table(X)
    if n_rows == 0:
        raise DataError("X has no rows, so there is nothing to shuffle.")
    target = read_target(y, n_rows, wanted or kind, "model")
    weights = read_weights(sample_weight, n_rows)
    if target.classes is not None:
        target = _with_classes_of(model, target)
    measure = resolve_loss(loss, target, model)
    measure.refuse(model)
    rows = Rows(table, target, weights)
    return (rows if weights is None else rows.take(np.flatnonzero(weights > 0))), measure


def _read_order(X: Any, y: Any, sample_weight: Any, groups: Any, loss: Any) -> tuple[Rows, Measure]:
    """Return the rows that count something, and what a wrong order within their queries costs."""
    table, n_rows = as_table(X)
    queries, relevance = read_queries(groups, n_rows, _ASKER), read_numbers(y, n_rows, _ASKER)
    weights = read_weights(sample_weight, n_rows)
    if weights is not None:
        kept = np.flatnonzero(weights > 0)
        table, queries = take_rows(table, kept), queries.take(kept)
        relevance, weights = relevance[kept], weights[kept]
    name = USUAL if loss is None else loss
    check_order_measure(name, "loss")
    judge = OrderJudge(order_measure(name, relevance, queries), name, weights)
    shares = judge.weigh(np.ones(len(relevance)))
    if not shares.any():
        raise DataError(
            f"None of the {many(len(queries), 'query')} has rows of different relevance, so that no order is "
            "better than another.\nHint: give queries that have."
        )
    return Rows(table, Target(None, None, relevance), shares), judge


def _with_classes_of(model: Any, target: Target) -> Target:
    """Return the target with all classes of the model, including those that no row here has."""
    known = getattr(model, "classes_", None)
    if known is None or target.classes is None or target.codes is None:
        return target
    known = np.array(known, dtype=object).tolist()
    try:
        labels = sorted({*target.classes.tolist(), *known})
    except TypeError as error:
        raise DataError(
            f"y holds classes such as {target.classes.tolist()[0]!r}, but those of the model are such as "
            f"{known[0]!r}; both must be text, or both numbers."
        ) from error
    classes = np.array(labels, dtype=object if isinstance(labels[0], str) else None)
    number_of = {label: number for number, label in enumerate(labels)}
    numbers = np.array([number_of[label] for label in target.classes.tolist()], dtype=np.intp)
    return Target(classes, numbers[target.codes], target.numbers)


@dataclass(frozen=True)
class _TreeModel:
    """A tree as losses and scikit-learn see models."""

    tree: Tree

    @property
    def classes_(self) -> tuple[Any, ...] | None:
        return self.tree.target.classes

    def predict(self, X: Any) -> Array:
        return self.tree.predict(X)

    def predict_proba(self, X: Any) -> Array:
        return self.tree.predict_proba(X)


# Shuffled tables


def _tree_in(model: Any) -> Tree | None:
    """Return the tree of a model that predicts what its tree says; None for any other model."""
    if isinstance(model, Tree):
        return model
    return model.tree_ if isinstance(model, BaseTree) else None


def _shuffled_by(model: Any, predicting: Any, loss: Measure, X: Any) -> Shuffled:
    """Return what predicts for a table with one column in another order, the fastest way that can.

    `predicting` is the model as the loss sees it.
    """
    tree = _tree_in(model)
    # Predictions of a row that is divided are blended, which only the tree itself can do.
    if tree is None or tree.missing == "fractions" or models_of(tree) is not None:
        return lambda place, order: loss.predict(predicting, _with_shuffled(X, place, order))
    named, at_nodes = has_names(model, tree), loss.at_nodes(tree)
    table = match_dataset(X, tree.columns, named=named, owner=type(model).__name__)
    places = _places(tree, X, named)

    def predict(place: int, order: Indices) -> Array:
        columns, number = list(table.columns), places[place]
        old = columns[number]
        missing = None if old.missing is None else old.missing[order]
        columns[number] = ColumnData(old.column, old.values[order], missing)
        found: Array = at_nodes[tree._leaves_of(Dataset(tuple(columns), table.n_rows, table.named))]
        return found

    return predict


def _column_names(model: Any, X: Any) -> tuple[str, ...]:
    """Return the names of the table's columns; if it has none, those that the model knows."""
    source = open_table(X)
    if source.named:
        return tuple(source.names)
    tree = _tree_in(model)
    known = [column.name for column in tree.columns] if tree else getattr(model, "feature_names_in_", ())
    return tuple(map(str, known)) if len(known) == len(source.names) else tuple(source.names)


def _asked_columns(model: Any, X: Any) -> set[int]:
    """Return which columns of the table a model may look at; of a tree, those that it asks about."""
    tree = _tree_in(model)
    if tree is None:
        return set(range(len(open_table(X).names)))
    return {
        place for place, column in _places(tree, X, has_names(model, tree)).items() if column in tree._asked
    }


def _places(tree: Tree, X: Any, named: bool) -> dict[int, int]:
    """Return which of the tree's columns each column of the table is, by position."""
    source = open_table(X)
    if not (named and source.named):
        return {place: place for place in range(len(tree.columns))}
    place_of = {name: place for place, name in enumerate(source.names)}
    return {place_of[column.name]: number for number, column in enumerate(tree.columns)}


def _with_shuffled(X: Any, place: int, order: Indices) -> Any:
    """Return the table with one column in another order."""
    if isinstance(X, np.ndarray):
        array = X.copy()
        array[:, place] = X[order, place]
        return array
    if isinstance(X, list | tuple):
        rows = [list(row) for row in X]
        for row, source in zip(rows, order.tolist(), strict=True):
            row[place] = X[source][place]
        return rows
    frame = nw.from_native(X, eager_only=True)
    return frame.with_columns(frame[:, place][order]).to_native()
