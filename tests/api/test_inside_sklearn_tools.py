"""The estimators inside scikit-learn's tools: pipelines, searches, ensembles, inspection, storage.

A tool takes any estimator and clones, fits or asks it in its own way. Whether the trees are right is tested
elsewhere; here they must come out of the tool unchanged and usable.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BaggingRegressor,
    StackingClassifier,
    VotingClassifier,
    VotingRegressor,
)
from sklearn.feature_selection import SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, log_loss
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils import estimator_html_repr
from support.marks import allow_one_leaf

from arboretum import MEstimate, ParameterError, ParameterNameError, TreeClassifier, TreeRegressor, datasets


@pytest.fixture(scope="module")
def iris() -> tuple[Any, Any]:
    """Four numeric columns and three classes."""
    return datasets.load_iris(backend="pandas")


@pytest.fixture(scope="module")
def penguins() -> tuple[Any, Any]:
    """Numbers, text and missing values together, three classes."""
    return datasets.load_penguins(backend="pandas")


@pytest.fixture(scope="module")
def waves() -> tuple[Any, Any]:
    """Three columns of which two matter, and a real target."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-2, 2, size=(200, 3))
    return X, np.sin(X[:, 0]) + X[:, 1] ** 2


# Parameters


def test_clone_and_parameters() -> None:
    """A clone has the same parameters, nested ones too, and shares no object that can be set."""
    model = TreeClassifier(criterion="entropy", leaf=MEstimate(m=5), max_depth=4, priors={"a": 0.5, "b": 0.5})
    twin = clone(model)
    assert repr(twin) == repr(model)
    twin.set_params(leaf__m=1, criterion="gini")
    assert (model.leaf.m, model.criterion) == (5, "entropy")
    assert twin.get_params()["leaf__m"] == 1
    assert TreeClassifier(**model.get_params(deep=False)).get_params()["max_depth"] == 4


def test_unknown_parameters_are_refused() -> None:
    """Python only said that the keyword was unexpected; now the one that was meant is named."""
    for make in (TreeClassifier, TreeClassifier.cart, TreeClassifier().set_params, TreeRegressor):
        with pytest.raises(
            TypeError, match=r"has no parameter 'max_dept'\. Did you mean 'max_depth'\?"
        ) as caught:
            make(**{"max_dept": 3})
        assert isinstance(caught.value, ParameterNameError | ValueError)
    with pytest.raises(ParameterNameError, match="TreeRegressor has no parameter 'class_weights'; it has "):
        TreeRegressor(**{"class_weights": "balanced"})
    with pytest.raises(TypeError):
        TreeClassifier("gini")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ccp_alpha", r"prune=CostComplexity\(alpha=…\) sets the price of a leaf"),
        ("splitter", "leave it out; the best question is always asked"),
        ("max_features", r"a tree searches every column at every node; BaggedClassifier\(max_features=…\)"),
        ("minbucket", "write min_samples_leaf"),
        ("cp", ".*alpha divided by the risk of the root"),
    ],
)
def test_parameters_of_other_programs_are_known_by_name(name: str, hint: str) -> None:
    """Whoever comes from scikit-learn or rpart is told what to write here."""
    with pytest.raises(ParameterNameError, match=f"has no parameter '{name}'.\nHint: {hint}"):
        TreeClassifier(**{name: 0.1})


def test_a_subclass_may_take_parameters_of_its_own() -> None:
    """The parameters of a class are those of its own constructor, also where that takes any."""

    class Named(TreeClassifier):
        def __init__(self, *, title: str = "", max_depth: int | None = None) -> None:
            super().__init__(max_depth=max_depth)
            self.title = title

    class Open(TreeClassifier):
        def __init__(self, **params: Any) -> None:
            super().__init__(**params)

    assert clone(Named(title="x")).set_params(title="y").title == "y"
    assert Open(max_depth=2).max_depth == 2
    with pytest.raises(ParameterNameError, match="Named has no parameter 'titel'"):
        Named(titel="x")  # type: ignore[call-arg]


