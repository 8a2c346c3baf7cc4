"""scikit-learn's own checks of an estimator, for the default estimators and for variants of every option.

Words: an *expected failure* is a check that contradicts what we document; each is listed with its reason.
What the checks do not look at (searches, calibration, bagging, …) is in test_integration.py.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from arboretum import MEstimate, TreeClassifier, TreeRegressor

ESTIMATORS = [
    TreeClassifier(),
    TreeClassifier(criterion="entropy", missing="drop"),
    TreeClassifier(criterion="misclassification", thresholds="observed", nominal="one_vs_rest"),
    TreeClassifier(missing="error", leaf="laplace"),
    TreeClassifier(leaf=MEstimate(3), max_leaf_nodes=5),
    TreeClassifier(max_bins=16, n_jobs=2),
    TreeClassifier(class_weight="balanced"),
    TreeClassifier(min_samples_leaf=5, max_depth=3),
    TreeRegressor(),
    TreeRegressor(missing="drop", max_leaf_nodes=5),
    TreeRegressor(criterion="absolute_error", missing="error"),
    TreeRegressor(criterion="poisson", thresholds="observed"),
    TreeRegressor(max_bins=16, n_jobs=2),
    TreeRegressor(min_samples_leaf=3, min_impurity_decrease=1e-3),
]


def expected_failures(estimator: Any) -> dict[str, str]:
    """Return the checks that contradict what we promise, with the reason."""
    failures = {}
    if estimator.missing == "error":
        failures["check_estimators_nan_inf"] = (
            "infinities are values that can be compared; only NaN is missing"
        )
    if estimator.min_samples_leaf != 1:
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "min_samples_leaf counts rows, as in scikit-learn: a row of weight 2 is not two rows"
        )
    if getattr(estimator, "class_weight", None) == "balanced":
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "balanced weights are no binary fractions, so equally good questions may differ in the last digit"
        )
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator: Any, check: Any) -> None:
    """Every check passes, or fails for the reason given above."""
    check(estimator)
