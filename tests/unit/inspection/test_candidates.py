"""`arboretum.candidates`: the notes' questions, the numbers of the reference, all kinds of columns."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.trees import unpruned_classifier

from arboretum import GainRatio, PackageError, Surrogate, candidates
from arboretum.errors import DataError, ParameterError
from arboretum.information import gain_ratio
from arboretum.inspection.candidates.targets import absolute_errors_along
from arboretum.reference import (
    CUSTOMER_CLASSES,
    CUSTOMER_LEVELS,
    CUSTOMERS,
    PLAY,
    PLAY_TENNIS,
    IsMissing,
    Subset,
    best_candidate,
    candidate_splits,
    determine_candidate_numeric_splits,
)
from arboretum.reference.questions import midpoint

CLASS_CRITERIA = ["gini", "entropy", "misclassification"]
NUMBER_CRITERIA = ["squared_error", "absolute_error", "poisson"]


def customers() -> Any:
    frame = pd.DataFrame(CUSTOMERS)
    for name, levels in CUSTOMER_LEVELS.items():
        frame[name] = pd.Categorical(frame[name], categories=levels)
    return frame


class TestTheNotes:
    """Nine customers: seven jobs, five goods, eight weights."""

    WEIGHTS = [f"weight <= {t}" for t in ("46.7", "49.2", "57.95", "66.55", "70.3", "80.75", "90.5", "97.25")]

    @pytest.mark.parametrize("how", ["categorical", "categorical_features", "array"])
    def test_every_candidate_is_listed(self, how: str) -> None:
        """Declared levels without rows are listed too, with gain 0."""
        if how == "categorical":
            table = candidates(customers(), CUSTOMER_CLASSES, nominal="one_vs_rest")
        elif how == "categorical_features":
            table = candidates(
                pd.DataFrame(CUSTOMERS),
                CUSTOMER_CLASSES,
                nominal="one_vs_rest",
                categorical_features=CUSTOMER_LEVELS,
            )
        else:
            table = candidates(
                np.array([list(row.values()) for row in CUSTOMERS]),
                CUSTOMER_CLASSES,
                nominal="one_vs_rest",
                categorical_features={0: CUSTOMER_LEVELS["job"], 1: CUSTOMER_LEVELS["goods"]},
            )
            table["question"] = (
                table["question"]
                .str.replace("x0", "job")
                .str.replace("x1", "goods")
                .str.replace("x2", "weight")
            )
        jobs, goods = [f"job = {i}" for i in range(1, 8)], [f"goods = {i}" for i in range(1, 6)]
        assert sorted(table["question"]) == sorted(jobs + goods + self.WEIGHTS)
        empty = table[table["question"].isin(["job = 1", "job = 4", "job = 6"])]
        assert list(empty["gain"]) == [0.0, 0.0, 0.0]
        assert list(empty["children"]) == [(0, 9)] * 3

    def test_the_best_decrease(self) -> None:
        first = candidates(customers(), CUSTOMER_CLASSES, nominal="one_vs_rest").iloc[0]
        assert (first["question"], first["children"]) == ("goods = 3", (3, 6))
        assert f"{first['gain']:.3f}" == "0.346"
        assert f"{first['impurity'] + first['gain']:.3f}" == "0.642"
        assert first["levels"] == (3,)
        assert first["column"] == "goods"

    def test_cuts_at_a_class_change(self) -> None:
        table = candidates(customers()[["weight"]], CUSTOMER_CLASSES, cuts="class_change")
        assert sorted(table["threshold"].round(10)) == [46.7, 49.2, 66.55, 80.75, 90.5]

    @pytest.mark.parametrize("seed", range(20))
    def test_class_changes_are_those_of_the_notes(self, seed: int) -> None:
        """Mixed values too: rows of one value with two classes differ from either neighbour."""
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 8, 12), rng.integers(0, 2, 12)
        table = candidates(x[:, None], y, cuts="class_change")
        splits = determine_candidate_numeric_splits([{"x": value} for value in x.tolist()], y.tolist(), "x")
        assert sorted(table["threshold"]) == [split.threshold for split in splits]

    def test_one_to_five(self) -> None:
        table = candidates([[1], [2], [3], [4], [5]], list("aabbb"))
        assert sorted(table["question"]) == ["x0 <= 1.5", "x0 <= 2.5", "x0 <= 3.5", "x0 <= 4.5"]

    def test_playing_tennis(self) -> None:
        """One branch per value: ID3's table, and the gain ratio of C4.5."""
        table = candidates(pd.DataFrame(PLAY_TENNIS), PLAY, criterion="entropy", nominal="multiway")
        assert list(table["column"]) == ["outlook", "humidity", "wind", "temperature"]
        assert [f"{gain:.3f}" for gain in table["gain"]] == ["0.247", "0.152", "0.048", "0.029"]
        assert table["question"][0] == "outlook = overcast | rain | sunny"
        assert table["children"][0] == (4, 5, 5)
        for _, line in table.iterrows():
            x = [row[line["column"]] for row in PLAY_TENNIS]
            assert line["gain_ratio"] == pytest.approx(gain_ratio(PLAY, x))


