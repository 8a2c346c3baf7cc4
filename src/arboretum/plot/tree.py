"""The tree on matplotlib's axes: the same picture as that of `export.to_svg`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from arboretum.plot.axes import open_axes
from arboretum.plot.marks import POINTS, draw_marks
from arboretum.show.picture import draw_tree
from arboretum.show.scene import View

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["tree"]

_MAX_NODES: Final = 31
_LARGEST: Final = 200.0  # inches; more than that, and a page of matplotlib takes too much memory


def tree(
    model: Any,
    *,
    ax: Axes | None = None,
    data: Any = None,
    row: Any = None,
    charts: bool = False,
    max_depth: int | None = None,
    max_nodes: int | None = _MAX_NODES,
    figures: Sequence[str] | None = None,
    amounts: str = "shares",
    direction: str | None = None,
    theme: str = "light",
    title: str | None = None,
) -> Axes:
    """Draw a fitted estimator or a tree, and return the axes.

    Without `ax` the figure is as large as the tree needs; on axes that are given, it is drawn as small as it
    must be. Options are those of `arboretum.export.to_svg`.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> ax = tree(TreeClassifier().fit(X, y))
    >>> sorted(text.get_text() for text in ax.texts if "<=" in text.get_text())
    ['<= 1.75', '<= 2.45', 'petal_length <= 2.45', 'petal_width <= 1.75']
    """
    view = View(max_depth, max_nodes, figures, amounts, row, data)
    how: dict[str, Any] = {"direction": direction, "charts": charts, "title": title, "asker": "plot.tree()"}
    picture = draw_tree(model, view, theme=theme, **how)
    shrunk = min(1.0, _LARGEST * POINTS / max(picture.width, picture.height))
    size = picture.width * shrunk / POINTS, picture.height * shrunk / POINTS
    own = ax is None
    drawn, _ = open_axes(ax, theme, "plot.tree()", size=size)
    if own:
        figure: Any = drawn.figure
        figure.set_layout_engine("none")  # the tree is the page, to its edges
        drawn.set_position((0.0, 0.0, 1.0, 1.0))
    draw_marks(drawn, picture)
    return drawn
