"""Medians, quantiles, intervals and honest leaves, against a count of the rows that reach each leaf."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, sem, t

from arboretum import (
    BaggedRegressor,
    CostComplexity,
    DataError,
    Honest,
    ParameterError,
    Quantiles,
    ReducedError,
    Tree,
    TreeClassifier,
    TreeRegressor,
)
from arboretum._store.model_files import model_from_bytes, model_to_bytes

pytestmark = pytest.mark.filterwarnings("ignore::arboretum.OneLeafWarning")

# Small numbers, of which some are missing, and targets with ties.
TABLES = st.lists(
    st.tuples(
        st.sampled_from([0.0, 1.0, 2.0, 3.0, float("nan")]),
        st.integers(0, 2),
        st.integers(-3, 3),
        st.integers(1, 3),
    ),
    min_size=2,
    max_size=30,
)


def quantile_by_hand(numbers: list[float], q: float) -> float:
    """Return the quantile as the documentation defines it, of rows that all count 1."""
    ordered = sorted(numbers)
    for place, number in enumerate(ordered, start=1):
        if place > q * len(ordered) + 1e-9:
            return number
        if abs(place - q * len(ordered)) <= 1e-9 and q > 0:
            following = ordered[place] if place < len(ordered) else number
            return (number + following) / 2
    return ordered[-1]


def in_leaves(model: Any, X: Any, y: Any) -> dict[int, list[float]]:
    """Return the targets of the rows in each leaf."""
    found: dict[int, list[float]] = {}
    for leaf, target in zip(model.apply(X).tolist(), y, strict=True):
        found.setdefault(leaf, []).append(float(target))
    return found


def made(n_rows: int = 300, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    return X, X[:, 0] + random.normal(size=n_rows)


@given(TABLES, st.sampled_from(["squared_error", "absolute_error", "poisson"]))
def test_medians_and_quantiles_are_those_of_the_rows(rows: Any, criterion: Any) -> None:
    """A row of weight w counts as w rows do; any criterion may have grown the tree."""
    X = [[a, b] for a, b, _, _ in rows]
    y = [float(target + (4 if criterion == "poisson" else 0)) for _, _, target, _ in rows]
    weights = [weight for *_, weight in rows]
    repeated = [(x, target) for x, target, weight in zip(X, y, weights, strict=True) for _ in range(weight)]
    model = TreeRegressor(leaf=Quantiles("median"), criterion=criterion, prune=None, max_depth=2)
    model.fit(X, y, weights)
    targets = in_leaves(model, [x for x, _ in repeated], [target for _, target in repeated])
    shares = [0.0, 0.1, 0.25, 0.5, 0.9, 1.0]
    expected = [[quantile_by_hand(targets[leaf], q) for q in shares] for leaf in model.apply(X).tolist()]
    assert model.predict_quantile(X, shares).tolist() == expected
    assert model.predict(X).tolist() == [each[3] for each in expected]
    assert model.predict_quantile(X, 0.5).tolist() == model.predict(X).tolist()


def test_medians_are_those_of_numpy_and_of_absolute_error() -> None:
    """The median has one definition, whichever way a leaf comes to it."""
    X, y = made()
    model = TreeRegressor(leaf="median").fit(X, y)
    for leaf, targets in in_leaves(model, X, y).items():
        assert model.tree_.node(leaf).value == np.median(targets)
    plain, median = (
        TreeRegressor(criterion="absolute_error", leaf=leaf, prune=None).fit(X, y)
        for leaf in ("mean", "median")
    )
    assert plain.tree_ == median.tree_


def test_quantiles_of_smaller_trees() -> None:
    """Every size of the tree keeps all targets, in ranges of its own leaves."""
    X, y = made()
    model = TreeRegressor(leaf="quantiles").fit(X, y)
    assert model.predict(X).tolist() == TreeRegressor().fit(X, y).predict(X).tolist()
    for smaller in (model.unpruned(), model.pruned(leaves=3), model.pruned(leaves=1)):
        targets = in_leaves(smaller, X, y)
        found = smaller.predict_quantile(X, [0.3])[:, 0].tolist()
        assert found == [quantile_by_hand(targets[leaf], 0.3) for leaf in smaller.apply(X).tolist()]


def test_intervals_of_means() -> None:
    """Student's interval and the standard error, as scipy has them."""
    X, y = made()
    model = TreeRegressor(leaf="mean").fit(X, y)
    interval, error = model.predict_interval(X, level=0.8), model.predict_standard_error(X)
    targets = in_leaves(model, X, y)
    for row, leaf in enumerate(model.apply(X).tolist()):
        here = targets[leaf]
        expected = t.interval(0.8, len(here) - 1, np.mean(here), sem(here))
        assert interval[row] == pytest.approx(expected)
        assert error[row] == pytest.approx(sem(here))
    alone = TreeRegressor(prune=None).fit([[0.0], [1.0]], [1.0, 2.0])
    assert np.isnan(alone.predict_interval([[0.0]])).all()
    assert np.isnan(alone.predict_standard_error([[0.0]])).all()


