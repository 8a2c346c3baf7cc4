"""Learning and complexity curves, drawn from the tables that functions of the same names return."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._show.picture.palette import Palette
from arboretum._types import Numbers
from arboretum.errors import DataError, DataTypeError, listing
from arboretum.plot._axes import Look, add_grid, add_legend, add_note, looks, open_axes
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LOSSES: Final = ("training_loss", "development_loss")
_WIDE: Final = 40.0  # from this ratio of greatest to least, sizes have a logarithmic axis


def learning_curve(frame: Any, *, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw what `arboretum.learning_curve` returned: losses over training rows; needs matplotlib.

    Bands show one standard error over the repeats on either side.

    >>> import arboretum
    >>> X, y = arboretum.datasets.load_iris()
    >>> frame = arboretum.learning_curve(arboretum.TreeClassifier(), X, y, sizes=[0.5, 1.0], repeats=2)
    >>> ax = learning_curve(frame)
    >>> ax.get_xlabel(), len(ax.get_lines())
    ('training rows', 2)
    """
    errors = ("training_se", "development_se")
    table = _read(frame, ("size", *_LOSSES, *errors), "learning_curve")
    ax, palette = open_axes(ax, theme, "learning_curve()")
    names = ("training", "development")
    drawn: dict[str, Any] = {}  # by name: the axes may hold other lines
    for name, loss, error, look in zip(names, _LOSSES, errors, _two_looks(palette), strict=True):
        drawn[name] = _draw_line(ax, palette, table["size"], table[loss], look, name)
        known = np.isfinite(table[error]) & np.isfinite(table[loss])
        spread = np.where(known, table[error], 0.0)
        low, high = table[loss] - spread, table[loss] + spread
        ax.fill_between(table["size"], low, high, color=look.colour, alpha=0.18, linewidth=0, zorder=1)
    set_wide_scale(ax, table["size"])
    ax.set_xlabel("training rows")
    _finish(ax, palette, table, drawn)
    return ax


def complexity_curve(frame: Any, *, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw what `arboretum.complexity_curve` returned: losses over leaves; needs matplotlib.

    Marks show the tree of least development loss and the chosen one.

    >>> import arboretum
    >>> X, y = arboretum.datasets.load_iris()
    >>> frame = arboretum.complexity_curve(arboretum.TreeClassifier(), X[::2], y[::2], X[1::2], y[1::2])
    >>> complexity_curve(frame).get_xlabel()
    'leaves'
    """
    table = _read(frame, ("leaves", *_LOSSES, "chosen", "best"), "complexity_curve")
    ax, palette = open_axes(ax, theme, "complexity_curve()")
    drawn: dict[str, Any] = {}
    for name, loss, look in zip(("training", "development"), _LOSSES, _two_looks(palette), strict=True):
        line = table["leaves"], table[loss]
        drawn[name] = _draw_line(ax, palette, *line, look, name, drawstyle="steps-post")
    marks = (("best", "*", 15.0, palette.accent), ("chosen", "o", 13.0, palette.highlight))
    for name, marker, size, colour in marks:
        here = (table[name] > 0) & np.isfinite(table["development_loss"])
        if here.any():
            place = table["leaves"][here], table["development_loss"][here]
            style: dict[str, Any] = {"marker": marker, "markersize": size, "color": colour}
            if name == "chosen":
                style |= {"markerfacecolor": "none", "markeredgewidth": 1.8}
            (drawn[name],) = ax.plot(*place, linestyle="", zorder=4, label=name, **style)
    set_wide_scale(ax, table["leaves"])
    ax.set_xlabel("leaves")
    _finish(ax, palette, table, drawn)
    return ax


def _read(frame: Any, names: Sequence[str], maker: str) -> dict[str, Numbers]:
    """Return the columns of a table as numbers; refuse anything else."""
    columns = getattr(frame, "columns", None)
    if columns is None or not hasattr(frame, "__getitem__"):
        raise DataTypeError(
            f"frame is of type {type(frame).__name__}, not the data frame that arboretum.{maker}() returns."
        )
    lacking = [name for name in names if name not in list(columns)]
    if lacking:
        raise DataError(
            f"frame lacks the column{'s' if len(lacking) > 1 else ''} {listing(lacking)}; give the data "
            f"frame that arboretum.{maker}() returns."
        )
    table = {name: _numbers(frame[name], name, maker) for name in names}
    if not len(table[names[0]]):
        raise DataError(f"frame has no rows, so that {maker}() has nothing to draw.")
    return table


def _numbers(values: Any, name: str, maker: str) -> Numbers:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"frame: the column {name!r} holds what is not a number; give the data frame that "
            f"arboretum.{maker}() returns."
        ) from error


def _two_looks(palette: Palette) -> list[Look]:
    return looks(palette.classes[:2], palette)


def _draw_line(ax: Axes, palette: Palette, x: Numbers, y: Numbers, look: Look, name: str, **how: Any) -> Any:
    (line,) = ax.plot(
        x,
        np.where(np.isfinite(y), y, np.nan),
        color=look.colour,
        linestyle=look.line,
        marker=look.marker,
        markersize=5 if len(x) <= 40 else 0,
        markeredgecolor=palette.card,
        linewidth=1.8,
        label=name,
        zorder=3,
        **how,
    )
    return line


def set_wide_scale(ax: Axes, sizes: Numbers) -> None:
    """Use a logarithmic axis where sizes differ widely; ticks are whole numbers either way."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    axis = ax.xaxis
    if sizes.min() > 0 and sizes.max() / sizes.min() >= _WIDE:
        ax.set_xscale("log")
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        axis.set_minor_formatter(NullFormatter())
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    elif sizes.min() == sizes.max():
        axis.set_ticks([float(sizes[0])])
    else:
        axis.set_major_locator(MaxNLocator(integer=True))
        axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))


def _finish(ax: Axes, palette: Palette, table: dict[str, Numbers], drawn: dict[str, Any]) -> None:
    ax.set_ylabel("loss")
    set_number_ticks(ax.yaxis)
    add_grid(ax, palette, "y")
    add_legend(ax, palette, list(drawn.values()), list(drawn))
    infinite = sum(int(np.isinf(table[loss]).sum()) for loss in _LOSSES)
    if infinite:
        add_note(ax, palette, [f"not drawn: {infinite} infinite loss{'es' if infinite > 1 else ''}"])
