"""Lines over sizes and shares: learning and complexity curves, the pruning path, and impurities.

The curves draw the tables that functions of the same names return. The pruning path is the risk of every tree
of the weakest-link sequence over its number of leaves; alpha, the price of a leaf, stands on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._prune.cost_complexity import choose_step
from arboretum._prune.path import PruningPath
from arboretum._show.picture.palette import Palette
from arboretum._tree.fitted import refuse_model
from arboretum._types import Numbers
from arboretum.errors import DataError, DataTypeError, listing
from arboretum.information import entropy, gini, misclassification
from arboretum.plot._axes import Look, add_grid, add_legend, add_note, check_flag, looks, open_axes
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PARTS: Final = ("training", "development")
_LOSSES: Final = ("training_loss", "development_loss")
_ERRORS: Final = ("training_se", "development_se")
_WIDE: Final = 40.0  # from this ratio of greatest to least, sizes have a logarithmic axis
_MARKED_SIZES: Final = 40  # the lines of longer curves have no markers
_MARKED_TREES: Final = 60
_TEXT_IN_A_LINE: Final = 36  # characters of all names below an axis
_SLANTED: Final[dict[str, Any]] = {"rotation": 25, "ha": "right", "rotation_mode": "anchor"}
_MOST_ALPHAS: Final = 7
_SPOTS: Final = 201


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
    table = _read(frame, ("size", *_LOSSES, *_ERRORS), "learning_curve")
    ax, palette = open_axes(ax, theme, "learning_curve()")
    drawn = _draw_losses(ax, palette, table, "size")
    _draw_errors(ax, palette, table, "size")
    _finish(ax, palette, table, drawn, "size", "training rows")
    return ax


def validation_curve(
    frame: Any, *, option: str | None = None, ax: Axes | None = None, theme: str = "light"
) -> Axes:
    """Draw what `arboretum.validation_curve` returned: losses over the values of an option; needs matplotlib.

    Bands show one standard error over the repeats on either side; marks, the best value and its test loss.
    `option` is the name below the axis.

    >>> import arboretum
    >>> X, y = arboretum.datasets.load_iris()
    >>> frame = arboretum.validation_curve(arboretum.TreeClassifier(), X, y, "max_depth", [0, 1, 2])
    >>> validation_curve(frame, option="max_depth").get_xlabel()
    'max_depth'
    """
    names = ("value", *_LOSSES, *_ERRORS, "best")
    has_test = "test_loss" in getattr(frame, "columns", ())
    texts = _as_texts(frame)
    shown = frame if texts is None else frame.assign(value=range(len(texts)))
    table = _read(shown, (*names, "test_loss") if has_test else names, "validation_curve")
    ax, palette = open_axes(ax, theme, "validation_curve()")
    drawn = _draw_losses(ax, palette, table, "value")
    _draw_errors(ax, palette, table, "value")
    here = (table["best"] > 0) & np.isfinite(table["development_loss"])
    marks = [("best", "development_loss", "*", 15.0, palette.accent)]
    if has_test:
        marks.append(("test", "test_loss", "D", 8.0, palette.highlight))
    for name, loss, marker, size, colour in marks:
        if here.any():
            style: dict[str, Any] = {
                "marker": marker,
                "markersize": size,
                "color": colour,
                "linestyle": "",
                "zorder": 4,
            }
            (drawn[name],) = ax.plot(table["value"][here], table[loss][here], label=name, **style)
    _finish(ax, palette, table, drawn, "value", "value" if option is None else option)
    if texts is not None:
        slanted = sum(map(len, texts)) > _TEXT_IN_A_LINE
        ax.set_xticks(range(len(texts)), texts, **_SLANTED if slanted else {})
    return ax


def _as_texts(frame: Any) -> list[str] | None:
    """Return the values of an option where they stand side by side: no numbers, or of all sizes from 0 on."""
    values = list(frame["value"]) if "value" in getattr(frame, "columns", ()) else []
    if any(isinstance(value, str) for value in values):
        return [str(value) for value in values]
    sizes = np.array([size for size in map(abs, values) if size > 0])
    if not len(sizes) or min(values) > 0 or sizes.max() / sizes.min() < _WIDE:
        return None
    return [f"{value:g}" for value in values]


def _draw_errors(ax: Axes, palette: Palette, table: dict[str, Numbers], sizes: str) -> None:
    """Draw bands of one standard error on either side of both losses."""
    for loss, error, look in zip(_LOSSES, _ERRORS, _two_looks(palette), strict=True):
        known = np.isfinite(table[error]) & np.isfinite(table[loss])
        spread = np.where(known, table[error], 0.0)
        low, high = table[loss] - spread, table[loss] + spread
        ax.fill_between(table[sizes], low, high, color=look.colour, alpha=0.18, linewidth=0, zorder=1)


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
    drawn = _draw_losses(ax, palette, table, "leaves", drawstyle="steps-post")
    best: dict[str, Any] = {"marker": "*", "markersize": 15.0, "color": palette.accent}
    chosen: dict[str, Any] = {"marker": "o", "markersize": 13.0, "color": palette.highlight}
    chosen |= {"markerfacecolor": "none", "markeredgewidth": 1.8}
    for name, style in (("best", best), ("chosen", chosen)):
        here = (table[name] > 0) & np.isfinite(table["development_loss"])
        if here.any():
            place = table["leaves"][here], table["development_loss"][here]
            (drawn[name],) = ax.plot(*place, linestyle="", zorder=4, label=name, **style)
    _finish(ax, palette, table, drawn, "leaves", "leaves")
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
    table: dict[str, Numbers] = {}
    for name in names:
        try:
            table[name] = np.asarray(frame[name], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise DataError(
                f"frame: the column {name!r} holds what is not a number; give the data frame that "
                f"arboretum.{maker}() returns."
            ) from error
    if not len(table[names[0]]):
        raise DataError(f"frame has no rows, so {maker}() has nothing to draw.")
    return table


def _draw_losses(
    ax: Axes, palette: Palette, table: dict[str, Numbers], sizes: str, **how: Any
) -> dict[str, Any]:
    """Draw both losses; return the lines by name, since the axes may hold others."""
    drawn: dict[str, Any] = {}
    for name, loss, look in zip(_PARTS, _LOSSES, _two_looks(palette), strict=True):
        heights = np.where(np.isfinite(table[loss]), table[loss], np.nan)
        style = _line(look, palette, marked=len(heights) <= _MARKED_SIZES)
        (drawn[name],) = ax.plot(table[sizes], heights, label=name, zorder=3, **style, **how)
    return drawn


def _two_looks(palette: Palette) -> list[Look]:
    return looks(palette.classes[:2], palette)


def _line(look: Look, palette: Palette, *, marked: bool) -> dict[str, Any]:
    return {
        "color": look.colour,
        "linestyle": look.line,
        "linewidth": 1.8,
        "marker": look.marker if marked else "",
        "markersize": 5,
        "markeredgecolor": palette.card,
    }


def _set_wide_scale(ax: Axes, sizes: Numbers) -> None:
    """Use a logarithmic axis where sizes differ widely; ticks of whole numbers are whole numbers."""
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter

    axis = ax.xaxis
    if (sizes != np.floor(sizes)).any():
        if sizes.min() > 0 and sizes.max() / sizes.min() >= _WIDE:
            ax.set_xscale("log")
            axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        else:
            set_number_ticks(axis)
        return
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


def _finish(
    ax: Axes, palette: Palette, table: dict[str, Numbers], drawn: dict[str, Any], sizes: str, name: str
) -> None:
    _set_wide_scale(ax, table[sizes])
    ax.set(xlabel=name, ylabel="loss")
    set_number_ticks(ax.yaxis)
    add_grid(ax, palette, "y")
    add_legend(ax, palette, list(drawn.values()), list(drawn))
    infinite = sum(int(np.isinf(table[loss]).sum()) for loss in _LOSSES)
    if infinite:
        add_note(ax, palette, [f"not drawn: {infinite} infinite loss{'es' if infinite > 1 else ''}"])


# --- the pruning path


def pruning_path(model_or_path: Any, *, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw the training risk and the cross-validated risk ± SE of every tree of a path; needs matplotlib.

    Marks show the chosen tree, and what the two rules would choose; the 1-SE line lies one standard error
    above the least cross-validated risk.

    Parameters
    ----------
    model_or_path : a fitted estimator, or its `pruning_path_`
    ax, theme : as in `roc`

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = pruning_path(TreeClassifier().fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['training risk', 'CV risk ± SE', '1-SE line', 'least CV risk', 'within 1 SE', 'chosen']
    """
    path = getattr(model_or_path, "pruning_path_", model_or_path)
    if not isinstance(path, PruningPath):
        refuse_model(model_or_path, "pruning_path()", "a fitted tree estimator or its pruning_path_")
    ax, palette = open_axes(ax, theme, "pruning_path()")
    marked = len(path) <= _MARKED_TREES
    training, held_out = (_line(look, palette, marked=marked) for look in _two_looks(palette))
    drawn: dict[str, Any] = {}  # by name: the axes may hold other lines
    (drawn["training risk"],) = ax.plot(path.leaves, path.risk, label="training risk", zorder=2, **training)
    known = np.isfinite(path.cv_risk)
    if known.any():
        held_out |= {"yerr": np.nan_to_num(path.cv_se[known]), "capsize": 2.5 if marked else 0}
        place = path.leaves[known], path.cv_risk[known]
        drawn["CV risk ± SE"] = ax.errorbar(
            *place, elinewidth=1.0, label="CV risk ± SE", zorder=3, **held_out
        )
    drawn |= _mark_trees(path, ax, palette)
    _set_wide_scale(ax, path.leaves.astype(np.float64))
    ax.set(xlabel="leaves", ylabel="risk")
    set_number_ticks(ax.yaxis)  # a power above the axis would collide with the alphas
    ax.set_ylim(bottom=min(0.0, float(path.risk.min())) - 0.04 * ax.get_ylim()[1])  # room for marks at 0
    _write_alphas(path, ax, palette)
    add_legend(ax, palette, list(drawn.values()), list(drawn))
    return ax


