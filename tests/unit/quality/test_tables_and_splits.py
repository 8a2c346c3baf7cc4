"""Tables, splits and scores of `benchmarks/quality`, and what other libraries are given of a table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from benchmarks.quality.alphas import FOLDS, candidate_alphas, cut_back, fit_by_folds
from benchmarks.quality.answers import spread_out
from benchmarks.quality.encoding import MOST_COLUMNS, OneHot, as_categories, as_texts
from benchmarks.quality.goals import Goal
from benchmarks.quality.made_tables import list_made_tables, make_noise, with_identifier
from benchmarks.quality.measures import MEASURES
from benchmarks.quality.scores import mean_score, rare_tables, score_peers, share_of_single_leaves
from benchmarks.quality.splits import list_splits
from benchmarks.quality.tables import Table, make_table


@pytest.fixture
def table() -> Table:
    """Numbers with a gap, levels with a gap, truth values, a constant, a rare class and unknown targets."""
    X = pd.DataFrame(
        {
            "size": [1.0, None, *range(2, 30)],
            "colour": ["red", None, *["blue", "green"] * 14],
            "new": [True, False] * 15,
            "constant": "x",
        }
    )
    y = ["a", "b"] * 12 + ["rare"] * 4 + [None] * 2
    return make_table("small", X, y, of_classes=True, source="here")


def test_what_is_left_out_of_a_table(table: Table) -> None:
    assert table.nominal == ["colour", "new"]
    assert list(table.X) == ["size", "colour", "new"]
    assert len(table.X) == len(table.y) == 24
    assert table.classes.tolist() == ["a", "b"]
    assert table.X["colour"][1] is None
    assert set(table.X["new"]) == {"yes", "no"}
    assert table.most_levels == 3


def test_rows_of_large_tables_are_drawn_the_same_way_each_time() -> None:
    X, y = pd.DataFrame({"x": np.arange(100.0)}), np.arange(100.0)
    first, second = (
        make_table("t", X, y, of_classes=False, source="", most_rows=30).X["x"].tolist() for _ in range(2)
    )
    assert first == second == sorted(first)
    assert len(set(first)) == 30


def test_splits_hold_out_a_third_of_each_class() -> None:
    X, y = pd.DataFrame({"x": np.arange(90.0)}), ["a"] * 60 + ["b"] * 30
    table = make_table("t", X, y, of_classes=True, source="")
    splits = list_splits(table, 3, seed=1)
    assert [split.number for split in splits] == [0, 1, 2]
    for split in splits:
        assert np.unique(table.y[split.test], return_counts=True)[1].tolist() == [20, 10]
        assert sorted([*split.train, *split.test]) == list(range(90))
    assert not np.array_equal(splits[0].test, splits[1].test)
    assert not np.array_equal(splits[0].test, list_splits(table, 3, seed=2)[0].test)


def test_made_tables_are_the_same_each_time_and_as_rare_as_their_names_say() -> None:
    tables = list_made_tables()
    assert all(first.X.equals(second.X) for first, second in zip(tables, list_made_tables(), strict=True))
    assert rare_tables(tables) == ["rare 8 %", "rare 1.5 %"]
    shares = {table.name: table.rarest_share for table in tables if table.name.startswith("rare")}
    assert shares == pytest.approx({"rare 8 %": 0.08, "rare 1.5 %": 0.015}, abs=0.005)


def test_noise_and_identifiers(table: Table) -> None:
    named = with_identifier(table, seed=3)
    assert named.X["identifier"].nunique() == len(table.y)
    assert named.X.drop(columns="identifier").equals(table.X)
    for of_classes in (True, False):
        noise = make_noise(1, of_classes=of_classes)
        assert noise.of_classes == of_classes
        assert len(noise.nominal) == 3


def test_what_others_are_given(table: Table) -> None:
    encoder = OneHot(table, np.arange(2, 24))
    numbers = encoder.encode(np.arange(24))
    assert numbers.shape == (24, 1 + 2 + 2)
    assert np.isnan(numbers[1, 0])
    # The training rows know neither red nor a missing colour.
    assert numbers[0, 1:3].tolist() == numbers[1, 1:3].tolist() == [0.0, 0.0]
    assert as_categories(table)["x1"].dtype == "category"
    assert as_texts(table)["x1"][1] == ""


def test_rare_levels_share_a_column() -> None:
    X = pd.DataFrame({"city": [f"c{number}" for number in range(100)] * 2})
    table = make_table("t", X, np.zeros(200), of_classes=False, source="")
    assert OneHot(table, np.arange(200)).encode(np.arange(200)).shape == (200, MOST_COLUMNS)


def test_probabilities_of_classes_that_a_fit_did_not_see() -> None:
    X, y = pd.DataFrame({"x": np.arange(18.0)}), ["a"] * 6 + ["b"] * 6 + ["c"] * 6
    table = make_table("t", X, y, of_classes=True, source="")
    wide = spread_out(table, np.array([[0.3, 0.7]]), np.array(["c", "a"]))
    assert wide.tolist() == [[0.7, 0.0, 0.3]]


def test_a_tree_cut_back_is_the_one_grown_with_that_price() -> None:
    X, y = load_iris(return_X_y=True)
    grown = DecisionTreeClassifier(random_state=0).fit(X, y)
    for alpha in candidate_alphas(DecisionTreeClassifier(random_state=0), X, y):
        fitted = DecisionTreeClassifier(random_state=0, ccp_alpha=alpha).fit(X, y)
        smaller = cut_back(grown, alpha)
        assert smaller.get_n_leaves() == fitted.get_n_leaves()
        assert np.array_equal(smaller.predict_proba(X), fitted.predict_proba(X))
    assert grown.get_n_leaves() > 5


@pytest.mark.parametrize(("measure", "scoring"), [("accuracy", "accuracy"), ("log_loss", "neg_log_loss")])
def test_prices_are_chosen_as_by_a_grid_search(measure: str, scoring: str) -> None:
    """The grid has the prices in the middle of each step, which is what the folds are cut back by."""
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0)
    alphas = candidate_alphas(model, X, y)
    middles = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    search = GridSearchCV(model, {"ccp_alpha": middles}, scoring=scoring, cv=folds).fit(X, y)
    means = search.cv_results_["mean_test_score"]
    best = np.flatnonzero(means >= means.max() - 1e-12)[-1]
    assert fit_by_folds(model, X, y, measure).ccp_alpha == alphas[best]


def test_scores_are_means_over_splits_then_over_tables() -> None:
    records = pd.DataFrame(
        [
            {"peer": peer, "table": table, "split": split, "accuracy": value, "leaves": leaves}
            for peer, table, split, value, leaves in [
                ("us", "t1", 0, 0.5, 1),
                ("us", "t1", 1, 0.7, 4),
                ("us", "t2", 0, 0.9, 8),
                ("them", "t1", 0, 0.8, 1),
                ("them", "t2", -1, np.nan, np.nan),
            ]
        ]
    )
    accuracy, leaves = (next(one for one in MEASURES if one.key == key) for key in ("accuracy", "leaves"))
    scores = score_peers(records, accuracy, ["t1", "t2"])
    assert scores["us"].tolist() == pytest.approx([0.6, 0.9])
    assert np.isnan(scores["them"]["t2"])
    assert mean_score(scores["us"], accuracy) == pytest.approx(0.75)
    sizes = score_peers(records, leaves, ["t1", "t2"])
    assert sizes["us"].tolist() == pytest.approx([2.0, 8.0])
    assert mean_score(sizes["us"], leaves) == pytest.approx(4.0)
    assert share_of_single_leaves(records, ["t1", "t2"]).to_dict() == pytest.approx(
        {"us": 1 / 3, "them": 1.0}
    )


def test_goals_are_judged_by_the_figure_that_is_shown() -> None:
    assert Goal("", True, 0.817, 0.81651).met is True
    assert Goal("", True, 0.817, 0.81649).met is False
    assert Goal("", False, 0.480, 0.481).met is False
    assert Goal("", False, 0.480, float("nan")).met is None