def test_intervals_with_weights() -> None:
    """Equal weights are no weights; of others the tree must know more than it usually keeps."""
    X, y = made()
    doubled = np.full(len(y), 2.0)
    plain = TreeRegressor(leaf="mean").fit(X, y).predict_interval(X)
    kept = TreeRegressor(leaf=Quantiles("mean")).fit(X, y, doubled)
    assert kept.predict_interval(X) == pytest.approx(plain)
    with pytest.raises(DataError, match="needs to know how many rows say the same"):
        TreeRegressor(leaf="mean").fit(X, y, doubled).predict_interval(X)
    with pytest.raises(DataError, match="predicts medians"):
        TreeRegressor(leaf="median").fit(X, y).predict_standard_error(X)
    # One row outweighs the others, so that the leaf says as much as a single row.
    root = TreeRegressor(leaf=Quantiles("mean"), max_depth=1, min_samples_leaf=3, prune=None)
    root.fit([[0.0]] * 3, [0.0, 1.0, 2.0], [1.0, 2.0, 1.0])
    n = 16 / 6
    assert root.predict_standard_error([[0.0]])[0] == pytest.approx(np.sqrt(0.5 / (n - 1)))


def test_intervals_of_shares() -> None:
    """Wilson's interval of every class, as scipy has it."""
    X, y = made()
    labels = np.digitize(y, [-0.5, 0.5])
    model = TreeClassifier().fit(X, labels)
    interval = model.predict_interval(X, level=0.95)
    assert interval.shape == (300, 3, 2)
    counts = {
        leaf: np.bincount(np.array(here, int), minlength=3)
        for leaf, here in in_leaves(model, X, labels).items()
    }
    for row, leaf in enumerate(model.apply(X).tolist()):
        for k, held in enumerate(counts[leaf]):
            known = binomtest(int(held), int(counts[leaf].sum())).proportion_ci(0.95, method="wilson")
            assert interval[row, k] == pytest.approx([known.low, known.high])
    with pytest.raises(ParameterError, match=r"level=1\.0\) is not allowed"):
        model.predict_interval(X, level=1.0)
    with pytest.raises(DataError, match="needs to know how many rows"):
        TreeClassifier(class_weight="balanced").fit(X, labels).predict_interval(X)


def parts_of(model: Any, X: Any, y: Any, groups: Any = None) -> tuple[Any, Any]:
    """Return the rows that chose the questions and those that give values: the folds say which."""
    from sklearn.base import is_classifier

    from arboretum._prune.folds import FoldMaker, read_groups

    of_classes = is_classifier(model)
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32) if of_classes else None
    known = read_groups(groups, len(y))
    maker = FoldMaker(len(y), codes, known, model.random_state, np.asarray(y), None, known)
    return maker.holdout(model.leaf.share)


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_honest_means_are_those_of_other_rows(criterion: Any) -> None:
    """Questions, gains and the pruning path are those of one part, all that nodes show is of the other."""
    X, y = made()
    y = np.round(np.abs(3 * X[:, 0] + y), 1) + 0.5
    model = TreeRegressor(criterion=criterion, leaf=Honest(0.4, "mean"), random_state=3).fit(X, y)
    questions, values = parts_of(model, X, y)
    grown = TreeRegressor(criterion=criterion, leaf="mean", random_state=3).fit(X[questions], y[questions])
    assert [str(node.question) for node in model.tree_.walk()] == [
        str(n.question) for n in grown.tree_.walk()
    ]
    assert str(model.pruning_path_) == str(grown.pruning_path_)
    assert model.pruned(leaves=2).alpha_ == grown.pruned(leaves=2).alpha_
    targets = in_leaves(model, X[values], y[values])
    centre = np.median if criterion == "absolute_error" else np.mean
    for leaf in model.tree_.leaves():
        here = np.array(targets.get(leaf.number, []))
        if not len(here):
            continue
        assert (leaf.n_rows, leaf.weight) == (len(here), len(here))
        assert leaf.value == pytest.approx(float(centre(here)))
        away = {
            "squared_error": np.var(here),
            "absolute_error": np.mean(np.abs(here - centre(here))),
            "poisson": np.mean(here * np.log(here / np.mean(here))),
        }
        assert leaf.impurity in (pytest.approx(away[criterion]), pytest.approx(2 * away[criterion]))
    assert model.tree_.root.value == pytest.approx(float(centre(y[values])))


