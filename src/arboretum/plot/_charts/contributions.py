"""Contributions to one prediction as a waterfall: bars lead from the base to the prediction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._data.scalars import is_integer
from arboretum._options.rules import Whole
from arboretum._show.picture.palette import Palette
from arboretum._show.picture.text_width import text_width
from arboretum._tree.digits import short_value
from arboretum._tree.question_values import MINUS
from arboretum._types import Indices, Mask, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataTypeError, ParameterError, listing
from arboretum.inspection.contributions import MISSING, Contributions
from arboretum.plot._axes import TEXT_SIZE, add_grid, add_note, name_ticks, open_axes, plain
from arboretum.plot._ticks import number_text, set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST_VALUE: Final = 12.0  # em
_LONGEST_LABEL: Final = 24.0
_ALIKE: Final = 1e-13  # ends of bars that only rounding parts, in parts of the base
_ALONE: Final = 0.5  # the width of an axis without bars, in parts of the base


@dataclass(frozen=True)
class _Step:
    """A bar: it begins where the one above it ends."""

    label: str
    begin: float
    length: float


def contributions(
    result: Contributions,
    row: int = 0,
    *,
    target: Any = None,
    top: int = 10,
    ax: Axes | None = None,
    theme: str = "light",
) -> Axes:
    """Draw how the contributions lead from the base to the prediction for one row; needs matplotlib.

    Columns that contribute nothing have no bar; a note above the chart counts them.

    Parameters
    ----------
    result : what `arboretum.contributions` returned
    row : which of its rows to draw, counted from 0
    target : the class whose probability is explained; None: the most probable one
    top : the largest number of columns to draw; the others share one bar
    ax, theme : as in `roc`

    >>> import arboretum
    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(max_depth=2).fit(X, y)
    >>> ax = contributions(arboretum.contributions(model, X), 60)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['base', 'petal_width = 1', 'petal_length = 3.5', 'prediction']
    >>> ax.get_title(loc="left")
    'at 0, not drawn: 2 columns'
    """
    Whole(1).read(top, "top")
    check_result(result, "contributions()")
    number = _row_number(result, row)
    found = of_target(result, target, int(np.argmax(result.prediction[number])))
    values = found.values[number]
    kept, rest, n_zero = by_size(values, found, top)
    steps = [_Step("base", float(found.without_rounding(found.base)), 0.0)]

    def go(label: str, length: float) -> None:
        steps.append(_Step(label, steps[-1].begin + steps[-1].length, length))

    said = [plain(short_value(found.value_text(number, place)), longest=_LONGEST_VALUE) for place in kept]
    names = names_of(found, kept, _LONGEST_LABEL - max(map(text_width, said), default=0.0))
    for place, name, value in zip(kept.tolist(), names, said, strict=True):
        go(f"{name} is missing" if value == MISSING else f"{name} = {value}", float(values[place]))
    if len(rest):
        go(f"and {many(len(rest), 'other')}", float(values[rest].sum()))
    steps.append(_Step("prediction", float(found.without_rounding(found.prediction[number])), 0.0))
    ax, palette = open_axes(ax, theme, "contributions()", size=(6.8, 1.5 + 0.34 * len(steps)))
    _draw(steps, ax, palette)
    ax.set_xlabel(title_of(found, "prediction"))
    add_note(ax, palette, zero_note(n_zero))
    return ax


def _draw(steps: list[_Step], ax: Axes, palette: Palette) -> None:
    begins, lengths = (np.array([getattr(step, name) for step in steps]) for name in ("begin", "length"))
    ends, places = begins + lengths, np.arange(len(steps))
    rises, falls = palette.classes[0], palette.classes[5]
    colours = [rises if length >= 0 else falls for length in lengths.tolist()]
    ax.barh(places, lengths, left=begins, height=0.62, color=colours, zorder=2)
    # Each bar hands over to the next one.
    line: dict[str, Any] = {"color": palette.faint, "linewidth": 0.9, "zorder": 3}
    ax.vlines(ends[:-1], places[:-1] - 0.31, places[1:] + 0.31, **line)
    ax.plot(
        ends[[0, -1]], places[[0, -1]], linestyle="", marker="D", markersize=5, color=palette.ink, zorder=4
    )
    reach, size = float(np.ptp(np.concatenate([begins, ends]))), abs(float(begins[0]))
    if reach <= _ALIKE * size:  # nothing moves: some room around the base, for short labels
        reach = _ALONE * size or 1.0
    for step, place in zip(steps, places.tolist(), strict=True):
        inner = 0 < place < len(steps) - 1
        ax.annotate(
            _signed(step.length) if inner else number_text(step.begin),
            (max(step.begin, step.begin + step.length), place),
            xytext=(4 if inner else 7, 0),
            textcoords="offset points",
            va="center",
            fontsize=TEXT_SIZE,
            color=palette.ink,
        )
    low, high = float(min(begins.min(), ends.min())), float(max(begins.max(), ends.max()))
    ax.set_xlim(low - 0.04 * reach, high + 0.2 * reach)
    ax.set_ylim(len(steps) - 0.4, -0.6)
    ax.set_yticks(places, [step.label for step in steps])
    ax.tick_params(axis="y", length=0)
    set_number_ticks(ax.xaxis)
    add_grid(ax, palette, "x")


def _signed(length: float) -> str:
    return f"{'+' if length >= 0 else MINUS}{number_text(abs(length))}"


def _row_number(result: Contributions, row: Any) -> int:
    n_rows = len(result.values)
    if not is_integer(row) or not 0 <= row < n_rows:
        allowed = "0" if n_rows == 1 else f"an integer from 0 to {n_rows - 1}"
        raise ParameterError(
            f"row={shown(row)} is not allowed; the result has {many(n_rows, 'row')}, give {allowed}."
        )
    return int(row)


# What both charts of contributions share


def check_result(result: Any, asker: str) -> None:
    """Refuse anything but what `arboretum.contributions` returned."""
    if not isinstance(result, Contributions):
        raise DataTypeError(
            f"{asker} draws what arboretum.contributions(model, X) returned, not {type(result).__name__}."
        )


def of_target(result: Contributions, target: Any, default: int | None) -> Contributions:
    """Return the contributions to one class, the default one if none is named; numbers have no classes."""
    if target is not None:
        return result.of(target)
    if result.classes is None:
        return result
    if len(result.classes) == 1:
        return result.of(result.classes[0])
    if default is None:
        raise ParameterError(
            f"There are {len(result.classes)} classes; choose one, target={listing(result.classes, 10)}."
        )
    return result.of(result.classes[default])


def names_of(found: Contributions, places: Indices, longest: float) -> list[str]:
    """Return the names of columns; long names that begin or end alike keep only what differs."""
    names = [found.columns[place] for place in places.tolist()]
    long = [name for name in names if text_width(name) > longest]
    ticks = dict(zip(long, name_ticks(long, longest), strict=True))
    return [ticks.get(name) or plain(name) for name in names]


def title_of(found: Contributions, noun: str) -> str:
    """Return what is on the axis of contributions."""
    return noun if found.target is None else f"{noun}: probability of {plain(found.target)}"


def by_size(values: Numbers, found: Contributions, top: int) -> tuple[Indices, Indices, int]:
    """Return the columns to draw, largest first, the others that contribute, and how many do not."""
    size = np.abs(values)
    zero: Mask = found.without_rounding(size) == 0
    order = np.argsort(-size, kind="stable")
    order = order[~zero[order]]
    n_drawn = len(order) if len(order) == top + 1 else top  # "and 1 other" would take as much room
    return order[:n_drawn], order[n_drawn:], int(zero.sum())


def zero_note(n_zero: int) -> list[str]:
    """Return what to say about columns that contribute nothing."""
    return [f"at 0, not drawn: {many(n_zero, 'column')}"] if n_zero else []
