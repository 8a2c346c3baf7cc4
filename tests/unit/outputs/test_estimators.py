"""Estimators of several outputs: what fit takes, and what the methods return."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score

from arboretum import (
    CostComplexity,
    DataError,
    MultiTree,
    TreeClassifier,
    TreeMixed,
    TreeRegressor,
    datasets,
    explain,
    load,
    save,
)

X, SPECIES = datasets.load_iris()
Y = pd.DataFrame({"species": SPECIES, "width": X["petal_width"], "long": X["petal_length"] > 4})
X = X[["sepal_length", "sepal_width", "petal_length"]]


@pytest.fixture(scope="module")
def mixed() -> TreeMixed:
    return TreeMixed(prune=CostComplexity(repeats=1)).fit(X, Y)


def test_kinds_of_targets_are_the_same_targets() -> None:
    """A frame of any library, an array, a list of rows."""
    numbers = np.c_[Y["width"], X["petal_length"]]
    frame = pd.DataFrame(numbers, columns=["w", "l"])
    models = [
        TreeRegressor(max_depth=3, prune=None).fit(X, y)
        for y in (
            numbers,
            frame,
            pl.from_pandas(frame),
            numbers.tolist(),
            tuple(map(tuple, numbers.tolist())),
        )
    ]
    for model in models:
        assert (model.predict(X) == models[0].predict(X)).all()
    assert [model.output_names_ for model in models] == [
        ["y0", "y1"],
        ["w", "l"],
        ["w", "l"],
        *[["y0", "y1"]] * 2,
    ]


def test_one_column_is_one_target() -> None:
    """As in scikit-learn, with its warning; the prediction has one dimension."""
    with pytest.warns(UserWarning, match="column-vector y"):
        model = TreeRegressor(prune=None).fit(X, Y[["width"]])
    assert model.predict(X).shape == (150,)
    assert not hasattr(model, "outputs_")


def test_a_classifier() -> None:
    """Labels side by side, a list of probabilities, the share of rows that are right in all outputs."""
    y = np.c_[SPECIES, np.where(Y["long"], "long", "short")]
    model = TreeClassifier(max_depth=2, prune=None, leaf="frequency").fit(X, y)
    assert [classes.tolist() for classes in model.classes_] == [
        np.unique(SPECIES).tolist(),
        ["long", "short"],
    ]
    first, second = model.predict_proba(X)
    assert first.shape == (150, 3)
    assert second.shape == (150, 2)
    predicted = model.predict(X)
    assert (predicted[:, 0] == model.classes_[0][first.argmax(axis=1)]).all()
    assert np.exp(model.predict_log_proba(X)[1]) == pytest.approx(second)
    weights = np.arange(150.0)
    right = (predicted == y).all(axis=1)
    assert model.score(X, y, weights) == pytest.approx(
        accuracy_score(right, np.ones(150, bool), sample_weight=weights)
    )
    assert (model.apply(X) == model.outputs_[1].apply(X)).all()
    assert model.decision_path(X).shape == (150, len(model.tree_))
    assert model.get_n_leaves() == model.tree_.n_leaves == 4
    assert model.get_depth() == model.tree_.depth == 2


def test_a_regressor() -> None:
    """Numbers side by side, and R² averaged over the outputs."""
    y = np.c_[Y["width"], X["petal_length"]]
    model = TreeRegressor(max_depth=3).fit(X, y)
    assert model.predict(X).shape == (150, 2)
    assert model.predict(X).dtype == np.float64
    assert model.score(X, y) == pytest.approx(r2_score(y, model.predict(X)))
    assert cross_val_score(TreeRegressor(max_depth=2, prune=None), X, y, cv=2).shape == (2,)
    search = GridSearchCV(TreeRegressor(prune=None), {"max_depth": [1, 2]}, cv=2).fit(X, y)
    assert isinstance(search.best_estimator_.tree_, MultiTree)


def test_mixed_outputs(mixed: TreeMixed) -> None:
    """Each output has its own kind, and is an ordinary model."""
    assert mixed.output_names_ == ["species", "width", "long"]
    assert [type(model) for model in mixed.outputs_] == [TreeClassifier, TreeRegressor, TreeClassifier]
    predicted = mixed.predict(X)
    assert predicted.shape == (150, 3)
    for place, (name, model) in enumerate(zip(mixed.output_names_, mixed.outputs_, strict=True)):
        assert mixed.outputs_[name] is model
        assert (model.predict(X) == predicted[:, place]).all()
        assert model.tree_ == mixed.tree_[name] == mixed.tree_[place]
    assert list(mixed.predict_proba(X)) == ["species", "long"]
    assert "petal_length" in str(explain(mixed.outputs_["width"], X.iloc[0]))
    parts = [
        accuracy_score(Y["species"], predicted[:, 0]),
        r2_score(Y["width"], predicted[:, 1].astype(float)),
        accuracy_score(Y["long"], predicted[:, 2].astype(bool)),
    ]
    assert mixed.score(X, Y) == pytest.approx(np.mean(parts))
    assert isinstance(mixed.tree_, MultiTree)


def test_which_outputs_are_classes_can_be_said() -> None:
    """Whole numbers are numbers unless they are named; categories are classes whatever they hold."""
    y = pd.DataFrame({"a": [0, 1, 0, 1], "b": pd.Categorical([3, 4, 3, 4]), "c": [True, False, True, False]})
    x = [[1], [2], [3], [4]]
    kinds = [
        [
            type(model).__name__[4:7]
            for model in TreeMixed(prune=None, class_outputs=chosen).fit(x, y).outputs_
        ]
        for chosen in ("from_dtype", ["a"], [0, 2])
    ]
    assert kinds == [["Reg", "Cla", "Cla"], ["Cla", "Reg", "Reg"], ["Cla", "Reg", "Cla"]]


def test_text_shows_all_outputs(mixed: TreeMixed) -> None:
    """Every line holds every output; long texts are cut short."""
    text = str(mixed.tree_)
    lines = text.splitlines()
    assert len(lines) == len(mixed.tree_)
    assert all("species: " in line and "width: " in line and "long: " in line for line in lines)
    assert len(mixed.tree_.to_text(max_depth=1).splitlines()) < len(lines)
    assert "<iframe" in mixed.tree_._repr_html_()
    assert repr(mixed.tree_).startswith("<MultiTree of 3 outputs: ")


def test_sizes_of_the_tree(mixed: TreeMixed) -> None:
    """All outputs are cut alike."""
    small = mixed.pruned(leaves=3)
    assert small.get_n_leaves() == 3
    assert [tree.n_leaves for tree in small.tree_] == [3, 3, 3]
    assert small.pruned(alpha=mixed.alpha_).tree_ == mixed.tree_
    assert mixed.unpruned().get_n_leaves() > mixed.get_n_leaves()
    path = mixed.pruning_path_
    assert path.risk[-1] == pytest.approx(1.0)
    assert path.leaves[path.chosen] == mixed.get_n_leaves()
    assert small.outputs_[0].unpruned().get_n_leaves() == mixed.unpruned().get_n_leaves()


@pytest.mark.parametrize("rule", ["min", "1se", "1se_unpaired"])
def test_every_rule_chooses(rule: Any) -> None:
    """Also those that look at the losses row by row."""
    model = TreeMixed(prune=CostComplexity(repeats=1, folds=4, rule=rule)).fit(X, Y)
    path = model.pruning_path_
    assert path.chosen is not None
    best = int(np.argmin(path.cv_risk))
    assert path.cv_risk[path.chosen] <= path.cv_risk[best] + (
        0.0 if rule == "min" else 1.01 * path.cv_se[best]
    )


def test_held_out_losses_are_those_by_hand() -> None:
    """The CV risk of the root: the standardised losses of its predictions for the rows left out."""
    number = np.arange(12.0) ** 2
    y = np.c_[number, np.ones(12)]
    x = np.arange(12.0)[:, None]
    model = TreeRegressor(prune=CostComplexity(folds=3, repeats=1), leaf="mean").fit(x, y)
    single = TreeRegressor(prune=CostComplexity(folds=3, repeats=1), leaf="mean").fit(x, number)
    shared, own = model.pruning_path_, single.pruning_path_
    np.testing.assert_allclose(shared.cv_risk, own.cv_risk / np.var(number) / 2, rtol=1e-12)
    np.testing.assert_allclose(shared.cv_se, own.cv_se / np.var(number) / 2, rtol=1e-9)


def test_weights_of_classes() -> None:
    """For all outputs, or for one of them by name; the other is not touched."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(200, 2))
    y = pd.DataFrame({"rare": x[:, 0] + rng.normal(size=200) > 1.5, "even": x[:, 1] > 0})
    plain: Any = TreeClassifier(max_depth=1, prune=None, leaf="frequency").fit(x, y)
    weighed = TreeClassifier(
        max_depth=0, prune=None, leaf="frequency", class_weight={"rare": "balanced"}
    ).fit(x, y)
    assert weighed.predict_proba(x)[0][0] == pytest.approx([0.5, 0.5])
    assert weighed.predict_proba(x)[1][0] == pytest.approx(
        1 - y["even"].mean() + np.array([0, 2 * y["even"].mean() - 1])
    )
    both = TreeClassifier(max_depth=0, prune=None, leaf="frequency", class_weight="balanced").fit(x, y)
    assert both.predict_proba(x)[1][0] == pytest.approx([0.5, 0.5])
    assert plain.tree_[0].array("weight")[0] == 200


