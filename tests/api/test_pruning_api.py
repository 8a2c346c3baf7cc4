"""Pruning as users have it: the default, the path and the log, and other sizes of a fitted tree.

Which rows decide is in test_pruning_rows.py, what is refused in test_pruning_refusals.py, parameters and
storage are in test_pruning_tools.py. Whether the sequence and its risks are right is tested in oracle/,
properties/ and parity/.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from support.marks import allow_one_leaf
from support.noisy import fitted, noisy, noisy_numbers

from arboretum import (
    CostComplexity,
    DataError,
    Pessimistic,
    PruningLog,
    PruningPath,
    ReducedError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._prune import cost_complexity
from arboretum._tree.surgery import with_shrinkage

Array = npt.NDArray[Any]

PRUNERS = [
    pytest.param(None, id="none"),
    pytest.param("cost_complexity", id="cost-complexity"),
    pytest.param(CostComplexity(alpha=0.02), id="price"),
    pytest.param(ReducedError(), id="reduced-error"),
    pytest.param(Pessimistic(), id="pessimistic"),
]


MODELS = [
    pytest.param(TreeClassifier(), noisy, id="classes"),
    pytest.param(TreeClassifier(criterion="entropy", missing="fractional"), noisy, id="fractional"),
    pytest.param(TreeRegressor(), noisy_numbers, id="numbers"),
    pytest.param(TreeRegressor(criterion="absolute_error"), noisy_numbers, id="medians"),
]


def chosen_by_hand(path: PruningPath, rule: str) -> int:
    """The smallest tree of least risk, or the smallest that is one standard error from it."""
    least = np.isclose(path.cv_risk, path.cv_risk.min(), rtol=1e-9, atol=0)
    best = int(np.flatnonzero(least)[-1])
    limit = path.cv_risk[best] + (path.cv_se[best] if rule == "1se_unpaired" else 0.0)
    return max(i for i in range(len(path)) if path.cv_risk[i] <= limit * (1 + 1e-12))


# The default


@pytest.mark.parametrize(("model", "table"), MODELS)
def test_the_default_prunes(model: Any, table: Any) -> None:
    """It is grown fully, and cut back to the size that is best on average over some rounds of ten folds.

    That is judged by the probabilities, or numbers, that leaves predict; then the strength is chosen by which
    all nodes are drawn towards those above.
    """
    X, y = table()
    model = clone(model).fit(X, y)
    path = model.pruning_path_
    grown = clone(model).set_params(prune=None).fit(X, y).tree_
    assert model.prune == "cost_complexity"
    assert 1 < model.get_n_leaves() < grown.n_leaves / 2
    assert model.tree_.shrinkage in (2, 5, 10, 20, 40, 80)
    assert model.unpruned().tree_ == with_shrinkage(grown, model.tree_.shrinkage)
    least = chosen_by_hand(path, "min")
    assert path.leaves[path.chosen] == pytest.approx(path.leaves[least], rel=0.6)
    assert path.cv_risk[path.chosen] <= path.cv_risk[least] + path.cv_se[least]
    assert model.get_n_leaves() == path.leaves[path.chosen]
    assert model.alpha_ == path.alpha[path.chosen]
    assert not hasattr(model, "pruning_log_")
    named = [CostComplexity("cv", folds=10, repeats=n, rule="average") for n in (2, 3, 4, 5)]
    fits = [clone(model).set_params(prune=prune).fit(X, y) for prune in named]
    same = [fit for fit in fits if np.array_equal(fit.pruning_path_.cv_risk, path.cv_risk)]
    assert len(same) == 1
    assert same[0].tree_ == model.tree_


@pytest.mark.parametrize(("model", "table"), MODELS)
def test_the_least_risk_is_a_larger_tree(model: Any, table: Any) -> None:
    """`rule="min"` judges the same path by its risk alone."""
    X, y = table()
    least, within = (
        clone(model).set_params(prune=CostComplexity(rule=rule)).fit(X, y) for rule in ("min", "1se_unpaired")
    )
    path = least.pruning_path_
    np.testing.assert_array_equal(path.cv_risk, within.pruning_path_.cv_risk)
    assert path.chosen == chosen_by_hand(path, "min")
    assert path.chosen <= within.pruning_path_.chosen
    assert least.get_n_leaves() >= within.get_n_leaves()


def test_pruning_pays() -> None:
    """On rows that nobody has seen the pruned tree is better than the whole one: that is what it is for."""
    cases = ((TreeClassifier(leaf="frequency"), noisy), (TreeRegressor(leaf="mean"), noisy_numbers))
    for model, table in cases:
        X, y = table(600)
        pruned, whole = (
            cross_val_score(clone(model).set_params(prune=prune), X, y, cv=5).mean()
            for prune in ("cost_complexity", None)
        )
        assert pruned > whole + 0.05


def test_many_rows_are_not_cross_validated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond a number of rows, one fold held out chooses alpha, unless "cv" is asked for."""
    monkeypatch.setattr(cost_complexity, "MOST_CROSS_VALIDATED", 299)
    held_out, by_default = fitted(CostComplexity(alpha="holdout")), fitted()
    crossed, asked_for = fitted(CostComplexity(alpha="cv")), fitted(CostComplexity())
    for one, other in ((held_out, by_default), (crossed, asked_for)):
        np.testing.assert_array_equal(one.pruning_path_.cv_risk, other.pruning_path_.cv_risk)
    assert (held_out.pruning_path_.cv_risk != crossed.pruning_path_.cv_risk).any()
    assert by_default.tree_.root.n_rows == 300
    monkeypatch.setattr(cost_complexity, "MOST_CROSS_VALIDATED", 300)
    np.testing.assert_array_equal(fitted().pruning_path_.cv_risk, crossed.pruning_path_.cv_risk)


