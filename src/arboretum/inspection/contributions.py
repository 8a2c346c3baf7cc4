"""Contributions: how much each column moves the prediction for a row away from the average prediction.

They are Shapley values (TreeSHAP). What is predicted where only some columns are known, the *game*, is said
in docs/contributions.md; the numbers are computed in `cpp/core/explain`.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum import _core
from arboretum._data import Dataset
from arboretum._data.levels import level_text
from arboretum._data.other_tables import table_called
from arboretum._options.rules import Flag, Whole
from arboretum._options.running import Threads
from arboretum._tree.composites import Composite
from arboretum._tree.digits import DIGITS, computed_text, short_text
from arboretum._tree.tree import Tree, core_dataset
from arboretum._types import Indices, Numbers
from arboretum._wording import many, shown_names, visible
from arboretum.errors import DataError, ParameterError, import_pandas, listing
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.bagging.members import trees_of
from arboretum.estimators.base_tree import BaseTree
from arboretum.experiment.results import aligned

if TYPE_CHECKING:
    import pandas as pd

MISSING: Final = "missing"  # how a missing value is written
_SHOWN: Final = 50
_ROUNDING: Final = 1e-13  # what is smaller, in parts of the largest number, is shown as 0
_MOST_STEPS: Final = 30_000_000  # for one row, or one pair of rows: some seconds
_MOST_STEPS_PER_NODE: Final = 8  # in huge trees
_MOST_BYTES: Final = 4 * 2**30  # of the arrays that are returned


@dataclass(frozen=True, eq=False)
class Contributions:
    """What each column contributes to the predictions for some rows.

    `base` and the contributions of a row add up to its prediction: the probability of each class, or the
    number. Printing shows one row, or the mean size of the contributions to several rows.

    Attributes
    ----------
    columns : the names of the columns
    values : an array of rows by columns, and by classes where these are predicted
    base : what is predicted if no column is known: a number, or one for each class
    classes : the classes, or None where a number is predicted
    interactions : rows by columns by columns, and by classes; None if they were not asked for
    target : the class, if `of` took one
    table : the rows that were explained
    """

    columns: tuple[str, ...]
    values: Numbers  # (rows, columns), and classes if classes are predicted
    base: Any  # what is predicted if no column is known: a number, or one for each class
    classes: tuple[Any, ...] | None  # None: a number is predicted
    interactions: Numbers | None = None  # (rows, columns, columns), and classes; None: not asked for
    target: str | None = None  # the class, if only one was taken
    table: Dataset = field(repr=False, default_factory=lambda: Dataset((), 0, False))  # the rows

    @property
    def prediction(self) -> Numbers:
        """The predictions, as the base and the contributions add up to them."""
        return np.asarray(self.base + self.values.sum(axis=1), dtype=np.float64)

    def without_rounding(self, numbers: Any) -> Numbers:
        """Return `numbers` (contributions, bases, predictions) with 0 for what only rounding makes."""
        largest = max(np.abs(each).max(initial=0.0) for each in (self.base, self.values, self.prediction))
        return np.where(np.abs(numbers) > _ROUNDING * largest, numbers, 0.0)

    def of(self, label: Any) -> Contributions:
        """Return the contributions to the probability of the class `label`: `values` is rows by columns."""
        if self.classes is None:
            told = (
                f"are those to {self.target!r} only" if self.target else "belong to numbers, not to classes"
            )
            raise ParameterError(f"These contributions {told}; leave {label!r} out.")
        # An array compares cell by cell, so `in` has no answer for it.
        if not isinstance(label, Hashable) or label not in self.classes:
            raise ParameterError(
                f"{label!r} is not a class of the model; choose {listing(self.classes, 10)}."
            )
        number = self.classes.index(label)
        pairs = None if self.interactions is None else self.interactions[..., number]
        return replace(
            self,
            values=self.values[..., number],
            base=float(self.base[number]),
            classes=None,
            interactions=pairs,
            target=level_text(label),
        )

    def value_text(self, row: int, column: int) -> str:
        """Return a row's value of a column as text."""
        return self._texts(column, np.array([row]))[0]

    def _texts(self, column: int, rows: Indices, digits: int | None = None) -> list[str]:
        data = self.table.columns[column].take(rows)
        cells = zip(data.values.tolist(), data.is_missing().tolist(), strict=True)
        write = data.column.format
        if data.column.levels is None:
            write = partial(short_text, data.column, digits=digits)
        return [MISSING if missing else write(value) for value, missing in cells]

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per row and column, in the order of the table.

        Contributions to several classes have a column for each class.
        """
        n_rows, n_columns = self.values.shape[:2]
        texts = [self._texts(column, np.arange(n_rows)) for column in range(n_columns)]
        frame: dict[str, Any] = {
            "row": np.repeat(np.arange(n_rows), n_columns),
            "column": list(self.columns) * n_rows,
            "value": [text for row in zip(*texts, strict=True) for text in row],
        }
        for name, values in zip(self._headings, self._by_target, strict=True):
            frame[name] = values.ravel()
        result: pd.DataFrame = import_pandas("to_frame()").DataFrame(frame)
        return result

    @property
    def _headings(self) -> list[str]:
        """What the contributions of each target are called."""
        if self.classes is None:
            return [self.target or "contribution"]
        return [f"to {level_text(label)}" for label in self.classes]

    @property
    def _by_target(self) -> Numbers:
        """The contributions, (targets, rows, columns)."""
        return np.moveaxis(self.values.reshape(*self.values.shape[:2], -1), -1, 0)

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return one row, or the mean size of the contributions to several, as text.

        The row's values have so many `digits`; contributions and predictions have four at most, unless more
        than six are asked for. None shows all.
        """
        Whole(1, or_none=True).read(digits, "digits")
        n_rows = len(self.values)
        one, headings = n_rows == 1, [visible(name) for name in self._headings]
        shown = self._by_target[:, 0] if one else np.abs(self._by_target).mean(axis=1)
        shown = self.without_rounding(shown)
        order = np.argsort(-np.abs(shown).max(axis=0), kind="stable")
        head = (
            "contributions to one row" if one else f"mean size of the contributions to {many(n_rows, 'row')}"
        )
        names = shown_names(self.columns)
        table = [["column", *(["value"] if one else []), *headings]]
        for place in order[:_SHOWN].tolist():
            said = [visible(self._texts(place, np.array([0]), digits)[0])] if one else []
            figures = [computed_text(number, digits, "+" if one else "") for number in shown[:, place]]
            table.append([names[place], *said, *figures])
        if one:
            for name, numbers in (("(base)", self.base), ("(prediction)", self.prediction)):
                ends = self.without_rounding(np.ravel(numbers))
                table.append([name, "", *(computed_text(number, digits) for number in ends)])
        more = len(self.columns) - _SHOWN
        return "\n".join([head, aligned(table, {0}), *([f"… and {more} smaller ones"] if more > 0 else [])])

    __repr__ = __str__