def test_odd_tables() -> None:
    """One row, constant outputs, many outputs, missing values everywhere."""
    width = Y["width"]
    assert TreeRegressor().fit([[1.0]], [[1.0, 2.0]]).predict([[5.0]]).tolist() == [[1.0, 2.0]]
    constant = TreeRegressor().fit(X, np.ones((150, 3)))
    assert constant.get_n_leaves() == 1
    assert constant.feature_importances_.tolist() == [0.0, 0.0, 0.0]
    many = TreeRegressor(prune=None, max_depth=2).fit(X, np.random.default_rng(0).normal(size=(150, 60)))
    assert many.predict(X).shape == (150, 60)
    nothing = TreeMixed(prune=None).fit(np.full((150, 2), np.nan), Y)
    assert nothing.get_n_leaves() == 1
    huge: Any = TreeRegressor(prune=None, max_depth=2).fit(X, np.c_[width * 1e90, width * 1e-90])
    alone = TreeRegressor(prune=None, max_depth=2).fit(X, Y["width"])
    assert huge.tree_[0].array("threshold").tolist() == alone.tree_.array("threshold").tolist()


def test_dropped_rows_and_groups() -> None:
    """Rows with missing values are left out for all outputs; groups stay together in folds."""
    gaps = X.copy()
    gaps.iloc[::10, 0] = np.nan
    groups = np.arange(150) // 10
    model: Any = TreeMixed(missing="drop", prune=CostComplexity(repeats=1, folds=3)).fit(
        gaps, Y, groups=groups
    )
    assert model.n_rows_dropped_ == 15
    assert model.tree_[0].root.n_rows == 135