# A name, a parameter of the strategy that it stands for, a value, and the strategy then.
NAMED: list[tuple[Any, str, Any, str]] = [
    (TreeClassifier(), "prune__rule", "min", "CostComplexity(alpha='auto', rule='min')"),
    (TreeClassifier(prune="pessimistic"), "prune__confidence", 0.1, "Pessimistic(confidence=0.1)"),
    (TreeRegressor(prune="reduced_error"), "prune__order", "leaves", "ReducedError(order='leaves')"),
    (TreeClassifier(missing="surrogate"), "missing__max_surrogates", 2, "Surrogate(max_surrogates=2)"),
    (TreeClassifier(criterion="gain_ratio"), "criterion__guard", None, "GainRatio(guard=None)"),
    (TreeClassifier(significance=0.1), "significance__level", 0.2, "ChiSquare(level=0.2)"),
    (TreeRegressor(significance=0.1), "significance__level", 0.2, "FTest(level=0.2)"),
]


@pytest.mark.parametrize(("model", "name", "value", "shown"), NAMED)
def test_a_name_stands_for_its_strategy_in_set_params(model: Any, name: str, value: Any, shown: str) -> None:
    """`prune="cost_complexity"` has the parameters of `CostComplexity`; a str had no `set_params`."""
    before, option = repr(model), name.partition("__")[0]
    changed = clone(model).set_params(**{name: value})
    assert repr(getattr(changed, option)) == shown
    assert changed.get_params()[name] == value
    assert repr(clone(changed)) == repr(changed)
    assert repr(model) == before
    plain = clone(model)
    assert repr(clone(plain).set_params(**{option: getattr(plain, option), name: value})) == repr(changed)


@pytest.mark.parametrize(
    ("params", "words"),
    [
        (
            {"missing__send": "never"},
            r"missing__send cannot be set: missing='category' has no parameters of its own."
            r"\nHint: set missing=Surrogate\(\) as well.",
        ),
        ({"questions__beam": 2}, r"questions='axis' has no .*\nHint: set questions=MofN\(\) as well"),
        ({"search__depth": 2}, r"search='greedy' has no .*\nHint: set search=Lookahead\(\) as well"),
        ({"criterion__guard": None}, r"criterion='gini' has no .*\nHint: set criterion=GainRatio\(\)"),
        (
            {"leaf": "frequency", "leaf__m": 2},
            r"leaf='frequency' has no .*\nHint: set leaf=MEstimate\(\) as well",
        ),
        (
            {"significance__level": 0.1},
            r"significance=None has no .*\nHint: set significance=ChiSquare\(\) or Cond",
        ),
        (
            {"prune": None, "prune__rule": "min"},
            r"prune=None has no .*\nHint: set prune=CostComplexity\(\) as well",
        ),
        ({"max_depth__x": 2}, "max_depth__x cannot be set: max_depth=3 has no parameters of its own.$"),
        ({"prune": "cost", "prune__rule": "min"}, "prune='cost' is not known; choose"),
        ({"prune__rul": "min"}, "Invalid parameter 'rul' for estimator CostComplexity"),
        ({"prun__rule": "min"}, "has no parameter 'prun'. Did you mean 'prune'?"),
    ],
)
def test_names_without_a_strategy_have_nothing_to_set(params: dict[str, Any], words: str) -> None:
    """One sentence says so, and the estimator stays as it was."""
    model = TreeClassifier()
    with pytest.raises(ValueError, match=words):
        model.set_params(max_depth=3, **params)
    assert repr(model) == "TreeClassifier()"


def test_repr() -> None:
    """`repr` shows what differs from the defaults, also in strategies."""
    assert repr(TreeClassifier()) == "TreeClassifier()"
    assert (
        repr(TreeClassifier(max_depth=3, leaf=MEstimate(m=1)))
        == "TreeClassifier(leaf=MEstimate(m=1), max_depth=3)"
    )
    assert repr(TreeRegressor(criterion="poisson")) == "TreeRegressor(criterion='poisson')"


def test_html_repr(iris: tuple[Any, Any]) -> None:
    """scikit-learn's picture of a pipeline shows the estimator, before and after fitting."""
    pipeline = make_pipeline(StandardScaler(), TreeClassifier(leaf=MEstimate(2)))
    assert "TreeClassifier" in estimator_html_repr(pipeline)
    assert "TreeClassifier" in pipeline.fit(*iris)._repr_html_()


def test_kind_of_estimator() -> None:
    """scikit-learn's tools take the one for a classifier, the other for a regressor."""
    assert is_classifier(TreeClassifier())
    assert not is_regressor(TreeClassifier())
    assert is_regressor(TreeRegressor())


# Pipelines


