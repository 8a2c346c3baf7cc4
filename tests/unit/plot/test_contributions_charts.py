"""The waterfall of one row and the swarm of many: what is on them, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.marks import allow_one_leaf

import arboretum
from arboretum import DataTypeError, ParameterError, TreeClassifier, TreeRegressor, datasets, plot

X, Y = datasets.load_penguins()
FOUND = arboretum.contributions(TreeClassifier().fit(X, Y), X)


def wide(n_rows: int = 200) -> Any:
    """Many columns, with names that are long or code for matplotlib."""
    rng = np.random.default_rng(1)
    names = [f"the length of column number {i} in $ per year, measured twice" for i in range(30)]
    table = pd.DataFrame(rng.normal(size=(n_rows, 30)), columns=names)
    model = TreeRegressor(prune=None).fit(table, table.iloc[:, :16].sum(axis=1))
    return arboretum.contributions(model, table)


def labels(ax: Any) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


@allow_one_leaf
def test_one_class_needs_no_name() -> None:
    """A tree whose rows are all of one class draws that class."""
    model = TreeClassifier(prune=None).fit(X, np.array(["only"] * len(X)))
    found = arboretum.contributions(model, X[:3])
    assert plot.contributions_summary(found).get_xlabel() == "contribution: probability of only"


def test_note_and_legend_lie_apart() -> None:
    """Long names leave little room above the axes: the legend goes above the note."""
    long = X[["island", "bill_length_mm", "year"]].rename(columns={"bill_length_mm": "length " * 30})
    found = arboretum.contributions(TreeClassifier(max_leaf_nodes=3, prune=None).fit(long, Y), long)
    ax: Any = plot.contributions_summary(found, target="Adelie")
    note = next(
        text for text in ax.get_children() if getattr(text, "get_text", str)().startswith("at 0, not")
    )
    ax.figure.draw_without_rendering()
    assert not note.get_window_extent().overlaps(ax.get_legend().get_window_extent())
    assert ax.get_legend().get_window_extent().y1 < ax.figure.bbox.y1 + 30


# The waterfall


def test_bars_lead_from_the_base_to_the_prediction() -> None:
    ax: Any = plot.contributions(FOUND, 200, target="Gentoo")
    gentoo = FOUND.of("Gentoo")
    begins = [bar.get_x() for bar in ax.patches]
    ends = [bar.get_x() + bar.get_width() for bar in ax.patches]
    assert begins[0] == pytest.approx(gentoo.base)
    assert ends[:-1] == pytest.approx(begins[1:])
    assert ends[-1] == pytest.approx(gentoo.prediction[200])
    lengths = [abs(bar.get_width()) for bar in ax.patches[1:-1]]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths == pytest.approx(np.sort(np.abs(gentoo.values[200][gentoo.values[200] != 0]))[::-1])
    assert ax.get_xlabel() == "prediction: probability of Gentoo"


def test_the_most_probable_class_unless_another_is_named() -> None:
    for row in (0, 200, 300):
        name = (FOUND.classes or ())[int(FOUND.prediction[row].argmax())]
        assert plot.contributions(FOUND, row).get_xlabel() == f"prediction: probability of {name}"


def test_the_others_share_a_bar() -> None:
    found = wide()
    ax: Any = plot.contributions(found, 3, top=4)
    shown = labels(ax)
    assert len(shown) == 4 + 3
    n_others = int((np.abs(found.values[3]) > 1e-12).sum()) - 4
    assert shown[-2] == f"and {n_others} others"
    assert all(len(label) < 60 for label in shown)
    assert len({label for label in shown}) == 7  # long names are still told apart
    assert ax.patches[-1].get_x() == pytest.approx(found.prediction[3])


def test_values_are_written_with_few_digits_and_missing_ones_as_such() -> None:
    missing = int(np.flatnonzero(X["bill_length_mm"].isna())[0])
    assert any(label.endswith(" is missing") for label in labels(plot.contributions(FOUND, missing)))
    numbers = [label.split(" = ")[1] for label in labels(plot.contributions(wide(), 0)) if " = " in label]
    assert numbers
    assert all(len(number) <= 10 for number in numbers)


# The swarm


def test_points_stand_at_the_contributions() -> None:
    ax = plot.contributions_summary(FOUND, target="Adelie")
    adelie = FOUND.of("Adelie").values
    order = np.argsort(-np.abs(adelie).mean(axis=0), kind="stable")
    drawn = [place for place in order if np.abs(adelie[:, place]).max() > 1e-12]
    assert labels(ax) == [X.columns[place] for place in drawn]
    points = np.concatenate([c.get_offsets() for c in ax.collections if hasattr(c, "get_sizes")])
    for line, place in enumerate(drawn):
        here = points[np.abs(points[:, 1] - line) < 0.5]
        np.testing.assert_allclose(np.sort(here[:, 0]), np.sort(adelie[:, place]))
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert legend == ["missing", "no order"]  # island is nominal


def test_points_of_one_line_do_not_reach_the_next() -> None:
    ax = plot.contributions_summary(wide(1500), top=5)
    assert labels(ax)[-1].endswith(" others")
    points = np.concatenate([c.get_offsets() for c in ax.collections if hasattr(c, "get_sizes")])
    away = np.abs(points[:, 1] - points[:, 1].round())
    assert away.max() <= 0.4 + 1e-9


def test_of_many_rows_some_are_drawn() -> None:
    found = wide(4000)
    ax = plot.contributions_summary(found)
    assert ax.get_title(loc="left").startswith("3,000 of 4,000 rows are drawn")


@pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")
def test_where_nothing_contributes() -> None:
    nothing = arboretum.contributions(TreeRegressor().fit([[0.0]] * 4, [1.0] * 4), [[0.0], [1.0]])
    assert plot.contributions_summary(nothing).texts[0].get_text() == "No column contributes anything."
    assert labels(plot.contributions(nothing)) == ["base", "prediction"]


def test_two_classes_show_the_second() -> None:
    found = arboretum.contributions(TreeClassifier().fit(X, Y == "Gentoo"), X)
    assert plot.contributions_summary(found).get_xlabel() == "contribution: probability of True"


# Refusals


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: plot.contributions(X), DataTypeError, "draws what arboretum.contributions.* not DataFrame"),
        (lambda: plot.contributions_summary(None), DataTypeError, "returned, not NoneType"),
        (
            lambda: plot.contributions(FOUND, 344),
            ParameterError,
            "row=344 .* has 344 rows, give an integer from 0",
        ),
        (lambda: plot.contributions(FOUND, -1), ParameterError, "row=-1 is not allowed"),
        (lambda: plot.contributions(FOUND, "first"), ParameterError, "row='first' is not allowed"),
        (lambda: plot.contributions(FOUND, target="Emperor"), ParameterError, "'Emperor' is not a class"),
        (lambda: plot.contributions(FOUND, top=0), ParameterError, "top=0 is not allowed"),
        (
            lambda: plot.contributions_summary(FOUND),
            ParameterError,
            "There are 3 classes; choose one, target=",
        ),
    ],
)
def test_refusals(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()


def test_a_tree_that_asks_nothing_has_short_labels_on_its_axis() -> None:
    lone = TreeRegressor(prune=None, max_depth=1, min_samples_leaf=3)
    with pytest.warns(arboretum.OneLeafWarning):
        lone.fit(np.arange(4.0)[:, None], [1.0, 2.0, 1.0, 2.0])
    ax = plot.contributions(arboretum.contributions(lone, np.zeros((1, 1))))
    ax.get_figure().canvas.draw()
    assert max(len(label.get_text()) for label in ax.get_xticklabels()) <= 4


def test_rounding_is_written_as_zero() -> None:
    """A probability of 0, added up from contributions, was written as 2.8e-17."""
    values = np.zeros((1, 7, 3))
    values[0, :2] = [[-0.1, 0.1, 0.0], [-0.2, 0.1, 0.1]]
    found = replace(
        FOUND, values=values, base=np.array([0.3, 0.3, 0.4]), table=FOUND.table.take(np.array([0]))
    )
    assert 0 < abs(found.prediction[0, 0]) < 1e-15
    ax: Any = plot.contributions(found, target="Adelie")
    assert ax.texts[-1].get_text() == "0"
    assert "e-" not in str(found)