def contributions(
    model: Any, X: Any, background: Any = None, interactions: bool = False, *, n_jobs: int | None = None
) -> Contributions:
    """Return how much each column contributes to the prediction for each row of X: TreeSHAP.

    The contributions of a row are Shapley values: they add up to its prediction minus the base, and each is
    the mean of what becoming known changes, over all orders in which the columns may become known. What is
    explained is the probability of each class, or the number that is predicted. Without background data, a
    question about an unknown column divides the row by the weights of the children ("path-dependent"); with
    background data, an unknown column has the values of those rows ("interventional"). docs/contributions.md
    says when to use which.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> found = contributions(model, X.iloc[[0]])
    >>> print(found.of("setosa"))
    contributions to one row
    column        value   setosa
    petal_length    1.4  +0.6579
    sepal_length    5.1       +0
    sepal_width     3.5       +0
    petal_width     0.2       +0
    (base)                0.3333
    (prediction)          0.9912

    Parameters
    ----------
    model : a fitted estimator, or a Tree; of an ensemble, the contributions are the mean of its trees'
    X : the rows to explain
    background : rows that unknown columns take their values from, preferably a hundred or more that are
        typical; None: the weights of the tree's nodes stand for the data
    interactions : whether to find also what pairs of columns contribute together; rows × columns × columns
    n_jobs : how many threads; it does not change the result
    """
    trees = trees_of(model, "contributions()")
    wanted = Flag().read(interactions, "interactions")
    n_threads = Threads().read(n_jobs, "n_jobs")
    tree = trees[0]
    table = _matched(model, tree, X)
    behind = None if background is None else _read_background(model, tree, background)
    n_targets = _node_values(tree).shape[1]
    _refuse_much(table.n_rows, len(tree.columns), n_targets, interactions=wanted)
    # The probabilities of two classes mirror each other, and so do all contributions to them.
    mirrored = n_targets == 2 and _is_mirrored(tree)
    game = _Game(table, behind, int(mirrored), wanted, n_threads)
    found, pairs, base = game.of(tree)
    for other in trees[1:]:
        its_columns, its_pairs, its_base = game.of(other)
        found, pairs, base = found + its_columns, pairs + its_pairs, base + its_base
    base = base / len(trees)
    shape = (table.n_rows, len(tree.columns), n_targets - int(mirrored))
    by_column = (found / len(trees)).reshape(shape)
    by_pair = (pairs / len(trees)).reshape(*shape[:2], *shape[1:]) if wanted else None
    if mirrored:
        by_column = np.concatenate([-by_column, by_column], axis=-1)
        by_pair = None if by_pair is None else np.concatenate([-by_pair, by_pair], axis=-1)
        base = np.concatenate([1.0 - base, base])
    names = tuple(column.name for column in tree.columns)
    if tree.target.classes is None:
        by_pair = None if by_pair is None else by_pair[..., 0]
        return Contributions(names, by_column[..., 0], float(base[0]), None, by_pair, table=table)
    return Contributions(names, by_column, base, tuple(tree.target.classes), by_pair, table=table)


