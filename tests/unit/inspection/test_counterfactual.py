"""Counterfactuals: what they say, their options, and the sentences that refuse what cannot be.

That nothing nearer exists is shown in oracle/test_counterfactuals.py.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import pickle
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    DataError,
    DataTypeError,
    Oblique,
    ParameterError,
    TreeClassifier,
    TreeRegressor,
    counterfactual,
    datasets,
)
from arboretum.inspection.counterfactual import search
from arboretum.inspection.counterfactual.ways import Ways


def loans(**options: Any) -> tuple[Any, pd.DataFrame]:
    """A tree that grants loans by income, colour and day."""
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame(
        {
            "income": rng.integers(10, 60, n) * 100,
            "colour": rng.choice(["blue", "green", "red"], n),
            "day": pd.Series(pd.date_range("2024-01-01", periods=n, freq="D"))
            .sample(frac=1, random_state=1)
            .array,
            "size": pd.Series(rng.choice(["small", "medium", "large"], n)).astype(
                pd.CategoricalDtype(["small", "medium", "large"], ordered=True)
            ),
        }
    )
    y = np.where((X["income"] > 3000) & (X["colour"] != "red"), "yes", "no")
    y = np.where((X["day"] > "2024-09-15") & (X["size"] == "large"), "yes", y)
    return TreeClassifier(prune=None, leaf="frequency", **options).fit(X, y), X


MODEL, X = loans()
POOR = {"income": 2900, "colour": "blue", "day": dt.datetime(2024, 3, 1), "size": "small"}


def texts(row: Any, desired: Any, model: Any = MODEL, **options: Any) -> list[str]:
    return [answer.text for answer in counterfactual(model, row, desired, **options)]


# --- words


def test_the_sentence() -> None:
    """A threshold between integers becomes a readable number beyond it."""
    assert texts(POOR, "yes", data=X) == ["if income were 3,100 or more instead of 2,900"]
    exact = counterfactual(MODEL, POOR, "yes", data=X, readable=False)[0]
    assert exact.row["income"] == 3051
    assert exact.cost == exact.bound


def test_dates_levels_and_several_changes() -> None:
    """Dates and levels have words of their own; changes are joined in one sentence."""
    assert texts(POOR, "yes", fixed=["income"]) == [
        "if day were 2024-09-23 or later instead of 2024-03-01 and size were large instead of small"
    ]
    assert texts({**POOR, "income": 5000, "colour": "red"}, "yes", data=X) == [
        "if colour were blue or green instead of red"
    ]


def test_missing_values_are_filled_in() -> None:
    """A missing value may become known, at the price of one spread; a known one never becomes missing."""
    answers = counterfactual(MODEL, {**POOR, "income": None}, "no", data=X, n=3)
    assert [(answer.text, answer.cost) for answer in answers] == [
        ("if colour were red instead of blue", 1.0),
        ("if income were 3,000 or less instead of missing", 1.0),
    ]
    for answer in counterfactual(MODEL, POOR, "yes", n=5):
        assert all(value is not None for value in answer.row.values())


def test_an_unknown_level_counts_as_missing() -> None:
    """It is replaced at the price of a change, and stays as it is where nothing has to be."""
    row = {**POOR, "income": 5000, "colour": "pink"}
    (answer,) = counterfactual(MODEL, row, "no")
    assert answer.text == "if colour were red instead of pink"
    assert (answer.changes[0].before, answer.cost) == ("pink", 1.0)
    assert counterfactual(MODEL, row, "yes")[0].row["colour"] == "pink"


def test_nothing_has_to_change() -> None:
    """A row that is predicted as desired is the answer."""
    (answer,) = counterfactual(MODEL, POOR, "no", n=3)
    assert (answer.text, answer.cost, answer.changes) == ("if nothing changes", 0.0, ())
    assert dict(answer.row) == POOR


def test_the_answer_as_a_document() -> None:
    """JSON has the row, the changes and the costs; dates are text."""
    answer = counterfactual(MODEL, POOR, "yes", fixed="income")[0]
    told = json.loads(json.dumps(answer.to_dict()))
    assert told["row"]["day"].startswith("2024-09-23")
    assert [change["column"] for change in told["changes"]] == ["day", "size"]
    assert str(answer) == f"{answer.text}: yes (100%)"
    frame = answer.proof.to_frame()
    assert list(frame) == ["node", "bound", "open"]
    assert frame["bound"].is_monotonic_increasing
    assert (frame.loc[frame["open"], "bound"] >= answer.bound).all()


def test_answers_can_be_predicted() -> None:
    """The row of an answer goes back into the model."""
    for answer in counterfactual(MODEL, POOR, "yes", n=3):
        table = pd.DataFrame([dict(answer.row)]).astype({"size": X["size"].dtype})
        assert MODEL.predict(table).tolist() == ["yes"]
        assert MODEL.predict_proba(table)[0, 1] == answer.probability


# --- what is wanted


def test_probabilities_and_numbers() -> None:
    """A least or greatest probability; a number to reach from below or above; a range of numbers."""
    iris, y = datasets.load_iris()
    model = TreeClassifier().fit(iris, y)
    sure = counterfactual(model, iris.iloc[[0]], {"versicolor": 0.9, "virginica": (None, 0.05)})[0]
    assert sure.prediction == "versicolor"
    assert (sure.probability or 0) >= 0.9
    doubtful = counterfactual(model, iris.iloc[[0]], {"setosa": (None, 0.5)})[0]
    assert doubtful.prediction != "setosa"
    numbers = TreeRegressor(prune=None, max_leaf_nodes=20).fit(iris.iloc[:, :3], iris.iloc[:, 3])
    row = iris.iloc[[60], :3]
    present = float(numbers.predict(row)[0])
    assert float(counterfactual(numbers, row, 2.0)[0].prediction) >= 2.0
    assert float(counterfactual(numbers, row, 0.4)[0].prediction) <= 0.4
    assert counterfactual(numbers, row, (present, present))[0].cost == 0.0
    assert 1.5 <= float(counterfactual(numbers, row, (1.5, 1.9))[0].prediction) <= 1.9


# --- costs


def test_costs_decide() -> None:
    """What is dear stays; a pair of levels may have a price of its own; nothing costs less than 0."""
    row = {**POOR, "colour": "red"}
    cheap = counterfactual(MODEL, row, "yes", data=X, costs={"day": 0.0, "size": 0.1})[0]
    assert {change.column for change in cheap.changes} == {"day", "size"}
    pairs = {"colour": {("red", "green"): 0.25, ("blue", "red"): 9.0}}
    green = counterfactual(MODEL, row, "yes", data=X, costs=pairs, fixed=["day", "size"])[0]
    assert green.row["colour"] == "green"
    assert {change.column: change.cost for change in green.changes}["colour"] == 0.25


def test_the_unit_of_cost() -> None:
    """The spread is that of the data, from the 5% to the 95% quantile, or else that of the thresholds."""
    low, high = np.quantile(X["income"], [0.05, 0.95], method="inverted_cdf")
    exact = counterfactual(MODEL, POOR, "yes", data=X, readable=False)[0]
    assert exact.cost == pytest.approx((3051 - 2900) / (high - low))
    other = counterfactual(MODEL, POOR, "yes", data=(X, None), readable=False)[0]
    assert other.cost == exact.cost
    lone = TreeClassifier(prune=None).fit(np.arange(10.0).reshape(-1, 1), np.arange(10) > 4)
    assert counterfactual(lone, [2.0], True)[0].bound == 1.0


# --- several answers


def test_diverse_answers() -> None:
    """By columns no answer includes another's; by leaves each ends elsewhere."""
    iris, y = datasets.load_iris()
    model = TreeClassifier(prune=None).fit(iris, y)
    leaves = counterfactual(model, iris.iloc[[60]], "virginica", n=10, diverse="leaves")
    ends = [model.apply(pd.DataFrame([dict(answer.row)]))[0] for answer in leaves]
    assert len(set(ends)) == len(ends) > 1
    columns = counterfactual(model, iris.iloc[[60]], "virginica", n=10)
    sets = [{change.column for change in answer.changes} for answer in columns]
    assert all(not one <= other for i, one in enumerate(sets) for other in sets[i + 1 :])


