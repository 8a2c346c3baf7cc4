"""Simplified rules: predictions by a plain re-implementation, greedy dropping and choosing by brute force."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from scipy import stats
from sklearn.metrics import accuracy_score
from support.export_models import exported, rows_of, table_rows
from support.export_rules import share_of
from support.export_tables import cases
from support.marks import allow_constant_column, allow_one_leaf, allow_unknown_levels
from support.sweeps import few

import arboretum
from arboretum import (
    DataError,
    ParameterError,
    RuleList,
    TreeClassifier,
    TreeRegressor,
    datasets,
    simplified_rules,
)
from arboretum._data import Column, match_dataset
from arboretum._data.levels import level_from_json
from arboretum.inspection.rules.choosing import Rows, _choices, _costs, _fewest_bits, chosen_order
from arboretum.inspection.rules.generalising import Asker, Costs, Draft, generalised, single_conditions
from arboretum.inspection.rules.matching import Table
from arboretum.inspection.rules.rule import rules_of

CLASSES = [
    *("penguins", "surrogates", "fractions", "multiway", "at least m", "sums", "dates", "weighted"),
    *("typed", "typed, surrogates", "typed, fractions", "unseen levels, classes", "rows that rest"),
    *("losses", "votes", "hostile", "hostile, fractions"),
]


def said_by_hand(rules: RuleList, rows: list[dict[str, Any]]) -> list[Any]:
    """What the JSON of a list says of rows: the first rule that holds, else the default."""
    document = json.loads(rules.to_json())
    columns = {stored["name"]: Column.from_dict(stored) for stored in document["columns"]}
    answers = []
    for row in rows:
        held = (r["label"] for r in document["rules"] if share_of(r["conditions"], columns, row) == 1.0)
        answers.append(level_from_json(next(held, document["default"])))
    return answers


@allow_unknown_levels
@allow_constant_column
@pytest.mark.parametrize("kind", CLASSES)
def test_the_list_says_what_its_rules_say(kind: str) -> None:
    model, X, y = exported(kind)
    y = model.predict(X) if y is None else y
    rules = simplified_rules(model, X, y)
    rows = table_rows(model, X)
    assert rules.predict(X).tolist() == said_by_hand(rules, rows)
    assert rules.accuracy == pytest.approx(accuracy_score(y, rules.predict(X)))
    assert rules.tree_accuracy == pytest.approx(accuracy_score(y, model.predict(X)))
    assert rules.score(X, y) == pytest.approx(rules.accuracy)


@allow_one_leaf
@settings(max_examples=few(0.5))
@given(cases())
def test_the_list_says_what_its_rules_say_in_random_tables(case: tuple[Any, Any]) -> None:
    model, X = case
    if model.tree_.rule is None:
        with pytest.raises(DataError, match="needs a tree of classes"):
            simplified_rules(model, X, model.predict(X))
        return
    y = model.predict(X)[::-1]
    rules = simplified_rules(model, X, y)
    assert rules.predict(X).tolist() == said_by_hand(rules, table_rows(model, X))
    assert len(rules.to_frame()) == len(rules) + 1
    assert len(str(rules).splitlines()) == len(rules) + 2
    assert rules.n_default + sum(rule.n_decided for rule in rules) == len(X)


@pytest.mark.parametrize("kind", ["penguins", "typed, surrogates", "typed, fractions", "losses"])
def test_conditions_are_dropped_one_by_one(kind: str) -> None:
    """Greedy dropping, counted anew for every set of conditions."""
    model, X, y = exported(kind)
    tree, n_classes = model.tree_, len(model.classes_)
    data = match_dataset(X, tree.columns, named=True, owner="the test")
    codes = np.searchsorted(model.classes_, y)
    losses = tree.rule.costs()
    costs = Costs(losses.max(axis=1)[codes], losses[codes], 0.25)
    table = Table(data)
    for rule in rules_of(tree, exact=True)[:12]:
        conditions = single_conditions(rule.conditions, divided=tree.missing == "fractions")
        label = list(tree.target.classes).index(rule.label)
        draft = generalised(Draft(conditions, label), Asker(table), costs)
        assert draft.conditions == plainly_generalised(conditions, label, table, costs)
    assert n_classes == 3


def plainly_generalised(conditions: Any, label: int, table: Table, costs: Costs) -> Any:
    def error(kept: Any) -> float:
        rows = table.meets_all(kept)
        size, wrong = float(costs.size[rows].sum()), float(costs.cost[rows, label].sum())
        # The upper limit of a binomial share, Clopper and Pearson's.
        return 1.0 if wrong >= size * (1 - 1e-12) else float(stats.beta.ppf(0.75, wrong + 1, size - wrong))

    kept = list(conditions)
    while kept:
        without = [error(kept[:i] + kept[i + 1 :]) for i in range(len(kept))]
        least = min(without)
        if least > error(kept) + 1e-12:
            break
        kept.pop(max(i for i, found in enumerate(without) if found <= least + 1e-12))
    return tuple(kept)


def test_the_pessimist_counts_as_quinlan_does() -> None:
    """U(0, 6) = 0.206, U(0, 9) = 0.143, U(0, 1) = 0.75: the examples of his book, for 25 %."""
    costs = Costs(np.ones(1), np.zeros((1, 2)), 0.25)
    found = costs.error(np.zeros(3), np.array([6.0, 9.0, 1.0]))
    assert found.tolist() == pytest.approx([0.206, 0.143, 0.750], abs=5e-4)
    assert costs.error(np.zeros(1), np.zeros(1)).tolist() == [1.0]
    plain = Costs(np.ones(1), np.zeros((1, 2)), None)
    assert plain.error(np.array([1.0, 0.0]), np.array([4.0, 0.0])).tolist() == [0.25, 1.0]


# --- choosing


def random_rows(
    seed: int, n_rules: int = 6, n_rows: int = 40
) -> tuple[Rows, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    covers = rng.random((n_rules, n_rows)) < rng.uniform(0.1, 0.5, (n_rules, 1))
    classes = rng.integers(0, 2, n_rows)
    costs = Costs(np.ones(n_rows), 1.0 - np.eye(2)[classes], 0.25)
    return Rows.grouped(covers, classes, costs), covers, classes, rng.uniform(2, 9, n_rules)


@pytest.mark.parametrize("seed", range(12))
def test_no_rule_more_or_less_saves_bits(seed: int) -> None:
    """The bits are counted row by row; of all 64 sets, hardly any is shorter than the one that was found."""
    rows, covers, classes, bits = random_rows(seed)

    def length(chosen: Any) -> float:
        covered = covers[list(chosen)].any(axis=0) if len(chosen) else np.zeros(40, dtype=bool)
        wrong, left = float((covered & (classes != 1)).sum()), float((~covered & (classes == 1)).sum())
        exceptions = _choices(np.array([covered.sum()]), np.array([wrong]))
        exceptions = exceptions + _choices(np.array([(~covered).sum()]), np.array([left]))
        return float(exceptions[0]) + 0.5 * float(sum(bits[i] for i in chosen))

    found = _fewest_bits(np.arange(6), 1, rows, bits)
    best = length(found)
    for i in range(6):
        other = sorted(set(found) ^ {i})
        assert length(other) >= best - 1e-6
    shortest = min(length([i for i in range(6) if mask >> i & 1]) for mask in range(64))
    assert best <= shortest * 1.05 + 1


def test_bits_of_exceptions() -> None:
    """Which 2 of 5 rows: one of ten choices."""
    assert float(_choices(np.array([5.0]), np.array([2.0]))[0]) == pytest.approx(np.log2(10))


@pytest.mark.parametrize("seed", range(12))
def test_what_a_list_costs_without_each_rule(seed: int) -> None:
    """First rule that covers, else the cheapest class of the rows left over: row by row."""
    rows, covers, classes, _ = random_rows(seed)
    labels = np.random.default_rng(seed + 100).integers(0, 2, 6)
    overall = [int((classes != k).sum()) for k in (0, 1)]

    def cost(order: list[int]) -> int:
        first = [next((i for i in order if covers[i, row]), None) for row in range(40)]
        left = [int(classes[row]) for row in range(40) if first[row] is None]
        default = min((0, 1), key=lambda k: (sum(c != k for c in left), overall[k], k))
        said = [default if place is None else int(labels[place]) for place in first]
        return sum(one != other for one, other in zip(said, classes.tolist(), strict=True))

    order = [3, 0, 5, 1, 2, 4]
    now, without = _costs(order, labels, rows)
    assert now == pytest.approx(cost(order))
    expected = [cost(order[:place] + order[place + 1 :]) for place in range(6)]
    assert without.tolist() == pytest.approx(expected)


def test_order_and_default() -> None:
    """The class without false alarms comes first; rows that nothing covers decide the default."""
    classes = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    covers = np.array([[1, 1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0, 0, 0]], dtype=bool)
    costs = Costs(np.ones(10), 1.0 - np.eye(3)[classes], 0.25)
    rows = Rows.grouped(covers, classes, costs)
    drafts = [Draft((), 0), Draft((), 1)]
    order, default = chosen_order(drafts, rows, np.array([0.3, 0.2]), np.array([1.0, 1.0]))
    assert (order, default) == ([1, 0], 2)


# --- the whole


def test_rules_are_fewer_and_shorter_and_nearly_as_good() -> None:
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=None).fit(X, y)
    rules = simplified_rules(model, X, y)
    assert len(rules) < model.get_n_leaves()
    assert rules.n_conditions < sum(len(rule.conditions) for rule in model.tree_.rules())
    assert rules.accuracy > rules.tree_accuracy - 0.02
    assert rules.tree_accuracy == pytest.approx(model.score(X, y))
    assert str(rules).splitlines()[-1] == (
        "3 rules of 7 conditions: 98.8% of 344 rows right; the tree's 15 leaves: 98.8%"
    )
    assert repr(rules).startswith("<RuleList: 3 rules, accuracy 0.988")


def test_the_order_of_rows_does_not_matter() -> None:
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=None).fit(X, y)
    order = np.random.default_rng(0).permutation(len(y))
    assert str(simplified_rules(model, X.iloc[order], y.iloc[order])) == str(simplified_rules(model, X, y))


def test_weights_are_scaled_and_rows_without_weight_left_out() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier(prune=None).fit(X, y)
    weight = np.where(np.arange(150) % 3 == 0, 0.0, 2.0)
    counting = weight > 0
    weighted = simplified_rules(model, X, y, weight)
    plain = simplified_rules(model, X[counting], y[counting])
    assert [rule.outcomes for rule in weighted] == [rule.outcomes for rule in plain]
    assert weighted.accuracy == pytest.approx(plain.accuracy)
    assert all(rule.interval is None for rule in weighted)
    assert all(rule.interval is not None for rule in plain)


def test_class_weights_and_losses_count() -> None:
    """Where a mistake about one class costs much more, fewer of its rows are called something else."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"x": rng.normal(size=400), "z": rng.normal(size=400)})
    y = np.where(X["x"] + rng.normal(0, 1.0, 400) > 1.0, "sick", "well")
    plain = TreeClassifier(max_depth=4, prune=None).fit(X, y)
    careful = [
        TreeClassifier(max_depth=4, prune=None, class_weight={"sick": 8, "well": 1}).fit(X, y),
        TreeClassifier(max_depth=4, prune=None, loss=[[0, 8], [1, 0]]).fit(X, y),
    ]

    def missed(model: Any) -> int:
        return int(((y == "sick") & (simplified_rules(model, X, y).predict(X) == "well")).sum())

    assert all(missed(model) < missed(plain) for model in careful)