def random_table(seed: int, criterion: str, *, n_rows: int = 12) -> Any:
    """Few distinct values, so that ties, missing values and mixed buckets abound."""
    rng = np.random.default_rng(seed)
    number = rng.integers(0, 5, n_rows) / 4
    ordered, nominal = rng.integers(0, 4, n_rows), rng.integers(0, 4, n_rows)
    gaps = rng.random((3, n_rows)) < (0.2 if seed % 2 else 0.0)
    columns = [
        [None if gap else value for value, gap in zip(column.tolist(), gap_of, strict=True)]
        for column, gap_of in zip((number, ordered, nominal), gaps, strict=True)
    ]
    frame = pd.DataFrame(
        {
            "number": pd.Series([math.nan if v is None else v for v in columns[0]], dtype=float),
            "ordered": pd.Categorical.from_codes(
                [-1 if v is None else v for v in columns[1]], categories=list("abcd"), ordered=True
            ),
            "nominal": pd.Categorical.from_codes([-1 if v is None else v for v in columns[2]], list("wxyz")),
        }
    )
    y: Any = rng.integers(0, 3 if seed % 3 else 2, n_rows)
    if criterion in NUMBER_CRITERIA:
        y = rng.integers(0, 6, n_rows) * 0.5
        y[0] = 1.0
    weights = rng.integers(0, 4, n_rows) / 2 if seed % 5 < 2 else None
    return frame, columns, y, weights


def key_of(question: Any) -> Any:
    """What tells a question of the reference apart: column, levels or cut, side of the missing rows."""
    if isinstance(question, IsMissing):
        return (question.column, "missing")
    if isinstance(question, Subset):
        return (question.column, tuple(sorted(question.levels)), question.missing_left)
    whole = math.floor(question.threshold) if question.column == 1 else question.threshold
    return (question.column, whole, question.missing_left)


def key_of_line(line: Any) -> Any:
    column = ["number", "ordered", "nominal"].index(line["column"])
    if line["question"].endswith("is missing"):
        return (column, "missing")
    left = line["missing"] == "left"
    if column == 2:
        return (column, tuple("wxyz".index(level) for level in line["levels"]), left)
    return (column, line["threshold"], left)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("criterion", CLASS_CRITERIA + NUMBER_CRITERIA)
@pytest.mark.parametrize("seed", range(10))
def test_equal_to_the_reference(seed: int, criterion: str, nominal: str) -> None:
    """The same questions with the same gains and children as brute force, and the same first one."""
    frame, columns, y, weights = random_table(seed, criterion)
    min_samples_leaf = 1 + seed % 2
    table = candidates(
        frame,
        y,
        criterion=criterion,
        nominal=nominal,
        sample_weight=weights,
        min_samples_leaf=min_samples_leaf,
    )
    splits = candidate_splits(
        columns,
        ["numeric", "ordered", "nominal"],
        y.tolist(),
        weights=weights,
        criterion=criterion,
        nominal=nominal,
        min_samples_leaf=min_samples_leaf,
    )
    ours = {key_of_line(line): line for _, line in table.iterrows() if 0 not in line["children"]}
    theirs = {key_of(split.question): split for split in splits}
    assert len(theirs) == len(splits) > 0
    assert ours.keys() == theirs.keys()
    for key, split in theirs.items():
        assert ours[key]["gain"] == pytest.approx(float(split.gain), abs=1e-12)
        assert ours[key]["children"] == tuple(map(len, split.children))
    assert table["gain"].is_monotonic_decreasing or np.all(np.diff(table["gain"]) <= 1e-12)
    if criterion not in ("entropy", "poisson"):
        assert key_of_line(table.iloc[0]) == key_of(best_candidate(splits).question)