# --- bad input

REFUSED: list[tuple[dict[str, Any], Any, str]] = [
    (
        {"desired": "yess"},
        ParameterError,
        "desired='yess' is not a class of the tree; its classes are 'no', 'yes'. Did you mean 'yes'?",
    ),
    ({"desired": ["yes"]}, ParameterError, "is not a class"),
    ({"desired": {"yes": 1.5}}, ParameterError, "give the least probability, 0 to 1"),
    ({"desired": {"yes": (0.8, 0.2)}}, ParameterError, "excludes every probability"),
    ({"desired": {}}, ParameterError, "wants nothing"),
    (
        {"desired": {"yes": (0.4, 0.6)}},
        ParameterError,
        "No leaf predicts yes with a probability of 0.4 to 0.6; the leaves give yes 0 to 1.",
    ),
    (
        {"fixed": ["incom"]},
        ParameterError,
        "fixed names the column 'incom', which the tree does not have; it has 'income', 'colour'",
    ),
    ({"fixed": 3}, ParameterError, "give the names of columns"),
    ({"costs": {"incom": 1}}, ParameterError, "costs names the column 'incom'"),
    (
        {"costs": {"income": -1}},
        ParameterError,
        "costs={'income': -1} is not allowed; give a number of 0 or more",
    ),
    ({"costs": {"income": "dear"}}, ParameterError, "give a number of 0 or more"),
    ({"costs": {"income": float("nan")}}, ParameterError, "give a number of 0 or more"),
    ({"costs": {"income": True}}, ParameterError, "give a number of 0 or more"),
    ({"costs": 2}, ParameterError, "give {column: cost}"),
    ({"costs": {"income": {("a", "b"): 1}}}, ParameterError, "costs of pairs of levels"),
    ({"costs": {"colour": {"red": 1}}}, ParameterError, "give pairs of levels"),
    ({"costs": {"colour": {("red", "gren"): 1}}}, ParameterError, "Did you mean 'green'?"),
    ({"ranges": {"income": (5, 3)}}, ParameterError, "ranges={'income': (5, 3)} excludes every value"),
    ({"ranges": {"income": (3.2, 3.8)}}, ParameterError, "excludes every value"),
    ({"ranges": {"income": "up"}}, ParameterError, "'rise' or 'fall'"),
    ({"ranges": {"income": ("a", "b")}}, ParameterError, "is not allowed for a column of kind 'integer'"),
    ({"ranges": {"colour": []}}, ParameterError, "excludes every level"),
    ({"ranges": {"colour": "red"}}, ParameterError, "give a list of the levels"),
    ({"ranges": {"colour": ["pink"]}}, ParameterError, "names the level 'pink'"),
    ({"ranges": {"day": (dt.datetime(2024, 1, 1, tzinfo=dt.UTC), None)}}, ParameterError, "kind 'datetime'"),
    (
        {"ranges": {"income": (0, 2950)}, "fixed": ["day"]},
        DataError,
        "No change that is allowed by fixed and ranges gives yes",
    ),
    ({"fixed": list(POOR)}, DataError, "No change that is allowed by fixed gives yes"),
    (
        {"max_changes": 0},
        ParameterError,
        "max_changes=0 is not allowed; give an integer of 1 or more, or None.",
    ),
    ({"n": 0}, ParameterError, "n=0 is not allowed; give an integer of 1 or more."),
    ({"diverse": "rows"}, ParameterError, "choose 'columns', 'leaves'"),
    ({"readable": 1}, ParameterError, "readable=1"),
    ({"row": {"income": 3}}, DataError, "it lacks the columns 'colour', 'day', 'size'; it has 'income'.\n"),
    ({"row": X.head(2)}, DataError, "row must be one row, but it holds 2"),
    ({"row": X.head(0)}, DataError, "row must be one row"),
    ({"row": X[["income"]].head(1)}, DataError, "table: it lacks the columns 'colour', 'day', 'size'"),
    ({"row": [1.0]}, DataError, "1 features"),
    ({"row": 3}, (DataError, DataTypeError), "row must be one row"),
    ({"data": X[["income"]]}, DataError, "data lacks the columns"),
]


