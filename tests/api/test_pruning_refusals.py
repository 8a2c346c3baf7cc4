"""What pruning refuses: every bad option, wrong tuning data and groups, and trees that do not fit.

A sentence names the option, what was found and what is allowed; a hint may follow on its own line.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold
from support.noisy import fitted, noisy, noisy_numbers

from arboretum import (
    ArboretumError,
    CostComplexity,
    DataError,
    DataTypeError,
    ParameterError,
    Pessimistic,
    ReducedError,
    TreeClassifier,
    TreeRegressor,
)

X, Y = noisy(60)


def refused(work: Any, error: type[Exception], words: str) -> None:
    """The work is refused with an error of ours: one sentence, and perhaps a hint on a line of its own."""
    with pytest.raises(error, match=words) as caught:
        work()
    assert isinstance(caught.value, ArboretumError)
    sentence, *hints = str(caught.value).split("\n")
    assert sentence.endswith((".", "?"))
    assert [hint[:6] for hint in hints] in ([], ["Hint: "])


@pytest.mark.parametrize(
    ("prune", "words"),
    [
        (
            "cost-complexity",
            r"prune='cost-complexity' is not known; choose None, .*Did you mean 'cost_complexity'\?",
        ),
        (True, "prune=True is not known; choose None, 'cost_complexity', 'pessimistic', 'reduced_error'"),
        (0.01, "prune=0.01 is not known; .*Or give CostComplexity"),
        ([], r"prune=\[\] is not known"),
        (CostComplexity, r"(?s)prune=CostComplexity is a class, .*write CostComplexity\(\)"),
        (CostComplexity("best"), "alpha='best' is not known; choose .*'cv', 'holdout'. Or give a number"),
        (
            CostComplexity(-0.1),
            r"alpha=-0\.1\) is not allowed; give a number of 0 or more, 'cv' or",
        ),
        (CostComplexity(np.nan), r"alpha=nan\) is not allowed"),
        (CostComplexity(np.inf), r"alpha=inf\) is not allowed"),
        (CostComplexity(None), r"alpha=None\) is not allowed"),
        (CostComplexity(True), r"alpha=True\) is not allowed"),
        (CostComplexity(folds=1), r"folds=1\) is not allowed; give an integer of 2 or more, or a splitter"),
        (CostComplexity(folds=2.5), r"folds=2\.5\) is not allowed"),
        (CostComplexity(folds=None), r"folds=None\) is not allowed"),
        (CostComplexity(folds="ten"), r"folds='ten'\) is not allowed"),
        (CostComplexity(folds=KFold), r"folds=<class .*KFold'>\) is not allowed"),
        (CostComplexity(folds=[([0], [1])]), r"folds=\[\(\[0\], \[1\]\)\]\) is not allowed"),
        (
            CostComplexity(rule="2se"),
            r"rule='2se' is not known; choose '1se', '1se_unpaired', 'average', 'min'",
        ),
        (CostComplexity(rule=None), "rule=None is not known"),
        (
            CostComplexity(measure="bier"),
            "measure='bier' is not known; choose None, 'misclassification', .*Did you mean 'brier'",
        ),
        (CostComplexity(measure="squared_error"), "measure='squared_error' is not known"),
        (CostComplexity(complexity="nodes"), "complexity='nodes' is not known; choose 'leaves', 'depth'"),
        (ReducedError(0), r"fraction=0\) is not allowed; give a share of the rows between 0 and 1"),
        (ReducedError(1.0), r"fraction=1\.0\) is not allowed"),
        (ReducedError("a quarter"), r"fraction='a quarter'\) is not allowed"),
        (
            ReducedError(order="top_down"),
            "order='top_down' is not known; choose 'greedy', 'leaves', 'bottom_up'",
        ),
        (ReducedError(order=None), "order=None is not known"),
        (Pessimistic(0), r"confidence=0\) is not allowed; give a number above 0 and up to 0\.5"),
        (Pessimistic(0.6), r"confidence=0\.6\) is not allowed"),
        (Pessimistic(raise_subtrees="yes"), "raise_subtrees='yes' is not known; choose True, False"),
    ],
    ids=repr,
)
def test_options_that_are_refused(prune: Any, words: str) -> None:
    """Every option of every pruner, when it is fitted: the constructor only stores."""
    refused(lambda: TreeClassifier(prune=prune).fit(X, Y), ParameterError, words)


@pytest.mark.parametrize(
    ("prune", "words"),
    [
        ("pessimistic", 'prune="pessimistic" does not go with numbers as targets'),
        (CostComplexity(measure="gini"), "measure='gini' is not known; choose None, 'squared_error'"),
        (CostComplexity(measure="absolute_error"), "measure='absolute_error' is not known"),
    ],
    ids=repr,
)
def test_options_that_numbers_refuse(prune: Any, words: str) -> None:
    """What is about classes alone."""
    refused(lambda: TreeRegressor(prune=prune).fit(*noisy_numbers(60)), ParameterError, words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            {"random_state": -1},
            "random_state=-1 is not allowed; give an integer of 0 or more, a RandomState, or",
        ),
        ({"random_state": "chance"}, "random_state='chance' is not allowed"),
        ({"random_state": np.random.default_rng(0)}, r"random_state=Generator\(PCG64\).* is not allowed"),
        ({"verbose": -1}, r"verbose=-1 is not allowed; give 0 \(quiet\) or 1 \(a progress bar\)"),
        ({"verbose": "yes"}, "verbose='yes' is not allowed"),
        (
            {"prune": "pessimistic", "monotonic_cst": [1, 0, 0, 0]},
            r"Pessimistic\(raise_subtrees=True\) does not go with monotonic_cst: a raised branch may",
        ),
        (
            {"prune": Pessimistic(), "priors": [0.5, 0.5]},
            'prune="pessimistic" does not go with priors or loss',
        ),
        ({"prune": Pessimistic(), "loss": [[0, 1], [3, 0]]}, "does not go with priors or loss: it counts"),
    ],
)
def test_options_of_the_estimator(options: dict[str, Any], words: str) -> None:
    """Those that are about pruning."""
    y = Y == "high"
    refused(lambda: TreeClassifier(**options).fit(X, y), ParameterError, words)


@pytest.mark.parametrize(
    ("more", "error", "words"),
    [
        ({"X_val": X}, DataError, "X_val and y_val belong together"),
        ({"y_val": Y}, DataError, "X_val and y_val belong together"),
        ({"X_val": X, "y_val": Y[:9]}, DataError, "60 rows, but .* has 9"),
        ({"X_val": X[:, :3], "y_val": Y}, DataError, "has 3 features, but TreeClassifier is expecting 4"),
        ({"X_val": X[:0], "y_val": Y[:0]}, DataError, "has no rows"),
        ({"X_val": 3, "y_val": Y}, DataTypeError, "int, which is not a table"),
        (
            {"X_val": X, "y_val": ["low"] * 60},
            DataError,
            "the class 'low', which the tree does not know",
        ),
        ({"X_val": X, "y_val": Y, "sample_weight_val": [1, 2]}, DataError, r"\(2,\), but .* 60 rows"),
        (
            {"X_val": X, "y_val": Y, "sample_weight_val": -np.ones(60)},
            DataError,
            "row 0 is -1.0; weights are",
        ),
        ({"X_val": X, "y_val": Y, "sample_weight_val": np.zeros(60)}, DataError, "zero in every row"),
        (
            {"groups": [1, 2]},
            DataError,
            r"groups has the shape \(2,\), but X has 60 rows; give one value per row",
        ),
        ({"groups": np.ones((60, 2))}, DataError, r"groups has the shape \(60, 2\)"),
        ({"groups": "people"}, DataError, "groups='people' is text; give one value per row"),
        ({"groups": np.ones(60)}, DataError, "(?s)All rows are of one group.*Hint: "),
    ],
)
def test_rows_that_are_refused(more: dict[str, Any], error: type[Exception], words: str) -> None:
    """Tuning data, their weights, and groups."""
    refused(lambda: TreeClassifier().fit(X, Y, **more), error, words)


@pytest.mark.parametrize("prune", [None, "pessimistic", CostComplexity(alpha=0.1)], ids=repr)
def test_tuning_data_that_nobody_looks_at(prune: Any) -> None:
    """They are refused rather than ignored."""
    words = r"X_val and y_val are tuning data for pruning, but prune=.* looks at none"
    refused(lambda: TreeClassifier(prune=prune).fit(X, Y, X_val=X, y_val=Y), ParameterError, words)


def test_weights_of_tuning_data_that_are_not_there() -> None:
    """`sample_weight_val` without `X_val` is a mistake that must not pass in silence."""
    refused(lambda: TreeClassifier().fit(X, Y, sample_weight_val=np.ones(60)), DataError, "sample_weight_val")


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ({}, r"pruned\(\) takes either alpha, the price of a leaf, or leaves, their number"),
        ({"alpha": 0.1, "leaves": 3}, r"pruned\(\) takes either alpha"),
        ({"leaves": 0}, "leaves=0 is not allowed; give an integer of 1 or more"),
        ({"leaves": 2.5}, "leaves=2.5 is not allowed"),
        ({"leaves": True}, "leaves=True is not allowed"),
        ({"alpha": -1}, "alpha=-1 is not allowed; give a number of 0 or more"),
        ({"alpha": np.nan}, "alpha=nan is not allowed"),
        ({"alpha": np.inf}, "alpha=inf is not allowed"),
        ({"alpha": "cv"}, "alpha='cv' is not allowed"),
    ],
)
def test_sizes_that_are_refused(size: dict[str, Any], words: str) -> None:
    """Of a fitted tree."""
    refused(lambda: fitted().pruned(**size), ParameterError, words)


def test_sizes_are_named() -> None:
    """A bare number could be either."""
    with pytest.raises(TypeError):
        fitted().pruned(3)


@pytest.mark.parametrize(
    ("tree", "error", "words"),
    [
        (lambda: "tree", DataTypeError, r"with_tree\(\) takes a Tree, not str"),
        (lambda: fitted(), DataTypeError, r"with_tree\(\) takes a Tree, not TreeClassifier"),
        (
            lambda: TreeRegressor().fit(*noisy_numbers(60)).tree_,
            DataError,
            "The tree predicts numbers, but this TreeClassifier predicts the classes 'high', 'minus', 'plus'",
        ),
        (
            lambda: TreeClassifier().fit(X, Y == "high").tree_,
            DataError,
            "The tree predicts the classes False, True, but this TreeClassifier predicts",
        ),
        (
            lambda: TreeClassifier().fit(X[:, :3], Y).tree_,
            DataError,
            "The tree asks about the columns 'x0', 'x1', 'x2', but this TreeClassifier was fitted with 'x0',",
        ),
        (
            lambda: TreeClassifier().fit(X.round().astype(int), Y).tree_,
            DataError,
            "names, kinds and levels must be the same",
        ),
    ],
    ids=["text", "estimator", "numbers", "classes", "columns", "kinds"],
)
def test_trees_that_do_not_fit(tree: Any, error: type[Exception], words: str) -> None:
    """Another target or other columns."""
    refused(lambda: fitted().with_tree(tree()), error, words)