def test_pipeline_and_column_transformer(penguins: tuple[Any, Any]) -> None:
    """The tree stands at the end of a pipeline that encodes text and fills gaps."""
    X, y = penguins
    text = ["island", "sex"]
    before = ColumnTransformer(
        [
            ("text", make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder()), text),
            ("rest", SimpleImputer(), [name for name in X.columns if name not in text]),
        ]
    )
    pipeline = Pipeline([("before", before), ("tree", TreeClassifier(max_depth=4))]).fit(X, y)
    assert pipeline.score(X, y) > 0.97
    assert pipeline.set_params(tree__max_depth=1).fit(X, y)["tree"].get_depth() == 1


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_set_output_keeps_names(iris: tuple[Any, Any], library: str) -> None:
    """With `set_output` the tree sees the names of the transformed columns, and prints them."""
    X, y = iris
    X = X if library == "pandas" else pl.from_pandas(X)
    pipeline = make_pipeline(StandardScaler(), TreeClassifier(max_depth=2)).set_output(transform=library)
    tree = pipeline.fit(X, y)[-1]
    assert list(tree.feature_names_in_) == list(X.columns)
    assert tree.tree_.root.question.column == "petal_length"
    assert pipeline.score(X, y) > 0.9


def test_selecting_columns_by_importance(iris: tuple[Any, Any]) -> None:
    """`feature_importances_` is where scikit-learn's tools look for it."""
    X, y = iris
    chosen = SelectFromModel(TreeClassifier(max_depth=2)).set_output(transform="pandas").fit_transform(X, y)
    assert {"petal_length", "petal_width"} >= set(chosen.columns)


# Searches and cross-validation


def test_grid_search_reaches_strategies(penguins: tuple[Any, Any]) -> None:
    """A search varies options and the parameters of strategies, on a table with text and missing values."""
    grid = {"leaf__m": [0, 2, 50], "criterion": ["gini", "entropy"], "max_depth": [1, 3]}
    search = GridSearchCV(TreeClassifier(leaf=MEstimate()), grid, cv=3, scoring="neg_log_loss").fit(*penguins)
    assert len(search.cv_results_["params"]) == 12
    assert np.isfinite(search.best_score_)
    assert search.best_params_["max_depth"] == 3
    assert search.best_params_["leaf__m"] > 0, "a probability of zero costs an infinite loss"
    assert search.predict(penguins[0]).shape == (344,)


def test_grid_search_reaches_strategies_that_are_named(iris: tuple[Any, Any]) -> None:
    """`prune__rule` can be searched where `prune` is a name, by itself and in a pipeline."""
    search = GridSearchCV(TreeClassifier(), {"prune__rule": ["1se", "min"]}, cv=3, error_score="raise")
    assert search.fit(*iris).best_estimator_.prune.alpha == "auto"
    pipeline = make_pipeline(StandardScaler(), TreeClassifier(missing="surrogate"))
    names = {"treeclassifier__prune__folds": [3], "treeclassifier__missing__max_surrogates": [0, 5]}
    assert GridSearchCV(pipeline, names, cv=3, error_score="raise").fit(*iris).best_score_ > 0.9


def test_grid_search_over_whole_strategies(iris: tuple[Any, Any]) -> None:
    """The strategies themselves can be varied."""
    search = GridSearchCV(TreeClassifier(), {"leaf": ["frequency", "laplace", MEstimate(4)]}, cv=3).fit(*iris)
    assert search.best_score_ > 0.9


def test_failing_fits_of_a_search_are_told(iris: tuple[Any, Any]) -> None:
    """A wrong option does not pass silently through a search: scikit-learn shows our sentence."""
    search = GridSearchCV(TreeClassifier(), {"max_depth": [-1]}, cv=3, error_score="raise")
    with pytest.raises(ParameterError, match="max_depth=-1 is not allowed"):
        search.fit(*iris)


def test_randomised_search_in_processes(iris: tuple[Any, Any]) -> None:
    """Estimators travel to other processes and back."""
    search = RandomizedSearchCV(
        TreeClassifier(),
        {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]},
        n_iter=4,
        random_state=0,
        n_jobs=2,
        cv=3,
    ).fit(*iris)
    assert search.best_score_ > 0.9


def test_cross_validation(iris: tuple[Any, Any], waves: tuple[Any, Any]) -> None:
    """Scores of both kinds of estimator, and probabilities for every row."""
    assert cross_val_score(TreeClassifier(max_depth=3), *iris, cv=5).mean() > 0.9
    assert cross_val_score(TreeRegressor(min_samples_leaf=5), *waves, cv=5).mean() > 0.7
    probability = cross_val_predict(TreeClassifier(leaf="laplace"), *iris, cv=5, method="predict_proba")
    assert probability.shape == (150, 3)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)