@pytest.mark.parametrize(("options", "kind", "sentence"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused(options: dict[str, Any], kind: type[Exception], sentence: str) -> None:
    """Each is refused in one sentence that names what was given."""
    given: dict[str, Any] = {"row": POOR, "desired": "yes", **options}
    with pytest.raises(kind) as error:
        counterfactual(MODEL, **given)
    assert sentence in str(error.value)


def test_refused_models_and_numbers() -> None:
    """A model that is no tree; a tree of numbers that is asked for a class, or for what no leaf predicts."""
    with pytest.raises(DataTypeError, match=r"counterfactual\(\) needs a fitted tree estimator"):
        counterfactual("model", POOR, "yes")
    numbers = TreeRegressor(prune=None).fit([[0.0], [1.0]], [0.0, 1.0])
    for desired in ("yes", None, (None, None), float("nan"), (3, 1), [1, 2, 3]):
        with pytest.raises(ParameterError, match="desired="):
            counterfactual(numbers, [0.0], desired)
    with pytest.raises(ParameterError, match="No leaf predicts a value of at least 5; the leaves predict"):
        counterfactual(numbers, [0.0], 5)


def test_a_class_that_no_leaf_predicts() -> None:
    """It says which classes leaves predict, and how to ask for a probability instead."""
    model = TreeClassifier(max_depth=1, prune=None).fit([[0.0]] * 4 + [[1.0]] * 3, list("aaabccc"))
    with pytest.raises(ParameterError, match="no leaf predicts; leaves predict 'a', 'c'"):
        counterfactual(model, [0.0], "b")
    assert counterfactual(model, [1.0], {"b": 0.15})[0].prediction == "a"


def test_a_search_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that is divided in too many ways is refused, with what is known so far."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(200, 5))
    model = TreeClassifier(missing="fractional", prune=None).fit(
        noise, noise.sum(axis=1) > rng.normal(size=200)
    )
    monkeypatch.setattr(search, "MOST_REGIONS", 3)
    monkeypatch.setattr(search, "MOST_PER_NODE", 0)
    with pytest.raises(
        DataError, match=r"asks about many columns at once\. Whatever is as desired costs at least"
    ):
        counterfactual(model, [None] * 5, {True: 0.85})


def test_a_sum_of_many_columns() -> None:
    """No value is missing, so that a sum has two sides; each column alone is an answer of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 20))
    y = X @ rng.uniform(0.5, 1.0, size=20) > 0
    model = TreeClassifier(questions=Oblique(), max_depth=1, prune=None).fit(X, y)
    assert len(model.tree_.root.question.terms) > 15
    row = X[int(np.flatnonzero(~model.predict(X))[0])]
    answers = counterfactual(model, row, True, data=X, n=3, max_changes=1)
    assert len({answer.changes[0].column for answer in answers}) == 3
    costs = [answer.cost for answer in answers]
    assert costs == sorted(costs)
    assert all(answer.proof.holds for answer in answers)


def test_hints_can_be_followed() -> None:
    """The hint of an impossible wish is possible; what is reached is never rounded up; classes keep types."""
    rows, y = np.arange(40.0)[:, None], np.array([10, 11] * 20)
    rare = np.where(np.arange(40) % 5 == 0, "rare", np.where(np.arange(40) < 20, "a", "b"))
    model = TreeClassifier(prune=None, max_depth=1).fit(rows, rare)
    with pytest.raises(ParameterError, match="no leaf predicts") as error:
        counterfactual(model, [0.0], "rare")
    found = re.search(r"desired=\{'rare': ([0-9.]+)\}", str(error.value))
    assert found is not None
    assert counterfactual(model, [0.0], {"rare": float(found[1])})
    with pytest.raises(ParameterError, match=r"Did you mean 11\?"):
        counterfactual(TreeClassifier(prune=None).fit(rows, y), [0.0], "11")
    many = TreeClassifier(prune=None, max_depth=1).fit(
        np.repeat([[0.0], [1.0]], 30_000, axis=0), np.repeat(["no", "yes"], 30_000)
    )
    with pytest.raises(ParameterError, match=r"to 0\.9998\."):
        counterfactual(many, [0.0], {"yes": 1.0})


# --- the ends of the numbers


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("data", [False, True])
def test_from_one_end_of_the_numbers_to_the_other(sign: float, data: bool) -> None:
    """The way is longer than any double, and still a way: at a finite price, with a proof."""
    X = pd.DataFrame({"a": sign * np.array([-1.5e308, 1.5e308] * 10), "b": np.arange(20.0)})
    model = TreeClassifier(prune=None).fit(X[["a"]].assign(b=0.0), ["no", "yes"] * 10)
    near = pd.DataFrame({"a": [-1.0, 1.0], "b": [0.0, 0.0]})
    row = {"a": -sign * 1.7e308, "b": 0.0}
    for ranges in ({}, {"a": (sign * 1e308, None) if sign > 0 else (None, sign * 1e308)}):
        (answer,) = counterfactual(model, row, "yes", data=near if data else None, ranges=ranges)
        assert model.predict(pd.DataFrame([answer.row])) == "yes"
        assert math.isfinite(answer.cost)
        assert answer.cost >= answer.bound > 0
        assert answer.proof.holds
        if not data and ranges:
            assert answer.bound == pytest.approx(2.7 / 1.7)


def test_prices_beyond_the_numbers_add_up() -> None:
    """What costs more than 1e300 counts as that, so that two such changes have a sum."""
    X = pd.DataFrame({"a": [0.0, 0.0, 1.0, 1.0] * 5, "c": ["p", "q"] * 10})
    y = np.where((X["a"] > 0.5) & (X["c"] == "q"), "yes", "no")
    model = TreeClassifier(prune=None, levels="raw").fit(X, y)
    row = {"a": 0.0, "c": "p"}
    (answer,) = counterfactual(model, row, "yes", costs={"a": 1.7e308, "c": 1.7e308})
    assert answer.cost == answer.bound == 2e300
    assert answer.proof.holds


def test_a_class_of_numpy_is_shown_as_it_is() -> None:
    """`model.classes_[0]` is a number of NumPy; messages write 0."""
    model = TreeClassifier(max_depth=0).fit(np.arange(20.0).reshape(-1, 1), [1, 1, 0, 1] * 5)
    with pytest.raises(ParameterError, match=r"(?s)^desired=0 is a class .*desired=\{0: 0\.25\} asks"):
        counterfactual(model, [1.0], model.classes_[0])
    with pytest.raises(ParameterError, match=r"^desired=7 is not a class"):
        counterfactual(model, [1.0], np.int64(7))


# --- digits


def test_the_value_of_before_has_digits_that_are_enough() -> None:
    """Six, or those asked for, or as many as keep it on its side of the value after; not 100% below 1."""
    X = pd.DataFrame({"a": np.arange(1000.0) / 1000})
    model = TreeClassifier(prune=None, leaf="laplace").fit(X, np.where(X["a"] > 0.5, "yes", "no"))
    (answer,) = counterfactual(model, [1 / 3], "yes")
    assert str(answer) == "if a were 0.501 or more instead of 0.333333: yes (>99%)"
    assert answer.to_text(digits=2) == "if a were 0.501 or more instead of 0.33: yes (>99%)"
    assert "instead of 0.3333333333333333:" in answer.to_text(digits=None)
    assert (answer.text, answer.changes[0].text) == (
        f"if {answer.changes[0].text}",
        "a were 0.501 or more instead of 0.333333",
    )
    (near,) = counterfactual(model, [0.50050000001], "no", readable=False)
    assert near.changes[0].text == "a were 0.5005 or less instead of 0.50050000001"
    assert pickle.loads(pickle.dumps(answer)).text == answer.text


# --- infinite values


@pytest.mark.parametrize("infinite", [np.inf, -np.inf])
def test_leaving_infinity(infinite: float) -> None:
    """It costs as much as filling in a missing value, wherever it lands; in sums of columns too."""
    X = pd.DataFrame({"a": np.arange(40.0) % 8, "b": np.arange(40.0) // 8})
    model = TreeClassifier(prune=None).fit(X, np.where(X["a"] > 3, "yes", "no"))
    here, other = ("yes", "no") if infinite > 0 else ("no", "yes")
    row = {"a": infinite, "b": 1.0}
    (answer,) = counterfactual(model, row, here)
    assert (answer.text, answer.cost) == ("if nothing changes", 0.0)
    (answer,) = counterfactual(model, row, other, costs={"a": 3})
    side = "3.5 or less" if infinite > 0 else "3.51 or more"
    assert answer.text == f"if a were {side} instead of {infinite}"
    assert answer.cost == answer.bound == 3.0
    assert answer.proof.holds
    with pytest.raises(DataError, match="No change that is allowed by fixed"):
        counterfactual(model, row, other, fixed=["a"])
    summed = TreeClassifier(questions=Oblique(), prune=None).fit(X, np.where(X.sum(axis=1) > 5, "yes", "no"))
    assert [answer.text for answer in counterfactual(summed, row, here)] == ["if nothing changes"]
    (answer,) = counterfactual(summed, row, other)
    assert [change.column for change in answer.changes] == ["a"]
    assert summed.predict(pd.DataFrame([answer.row])) == other


def test_the_probability_that_was_asked_for_is_told() -> None:
    """The text named the class that is predicted, which need not be the one that was asked for."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"x": rng.uniform(size=300)})
    truth = np.where(rng.uniform(size=300) < np.where(table["x"] < 0.5, 0.05, 0.4), "rare", "common")
    model = TreeClassifier(max_leaf_nodes=2, prune=None, leaf="frequency").fit(table, truth)
    answer = counterfactual(model, [0.1], {"rare": 0.3})[0]
    rare = model.predict_proba([[answer.row["x"]]])[0, 1]
    assert answer.prediction == "common"
    assert answer.asked == {"rare": pytest.approx(rare)}
    assert str(answer).endswith(f": rare {rare:.0%}; common ({1 - rare:.0%}) is predicted")
    assert answer.to_dict()["asked"] == {"rare": pytest.approx(rare)}
    both = counterfactual(model, [0.1], {"rare": 0.3, "common": (None, 0.9)})[0]
    assert f": rare {rare:.0%}, common {1 - rare:.0%}; common" in str(both)
    asked = counterfactual(model, [0.9], {"common": 0.8})[0]
    assert str(asked).endswith(f": common ({asked.probability:.0%})")
    assert counterfactual(model, [0.1], "common")[0].asked == {}


def test_the_first_search_reads_no_more_than_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Surrogates were once read for all nodes: a quarter of a second for the first row of a large tree."""
    rng = np.random.default_rng(0)
    holes = rng.normal(size=(3000, 2))[:, [0, 1, 0, 1]] + 0.2 * rng.normal(size=(3000, 4))
    y = holes.sum(axis=1) > rng.normal(size=3000)
    holes[rng.random(holes.shape) < 0.1] = np.nan
    model = TreeClassifier(missing="surrogate", prune=None).fit(holes, y)
    row = [0.0] * 4
    wanted = not model.predict([row])[0]
    read, plain = list[Any](), Ways._read

    def counted(ways: Ways, asked: Any) -> Any:
        read.append(asked)
        return plain(ways, asked)

    monkeypatch.setattr(Ways, "_read", counted)
    assert counterfactual(model, row, wanted)
    assert 0 < len(read) < sum(len(node.surrogates) for node in model.tree_.walk()) / 2
