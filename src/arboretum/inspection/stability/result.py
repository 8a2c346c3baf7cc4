"""What resamples have shown: the trees, what they ask, how alike they are; as text and as tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import Column
from arboretum._tree.digits import DIGITS, short_text
from arboretum._tree.questions import exact_threshold
from arboretum._tree.tree import Tree
from arboretum._types import Array, Indices, Integers, Numbers
from arboretum._wording import many, shown, shown_names, visible
from arboretum.errors import ParameterError, choices, import_pandas
from arboretum.experiment.results import aligned
from arboretum.inspection.stability.agreement import Agreement, nearest
from arboretum.inspection.stability.asked import (
    NEVER,
    QUANTILES,
    Cuts,
    least_depths,
    plain_threshold,
    quantiles,
)

if TYPE_CHECKING:
    import pandas as pd

_SHOWN: Final = 30  # columns
_MANY: Final = 0.25  # of the trees, that disagree about a row


@dataclass(frozen=True, eq=False)
class Stability:
    """How much a tree changes if other rows are drawn: what `arboretum.stability` returns.

    `print` shows a table of the columns, `to_frame()` returns it, `rows_to_frame()` has a line for each row
    of the data, and `arboretum.plot.stability` draws all of it.

    Attributes
    ----------
    model : the estimator, fitted to all rows
    trees : the trees of the resamples
    levels : how many levels, counted from the root, are compared question by question
    method, fraction : how rows were drawn, and which share of them
    n_rows : how many rows there are
    """

    model: Any  # the estimator, fitted to all rows
    trees: tuple[Tree, ...]  # one per resample
    levels: int  # the first levels of a tree, from the root down
    method: str
    fraction: float
    n_rows: int
    _compared: Agreement
    _cuts: Cuts

    # --- the trees

    @property
    def consensus(self) -> Tree:
        """The tree nearest to all others, by the root mean squared distance of predictions (`distance`).

        Of equally near ones it is the smallest, then that of the first resample.
        """
        return self.trees[self.nearest]

    @cached_property
    def nearest(self) -> int:
        """The place of the consensus tree among `trees`."""
        return nearest(self._compared, self.trees)

    @cached_property
    def leaves(self) -> Integers:
        """The number of leaves of each tree."""
        return np.array([tree.n_leaves for tree in self.trees], dtype=np.int64)

    @cached_property
    def depth(self) -> Integers:
        """The depth of each tree."""
        return np.array([tree.depth for tree in self.trees], dtype=np.int64)

    # --- the columns

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self._schema)

    @property
    def _schema(self) -> tuple[Column, ...]:
        return self.trees[0].columns

    @cached_property
    def _least_depths(self) -> Integers:
        """The depth at which a column is first asked about (trees by columns)."""
        return np.array([least_depths(tree) for tree in self.trees])

    @property
    def root(self) -> Numbers:
        """The share of the trees that ask about each column at the root."""
        return self._asked_above(1)

    @property
    def first(self) -> Numbers:
        """The share of the trees that ask about each column in the first levels."""
        return self._asked_above(self.levels)

    @property
    def anywhere(self) -> Numbers:
        """The share of the trees that ask about each column at all."""
        return self._asked_above(NEVER)

    def _asked_above(self, depth: int) -> Numbers:
        return np.asarray((self._least_depths < depth).mean(axis=0), dtype=np.float64)

    @property
    def order(self) -> Indices:
        """The columns, those first that are asked most often at the root, in the first levels, at all."""
        return np.lexsort((-self.anywhere, -self.first, -self.root))

    def thresholds(self, column: str, *, levels: int = 1) -> list[Any]:
        """Return all thresholds of a column at the root, or in the first `levels`, tree by tree."""
        if column not in self.columns:
            raise ParameterError(choices("column", column, self.columns))
        if levels not in range(1, self.levels + 1):
            raise ParameterError(
                f"levels={shown(levels)} is not allowed; thresholds are kept of the first {self.levels}. "
                "Hint: stability(…, levels=…) keeps more."
            )
        place = self.columns.index(column)
        about, found = self._schema[place], self._cuts_of(place, levels)
        stored = map(exact_threshold, [about] * len(found), found.real.tolist(), found.floor.tolist())
        return [plain_threshold(about, value) for value in stored]

    def _cuts_of(self, place: int, levels: int) -> Cuts:
        return self._cuts.only((self._cuts.column == place) & (self._cuts.depth < levels))

    def _spread(self, place: int, levels: int) -> tuple[float | int, ...] | None:
        return quantiles(self._schema[place], self._cuts_of(place, levels))

    # --- the predictions

    @property
    def agreement(self) -> Numbers:
        """How well each two trees agree (trees by trees).

        Of classes it is the share of the rows for which both predict the same; of numbers Lin's concordance,
        which is 1 for equal predictions and about 0 for unrelated ones.
        """
        return self._compared.agreement

    @property
    def distance(self) -> Numbers:
        """The root mean squared distance of each tree's predictions to those of the others.

        Of classes, probabilities are compared, and half the squared distance counts: it is 1 if two trees are
        sure of different classes for every row.
        """
        return self._compared.distance

    @property
    def disagreement(self) -> Numbers | None:
        """For each row the share of the trees that predict another class than most; None for numbers."""
        return self._compared.disagreement

    @property
    def deviation(self) -> Numbers:
        """For each row the standard deviation of the number predicted; of classes, of the probability of the
        class that most trees predict."""
        return self._compared.deviation

    @property
    def prediction(self) -> Array:
        """For each row the class that most trees predict (of equals the first), or the mean number."""
        classes = self.trees[0].target.classes
        if classes is None:
            return self._compared.prediction
        labels = np.empty(len(classes), dtype=object)
        labels[:] = classes
        return labels[self._compared.prediction]

    # --- tables and text

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per column of the data, the most asked about first.

        `root`, `first` and `anywhere` are shares of the trees. The thresholds at the root and in the first
        levels are told by three of them: 5% of all are at or below the low one, half are at or below the
        middle one, and 95% at or below the high one.
        """
        lines = [self._line(place) for place in self.order.tolist()]
        frame: pd.DataFrame = import_pandas("to_frame()").DataFrame(lines)
        return frame

    def _line(self, place: int) -> dict[str, Any]:
        line: dict[str, Any] = {"column": self.columns[place]}
        line |= {name: float(getattr(self, name)[place]) for name in ("root", "first", "anywhere")}
        for name, levels in (("root", 1), ("first", self.levels)):
            spread = self._spread(place, levels) or (None,) * len(QUANTILES)
            for end, stored in zip(("low", "middle", "high"), spread, strict=True):
                plain = None if stored is None else plain_threshold(self._schema[place], stored)
                line[f"{name}_threshold_{end}"] = plain
        return line

    def rows_to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one line per row of the data: how sure its prediction is."""
        columns: dict[str, Any] = {"prediction": self.prediction}
        if self.disagreement is not None:
            columns["disagreement"] = self.disagreement
        frame: pd.DataFrame = import_pandas("rows_to_frame()").DataFrame(
            columns | {"deviation": self.deviation}
        )
        return frame

    def _head(self) -> list[str]:
        """Return what is said above the table, a line each."""
        share = "" if self.fraction == 1 else f"{self.fraction * 100:.3g}% of "
        how = "a bootstrap resample of " if self.method == "bootstrap" else ""
        alone = int((self.leaves == 1).sum())
        return [
            f"{many(len(self.trees), 'tree')}, each grown from {how}{share}{many(self.n_rows, 'row')}",
            f"leaves: {_range(self.leaves)}; the tree of all rows has {self.model.tree_.n_leaves:,}",
            f"depth: {_range(self.depth)}; the tree of all rows has {self.model.tree_.depth:,}",
            *self._head_of_predictions(),
            *([f"{many(alone, 'tree')} asked no question"] if alone else []),
        ]

    def _head_of_predictions(self) -> list[str]:
        low, middle, high = np.quantile(self._compared.pairs, QUANTILES).tolist()
        if self.disagreement is None:
            return [
                f"the concordance of two trees is {middle:.3f} ({low:.3f} to {high:.3f})",
                f"the predictions of a row deviate by {np.median(self.deviation):.4g} (median)",
            ]
        disputed = float(np.mean(self.disagreement > _MANY))
        return [
            f"two trees predict the same class for {middle:.1%} of the rows ({low:.1%} to {high:.1%})",
            f"more than a quarter of the trees disagree about {disputed:.1%} of the rows",
        ]

    def _table(self) -> list[list[str]]:
        """Return the cells of the table, the titles first: no more columns than one wants to read."""
        first = f"first {many(self.levels, 'level')}"
        table = [["column", "root", first, "anywhere", "threshold at the root", f"thresholds in the {first}"]]
        names = shown_names(self.columns)
        for place in self._asked[:_SHOWN]:
            shares = [f"{share[place]:.0%}" for share in (self.root, self.first, self.anywhere)]
            cuts = [self._text(place, levels) for levels in (1, self.levels)]
            table.append([names[place], *shares, *cuts])
        return table

    @property
    def _asked(self) -> list[int]:
        """The columns that any tree asks about, in their order."""
        return [place for place in self.order.tolist() if self.anywhere[place] > 0]

    def _foot(self) -> list[str]:
        more = len(self._asked) - _SHOWN
        return [f"… and {many(more, 'column')} less often"] if more > 0 else []

    def __str__(self) -> str:
        return "\n".join([*self._head(), aligned(self._table(), {0, 4, 5}), *self._foot()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head, foot = ("<br>".join(map(escape, lines)) for lines in (self._head(), self._foot()))
        titles, *lines = self._table()
        rows = ["".join(f"<th>{escape(cell)}</th>" for cell in titles)]
        rows += ["".join(f"<td>{escape(cell)}</td>" for cell in line) for line in lines]
        body = "".join(f'<tr style="text-align: left">{row}</tr>' for row in rows)
        return f"<p>{head}</p><table>{body}</table><p>{foot}</p>"

    def _text(self, place: int, levels: int) -> str:
        """Return the thresholds of a column in words: the middle one, and how far they spread."""
        spread = self._spread(place, levels)
        if spread is None:
            return ""
        low, middle, high = (_short(self._schema[place], value) for value in spread)
        return middle if low == high else f"{middle} ({low} to {high})"


def _range(numbers: Integers) -> str:
    low, middle, high = np.quantile(numbers, QUANTILES, method="inverted_cdf").tolist()
    return f"{middle:,}" if low == high else f"{middle:,} ({low:,} to {high:,})"


def _short(column: Column, stored: float | int) -> str:
    """Return a threshold in few digits: here it need not tell rows apart."""
    return f"{stored:.4g}" if column.kind == "number" else visible(short_text(column, stored, DIGITS))
