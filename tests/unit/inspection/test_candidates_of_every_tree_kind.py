"""`arboretum.candidates` for every kind of tree: its first row is what the engine asks at the root.

A stump is the engine's tree of one question; tied columns have several best questions. Which questions there
are, and their numbers without these kinds, is the subject of test_candidates.py.
"""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.combinations import combinations
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import GainRatio, Surrogate, candidates, datasets
from arboretum._tree.questions import Missing, Threshold

NUMBER_CRITERIA = ("squared_error", "absolute_error", "poisson")
KINDS = sorted({(c.nominal, c.missing) for c in combinations() if c.is_valid})
CRITERIA = sorted({c.criterion for c in combinations()})
RATIOS = [GainRatio(guard, penalty) for guard, penalty in product(("average", "c45", None), (False, True))]
LEVELS = list("uvwxyz")
SIZES = ["small", "medium", "large"]
CLOSE: dict[str, Any] = {"rel": 1e-9, "abs": 1e-11}


def random_table(seed: int, n_rows: int, share_missing: float) -> Any:
    """Columns of each kind with few distinct values, two or three classes, weights of whole numbers."""
    rng = np.random.default_rng(seed)

    def with_gaps(codes: Any) -> Any:
        gaps = rng.random(n_rows) < share_missing
        gaps[0] = False  # so that one row is complete
        return np.where(gaps, -1, codes)

    number = with_gaps(rng.integers(0, 8, n_rows))
    frame = pd.DataFrame(
        {
            "number": np.where(number < 0, math.nan, number / 4),
            "size": pd.Categorical.from_codes(with_gaps(rng.integers(0, 3, n_rows)), SIZES, ordered=True),
            "few": pd.Categorical.from_codes(with_gaps(rng.integers(0, 2, n_rows)), LEVELS[:2]),
            "many": pd.Categorical.from_codes(with_gaps(rng.integers(0, rng.integers(1, 6), n_rows)), LEVELS),
        }
    )
    y = rng.integers(0, rng.integers(2, 4), n_rows)
    y[0] = 1
    weights = rng.integers(0, 4, n_rows)
    weights[0] = 1
    return frame, y, weights


def key_of_question(question: Any, frame: Any, nominal: Any, missing: Any) -> Any:
    """What tells a question of the engine apart, whichever side it calls left."""
    if isinstance(question, Missing):
        return (question.column, "is missing")
    judged = question.missing_seen and missing == "category"
    side = question.missing_child if judged else None
    if isinstance(question, Threshold):
        return (question.column, question.threshold, side)
    if nominal == "multiway":
        return (question.column, "multiway")
    present = levels_of(frame, question.column)
    return key_of_groups(question.column, [present & set(group) for group in question.children], side)


def key_of_line(line: Any, frame: Any, nominal: Any) -> Any:
    """The same for a row of the table."""
    if line["question"].endswith("is missing"):
        return (line["column"], "is missing")
    side = {"left": 0, "right": 1}.get(line["missing"])
    if line["levels"] is None:
        return (line["column"], line["threshold"], side)
    if nominal == "multiway":
        return (line["column"], "multiway")
    left = {LEVELS.index(level) for level in line["levels"]}
    return key_of_groups(line["column"], (left, levels_of(frame, line["column"]) - left), side)


def key_of_groups(column: Any, groups: Any, side: Any) -> Any:
    missing = None if side is None else frozenset(groups[side])
    return (column, frozenset(map(frozenset, groups)), missing)


def levels_of(frame: pd.DataFrame, column: str) -> Any:
    """The numbers of the levels that have rows."""
    return set(frame[column].cat.codes) - {-1}


def find_line(table: Any, question: str, frame: pd.DataFrame, nominal: str, missing: Any) -> Any:
    """The row of the table for a question of the engine."""
    wanted = key_of_question(question, frame, nominal, missing)
    return next(line for _, line in table.iterrows() if key_of_line(line, frame, nominal) == wanted)


def is_tied(table: Any, by_ratio: Any) -> bool:
    """Does some column have several best questions that differ in gain or ratio? Then any may compete."""
    for name, lines in table.groupby("column"):
        worth = lines["gain_ratio" if by_ratio(name) else "gain"]
        best = lines[worth >= worth.max() - 1e-9]
        if np.ptp(best["gain"]) > 1e-9 or np.ptp(best["gain_ratio"]) > 1e-9:
            return True
    return False