def test_files_and_pickles(mixed: TreeMixed, tmp_path: Path) -> None:
    """What is loaded predicts the same, knows its other sizes, and damage is refused."""
    save(mixed, tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert again.tree_ == mixed.tree_
    assert (again.predict(X) == mixed.predict(X)).all()
    assert again.pruned(leaves=3).tree_ == mixed.pruned(leaves=3).tree_
    assert again.pruning_path_.chosen == mixed.pruning_path_.chosen
    save(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text() == (tmp_path / "model.json").read_text()
    assert pickle.loads(pickle.dumps(mixed)).tree_ == mixed.tree_
    save(mixed.outputs_["width"], tmp_path / "width.json")
    assert load(tmp_path / "width.json").tree_ == mixed.tree_["width"]
    text = (tmp_path / "model.json").read_text()
    for before, after in (
        ('"model": "TreeMixed"', '"model": "TreeRegressor"'),
        ('"shares": [', '"shares": [1.0,'),
        ('"width"', "3"),
    ):
        (tmp_path / "bad.json").write_text(text.replace(before, after, 1))
        with pytest.raises(DataError, match="is not a model that can be read"):
            load(tmp_path / "bad.json")


def test_a_tree_of_trees_that_differ_is_refused(mixed: TreeMixed) -> None:
    """All outputs ask the same questions."""
    other = TreeRegressor(prune=None, max_depth=1).fit(X, Y["width"])
    with pytest.raises(DataError, match="do not ask the same questions"):
        MultiTree(("a", "b"), (mixed.tree_[1], other.tree_))
    with pytest.raises(AttributeError, match="never changes"):
        mixed.tree_.names = ()


def test_order_of_levels_beyond_the_exhaustive_limit() -> None:
    """Twenty levels in two groups, told only by both outputs together: the principal direction finds them."""
    rng = np.random.default_rng(0)
    level = rng.integers(0, 20, 4000)
    group = level % 2
    y = np.c_[group * 2.0, group * -3.0] + rng.normal(size=(4000, 2))
    x = pd.DataFrame({"level": pd.Categorical([f"l{k:02}" for k in level])})
    model: Any = TreeRegressor(prune=None, max_depth=1).fit(x, y)
    tree = model.tree_[0]
    leaf = tree.apply(x)
    assert len(set(zip(leaf.tolist(), group.tolist(), strict=True))) == 2
