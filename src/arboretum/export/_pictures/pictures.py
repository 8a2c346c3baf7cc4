"""Exports to look at: a still picture, and the interactive page."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from arboretum._show.page.html import to_html
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.svg import picture_to_svg
from arboretum._show.scene import View
from arboretum.errors import ParameterError
from arboretum.export._program.shared import saved

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
    path : a file to write, too
    data : (X, y) or (X, y, sample_weight)
        Rows whose numbers are shown instead of those of the training rows.
    row : one row, whose path is marked and explained: X.iloc[[3]], a mapping, or a list of values
    charts : whether each card shows how the values it asks about are distributed over the rows of `data`
    max_depth : the largest number of questions above a node that is shown; hidden nodes are counted
    max_nodes : the largest number of nodes that are shown, the heaviest first; None for all
    figures : the numbers on a card, from "number", "rows", "weight", "mix", "impurity", "gain", "p_value",
        "label", "confidence", "loss" (on `data`)
    amounts : {"shares", "counts"}, how classes are counted
    direction : {"down", "right", None}
        None: small trees grow down, large ones to the right, where long names have room.
    theme : {"light", "dark"}
    title : text above the tree
    """
    if path is not None and Path(path).suffix.lower() in _OTHER_FILES:
        raise ParameterError(
            f"to_svg() writes SVG, but path ends in {Path(path).suffix!r}.\n"
            "Hint: name it .svg; plot.tree(model).figure.savefig(path) writes PNG and PDF, to_html() a page."
        )
    view = View(max_depth, max_nodes, figures, amounts, row, data)
    with _without_garbage_collection():
        picture = draw_tree(
            model, view, theme=theme, direction=direction, charts=charts, title=title, asker="to_svg()"
        )
        text = picture_to_svg(picture)
    return saved(text, path)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Stop Python's search for cycles: pictures have none, and every search would visit all marks."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
