"""Which rows decide how a tree is pruned: folds, groups, splitters, tuning data, weights, and chance.

A fold is a pair: the rows that a tree is grown from, and those held out; a split is what was seen of one.
What the pruners make of them is in test_pruning_api.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    PredefinedSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_validate,
)
from support.marks import allow_one_leaf, allow_rare_class
from support.noisy import fitted, noisy, noisy_numbers

from arboretum import CostComplexity, Pessimistic, ReducedError, TreeClassifier, TreeRegressor
from arboretum._grow.growth import Growth
from arboretum._prune.pruning import Task
from arboretum._tree.surgery import with_shrinkage

Array = npt.NDArray[Any]
Split = tuple[list[int], list[int]]


@pytest.fixture
def splits(monkeypatch: pytest.MonkeyPatch) -> list[Split]:
    """Every fold that a fit grows a tree from: its rows, and those held out."""
    seen: list[Split] = []
    grow, hold_out = Growth.tree, Task.held_out
    grown: list[list[int]] = []
    held_out: list[list[int]] = []

    def pair() -> None:
        if grown and held_out:
            seen.append((grown.pop(), held_out.pop()))

    def spy_growing(self: Growth, rows: Any = None, **more: Any) -> Any:
        if rows is not None:
            grown.append(rows.tolist())
            pair()
        return grow(self, rows, **more)

    def spy_holding_out(self: Task, rows: Any) -> Any:
        held_out.append(rows.tolist())
        pair()
        return hold_out(self, rows)

    monkeypatch.setattr(Growth, "tree", spy_growing)
    monkeypatch.setattr(Task, "held_out", spy_holding_out)
    return seen


def listed(folds: Sequence[tuple[Array, Array]]) -> list[Split]:
    return [(train.tolist(), held_out.tolist()) for train, held_out in folds]


def risks(model: Any) -> list[float]:
    found: list[float] = model.pruning_path_.cv_risk.tolist()
    return found


# Folds by number


@pytest.mark.parametrize("n_folds", [2, 5, 10])
def test_every_row_is_held_out_once(splits: list[Split], n_folds: int) -> None:
    """As many folds as wished, of nearly the same size, and every class is in each of them in its share."""
    X, y = noisy()
    TreeClassifier(prune=CostComplexity(folds=n_folds, repeats=1)).fit(X, y)
    assert len(splits) == n_folds
    assert sorted(row for _, held_out in splits for row in held_out) == list(range(300))
    for train, held_out in splits:
        assert sorted(train + held_out) == list(range(300))
        for label in np.unique(y):
            share, whole = np.mean(y[held_out] == label), np.mean(y == label)
            assert abs(share - whole) * len(held_out) <= 1
    assert {len(held_out) for _, held_out in splits} <= {300 // n_folds, -(-300 // n_folds)}


@allow_one_leaf
@allow_rare_class
def test_small_classes_make_fewer_folds(splits: list[Split]) -> None:
    """Seven rows in the smallest class make seven folds; a single row makes five, and four rows four."""
    X = np.arange(60.0)[:, None]
    for smallest, n_folds in ((30, 10), (7, 7), (1, 5)):
        splits.clear()
        TreeClassifier(prune=CostComplexity(repeats=3)).fit(X, ["a"] * (60 - smallest) + ["b"] * smallest)
        assert len(splits) == 3 * n_folds  # in three rounds
    splits.clear()
    TreeRegressor(prune=CostComplexity(repeats=1)).fit(X[:4], [1.0, 2.0, 3.0, 5.0])
    assert sorted(held_out for _, held_out in splits) == [[0], [1], [2], [3]]


def test_one_fold_alone(splits: list[Split]) -> None:
    """`alpha="holdout"` holds out the first of the folds that cross-validation would."""
    fitted(CostComplexity(alpha="holdout"))
    (alone,) = splits
    splits.clear()
    fitted(CostComplexity(alpha="cv"))
    assert alone == splits[0]


def test_reduced_error_holds_out_a_share(splits: list[Split]) -> None:
    """A quarter of the rows by default, of every class alike; the tree is grown from the others."""
    _, y = noisy()
    for fraction, size in ((0.25, 75), (0.1, 30)):
        splits.clear()
        model = fitted(ReducedError(fraction=fraction))
        ((train, held_out),) = splits
        assert len(held_out) == size
        assert sorted(train + held_out) == list(range(300))
        assert model.tree_.root.n_rows == model.unpruned().tree_.root.n_rows == 300 - size
        assert abs(np.mean(y[held_out] == "high") - np.mean(y == "high")) * size <= 1


def test_what_needs_no_rows_takes_none(splits: list[Split]) -> None:
    """A price and the pessimist look at the training rows alone."""
    for prune in (None, CostComplexity(alpha=0.01), Pessimistic()):
        assert fitted(prune).tree_.root.n_rows == 300
    assert not splits


# Chance


@pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error"])
def test_chance_is_fixed(splits: list[Split], prune: str) -> None:
    """`random_state=None` is always the same; a number is too, another number another way."""

    def split_by(random_state: Any) -> list[Split]:
        splits.clear()
        fitted(prune, random_state=random_state)
        return list(splits)

    assert split_by(None) == split_by(None) == split_by(0)
    assert split_by(1) == split_by(1) == split_by(np.random.RandomState(1)) != split_by(None)
    np.random.seed(7)
    assert split_by(None) == split_by(0), "NumPy's own chance does not matter"


def test_a_source_of_chance_goes_on() -> None:
    """A RandomState is drawn from: a second fit has other folds, as everywhere in scikit-learn."""
    model = TreeClassifier(random_state=np.random.RandomState(1))
    assert risks(model.fit(*noisy())) != risks(model.fit(*noisy()))


@pytest.mark.parametrize(("model", "table"), [(TreeClassifier(), noisy), (TreeRegressor(), noisy_numbers)])
def test_the_order_of_rows_matters_to_folds_alone(model: Any, table: Any) -> None:
    """Shuffled rows grow the same tree with the same path; only what folds say, and choose, may differ."""
    X, y = table()
    order = np.random.RandomState(3).permutation(len(y))
    one, other = clone(model).fit(X, y), clone(model).fit(X[order], y[order])
    grown = [with_shrinkage(fit.unpruned().tree_, 20.0) for fit in (one, other)]
    assert grown[0] == grown[1]  # but for the strength, which the folds choose
    for name in ("alpha", "leaves", "risk"):
        assert np.array_equal(getattr(one.pruning_path_, name), getattr(other.pruning_path_, name))
    assert risks(one) != risks(other)


@pytest.mark.parametrize("prune", [None, CostComplexity(alpha=0.01), "pessimistic", "reduced_error"])
def test_what_holds_out_no_rows_does_not_look_at_their_order(prune: Any) -> None:
    """A price, a confidence limit and one's own tuning data give the same tree in any order of the rows."""
    X, y = noisy()
    order = np.random.RandomState(3).permutation(len(y))
    tuning = {"X_val": X[::3], "y_val": y[::3]} if prune == "reduced_error" else {}
    one = TreeClassifier(prune=prune).fit(X, y, **tuning)
    assert TreeClassifier(prune=prune).fit(X[order], y[order], **tuning).tree_ == one.tree_


