"""Costs of columns: what they decide, what they leave alone, and which are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from support.command_line import document, refused
from support.trees import unpruned_classifier, unpruned_regressor

import arboretum
from arboretum import (
    GainRatio,
    Lookahead,
    MofN,
    Oblique,
    Permutation,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._store.model_files import load, save
from arboretum.errors import ParameterError

X, y = datasets.load_iris(backend="pandas")
NAMES = list(X.columns)


def first_question(costs: Any, **options: Any) -> str:
    model = unpruned_classifier(column_costs=costs, max_depth=1, **options).fit(X, y)
    return str(model.tree_.root.question)


def test_the_gain_is_divided_by_the_cost() -> None:
    """petal_length and petal_width both gain 1/3 at the root, sepal_length gains 0.228."""
    assert first_question(None) == "petal_length <= 2.45"
    assert first_question({"petal_length": 1.001}) == "petal_width <= 0.8"
    assert first_question({"petal_length": 1.4, "petal_width": 1.4}) == "petal_length <= 2.45"
    assert first_question({"petal_length": 1.5, "petal_width": 1.5}) == "sepal_length <= 5.45"
    assert first_question({"sepal_length": 0.5}) == "sepal_length <= 5.45"


def test_the_gain_shown_is_not_divided() -> None:
    """Costs decide which question wins; its gain, the improvement and the importance are what they were."""
    plain = unpruned_classifier(max_depth=1, competitors=3).fit(X[["sepal_length"]], y)
    dear = unpruned_classifier(max_depth=1, competitors=3, column_costs=[0.01, 1, 1, 1]).fit(X, y)
    assert dear.tree_.root.gain == plain.tree_.root.gain
    assert dear.tree_.root.improvement == plain.tree_.root.improvement
    assert dear.feature_importances_.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert [c.question.column for c in dear.tree_.root.competitors] == NAMES[2:] + NAMES[1:2]


def test_competitors_come_in_the_order_of_the_quotient() -> None:
    """The runner-up of a cheap column comes before a better one that costs more."""
    costs = {"petal_width": 10, "sepal_width": 0.5}
    root = unpruned_classifier(max_depth=1, competitors=3, column_costs=costs).fit(X, y).tree_.root
    quotients = [c.gain / costs.get(c.question.column, 1) for c in root.competitors]
    assert quotients == sorted(quotients, reverse=True)
    assert [c.question.column for c in root.competitors][-1] == "petal_width"


@pytest.mark.parametrize("costs", [{}, {"petal_length": 1}, [1, 1, 1, 1], [3, 3, 3, 3], np.full(4, 0.1)])
def test_equal_costs_change_nothing(costs: Any) -> None:
    assert unpruned_classifier(column_costs=costs).fit(X, y).tree_ == unpruned_classifier().fit(X, y).tree_


def test_a_sequence_and_names_say_the_same() -> None:
    by_name = TreeClassifier(column_costs={"petal_length": 2, "sepal_width": 0.5}).fit(X, y)
    assert TreeClassifier(column_costs=[1, 0.5, 2, 1]).fit(X, y).tree_ == by_name.tree_
    assert TreeClassifier(column_costs=np.array([1, 0.5, 2, 1])).fit(X, y).tree_ == by_name.tree_


def test_numbers_as_targets() -> None:
    """A regression tree weighs costs in the same way, in all its nodes."""
    target = X["petal_width"].to_numpy()
    features = X.drop(columns="petal_width")
    cheap = unpruned_regressor(column_costs={"petal_length": 1000}, max_depth=2).fit(features, target)
    assert {node.question.column for node in cheap.tree_.walk() if node.question} <= {
        "sepal_length",
        "sepal_width",
    }


def test_the_gain_ratio_is_divided_after_the_guard() -> None:
    """The guard compares gains as they are; among those that pass, ratio over cost decides."""
    for guard in (None, "average", "c45"):
        criterion = GainRatio(guard=guard)
        table = arboretum.candidates(X, y, criterion=criterion, column_costs={"petal_length": 5})
        root = unpruned_classifier(criterion=criterion, column_costs={"petal_length": 5}).fit(X, y).tree_.root
        assert table["question"][0] == str(root.question)
        assert root.gain_ratio == pytest.approx(table["gain_ratio"][0])
    assert first_question({"petal_length": 5}, criterion="gain_ratio") == "petal_width <= 0.8"


def test_candidates_are_in_the_order_of_the_quotient() -> None:
    """The table has the cost of each column, and gains that are not divided."""
    plain = arboretum.candidates(X, y)
    assert "cost" not in plain
    table = arboretum.candidates(X, y, column_costs={"petal_length": 4})
    assert table["cost"][table["column"] == "petal_length"].eq(4).all()
    assert (table["gain"] / table["cost"]).round(12).is_monotonic_decreasing
    assert sorted(table["gain"]) == sorted(plain["gain"])
    assert table["question"][0] == first_question({"petal_length": 4})


def test_surrogates_are_chosen_whatever_they_cost() -> None:
    """As in rpart: a cost weighs questions that are asked, not those that stand in for them."""
    options = {"missing": "surrogate", "max_depth": 1}
    plain = unpruned_classifier(**options).fit(X, y).tree_.root
    # The question stays the same; petal_width, its first surrogate, is dear now.
    dear = unpruned_classifier(column_costs={"petal_width": 50}, **options).fit(X, y).tree_.root
    assert str(dear.question) == str(plain.question)
    assert [str(s.question) for s in dear.surrogates] == [str(s.question) for s in plain.surrogates]
    assert dear.surrogates[0].question.column == "petal_width"


def test_permutations_compare_the_quotient() -> None:
    """The best question of shuffled targets is found and judged as the one of the node was."""
    test = Permutation(level=0.05, permutations=99)
    tree = TreeClassifier(significance=test, column_costs=[1, 1, 9, 9], prune=None).fit(X, y).tree_
    assert tree.root.p_value == pytest.approx(0.01)


# --- values that are kept and refused ---------------------------------------------------------------------


def test_the_parameter_is_kept(tmp_path: Path) -> None:
    """Clones, model files and their estimators know the costs."""
    for costs in ({"petal_length": 2.0}, [1.0, 1.0, 2.0, 1.0]):
        model = TreeClassifier(column_costs=costs).fit(X, y)
        assert clone(model).column_costs == costs
        save(model, tmp_path / "model.json")
        again = load(tmp_path / "model.json")
        assert again.column_costs == costs
        assert again.tree_ == model.tree_


def test_regrow_takes_costs() -> None:
    """A subtree is grown anew with costs, and the edit can be read back."""
    tree = TreeClassifier(max_depth=1, prune=None).fit(X, y).tree_
    regrown = tree.regrow((1,), (X, y), column_costs={"petal_width": 100}, max_depth=1)
    assert regrown.node(2).question.column == "petal_length"
    assert arboretum.Tree.from_json(regrown.to_json()) == regrown
    with pytest.raises(ParameterError, match=r"(?s)column_costs=\[1, 1, 1, 2\] is not .*\{name: number\}"):
        tree.regrow((1,), (X, y), column_costs=[1, 1, 1, 2])


@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (2, "column_costs=2 is not allowed; give a number above 0 for each column, or {name: cost}."),
        ("petal_length", "column_costs='petal_length' is not allowed; give a number above 0 for"),
        ({"petals": 2}, "column_costs names 'petals', but the columns are 'sepal_length', "),
        ([1, 2], "column_costs has 2 entries, but X has 4 columns."),
        ({"petal_length": 0}, "column_costs of column 'petal_length' is 0; give a number between 1e-100 and"),
        ({"petal_length": -1}, "column_costs of column 'petal_length' is -1; give a number between 1e-100"),
        (
            [1, 1, float("nan"), 1],
            "column_costs of column 2 is nan; give a number between 1e-100 and 1e+100.",
        ),
        ([1, 1, "2", 1], "column_costs of column 2 is '2'; give a number between 1e-100 and 1e+100."),
        ({"petal_length": True}, "column_costs of column 'petal_length' is True; give a number between"),
    ],
)
def test_costs_that_are_refused(costs: Any, message: str) -> None:
    for model in (TreeClassifier(column_costs=costs), TreeRegressor(column_costs=costs)):
        with pytest.raises(ParameterError) as caught:
            model.fit(X, np.arange(len(X)) % 2)
        assert str(caught.value).startswith(message)
    with pytest.raises(ParameterError):
        arboretum.candidates(X, y, column_costs=costs)


@pytest.mark.parametrize(
    "options", [{"questions": MofN()}, {"questions": Oblique()}, {"search": Lookahead()}]
)
def test_searches_that_costs_do_not_go_with(options: Any) -> None:
    with pytest.raises(ParameterError, match="does not go with column_costs: "):
        TreeClassifier(column_costs={"petal_length": 2}, **options).fit(X, y)


# --- the command line -------------------------------------------------------------------------------------


def test_the_command_line(tmp_path: Path) -> None:
    """`--column-costs age=2,price=0.5`, for fitting and for the table of questions."""
    table = tmp_path / "iris.csv"
    X.assign(species=y).to_csv(table, index=False)
    written = ("--target", "species", "--column-costs", "petal_length=4,petal_width=0.5")
    document("fit", table, *written, "-o", tmp_path / "model.json")
    model = load(tmp_path / "model.json")
    assert model.column_costs == {"petal_length": 4, "petal_width": 0.5}
    assert str(model.tree_.root.question) == "petal_width <= 0.8"
    first = document("candidates", table, *written)["candidates"][0]
    assert (first["question"], first["cost"]) == ("petal_width <= 0.8", 0.5)
    wrong = ("--target", "species", "--column-costs")
    assert "--column-costs of column 'petal_length' is 0; give" in refused(
        "fit", table, *wrong, "petal_length=0"
    )
    assert "--column-costs: 'much' is not a number" in refused("fit", table, *wrong, "petal_length=much")
    assert "--column-costs names 'petals'" in refused("candidates", table, *wrong, "petals=2")
    assert json.dumps(first)
