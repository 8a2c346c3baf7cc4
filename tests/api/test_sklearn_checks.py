"""scikit-learn's own checks of an estimator, for the default estimators and for variants of every option.

An expected failure is a check that contradicts what we document; each is listed with its reason. Grown
estimators keep the tree as it was grown, pruned ones have a pruner; the default is among these. What the
checks do not look at (searches, calibration, bagging, …) is in test_inside_sklearn_tools.py.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks
from support.marks import allow_one_leaf

from arboretum import (
    BaggedClassifier,
    BaggedRegressor,
    CostComplexity,
    MEstimate,
    Pessimistic,
    ReducedError,
    TreeClassifier,
    TreeRegressor,
)

GROWN = [
    TreeClassifier(prune=None),
    TreeClassifier(prune=None, leaf="frequency"),
    TreeClassifier(prune=None, criterion="entropy", missing="drop"),
    TreeClassifier(prune=None, criterion="misclassification", thresholds="observed", nominal="one_vs_rest"),
    TreeClassifier(prune=None, missing="error", leaf="laplace"),
    TreeClassifier(prune=None, leaf=MEstimate(3), max_leaf_nodes=5),
    TreeClassifier(prune=None, max_bins=16, n_jobs=2),
    TreeClassifier(prune=None, class_weight="balanced"),
    TreeClassifier(prune=None, min_samples_leaf=5, max_depth=3),
    TreeRegressor(prune=None),
    TreeRegressor(prune=None, leaf="mean"),
    TreeRegressor(prune=None, missing="drop", max_leaf_nodes=5),
    TreeRegressor(prune=None, criterion="absolute_error", missing="error"),
    TreeRegressor(prune=None, criterion="poisson", thresholds="observed"),
    TreeRegressor(prune=None, max_bins=16, n_jobs=2),
    TreeRegressor(prune=None, min_samples_leaf=3, min_impurity_decrease=1e-3),
]
PRUNED = [
    TreeClassifier(),
    TreeClassifier(missing="error", leaf="laplace", n_jobs=2),
    TreeClassifier(missing="surrogate", criterion="entropy"),
    TreeClassifier(prune=CostComplexity(alpha=0.05)),
    TreeClassifier(prune=CostComplexity(measure="entropy", rule="min", folds=3), random_state=3),
    TreeClassifier(prune=CostComplexity(alpha="holdout", complexity="depth")),
    TreeClassifier(prune=ReducedError()),
    TreeClassifier(prune=Pessimistic()),
    TreeClassifier.cart(),
    TreeClassifier.c45(),
    TreeRegressor(),
    TreeRegressor(criterion="absolute_error", missing="fractional"),
    TreeRegressor(prune=CostComplexity(alpha=0.05)),
    TreeRegressor(prune=ReducedError(order="bottom_up")),
    TreeRegressor.cart(),
]
BAGGED = [
    BaggedClassifier(n_trees=5),
    BaggedClassifier(n_trees=5, max_features="sqrt", oob=True, n_jobs=2),
    BaggedClassifier(TreeClassifier(prune=None, missing="error"), n_trees=3, bootstrap="balanced"),
    BaggedClassifier(n_trees=3, warm_start=True, bootstrap=False),
    BaggedRegressor(n_trees=5),
    BaggedRegressor(
        TreeRegressor(prune=None, criterion="poisson"), n_trees=3, max_features=0.5, max_samples=0.5
    ),
]


def cross_validates(estimator: Any) -> bool:
    """Whether the price of a leaf is chosen on rows that are held out."""
    prune = estimator.prune
    return prune == "cost_complexity" or (isinstance(prune, CostComplexity) and isinstance(prune.alpha, str))


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that contradict what we promise, with the reason."""
    failures = {}
    if isinstance(estimator, BaggedClassifier | BaggedRegressor):
        return bagged_failures(estimator)
    if estimator.missing == "error":
        failures["check_estimators_nan_inf"] = (
            "infinities are values that can be compared; only NaN is missing"
        )
    if estimator.min_samples_leaf != 1:
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "min_samples_leaf counts rows, as in scikit-learn: a row of weight 2 is not two rows"
        )
    if estimator.leaf == "shrinkage":
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "shrinkage counts rows, so that the unit of weights makes no difference: weight 2 is not two rows"
        )
    if cross_validates(estimator):
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "copies of a row are held out by several folds, a row of weight 2 by one of them"
        )
    if getattr(estimator, "class_weight", None) == "balanced":
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "balanced weights are no binary fractions, so equally good questions may differ in the last digit"
        )
    return failures


def bagged_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that contradict what we promise of ensembles."""
    failures = {}
    if estimator.bootstrap is not False:
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "rows are drawn, so that a row of weight 2 is not drawn as two rows are"
        )
    if estimator.tree is not None and estimator.tree.missing == "error":
        failures["check_estimators_nan_inf"] = (
            "infinities are values that can be compared; only NaN is missing"
        )
    return failures


@allow_one_leaf  # the checks fit noise, single classes and very small tables
@parametrize_with_checks(GROWN + PRUNED + BAGGED, expected_failed_checks=expected_failures)  # type: ignore[untyped-decorator]
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check passes, or fails for the reason given above."""
    check(estimator)