# Groups


@pytest.mark.parametrize(
    ("model", "table"),
    [
        (TreeClassifier(), noisy),
        (TreeRegressor(), noisy_numbers),
        (TreeClassifier(prune=ReducedError()), noisy),
        (TreeRegressor(prune=ReducedError(fraction=0.5)), noisy_numbers),
        (TreeClassifier(prune=CostComplexity(folds=GroupKFold(4))), noisy),
    ],
    ids=["classes", "numbers", "reduced error", "half of the numbers", "splitter"],
)
def test_groups_stay_together(splits: list[Split], model: Any, table: Any) -> None:
    """No group is on both sides of any fold; what the groups are called does not matter."""
    X, y = table()
    groups = np.random.default_rng(5).integers(0, 23, 300)
    names = [f"group {group}" for group in groups]
    model = clone(model).fit(X, y, groups=groups)
    assert splits
    for train, held_out in splits:
        assert set(groups[train]).isdisjoint(groups[held_out])
        assert sorted(train + held_out) == list(range(300))
    numbered = list(splits)
    splits.clear()
    assert clone(model).fit(X, y, groups=pd.Series(names)).tree_ == model.tree_
    assert len(splits) == len(numbered)


@allow_one_leaf
def test_groups_tell_what_copies_would_hide() -> None:
    """Five copies of rows with random labels: each is known from the others, unless all are held out."""
    X, y = noisy(60)[0], np.random.default_rng(13).integers(0, 2, 60)
    copies = np.repeat(np.arange(60), 5)
    mistakes = TreeClassifier(prune=CostComplexity(measure="misclassification"), leaf="frequency")
    free, grouped = (clone(mistakes).fit(X[copies], y[copies], groups=groups) for groups in (None, copies))
    assert min(risks(free)) < 0.02
    assert min(risks(grouped)) > 0.3
    assert grouped.get_n_leaves() < free.get_n_leaves()


def test_fewer_groups_than_folds(splits: list[Split]) -> None:
    """Three groups make three folds."""
    X, y = noisy()
    TreeClassifier(prune=CostComplexity(repeats=1)).fit(X, y, groups=np.arange(300) % 3)
    assert len(splits) == 3


