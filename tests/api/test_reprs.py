"""What a value shows at the prompt: one short line, or a small table; never an address or raw arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import arboretum
from arboretum import (
    BaggedClassifier,
    Experiment,
    Optimal,
    TreeClassifier,
    TreeMixed,
    TreeRegressor,
    datasets,
)
from tools.docs.reference.names import is_result, public_names, value_of

X, Y = datasets.load_iris(backend="pandas")
HOUSES, PRICES = datasets.make_houses(60, backend="pandas")
MODEL = TreeClassifier(max_depth=2, prune="pessimistic").fit(X, Y)
PRICED = TreeRegressor(max_depth=3, prune=None).fit(HOUSES, PRICES)
DAYS = datasets.load_tennis(backend="pandas")


def experiment() -> Experiment:
    """One with a result and a test."""
    found = Experiment(X, Y)
    found.try_(TreeClassifier(max_depth=1, prune=None))
    return found


# What shows a table or a text as `print` does; all others take one line.
LONG: dict[str, Callable[[], Any]] = {
    "AccumulatedEffects": lambda: arboretum.accumulated_effects(PRICED, "area", HOUSES),
    "Contributions": lambda: arboretum.contributions(MODEL, X[:2]),
    "Explanation": lambda: arboretum.explain(MODEL, X[:1]),
    "InteractionStrength": lambda: arboretum.interaction_strength(PRICED, HOUSES),
    "PartialDependence": lambda: arboretum.partial_dependence(PRICED, "area"),
    "PermutationImportance": lambda: arboretum.permutation_importance(MODEL, X, Y, repeats=2),
    "Stability": lambda: arboretum.stability(TreeClassifier(max_depth=1), X, Y, n_resamples=2),
}
SHORT: dict[str, Callable[[], Any]] = {
    "Counterfactual": lambda: arboretum.counterfactual(MODEL, X[:1], "virginica")[0],
    "Exercise": lambda: arboretum.exercise("entropy"),
    "Experiment": experiment,
    "MultiTree": lambda: (
        TreeMixed(max_depth=1, prune=None)
        .fit(HOUSES, pd.DataFrame({"price": PRICES, "dear": PRICES > 200}))
        .tree_
    ),
    "NearestTree": lambda: arboretum.nearest_tree(BaggedClassifier(n_trees=2).fit(X, Y), X),
    "Node": lambda: MODEL.tree_.root,
    "Optimality": lambda: TreeClassifier(search=Optimal(), max_depth=1, prune=None).fit(X, Y).optimality_,
    "PruningLog": lambda: MODEL.pruning_log_,
    "PruningPath": lambda: TreeClassifier().fit(X, Y).pruning_path_,
    "Rule": lambda: MODEL.tree_.rules()[0],
    "RuleList": lambda: arboretum.simplified_rules(MODEL, X, Y),
    "Step": lambda: arboretum.trace(TreeClassifier.id3(), *DAYS).steps[0],
    "Summary": lambda: MODEL.summary(),
    "Trace": lambda: arboretum.trace(TreeClassifier.id3(), *DAYS),
    "Tree": lambda: MODEL.tree_,
    "results of an experiment": lambda: experiment().results,
    "one result": lambda: experiment().results[0],
    "the best result": lambda: experiment().best,
    "the score of a test": lambda: experiment().test(),
}
OPTIONS = [name for name in sorted(public_names()) if hasattr(value_of(name), "get_params")]


@pytest.mark.parametrize("name", SHORT)
def test_one_line_is_enough(name: str) -> None:
    """It is in angle brackets, with the name of the class and what matters most."""
    value = SHORT[name]()
    shown = repr(value)
    assert shown.startswith(f"<{type(value).__name__}")
    assert shown.endswith(">")
    assert "\n" not in shown
    assert len(shown) < 200
    assert not any(raw in shown for raw in ("array(", "object at 0x"))


@pytest.mark.parametrize("name", LONG)
def test_tables_are_small(name: str) -> None:
    """It is what `print` shows."""
    value = LONG[name]()
    assert repr(value) == str(value)
    assert repr(value).count("\n") < 60


@pytest.mark.parametrize("name", OPTIONS)
def test_options_show_what_was_chosen(name: str) -> None:
    """An estimator or a strategy shows what makes it, and nothing where all is as by default."""
    assert repr(value_of(name)()) == f"{name.rpartition('.')[2]}()"


def test_no_result_is_left_out() -> None:
    """Each class that a function returns is in one of the tables."""
    results = {name for name in public_names() if is_result(value_of(name)) and "." not in name}
    warnings = {name for name in results if issubclass(value_of(name), BaseException)}
    assert results - warnings <= {*LONG, *SHORT}