@pytest.mark.parametrize("prune", PRUNERS)
def test_threads_make_no_difference(prune: Any) -> None:
    """The same tree and the same reasons for any number of threads."""
    one, two = fitted(prune), fitted(prune, n_jobs=2)
    assert one.tree_ == two.tree_
    for name in ("alpha", "leaves", "risk", "cv_risk", "cv_se"):
        mine, its = getattr(one.pruning_path_, name), getattr(two.pruning_path_, name)
        np.testing.assert_array_equal(mine, its)


@allow_one_leaf
@pytest.mark.parametrize("prune", PRUNERS)
@pytest.mark.parametrize("rows", [slice(0, 1), slice(0, 2), slice(48, 52), slice(98, 103), slice(0, 20)])
def test_small_tables_are_no_reason_to_stop(prune: Any, rows: slice) -> None:
    """From one row on there is a tree, also where a class has a single row or there is only one class."""
    X, y = datasets.load_iris(backend="pandas")
    few, labels = X[rows], y[rows]
    if isinstance(prune, ReducedError) and len(few) == 1:
        with pytest.raises(DataError, match="would be held out"):
            TreeClassifier(prune=prune).fit(few, labels)
        return
    model = TreeClassifier(prune=prune).fit(few, labels)
    assert set(model.predict(X)) <= set(labels)
    assert model.get_n_leaves() <= len(few)


# The path and the log


def test_the_path_is_a_table() -> None:
    """Arrays, a data frame, rpart's table and text tell the same; alphas rise, trees shrink to the root."""
    path = fitted().pruning_path_
    assert isinstance(path, PruningPath)
    assert len(path) == len(path.alpha) == len(path.leaves) == len(path.risk) == len(path.cv_risk) > 4
    assert path.alpha[0] == 0.0
    assert (np.diff(path.alpha) > 0).all()
    assert (np.diff(path.leaves) < 0).all()
    assert path.leaves[-1] == 1
    assert (np.diff(path.risk) >= 0).all()
    frame = path.to_frame()
    assert list(frame) == ["alpha", "leaves", "risk", "cv_risk", "cv_se", "chosen"]
    for name in list(frame)[:-1]:
        np.testing.assert_array_equal(frame[name], getattr(path, name))
    assert frame["chosen"].dtype == bool
    assert np.flatnonzero(frame["chosen"]).tolist() == [path.chosen]
    title, *lines = str(path).splitlines()
    assert title.split() == ["alpha", "leaves", "risk", "CV", "risk", "±", "SE"]
    if len(path) <= 20:  # longer ones are shown in part
        assert [int(line.split()[1]) for line in lines] == path.leaves.tolist()
        assert [line.endswith("chosen") for line in lines] == frame["chosen"].tolist()
    assert repr(path) == f"<PruningPath: {len(path)} trees of {path.leaves[0]} leaves to 1>"