@allow_one_leaf
def test_class_weights_of_a_class_that_a_fold_lacks() -> None:
    """A fold may lack a rare class; its weight is no mistake then."""
    X, y = np.arange(20.0)[:, None], ["rare"] + ["a", "b"] * 9 + ["b"]
    model = TreeClassifier(class_weight={"a": 1.0, "b": 2.0, "rare": 9.0})
    with pytest.warns(UserWarning, match="least populated class"):
        scores = cross_val_score(model, X, y, cv=3, error_score="raise")
    assert np.isfinite(scores).all()


# Calibration and ensembles


def test_calibration(iris: tuple[Any, Any]) -> None:
    """Calibrated probabilities of a fully grown tree are less sure than its own, and cost less."""
    X, y = iris
    even, odd = slice(0, None, 2), slice(1, None, 2)
    calibrated = CalibratedClassifierCV(TreeClassifier(prune=None), cv=5).fit(X[even], y[even])
    plain = TreeClassifier(prune=None).fit(X[even], y[even])
    loss = log_loss(y[odd], calibrated.predict_proba(X[odd]))
    assert loss < log_loss(y[odd], plain.predict_proba(X[odd]))


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_bagging(iris: tuple[Any, Any], waves: tuple[Any, Any], n_jobs: int | None) -> None:
    """Bagged trees, with rows drawn again (as weights or as rows) and with a choice of columns."""
    forest = BaggingClassifier(
        TreeClassifier(), 30, max_features=2, oob_score=True, random_state=1, n_jobs=n_jobs
    )
    forest.fit(*iris)
    assert forest.oob_score_ > 0.85
    assert len({len(tree.tree_) for tree in forest.estimators_}) > 1
    regressor = BaggingRegressor(TreeRegressor(), 10, random_state=1, n_jobs=n_jobs).fit(*waves)
    assert regressor.score(*waves) > 0.95


def test_bagging_a_table_of_text(penguins: tuple[Any, Any]) -> None:
    """Bagging turns a data frame into an array of objects; columns keep their kinds."""
    X, y = penguins
    forest = BaggingClassifier(TreeClassifier(), 5, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.95
    kinds = [column.kind for column in forest.estimators_[0].tree_.columns]
    assert kinds.count("nominal") == 2


@allow_one_leaf
def test_boosting(iris: tuple[Any, Any], waves: tuple[Any, Any]) -> None:
    """AdaBoost's weights change the trees: stumps together beat one stump."""
    X, y = iris
    boosted = AdaBoostClassifier(TreeClassifier(max_depth=1), n_estimators=20, random_state=0).fit(X, y)
    assert boosted.score(X, y) > TreeClassifier(max_depth=1).fit(X, y).score(X, y) + 0.2
    regressor = AdaBoostRegressor(TreeRegressor(max_depth=3), n_estimators=10, random_state=0).fit(*waves)
    assert regressor.score(*waves) > 0.8


def test_voting_and_stacking(iris: tuple[Any, Any], waves: tuple[Any, Any]) -> None:
    """Trees vote with others, by label and by probability, and feed a model on top of them."""
    X, y = iris
    members = [("tree", TreeClassifier(max_depth=2)), ("line", LogisticRegression(max_iter=500))]
    for voting in ("hard", "soft"):
        assert VotingClassifier(members, voting=voting).fit(X, y).score(X, y) > 0.9
    stacked = StackingClassifier(members, LogisticRegression(max_iter=500), cv=3).fit(X, y)
    assert stacked.score(X, y) > 0.9
    trees = [("a", TreeRegressor(max_depth=3)), ("b", TreeRegressor(criterion="absolute_error", max_depth=3))]
    assert VotingRegressor(trees).fit(*waves).score(*waves) > 0.8


def test_wrappers_of_other_problems(iris: tuple[Any, Any], waves: tuple[Any, Any]) -> None:
    """One against the rest, several targets, and a transformed target."""
    X, y = iris
    assert OneVsRestClassifier(TreeClassifier(max_depth=3)).fit(X, y).score(X, y) > 0.95
    X, y = waves
    several = MultiOutputRegressor(TreeRegressor(max_depth=4)).fit(X, np.column_stack([y, -y]))
    np.testing.assert_allclose(several.predict(X)[:, 0], -several.predict(X)[:, 1])
    whole = TreeRegressor(prune=None, leaf="mean")
    logged = TransformedTargetRegressor(whole, func=np.exp, inverse_func=np.log).fit(X, y)
    np.testing.assert_allclose(logged.predict(X), y)


# Metadata routing


@allow_one_leaf
def test_weights_are_routed(iris: tuple[Any, Any]) -> None:
    """With metadata routing, weights reach `fit` and `score` where asked for, and change the tree."""
    X, y = iris
    weights = np.where(y == "virginica", 1.0, 0.0)
    with sklearn.config_context(enable_metadata_routing=True):
        asking = TreeClassifier().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        pipeline.fit(X, y, sample_weight=weights)
        assert set(pipeline.predict(X)) == {"virginica"}
        result = cross_validate(asking, X, y, params={"sample_weight": weights}, cv=3, error_score="raise")
        np.testing.assert_array_equal(result["test_score"], 1.0)
        search = GridSearchCV(asking, {"max_depth": [1, 2]}, cv=3).fit(X, y, sample_weight=weights)
        assert set(search.predict(X)) == {"virginica"}


def test_weights_that_nobody_asked_for_are_refused(iris: tuple[Any, Any]) -> None:
    """Weights that are passed without a request are an error, not ignored."""
    X, y = iris
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(ValueError, match=r"sample_weight.*not explicitly set as requested"),
    ):
        cross_validate(TreeClassifier(), X, y, params={"sample_weight": np.ones(len(y))}, cv=3)