def stump(criterion: str, frame: pd.DataFrame, y: Any, weights: Any, **options: Any) -> Any:
    estimator = unpruned_regressor if criterion in NUMBER_CRITERIA else unpruned_classifier
    return estimator(criterion=criterion, max_depth=1, **options).fit(frame, y, weights).tree_


@allow_one_leaf
@pytest.mark.parametrize(("nominal", "missing"), KINDS)
@given(
    criterion=st.sampled_from([*CRITERIA, *RATIOS]),
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(2, 40),
    share_missing=st.sampled_from([0.0, 0.2, 0.7]),
    weighted=st.booleans(),
    least=st.sampled_from([1, 1, 2, 5]),
    costs=st.sampled_from([None, None, {"number": 2, "many": 0.5}]),
)
def test_the_first_row_is_the_root_of_the_stump(
    nominal: str,
    missing: Any,
    criterion: str,
    seed: int,
    n_rows: int,
    share_missing: float,
    weighted: Any,
    least: int,
    costs: Any,
) -> None:
    """With the same gain and gain ratio, up to ties, for every criterion, kind of question and policy."""
    frame, y, weights = random_table(seed, n_rows, 0.0 if missing == "error" else share_missing)
    weights = weights if weighted else None
    options: dict[str, Any] = {
        "nominal": nominal,
        "missing": missing,
        "min_samples_leaf": least,
        "column_costs": costs,
    }
    root = stump(criterion, frame, y, weights, **options).root
    table = candidates(frame, y, criterion=criterion, sample_weight=weights, **options)
    ratio = criterion == "gain_ratio" or isinstance(criterion, GainRatio)
    assert ("allowed" in table) == ratio
    divides = [sum(n > 0 for n in children) > 1 for children in table["children"]]
    possible = table[np.array(divides, dtype=bool)]
    if ratio:
        assert possible["allowed"].is_monotonic_decreasing
        possible = possible[possible["allowed"]]
    if root.is_leaf:
        assert root.impurity == 0 or len(possible) == 0
        return
    kept = frame[np.ones(n_rows, bool) if weights is None else weights > 0]
    kept = kept.dropna() if missing == "drop" else kept
    asked = find_line(table, root.question, kept, nominal, missing)
    assert asked["gain"] == pytest.approx(root.gain, **CLOSE)
    if not ratio:
        assert root.gain_ratio is None
        assert table["gain"][0] == pytest.approx(root.gain, **CLOSE)
        return
    assert asked["allowed"]
    assert asked["gain_ratio"] == pytest.approx(root.gain_ratio, **CLOSE)
    if not is_tied(table, lambda name: nominal == "one_vs_rest" and name in ("few", "many")):
        first = table.iloc[0]
        assert first["column"] == root.question.column
        assert first["gain"] == pytest.approx(root.gain, **CLOSE)
        assert first["gain_ratio"] == pytest.approx(root.gain_ratio, **CLOSE)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest", "multiway"])
@given(seed=st.integers(0, 2**32 - 1), ratio=st.sampled_from(["entropy", *RATIOS]))
def test_competitors_are_the_best_rows_of_other_columns(nominal: str, seed: int, ratio: Any) -> None:
    """Each with the gain and the gain ratio that its row in the table has."""
    frame, y, _ = random_table(seed, 30, 0.2)
    options: dict[str, Any] = {"criterion": ratio, "nominal": nominal, "missing": "fractional"}
    root = unpruned_classifier(max_depth=1, competitors=3, **options).fit(frame, y).tree_.root
    table = candidates(frame, y, **options)
    for competitor in root.competitors:
        line = find_line(table, competitor.question, frame, nominal, "fractional")
        assert line["gain"] == pytest.approx(competitor.gain, **CLOSE)
        if ratio != "entropy":
            assert line["gain_ratio"] == pytest.approx(competitor.gain_ratio, **CLOSE)


