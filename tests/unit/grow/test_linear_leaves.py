"""Linear models in leaves, against scikit-learn's Ridge on the rows of each leaf."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.preprocessing import StandardScaler

import arboretum
from arboretum import (
    CostComplexity,
    DataError,
    Honest,
    LinearModel,
    ParameterError,
    Quantiles,
    ReducedError,
    Tree,
    TreeRegressor,
)
from arboretum._store.model_files import model_from_bytes, model_to_bytes

pytestmark = pytest.mark.filterwarnings("ignore::arboretum.ArboretumWarning")


def made(n_rows: int = 400, seed: int = 0, missing: float = 0.1) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 4)) * [1.0, 100.0, 0.01, 1.0] + [0.0, 1e4, 0.0, -5.0]
    y = np.where(X[:, 0] > 0, X[:, 1] / 100, -300 * X[:, 2]) + 0.1 * random.normal(size=n_rows)
    X[random.random(X.shape) < missing] = np.nan
    return X, y


def filled(X: Any, weights: Any) -> Any:
    """Return a matrix with the mean of each column in place of what is missing."""
    columns = []
    for column in X.T:
        known = ~np.isnan(column)
        mean = np.average(column[known], weights=weights[known]) if known.any() else 0.0
        columns.append(np.where(known, column, mean))
    return np.column_stack(columns)


def by_ridge(X: Any, y: Any, weights: Any, ridge: float) -> Any:
    """Return what scikit-learn's ridge regression says of the rows that it was fitted to."""
    scaler = StandardScaler().fit(filled(X, weights), sample_weight=weights)
    Z = scaler.transform(filled(X, weights))
    model = Ridge(alpha=ridge * weights.mean(), solver="svd").fit(Z, y, sample_weight=weights)
    return model.predict(Z)


@pytest.mark.parametrize("ridge", [0.0, 0.5, 40.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.15])
def test_leaves_are_ridge_regressions(ridge: float, weighted: bool, missing: float) -> None:
    """Of its own rows, standardised in the leaf; what is missing counts as the mean."""
    X, y = made(missing=missing)
    weights = np.random.default_rng(1).integers(1, 5, len(y)).astype(float) if weighted else np.ones(len(y))
    leaf = LinearModel(ridge=ridge, smoothing=0.0, clip=False)
    model = TreeRegressor(leaf=leaf, prune=None, max_depth=3).fit(X, y, weights)
    leaves = model.apply(X)
    assert len(set(leaves)) > 4
    for number in set(leaves.tolist()):
        here = leaves == number
        expected = by_ridge(X[here], y[here], weights[here], ridge)
        assert model.predict(X[here]) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        error = weights[here] @ (y[here] - expected) ** 2
        assert model.tree_.beside["models"].per_node["error"][number] == pytest.approx(error)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 1.0, 2.0, float("nan")]),
            st.sampled_from([0.0, 1.0, 5.0]),
            st.integers(-4, 4),
            st.integers(1, 3),
        ),
        min_size=2,
        max_size=25,
    ),
    st.sampled_from([0.1, 3.0]),
)
def test_inner_nodes_too(rows: Any, ridge: float) -> None:
    """Sums of the children make the model of every node: each is that of the rows that pass it."""
    X = np.array([row[:2] for row in rows])
    y, weights = (np.array([row[i] for row in rows], dtype=float) for i in (2, 3))
    leaf = LinearModel(ridge=ridge, smoothing=0.0, clip=False, min_rows=1)
    grown = TreeRegressor(leaf=leaf, prune=None, max_depth=2).fit(X, y, weights)
    for smaller in (grown, *(grown.pruned(leaves=n) for n in range(1, grown.get_n_leaves()))):
        leaves = smaller.apply(X)
        for number in set(leaves.tolist()):
            here = leaves == number
            expected = by_ridge(X[here], y[here], weights[here], ridge)
            assert smaller.predict(X[here]) == pytest.approx(expected, rel=1e-8, abs=1e-8)


def test_smoothing_is_that_of_m5() -> None:
    """On the way up, each node's prediction p makes (n p + k q) / (n + k) with that of the node above, q."""
    X, y = made(missing=0.0)
    plain, smooth = (
        TreeRegressor(leaf=LinearModel(smoothing=k, clip=False), prune=None, max_depth=4).fit(X, y)
        for k in (0.0, 15.0)
    )
    tree, own = plain.tree_, plain.tree_.beside["models"].per_node
    for row, number in zip(X[:50], smooth.apply(X[:50]).tolist(), strict=True):
        node = tree.node(number)
        said = own["intercept"][number] + row @ own["coefficient"][number]
        while node.parent is not None:
            above = own["intercept"][node.parent.number] + row @ own["coefficient"][node.parent.number]
            said = (node.n_rows * said + 15 * above) / (node.n_rows + 15)
            node = node.parent
        assert smooth.predict(row[None, :])[0] == pytest.approx(said)