# Inspection


def test_permutation_importance(penguins: tuple[Any, Any]) -> None:
    """Shuffling a column that is asked about hurts; shuffling one that is not does nothing."""
    X, y = penguins
    model = TreeClassifier(max_depth=2).fit(X, y)
    importance = permutation_importance(model, X, y, n_repeats=3, random_state=0).importances_mean
    asked = model.feature_importances_ > 0
    assert (importance[asked] > 0).all()
    np.testing.assert_array_equal(importance[~asked], 0.0)


def test_partial_dependence(waves: tuple[Any, Any], penguins: tuple[Any, Any]) -> None:
    """scikit-learn's partial dependence follows the target, and takes columns of text."""
    X, y = waves
    curve = partial_dependence(TreeRegressor(min_samples_leaf=5).fit(X, y), X, [1], grid_resolution=9)
    low = int(np.argmin(curve["average"][0]))
    assert 3 <= low <= 5, "the target is a parabola in this column"
    X, y = penguins
    model = TreeClassifier(max_depth=3).fit(X, y)
    levels = partial_dependence(model, X, ["island"], categorical_features=["island"])["grid_values"][0]
    assert set(levels) == set(X["island"])


# Storage


@pytest.mark.parametrize("via", ["pickle", "joblib"])
def test_fitted_estimators_can_be_stored(penguins: tuple[Any, Any], via: str) -> None:
    """A stored estimator comes back with an equal tree, and predicts the same."""
    X, y = penguins
    model = TreeClassifier(leaf=MEstimate(2), missing="category").fit(X, y)
    if via == "pickle":
        back = pickle.loads(pickle.dumps(model))
    else:
        buffer = io.BytesIO()
        joblib.dump(model, buffer, compress=3)
        buffer.seek(0)
        back = joblib.load(buffer)
    assert back.tree_ == model.tree_
    assert back.get_params()["leaf__m"] == 2
    np.testing.assert_array_equal(back.predict_proba(X), model.predict_proba(X))


def test_memory_mapped_arrays(waves: tuple[Any, Any], tmp_path: Any) -> None:
    """Arrays that joblib maps into memory, read-only, are as good as any."""
    X, y = waves
    joblib.dump((X, y), tmp_path / "data")
    mapped, target = joblib.load(tmp_path / "data", mmap_mode="r")
    assert not mapped.flags.writeable
    assert TreeRegressor().fit(mapped, target).tree_ == TreeRegressor().fit(X, y).tree_


def test_predictions_go_into_frames(penguins: tuple[Any, Any]) -> None:
    """Labels come back as the plain values they were, so that they compare with any column of them."""
    X, y = penguins
    model = TreeClassifier().fit(X, y)
    labels = model.predict(X)
    assert accuracy_score(y, labels) == accuracy_score(y.tolist(), labels.tolist()) == model.score(X, y)
    assert set(map(type, labels.tolist())) == {str}
    assert (pd.Series(labels) == y.to_numpy()).mean() == model.score(X, y)
