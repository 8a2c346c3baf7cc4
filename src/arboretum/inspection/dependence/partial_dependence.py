"""Partial dependence: the mean prediction if one or two columns had a certain value in every row.

Three ways lead there. Through the tree alone ("tree"), other questions are answered by the weights of their
children; through the tree with rows ("exact") it equals the mean over all rows, which "brute" computes for
any model, cell by cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data import ColumnData
from arboretum._data.scalars import is_integer, items_of
from arboretum._options.rules import Flag, Whole
from arboretum._tree.digits import DIGITS, computed_text
from arboretum._types import Array, Indices, Numbers
from arboretum._wording import did_you_mean, many, shown, shown_names, visible
from arboretum.errors import ParameterError, import_pandas, listing
from arboretum.experiment.results import aligned
from arboretum.inspection.dependence.grids import (
    GridColumn,
    check_size,
    grid_options,
    natural,
    read_grid,
)
from arboretum.inspection.dependence.subjects import Subject, open_subject
from arboretum.inspection.dependence.targets import target_column, target_names

if TYPE_CHECKING:
    import pandas as pd

_POINTS: Final = (50, 20)  # of a grid of points, for one column and for two
_MOST_CELLS: Final = 1_000_000
_MOST_NUMBERS: Final = 500_000_000  # of single rows
_SHOWN: Final = 50


@dataclass(frozen=True, eq=False)
class PartialDependence:
    """The mean prediction at each value of a grid: `print` shows it, `to_frame()` returns a data frame.

    `grid` has one array of values per column. `values` has a row per target, one for each of `classes` or one
    in all for numbers, and then one axis per column of the grid. `cuts` has, for a column whose grid is made
    of a tree's steps, the thresholds between its values; the prediction changes there and nowhere else.
    `individual`, if asked for, has what is predicted for each row: targets by rows by grid.

    Attributes
    ----------
    columns : the columns of the grid
    kind : how it was computed: "tree", "exact" or "brute"
    classes : the classes, or None for numbers
    axes : the grid of each column, with what it needs to be drawn
    rows : what the table has in these columns
    is_centred : whether curves start from 0; see `centred`
    """

    columns: tuple[str, ...]
    values: Numbers
    kind: str
    classes: tuple[Any, ...] | None
    axes: tuple[GridColumn, ...] = field(repr=False)
    individual: Numbers | None = None
    rows: tuple[ColumnData, ...] | None = field(default=None, repr=False)  # what X has in the columns
    is_centred: bool = False

    @property
    def grid(self) -> tuple[Array, ...]:
        """The values at which the columns are looked at, one array per column."""
        return tuple(axis.values for axis in self.axes)

    @property
    def cuts(self) -> tuple[Array | None, ...]:
        """The thresholds between the values of a step grid, one array per column; None for other grids."""
        return tuple(
            None if axis.cuts is None else natural(ColumnData(axis.column, axis.cuts)) for axis in self.axes
        )

    def centred(self) -> PartialDependence:
        """Return the differences from the first value of the grid, so that all lines begin at 0."""
        first: Any = (..., *(slice(0, 1) for _ in self.axes))
        lines = None if self.individual is None else self.individual - self.individual[first]
        return replace(self, values=self.values - self.values[first], individual=lines, is_centred=True)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with a row for each value of the grid, and each class."""
        pandas = import_pandas("to_frame()")
        shape = self.values.shape
        places = [place.ravel() for place in np.indices(shape)]
        columns: dict[str, Any] = {
            axis.column.name: axis.values[place] for axis, place in zip(self.axes, places[1:], strict=True)
        }
        if (told := target_column(self.classes, shape[0])) is not None:
            columns[_free(told[0], columns)] = [told[1][number] for number in places[0].tolist()]
        columns[_free("value", columns)] = self.values.ravel()
        frame: pd.DataFrame = pandas.DataFrame(columns)
        return frame

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, digits: int | None = DIGITS) -> str:
        """Return the table as text.

        Values of columns have so many `digits`, and more where two would look the same; predictions have four
        at most, unless more than six are asked for. None shows all.
        """
        Whole(1, or_none=True).read(digits, "digits")
        said = {
            "tree": "by the weights of the tree",
            "exact": "over the rows, through the tree",
            "brute": "over the rows, cell by cell",
        }
        names = " and ".join(visible(name) for name in self.columns)
        change = "change of the mean prediction" if self.is_centred else "mean prediction"
        head = f"{change} by {names} ({said[self.kind]})"
        targets = target_names(self.classes, len(self.values), "value")
        texts = [axis.texts(digits) for axis in self.axes]
        table = [[*shown_names(self.columns), *targets]]
        cells = np.ndindex(*self.values.shape[1:])
        for place in (place for place, _ in zip(cells, range(_SHOWN), strict=False)):
            found = self.values[(slice(None), *place)].tolist()
            named = [visible(text[number]) for text, number in zip(texts, place, strict=True)]
            table.append([*named, *(computed_text(value, digits) for value in found)])
        more = int(np.prod(self.values.shape[1:])) - _SHOWN
        lines = [head, aligned(table, set(range(len(self.columns))))]
        return "\n".join([*lines, *([f"… and {many(more, 'more cell')}"] if more > 0 else [])])

    __repr__ = __str__


