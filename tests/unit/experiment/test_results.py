"""From results to the test: what was tried, what is best, and the one look.

Losses and their intervals are in test_losses.py.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from arboretum import (
    DataError,
    PackageError,
    ParameterError,
    TreeClassifier,
)
from arboretum.experiment import Experiment, Result, Results, TestScore


def noisy(n_rows: int = 200, n_classes: int = 2) -> tuple[Any, Any]:
    """Return rows whose first column is the row number and whose class follows the second, with mistakes."""
    rng = np.random.default_rng(7)
    X = np.column_stack([np.arange(n_rows), rng.normal(size=(n_rows, 3))])
    y = np.clip((X[:, 1] + 0.5 * rng.normal(size=n_rows) + 1) * n_classes / 2, 0, n_classes - 1).astype(int)
    return X, y


# --- results


def test_results_are_what_one_would_compute_by_hand() -> None:
    """Training and development loss, leaves and depth of six settings, each fitted again by hand."""
    X, y = noisy()
    experiment = Experiment(X, y)
    results = experiment.grid(TreeClassifier(), {"max_depth": [1, 3, 6], "min_samples_leaf": [1, 9]})
    assert len(results) == 6
    train, dev = experiment.split.training, experiment.split.development
    for result in results:
        model = TreeClassifier(**result.setting).fit(X[train], y[train])
        assert result.training_loss == np.mean(model.predict(X[train]) != y[train])
        assert result.development_loss == np.mean(model.predict(X[dev]) != y[dev])
        assert (result.leaves, result.depth) == (model.get_n_leaves(), model.get_depth())
        assert result.fit_seconds > 0
    least = min(result.development_loss for result in results)
    assert experiment.best.result.development_loss == least
    model = TreeClassifier(**experiment.best.setting).fit(X[train], y[train])
    assert experiment.best.estimator.tree_ == model.tree_


def result(number: int, development: float, leaves: int | None = None, **marks: bool) -> Result:
    return Result(number, "T", {"a": number}, 0.0, development, leaves, leaves, 0.1, **marks)


def test_the_best_of_equals_is_the_smallest_then_the_first() -> None:
    """Lowest development loss; then fewer leaves, and those that have leaves before those that do not."""
    results = Results(
        (result(1, 0.5, 2), result(2, 0.1), result(3, 0.1, 9), result(4, 0.1, 4), result(5, 0.1, 4))
    )
    assert results.best.number == 4
    assert Results((result(1, np.inf), result(2, np.inf))).best.number == 1


def test_results_as_a_frame() -> None:
    """One line per result with its parameters as they were set; whole numbers stay whole, also with gaps."""
    X, y = noisy()
    experiment = Experiment(X, y)
    assert experiment.results.to_frame().empty
    experiment.grid(TreeClassifier(), {"max_depth": [None, 2]})
    experiment.grid(LogisticRegression(), {"C": [0.1]}, name="line")
    frame = experiment.results.to_frame()
    assert frame.index.tolist() == [1, 2, 3]
    assert frame["name"].tolist() == ["TreeClassifier", "TreeClassifier", "line"]
    assert frame["setting"].tolist() == ["max_depth=None", "max_depth=2", "C=0.1"]
    assert frame["param_max_depth"].tolist() == [None, 2, None]
    assert frame["param_C"].tolist() == [None, None, 0.1]
    assert frame["leaves"].isna().tolist() == [False, False, True]
    assert frame["depth"].dtype == "Int64"
    assert frame["best"].sum() == 1
    assert frame["development_loss"].tolist() == [r.development_loss for r in experiment.results]


def test_results_as_text() -> None:
    """A table with the best marked; of very many results the best fifty."""
    text = str(Results((result(1, 0.5, 3), result(2, 0.25), result(3, 0.25, 1, after_test=True))))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines == [
        "estimator setting training development leaves depth seconds",
        "1 T a=1 0 0.5 3 3 0.100",
        "2 T a=2 0 0.25 - - 0.100",
        "3 T a=3 0 0.25 1 1 0.100 best, after the test",
    ]
    many = str(Results(tuple(result(number, 1 / number) for number in range(1, 61))))
    assert len(many.splitlines()) == 52
    assert many.splitlines()[1].startswith("60  T")
    assert many.endswith("… and 10 more of higher development loss")
    assert str(Results()) == "No setting was tried yet."


def test_results_are_a_value() -> None:
    """Trying more leaves earlier results alone; slices are results too."""
    experiment = Experiment(*noisy())
    first = experiment.grid(TreeClassifier(), {"max_depth": [1, 2]})
    before = experiment.results
    second = experiment.grid(TreeClassifier(), {"max_depth": [3]})
    assert (len(first), len(before), len(second), len(experiment.results)) == (2, 2, 1, 3)
    assert isinstance(experiment.results[1:], Results)
    assert experiment.results[2] is second[0]
    with pytest.raises(AttributeError):
        first.items = ()  # type: ignore[misc]


def test_data_frames_are_asked_for_only_in_to_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pandas everything but frames works."""
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    experiment = Experiment(*noisy())
    experiment.try_(TreeClassifier(max_depth=1))
    experiment.test()
    for ask in (
        experiment.results.to_frame,
        lambda: experiment.learning_curve(TreeClassifier()),
        lambda: experiment.complexity_curve(TreeClassifier()),
    ):
        with pytest.raises(PackageError, match="pandas is not installed"):
            ask()