def test_groups_are_routed() -> None:
    """With metadata routing, groups reach both the outer folds and ours."""
    X, y = noisy()
    groups = np.arange(300) // 5
    with sklearn.config_context(enable_metadata_routing=True):
        model = TreeClassifier().set_fit_request(groups=True)
        found = cross_validate(
            model,
            X,
            y,
            params={"groups": groups},
            cv=GroupKFold(3),
            return_estimator=True,
            error_score="raise",
        )
    for estimator, (train, _) in zip(found["estimator"], GroupKFold(3).split(X, y, groups), strict=True):
        by_hand = TreeClassifier().fit(X[train], y[train], groups=groups[train])
        assert risks(estimator) == risks(by_hand)


# Splitters


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(4),
        KFold(4, shuffle=True, random_state=3),
        StratifiedKFold(5),
        TimeSeriesSplit(3),
        PredefinedSplit(np.arange(300) % 7 - 1),
    ],
    ids=lambda splitter: type(splitter).__name__,
)
def test_splitters_are_taken_at_their_word(splits: list[Split], splitter: Any) -> None:
    """The rows of each fold are those of the splitter, also where it does not use them all."""
    X, y = noisy()
    TreeClassifier(prune=CostComplexity(folds=splitter)).fit(X, y)
    assert splits == listed(list(splitter.split(X, y)))


def test_splitters_see_the_table_as_it_was_given(splits: list[Split]) -> None:
    """Rows that do not count (weight zero, a missing value) are left out of the folds, which else stay."""
    X, y = noisy()
    rng = np.random.default_rng(8)
    weights, fold = rng.integers(0, 3, 300).astype(float), rng.integers(0, 4, 300)
    X[rng.random(300) < 0.1, 2] = np.nan
    kept = np.flatnonzero((weights > 0) & ~np.isnan(X[:, 2]))
    model = TreeClassifier(missing="drop", prune=CostComplexity(folds=PredefinedSplit(fold)))
    weighted = clone(model).fit(X, y, weights)
    seen = [(kept[train].tolist(), kept[held_out].tolist()) for train, held_out in splits]
    expected = [
        ([row for row in kept if fold[row] != k], [row for row in kept if fold[row] == k]) for k in range(4)
    ]
    assert seen == expected
    model.set_params(prune__folds=PredefinedSplit(fold[kept]))
    alone = model.fit(X[kept], y[kept], weights[kept])
    assert alone.tree_ == weighted.tree_
    assert risks(alone) == risks(weighted)


@pytest.mark.parametrize(
    ("model", "table"),
    [(TreeClassifier(leaf="frequency"), noisy), (TreeRegressor(leaf="mean"), noisy_numbers)],
    ids=["classes", "numbers"],
)
def test_weights_are_copies_in_the_same_fold(model: Any, table: Any) -> None:
    """A row of weight three is three rows, where these are held out together; shrinkage would count rows."""
    X, y = table()
    weights, fold = np.random.default_rng(9).integers(1, 4, 300), np.arange(300) % 5
    copies = np.repeat(np.arange(300), weights)
    measure = "misclassification" if isinstance(model, TreeClassifier) else None
    splitter = CostComplexity(folds=LeaveOneGroupOut(), rule="min", measure=measure)
    weighted, repeated = (clone(model).set_params(prune=splitter) for _ in range(2))
    weighted.fit(X, y, weights, groups=fold)
    repeated.fit(X[copies], y[copies], groups=fold[copies])
    assert len(risks(weighted)) > 5
    for name in ("alpha", "leaves", "risk", "cv_risk"):
        mine, its = (getattr(fit.pruning_path_, name) for fit in (weighted, repeated))
        np.testing.assert_allclose(mine, its, rtol=1e-9, atol=1e-15)
    assert weighted.get_n_leaves() == repeated.get_n_leaves() > 1
    np.testing.assert_allclose(*(fit.feature_importances_ for fit in (weighted, repeated)), rtol=1e-9)


@pytest.mark.parametrize("prune", ["cost_complexity", "reduced_error", "pessimistic"])
def test_the_unit_of_weights_makes_no_difference(prune: str) -> None:
    """Weights in grams or tons: the same tree, the same shares."""
    X, y = noisy()
    weights = np.random.default_rng(10).integers(1, 4, 300).astype(float)
    trees = [
        [str(node.question) for node in TreeClassifier(prune=prune).fit(X, y, weights * unit).tree_.walk()]
        for unit in (1.0, 2.0**-40, 2.0**60)
    ]
    assert len(trees[0]) > 1
    assert trees[0] == trees[1] == trees[2]


# Tuning data