def _free(name: str, taken: Iterable[str]) -> str:
    """Return a name that no column has."""
    while name in taken:
        name += "_"
    return name


def partial_dependence(
    model: Any,
    columns: Any,
    X: Any = None,
    *,
    kind: str = "auto",
    grid: Any = None,
    sample_weight: Any = None,
    individual: bool = False,
) -> PartialDependence:
    """Return the mean prediction if one or two columns had a certain value in every row.

    It says what the model does, not what happens in the world: rows are given values that may not go with
    their other columns. docs/dependence.md compares the ways of looking at it.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> print(partial_dependence(model, "petal_width", X))
    mean prediction by petal_width (over the rows, through the tree)
    petal_width  setosa  versicolor  virginica
    <= 1.75      0.3333      0.5996    0.06705
    > 1.75       0.3333     0.02074     0.6459

    Parameters
    ----------
    model : a fitted estimator or a Tree, an ensemble (whose trees are averaged), or any other model that has
        `predict_proba` or `predict`
    columns : a column, by name or position, or two of them
    X : rows to average over; only kind="tree" does without
    kind : "tree" follows the tree alone: a question about another column sends each value to all children, by
        their weights. "exact" is the mean over the rows of X, found through the tree. "brute" is the same
        mean for any model, predicting all rows anew for each cell. "auto" is exact, tree without X, and
        brute for models of other libraries
    grid : None for the steps of the tree, one value for each interval between its cuts (of models of other
        libraries, of columns in oblique questions, and of ensembles with more than 100 steps, evenly spaced
        points); a number of points; the values
        themselves; for two columns {column: either of these}. A column of levels has all of them
    sample_weight : how much each row of X counts
    individual : whether to keep what is predicted for each row (individual conditional expectation)
    """
    Flag().read(individual, "individual")
    how: dict[str, Any] = {"kind": kind, "grid": grid, "sample_weight": sample_weight}
    return find_dependence(model, columns, X, most_lines=None if individual else 0, **how)


def find_dependence(
    model: Any,
    columns: Any,
    X: Any,
    *,
    kind: str,
    grid: Any,
    sample_weight: Any,
    most_lines: int | None,
    coarse: int | None = None,
) -> PartialDependence:
    """Return the partial dependence with the lines of at most so many rows, evenly chosen; None: of all.

    `coarse` is the number of points of a column whose steps would make too many cells; None refuses them.
    """
    subject = open_subject(model, X, kind, sample_weight, "partial_dependence()")
    if most_lines != 0 and subject.kind == "tree":
        raise ParameterError(
            "individual=True shows single rows, but kind='tree' looks at none.\n"
            "Hint: give X and choose kind='exact'."
        )
    places = find_columns(subject.names, columns)
    axes = _grid(subject, places, grid, coarse)
    cells = cross(axes)
    shape = tuple(axis.size for axis in axes)
    rows = None if subject.rows_of(places[0]) is None else _rows(subject, places)
    lines = None
    if rows is not None and most_lines != 0:
        chosen = evenly(len(rows[0].values), most_lines)
        _check_lines(subject, len(chosen), len(cells[0].values))
        means, lines = subject.each(places, cells, chosen)
        lines = lines.reshape(*lines.shape[:2], *shape)
    else:
        means = subject.means(places, cells)
    names = tuple(subject.names[place] for place in places)
    values = np.ascontiguousarray(means).reshape(len(means), *shape)
    classes = subject.classes if subject.classes else None
    return PartialDependence(names, values, subject.kind, classes, axes, lines, rows)