def test_other_estimators_take_part() -> None:
    """scikit-learn's own, with leaves where they have some, also at the end of a pipeline."""
    X, y = noisy()
    experiment = Experiment(X, y)
    line = experiment.try_(make_pipeline(StandardScaler(), LogisticRegression()), "line")
    tree = experiment.try_(DecisionTreeClassifier(max_depth=2))
    piped = experiment.try_(make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2)))
    assert (line.name, line.leaves, line.depth) == ("line", None, None)
    assert (tree.name, tree.leaves, tree.depth) == ("DecisionTreeClassifier(max_depth=2)", 4, 2)
    assert (piped.leaves, piped.depth) == (4, 2)
    assert "\n" not in piped.name


def test_the_given_estimator_is_left_alone() -> None:
    """Estimators, and strategy objects among the values, are copied."""
    estimator = TreeClassifier()
    experiment = Experiment(*noisy())
    experiment.grid(estimator, {"max_depth": [1, 2]})
    assert not hasattr(estimator, "tree_")
    assert estimator.max_depth is None


# --- without development data


def test_two_parts_are_compared_by_cross_validation() -> None:
    """The development loss is the average over rows held out once each, from folds fitted by hand."""
    X, y = noisy()
    experiment = Experiment(X, y, (0.8, 0.2), folds=5)
    assert experiment.split.development is None
    result = experiment.try_(TreeClassifier(max_depth=3))
    train, mistakes = experiment.split.training, 0
    assert experiment._folds is not None
    assert len(experiment._folds) == 5
    for learnt, held_out in experiment._folds:
        model = TreeClassifier(max_depth=3).fit(X[train][learnt], y[train][learnt])
        mistakes += int(np.sum(model.predict(X[train][held_out]) != y[train][held_out]))
    assert result.development_loss == pytest.approx(mistakes / 160, abs=1e-15)
    assert "cross-validated" in str(experiment.results)
    assert experiment.test().n_rows == 40


