"""Stability: against fits by hand, agreement pair by pair, and what is refused."""

from __future__ import annotations

import datetime as dt
import itertools
import math
import re
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier
from support.marks import allow_one_leaf

import arboretum
from arboretum import (
    BaggedClassifier,
    CostComplexity,
    DataError,
    DataTypeError,
    MofN,
    Oblique,
    ParameterError,
    Stability,
    TreeClassifier,
    TreeMixed,
    TreeRanker,
    TreeRegressor,
    accumulated_effects,
    contributions,
    interaction_strength,
    partial_dependence,
    stability,
)
from arboretum._prune.growing import grow_and_prune
from arboretum.inspection.stability import resampling
from arboretum.inspection.stability.resampling import Resampling

QUICK = {"prune": None, "max_depth": 4}


def table(n_rows: int = 120, seed: int = 0) -> tuple[pd.DataFrame, Any, Any]:
    """Columns of every kind, three classes that depend on two of them, and numbers."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows).round(1),
            "whole": rng.integers(0, 9, n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "day": np.datetime64("2020-01-01") + rng.integers(0, 500, n_rows).astype("timedelta64[D]"),
            "size": pd.Categorical.from_codes(rng.integers(0, 4, n_rows), list("abcd"), ordered=True),
        }
    )
    X.loc[::11, "real"] = np.nan
    numbers = X["whole"] + 2 * X["real"].fillna(0) + 3 * (X["colour"] == "red") + rng.normal(0, 1, n_rows)
    return X, np.digitize(numbers, [3.0, 6.0]), numbers.to_numpy()


def fits_by_hand(estimator: Any, X: Any, y: Any, drawn: Any, **more: Any) -> list[Any]:
    return [clone(estimator).fit(X, y, sample_weight=weights, **more) for weights in drawn]


def weights_drawn(
    n_rows: int, count: int, *, weights: Any = None, seed: int = 0, **options: Any
) -> list[Any]:
    """The weights of the resamples, as `stability` draws them."""
    drawn = int(np.random.RandomState(seed).randint(2**31))
    options = {"method": "bootstrap", "fraction": 1.0, "groups": None} | options
    resampling = Resampling(seed=drawn, weights=weights, n_rows=n_rows, **options)
    return [resampling.weights_of(number) for number in range(count)]


ESTIMATORS = [
    TreeClassifier(**QUICK),
    TreeClassifier(prune=CostComplexity(folds=3, repeats=1)),
    TreeClassifier(missing="surrogate", **QUICK),
    TreeClassifier(missing="fractional", nominal="multiway", class_weight="balanced", **QUICK),
    TreeClassifier(questions=MofN(max_n=3), loss=[[0, 1, 2], [1, 0, 1], [5, 1, 0]], **QUICK),
    TreeClassifier(missing="drop", nominal="one_vs_rest", priors=[0.5, 0.3, 0.2], **QUICK),
    TreeRegressor(**QUICK),
    TreeRegressor(missing="fractional", thresholds="round", leaf="mean", **QUICK),
    TreeRegressor(monotonic_cst={"whole": 1}, **QUICK),
    TreeRegressor(questions=Oblique(), prune=None, max_depth=2),
]


@allow_one_leaf
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_equals_fits_by_hand(estimator: Any) -> None:
    """Trees, counts, thresholds, sizes, agreement and the rows: all of it again, in the plainest way."""
    X, classes, numbers = table()
    y = classes if isinstance(estimator, TreeClassifier) else numbers
    found = stability(estimator, X, y, n_resamples=6, levels=2)
    models = fits_by_hand(estimator, X, y, weights_drawn(len(X), 6))
    assert list(found.trees) == [model.tree_ for model in models]
    for name, most in (("root", 1), ("first", 2), ("anywhere", 99)):
        asked = Counter(
            column
            for model in models
            for column in {
                column
                for node in model.tree_.walk()
                if not node.is_leaf and node.depth < most
                for column in node.question.columns
            }
        )
        expected = [asked[column] / 6 for column in found.columns]
        assert getattr(found, name).tolist() == pytest.approx(expected), name
    assert found.leaves.tolist() == [model.get_n_leaves() for model in models]
    assert found.depth.tolist() == [model.get_depth() for model in models]
    check_predictions(found, models, X, np.ones(len(X)))


def check_predictions(found: Stability, models: list[Any], X: Any, weights: Any) -> None:
    predictions = [model.predict(X) for model in models]
    of_classes = hasattr(models[0], "classes_")
    for i, j in itertools.product(range(len(models)), repeat=2):
        a, b = predictions[i], predictions[j]
        if of_classes:
            expected = np.average(a == b, weights=weights)
        else:
            means = np.average(a, weights=weights), np.average(b, weights=weights)
            spread = np.average((a - means[0]) ** 2 + (b - means[1]) ** 2, weights=weights)
            spread += (means[0] - means[1]) ** 2
            expected = 1 - np.average((a - b) ** 2, weights=weights) / spread if spread else 1.0
        assert found.agreement[i, j] == pytest.approx(expected, abs=1e-9)
    vectors = [model.predict_proba(X) if of_classes else model.predict(X)[:, None] for model in models]
    unit = 2 if of_classes else 1
    for i in range(len(models)):
        others = [
            np.average(((vectors[i] - other) ** 2).sum(axis=1), weights=weights) / unit
            for j, other in enumerate(vectors)
            if j != i
        ]
        assert found.distance[i] == pytest.approx(math.sqrt(np.mean(others)), abs=1e-9)
    for row in range(len(X)):
        votes = Counter(prediction[row] for prediction in predictions)
        if of_classes:
            assert found.disagreement is not None
            assert found.disagreement[row] == pytest.approx(1 - max(votes.values()) / len(models))
            most = max(sorted(votes), key=votes.__getitem__)
            assert found.prediction[row] == most
            place = models[0].classes_.tolist().index(most)
            values = [vector[row, place] for vector in vectors]
        else:
            values = [prediction[row] for prediction in predictions]
            assert found.prediction[row] == pytest.approx(np.mean(values))
        assert found.deviation[row] == pytest.approx(np.std(values, ddof=1), abs=1e-9)
    assert found.consensus is found.trees[found.nearest]
    assert found.distance[found.nearest] == pytest.approx(found.distance.min())


def test_weights_groups_and_subsamples_equal_fits_by_hand() -> None:
    X, y, _ = table()
    rng = np.random.default_rng(1)
    weights, groups = rng.integers(0, 4, len(X)).astype(float), rng.integers(0, 20, len(X))
    estimator = TreeClassifier(prune=CostComplexity(folds=3, repeats=1))
    for method, fraction in (("bootstrap", 1.0), ("subsample", 0.5), ("subsample", 1.0), ("bootstrap", 0.7)):
        found = stability(
            estimator, X, y, 4, 7, method=method, fraction=fraction, sample_weight=weights, groups=groups
        )
        known = list(dict.fromkeys(groups.tolist()))  # groups are numbered as they come
        numbers = np.array([known.index(group) for group in groups.tolist()])
        options = {"method": method, "fraction": fraction, "groups": numbers}
        drawn = weights_drawn(len(X), 4, weights=weights, seed=7, **options)
        for own in drawn:
            times = np.divide(own, weights, out=np.zeros(len(own)), where=weights > 0)
            for group in range(20):
                assert len(set(times[(groups == group) & (weights > 0)].tolist())) <= 1
            n_groups = len(set(groups[weights > 0].tolist()))
            counted = sum(times[(groups == g) & (weights > 0)][:1].sum() for g in range(20))
            assert counted == round(fraction * n_groups)
        models = fits_by_hand(estimator, X, y, drawn, groups=groups)
        assert list(found.trees) == [model.tree_ for model in models]
        check_predictions(found, models, X, weights)


def test_whole_queries_are_drawn_for_rankers() -> None:
    """They were refused: the queries were read by `fit`, but not by the resamples."""
    X, _, numbers = table()
    queries = np.repeat(np.arange(20), 6)
    relevance = np.clip(np.round(numbers), 0, 4)
    estimator = TreeRanker(max_leaf_nodes=4)
    found = stability(estimator, X, relevance, 4, groups=queries)
    drawn = weights_drawn(len(X), 4, groups=queries)
    assert all(len(set(own.reshape(20, 6)[query].tolist())) == 1 for own in drawn for query in range(20))
    models = fits_by_hand(estimator, X, relevance, drawn, groups=queries)
    assert list(found.trees) == [model.tree_ for model in models]
    assert len(set(map(str, found.trees))) > 1
    predicted = np.array([model.predict(X) for model in models])
    assert found.prediction == pytest.approx(predicted.mean(axis=0))


def same(a: Stability, b: Stability) -> bool:
    return (
        a.trees == b.trees
        and bool((a.agreement == b.agreement).all())
        and bool((a.deviation == b.deviation).all())
        and str(a) == str(b)
    )


def test_the_seed_decides_and_threads_do_not() -> None:
    X, y, numbers = table()
    for estimator, target in ((TreeClassifier(**QUICK), y), (TreeRegressor(**QUICK), numbers)):
        one = stability(estimator, X, target, n_resamples=12, random_state=3)
        assert same(one, stability(estimator, X, target, n_resamples=12, random_state=3, n_jobs=3))
        assert same(one, stability(clone(estimator).fit(X, target), X, target, 12, 3, n_jobs=2))
        assert one.trees != stability(estimator, X, target, n_resamples=12, random_state=4).trees
        assert one.trees[:5] == stability(estimator, X, target, n_resamples=5, random_state=3).trees
        assert same(stability(estimator, X, target, 3), stability(estimator, X, target, 3, 0))


def test_a_source_of_random_numbers_is_not_shared() -> None:
    X, y, _ = table()
    estimator = TreeClassifier(
        prune=CostComplexity(folds=3, repeats=1), random_state=np.random.RandomState(5)
    )
    one = stability(estimator, X, y, n_resamples=6)
    assert same(one, stability(estimator, X, y, n_resamples=6, n_jobs=3))


def test_thresholds_by_hand() -> None:
    X, y, _ = table()
    found = stability(TreeClassifier(**QUICK), X, y, n_resamples=9, levels=2)
    for name in X.columns:
        for levels in (1, 2):
            questions = [
                node.question
                for tree in found.trees
                for node in tree.walk()
                if node.depth < levels and not node.is_leaf and node.question.columns == (name,)
            ]
            asked = sorted(str(question) for question in questions if hasattr(question, "threshold"))
            about = found.trees[0].columns[list(X.columns).index(name)]
            stored = [question.threshold for question in questions if hasattr(question, "threshold")]
            expected = sorted(f"{name} <= {about.format(value)}" for value in stored)
            assert [text.removesuffix(" or missing") for text in asked] == sorted(expected)
            assert len(found.thresholds(name, levels=levels)) == len(stored)
    assert all(isinstance(day, dt.datetime) for day in found.thresholds("day", levels=2))
    assert set(found.thresholds("size", levels=2)) <= set("abcd")
    frame = found.to_frame().set_index("column")
    wholes = sorted(found.thresholds("whole", levels=2))
    if wholes:
        assert frame.loc["whole", "first_threshold_low"] == wholes[max(0, math.ceil(0.05 * len(wholes)) - 1)]
        assert frame.loc["whole", "first_threshold_middle"] == wholes[math.ceil(0.5 * len(wholes)) - 1]


@allow_one_leaf
def test_one_tree_again_and_again() -> None:
    """All rows in every resample: nothing differs."""
    X, y, _ = table()
    found = stability(TreeClassifier(**QUICK), X, y, n_resamples=4, method="subsample", fraction=1)
    assert set(map(str, found.trees)) == {str(TreeClassifier(**QUICK).fit(X, y).tree_)}
    assert (found.agreement == 1).all()
    assert not found.distance.any()
    assert found.nearest == 0
    assert "100.0% of the rows (100.0% to 100.0%)" in str(found)
    constant = stability(TreeRegressor(max_depth=1, prune=None), X, np.ones(len(X)), n_resamples=3)
    assert (constant.agreement == 1).all()
    assert "3 trees asked no question" in str(constant)


@allow_one_leaf
def test_rare_classes_may_vanish_from_resamples() -> None:
    X, y, _ = table()
    labels = np.where(np.arange(len(X)) == 5, "rare", np.where(y == 1, "one", "other")).astype(object)
    found = stability(TreeClassifier(**QUICK), X, labels, n_resamples=20)
    assert {tree.target.classes for tree in found.trees} == {("one", "other", "rare")}
    without = [tree for tree in found.trees if not dict(zip("abc", tree.root.counts, strict=True))["c"]]
    assert without, "some resamples lack the class"
    single = stability(TreeClassifier(**QUICK), X[:4], ["a", "b", "b", "b"], n_resamples=20)
    assert 1 in single.leaves.tolist()


def test_numbers_of_any_size() -> None:
    X, _, numbers = table()
    small = stability(TreeRegressor(**QUICK), X, numbers, n_resamples=4)
    for factor in (1e98, 2.0**-300):
        large = stability(TreeRegressor(**QUICK), X, numbers * factor, n_resamples=4)
        assert large.agreement == pytest.approx(small.agreement, abs=1e-6)
        assert large.distance / factor == pytest.approx(small.distance, rel=1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_resamples": 1}, "n_resamples=1 is not allowed; give an integer of 2 or more."),
        ({"n_resamples": 10**9}, "n_resamples=1000000000 is not allowed; give an integer from 2 to 10,000."),
        ({"n_resamples": 2.5}, "n_resamples=2.5 is not allowed"),
        (
            {"fraction": 0},
            "fraction=0 is not allowed; give a share of the rows above 0 and up to 1, or None.",
        ),
        ({"fraction": 1.5}, "fraction=1.5 is not allowed"),
        ({"method": "jackknife"}, "method='jackknife' is not known; choose 'bootstrap', 'subsample'"),
        ({"levels": 0}, "levels=0 is not allowed; give an integer of 1 or more."),
        ({"n_jobs": 0}, "n_jobs=0 is not allowed"),
        ({"random_state": "x"}, "random_state='x' is not allowed"),
    ],
    ids=str,
)
def test_refused_options(options: dict[str, Any], message: str) -> None:
    X, y, _ = table()
    with pytest.raises(ParameterError) as error:
        stability(TreeClassifier(**QUICK), X, y, **options)
    assert message in str(error.value)


@allow_one_leaf
def test_refused_estimators_and_data() -> None:
    X, y, numbers = table()
    for estimator in (DecisionTreeClassifier(), TreeClassifier, "tree", None):
        with pytest.raises(DataTypeError, match="needs a TreeClassifier, TreeRegressor or TreeRanker, not"):
            stability(estimator, X, y)
    hints = {
        TreeClassifier: r"Hint: TreeClassifier\(\) makes one",
        BaggedClassifier(): "Hint: an ensemble is many trees already; give an estimator of one tree",
        DecisionTreeClassifier(): "Hint: give one of arboretum, such as",
    }
    for other, hint in hints.items():
        with pytest.raises(DataTypeError, match=hint):
            stability(other, X, y)
    for several in (TreeRegressor(**QUICK), TreeMixed()):
        with pytest.raises(
            DataTypeError, match=r"one output, but y has 2 columns: 'a', 'b'.\nHint: give one"
        ):
            stability(several, X, pd.DataFrame({"a": numbers, "b": numbers}))
    with pytest.raises(DataError, match="All rows are of one group"):
        stability(TreeClassifier(**QUICK), X, y, groups=np.zeros(len(X)))
    rare = np.where(np.arange(len(X)) == 3, 1.0, 0.0)
    with pytest.raises(DataError, match=r"Resample \d+ of 50 cannot be learnt from: .*poisson"):
        stability(TreeRegressor(criterion="poisson", **QUICK), X, rare, n_resamples=50)
    found = stability(TreeRegressor(**QUICK), X, numbers, n_resamples=2)
    with pytest.raises(ParameterError, match=r"column='colours' is not known.*Did you mean 'colour'"):
        found.thresholds("colours")
    with pytest.raises(ParameterError, match="levels=9 is not allowed"):
        found.thresholds("whole", levels=9)


def test_long_names_and_dates_are_short() -> None:
    """Names lose their middle, unless two would look the same; times their seconds of zero."""
    when = pd.date_range("2024-01-01", periods=60, freq="5h")
    long = "income " * 30
    both = [f"{'rather ' * 9}{which} {'rather ' * 9}long name" for which in ("good", "late")]
    X = pd.DataFrame({long: np.arange(60.0), "when": when[np.argsort(np.sin(np.arange(60)))]})
    y = np.where(X["when"] > "2024-01-07", "late", "early")
    found = stability(TreeClassifier(prune=None), X, y, n_resamples=3)
    assert max(map(len, str(found).splitlines())) < 160
    assert re.search(r"2024-01-0\dT\d\d:\d\d(?!:)", str(found))
    model = TreeClassifier(prune=None, max_leaf_nodes=4).fit(X, np.where(X[long] > 30, y, "third"))
    for result in (
        contributions(model, X),
        interaction_strength(model, X),
        partial_dependence(model, [long, "when"], X, grid=2),
        accumulated_effects(model, long, X),
    ):
        lines = str(result).splitlines()
        assert "…" in "".join(lines[1:])
        assert max(map(len, lines[1:])) < 120
    alike = X.set_axis(both, axis=1)
    table = str(contributions(TreeClassifier(prune=None).fit(alike, y), alike))
    assert all(f"{name}  " in table for name in both)


def test_text_and_tables() -> None:
    X, y, numbers = table()
    X = X.rename(columns={"colour": "<b>colour\n$x$"})
    found = stability(TreeClassifier(**QUICK), X, y, n_resamples=5)
    assert "5 trees, each grown from a bootstrap resample of 120 rows" in str(found)
    assert "\\n" in str(found)
    assert repr(found) == str(found)
    page = found._repr_html_()
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert found.to_frame()["column"].tolist() == [found.columns[i] for i in found.order]
    assert list(found.rows_to_frame()) == ["prediction", "disagreement", "deviation"]
    found = stability(TreeRegressor(**QUICK), X, numbers, n_resamples=5, method="subsample")
    assert "5 trees, each grown from 50% of 120 rows" in str(found)
    assert list(found.rows_to_frame()) == ["prediction", "deviation"]
    assert found.model.with_tree(found.consensus).tree_ is found.consensus


def test_warned_once(recwarn: Any) -> None:
    """What is wrong with the data is said once, not for each resample."""
    X, y, _ = table()
    X["name"] = [f"row {i}" for i in range(len(X))]
    stability(TreeClassifier(**QUICK), X, y, n_resamples=4)
    assert len([w for w in recwarn if issubclass(w.category, arboretum.ArboretumWarning)]) <= 1


def test_progress_is_shown_where_asked(capsys: pytest.CaptureFixture[str]) -> None:
    X, y, _ = table()
    stability(TreeClassifier(verbose=1, **QUICK), X, y, n_resamples=3, verbose=1)
    assert "resamples" in capsys.readouterr().err


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_it_can_be_interrupted(n_jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stops a fit in the middle comes out, and further resamples are not begun."""
    X, y, _ = table()
    calls: list[int] = []

    def tiring(*given: Any) -> Any:
        calls.append(1)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return grow_and_prune(*given)

    monkeypatch.setattr(resampling, "grow_and_prune", tiring)
    with pytest.raises(KeyboardInterrupt):
        stability(TreeClassifier(**QUICK), X, y, n_resamples=2_000, n_jobs=n_jobs)
    assert len(calls) < 1_000