def _rows(subject: Subject, places: Sequence[int]) -> tuple[ColumnData, ...]:
    found = [subject.rows_of(place) for place in places]
    return tuple(column for column in found if column is not None)


def evenly(n_things: int, most: int | None) -> Indices:
    """Return the numbers of at most so many things, evenly chosen; None: of all.

    >>> evenly(9, 3).tolist(), evenly(3, None).tolist()
    ([0, 4, 8], [0, 1, 2])
    """
    if most is None or n_things <= most:
        return np.arange(n_things)
    return np.linspace(0, n_things - 1, most).astype(np.intp)


def _check_lines(subject: Subject, n_rows: int, n_cells: int) -> None:
    """Refuse to keep more numbers than memory has room for."""
    n_numbers = n_rows * n_cells * max(1, len(subject.classes or ()))
    if n_numbers > _MOST_NUMBERS:
        raise ParameterError(
            f"individual=True would keep {n_numbers:,} numbers, but {_MOST_NUMBERS:,} are the most (4 GB).\n"
            "Hint: give fewer rows, or a coarser grid."
        )


def _grid(subject: Subject, places: Sequence[int], grid: Any, coarse: int | None) -> tuple[GridColumn, ...]:
    columns = [subject.column(place) for place in places]
    options = grid_options(grid, columns)
    n_points = _POINTS[len(places) - 1]

    def read(options: Sequence[Any]) -> tuple[GridColumn, ...]:
        return tuple(
            read_grid(column, option, subject.cuts(place), subject.rows_of(place), n_points)
            for place, column, option in zip(places, columns, options, strict=True)
        )

    axes = read(options)
    if coarse is not None and math.prod(axis.size for axis in axes) > _MOST_CELLS:
        axes = read(
            [
                coarse if axis.cuts is not None and axis.size > coarse else option
                for axis, option in zip(axes, options, strict=True)
            ]
        )
    check_size(axes, _MOST_CELLS)
    return axes


def cross(axes: Sequence[GridColumn]) -> list[ColumnData]:
    """Return the values of all cells, one list per column; the last column changes fastest."""
    numbers = np.indices([axis.size for axis in axes]).reshape(len(axes), -1)
    return [axis.data.take(number) for axis, number in zip(axes, numbers, strict=True)]


def find_columns(names: Sequence[str], columns: Any, most: int = 2) -> list[int]:
    """Return the places of columns that are given by name or position; refuse too many and repeated ones."""
    several = None if isinstance(columns, str) else items_of(columns)
    given = [columns] if several is None else several
    found = [_find(names, column) for column in given]
    if not 1 <= len(found) <= most:
        wanted = "one column or two" if most == 2 else "one column"
        raise ParameterError(f"columns={shown(columns)} names {many(len(found), 'column')}; give {wanted}.")
    if len(set(found)) < len(found):
        raise ParameterError(
            f"columns={shown(columns)} names the column {names[found[0]]!r} twice; give two different ones."
        )
    return found


def _find(names: Sequence[str], column: Any) -> int:
    if isinstance(column, str) and column in names:
        return list(names).index(column)
    if is_integer(column) and 0 <= column < len(names):
        return int(column)
    raise ParameterError(
        f"There is no column {shown(column)}; the columns are {listing(list(names))}."
        f"{did_you_mean(column, names)}"
    )
