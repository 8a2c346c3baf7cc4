"""The tree on matplotlib's axes: the words and boxes of the SVG, scaled to the axes that are given."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("matplotlib")

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import FancyBboxPatch
from support.pages import KINDS, fitted

from arboretum import DataTypeError
from arboretum._show.picture.draw import draw_tree
from arboretum._show.picture.marks import Group, Text
from arboretum._show.scene import View
from arboretum.plot._drawn_tree import tree as plot_tree


def texts_of(marks: Any) -> list[str]:
    """All texts of a picture."""
    found = []
    for mark in marks:
        if isinstance(mark, Group):
            found += texts_of(mark.marks)
        elif isinstance(mark, Text):
            found.append(mark.text)
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("charts", [True, pytest.param(False, marks=pytest.mark.deep)])
def test_it_has_the_words_of_the_picture(kind: str, charts: bool) -> None:
    model, X, y = fitted(kind)
    data = (X, y) if charts else None
    ax = plot_tree(model, data=data, charts=charts)
    picture = draw_tree(model, View(max_nodes=31, data=data), charts=charts)
    assert [text.get_text() for text in ax.texts] == texts_of(picture.marks)
    ax.figure.canvas.draw()


def test_every_word_stays_in_the_figure_and_off_the_others() -> None:
    """Measured by matplotlib itself, in its own font."""
    ax = plot_tree(fitted("penguins")[0])
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    page = ax.figure.bbox
    assert all(page.x0 <= box.x0 and box.x1 <= page.x1 for box in boxes)
    assert all(page.y0 <= box.y0 and box.y1 <= page.y1 for box in boxes)
    for i, one in enumerate(boxes):
        for two in boxes[:i]:
            wide = min(one.x1, two.x1) - max(one.x0, two.x0)
            high = min(one.y1, two.y1) - max(one.y0, two.y0)
            assert not (wide > 1 and high > 3)
    frames = [patch.get_window_extent() for patch in ax.patches if isinstance(patch, FancyBboxPatch)]
    heads = [text.get_window_extent() for text in ax.texts if text.get_text().startswith("bill_")]
    assert heads
    assert all(any(frame.x0 <= box.x0 and box.x1 <= frame.x1 for frame in frames) for box in heads)


def test_axes_in_axes_out() -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 5))
    model = fitted("iris")[0]
    assert plot_tree(model, ax=left) is left
    plot_tree(model, ax=right)
    small, alone = (float(ax.texts[0].get_fontsize()) for ax in (left, plot_tree(model)))
    assert small < alone
    assert len(figure.axes) == 2
    assert not right.axison


def test_what_is_given_is_left_alone() -> None:
    before = dict(mpl.rcParams)
    numbers = plt.get_fignums()
    _, ax = plt.subplots()
    plot_tree(fitted("iris")[0], ax=ax)
    assert dict(mpl.rcParams) == before
    assert len(plt.get_fignums()) == len(numbers) + 1


def test_formulas_are_not_made_of_names() -> None:
    """matplotlib reads dollars as formulas; a column's name stays a name."""
    from arboretum import TreeClassifier

    rows = np.array([[1.0], [2.0], [3.0], [4.0]])
    pandas = pytest.importorskip("pandas")
    model = TreeClassifier(prune=None).fit(pandas.DataFrame(rows, columns=["$x_1$"]), ["a$", "a$", "b", "b"])
    ax = plot_tree(model)
    assert "$x_1$ <= 2.5" in [text.get_text() for text in ax.texts]
    ax.figure.canvas.draw()
    assert not any(text.get_parse_math() for text in ax.texts)


def test_what_are_no_axes_is_refused() -> None:
    with pytest.raises(DataTypeError, match=r"plot.tree\(\) draws on the axes of matplotlib"):
        plot_tree(fitted("iris")[0], ax="here")
