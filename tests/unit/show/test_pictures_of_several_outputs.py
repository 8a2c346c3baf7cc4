"""Pictures and graphs of trees of several outputs: each node says what all of them say."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import TreeMixed, TreeRegressor, datasets, plot
from arboretum.errors import ArboretumError
from arboretum.export import to_dot, to_mermaid, to_svg


@cache
def made() -> Any:
    X, species = datasets.load_iris()
    Y = pd.DataFrame({"species": species, "width": X.pop("petal_width")})
    return TreeMixed().fit(X, Y).pruned(leaves=3)


LEAF = ["species: versicolor (95%)", "width: 1.30253"]
INNER = ["species: versicolor 50%, virginica", "width: mean 1.676"]


def test_cards_have_a_line_for_each_output() -> None:
    """Leaves what is predicted, inner nodes what their rows say; the colours of one output have no place."""
    text = to_svg(made())
    for line in (*LEAF, *INNER):
        assert f">{line}" in text
    assert "petal_length &lt;= 4.75; 45 rows; predicts species: versicolor (95%); width: 1.30253" in text
    assert "petal_length &lt;= 2.45 → species: setosa (98%); width: 0.276753" in text
    assert "gini 0" not in text
    assert to_svg(made().tree_) == text
    drawn = [text.get_text() for text in plot.tree(made()).texts]
    assert set(LEAF) <= set(drawn)


def test_graphs_say_all_outputs() -> None:
    assert f"{LEAF[0]}\\n{LEAF[1]}\\n45 rows" in to_dot(made())
    assert "width: 1.30253<br>45 rows" in to_mermaid(made().tree_)
    assert "width: 1.6" in to_dot(made(), max_depth=1)


def test_figures_may_be_chosen() -> None:
    text = to_svg(made(), figures=["number", "rows"], max_depth=1)
    assert ">node 2 · 100 rows<" in text
    assert "species:" not in text.partition("</desc>")[2].replace("predicts species:", "")


def test_of_many_outputs_the_first_are_shown() -> None:
    X = np.arange(40.0).reshape(-1, 1)
    text = to_svg(TreeRegressor(max_depth=1).fit(X, np.hstack([X * k for k in range(1, 31)])))
    assert ">and 21 more outputs<" in text


def test_what_is_of_one_output_is_refused() -> None:
    X, species = datasets.load_iris()
    for call in (
        lambda: to_svg(made(), data=(X, species)),
        lambda: plot.tree(made(), row=X.iloc[[0]]),
    ):
        with pytest.raises(ArboretumError, match="is for one output, but 2 were learnt"):
            call()