class TestGainRatio:
    """Playing tennis, as the lecture notes have it."""

    X, y = datasets.load_tennis(backend="pandas")

    def test_the_guard(self) -> None:
        """Humidity and outlook gain more than the average of 0.119 bits; the others may not win."""
        table = candidates(self.X, self.y, criterion="gain_ratio", nominal="multiway")
        assert list(table["column"]) == ["outlook", "humidity", "windy", "temperature"]
        assert [f"{ratio:.3f}" for ratio in table["gain_ratio"]] == ["0.156", "0.152", "0.049", "0.019"]
        assert list(table["allowed"]) == [True, True, False, False]

    def test_no_guard(self) -> None:
        table = candidates(self.X, self.y, criterion=GainRatio(guard=None), nominal="multiway")
        assert table["allowed"].all()

    def test_a_key_of_the_table_does_not_raise_the_average(self) -> None:
        """The guard of C4.5: a column with as many levels as rows gains all there is to gain."""
        X = self.X.assign(day=[f"day {i}" for i in range(14)])
        allowed = {}
        for guard in ("average", "c45"):
            table = candidates(X, self.y, criterion=GainRatio(guard=guard), nominal="multiway")
            allowed[guard] = set(table["column"][table["allowed"]])
        assert allowed == {"average": {"day"}, "c45": {"day", "outlook", "humidity"}}

    def test_columns_compete_by_gain(self) -> None:
        """`x0 <= 6.5` has the larger ratio, but its column enters the cut that gains more."""
        x, y = [[v] for v in range(1, 8)], list("aaaabab")
        table = candidates(x, y, criterion="gain_ratio")
        assert list(table["question"][:2]) == ["x0 <= 4.5", "x0 <= 6.5"]
        assert table["gain_ratio"][0] < table["gain_ratio"][1]
        assert str(stump("gain_ratio", x, y, None).root.question) == "x0 <= 4.5"

    @pytest.mark.parametrize("cuts", ["all", "class_change"])
    def test_the_price_of_a_cut(self, cuts: str) -> None:
        """Choosing among 7 cuts of 8 rows costs log2(7) / 8 bits, however many of the cuts are listed."""
        x, y = [[v] for v in range(8)], list("aabbbbbb")
        free = candidates(x, y, criterion=GainRatio(), cuts=cuts).set_index("question")
        paid = candidates(x, y, criterion=GainRatio(numeric_penalty=True), cuts=cuts).set_index("question")
        free = free.loc[paid.index]
        price = math.log2(7) / 8
        np.testing.assert_allclose(paid["gain"], free["gain"] - price, atol=1e-12)
        np.testing.assert_allclose(
            paid["gain_ratio"], free["gain_ratio"] * (free["gain"] - price) / free["gain"], atol=1e-12
        )
        assert paid["allowed"].all()
        assert len(paid) == (7 if cuts == "all" else 1)

    def test_not_worth_its_price(self) -> None:
        """A column that gains less than its price may not win; what it would cost is shown."""
        table = candidates(
            [[v] for v in range(8)], list("abababab"), criterion=GainRatio(numeric_penalty=True)
        )
        assert table["gain"].max() < 0
        assert not table["allowed"].any()

    @allow_one_leaf
    @pytest.mark.parametrize(("weight", "least"), [(None, 3), ([1] * 60 + [0], 2)])
    def test_each_side_of_a_cut_has_a_tenth_of_a_class(self, weight: Any, least: int) -> None:
        """Of 60 rows in two classes a side has at least 3; a class without weight is one more to share."""
        n_rows = len(weight or range(60))
        x, y = [[v] for v in range(n_rows)], [0, 1] * 30 + [2] * (n_rows - 60)
        criterion = GainRatio(numeric_penalty=True)
        table = candidates(x, y, criterion=criterion, sample_weight=weight)
        assert min(min(children) for children in table["children"]) == least
        # Three rows of one class at an end, then two: that is what the engine may cut off as well.
        y = [0] * least + [1] * (60 - least) + [2] * (n_rows - 60)
        root = stump(criterion, x, y, weight).root
        table = candidates(x, y, criterion=criterion, sample_weight=weight)
        assert table["question"][0] == str(root.question) == f"x0 <= {least - 0.5}"
        y[least - 1] = 1
        smaller = stump(criterion, x, y, weight).root
        assert smaller.is_leaf or min(child.n_rows for child in smaller.children) >= least


