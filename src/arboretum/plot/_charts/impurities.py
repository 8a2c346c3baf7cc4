"""The three impurities of two classes over the share of one of them: a figure of the lecture notes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from arboretum.information import entropy, gini, misclassification
from arboretum.plot._axes import add_legend, check_flag, looks, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SPOTS: Final = 201


def impurities(*, scaled: bool = True, ax: Axes | None = None, theme: str = "light") -> Axes:
    """Draw entropy, Gini index and misclassification of two classes over the share of one; needs matplotlib.

    Parameters
    ----------
    scaled : whether the entropy is halved, so that all three meet at an even mix; else it is in bits
    ax : axes of matplotlib. None for new ones in a new figure.
    theme : "light" or "dark"

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
    ax.set_xlim(0.0, 1.0)
    ax.set_ylim(0.0, 0.55 if scaled else 1.05)
    ax.set_xlabel("share p of one of two classes")
    ax.set_ylabel("impurity")
    return ax
