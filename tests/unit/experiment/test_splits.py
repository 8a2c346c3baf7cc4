"""The split of an experiment: parts of every kind of table, options, weights, and what is refused.

Results and the final test are in test_results.py, the laws of splits in properties/.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from support.marks import allow_one_leaf

from arboretum import (
    DataError,
    DataTypeError,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum.experiment import Experiment


def noisy(n_rows: int = 200, n_classes: int = 2) -> tuple[Any, Any]:
    """Return rows whose first column is the row number and whose class follows the second, with mistakes."""
    rng = np.random.default_rng(7)
    X = np.column_stack([np.arange(n_rows), rng.normal(size=(n_rows, 3))])
    y = np.clip((X[:, 1] + 0.5 * rng.normal(size=n_rows) + 1) * n_classes / 2, 0, n_classes - 1).astype(int)
    return X, y


# --- the split


def test_iris_is_divided_as_the_notes_say() -> None:
    """70, 10 and 20 % of 150 flowers, a third of each part of each species."""
    X, y = datasets.load_iris()
    split = Experiment(X, y).split
    assert repr(split) == "Split(training 105, development 15, test 30)"
    assert split.development is not None
    for rows, each in ((split.training, 35), (split.development, 5), (split.test, 10)):
        assert np.unique(np.asarray(y)[rows], return_counts=True)[1].tolist() == [each] * 3
        assert (np.diff(rows) > 0).all()
    assert sorted([*split.training, *split.development, *split.test]) == list(range(150))


def test_no_random_state_is_a_fixed_one() -> None:
    """None is 0; another number is another split; a generator is asked once."""
    X, y = noisy()
    plain = Experiment(X, y).split.test
    np.testing.assert_array_equal(plain, Experiment(X, y, random_state=None).split.test)
    np.testing.assert_array_equal(plain, Experiment(X, y, random_state=0).split.test)
    assert plain.tolist() != Experiment(X, y, random_state=1).split.test.tolist()
    ones = [Experiment(X, y, random_state=np.random.default_rng(5)).split.test.tolist() for _ in range(2)]
    others = [Experiment(X, y, random_state=np.random.RandomState(5)).split.test.tolist() for _ in range(2)]
    assert ones[0] == ones[1]
    assert others[0] == others[1]


def test_the_system_is_not_asked_for_chance() -> None:
    """NumPy's global random numbers are neither used nor moved on."""
    X, y = noisy()
    np.random.seed(1)
    state = np.random.get_state()[1]  # type: ignore[index]
    experiment = Experiment(X, y)
    experiment.random(TreeClassifier(), {"max_depth": [1, 2, 3]}, 2)
    experiment.learning_curve(TreeClassifier(), sizes=[20], repeats=2)
    np.testing.assert_array_equal(state, np.random.get_state()[1])  # type: ignore[index]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_data_frames_stay_what_they_are(backend: str) -> None:
    """Parts of a table are tables of the same library, and every library gives the same losses."""
    X, y = datasets.load_penguins(backend=backend)
    experiment = Experiment(X, y)
    assert type(experiment.training[0]) is type(X)
    assert type(experiment.development[0]) is type(X)
    result = experiment.try_(TreeClassifier(max_depth=2))
    X, y = datasets.load_penguins(backend="pandas")
    assert result.training_loss == Experiment(X, y).try_(TreeClassifier(max_depth=2)).training_loss
    assert experiment.test().n_rows == 69


def test_arrays_and_lists() -> None:
    """An array, its rows as lists, and y as list, array, series or chunked column: the same experiment."""
    X, y = noisy()
    expected = Experiment(X, y).try_(TreeClassifier(max_depth=2)).development_loss
    assert Experiment(X.tolist(), y.tolist()).try_(TreeClassifier(max_depth=2)).development_loss == expected
    for other in (pd.Series(y, index=np.arange(200) + 7), pl.Series(y), pa.chunked_array([y[:50], y[50:]])):
        assert Experiment(X, other).try_(TreeClassifier(max_depth=2)).development_loss == expected


@allow_one_leaf
def test_small_classes_do_no_harm() -> None:
    """Classes of one or two rows, and tables of three rows, are divided, tried and tested."""
    X = np.arange(43.0).reshape(-1, 1)
    y = ["a"] * 20 + ["b"] * 20 + ["c", "d", "d"]
    experiment = Experiment(X, y)
    assert len(experiment.split.training) == 30
    experiment.try_(TreeClassifier())
    assert 0 <= experiment.test().loss <= 1
    for n_rows in (3, 4, 5):
        tiny = Experiment(X[:n_rows], list("abcab")[:n_rows])
        tiny.try_(TreeClassifier())
        assert tiny.test().n_rows >= 1