@pytest.mark.parametrize("seed", range(6))
def test_p_value_of_classes_is_the_chi_square(seed: int) -> None:
    frame, _, y, _ = random_table(2 * seed, "gini", n_rows=40)
    table = candidates(frame[["number"]], y)
    for _, line in table.iterrows():
        left = (frame["number"] <= line["threshold"]).to_numpy()
        counts = pd.crosstab(left, y).to_numpy()
        expected = stats.chi2_contingency(counts, correction=False).pvalue
        assert line["p_value"] == pytest.approx(expected, rel=1e-9)
        assert line["gain_ratio"] == pytest.approx(gain_ratio(y, left))


@pytest.mark.parametrize("criterion", NUMBER_CRITERIA)
def test_p_value_of_numbers_is_the_f_test(criterion: str) -> None:
    frame, _, y, _ = random_table(4, criterion, n_rows=40)
    frame["nominal"] = frame["nominal"].astype(str)
    table = candidates(frame, y, criterion=criterion, nominal="multiway")
    assert table["gain_ratio"].isna().all()
    for _, line in table.iterrows():
        if line["column"] == "number":
            group = (frame["number"] <= line["threshold"]).to_numpy()
        elif line["column"] == "ordered":
            group = (frame["ordered"].cat.codes <= line["threshold"]).to_numpy()
        else:
            group = frame["nominal"].to_numpy()
        expected = stats.f_oneway(*(y[group == value] for value in np.unique(group))).pvalue
        assert line["p_value"] == pytest.approx(expected, rel=1e-9)