@dataclass(frozen=True, eq=False)
class _Game:
    """What is asked of each tree: the rows, those behind them, and the first target that is explained."""

    table: Dataset
    behind: Dataset | None
    first: int
    pairs: bool
    n_threads: int

    def of(self, tree: Tree) -> tuple[Numbers, Numbers, Numbers]:
        """Return the contributions to one tree, of columns and of pairs, as flat arrays, and its base."""
        explained = np.ascontiguousarray(_node_values(tree)[:, self.first :])
        behind = self.behind
        try:
            found, pairs, base = _core.contributions(
                tree._router,
                core_dataset(self.table),
                explained,
                None if behind is None else core_dataset(behind),
                self.pairs,
                self.n_threads,
                max(_MOST_STEPS, _MOST_STEPS_PER_NODE * len(tree)),
            )
        except _core.TooManyWays as error:
            raise _too_many_ways(tree, has_background=behind is not None) from error
        if behind is not None:
            base = _predicted(tree, behind, explained).mean(axis=0)
        return found, pairs, base


def _is_mirrored(tree: Tree) -> bool:
    """Return whether the probabilities of a tree add up to 1, as all but edited or hostile ones do."""
    return bool(np.allclose(_node_values(tree).sum(axis=1), 1.0, rtol=0, atol=1e-12))


def _matched(model: Any, tree: Tree, X: Any) -> Dataset:
    """Return a table in the columns of the model."""
    if isinstance(model, BaseBagging):
        return model._fitted.matched(X, **model._matching("missing"))
    return tree._matched(X, **_matching(model, tree))


def _matching(model: Any, tree: Tree) -> dict[str, Any]:
    """Return how the model matches tables with its columns."""
    if isinstance(model, BaseTree):
        return model._matching(model._fitted)
    return {"named": tree._is_named, "owner": "this tree"}


def _read_background(model: Any, tree: Tree, background: Any) -> Dataset:
    with table_called("background"):
        return _matched(model, tree, background)


def _node_values(tree: Tree) -> Numbers:
    """Return what each node predicts: (nodes, classes), or (nodes, 1)."""
    name = "value" if tree.target.classes is None else "probability"
    values = tree.array(name)
    return np.ascontiguousarray(values.reshape(len(values), -1), dtype=np.float64)


def _predicted(tree: Tree, table: Dataset, values: Numbers) -> Numbers:
    """Return what is predicted for the rows of a table, given what nodes predict."""
    if tree.missing == "fractions":
        blended: Numbers = tree._router.blend(core_dataset(table), values)
        return blended
    found: Numbers = values[tree._leaves_of(table)]
    return found


def _too_many_ways(tree: Tree, *, has_background: bool) -> DataError:
    """Return why a row has too many ways down a tree: only questions about many columns multiply them."""
    questions = (node.question for node in tree.walk())
    most = max(len(question.columns) for question in questions if isinstance(question, Composite))
    what = "one row and one row of the background" if has_background else "one row"
    instead = "leave background out, or fit" if has_background else "fit"
    return DataError(
        f"contributions() would take more than {_MOST_STEPS:,} steps for {what}: the tree asks about up to "
        f"{most} columns at once, and every choice of those that are known is another way down.\n"
        f"Hint: {instead} anew with shorter questions, such as Oblique(max_terms=10) or MofN(max_n=10)."
    )


def _refuse_much(n_rows: int, n_columns: int, n_targets: int, *, interactions: bool) -> None:
    """Refuse to make arrays that would fill the memory."""
    sizes = [n_rows, n_columns] + [n_columns] * interactions + [n_targets] * (n_targets > 1)
    n_bytes = 8 * int(np.prod([float(size) for size in sizes]))
    if n_bytes <= _MOST_BYTES:
        return
    what = "interactions=True" if interactions else "contributions()"
    text = " by ".join(f"{size:,}" for size in sizes)
    hint = (
        "leave interactions out, or give fewer rows at a time"
        if interactions
        else "give fewer rows at a time"
    )
    raise DataError(
        f"{what} would return {text} numbers, which take {n_bytes / 2**30:,.1f} GB; the limit is "
        f"{_MOST_BYTES / 2**30:g} GB.\nHint: {hint}."
    )