def test_two_parts_with_weights_groups_and_times() -> None:
    """Folds exist in each case, and small data get fewer."""
    X, y = noisy(60)
    for options in (
        {"sample_weight": np.arange(60) + 1},
        {"groups": np.arange(60) // 6},
        {"time": np.arange(60) // 2},
        {"groups": np.arange(60) // 15},
    ):
        experiment = Experiment(X, y, (0.7, 0.3), **options)
        experiment.try_(TreeClassifier(max_depth=2))
        assert 0 <= experiment.test().loss <= 1
    with pytest.raises(DataError, match="too few rows, groups or times for a cross-validation"):
        Experiment(X, y, (0.7, 0.3), groups=np.arange(60) // 30)


@pytest.mark.parametrize(
    "ask",
    [
        lambda e: e.development,
        lambda e: e.learning_curve(TreeClassifier()),
        lambda e: e.complexity_curve(TreeClassifier()),
        lambda e: e.try_(TreeClassifier(), prune_on_development=True),
        lambda e: (e.try_(TreeClassifier()), e.test(refit="train+dev")),
    ],
)
def test_two_parts_have_no_development_data(ask: Any) -> None:
    """What needs them says so."""
    with pytest.raises(ParameterError, match=r"needs development data, but the split has two parts"):
        ask(Experiment(*noisy(), (0.8, 0.2)))


# --- the test


def test_the_test_is_that_of_the_best_estimator() -> None:
    """The loss on the test rows, of the estimator that was fitted to the training data."""
    X, y = noisy()
    experiment = Experiment(X, y)
    experiment.grid(TreeClassifier(), {"max_depth": [1, 2, 5]})
    score = experiment.test()
    assert isinstance(score, TestScore)
    assert score.estimator is experiment.best.estimator
    rows = experiment.split.test
    assert score.loss == np.mean(experiment.best.estimator.predict(X[rows]) != y[rows])
    assert (score.n_rows, score.looks, score.level, score.refit) == (40, 1, 0.95, "train")
    assert score.interval[0] < score.loss < score.interval[1]
    assert score.interval_at(0.5)[0] > score.interval[0]
    assert experiment.scores == (score,)


def test_the_test_after_learning_from_both() -> None:
    """refit="train+dev" is the same setting fitted to all rows but those of the test."""
    X, y = noisy()
    experiment = Experiment(X, y)
    experiment.grid(TreeClassifier(), {"max_depth": [2]})
    score = experiment.test(refit="train+dev")
    rows = np.setdiff1d(np.arange(200), experiment.split.test)
    model = TreeClassifier(max_depth=2).fit(X[rows], y[rows])
    assert score.estimator.tree_ == model.tree_
    assert score.estimator.tree_ != experiment.best.estimator.tree_
    assert "fitted to training and development data" in str(score)


def test_a_second_look_is_refused_unless_forced() -> None:
    """Refused in one sentence with a hint; forced, the score says that it is the second look."""
    experiment = Experiment(*noisy())
    experiment.try_(TreeClassifier(max_depth=2))
    first = experiment.test()
    with pytest.raises(ParameterError, match=r"opened already \(loss 0\.\d+.*\nHint: test\(force=True\)"):
        experiment.test()
    second = experiment.test(force=True)
    assert (first.looks, second.looks) == (1, 2)
    assert "looks at the test data: 1" in str(first).splitlines()
    assert "looks at the test data: 2 (what was seen may have changed what was tried" in str(second)
    assert experiment.scores == (first, second)
    assert "2 looks" in repr(experiment)


def test_forcing_the_first_look_changes_nothing() -> None:
    """It is the first all the same."""
    experiment = Experiment(*noisy())
    experiment.try_(TreeClassifier())
    assert experiment.test(force=True).looks == 1


def test_what_is_tried_after_the_test_is_marked() -> None:
    """In the results, their frame, their text, and a later score."""
    experiment = Experiment(*noisy())
    experiment.try_(DummyClassifier(), "dummy")
    experiment.test()
    experiment.grid(TreeClassifier(), {"max_depth": [2]})
    assert [each.after_test for each in experiment.results] == [False, True]
    assert experiment.results.to_frame()["after_test"].tolist() == [False, True]
    assert "after the test" in str(experiment.results)
    score = experiment.test(force=True)
    assert score.result.after_test
    assert "after the test" in str(score)


def test_a_look_that_fails_does_not_count() -> None:
    """What was refused has shown nothing."""
    experiment = Experiment(*noisy())
    with pytest.raises(ParameterError, match="No setting was tried yet"):
        experiment.test()
    experiment.try_(TreeClassifier())
    for options, words in (
        ({"level": 95}, "level=95 is not allowed; give a number between 0 and 1"),
        ({"refit": "all"}, "refit='all' is not known; choose 'train', 'train\\+dev'"),
    ):
        with pytest.raises(ParameterError, match=words):
            experiment.test(**options)
    assert experiment.test().looks == 1