def test_honest_shares_are_those_of_other_rows() -> None:
    """Classes are held back evenly, and counted by their weights."""
    X, y = made(400)
    labels = np.array(["a", "b", "c"])[np.digitize(y, [-0.5, 1.5])]
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float)
    model = TreeClassifier(leaf=Honest(leaf="frequency"), class_weight={"a": 2.0, "b": 1.0, "c": 3.0})
    model.fit(X, labels, weights)
    _, values = parts_of(model, X, labels)
    assert np.bincount(np.unique(labels[values], return_inverse=True)[1]) == pytest.approx(
        np.bincount(np.unique(labels, return_inverse=True)[1]) / 2, abs=1
    )
    factor = np.vectorize({"a": 2.0, "b": 1.0, "c": 3.0}.get)(labels[values])
    for leaf in model.tree_.leaves():
        here = model.apply(X[values]) == leaf.number
        counts = [(weights[values] * factor)[here & (labels[values] == k)].sum() for k in "abc"]
        assert leaf.counts == pytest.approx(counts)
        assert leaf.probability == pytest.approx(np.array(counts) / sum(counts))


def test_honest_groups_stay_together() -> None:
    """No group has rows on both sides, and the same seed draws the same ones."""
    X, y = made()
    groups = np.repeat(np.arange(30), 10)
    model = TreeRegressor(leaf=Honest(), random_state=1).fit(X, y, groups=groups)
    questions, values = parts_of(model, X, y, groups)
    assert not set(groups[questions]) & set(groups[values])
    assert model.tree_.root.n_rows == len(values)
    assert model.tree_ == TreeRegressor(leaf=Honest(), random_state=1).fit(X, y, groups=groups).tree_
    assert model.tree_ != TreeRegressor(leaf=Honest(), random_state=2).fit(X, y, groups=groups).tree_
    with pytest.raises(DataError, match="cannot set rows apart"):
        TreeRegressor(leaf="honest").fit(X, y, groups=np.zeros(len(y)))
    with pytest.raises(DataError, match="cannot set rows apart"):
        TreeRegressor(leaf="honest").fit([[1.0]], [1.0])


@pytest.mark.parametrize("within", ["mean", "shrinkage", "median", Quantiles("mean")])
def test_nodes_without_rows_predict_what_is_known_above(within: Any) -> None:
    """With few values held back most leaves have none, some of them below nodes without any."""
    X, y = made(60)
    model = TreeRegressor(leaf=Honest(0.05, within), prune=None).fit(X, y)
    tree = model.tree_
    empty = [node for node in tree.walk() if node.n_rows == 0]
    assert any(node.parent is not None and node.parent.n_rows == 0 for node in empty)
    for node in empty:
        assert node.parent is not None
        assert node.value == node.parent.value
    assert np.isfinite(model.predict(X)).all()
    if isinstance(within, Quantiles):
        assert np.isfinite(model.predict_quantile(X, 0.5)).all()
    labels = np.digitize(y, [0.0])
    classes = TreeClassifier(leaf=Honest(0.05, "frequency"), prune=None, nominal="multiway").fit(X, labels)
    assert np.allclose(classes.predict_proba(X).sum(axis=1), 1.0)


def test_honest_pruning_looks_at_its_own_part_alone() -> None:
    """A pruner that holds rows out takes them from the rows that choose the questions."""
    X, y = made()
    model = TreeRegressor(leaf=Honest(leaf="mean"), prune=ReducedError()).fit(X, y)
    questions, values = parts_of(model, X, y)
    alone = TreeRegressor(leaf="mean", prune=ReducedError()).fit(X[questions], y[questions])
    assert [str(node.question) for node in model.tree_.walk()] == [
        str(n.question) for n in alone.tree_.walk()
    ]
    assert model.tree_.root.n_rows == len(values)
    given = TreeRegressor(leaf="honest").fit(X, y, X_val=X, y_val=y)
    assert given.tree_.root.n_rows == len(values)
    kept = TreeRegressor(leaf="quantiles", prune=ReducedError()).fit(X, y)
    assert len(kept.tree_.beside["targets"].whole["value"]) == kept.tree_.root.n_rows == 225


