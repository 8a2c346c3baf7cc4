"""The pruning path: the risk of every tree of the weakest-link sequence over its number of leaves.

Marks show the chosen tree, and what the two rules would choose; the 1-SE line lies one standard error above
the least cross-validated risk. Alpha, the price of a leaf, stands on top.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._prune.cost_complexity import choose_step
from arboretum._prune.path import PruningPath
from arboretum._show.picture.palette import Palette
from arboretum._tree.fitted import refuse_model
from arboretum.plot._axes import Look, add_legend, looks, open_axes
from arboretum.plot._charts.curves import set_wide_scale
from arboretum.plot._ticks import set_number_ticks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_ALPHAS: Final = 7
_MARKED: Final = 60  # trees; the lines of a longer path have no markers


def pruning_path(model_or_path: Any, *, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw the training risk and the cross-validated risk ± SE of every tree of a path; needs matplotlib.

    Parameters
    ----------
    model_or_path : a fitted estimator, or its `pruning_path_`
    ax : axes of matplotlib. None for new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = pruning_path(TreeClassifier().fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['training risk', 'CV risk ± SE', '1-SE line', 'least CV risk', 'within 1 SE', 'chosen']
    """
    path = _path_of(model_or_path)
    ax, palette = open_axes(ax, theme, "pruning_path()")
    training, held_out = looks(palette.classes[:2], palette)
    shown: dict[str, Any] = {"linewidth": 1.8, "markersize": 5, "markeredgecolor": palette.card}
    drawn: dict[str, Any] = {}  # by name: the axes may hold other lines
    (drawn["training risk"],) = ax.plot(
        path.leaves, path.risk, label="training risk", zorder=2, **_line(training, path), **shown
    )
    known = np.isfinite(path.cv_risk)
    if known.any():
        error = np.nan_to_num(path.cv_se[known])
        drawn["CV risk ± SE"] = ax.errorbar(
            path.leaves[known],
            path.cv_risk[known],
            yerr=error,
            capsize=2.5 if len(path) <= _MARKED else 0,
            elinewidth=1.0,
            label="CV risk ± SE",
            zorder=3,
            **_line(held_out, path),
            **shown,
        )
    drawn |= _mark(path, ax, palette)
    set_wide_scale(ax, path.leaves.astype(np.float64))
    ax.set_xlabel("leaves")
    ax.set_ylabel("risk")
    set_number_ticks(ax.yaxis)  # a power above the axis would collide with the alphas
    ax.set_ylim(bottom=min(0.0, float(path.risk.min())) - 0.04 * ax.get_ylim()[1])  # room for marks at 0
    _write_alphas(path, ax, palette)
    add_legend(ax, palette, list(drawn.values()), list(drawn))
    return ax


def _line(look: Look, path: PruningPath) -> dict[str, Any]:
    marker = look.marker if len(path) <= _MARKED else ""
    return {"color": look.colour, "linestyle": look.line, "marker": marker}


def _path_of(model: Any) -> PruningPath:
    path = model if isinstance(model, PruningPath) else getattr(model, "pruning_path_", None)
    if not isinstance(path, PruningPath):
        refuse_model(model, "pruning_path()", "a fitted tree estimator or its pruning_path_")
    return path


def _mark(path: PruningPath, ax: Axes, palette: Palette) -> dict[str, Any]:
    """Mark the best tree, the smallest within 1 SE, and the chosen one; return the marks by name."""
    drawn: dict[str, Any] = {}
    heights = np.where(np.isfinite(path.cv_risk), path.cv_risk, path.risk)
    # Marks fit inside each other, since they often fall on the same tree.
    hollow: dict[str, Any] = {"markerfacecolor": "none", "markeredgewidth": 1.6}
    marks: list[tuple[str, int, dict[str, Any]]] = []
    if np.isfinite(path.cv_risk).all():
        best = choose_step(path.cv_risk, path.cv_se, "min")
        if np.isfinite(path.cv_se[best]):
            line = float(path.cv_risk[best] + path.cv_se[best])
            dashed: dict[str, Any] = {"color": palette.faint, "linestyle": (0, (6, 3)), "linewidth": 1.0}
            drawn["1-SE line"] = ax.axhline(line, label="1-SE line", **dashed)
        marks.append(("least CV risk", best, {"marker": "*", "markersize": 9, "color": palette.accent}))
        if np.isfinite(path.cv_se[best]):
            nearly = choose_step(path.cv_risk, path.cv_se, "1se")
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