def test_predictions_stay_within_the_range_of_the_leaf() -> None:
    """Beyond its rows, a line would go anywhere; without `clip` it does."""
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40.0)
    far = [[-1000.0], [1000.0]]
    assert TreeRegressor(leaf=LinearModel(ridge=0)).fit(X, y).predict(far).tolist() == [0.0, 39.0]
    assert TreeRegressor(leaf=LinearModel(ridge=0, clip=False)).fit(X, y).predict(far) == pytest.approx(
        [-1000, 1000]
    )
    model = TreeRegressor(leaf="linear").fit(X, y)
    found = model.predict([[np.inf], [-np.inf], [np.nan]])
    assert np.isfinite(found).all()
    assert found[2] == pytest.approx(19.5)


def test_columns() -> None:
    """All numbers, those asked about above, or those named; levels are never terms."""
    X, y = made(missing=0.0)
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X[:, 0] > 0, "up", "down"))

    def terms(leaf: LinearModel) -> tuple[list[str], Any]:
        model = TreeRegressor(leaf=leaf, prune=None, max_depth=2).fit(frame, y)
        models = model.tree_.beside["models"]
        return [model.tree_.columns[j].name for j in models.whole["column"]], models.per_node["coefficient"]

    assert terms(LinearModel())[0] == ["a", "b", "c", "d"]
    names, coefficient = terms(LinearModel(columns=["d", "b"]))
    assert names == ["b", "d"]
    assert (coefficient != 0).all()
    _, coefficient = terms(LinearModel(columns="path"))
    assert not coefficient[0].any()
    assert 0 < np.count_nonzero(coefficient[-1]) < 3
    for columns in (["kind"], ["e"]):
        with pytest.raises(DataError, match="numeric columns are"):
            TreeRegressor(leaf=LinearModel(columns=columns)).fit(frame, y)
    only = TreeRegressor(leaf=LinearModel(columns=[])).fit(frame, y)
    assert only.tree_.root.formula == f"{y.mean():.6g}"


def test_pruning_judges_the_models() -> None:
    """A line needs no steps; what each tree of the path costs is the error of its models."""
    random = np.random.default_rng(0)
    X = random.uniform(size=(300, 2))
    y = 3 * X[:, 0] - X[:, 1] + 0.01 * random.normal(size=300)
    model = TreeRegressor(leaf="linear").fit(X, y)
    assert model.get_n_leaves() < TreeRegressor().fit(X, y).get_n_leaves() / 3
    assert model.score(X, y) > 0.99
    path = model.pruning_path_
    for n_leaves, risk in zip(path.leaves.tolist(), path.risk.tolist(), strict=True):
        alike = TreeRegressor(leaf=LinearModel(smoothing=0, clip=False)).fit(X, y).pruned(leaves=n_leaves)
        assert risk == pytest.approx(np.mean((y - alike.predict(X)) ** 2))


@pytest.mark.parametrize(
    "prune",
    [
        CostComplexity(rule="1se", folds=4, repeats=1),
        CostComplexity(rule="min", folds=4, repeats=1),
        CostComplexity(folds=4, repeats=1, measure=lambda truth, predicted: (truth - predicted) ** 2),
        ReducedError(),
    ],
)
def test_held_out_rows_by_hand(prune: Any) -> None:
    """Losses of held-out rows are those of predictions; every pruner and rule knows the models."""
    X, y = made(200)
    model = TreeRegressor(leaf="linear", prune=prune).fit(X, y)
    assert model.score(X, y) > 0.5
    if isinstance(prune, ReducedError):
        held = TreeRegressor(leaf="linear", prune=ReducedError(order="bottom_up")).fit(
            X[:120], y[:120], X_val=X[120:], y_val=y[120:]
        )
        whole = held.unpruned()
        assert np.mean((held.predict(X[120:]) - y[120:]) ** 2) <= np.mean(
            (whole.predict(X[120:]) - y[120:]) ** 2
        )
        return
    tuned = TreeRegressor(leaf="linear", prune=prune).fit(X[:120], y[:120], X_val=X[120:], y_val=y[120:])
    for step, n_leaves in enumerate(tuned.pruning_path_.leaves.tolist()):
        loss = np.mean((tuned.pruned(leaves=n_leaves).predict(X[120:]) - y[120:]) ** 2)
        assert tuned.pruning_path_.cv_risk[step] == pytest.approx(loss)


