"""The pruning path: what every tree of the weakest-link sequence costs, over its number of leaves.

Words: *risk* is the average loss of training rows, *CV risk* that of rows held out, with its standard error;
*alpha*, the price of a leaf, stands on top; the *1-SE line* is one standard error above the least CV risk.
Nothing is chosen here: marks tell what was chosen, and what the two rules would choose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum.fitted import refuse_model
from arboretum.plot.axes import add_legend, import_matplotlib, looks, open_axes
from arboretum.plot.curves import set_wide_scale
from arboretum.pruning.cost_complexity import choose_step
from arboretum.pruning.path import PruningPath
from arboretum.show.palette import Palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["pruning_path"]

_MOST_ALPHAS: Final = 7


def pruning_path(model_or_path: Any, *, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw training risk and cross-validated risk ± SE of every tree of a pruning path; needs matplotlib.

    Parameters
    ----------
    model_or_path : a fitted estimator, or its `pruning_path_`
    ax : axes of matplotlib. None: new ones in a new figure.
    theme : "light" or "dark"

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = pruning_path(TreeClassifier().fit(X, y))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['training risk', 'CV risk ± SE', '1-SE line', 'least CV risk', 'within 1 SE', 'chosen']
    """
    path = _path_of(model_or_path)
    import_matplotlib("pruning_path()")
    from arboretum.plot.ticks import NumberTicks

    ax, palette = open_axes(ax, theme, "pruning_path()")
    training, held_out = looks(palette.classes[:2], palette)
    shown: dict[str, Any] = {"linewidth": 1.8, "markersize": 5, "markeredgecolor": palette.card}
    drawn: dict[str, Any] = {}  # the own lines by name: the axes may hold others
    (drawn["training risk"],) = ax.plot(
        path.leaves,
        path.risk,
        color=training.colour,
        linestyle=training.line,
        marker=training.marker if len(path) <= 60 else "",
        label="training risk",
        zorder=2,
        **shown,
    )
    known = np.isfinite(path.cv_risk)
    if known.any():
        error = np.nan_to_num(path.cv_se[known])
        drawn["CV risk ± SE"] = ax.errorbar(
            path.leaves[known],
            path.cv_risk[known],
            yerr=error,
            color=held_out.colour,
            linestyle=held_out.line,
            marker=held_out.marker if len(path) <= 60 else "",
            capsize=2.5 if len(path) <= 60 else 0,
            elinewidth=1.0,
            label="CV risk ± SE",
            zorder=3,
            **shown,
        )
    drawn |= _mark(path, ax, palette)
    set_wide_scale(ax, path.leaves.astype(np.float64))
    ax.set_xlabel("leaves")
    ax.set_ylabel("risk")
    ax.yaxis.set_major_formatter(NumberTicks())  # a power above the axis would stand among the alphas
    ax.set_ylim(bottom=min(0.0, float(path.risk.min())) - 0.04 * ax.get_ylim()[1])  # room for marks at 0
    _write_alphas(path, ax, palette)
    add_legend(ax, palette, list(drawn.values()), list(drawn))
    return ax


def _path_of(model: Any) -> PruningPath:
    path = model if isinstance(model, PruningPath) else getattr(model, "pruning_path_", None)
    if not isinstance(path, PruningPath):
        refuse_model(model, "pruning_path()", "a fitted tree estimator or its pruning_path_")
    return path


def _mark(path: PruningPath, ax: Axes, palette: Palette) -> dict[str, Any]:
    """Mark the best tree, the smallest that is nearly as good, and the one chosen; return lines by name."""
    drawn: dict[str, Any] = {}
    heights = np.where(np.isfinite(path.cv_risk), path.cv_risk, path.risk)
    # One inside the other: they often fall on the same tree.
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
            marks.append(
                (
                    "within 1 SE",
                    nearly,
                    {"marker": "D", "markersize": 12, "color": palette.highlight, **hollow},
                )
            )
    if path.chosen is not None:
        marks.append(
            ("chosen", path.chosen, {"marker": "o", "markersize": 19, "color": palette.ink, **hollow})
        )
    for name, step, look in marks:
        place = [path.leaves[step]], [heights[step]]
        (drawn[name],) = ax.plot(*place, linestyle="", label=name, zorder=5, **look)
    return drawn


def _write_alphas(path: PruningPath, ax: Axes, palette: Palette) -> None:
    """Write the price of a leaf above as many trees as have room."""
    top = ax.secondary_xaxis("top")
    scaled = np.log(path.leaves) if ax.get_xscale() == "log" else path.leaves.astype(np.float64)
    least = (scaled.max() - scaled.min()) / _MOST_ALPHAS
    kept: list[int] = []
    for step in range(len(path) - 1, -1, -1):  # from the root, whose price is the highest
        if not kept or scaled[step] - scaled[kept[-1]] >= least:
            kept.append(step)
    top.set_xticks(path.leaves[kept].tolist(), [f"{path.alpha[step]:.2g}" for step in kept])
    top.tick_params(which="minor", length=0, labelsize=0)
    top.set_xlabel("alpha, the price of a leaf", color=palette.faint, fontsize=9)
    top.tick_params(colors=palette.faint, labelcolor=palette.faint, labelsize=8)
    top.spines["top"].set_color(palette.line)