def test_p_values_at_the_edges() -> None:
    """A split that separates everything, and one that nothing can be said about."""
    table = candidates([[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 1.0, 1.0], criterion="squared_error")
    assert table["p_value"][0] == 0.0
    assert candidates([[1.0], [2.0]], [3.0, 3.0], criterion="squared_error")["p_value"].tolist() == [1.0]
    assert candidates([[1.0], [2.0]], [0, 0])["p_value"].tolist() == [1.0]
    assert math.isnan(candidates([[1.0], [2.0]], [3.0, 4.0], criterion="squared_error")["p_value"][0])


def test_weights_are_repeated_rows() -> None:
    frame, _, y, _ = random_table(3, "gini", n_rows=30)
    weights = np.arange(30) % 3 + 1
    repeated = np.repeat(np.arange(30), weights)
    numbers = ["gain", "gain_ratio", "impurity", "p_value"]
    weighted = candidates(frame, y, sample_weight=weights)
    plain = candidates(frame.iloc[repeated].reset_index(drop=True), y[repeated])
    assert list(weighted["question"]) == list(plain["question"])
    np.testing.assert_allclose(weighted[numbers].to_numpy(), plain[numbers].to_numpy(), rtol=1e-9, atol=1e-12)


class TestMissing:
    """Missing rows: either side, a question of their own, dropped or refused."""

    frame = pd.DataFrame({"income": [1.0, 2.0, None, None], "colour": ["red", "blue", "red", None]})
    y = ("a", "b", "b", "b")

    def test_questions(self) -> None:
        table = candidates(self.frame, self.y)
        assert set(table["question"]) == {
            "income <= 1.5",
            "income <= 1.5 or missing",
            "income is missing",
            "colour = blue",
            "colour = blue or missing",
            "colour is missing",
        }
        sides = table.set_index("question")["missing"]
        assert sides["income <= 1.5"] == "right"
        assert sides["income <= 1.5 or missing"] == "left"
        assert table["question"][0] == "income <= 1.5"

    def test_multiway(self) -> None:
        table = candidates(self.frame[["colour"]], self.y, nominal="multiway")
        assert table["question"][0] == "colour = blue | red | missing"
        assert (table["children"][0], table["missing"][0]) == ((1, 2, 1), "own")

    def test_drop(self) -> None:
        table = candidates(self.frame, self.y, missing="drop")
        assert list(table["question"]) == ["income <= 1.5", "colour = blue"]
        assert list(table["children"]) == [(1, 1), (1, 1)]
        assert table["missing"].isna().all()

    def test_error(self) -> None:
        with pytest.raises(DataError, match=r"'income' .*2 of 4 values \(first: row 2\)"):
            candidates(self.frame, self.y, missing="error")

    def test_nothing_left(self) -> None:
        with pytest.raises(DataError, match="missing='drop' leaves no row"):
            candidates([[None], [None]], [0, 1], missing="drop")

    def test_a_column_without_values(self) -> None:
        assert len(candidates([[None, 1.0], [None, 2.0]], [0, 1])) == 1


class TestNominal:
    """Subsets of few and of many levels."""

    def test_all_subsets_of_ten_levels(self) -> None:
        levels = np.arange(10)
        table = candidates(pd.DataFrame({"x": levels.astype(str)}), levels % 3)
        assert len(table) == 2**9 - 1

    @pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error", "poisson"])
    def test_the_order_holds_the_best_subset(self, criterion: str, monkeypatch: pytest.MonkeyPatch) -> None:
        """Two classes, squared error and poisson: a cut of the ordered levels is as good as any subset."""
        rng = np.random.default_rng(0)
        for _ in range(10):
            x = rng.integers(0, 7, 40).astype(str)
            y = (
                rng.integers(0, 2, 40)
                if criterion in CLASS_CRITERIA
                else rng.integers(1, 6, 40).astype(float)
            )
            everything = candidates(pd.DataFrame({"x": x}), y, criterion=criterion)
            with monkeypatch.context() as patch:
                patch.setattr("arboretum.inspection.candidates.subsets.MAX_LEVELS_FOR_ALL_SUBSETS", 2)
                ordered = candidates(pd.DataFrame({"x": x}), y, criterion=criterion)
            assert (
                7 <= len(ordered) <= 6 + 7
            )  # six cuts, and seven levels, of which the first and last are cuts
            assert ordered["gain"][0] == pytest.approx(everything["gain"][0], abs=1e-12)
            assert set(ordered["levels"]) <= set(everything["levels"])

    @pytest.mark.parametrize("criterion", CLASS_CRITERIA + NUMBER_CRITERIA)
    def test_ordered_subsets_have_the_numbers_of_all_subsets(
        self, criterion: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Missing rows, several classes: fewer questions, but each with the same numbers."""
        rng = np.random.default_rng(1)
        x = pd.Series(rng.choice(["a", "b", "c", "d", "e", None], 40))
        y = rng.integers(1, 5, 40)
        everything = candidates(pd.DataFrame({"x": x}), y, criterion=criterion).set_index("question")
        monkeypatch.setattr("arboretum.inspection.candidates.subsets.MAX_LEVELS_FOR_ALL_SUBSETS", 2)
        ordered = candidates(pd.DataFrame({"x": x}), y, criterion=criterion).set_index("question")
        assert 4 < len(ordered) < len(everything)
        assert ordered.index.is_unique
        same = everything.loc[ordered.index]
        assert list(same["children"]) == list(ordered["children"])
        np.testing.assert_allclose(same["gain"], ordered["gain"], atol=1e-12)
        np.testing.assert_allclose(same["p_value"], ordered["p_value"], atol=1e-12)

    def test_thousands_of_levels(self) -> None:
        """The 100 best cuts, the 100 best single levels, and a text that can be read."""
        rng = np.random.default_rng(2)
        x = pd.DataFrame({"x": rng.integers(0, 3000, 20_000).astype(str)})
        table = candidates(x, rng.integers(0, 2, 20_000))
        assert 100 < len(table) <= 200
        assert len(table["question"][0]) < 100
        assert "more}" in table["question"][0]
        assert len(table["levels"][0]) > 100

    def test_booleans_and_levels_print_as_they_are(self) -> None:
        table = candidates(pl.DataFrame({"smoker": [True, False, True]}), [1, 0, 1])
        assert list(table["question"]) == ["smoker = False"]
        assert table["levels"][0] == (False,)

    def test_small_leaves_are_left_out(self) -> None:
        """Above the smallest size levels without rows are not worth a line either."""
        table = candidates(customers(), CUSTOMER_CLASSES, nominal="one_vs_rest", min_samples_leaf=2)
        assert min(min(children) for children in table["children"]) == 2


class TestThresholds:
    """Printed as briefly as possible, exact in the frame."""

    def test_times(self) -> None:
        """Whole units, printed as dates."""
        days = pd.to_datetime(["2024-03-01", "2024-03-03", "2024-03-04"])
        table = candidates(pl.DataFrame({"day": pl.Series(days.date)}), [0, 0, 1])
        assert list(table["question"]) == ["day <= 2024-03-03", "day <= 2024-03-02"]
        assert list(table["threshold"]) == [19785, 19784]
        ahead = candidates(pd.DataFrame({"wait": pd.to_timedelta([1, 3], "h")}), [0, 1])
        assert list(ahead["question"]) == ["wait <= 02:00:00"]

    def test_ordered_levels(self) -> None:
        sizes = pd.Categorical(
            ["small", "large", "small"], categories=["small", "medium", "large"], ordered=True
        )
        table = candidates(pd.DataFrame({"size": sizes}), [0, 1, 0])
        assert list(table["question"]) == ["size <= medium"]

    def test_large_integers(self) -> None:
        """Beyond 2^53 a float would put both values on one side."""
        values = np.array([2**62 + 1, 2**62 + 2])
        table = candidates(pd.DataFrame({"id": values}), [0, 1])
        assert list(table["threshold"]) == [2**62 + 1]
        assert table["question"][0] == f"id <= {2**62 + 1}"
        big = candidates(pd.DataFrame({"id": np.array([2**64 - 3, 2**64 - 1], dtype=np.uint64)}), [0, 1])
        assert list(big["threshold"]) == [2**64 - 2]
        assert big["question"][0] == f"id <= {2**64 - 2}"

    def test_infinities_and_neighbours(self) -> None:
        values = [-math.inf, 1.0, math.nextafter(1.0, 2.0), math.inf]
        table = candidates([[v] for v in values], [0, 1, 2, 3])
        assert sorted(table["threshold"]) == [-math.inf, 1.0, math.nextafter(1.0, 2.0)]
        assert sorted(table["children"]) == [(1, 3), (2, 2), (3, 1)]

    def test_numbers_and_times_together(self) -> None:
        """One column of thresholds for both; times keep all their bits."""
        frame = pd.DataFrame({"x": [1, 2], "t": np.array([10**18 + 1, 10**18 + 3], dtype="datetime64[ns]")})
        table = candidates(frame, [0, 1])
        assert list(table["threshold"]) == [1.5, 10**18 + 2]


def test_running_medians() -> None:
    """Sums of absolute errors of all prefixes, against medians one at a time, weights included."""
    rng = np.random.default_rng(5)
    for n in [*range(1, 10), 100]:
        values, weights = rng.integers(-3, 4, n).astype(float), rng.integers(1, 4, n).astype(float)
        for stop, error in enumerate(absolute_errors_along(values, weights)):
            repeated = np.repeat(values[:stop], weights[:stop].astype(int))
            assert error == (np.abs(repeated - np.median(repeated)).sum() if stop else 0.0)


def test_rounding_does_not_change_the_order_of_ties() -> None:
    """Both cuts leave one row alone; the sums that say so differ in the last bit."""
    y = [0.1, 0.2, 0.3]
    table = candidates([[1, 1], [2, 2], [3, 3]], y, criterion="squared_error")
    assert list(table["question"]) == ["x0 <= 1.5", "x0 <= 2.5", "x1 <= 1.5", "x1 <= 2.5"]


def test_no_question_at_all() -> None:
    table = candidates([[1.0], [1.0]], [0, 1])
    assert len(table) == 0
    assert {"question", "gain", "children", "p_value"} <= set(table.columns)


def test_many_distinct_values_are_quick() -> None:
    """Vectorised: 100,000 distinct values in a second, where a loop over questions would need hours."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100_000, 1))
    for criterion in ("gini", "absolute_error"):
        table = candidates(x, (x[:, 0] + rng.normal(size=100_000) > 1).astype(int), criterion=criterion)
        assert len(table) == 99_999
        assert sum(table["children"][0]) == 100_000


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"criterion": "ginni"}, ParameterError, "Did you mean 'gini'?"),
        ({"nominal": "subsets"}, ParameterError, "nominal='subsets'"),
        ({"cuts": "some"}, ParameterError, "'class_change'"),
        ({"missing": "surogate"}, ParameterError, "Did you mean 'surrogate'?"),
        ({"missing": Surrogate(send="maybe")}, ParameterError, "send='maybe'"),
        ({"missing": "surrogate", "nominal": "multiway"}, ParameterError, "does not go with"),
        ({"criterion": GainRatio(guard="some")}, ParameterError, "guard='some'"),
        ({"min_samples_leaf": 0}, ParameterError, "min_samples_leaf=0"),
        ({"min_samples_leaf": True}, ParameterError, "min_samples_leaf=True"),
        ({"y": [0]}, DataError, "X has 2 rows, but y has 1"),
        ({"y": [0, None]}, DataError, "missing in 1 of 2 rows (first: row 1)"),
        ({"y": np.array([0.5, 1.5])}, DataError, "squared_error"),
        (
            {"y": ["a", "b"], "criterion": "squared_error"},
            DataError,
            "should be a number, but row 0 holds 'a'",
        ),
        ({"y": [1, math.inf], "criterion": "squared_error"}, DataError, "row 1 holds inf"),
        ({"y": [1, -1], "criterion": "poisson"}, DataError, "not negative, but y holds -1"),
        ({"sample_weight": [1]}, DataError, "X has 2 rows; give one per row"),
        ({"sample_weight": [0, 0]}, DataError, "sample_weight is zero in every row"),
    ],
)
def test_errors_say_what_is_wrong(options: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error) as caught:
        candidates(**{"X": [[1], [2]], "y": [0, 1], **options})
    assert words in str(caught.value)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(data=st.data())