def test_texts_files_and_pictures() -> None:
    """The formula is what people see; files bring it back to the last bit."""
    X, y = made(missing=0.05)
    model = TreeRegressor(leaf="linear").fit(X, y)
    leaf = next(model.tree_.leaves())
    assert leaf.formula is not None
    assert f"→ {leaf.formula}" in str(model.tree_)
    assert leaf.formula in repr(leaf)
    assert leaf.formula in model.tree_.to_frame()["formula"].tolist()
    assert "·x1" in arboretum.export.to_svg(model)
    assert "·x1" in arboretum.export.to_svg(model, row=X[0])
    assert "<pre>" in (model.tree_._repr_html_() or "")
    for twin in (model_from_bytes(model_to_bytes(model)), Tree.from_json(model.tree_.to_json())):
        assert twin.predict(X).tolist() == model.predict(X).tolist()
    assert model_from_bytes(model_to_bytes(model)).tree_ == model.tree_
    smaller = model.tree_.prune_at(model.tree_.root.children[0])
    assert smaller.predict(X).tolist() != model.tree_.predict(X).tolist()
    with pytest.raises(ParameterError, match="linear models"):
        model.tree_.replace(0, "x0 <= 0", (X, y))
    document = json.loads(model.tree_.to_json())
    for name, change in (
        ("coefficient", lambda rows: [row[:-1] for row in rows]),
        ("column", lambda columns: [7, *columns[1:]]),
        ("column", lambda columns: columns[::-1]),
        ("low", lambda values: [1e9 for _ in values]),
        ("intercept", lambda values: values[1:]),
    ):
        damaged = json.loads(json.dumps(document))
        damaged["beside"]["models"][name] = change(damaged["beside"]["models"][name])
        with pytest.raises(DataError):
            Tree.from_json(json.dumps(damaged))


def test_who_cannot_know_formulas_says_so() -> None:
    """One clear sentence from all that need one number per leaf; the others agree with predict."""
    X, y = made(missing=0.0)
    model = TreeRegressor(leaf="linear").fit(X, y)
    asked: list[Any] = [
        lambda: arboretum.export.to_pmml(model),
        lambda: arboretum.export.to_html(model),
        lambda: arboretum.explain(model, X[:1]),
        lambda: arboretum.contributions(model, X),
        lambda: arboretum.counterfactual(model, X[:1], 100.0),
        lambda: arboretum.stability(model, X, y, n_resamples=2),
        lambda: model.tree_.rules(),
        lambda: model.summary(),
        lambda: model.to_sklearn(),
        lambda: model.predict_interval(X),
        lambda: model.predict_standard_error(X),
    ]
    for ask in asked:
        with pytest.raises(DataError, match="those of this tree hold linear models"):
            ask()
    flat = arboretum.partial_dependence(model, "x1", X)
    known = [
        float(np.mean(model.predict(np.column_stack([X[:, 0], np.full(len(X), g), X[:, 2:]]))))
        for g in flat.grid[0]
    ]
    assert flat.values.ravel() == pytest.approx(known)
    importance = arboretum.permutation_importance(model, X, y)
    assert importance.to_frame()["importance"].max() > 0


@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e150])
def test_collinear_constant_and_huge(scale: float) -> None:
    """Columns that say nothing new get no coefficient, and any scale gives the same predictions."""
    random = np.random.default_rng(0)
    a = random.normal(size=100)
    X = np.column_stack([a, 2 * a, np.full(100, 0.1), 1e9 + a, random.normal(size=100)])
    y = 3 * a + X[:, 4]
    model = TreeRegressor(leaf=LinearModel(ridge=0, smoothing=0)).fit(X * scale, y)
    assert np.abs(model.predict(X * scale) - y).max() < 1e-5
    assert not model.tree_.beside["models"].per_node["coefficient"][:, 1:3].any()
    for n_rows in (1, 2, 3):
        tiny = TreeRegressor(leaf=LinearModel(min_rows=1)).fit(X[:n_rows], y[:n_rows])
        assert np.isfinite(tiny.predict(X)).all()
    assert np.isfinite(TreeRegressor(leaf="linear").fit(X, np.where(a > 0, 1e100, -1e100)).predict(X)).all()
    nothing = TreeRegressor(leaf="linear").fit(np.full((30, 2), np.nan), np.arange(30.0))
    assert nothing.predict([[1.0, 2.0]]).tolist() == [14.5]


def test_refusals() -> None:
    """What it does not go with, and what it takes."""
    X, y = made(40)
    refused: list[tuple[Any, str]] = [
        (TreeRegressor(leaf=LinearModel(columns="some")), "'all', 'path' or a list"),
        (TreeRegressor(leaf=LinearModel(ridge=-1)), "ridge"),
        (TreeRegressor(leaf="linear", criterion="absolute_error"), "does not go with criterion"),
        (TreeRegressor(leaf=Quantiles("linear"), criterion="absolute_error"), "does not go with criterion"),
        (TreeRegressor(leaf=Honest(leaf="linear")), "Honest.* does not go with LinearModel"),
        (TreeRegressor(leaf="linear", missing="fractional"), "does not go with"),
        (TreeRegressor(leaf="linear", monotonic_cst=[1, 0, 0, 0]), "does not go with"),
    ]
    for model, message in refused:
        with pytest.raises(ParameterError, match=message):
            model.fit(X, y)
    assert TreeRegressor(leaf=Quantiles("linear")).fit(X, y).predict_quantile(X, 0.5).shape == (40,)
