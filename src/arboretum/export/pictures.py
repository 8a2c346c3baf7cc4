"""Exports to be looked at: a still picture, and an interactive page.

Words: those of the scene: *figures* are the numbers on a card, *amounts* whether classes are shown as shares
or counts, *data* other rows whose numbers are shown in place of the training rows'.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from arboretum.errors import ParameterError
from arboretum.show.html import to_html
from arboretum.show.picture import draw_tree
from arboretum.show.scene import View
from arboretum.show.svg import picture_to_svg
from arboretum.writing import write_text

__all__ = ["to_html", "to_svg"]

_MAX_NODES: Final = 100
_OTHER_FILES: Final = frozenset({".png", ".jpg", ".jpeg", ".gif", ".pdf", ".html", ".htm"})


def to_svg(
    model: Any,
    path: str | os.PathLike[str] | None = None,
    *,
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
) -> str:
    """Return the picture of a fitted estimator or a tree as the text of an SVG file.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> picture = to_svg(TreeClassifier().fit(X, y))
    >>> picture.startswith("<svg") and "petal_length &lt;= 2.45" in picture
    True

    Parameters
    ----------
    model : a fitted TreeClassifier or TreeRegressor, or a Tree
    path : where to write the picture, if it is to be written
    data : (X, y) or (X, y, sample_weight)
        Rows whose numbers are shown, in place of those that the tree was grown from.
    row : one row, whose way is marked and told in words: X.iloc[[3]], a mapping, or a list of values
    charts : whether each card shows how the values asked for are distributed over the rows of `data`
    max_depth : the most questions on a way; what lies below is counted
    max_nodes : the most nodes that are shown, the heaviest ones; None for all
    figures : which numbers a card shows, of "number", "rows", "weight", "mix", "impurity", "gain", "p_value",
        "label", "confidence", "loss" (on `data`)
    amounts : {"shares", "counts"}, how classes are counted
    direction : {"down", "right", None}
        None: small trees grow down, large ones to the right, where long names have room.
    theme : {"light", "dark"}
    title : what stands above the tree
    """
    if path is not None and Path(path).suffix.lower() in _OTHER_FILES:
        raise ParameterError(
            f"to_svg() writes SVG, but path ends in {Path(path).suffix!r}.\n"
            "Hint: name it .svg; plot.tree(model).figure.savefig(path) writes PNG and PDF, to_html() a page."
        )
    view = View(max_depth, max_nodes, figures, amounts, row, data)
    how: dict[str, Any] = {"theme": theme, "direction": direction, "charts": charts, "title": title}
    with _uncollected():
        text = picture_to_svg(draw_tree(model, view, **how, asker="to_svg()"))
    if path is not None:
        write_text(path, text)
    return text


@contextmanager
def _uncollected() -> Iterator[None]:
    """Let Python search for no cycles: pictures have none, and every search would look at all marks."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