def test_the_table_of_rpart() -> None:
    """Everything over the risk of the root, the root first."""
    path = fitted().pruning_path_
    table = path.cp_table()
    assert list(table) == ["CP", "nsplit", "rel_error", "xerror", "xstd"]
    expected = {
        "CP": path.alpha / path.risk[-1],
        "nsplit": path.leaves - 1,
        "rel_error": path.risk / path.risk[-1],
        "xerror": path.cv_risk / path.risk[-1],
        "xstd": path.cv_se / path.risk[-1],
    }
    for name, values in expected.items():
        np.testing.assert_array_equal(table[name], values[::-1])
    assert (table["rel_error"].iloc[0], table["nsplit"].iloc[0], table["CP"].iloc[-1]) == (1.0, 0, 0.0)


@pytest.mark.parametrize("prune", [None, CostComplexity(alpha=0.02), ReducedError(), Pessimistic()])
def test_every_tree_has_a_path(prune: Any) -> None:
    """Where nothing was held out for it, risks of rows held out are unknown, and the text leaves them out."""
    model = fitted(prune)
    path = model.pruning_path_
    assert np.isnan(path.cv_risk).all()
    assert np.isnan(path.cv_se).all()
    assert path.leaves[0] <= model.unpruned().get_n_leaves()
    assert (path.chosen is None) == (not isinstance(prune, CostComplexity))
    assert len(str(path).splitlines()[1].split()) == 3
    assert hasattr(model, "alpha_") == isinstance(prune, CostComplexity)
    assert hasattr(model, "pruning_log_") == isinstance(prune, ReducedError | Pessimistic)


def test_a_price_is_taken_as_it_is() -> None:
    """`alpha` as a number is kept, and the chosen step is the last one that is not dearer."""
    model = fitted(CostComplexity(alpha=0.02))
    path = model.pruning_path_
    assert model.alpha_ == 0.02
    assert path.chosen == np.flatnonzero(path.alpha <= 0.02)[-1]
    assert 0.0 < path.alpha[path.chosen] < 0.02
    assert model.get_n_leaves() == path.leaves[path.chosen]


@pytest.mark.parametrize("prune", [ReducedError(order="bottom_up"), Pessimistic()])
def test_the_log_is_a_table(prune: Any) -> None:
    """One line per step: the node by its id, what it cost before and after, what was done."""
    model = fitted(prune)
    log, grown = model.pruning_log_, model.unpruned().tree_
    assert isinstance(log, PruningLog)
    assert len(log) == len(log.node) == len(log.before) == len(log.after) == len(log.action) > 5
    assert set(log.action) <= {"leaf", "raise", "keep"}
    np.testing.assert_array_equal(log.pruned, [action != "keep" for action in log.action])
    assert 0 < log.pruned.sum() < len(log)
    frame = log.to_frame()
    assert list(frame) == ["node", "before", "after", "action"]
    assert frame["node"].tolist() == log.node.tolist()
    inner = {node.id for node in grown.walk() if not node.is_leaf}
    assert set(log.node.tolist()) <= inner
    title, *lines = str(log).splitlines()
    assert title.split()[:4] == ["node", "before", "after", "action"]
    first = [str(log.node[0]), f"{log.before[0]:.6g}", f"{log.after[0]:.6g}", log.action[0]]
    assert lines[0].split() == first
    assert repr(log) == f"<PruningLog: {len(log)} steps, {int(log.pruned.sum())} of them pruned>"
    leaves = {node.id for node in model.tree_.walk() if node.is_leaf}
    last = dict(zip(log.node.tolist(), log.action, strict=True))
    assert {node for node in leaves & inner if last.get(node) != "leaf"} == set(), "what was cut off is told"


# Other sizes of the same tree


@pytest.mark.parametrize("prune", PRUNERS)
def test_every_tree_of_the_path_can_be_had(prune: Any) -> None:
    """`pruned(alpha=…)` is the step at that price, whose risk is its share of mistakes; the model stays."""
    X, y = noisy()
    if prune == "cost_complexity":
        prune = CostComplexity(measure="misclassification")
    model = fitted(prune, leaf="frequency")
    before, path = model.tree_, model.pruning_path_
    whole = X if not isinstance(prune, ReducedError) else None  # there, the tree has not seen all of the rows
    prices = [*path.alpha, *((path.alpha[:-1] + path.alpha[1:]) / 2), 2 * path.alpha[-1]]
    for alpha, step in zip(prices, [*range(len(path)), *range(len(path) - 1), len(path) - 1], strict=True):
        other = model.pruned(alpha=alpha)
        assert (other.get_n_leaves(), other.alpha_) == (path.leaves[step], alpha)
        assert other.pruning_path_.chosen == step
        assert type(other) is TreeClassifier
        assert str(other.get_params()) == str(model.get_params())
        assert not hasattr(other, "pruning_log_")
        if whole is not None:
            assert 1 - other.score(X, y) == pytest.approx(path.risk[step])
    assert model.tree_ is before
    assert model.pruning_path_.chosen == path.chosen


