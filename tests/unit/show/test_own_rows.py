"""Where predictions are drawn towards the nodes above, everything shown tells them from what the rows say."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from support.pages import fitted, houses

from arboretum import Shrinkage, TreeClassifier, TreeRegressor, datasets, export
from arboretum._show.page.data import page_data
from arboretum._show.rows.row_path import row_path

# Eight rows; the first four are of class a but for one, the others of class b. Half of the step counts.
X = [[1.0]] * 4 + [[2.0]] * 4
Y = list("aaabbbbb")
NUMBERS = [1.0, 2.0, 3.0, 2.0, 10.0, 10.0, 10.0, 10.0]


def classes(leaf: Any) -> Any:
    return TreeClassifier(leaf=leaf, prune=None).fit(X, Y)


def numbers(leaf: Any, criterion: Any = "squared_error") -> Any:
    return TreeRegressor(leaf=leaf, criterion=criterion, prune=None).fit(X, NUMBERS)


def told(model: Any) -> dict[str, str]:
    """What is told of the first leaf, everywhere."""
    box = re.search(r'n1 \[label="(.*?)"', export.to_dot(model))
    flow = re.search(r'n1\(\["(.*?)"', export.to_mermaid(model))
    assert box is not None
    assert flow is not None
    return {
        "rule": str(model.tree_.rules()[0]),
        "exported rule": export.to_rules(model, figures=False).splitlines()[-2],
        "row": row_path(model.tree_, [1.0]).conclusion,
        "dot": box[1],
        "mermaid": flow[1],
        "text": str(model.tree_).splitlines()[1],
    }


def test_a_probability_and_a_share() -> None:
    """By hand: a has 3/8 of all rows and 3/4 of these; half of the step is 56 %."""
    assert told(classes(Shrinkage(8))) == {
        "rule": "x0 <= 1.5 → a (56%; 75% of 4 rows)",
        "exported rule": "1. x0 <= 1.5 → a (56%; 75% of 4 rows)",
        "row": "→ a (56%; 75% of 4 rows)",
        "dot": r"a 56%\n75% of 4 rows",
        "mermaid": "a 56%<br>75% of 4 rows",
        "text": "├── x0 <= 1.5  [4 rows]  → a (56%; 75% of rows)",
    }


def test_a_share_alone() -> None:
    assert told(classes("frequency")) == {
        "rule": "x0 <= 1.5 → a (75%, 4 rows)",
        "exported rule": "1. x0 <= 1.5 → a (75%, 4 rows)",
        "row": "→ a (75% of 4 rows)",
        "dot": r"a\n75% of 4 rows",
        "mermaid": "a<br>75% of 4 rows",
        "text": "├── x0 <= 1.5  [4 rows]  → a (75%)",
    }


@pytest.mark.parametrize(("criterion", "centre"), [("squared_error", "mean"), ("absolute_error", "median")])
def test_a_prediction_and_a_mean(criterion: str, centre: str) -> None:
    """By hand: all rows have the mean 6 (the median 6.5), these 2; half of the step is 4 (4.25)."""
    predicted = 4 if centre == "mean" else 4.25
    assert told(numbers(Shrinkage(8), criterion)) == {
        "rule": f"x0 <= 1.5 → {predicted} ({centre} 2 of 4 rows)",
        "exported rule": f"1. x0 <= 1.5 → {predicted} ({centre} 2 of 4 rows)",
        "row": f"→ {predicted} ({centre} 2 of 4 rows)",
        "dot": rf"{predicted}\n{centre} 2 of 4 rows",
        "mermaid": f"{predicted}<br>{centre} 2 of 4 rows",
        "text": f"├── x0 <= 1.5  [4 rows]  → {predicted} ({centre} 2)",
    }


def test_a_mean_alone() -> None:
    assert told(numbers("mean")) == {
        "rule": "x0 <= 1.5 → 2 (4 rows)",
        "exported rule": "1. x0 <= 1.5 → 2 (4 rows)",
        "row": "→ 2 (4 rows)",
        "dot": r"2\n4 rows",
        "mermaid": "2<br>4 rows",
        "text": "├── x0 <= 1.5  [4 rows]  → 2",
    }


def test_pictures_say_which_is_which() -> None:
    for model, note in (
        (
            classes(Shrinkage(8)),
            "probabilities are drawn towards the nodes above; “of rows”: shares of a leaf",
        ),
        (numbers(Shrinkage(8)), "predictions are drawn towards the nodes above; “mean”: that of a leaf"),
        (numbers(Shrinkage(8), "absolute_error"), "“median”: that of a leaf"),
    ):
        assert note in " ".join(re.findall(r">([^<]+)</text>", export.to_svg(model)))
    for model in (classes("frequency"), numbers("mean")):
        assert "nodes above" not in export.to_svg(model)
    # Of other data, all shares are those of its rows.
    assert "nodes above" not in export.to_svg(classes(Shrinkage(8)), data=(X, Y))
    assert ">mean" not in export.to_svg(numbers(Shrinkage(8)), data=(X, NUMBERS)).replace("· mean", ">mean")


def test_the_page_knows_both() -> None:
    nodes = page_data(classes(Shrinkage(8)))["nodes"]
    assert nodes["own"] == ["62%", "75%", "100%"]
    assert nodes["confidence"] == [0.625, 0.5625, 0.8125]
    nodes = page_data(numbers(Shrinkage(8)))["nodes"]
    assert (nodes["own"], nodes["mean"]) == (["mean 6", "mean 2", "mean 10"], [6, 2, 10])
    assert nodes["value"] == [6, 4, 8]
    nodes = page_data(numbers("mean"))["nodes"]
    assert (nodes["own"], nodes["mean"], nodes["value"]) == ([None] * 3, [6, 2, 10], [6, 2, 10])


def test_corrected_gains_are_shown_where_there_are_any() -> None:
    model = fitted("penguins")[0]
    page = page_data(model)
    assert page["nodes"]["corrected_gain"][0] == model.tree_.root.corrected_gain
    rivals = [(rival["gain"], rival["corrected_gain"]) for rival in page["competitors"]["1"]]
    assert rivals == [(rival.gain, rival.corrected_gain) for rival in model._grown.node(1).competitors]
    assert any(gain != corrected for gain, corrected in rivals)
    frame = model.tree_.to_frame()
    assert frame["corrected_gain"][0] == model.tree_.root.corrected_gain
    raw = TreeRegressor(levels="raw").fit(*houses())
    assert "corrected_gain" not in page_data(raw)["nodes"]
    assert "corrected_gain" not in raw.tree_.to_frame()
    assert "corrected_gain" not in TreeClassifier().fit(*datasets.load_iris()).tree_.to_frame()


def test_shares_are_those_of_rows_whatever_classes_count_for() -> None:
    """Three of four rows are of class a, with weights of classes or priors as without."""
    for more in ({"class_weight": {"a": 5.0, "b": 1.0}}, {"priors": [0.9, 0.1]}):
        model = TreeClassifier(leaf=Shrinkage(8), prune=None, **more).fit(X, Y)
        assert str(model.tree_.rules()[0]).endswith("; 75% of 4 rows)")


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
def test_inner_nodes_show_their_own_rows(criterion: Any) -> None:
    """As those of classes do; where nothing is drawn along the path, that is what they predict."""
    X, y = np.arange(40)[:, None], np.arange(40.0) ** 2
    shrunken = TreeRegressor(criterion=criterion, max_depth=2, prune=None, leaf=Shrinkage(10)).fit(X, y)
    inner = shrunken.tree_.node(1)
    said = {"squared_error": "mean", "absolute_error": "median"}[criterion]
    own = (np.mean if said == "mean" else np.median)(y[: inner.n_rows])
    drawn = str(shrunken.tree_).splitlines()[1]
    assert drawn.endswith(f", {said} {own:.6g}")
    assert inner.label != own
    plain = TreeRegressor(criterion=criterion, max_depth=2, prune=None, leaf=said).fit(X, y)
    assert str(plain.tree_).splitlines()[1].endswith(f", value {own:.6g}")
