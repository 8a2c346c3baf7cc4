"""The plane of any other classifier or regressor: what it predicts, asked point by point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from arboretum._data.rows import as_table
from arboretum._data.targets import read_classes, read_numbers
from arboretum._show.picture.palette import Palette, mixed
from arboretum._show.words import class_names
from arboretum._types import Array, Numbers
from arboretum.errors import DataError, ParameterError
from arboretum.plot._axes import add_colour_bar, add_handles, looks, number_scale, plain
from arboretum.plot._plane.sheet import FAINTEST, STRONGEST, point_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS: Final = 241  # along each axis
_MARGIN: Final = 0.04  # of the range of the rows
_SHADES: Final = 19  # from the lowest to the highest probability


class Ground(NamedTuple):
    """The rows, the names of their two columns, and the ends of the picture."""

    rows: Any
    places: Numbers
    targets: Any
    names: tuple[str, str]
    low: Numbers
    high: Numbers


def draw_painted(model: Any, data: Any, limits: Any, ax: Axes, palette: Palette, *, legend: bool) -> Axes:
    """Draw what a model predicts in the plane of its two columns."""
    ground = _read(model, data, limits)
    x, y = (np.linspace(ground.low[i], ground.high[i], _POINTS) for i in (0, 1))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    draw = _draw_classes if hasattr(model, "classes_") else _draw_numbers
    draw(model, ground, _as_given(ground, grid), ax, palette, legend=legend)
    ax.set(xlim=(ground.low[0], ground.high[0]), ylim=(ground.low[1], ground.high[1]))
    ax.set(xlabel=plain(ground.names[0], longest=32.0), ylabel=plain(ground.names[1], longest=32.0))
    return ax


def _read(model: Any, data: Any, limits: Any) -> Ground:
    if not isinstance(data, tuple) or len(data) not in (2, 3):
        raise ParameterError(
            f"partition() draws {type(model).__name__} point by point, and needs data=(X, y) to know where."
        )
    as_table(data[0])  # refuses what is no table
    places = np.asarray(data[0], dtype=object)
    if places.ndim != 2 or places.shape[1] != 2:
        raise DataError(
            "partition() draws models other than trees in the plane of two columns of numbers; give data "
            "with just these two, and a model that was fitted to them."
        )
    try:
        numbers = places.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError("partition() needs columns of numbers to draw a model other than a tree.") from error
    if not np.isfinite(numbers).all():
        raise DataError("partition() needs numbers without gaps to draw a model other than a tree.")
    names = tuple(map(str, getattr(data[0], "columns", ("x0", "x1"))))
    margin = _MARGIN * (np.ptp(numbers, axis=0) + (np.ptp(numbers, axis=0) == 0))
    low, high = numbers.min(axis=0) - margin, numbers.max(axis=0) + margin
    for i, name in enumerate(names):
        if limits is not None and name in limits:
            low[i], high[i] = limits[name]
    return Ground(data[0], numbers, data[1], (names[0], names[1]), low, high)


def _as_given(ground: Ground, grid: Numbers) -> Any:
    """Return points in the form of the rows, so that the model finds its columns."""
    frame = type(ground.rows)
    return frame(dict(zip(ground.names, grid.T, strict=True))) if hasattr(ground.rows, "columns") else grid


def _draw_classes(model: Any, ground: Ground, grid: Any, ax: Axes, palette: Palette, *, legend: bool) -> None:
    seen, found = read_classes(ground.targets, len(ground.places), "model")
    known = np.asarray(model.classes_).tolist()
    classes = [*known, *(label for label in seen.tolist() if label not in known)]
    order = {label: number for number, label in enumerate(classes)}
    codes = np.array([order[label] for label in seen.tolist()])[found]
    colours = [
        palette.classes[number] if number < len(palette.classes) else palette.other
        for number in range(len(classes))
    ]
    looks_of = looks(colours, palette)
    label, sure = _labels(model, grid, order)
    shares = np.linspace(FAINTEST, STRONGEST, _SHADES)
    shades = np.array([[_rgb(mixed(palette.card, colour, share)) for share in shares] for colour in colours])
    picture = shades[label, np.rint(sure * (_SHADES - 1)).astype(np.int64)]
    _paint(ax, ground, picture.reshape(_POINTS, _POINTS, 3))
    for number, look in enumerate(looks_of):
        own = codes == number
        x, y = ground.places[own].T
        ax.scatter(
            x,
            y,
            s=point_size(len(codes)),
            marker=look.marker,
            color=look.colour,
            edgecolors=palette.card,
            linewidths=0.5,
            zorder=3,
        )
    if legend:
        add_handles(ax, palette, looks_of, [plain(name) for name in class_names(tuple(classes))])


def _labels(model: Any, grid: Any, order: dict[Any, int]) -> tuple[Array, Numbers]:
    """Return the number of the class at each point, and how far it is above an even guess.

    The classes of the model come first, in its own order.
    """
    if not hasattr(model, "predict_proba"):
        predicted = np.asarray(model.predict(grid)).tolist()
        return np.array([order[label] for label in predicted]), np.ones(len(predicted))
    probability = np.asarray(model.predict_proba(grid))
    best, even = probability.argmax(axis=1), 1.0 / probability.shape[1]
    sure = (probability.max(axis=1) - even) / (1.0 - even) if even < 1 else np.ones(len(best))
    return best, np.clip(sure, 0.0, 1.0)


def _draw_numbers(model: Any, ground: Ground, grid: Any, ax: Axes, palette: Palette, *, legend: bool) -> None:
    targets = read_numbers(ground.targets, len(ground.places), "model")
    values = np.asarray(model.predict(grid), dtype=np.float64)
    colours = number_scale(np.append(values, targets), palette)
    _paint(ax, ground, colours.to_rgba(values.reshape(_POINTS, _POINTS)))
    fills: dict[str, Any] = {"facecolors": colours.to_rgba(targets), "edgecolors": palette.ink}
    x, y = ground.places.T
    ax.scatter(x, y, s=point_size(len(targets)), linewidths=0.5, zorder=3, **fills)
    if legend:
        add_colour_bar(ax, palette, colours)


def _paint(ax: Axes, ground: Ground, picture: Array) -> None:
    ends = (ground.low[0], ground.high[0], ground.low[1], ground.high[1])
    ax.imshow(picture, extent=ends, origin="lower", aspect="auto", interpolation="nearest", zorder=1)


def _rgb(colour: str) -> tuple[float, float, float]:
    from matplotlib.colors import to_rgb

    return to_rgb(colour)