@pytest.mark.parametrize("rule", ["1se_unpaired", "min"])
def test_alpha_is_chosen_on_tuning_data(splits: list[Split], rule: str) -> None:
    """The risk of every tree is its share of mistakes there; the tree is grown from all other rows."""
    X, y = noisy()
    tuning = {"X_val": X[200:], "y_val": y[200:]}
    prune = CostComplexity(rule=rule, measure="misclassification")
    model = TreeClassifier(prune=prune, leaf="frequency").fit(X[:200], y[:200], **tuning)
    assert not splits
    assert model.tree_.root.n_rows == 200
    path = model.pruning_path_
    for alpha, risk, error in zip(path.alpha, path.cv_risk, path.cv_se, strict=True):
        mistakes = model.pruned(alpha=alpha).predict(X[200:]) != y[200:]
        assert risk == pytest.approx(mistakes.mean())
        assert error == pytest.approx(mistakes.std() / 10)
    limit = path.cv_risk.min() + (path.cv_se[path.cv_risk.argmin()] if rule == "1se_unpaired" else 0)
    assert path.cv_risk[path.chosen] <= limit + 1e-12
    assert path.chosen is not None
    assert (path.cv_risk[path.chosen + 1 :] > limit - 1e-12).all()


def test_numbers_are_judged_by_their_squared_error() -> None:
    """The same for numbers; other kinds of table may hold the tuning rows, columns are found by name."""
    X, y = noisy_numbers()
    frame = pd.DataFrame(X, columns=list("abcd"))
    tuning = frame[200:][list("dcba")].assign(more=1)
    model = TreeRegressor(leaf="mean").fit(frame[:200], y[:200], X_val=tuning, y_val=y[200:])
    path = model.pruning_path_
    for alpha, risk in zip(path.alpha, path.cv_risk, strict=True):
        predicted = model.pruned(alpha=alpha).predict(tuning)
        assert risk == pytest.approx(np.mean((predicted - y[200:]) ** 2))


@pytest.mark.parametrize("order", ["greedy", "leaves", "bottom_up"])
def test_errors_are_counted_on_tuning_data(order: str) -> None:
    """The log begins with the mistakes of the grown tree and ends with those of the pruned one."""
    X, y = noisy()
    model = TreeClassifier(prune=ReducedError(order=order)).fit(
        X[:200], y[:200], X_val=X[200:], y_val=y[200:]
    )
    log, grown = model.pruning_log_, model.unpruned()
    assert grown.tree_ == TreeClassifier(prune=None).fit(X[:200], y[:200]).tree_
    mistakes, left = ((fit.predict(X[200:]) != y[200:]).sum() for fit in (grown, model))
    assert log.before[0] == mistakes > left
    saved = (log.before - log.after)[log.pruned]
    assert saved.sum() == mistakes - left
    assert (saved > 0).all() if order == "leaves" else (saved >= 0).all()
    assert (log.after[~log.pruned] >= log.before[~log.pruned]).all()


def test_weights_of_tuning_data_count() -> None:
    """A weight of two is a row given twice, and zero is no row."""
    X, y = noisy()
    weights = np.random.default_rng(6).integers(0, 3, 100)
    copies = 200 + np.repeat(np.arange(100), weights)
    for prune in (CostComplexity(rule="min"), ReducedError(order="bottom_up")):
        model = TreeClassifier(prune=prune)
        weighted = clone(model).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:], sample_weight_val=weights)
        copied = clone(model).fit(X[:200], y[:200], X_val=X[copies], y_val=y[copies])
        plain = clone(model).fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
        assert weighted.tree_ == copied.tree_
        if isinstance(prune, CostComplexity):
            np.testing.assert_allclose(risks(weighted), risks(copied))
            assert risks(plain) != risks(copied)
        else:
            np.testing.assert_array_equal(weighted.pruning_log_.after, copied.pruning_log_.after)
            assert plain.pruning_log_.before[0] != copied.pruning_log_.before[0]


def test_class_weights_count_in_tuning_data_too() -> None:
    """Mistakes about a class that weighs five times cost five times, there as in training."""
    X, y = noisy()
    factor = np.where(y[200:] == "high", 5.0, 1.0)
    prune = CostComplexity(measure="misclassification")
    model = TreeClassifier(class_weight={"high": 5}, prune=prune, leaf="frequency")
    model.fit(X[:200], y[:200], X_val=X[200:], y_val=y[200:])
    path = model.pruning_path_
    for alpha, risk in zip(path.alpha, path.cv_risk, strict=True):
        mistakes = model.pruned(alpha=alpha).predict(X[200:]) != y[200:]
        assert risk == pytest.approx((factor * mistakes).sum() / factor.sum())
