"""The table of options against what repeats a part of it: signatures, types, the core, the guide."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from arboretum import CostComplexity, TreeClassifier, TreeRegressor
from arboretum._options.choices import ClassCriterion, Leaf, Missing, NumberCriterion, NumberLeaf
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum._options.settings import read_settings
from arboretum._options.strategy import strategies_for
from arboretum._options.table import options_for, table
from arboretum._prune import PrunerName
from arboretum.estimators.parameters import ClassifierParameters, RegressorParameters

GUIDE = Path(__file__).parents[3] / "docs" / "guide.md"
ESTIMATORS: list[tuple[Any, str, Any]] = [
    (TreeClassifier, "classes", ClassifierParameters),
    (TreeRegressor, "numbers", RegressorParameters),
]


@pytest.mark.parametrize(("kind", "target", "types"), ESTIMATORS)
def test_every_parameter_is_an_option(kind: Any, target: str, types: Any) -> None:
    """The estimator, its presets and the table name the same parameters, of the same types."""
    parameters = inspect.signature(kind).parameters
    assert list(options_for(target)) == list(parameters)
    hints = get_type_hints(kind.__init__)
    assert get_type_hints(types) == {name: hints[name] for name in parameters}


@pytest.mark.parametrize(("kind", "target", "types"), ESTIMATORS)
def test_defaults_are_allowed(kind: Any, target: str, types: Any) -> None:
    """The rule of each option takes its default."""
    settings = read_settings(kind().get_params(deep=False), of_classes=target == "classes")
    assert settings.nominal == "subset"
    assert settings.questions == "axis"
    assert settings.n_jobs == 1


def test_types_name_what_the_core_and_the_strategies_know() -> None:
    """A name that is missing from a type could not be completed; one too many would be refused by `fit`."""
    assert get_args(ClassCriterion) == CLASS_CRITERIA
    assert get_args(NumberCriterion) == NUMBER_CRITERIA
    known: list[tuple[str, Any, str | None]] = [
        ("prune", PrunerName, None),
        ("missing", Missing, None),
        ("leaf", Leaf, "classes"),
        ("leaf", NumberLeaf, "numbers"),
    ]
    for option, names, target in known:
        plain = getattr(options_for(target or "classes")[option].rule, "plain", ())
        short = [name for kind in strategies_for(option, target) for name in kind._names]
        assert {name for name in (*plain, *short) if name is not None} == set(get_args(names))


def test_guide_prints_the_table() -> None:
    """The guide holds the table that the code holds, word for word."""
    _, opened, after = GUIDE.read_text(encoding="utf-8").partition("<!-- options -->\n")
    printed, closed, _ = after.partition("<!-- /options -->")
    assert opened
    assert closed
    assert printed.rstrip("\n") == table()


def test_a_subclass_of_a_strategy_is_used_only_where_it_is_given() -> None:
    """It took the short name of its parent in every estimator of the process."""

    class Mine(CostComplexity):
        def __init__(self, alpha: float = 0.25) -> None:
            super().__init__(alpha)

    X, y = [[1.0], [2.0], [3.0], [4.0]] * 10, [0, 0, 1, 1] * 10
    given = TreeClassifier(prune=Mine()).fit(X, y)
    assert given.alpha_ == 0.25
    assert TreeClassifier().fit(X, y).alpha_ != 0.25
    assert "Mine" not in options_for("classes")["prune"].rule.words