def _mark_trees(path: PruningPath, ax: Axes, palette: Palette) -> dict[str, Any]:
    """Mark the best tree, the smallest within 1 SE, and the chosen one; return the marks by name."""
    drawn: dict[str, Any] = {}
    heights = np.where(np.isfinite(path.cv_risk), path.cv_risk, path.risk)
    # Marks fit inside each other, since they often fall on the same tree.
    hollow: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 1.6}
    marks: list[tuple[str, int, dict[str, Any]]] = []
    if np.isfinite(path.cv_risk).all():
        best = choose_step(path.cv_risk, path.cv_se, "min")
        marks.append(("least CV risk", best, {"marker": "*", "markersize": 9, "color": palette.accent}))
        if np.isfinite(path.cv_se[best]):
            line = float(path.cv_risk[best] + path.cv_se[best])
            dashed: dict[str, Any] = {"color": palette.faint, "linestyle": (0, (6, 3)), "linewidth": 1.0}
            drawn["1-SE line"] = ax.axhline(line, label="1-SE line", **dashed)
            nearly = choose_step(path.cv_risk, path.cv_se, "1se_unpaired")
            look = {"marker": "D", "markersize": 12, "color": palette.highlight, **hollow}
            marks.append(("within 1 SE", nearly, look))
    if path.chosen is not None:
        look = {"marker": "o", "markersize": 19, "color": palette.ink, **hollow}
        marks.append(("chosen", path.chosen, look))
    for name, step, look in marks:
        place = [path.leaves[step]], [heights[step]]
        (drawn[name],) = ax.plot(*place, linestyle="", label=name, zorder=5, **look)
    return drawn