def test_thresholds_are_those_of_the_engine(kind: Any, data: Any) -> None:
    """To the last bit, by type: a threshold has 15 digits (8 for 32-bit floats) where that is enough."""
    wide = st.floats(width=32 if kind is np.float32 else 64, allow_nan=False)
    short = st.integers(-(10**6), 10**6).map(lambda n: n / 10**3)
    x = data.draw(st.lists(wide | short, min_size=2, max_size=2, unique_by=lambda v: kind(v) + 0))
    X = np.array(x, dtype=kind).reshape(-1, 1)
    asked = unpruned_classifier().fit(X, ["a", "b"]).tree_.root.question
    table = candidates(X, ["a", "b"])
    assert table["threshold"].tolist() == [asked.threshold]
    assert table["question"].tolist() == [str(asked)]
    assert float(str(asked).split("<= ")[1]) == asked.threshold
    if kind is np.float64:
        assert midpoint(*sorted(x)) == asked.threshold


@pytest.mark.parametrize(
    ("kind", "low", "high", "threshold"),
    [
        (np.float64, 77.8, 78.1, "77.95"),
        (np.float64, 51.1, 64.8, "57.95"),
        (np.float32, 0.1, 0.2, "0.15"),
        (np.float64, 999.9999999999999, 1000.0, "999.9999999999999"),
    ],
)
def test_thresholds_read_as_people_would_write_them(
    kind: Any, low: float, high: float, threshold: Any
) -> None:
    """The midpoint of short decimals is a short decimal, and where digits are needed they are there."""
    X = np.array([[low], [high]], dtype=kind)
    assert candidates(X, ["a", "b"])["question"].tolist() == [f"x0 <= {threshold}"]
    assert str(unpruned_classifier().fit(X, ["a", "b"]).tree_.root.question) == f"x0 <= {threshold}"


@pytest.mark.parametrize("asker", ["candidates", "to_frame"])
def test_without_pandas(monkeypatch: pytest.MonkeyPatch, asker: Any) -> None:
    """Who lacks pandas is told so, by an error of ours that is an ImportError as well."""
    tree = unpruned_classifier().fit([[1.0], [2.0]], ["a", "b"]).tree_
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        PackageError, match=rf"{asker}\(\) returns a pandas data frame.* pip install"
    ) as caught:
        candidates([[1.0], [2.0]], ["a", "b"]) if asker == "candidates" else tree.to_frame()
    assert isinstance(caught.value, ImportError)
