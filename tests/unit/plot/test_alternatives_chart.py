"""Alternatives on a chart: a dot for each root column, a line down to its bound; what is left out is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from arboretum import DataTypeError, Optimal, ParameterError, TreeClassifier, datasets, plot

X, Y = datasets.load_iris()
MODEL = TreeClassifier(search=Optimal(alternatives=True), max_depth=2, prune=None).fit(X, Y)
FOUND = MODEL.optimality_


def test_a_dot_for_each_column_the_best_on_top() -> None:
    """The dots are the costs, and the frame says the same."""
    ax = plot.alternatives(MODEL)
    dots = np.asarray(ax.collections[-1].get_offsets())
    frame = FOUND.to_frame()
    assert dots[:, 0].tolist() == frame["objective"].tolist() == [6.0, 6.0, 9.0, 21.0]
    assert [label.get_text() for label in ax.get_yticklabels()] == frame["column"].tolist()
    assert [text.get_text() for text in ax.texts] == [
        "6, 3 leaves",
        "6, 3 leaves",
        "9, 4 leaves",
        "21, 4 leaves",
    ]
    assert "bound" not in ax.get_xlabel()


def test_a_line_down_to_the_bound() -> None:
    """Where a search was stopped."""
    open_one = replace(FOUND.alternatives[2], bound=4.0)
    found = replace(FOUND, alternatives=(*FOUND.alternatives[:2], open_one, FOUND.alternatives[3]))
    ax = plot.alternatives(found)
    paths = ax.collections[0].get_paths()
    ends = [np.asarray(path.vertices)[:, 0].tolist() for path in paths]
    assert ends == [[6.0, 6.0], [6.0, 6.0], [4.0, 9.0], [21.0, 21.0]]
    assert ax.get_xlabel().endswith("and its bound")


def test_what_is_not_drawn_is_told() -> None:
    ax = plot.alternatives(FOUND, top=3)
    assert len(ax.get_yticklabels()) == 3
    assert ax.get_title(loc="left") == "not drawn: 1 column whose trees cost more"


@pytest.mark.parametrize(
    ("given", "kind", "words"),
    [
        (TreeClassifier(max_depth=2).fit(X, Y), DataTypeError, "TreeClassifier has none"),
        (replace(FOUND, alternatives=()), ParameterError, "has nothing to draw"),
        (3, DataTypeError, "int has none"),
    ],
)
def test_refusals(given: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        plot.alternatives(given)