class TestLeftAside:
    """Rows that miss the value do not judge the question: two of eight here, one of each class."""

    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, None, None]})
    y = ("a", "a", "a", "b", "b", "b", "a", "b")

    @pytest.mark.parametrize("missing", ["surrogate", Surrogate(max_surrogates=0), "fractional"])
    def test_known_rows(self, missing: Any) -> None:
        """The cut separates the known rows, which are three quarters; not known is a third answer."""
        table = candidates(self.X, self.y, criterion="entropy", missing=missing)
        first = table.iloc[0]
        assert (first["question"], first["missing"], first["children"]) == ("x <= 3.5", "aside", (3, 3))
        assert first["gain"] == 0.75
        assert first["impurity"] == 0
        information = 2 * 3 / 8 * math.log2(8 / 3) + 2 / 8 * math.log2(4)
        assert first["gain_ratio"] == pytest.approx(0.75 / information)
        assert not table["question"].str.endswith("missing").any()

    def test_fractional_counts_weight(self) -> None:
        """Rows that weigh half of the average: two of them are as large as one row."""
        X, y = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]}), [0, 1, 0, 1]
        rows = candidates(X, y, missing="surrogate", sample_weight=[1, 1, 3, 3])
        weight = candidates(X, y, missing="fractional", sample_weight=[1, 1, 3, 3])
        assert (len(rows), set(weight["question"])) == (3, {"x <= 2.5", "x <= 3.5"})

    def test_a_column_without_values(self) -> None:
        X = pd.DataFrame({"empty": [math.nan] * 3, "x": [1.0, 2.0, 3.0]})
        assert set(candidates(X, [0, 0, 1], missing="surrogate")["column"]) == {"x"}

    def test_rows_of_one_class(self) -> None:
        """A class of rows that miss the value is none of the column's."""
        X = pd.DataFrame({"x": [1.0, 2.0, None], "z": [1.0, 2.0, 3.0]})
        table = candidates(X, list("aab"), missing="fractional").set_index("question")
        assert table["gain"].to_dict() == pytest.approx({"z <= 2.5": 4 / 9, "z <= 1.5": 1 / 9, "x <= 1.5": 0})


class TestMultiway:
    """A child for each declared level, with or without rows."""

    X = pd.DataFrame({"x": pd.Categorical(["a", "a", "c", "c", None], categories=list("abcd"))})
    y = (0, 0, 1, 1, 1)

    @pytest.mark.parametrize(
        ("missing", "question", "children"),
        [
            ("category", "x = a | b | c | d | missing", (2, 0, 2, 0, 1)),
            ("fractional", "x = a | b | c | d", (2, 0, 2, 0)),
            ("drop", "x = a | b | c | d", (2, 0, 2, 0)),
        ],
    )
    def test_children(self, missing: Any, question: str, children: Any) -> None:
        line = candidates(self.X, self.y, nominal="multiway", missing=missing).iloc[0]
        tree = unpruned_classifier(max_depth=1, nominal="multiway", missing=missing).fit(self.X, self.y).tree_
        assert (line["question"], line["children"]) == (question, children)
        assert line["levels"] == ("a", "b", "c", "d")
        if missing != "fractional":  # there the missing row is in two children
            assert [child.n_rows for child in tree.root.children] == list(children)

    def test_two_children_must_be_large_enough(self) -> None:
        def sizes(least: int) -> list[tuple[int, ...]]:
            table = candidates(self.X, self.y, nominal="multiway", min_samples_leaf=least)
            return list(table["children"])

        assert (sizes(2), sizes(3)) == ([(2, 0, 2, 0, 1)], [])

    @pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
    def test_empty_children_have_no_say(self, criterion: str) -> None:
        """They change no number, and poisson does not mind that they have no events."""
        y = [1.0, 2.0, 4.0, 5.0, 3.0]
        X = self.X.assign(x=self.X["x"].cat.remove_unused_categories())
        numbers = ["gain", "impurity", "p_value"]
        options: dict[str, Any] = {"criterion": criterion, "nominal": "multiway"}
        declared, present = candidates(self.X, y, **options), candidates(X, y, **options)
        assert declared["children"][0] == (2, 0, 2, 0, 1)
        assert present["children"][0] == (2, 2, 1)
        np.testing.assert_allclose(declared[numbers], present[numbers], atol=1e-12)


def test_a_level_without_rows_is_never_first() -> None:
    """It divides nothing, not even where no question gains anything."""
    X = pd.DataFrame({"x": pd.Categorical(["b", "b", "c", "c"], categories=list("abc"))})
    for criterion in ("gini", "gain_ratio"):
        table = candidates(X, [0, 1, 0, 1], criterion=criterion, nominal="one_vs_rest")
        assert list(table["question"]) == ["x = b", "x = c", "x = a"]
