"""Partial dependence as a chart: lines for one column, a heat map for two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data.scalars import is_integer
from arboretum._wording import shown
from arboretum.errors import DataTypeError, ParameterError
from arboretum.inspection.dependence.accumulated_effects import AccumulatedEffects
from arboretum.inspection.dependence.interactions import InteractionStrength
from arboretum.inspection.dependence.partial_dependence import PartialDependence, find_dependence
from arboretum.plot._axes import add_note, check_flag, open_axes
from arboretum.plot._dependence.drawn import choose
from arboretum.plot._dependence.heat_map import draw_map
from arboretum.plot._dependence.lines import draw_lines

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LINES: Final = 200  # of single rows
_COARSE: Final = 200  # points for each of two columns that have too many steps


def partial_dependence(
    model_or_result: Any,
    columns: Any = None,
    X: Any = None,
    *,
    kind: str = "auto",
    grid: Any = None,
    sample_weight: Any = None,
    individual: bool | int = False,
    centred: bool = False,
    target: Any = None,
    rows: bool = True,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw the mean prediction by one column, or by two as a heat map; needs matplotlib.

    A tree is drawn with its own steps unless a grid is given, or two columns have more than a million cells:
    then 200 evenly spaced points stand for the steps of a column. Along the axis, small marks show where rows
    are; in a heat map they are dots.

    Parameters
    ----------
    model_or_result : what `arboretum.partial_dependence` or `arboretum.accumulated_effects` returned; or a
        model, with `columns`, `X`, `kind`, `grid` and `sample_weight` as there
    individual : whether to draw the line of each row, or how many of them at most (True: 200)
    centred : whether lines show the difference from the first value of the grid
    target : the class to draw; None for all of them. A heat map, or lines of single rows, show one class:
        None is then the second of two
    rows : whether to show where the rows of X are
    ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = partial_dependence(TreeClassifier().fit(X, y), "petal_width", X)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('petal_width', 'mean probability')
    """
    check_flag("centred", centred)
    check_flag("rows", rows)
    most_lines = _read_lines(individual)
    if isinstance(model_or_result, PartialDependence | AccumulatedEffects):
        _refuse_options(columns=columns, X=X, grid=grid, sample_weight=sample_weight)
        found = model_or_result
    else:
        if isinstance(model_or_result, InteractionStrength):
            raise DataTypeError(
                "partial_dependence() draws partial dependence or accumulated effects, not the strength of "
                "interactions.\nHint: print it or draw a pair: partial_dependence(model, [first, second], X)."
            )
        if columns is None:
            raise ParameterError("columns is not given; name the column to draw, or two of them.")
        how: dict[str, Any] = {"kind": kind, "grid": grid, "sample_weight": sample_weight}
        found = find_dependence(model_or_result, columns, X, most_lines=most_lines, coarse=_COARSE, **how)
    drawn = choose(found, target, centred=bool(centred), most_lines=most_lines)
    ax, palette = open_axes(ax, theme, "partial_dependence()")
    if len(drawn.axes) == 2:
        draw_map(drawn, ax, palette, marked=bool(rows))
    else:
        draw_lines(drawn, ax, palette, marked=bool(rows))
    notes = list(drawn.notes)
    if rows and drawn.rows is not None and len(drawn.axes) == 1 and drawn.axes[0].column.levels is not None:
        notes.append("bars below: the rows of each level")
    add_note(ax, palette, notes)
    return ax


def _read_lines(individual: Any) -> int:
    """Return the largest number of lines of single rows."""
    if isinstance(individual, bool | np.bool_):
        return _MOST_LINES if individual else 0
    if is_integer(individual) and individual >= 1:
        return int(individual)
    raise ParameterError(
        f"individual={shown(individual)} is not allowed; give True, False or a number of lines."
    )


def _refuse_options(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ParameterError(
                f"{name} belongs to a model; a result has been computed already, so leave it out."
            )