def test_as_many_leaves_as_wished() -> None:
    """`pruned(leaves=k)` is the largest tree of the path with at most k leaves."""
    model = fitted()
    path = model.pruning_path_
    for k in range(1, path.leaves[0] + 3):
        other = model.pruned(leaves=k)
        assert other.get_n_leaves() == max(n for n in path.leaves if n <= k)
        assert other.alpha_ == path.alpha[path.leaves == other.get_n_leaves()][0]
        np.testing.assert_array_equal(other.pruning_path_.cv_risk, path.cv_risk)
    X, y = noisy()
    root = model.pruned(leaves=1)
    labels, counts = np.unique(y, return_counts=True)
    assert set(root.predict(X)) == {labels[counts.argmax()]}
    assert not root.feature_importances_.any()
    assert root.decision_path(X).shape == (300, 1)


@pytest.mark.parametrize("prune", PRUNERS)
def test_there_is_always_a_way_back(prune: Any) -> None:
    """A small tree remembers the grown one: every size can be had from every other."""
    model = fitted(prune)
    small, grown = model.pruned(leaves=2), model.unpruned()
    assert grown.tree_ == small.unpruned().tree_ == grown.unpruned().tree_
    assert grown.pruning_path_.chosen is None
    assert not hasattr(grown, "alpha_")
    one, another, own = (estimator.pruned(alpha=0.005).tree_ for estimator in (small, grown, model))
    assert one == another == own
    if not isinstance(prune, ReducedError):
        whole = TreeClassifier(prune=None).fit(*noisy()).tree_
        assert grown.tree_ == with_shrinkage(whole, model.tree_.shrinkage)


def test_nodes_keep_their_identity() -> None:
    """By its id, a node of the small tree is found in the large one, with the same question and rows."""
    model = fitted()
    grown = {node.id: node for node in model.unpruned().tree_.walk()}
    assert [node.id for node in model.unpruned().tree_.walk()] == [node.number for node in grown.values()]
    for small in (model, model.pruned(leaves=3), fitted(Pessimistic(raise_subtrees=False))):
        ids = [node.id for node in small.tree_.walk()]
        assert len(set(ids)) == len(ids) < len(grown)
        for node in small.tree_.walk():
            its = grown[node.id]
            assert (node.n_rows, node.label, node.outcomes) == (its.n_rows, its.label, its.outcomes)
            assert node.is_leaf or node.question == its.question
    again = Tree.from_json(model.tree_.to_json())
    assert [node.id for node in again.walk()] == [node.id for node in model.tree_.walk()]


def test_a_tree_of_ones_own() -> None:
    """`with_tree` predicts with an edited or stored tree, and its path starts from there."""
    X, _ = noisy()
    model = fitted()
    edited = model.tree_.prune_at(model.tree_.root.children[0])
    other = model.with_tree(edited)
    assert other.tree_ == edited
    assert other.get_n_leaves() == edited.n_leaves < model.get_n_leaves()
    np.testing.assert_array_equal(other.predict(X), edited.predict(X))
    np.testing.assert_array_equal(other.predict_proba(X), edited.predict_proba(X))
    assert other.unpruned().tree_ == edited
    assert other.pruning_path_.leaves[0] <= edited.n_leaves
    assert np.isnan(other.pruning_path_.cv_risk).all()
    assert not hasattr(other, "alpha_")
    assert model.get_n_leaves() != other.get_n_leaves(), "the model itself is as it was"
    stored = Tree.from_json(model.unpruned().tree_.to_json())
    assert model.with_tree(stored).pruned(alpha=model.alpha_).tree_ == model.tree_
    assert not hasattr(fitted(Pessimistic()).with_tree(stored), "pruning_log_")


@pytest.mark.parametrize("method", ["pruned", "unpruned", "with_tree"])
def test_unfitted_estimators_have_no_sizes(method: str) -> None:
    """scikit-learn's error, and no path."""
    arguments = {"pruned": {"leaves": 2}, "unpruned": {}, "with_tree": {"tree": fitted().tree_}}[method]
    with pytest.raises(NotFittedError):
        getattr(TreeClassifier(), method)(**arguments)
    assert not hasattr(TreeClassifier(), "pruning_path_")