def test_rows_the_tree_has_not_seen_are_counted_as_they_are() -> None:
    X, y = datasets.load_penguins()
    model = TreeClassifier(prune=None).fit(X[::2], y[::2])
    rules = simplified_rules(model, X[1::2], y[1::2], confidence=None)
    assert rules.accuracy >= rules.tree_accuracy - 0.05
    few_rules = simplified_rules(model, X[::2], y[::2], confidence=0.001)
    assert few_rules.n_conditions <= simplified_rules(model, X[::2], y[::2], confidence=0.5).n_conditions


@allow_one_leaf
def test_a_tree_that_asks_nothing_has_only_a_default() -> None:
    model = TreeClassifier().fit([[1.0], [2.0]], ["a", "a"])
    rules = simplified_rules(model, [[1.0], [2.0]], ["a", "a"])
    assert (len(rules), rules.default) == (0, "a")
    assert rules.predict([[5.0]]).tolist() == ["a"]
    assert rules.apply([[5.0]]).tolist() == [-1]
    assert str(rules).splitlines()[0] == "always → a (2 rows)"


def test_a_tree_alone_has_simplified_rules() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier().fit(X, y)
    assert str(simplified_rules(model.tree_, X, y)) == str(simplified_rules(model, X, y))
    assert arboretum.simplified_rules is simplified_rules


