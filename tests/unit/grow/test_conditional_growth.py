"""Trees of conditional inference: with every option, in files, with pruning, and what they do not go with.

Which column and which question are right is tested in tests/oracle/test_conditional_choice.py, against ctree
in tests/parity.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.combinations import Combination, choices_tried, combinations, data_for, names, variants
from support.marks import allow_one_leaf
from support.noisy import noisy, noisy_numbers
from support.sweeps import pairwise
from support.trees import estimator

from arboretum import (
    Conditional,
    CostComplexity,
    DataError,
    GainRatio,
    Lookahead,
    MofN,
    Oblique,
    ParameterError,
    Shrinkage,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
)
from arboretum._grow.significance import conditional

REFUSED = ("max_leaf_nodes", "column_costs")
VALID = [
    c for c in combinations() if c.is_valid and c.constraint not in REFUSED and c.criterion != "gain_ratio"
]
LEVEL = 0.2


def assert_tested(tree: Tree, level: float, n_least: int) -> None:
    """Every question has passed, and no leaf that could have been divided has a p-value that would pass.

    A leaf of `n_least` rows or more may have passed if no question about the columns is admissible.
    """
    for node in tree.walk():
        if not node.is_leaf:
            assert node.p_value is not None
            assert node.p_value <= level
        elif node.p_value is not None and node.n_rows >= n_least:
            assert node.p_value > level


# --- every combination


@pytest.mark.parametrize("combination", pairwise(VALID, choices_tried, names))
def test_every_combination(combination: Combination) -> None:
    """With every criterion, kind of question, rule for missing values and constraint, and by two threads."""
    X, y = data_for(combination)
    options = variants(combination)[0]
    tested = {"significance": Conditional(LEVEL), **options}
    tree = estimator(combination.criterion, **tested).fit(X, y).tree_
    # Elsewhere children may be refused: by a constraint, for a mean of zero, or as too small.
    free = (combination.constraint, combination.nominal != "multiway", combination.criterion != "poisson")
    limit = 0 if free == ("none", True, True) else len(X) + 1
    assert_tested(tree, LEVEL, limit)
    assert len(tree) > 1
    assert Tree.from_json(tree.to_json()) == tree
    assert estimator(combination.criterion, **tested, n_jobs=2).fit(X, y).tree_ == tree
    whole = estimator(combination.criterion, **{**tested, "significance": Conditional(1.0)}).fit(X, y).tree_
    assert len(whole) > len(tree)


@pytest.mark.parametrize("missing", ["category", "fractional", Surrogate(2), Surrogate(1, send="never")])
@pytest.mark.parametrize("of_classes", [True, False])
def test_order_of_rows_and_columns_without_meaning(missing: Any, of_classes: bool) -> None:
    """The order of the rows does not matter, nor do columns that are constant."""
    X, y = noisy() if of_classes else noisy_numbers()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    make: Any = TreeClassifier if of_classes else TreeRegressor
    model = make(significance=Conditional(0.5), missing=missing, prune=None)
    tree = model.fit(X, y).tree_
    assert len(tree) > 5
    order = np.random.default_rng(2).permutation(len(y))
    assert model.fit(X[order], y[order]).tree_ == tree
    wider = model.fit(np.column_stack([X, np.ones(len(y))]), y).tree_
    assert [str(node.question) for node in wider.walk()] == [str(node.question) for node in tree.walk()]
    assert [node.p_value for node in wider.walk()] == [node.p_value for node in tree.walk()]


def test_times_and_levels() -> None:
    """Dates and durations are compared as numbers, ordered levels by their position."""
    rng = np.random.default_rng(3)
    day = rng.integers(0, 300, 200)
    y = (day + 60 * rng.normal(size=200) > 150).astype(int)
    noise = rng.integers(0, 3, 200)
    X = pd.DataFrame(
        {
            "noise": pd.Categorical.from_codes(noise, ["a", "b", "c"]),
            "date": pd.Timestamp("2024-01-01") + pd.to_timedelta(day, unit="D"),
            "size": pd.Categorical.from_codes(noise, ["small", "medium", "large"], ordered=True),
        }
    )
    root = TreeClassifier(significance=Conditional(), prune=None).fit(X, y).tree_.root
    plain = TreeClassifier(significance=Conditional(adjust=None), prune=None).fit(day[:, None], y).tree_.root
    assert root.question is not None
    assert plain.p_value is not None
    assert root.question.column == "date"
    assert root.p_value == pytest.approx(1 - (1 - plain.p_value) ** 3, rel=1e-6)


# --- the choice


def test_gain_and_impurity_are_those_of_the_criterion() -> None:
    """The cut is chosen by chi-square, but what nodes show is measured by the criterion."""
    X, y = noisy()
    for criterion in ("gini", "entropy", "misclassification"):
        tree = TreeClassifier(criterion=criterion, significance=Conditional(), prune=None).fit(X, y).tree_
        for node in tree.walk():
            if node.is_leaf:
                continue
            below = sum(child.weight * child.impurity for child in node.children)
            assert tree.array("gain")[node.number] == pytest.approx(node.impurity - below / node.weight)
        first = TreeClassifier(significance=Conditional(), prune=None).fit(X, y).tree_
        assert [str(n.question) for n in tree.walk()] == [str(n.question) for n in first.walk()]


@allow_one_leaf
def test_a_column_without_an_admissible_question_gives_way_to_the_next() -> None:
    """The strongest column has one row apart from the rest, which is too few; the next is asked about."""
    rng = np.random.default_rng(0)
    other = np.repeat([0.0, 1.0], 20)
    y = other * 2 + rng.normal(size=40)
    y[0] = 60.0
    lonely = np.zeros(40)
    lonely[0] = 1.0
    X = pd.DataFrame({"lonely": lonely, "other": other})
    make: Any = lambda least: TreeRegressor(  # noqa: E731
        significance=Conditional(1.0), min_samples_leaf=least, max_depth=1, prune=None
    )
    assert [make(least).fit(X, y).tree_.root.question.column for least in (1, 5)] == ["lonely", "other"]
    alone = make(5).fit(X[["lonely"]], y).tree_.root
    assert alone.is_leaf
    assert alone.p_value is not None
    assert alone.p_value < 1e-6


def test_the_first_of_equal_columns_is_asked_about() -> None:
    """Also where one of them is in another unit, so that sums are rounded differently."""
    X, y = noisy()
    for first, second in ((0, 4), (4, 0)):
        table = np.column_stack([X, X[:, 0] * 0.3937])
        table[:, [first, second]] = table[:, [0, 4]]
        root = TreeClassifier(significance=Conditional(), max_depth=1, prune=None).fit(table, y).tree_.root
        assert root.question is not None
        assert root.question.column == "x0"


def test_of_vanishing_p_values_the_larger_statistic_decides() -> None:
    """Both are below what a number can hold; the second column tells more."""
    x = np.arange(4000.0)
    noise = np.random.default_rng(0).normal(size=4000)
    X = np.column_stack([x + 500 * noise, x, x + 100 * noise])
    root = TreeRegressor(significance=Conditional(), max_depth=1, prune=None).fit(X, x).tree_.root
    assert root.question is not None
    assert (root.p_value, root.question.column) == (0.0, "x1")


def test_competitors_are_the_questions_of_other_columns() -> None:
    """They are remembered although they did not compete by their gains."""
    X, y = noisy()
    tree = TreeClassifier(significance=Conditional(), competitors=3, prune=None).fit(X, y).tree_
    without = TreeClassifier(significance=Conditional(), prune=None).fit(X, y).tree_
    assert [str(node.question) for node in tree.walk()] == [str(node.question) for node in without.walk()]
    root = tree.root
    assert root.question is not None
    others = [competitor.question.column for competitor in root.competitors]
    assert len(others) == 3
    assert root.question.column not in others


# --- with pruning, and interrupted


def test_trees_of_folds_are_chosen_by_the_same_rule() -> None:
    """Cross-validation grows its trees by the test too."""
    calls = 0
    ranked = conditional.ranked

    def counted(tests: Any) -> list[int]:
        nonlocal calls
        calls += 1
        return ranked(tests)

    X, y = noisy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conditional, "ranked", counted)
        grown = TreeClassifier(significance=Conditional(0.5), prune=None).fit(X, y)
        alone = calls
        prune = CostComplexity(folds=3, repeats=1)
        pruned = TreeClassifier(significance=Conditional(0.5), prune=prune).fit(X, y)
    assert calls > 3 * alone
    assert len(pruned.tree_) <= len(grown.tree_)


def test_interrupted_decisions_leave_the_estimator_as_it_was() -> None:
    """Ctrl-C inside a decision passes through the core."""
    X, y = noisy()
    model = TreeClassifier(significance=Conditional(), leaf=Shrinkage(0), prune=None)

    def interrupted(tests: Any) -> list[int]:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conditional, "ranked", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
    assert not hasattr(model, "tree_")
    assert len(model.fit(X, y).tree_) > 1


def test_regrown_below_a_node() -> None:
    """A branch can be grown anew by the test."""
    X, y = noisy()
    tree = TreeClassifier(max_depth=1, prune=None).fit(X, y).tree_
    grown = tree.regrow(tree.node(1), (X, y), significance=Conditional())
    tested = [node for node in grown.walk() if node.p_value is not None]
    assert tested
    assert all(node.path[: len(grown.node(1).path)] == grown.node(1).path for node in tested)


# --- what it does not go with


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ({"questions": MofN()}, "questions=MofN or Oblique: its test chooses one column"),
        ({"questions": Oblique()}, "questions=MofN or Oblique: its test chooses one column"),
        ({"search": Lookahead()}, "search=Lookahead: its test chooses the column, whatever lies ahead"),
        ({"criterion": "gain_ratio"}, 'criterion="gain_ratio": columns are compared by their p-values'),
        ({"criterion": GainRatio(guard=None)}, 'criterion="gain_ratio": columns are compared by their'),
        ({"column_costs": {"x0": 2}}, "column_costs: columns are compared by their p-values"),
        ({"max_leaf_nodes": 4}, "max_leaf_nodes: leaves that a failed test saves"),
    ],
)
def test_refused(option: dict[str, Any], words: str) -> None:
    """One sentence names both choices and the reason."""
    with pytest.raises(ParameterError, match=f"does not go with {words}"):
        TreeClassifier(significance=Conditional(), **option).fit(*noisy())


def test_too_many_levels_for_the_largest_part() -> None:
    """Its covariances are a square of all levels times all classes; "quadratic" needs none."""
    X = pd.DataFrame({"town": [f"town {i % 1_500}" for i in range(3_000)]})
    y = np.arange(3_000) % 3
    with pytest.raises(DataError, match="'town' and the target have 4,500 combinations"):
        TreeClassifier(significance=Conditional(statistic="maximum")).fit(X, y)