def test_rare_classes_are_in_the_training_data() -> None:
    """A class of one row among large ones is learnt from rather than tested, for each of 50 seeds."""
    X, y = np.zeros((151, 1)), ["a"] * 50 + ["b"] * 50 + ["c"] * 50 + ["rare"]
    for seed in range(50):
        assert 150 in Experiment(X, y, random_state=seed).split.training


def test_numbers_are_stratified_on_request() -> None:
    """With stratify=True each part has its share of each tenth of the target: here exactly."""
    X, y = np.zeros((1000, 1)), np.random.default_rng(0).exponential(size=1000)
    tenth = np.argsort(np.argsort(y)) // 100
    parts = Experiment(X, y, stratify=True).split
    assert np.bincount(tenth[parts.test]).tolist() == [20] * 10
    assert np.bincount(tenth[Experiment(X, y).split.test]).tolist() != [20] * 10


def test_stratified_by_something_else() -> None:
    """One value per row: every part has its share of each."""
    X, y = noisy(100)
    sex = np.array(["f", "m"] * 50)
    split = Experiment(X, y, stratify=sex).split
    assert np.unique(sex[split.test], return_counts=True)[1].tolist() == [10, 10]


def test_times_as_they_come() -> None:
    """Numbers, dates, datetimes with and without a zone order the parts; the latest fifth is tested."""
    X, y = noisy(50)
    shuffled = np.random.default_rng(3).permutation(50)
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=int(day)) for day in shuffled]
    for time in (
        shuffled,
        shuffled.astype(float),
        days,
        pd.Series(pd.to_datetime(days)),
        pd.Series(pd.to_datetime(days, utc=True)),
        pl.Series(days),
        np.array(days, dtype="datetime64[D]"),
    ):
        split = Experiment(X, y, time=time).split
        assert sorted(shuffled[split.test]) == list(range(40, 50))
        assert sorted(shuffled[split.training]) == list(range(35))


def test_weights_count_in_learning_and_measuring() -> None:
    """Rows of weight 2 are rows that are there twice: the same tree and the same losses."""
    X, y = noisy(60)
    split = Experiment(X, y).split
    weight = np.random.default_rng(0).integers(0, 4, size=60)
    weight[split.test[0]] = 1
    experiment = Experiment(X, y, sample_weight=weight)
    np.testing.assert_array_equal(split.test, experiment.split.test)
    result = experiment.try_(TreeClassifier(max_depth=2, prune=None))
    training, development = (np.repeat(rows, weight[rows]) for rows in (split.training, split.development))
    model = TreeClassifier(max_depth=2, prune=None).fit(X[training], y[training])
    assert result.training_loss == pytest.approx(
        np.mean(model.predict(X[training]) != y[training]), abs=1e-12
    )
    expected = np.mean(model.predict(X[development]) != y[development])
    assert result.development_loss == pytest.approx(expected, abs=1e-12)


def test_weights_go_to_the_last_step_of_a_pipeline() -> None:
    """A pipeline passes them on; an estimator that cannot use them is refused rather than left without."""
    X, y = noisy(60)
    weight = np.where(y == 1, 9.0, 1.0)
    pipeline = make_pipeline(StandardScaler(), LogisticRegression())
    weighted = Experiment(X, y, sample_weight=weight, loss="log")
    weighted.try_(pipeline)
    plain = Experiment(X, y, loss="log")
    plain.try_(pipeline)
    coefficients = [experiment.best.estimator[-1].intercept_[0] for experiment in (weighted, plain)]
    assert coefficients[0] > coefficients[1] + 0.5
    with pytest.raises(ParameterError, match="the fit of KNeighborsClassifier takes no sample_weight"):
        Experiment(X, y, sample_weight=weight).try_(KNeighborsClassifier())


