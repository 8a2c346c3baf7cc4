"""Alternatives as dots: what the best tree costs whose root asks about each column, the best on top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum._grow.optimality import Optimality
from arboretum._options.rules import Whole
from arboretum._show.picture.palette import Palette, mixed
from arboretum._wording import many
from arboretum.errors import DataTypeError, ParameterError
from arboretum.plot._axes import add_grid, add_note, name_ticks, open_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LONGEST: Final = 26.0  # em of a column's name


def alternatives(
    model_or_result: Any, *, top: int = 20, ax: Axes | None = None, theme: str = "light"
) -> Axes:
    """Draw what the best tree costs whose root asks about each column; needs matplotlib.

    A dot is the cost of the best tree that was found; where a search was stopped before the proof, a line
    reaches down to what any such tree costs at least. The number of leaves stands beside the dot. Columns
    whose dots are close together are roots that the data hardly tell apart.

    Parameters
    ----------
    model_or_result : an estimator fitted with `search=Optimal(alternatives=True)`, or its `optimality_`
    top : the largest number of columns to draw
    ax, theme : as in `roc`

    >>> from arboretum import Optimal, TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> model = TreeClassifier(search=Optimal(alternatives=True), max_depth=2, prune=None).fit(X, y)
    >>> [label.get_text() for label in alternatives(model).get_yticklabels()]
    ['petal_length', 'petal_width', 'sepal_length', 'sepal_width']
    """
    Whole(1).read(top, "top")
    found = _optimality_of(model_or_result)
    drawn = found.alternatives[:top]
    ax, palette = open_axes(ax, theme, "alternatives()", size=(6.8, 1.4 + 0.3 * max(2, len(drawn))))
    _draw(found, len(drawn), ax, palette)
    more = len(found.alternatives) - len(drawn)
    add_note(ax, palette, [f"not drawn: {many(more, 'column')} whose trees cost more"] * (more > 0))
    return ax


def _optimality_of(given: Any) -> Optimality:
    found = given if isinstance(given, Optimality) else getattr(given, "optimality_", None)
    if not isinstance(found, Optimality):
        raise DataTypeError(
            "alternatives() draws the optimality_ of a fitted tree, and "
            f"{type(given).__name__} has none.\nHint: fit with search=Optimal(alternatives=True)."
        )
    if not found.alternatives:
        raise ParameterError(
            "alternatives() has nothing to draw: no tree was looked for whose root asks about a given column."
            "\nHint: fit with search=Optimal(alternatives=True)."
        )
    return found


def _draw(found: Optimality, n_drawn: int, ax: Axes, palette: Palette) -> None:
    from matplotlib.ticker import MaxNLocator

    drawn = found.alternatives[:n_drawn]
    lines = np.arange(n_drawn)
    cost = np.array([each.objective for each in drawn])
    bound = np.array([min(each.bound, each.objective) for each in drawn])
    colour = palette.classes[0]
    ax.axvline(found.objective, color=palette.faint, linewidth=1.0, linestyle="--", zorder=1)
    ax.hlines(lines, bound, cost, color=mixed(palette.card, colour, 0.55), linewidth=2.4, zorder=2)
    ax.scatter(cost, lines, s=34, color=colour, zorder=3)
    for line, each in zip(lines.tolist(), drawn, strict=True):
        text = f"{each.objective:.5g}, {many(each.tree.n_leaves, 'leaf')}"
        place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center"}
        ax.annotate(text, (1.02, line), annotation_clip=False, fontsize=8, color=palette.faint, **place)
    ax.set_yticks(lines, name_ticks([each.column for each in drawn], _LONGEST))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(max(2, n_drawn) - 0.4, -0.6)
    ax.margins(x=0.06)
    if (cost == np.floor(cost)).all():
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    is_proven = all(each.proven for each in drawn)
    ax.set_xlabel(
        "cost of the best tree by the column of its root" + ("" if is_proven else ", and its bound")
    )
    add_grid(ax, palette, "x")