@pytest.mark.parametrize(
    "leaf", ["median", "quantiles", "honest", Honest(0.3, Quantiles("median")), Quantiles(Honest(0.3))]
)
def test_files_edits_and_copies(leaf: Any) -> None:
    """What a tree keeps is kept in files and in smaller trees; other rows are not counted into it."""
    X, y = made()
    model = TreeRegressor(leaf=leaf).fit(X, y)
    read = model_from_bytes(model_to_bytes(model))
    assert read.tree_ == model.tree_
    assert read._grown == model._grown
    assert read.tree_.beside.keys() == model.tree_.beside.keys()
    assert str(read.pruning_path_) == str(model.pruning_path_)
    tree = Tree.from_json(model.tree_.to_json())
    assert tree == model.tree_
    assert tree.prune_at(tree.root.children[0]).n_leaves < tree.n_leaves
    with pytest.raises(ParameterError, match="cannot get a new question or branch"):
        tree.replace(0, "x0 <= 0", (X, y))
    with pytest.raises(ParameterError, match="cannot get a new question or branch"):
        tree.regrow(0, (X, y))


def test_damaged_files() -> None:
    """What does not belong to the nodes is refused, and nothing is read beyond the targets."""
    X, y = made(20)
    text = TreeRegressor(leaf=Quantiles(Honest(0.4)), prune=None).fit(X, y).tree_.to_json()

    def damaged(name: str, array: str, change: Any) -> str:
        document = json.loads(text)
        document["beside"][name][array] = change(document["beside"][name][array])
        return json.dumps(document)

    changes: list[tuple[str, str, Any]] = [
        ("targets", "end", lambda values: [10**9, *values[1:]]),
        ("targets", "begin", lambda values: [-1, *values[1:]]),
        ("targets", "begin", lambda values: values[1:]),
        ("targets", "value", lambda values: [*values, 1.0]),
        ("targets", "value", lambda values: ["inf", *values[1:]]),
        ("targets", "value", lambda values: [[value] for value in values]),
        ("targets", "weight", lambda values: [0.0 for _ in values]),
        ("structure", "weight", lambda values: [-1.0 for _ in values]),
        ("structure", "impurity", lambda values: values[1:]),
        ("structure", "weight", lambda _: "text"),
    ]
    for name, array, change in changes:
        with pytest.raises(DataError):
            Tree.from_json(damaged(name, array, change))
    with pytest.raises(DataError, match="not known"):
        Tree.from_json(text.replace('"structure"', '"stricture"'))


def test_refusals() -> None:
    """Each option says what it takes and what it does not go with."""
    X, y = made(20)
    refused: list[tuple[Any, str]] = [
        (TreeRegressor(leaf="quantiles", missing="fractional"), "does not go with"),
        (TreeRegressor(leaf="median", monotonic_cst=[1, 0, 0]), "does not go with"),
        (TreeRegressor(leaf=Quantiles("median"), monotonic_cst=[1, 0, 0]), "does not go with"),
        (TreeRegressor(leaf=Honest(), missing="fractional"), "does not go with"),
        (TreeRegressor(leaf=Honest(1.0)), "share=1.0"),
        (TreeRegressor(leaf=Honest(leaf=Honest())), "the same thing twice"),
        (TreeRegressor(leaf=Quantiles(Honest(leaf="quantiles"))), "the same thing twice"),
        (TreeRegressor(leaf=Honest(leaf="frequency")), "'frequency' is not known"),
        (TreeClassifier(leaf=Honest(leaf="mean")), "'mean' is not known"),
        (TreeClassifier(leaf="quantiles"), "'quantiles' is not known"),
    ]
    for model, message in refused:
        with pytest.raises(ParameterError, match=message):
            model.fit(X, np.arange(20) % 2 if isinstance(model, TreeClassifier) else y)
    with pytest.raises(ParameterError, match="only single trees"):
        BaggedRegressor(tree=TreeRegressor(leaf="linear")).fit(X, y)
    model = TreeRegressor().fit(X, y)
    with pytest.raises(DataError, match='leaf="quantiles"'):
        model.predict_quantile(X, 0.5)
    for q in (-0.1, 1.5, float("nan"), "much", [[0.5]]):
        with pytest.raises(ParameterError, match="give shares from 0 to 1"):
            model.predict_quantile(X, q)
    assert TreeRegressor(leaf="quantiles").set_params(leaf__leaf="median").leaf.leaf == "median"


@pytest.mark.parametrize("leaf", ["median", "quantiles", "honest"])
def test_odd_tables(leaf: Any) -> None:
    """Two rows, targets that are all the same, huge ones: the answers stay finite."""
    for y in ([1.0, 2.0], [3.0] * 12, [1e100, -1e100] * 6, [1e-300] * 8):
        X = [[float(i), float("nan")] for i in range(len(y))]
        model = TreeRegressor(leaf=leaf, prune=CostComplexity(alpha=0.0)).fit(X, y)
        assert np.isfinite(model.predict(X)).all()
        if leaf == "quantiles":
            assert np.isfinite(model.predict_quantile(X, [0.0, 0.5, 1.0])).all()