def _write_alphas(path: PruningPath, ax: Axes, palette: Palette) -> None:
    """Write alpha above as many trees as have room."""
    top = ax.secondary_xaxis("top")
    scaled = np.log(path.leaves) if ax.get_xscale() == "log" else path.leaves.astype(np.float64)
    least = (scaled.max() - scaled.min()) / _MOST_ALPHAS
    kept: list[int] = []
    for step in range(len(path) - 1, -1, -1):  # from the root, whose alpha is the highest
        if not kept or scaled[step] - scaled[kept[-1]] >= least:
            kept.append(step)
    top.set_xticks(path.leaves[kept].tolist(), [f"{path.alpha[step]:.2g}" for step in kept])
    top.tick_params(which="minor", length=0, labelsize=0)
    top.set_xlabel("alpha, the price of a leaf", color=palette.faint, fontsize=9)
    top.tick_params(colors=palette.faint, labelcolor=palette.faint, labelsize=8)
    top.spines["top"].set_color(palette.line)


# --- impurities


def impurities(*, scaled: bool = True, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw entropy, Gini index and misclassification of two classes over the share of one; needs matplotlib.

    Parameters
    ----------
    scaled : whether to halve the entropy, so that all three meet at an even mix; else it is in bits
    ax, theme : as in `roc`

    >>> ax = impurities()
    >>> [line.get_label() for line in ax.get_lines()]
    ['entropy / 2', 'Gini index', 'misclassification']
    """
    check_flag("scaled", scaled)
    ax, palette = open_axes(ax, theme, "impurities()", size=(5.6, 4.2))
    p = np.linspace(0.0, 1.0, _SPOTS)
    factor = 0.5 if scaled else 1.0
    curves = {
        "entropy / 2" if scaled else "entropy (bits)": [factor * entropy(counts=[q, 1.0 - q]) for q in p],
        "Gini index": [gini(counts=[q, 1.0 - q]) for q in p],
        "misclassification": [misclassification(counts=[q, 1.0 - q]) for q in p],
    }
    for (name, heights), look in zip(curves.items(), looks(palette.classes[:3], palette), strict=True):
        ax.plot(p, heights, color=look.colour, linestyle=look.line, linewidth=2.0, label=name)
    # Under the curves, where there is room.
    add_legend(ax, palette, *ax.get_legend_handles_labels(), loc="lower center", bbox_to_anchor=(0.5, 0.06))
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 0.55 if scaled else 1.05))
    ax.set(xlabel="share p of one of two classes", ylabel="impurity")
    return ax
