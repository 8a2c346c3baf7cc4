"""The chart of partial dependence: steps, lines, points and maps show the numbers of the result."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression

from arboretum import (
    DataTypeError,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    accumulated_effects,
    datasets,
    interaction_strength,
    partial_dependence,
    plot,
)

PENGUINS, SPECIES = datasets.load_penguins()
MODEL = TreeClassifier().fit(PENGUINS, SPECIES)
IRIS, _ = datasets.load_iris()
HEIGHTS = TreeRegressor(max_leaf_nodes=6, prune=None).fit(IRIS.iloc[:, 1:], IRIS["sepal_length"])


def note(ax: Any) -> str:
    return str(ax.get_title(loc="left"))


def test_steps_change_at_the_cuts_and_nowhere_else() -> None:
    found = partial_dependence(MODEL, "bill_length_mm", PENGUINS)
    (cuts,) = found.cuts
    assert cuts is not None
    ax = plot.partial_dependence(found)
    lines = ax.get_lines()[:3]
    for line, values in zip(lines, found.values, strict=True):
        places, heights = line.get_xdata(), line.get_ydata()
        assert np.asarray(places)[1:-1:2].tolist() == cuts.tolist() == np.asarray(places)[2::2].tolist()
        np.testing.assert_allclose(np.asarray(heights)[::2], values)
        np.testing.assert_allclose(np.asarray(heights)[1::2], values)
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["Adelie", "Chinstrap", "Gentoo"]
    assert note(ax) == "mean over 344 rows, through the tree"
    rug = ax.get_lines()[3]
    assert len(np.asarray(rug.get_xdata())) == PENGUINS["bill_length_mm"].notna().sum()
    assert ax.get_xlim() == (PENGUINS["bill_length_mm"].min(), PENGUINS["bill_length_mm"].max())


def test_one_class_levels_and_no_rows() -> None:
    ax = plot.partial_dependence(MODEL, "island", PENGUINS, target="Gentoo")
    assert ax.get_ylabel() == "mean probability of Gentoo"
    assert [label.get_text() for label in ax.get_xticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    (points,) = ax.get_lines()
    assert points.get_linestyle() == "None"
    assert note(ax).splitlines()[1] == "bars below: the rows of each level"
    shares = [bar.get_height() for bar in ax.patches]  # type: ignore[attr-defined]
    counts = PENGUINS["island"].value_counts().sort_index() / len(PENGUINS)
    np.testing.assert_allclose(np.array(shares) / sum(shares), counts)
    assert not plot.partial_dependence(MODEL, "island", PENGUINS, rows=False).patches
    assert note(plot.partial_dependence(MODEL, "island")) == "by the weights of the tree, without rows"


def test_lines_of_rows_and_centred_ones() -> None:
    ax = plot.partial_dependence(HEIGHTS, "petal_length", IRIS, individual=7, centred=True)
    (lines,) = ax.collections
    segments = lines.get_segments()  # type: ignore[attr-defined]
    assert len(segments) == 7
    assert all(segment[0, 1] == 0 for segment in segments)
    assert "7 of 150 lines are drawn" in note(ax)
    assert ax.get_ylabel() == "change of the mean prediction"


@pytest.mark.parametrize("kind", ["exact", "brute"])
def test_only_the_lines_that_are_drawn_are_computed(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = partial_dependence(HEIGHTS, "petal_length", IRIS, kind=kind, individual=True)
    (theirs,) = plot.partial_dependence(whole, individual=7).collections
    # With room for some lines only, all of them are refused, but not the chart.
    module = importlib.import_module("arboretum.inspection.dependence.partial_dependence")
    monkeypatch.setattr(module, "_MOST_NUMBERS", 100)
    with pytest.raises(ParameterError, match="individual=True would keep"):
        partial_dependence(HEIGHTS, "petal_length", IRIS, kind=kind, individual=True)
    ax = plot.partial_dependence(HEIGHTS, "petal_length", IRIS, kind=kind, individual=7)
    (ours,) = ax.collections
    lines = [np.array(drawn.get_segments()) for drawn in (ours, theirs)]  # type: ignore[attr-defined]
    np.testing.assert_array_equal(*lines)
    assert len(lines[0]) == 7
    assert "7 of 150 lines are drawn" in note(ax)
    mean = ax.get_lines()[0].get_ydata()
    np.testing.assert_allclose(np.asarray(mean)[::2], whole.values[0], rtol=1e-12)


def test_points_in_any_order_become_one_line() -> None:
    line = LinearRegression().fit(IRIS[["petal_length"]], IRIS["petal_width"])
    ax = plot.partial_dependence(
        line, "petal_length", IRIS[["petal_length"]], grid=[3.0, 1.0, 2.0], rows=False
    )
    (drawn,) = ax.get_lines()
    assert np.asarray(drawn.get_xdata()).tolist() == [1.0, 2.0, 3.0]
    assert np.all(np.diff(np.asarray(drawn.get_ydata())) > 0)


def test_a_map_has_a_cell_for_each_pair() -> None:
    found = partial_dependence(MODEL, ["bill_length_mm", "island"], PENGUINS)
    ax = plot.partial_dependence(found, target="Chinstrap")
    mesh, dots = ax.collections
    np.testing.assert_allclose(np.asarray(mesh.get_array()), found.values[1].T)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Biscoe", "Dream", "Torgersen"]
    known = PENGUINS[["bill_length_mm", "island"]].notna().all(axis=1).sum()
    assert len(np.asarray(dots.get_offsets())) == known
    assert ax.figure.axes[-1].get_ylabel() == "mean probability of Chinstrap"


def test_levels_by_dates() -> None:
    """Both axes in the words of their columns: names of levels, and a calendar."""
    when = pd.date_range("2023-01-01", periods=60, freq="7D")
    X = pd.DataFrame({"when": when, "colour": ["red", "blue", "red"] * 20})
    y = np.where(X["colour"] == "red", when.month, 3.0)
    model = TreeRegressor(prune=None).fit(X, y)
    ax = plot.partial_dependence(model, ["colour", "when"], X)
    ax.figure.canvas.draw()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["blue", "red"]
    assert "2024" in [label.get_text() for label in ax.get_yticklabels()]


def test_accumulated_effects() -> None:
    found = accumulated_effects(HEIGHTS, "petal_length", IRIS)
    ax = plot.partial_dependence(found)
    np.testing.assert_allclose(np.asarray(ax.get_lines()[0].get_ydata()), found.values[0])
    assert ax.get_ylabel() == "accumulated effect"
    assert note(ax) == "steps added up over 150 rows"


def test_many_classes_share_a_look() -> None:
    y = [f"class {number % 11}" for number in range(150)]
    model = TreeClassifier(prune=None, max_leaf_nodes=20).fit(IRIS, y)
    legend = plot.partial_dependence(model, "sepal_length").get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()][-1] == "3 other classes"


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: plot.partial_dependence(MODEL), "columns is not given"),
        (lambda: plot.partial_dependence(MODEL, "island", target="Gento"), "Did you mean 'Gentoo'"),
        (lambda: plot.partial_dependence(HEIGHTS, 1, target="Gentoo"), "predicts numbers"),
        (
            lambda: plot.partial_dependence(MODEL, [1, 2]),
            "There are 3 classes, of which this chart shows one",
        ),
        (lambda: plot.partial_dependence(MODEL, 1, individual="all"), "individual='all' is not allowed"),
        (
            lambda: plot.partial_dependence(HEIGHTS, [1, 2], IRIS, individual=True),
            "a heat map of two has none",
        ),
        (
            lambda: plot.partial_dependence(partial_dependence(MODEL, 1), X=PENGUINS),
            "X belongs to a model",
        ),
        (
            lambda: plot.partial_dependence(partial_dependence(HEIGHTS, 1, IRIS), individual=True),
            "the result has none",
        ),
        (
            lambda: plot.partial_dependence(accumulated_effects(HEIGHTS, 1, IRIS), centred=True),
            "are for partial dependence",
        ),
    ],
)
def test_refusals(ask: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ask()


def test_two_columns_with_very_many_steps_are_drawn_on_a_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("arboretum.inspection.dependence.partial_dependence")
    monkeypatch.setattr(module, "_MOST_CELLS", 5)
    monkeypatch.setattr(importlib.import_module("arboretum.plot._dependence.chart"), "_COARSE", 2)
    columns = ["petal_length", "sepal_width"]
    with pytest.raises(ParameterError, match="but 5 are the most"):
        partial_dependence(HEIGHTS, columns, IRIS)
    with pytest.raises(ParameterError, match="but 5 are the most"):
        plot.partial_dependence(HEIGHTS, columns, IRIS, grid=3)
    (mesh,) = plot.partial_dependence(HEIGHTS, columns, IRIS, rows=False).collections
    coarse = partial_dependence(HEIGHTS, columns, IRIS, grid=2)
    np.testing.assert_allclose(np.ravel(mesh.get_array()), coarse.values[0].T.ravel())


def test_the_colours_of_a_constant_probability_end_at_0_and_1() -> None:
    found = partial_dependence(MODEL, ["year", "body_mass_g"], PENGUINS)
    assert np.ptp(found.values[0]) == 0
    (mesh,) = plot.partial_dependence(found, target="Adelie", rows=False).collections
    assert mesh.get_clim() == (0.0, 1.0)


def test_the_strength_of_interactions_is_refused() -> None:
    with pytest.raises(DataTypeError, match="not the strength of interactions"):
        plot.partial_dependence(interaction_strength(HEIGHTS, IRIS))
