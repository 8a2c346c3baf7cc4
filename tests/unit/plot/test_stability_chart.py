"""The panels of stability: every share, cut, size and row is drawn, and what is not drawn is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from arboretum import DataTypeError, ParameterError, TreeClassifier, TreeRegressor, datasets, plot, stability
from arboretum._show.picture.palette import DARK

X, Y = datasets.load_penguins()
FOUND = stability(TreeClassifier(max_depth=3, prune=None), X, Y, n_resamples=15)


def test_bars_are_the_shares() -> None:
    ax = plot.stability(FOUND, "columns")
    asked = [place for place in FOUND.order.tolist() if FOUND.anywhere[place] > 0]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [FOUND.columns[place] for place in asked]
    for bars, shares in zip(ax.containers, (FOUND.anywhere, FOUND.first, FOUND.root), strict=True):
        assert [bar.get_width() for bar in bars] == pytest.approx(shares[asked])
    never = int((FOUND.anywhere == 0).sum())
    assert (ax.get_title(loc="left") != "") == (never > 0)


def test_only_some_columns_are_drawn() -> None:
    ax = plot.stability(FOUND, "columns", top=2)
    assert len(ax.get_yticklabels()) == 2
    assert "that fewer trees ask about" in ax.get_title(loc="left")


def test_every_threshold_is_a_mark() -> None:
    ax = plot.stability(FOUND, "thresholds")
    marks = np.concatenate([points.get_offsets() for points in ax.collections])
    asked = [place for place in FOUND.order.tolist() if FOUND.anywhere[place] > 0]
    for line, place in enumerate(asked):
        shares = sorted(x for x, y in marks.tolist() if round(y) == line)
        values = X[FOUND.columns[place]].dropna()
        cuts = FOUND.thresholds(FOUND.columns[place], levels=FOUND.levels)
        assert shares == pytest.approx(sorted(100 * np.mean(values <= cut) for cut in cuts))


def test_sizes_and_rows() -> None:
    axes = plot.stability(FOUND, theme="dark")
    assert list(axes) == ["columns", "thresholds", "sizes", "rows"]
    figure = axes["sizes"].figure
    assert isinstance(figure, Figure)
    assert figure.get_facecolor()[:3] == pytest.approx(
        [int(DARK.page[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    )
    assert sum(bar.get_height() for bar in axes["sizes"].containers[0]) == 15
    steps = axes["rows"].patches[0].get_data()
    assert FOUND.disagreement is not None
    assert steps.values == pytest.approx(np.sort(FOUND.disagreement)[::-1] * 100)


def test_odd_tables() -> None:
    """Nominal columns alone, numbers as targets, one leaf in every tree, names that could be formulas."""
    rng = np.random.default_rng(0)
    words = pd.DataFrame({"$a$\n": rng.choice(list("abc"), 50)})
    for table, target in (
        (words, rng.normal(size=50)),
        (pd.DataFrame({"x": rng.normal(size=50)}), np.arange(50.0)),
    ):
        found = stability(TreeRegressor(max_depth=2, prune=None, levels="raw"), table, target, n_resamples=3)
        axes = plot.stability(found)
        axes["rows"].figure.draw_without_rendering()
    large = stability(
        TreeRegressor(prune=None), rng.normal(size=(500, 2)), rng.normal(size=500), n_resamples=4
    )
    assert len(plot.stability(large, "sizes").containers[0]) <= 41


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda ax: plot.stability(FOUND, "leaves"),
            ParameterError,
            "panel='leaves' is not known; choose 'columns'",
        ),
        (lambda ax: plot.stability(FOUND, ax=ax), ParameterError, "ax is for one panel"),
        (lambda ax: plot.stability(FOUND, top=0), ParameterError, "top=0 is not allowed"),
        (
            lambda ax: plot.stability(FOUND.trees),
            DataTypeError,
            "draws what arboretum.stability() returned, not tuple",
        ),
    ],
)
def test_refusals(call: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        call(Figure().add_subplot())
    assert message in str(caught.value)


def test_trees_of_one_size_without_a_dispute() -> None:
    flowers, species = datasets.load_iris()
    found = stability(
        TreeClassifier(max_depth=1, prune=None), flowers, (species == "setosa").astype(str), n_resamples=5
    )
    axes = plot.stability(found)
    assert [label.get_text() for label in axes["sizes"].get_xticklabels()] == ["2"]
    assert found.disagreement is not None
    assert not found.disagreement.any()
    assert "No row is in dispute." in [text.get_text() for text in axes["rows"].texts]


def test_long_thresholds_take_two_lines() -> None:
    """The end of the spread of instants was cut off."""
    rng = np.random.default_rng(0)
    when = pd.to_datetime("2018-01-01") + pd.to_timedelta(rng.integers(0, 90_000, 300), unit="min")
    found = stability(
        TreeRegressor(max_depth=2, prune=None),
        pd.DataFrame({"when": when}),
        rng.normal(size=300),
        n_resamples=20,
    )
    told = found._text(0, found.levels)
    lines = [text.get_text() for text in plot.stability(found, "thresholds").texts]
    assert told.replace(" (", "\n(") in lines, (told, lines)
