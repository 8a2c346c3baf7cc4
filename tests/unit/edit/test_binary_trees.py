"""A tree of questions with many answers as a series of questions with two: the same leaves for every row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arboretum import DataError, Tree, TreeClassifier, TreeRegressor, datasets

LEVELS = ["a", "b", "c", "d", "e"]


def table(random: np.random.Generator, n_rows: int, share_missing: float) -> pd.DataFrame:
    """Return two columns of declared levels, one of which has no rows, and a number, all with gaps."""
    frame = pd.DataFrame(
        {
            "colour": pd.Categorical(random.choice(LEVELS[:4], n_rows), categories=LEVELS),
            "size": pd.Categorical(random.choice(LEVELS[:3], n_rows), categories=LEVELS[:3]),
            "age": random.integers(0, 9, n_rows).astype(float),
        }
    )
    return frame.mask(random.random(frame.shape) < share_missing)


def check(tree: Tree, rows: pd.DataFrame) -> Tree:
    """Check that the binary tree sends rows to the same leaves, and that its numbers belong together."""
    binary = tree.to_binary()
    assert binary.array("n_children").max() <= 2
    if tree.missing != "fractions":  # else a row is in many leaves
        own, theirs = (found.array("id")[found.apply(rows)] for found in (tree, binary))
        np.testing.assert_array_equal(own, theirs)
    if tree.target.classes is None:
        np.testing.assert_allclose(binary.predict(rows), tree.predict(rows), rtol=1e-12)
    else:
        np.testing.assert_allclose(binary.predict_proba(rows), tree.predict_proba(rows), rtol=1e-12)
    for node in binary.walk():
        if not node.is_leaf:
            assert node.weight == pytest.approx(sum(child.weight for child in node.children))
    assert Tree.from_json(binary.to_json()) == binary
    return binary


@given(
    seed=st.integers(0, 10_000),
    missing=st.sampled_from(["category", "fractional", "drop"]),
    share=st.sampled_from([0.0, 0.3]),
    criterion=st.sampled_from(["gini", "entropy", "gain_ratio", "squared_error", "poisson"]),
    leaf=st.booleans(),
)
def test_every_row_reaches_the_same_leaf(
    seed: int, missing: str, share: float, criterion: str, leaf: bool
) -> None:
    """Rows with gaps, with levels that had no rows, and with unknown levels; weighted and shrunken trees."""
    random = np.random.default_rng(seed)
    X = table(random, 40, share)
    of_numbers = criterion in ("squared_error", "poisson")
    y = random.integers(1, 6, 40).astype(float) if of_numbers else random.choice(["x", "y", "z"], 40)
    options: dict[str, Any] = {"missing": missing, "criterion": criterion, "nominal": "multiway"}
    plain = "mean" if of_numbers else "frequency"
    options |= {"prune": None, "levels": "raw", "leaf": "shrinkage" if leaf else plain}
    if not of_numbers:
        options["class_weight"] = {"x": 1.0, "y": 2.5, "z": 1.0}
    if missing == "drop" and X.isna().any(axis=1).all():
        return
    weights = random.integers(1, 4, 40).astype(float)
    tree = (TreeRegressor if of_numbers else TreeClassifier)(**options).fit(X, y, weights).tree_
    new = table(random, 60, 0.3)
    new["colour"] = new["colour"].astype(object).where(random.random(60) < 0.8, "unknown")
    check(tree, new)


@pytest.mark.parametrize("criterion", ["entropy", "gini", "squared_error", "poisson"])
def test_impurities_are_those_of_the_rows(criterion: str) -> None:
    """The node between has the impurity that it has if the same questions are counted from the rows."""
    random = np.random.default_rng(3)
    X = table(random, 200, 0.0)[["colour"]]
    of_numbers = criterion in ("squared_error", "poisson")
    y = 1e3 + random.integers(1, 600, 200) if of_numbers else random.choice(["x", "y"], 200)
    model = TreeRegressor() if of_numbers else TreeClassifier()
    model.set_params(criterion=criterion, nominal="multiway", prune=None, levels="raw")
    model.set_params(leaf="mean" if of_numbers else "frequency")
    binary = check(model.fit(X, y).tree_, X)
    between = binary.root.children[1]
    asked = binary.prune_at(binary.root).replace(0, binary.root.question, (X, y))
    assert between.impurity == pytest.approx(asked.root.children[1].impurity, rel=1e-9)
    assert binary.root.gain == pytest.approx(asked.root.gain, rel=1e-6)
    if of_numbers:
        assert between.value == pytest.approx(asked.root.children[1].value)


def test_a_series_gains_what_its_question_gained() -> None:
    """So importances stay as they are."""
    X, y = datasets.load_tennis()
    tree = TreeClassifier.id3().fit(X, y).tree_
    binary = check(tree, X)
    assert [str(node.question) for node in binary.walk() if not node.is_leaf] == [
        "outlook = overcast",
        "outlook = rainy",
        "windy = FALSE",
        "humidity = high",
    ]
    assert binary.array("improvement").sum() == pytest.approx(tree.array("improvement").sum())
    assert binary.root.gain + binary.root.children[1].gain * 10 / 14 == pytest.approx(tree.root.gain)


def test_binary_trees_stay_as_they_are() -> None:
    """There is nothing to do."""
    tree = TreeClassifier(prune=None).fit(*datasets.load_penguins()).tree_
    assert tree.to_binary() is tree


def test_medians_do_not_follow_from_medians() -> None:
    """One clear sentence, and what to do."""
    X, _ = datasets.load_penguins()
    known = X.dropna()
    model = TreeRegressor(criterion="absolute_error", nominal="multiway", prune=None, max_depth=1)
    tree = model.fit(known[["island"]], known["body_mass_g"]).tree_
    with pytest.raises(DataError, match=r"cannot be made binary\.\nHint: fit with nominal='one_vs_rest'"):
        tree.to_binary()