def test_what_cannot_be_simplified_is_refused() -> None:
    X, y = datasets.load_iris()
    model = TreeClassifier().fit(X, y)
    with pytest.raises(DataError, match="needs a tree of classes"):
        simplified_rules(TreeRegressor().fit(X, X["petal_width"]), X, X["petal_width"])
    with pytest.raises(ParameterError, match=r"confidence=0\.7"):
        simplified_rules(model, X, y, confidence=0.7)
    with pytest.raises(DataError, match="holds the class 'tulip'"):
        simplified_rules(model, X[:2], ["setosa", "tulip"])
    with pytest.raises(DataError, match="zero in every row"):
        simplified_rules(model, X, y, np.zeros(150))
    with pytest.raises(DataError, match="no rows"):
        simplified_rules(model, X[:0], y[:0])
    with pytest.raises(arboretum.DataTypeError, match="needs a fitted tree estimator"):
        simplified_rules(3, X, y)
    refuses = TreeClassifier(missing="error").fit(X, y)
    with pytest.raises(DataError, match="missing"):
        simplified_rules(refuses, X, y).predict(X.assign(petal_width=np.nan))


def test_rows_of_other_kinds_are_answered() -> None:
    """Unknown levels and missing values meet the conditions that the tree would send them along."""
    model, X, y = exported("typed")
    rules = simplified_rules(model, X, y)
    rows = rows_of(model, X, 20)[-60:]
    assert len(said_by_hand(rules, rows)) == 60