# --- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"split": (0.7, 0.2)}, r"split=\(0.7, 0.2\) is not allowed; give the shares"),
        ({"split": (0.5, 0.5, 0.0)}, "above 0, 1 together"),
        ({"split": (70, 10, 20)}, "is not allowed"),
        ({"split": 0.7}, "split=0.7 is not allowed"),
        ({"split": (0.25, 0.25, 0.25, 0.25)}, "is not allowed"),
        ({"stratify": "yes"}, "stratify='yes' is not known; choose 'auto', True, False"),
        ({"stratify": None}, "stratify=None is not known"),
        ({"stratify": [1, 2]}, r"stratify has the shape \(2,\), but X has 30 rows"),
        (
            {"groups": "patient"},
            r"groups='patient' is text; give one value per row.\nHint: .* X\['patient'\]",
        ),
        ({"groups": [1, None] + [2] * 28}, r"groups is missing in 1 of 30 rows \(first: row 1\)"),
        ({"groups": [1] * 30}, "groups has 1 different value, but 3 parts need one group each"),
        ({"time": [1, 2] * 15}, "time can be cut in 1 place, but 3 parts in temporal order need 2"),
        ({"time": [str(i) for i in range(30)]}, "time holds text"),
        ({"time": [1.0, np.nan] * 15}, "time is missing in 15 of 30 rows"),
        ({"time": [1, dt.date(2024, 1, 1)] * 15}, "time holds values that cannot be put in order"),
        ({"time": range(30), "stratify": True}, "stratify does not go with time"),
        ({"time": range(30), "stratify": [1] * 30}, "stratify does not go with time"),
        ({"time": range(30), "groups": [1, 2] * 15}, "time can be cut in 0 places without dividing a group"),
        ({"random_state": -1}, "random_state=-1 is not allowed"),
        ({"random_state": "a"}, "random_state='a' is not allowed"),
        ({"verbose": "yes"}, "verbose='yes' is not allowed"),
        ({"folds": 0}, "folds=0 is not allowed"),
        ({"loss": "log-loss"}, r"loss='log-loss' is not known.* Did you mean 'log_loss'\?"),
        ({"loss": [[0, 1]]}, r"of shape \(2, 2\) for the classes 'a', 'b'"),
        ({"loss": [[0, np.inf], [1, 0]]}, "finite numbers"),
        ({"loss": [[0, 1], [1]]}, "finite numbers"),
        ({"loss": "squared"}, "The target should be a number, but row 0 holds 'a'"),
        ({"sample_weight": [0.0] * 30}, "sample_weight is zero in every row"),
        ({"sample_weight": [1.0] + [0.0] * 29}, "sample_weight is zero in every row of the"),
    ],
)
def test_bad_options(options: dict[str, Any], words: str) -> None:
    """One sentence names the option, what was found, and what is allowed."""
    with pytest.raises((DataError, ParameterError), match=words):
        Experiment(np.zeros((30, 2)), ["a", "b"] * 15, **options)


@pytest.mark.parametrize(
    ("X", "y", "words"),
    [
        (np.zeros((3, 2)), ["a", "b"], "X has 3 rows, but y has 2"),
        (np.zeros((2, 2)), ["a", "b"], "2 rows cannot be divided into 3 parts"),
        (np.zeros((3, 2)), ["a", "b", None], "Input y contains NaN"),
        (np.zeros((3, 2)), ["a", "b", 1], "mixes text"),
        (np.zeros(3), ["a", "b", "c"], "X is an array of one dimension"),
        (np.zeros((3, 2)), None, "requires y to be passed"),
    ],
)
def test_bad_data(X: Any, y: Any, words: str) -> None:
    """What is no table, or no target, is refused as `fit` refuses it."""
    with pytest.raises(DataError, match=words):
        Experiment(X, y)


@pytest.mark.parametrize("estimator", [TreeClassifier, "tree", None, 3])
def test_what_is_no_estimator(estimator: Any) -> None:
    """A class, a name or nothing at all."""
    with pytest.raises(
        DataTypeError, match="is not an estimator; give an object with fit, predict and get_params"
    ):
        Experiment(*noisy()).try_(estimator)


def test_kind_of_estimator_and_loss() -> None:
    """A regressor does not take part where mistakes about classes are counted, nor a classifier elsewhere."""
    X, y = datasets.load_iris()
    with pytest.raises(
        ParameterError, match="'misclassification' is about classes, but TreeRegressor predicts numbers"
    ):
        Experiment(X, y).try_(TreeRegressor())
    numbers = np.random.default_rng(0).normal(size=150)
    with pytest.raises(
        ParameterError, match="'squared_error' is about numbers, but TreeClassifier predicts classes"
    ):
        Experiment(X, numbers).try_(TreeClassifier())


def test_whole_numbers_may_be_either() -> None:
    """The first estimator decides what whole numbers are; then the experiment stays with it."""
    X, y = noisy(n_classes=5)
    counts, classes = Experiment(X, y), Experiment(X, y)
    counts.try_(TreeRegressor(max_depth=2))
    classes.try_(TreeClassifier(max_depth=2))
    assert (counts.results.loss, classes.results.loss) == ("squared_error", "misclassification")
    with pytest.raises(ParameterError, match="'squared_error' is about numbers"):
        counts.try_(TreeClassifier())
    with pytest.raises(ParameterError, match="'misclassification' is about classes"):
        classes.try_(TreeRegressor())
