"""`candidates` as the lecture notes have it: scores, impurities of children, other logarithms, lookahead."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import GainRatio, Lookahead, ParameterError, candidates, datasets
from arboretum.information import entropy, gini
from arboretum.reference.nodes import read
from arboretum.reference.plain_tree import evaluate_split
from arboretum.reference.splits import make_rules, splits_of

LEVELS = list("abcd")


def line_of(table: Any, question: str) -> Any:
    return table[table["question"] == question].iloc[0]


class TestTheNotes:
    X, y = datasets.load_shoppers(backend="pandas")

    def test_impurities_of_children(self) -> None:
        """0.642 - 3/9 * 0.0 - 6/9 * 0.444 = 0.346."""
        line = line_of(candidates(self.X, self.y, nominal="one_vs_rest"), "favourite = sports goods")
        assert line["children"] == (3, 6)
        assert [f"{impurity:.3f}" for impurity in line["impurities"]] == ["0.000", "0.444"]
        assert f"{line['gain']:.3f}" == "0.346"
        assert gini(self.y) - 3 / 9 * 0 - 6 / 9 * line["impurities"][1] == pytest.approx(line["gain"])

    def test_scores(self) -> None:
        """The majority votes of DecisionTreeTrain: 3 + 4 for sports goods, 5 for professors."""
        table = candidates(self.X, self.y, nominal="one_vs_rest")
        assert line_of(table, "favourite = sports goods")["score"] == 7
        assert line_of(table, "job = professor")["score"] == 5

    def test_four_hundred_of_each_class(self) -> None:
        """Both splits make 200 mistakes; gini and entropy tell them apart."""
        rows = [(0, 0, 0)] * 300 + [(0, 0, 1)] * 100 + [(1, 0, 0)] * 100 + [(1, 0, 1)] * 300
        first = [(x, y) for x, _, y in rows]
        second = [(0, 0)] * 200 + [(0, 1)] * 400 + [(1, 0)] * 200
        found = {}
        for name, data in (("first", first), ("second", second)):
            for criterion in ("misclassification", "gini", "entropy"):
                X, y = [[x] for x, _ in data], [y for _, y in data]
                line = candidates(X, y, criterion=criterion, times_n=True).iloc[0]
                assert sum(line["impurities"]) == pytest.approx(line["impurity"])
                found[name, criterion] = line["impurity"] / 800
                assert line["score"] == 600
        assert found["first", "misclassification"] == found["second", "misclassification"] == 0.25
        assert found["first", "gini"] == pytest.approx(0.375)
        assert found["second", "gini"] == pytest.approx(1 / 3)
        assert found["second", "entropy"] < found["first", "entropy"]

    @pytest.mark.parametrize("base", [2, math.e, 10])
    def test_logarithms(self, base: float) -> None:
        table = candidates(self.X, self.y, criterion="entropy", base=base)
        first = table.iloc[0]
        parts = [n / 9 * impurity for n, impurity in zip(first["children"], first["impurities"], strict=True)]
        assert first["gain"] == pytest.approx(entropy(self.y, base=base) - sum(parts))
        bits = candidates(self.X, self.y, criterion="entropy").iloc[0]
        assert first["gain"] == pytest.approx(bits["gain"] * math.log(2) / math.log(base))
        assert first["gain_ratio"] == pytest.approx(bits["gain_ratio"])

    @pytest.mark.parametrize("base", [1, 0, -2, math.inf, math.nan, "2", None])
    def test_bases_that_are_none(self, base: Any) -> None:
        with pytest.raises(ParameterError, match="base="):
            candidates(self.X, self.y, criterion="entropy", base=base)

    def test_gini_takes_no_logarithms(self) -> None:
        with pytest.raises(ParameterError, match=r"criterion='gini', which takes no logarithms.\nHint"):
            candidates(self.X, self.y, base=10)

    def test_numbers_have_no_score(self) -> None:
        table = candidates([[1], [2], [3]], [1.0, 2.0, 4.0], criterion="squared_error", times_n=True)
        assert "score" not in table
        # Sums of squares: 14/3 around 7/3; 1/2 and 2 in the pairs.
        assert table["gain"].tolist() == pytest.approx([14 / 3 - 1 / 2, 14 / 3 - 2])
        assert table["impurities"][0] == pytest.approx((0.5, 0.0))

    @pytest.mark.parametrize("criterion", ["absolute_error", "poisson"])
    def test_impurities_of_numbers_add_up(self, criterion: Any) -> None:
        rng = np.random.default_rng(0)
        table = candidates(rng.normal(size=(30, 2)), rng.integers(1, 9, 30), criterion=criterion)
        for _, line in table.iterrows():
            mean = np.average(line["impurities"], weights=line["children"])
            assert line["impurity"] == pytest.approx(mean)


class TestLookahead:
    XOR = (np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0])

    def test_exclusive_or(self) -> None:
        """No question gains anything; with the next one, each gains everything."""
        table = candidates(*self.XOR, criterion="entropy", search=Lookahead())
        assert table["gain"].tolist() == [0, 0]
        assert table["worth"].tolist() == [1, 1]
        assert candidates(*self.XOR, criterion="entropy", search=Lookahead(), times_n=True)["worth"][0] == 4
        nats = candidates(*self.XOR, criterion="entropy", search=Lookahead(), base=math.e)
        assert nats["worth"][0] == pytest.approx(math.log(2))

    @pytest.mark.parametrize(
        ("options", "words"),
        [({"missing": "surrogate"}, "surrogate"), ({"column_costs": [1, 2]}, "column_costs")],
    )
    def test_what_does_not_go_together(self, options: Any, words: str) -> None:
        with pytest.raises(ParameterError, match=words):
            candidates(*self.XOR, search=Lookahead(), **options)

    def test_questions_that_are_not_looked_behind(self) -> None:
        """They come last: cuts beside a better one, unless all are asked for."""
        X, y = [[i] for i in range(40)], [0] * 20 + [1] * 20
        table = candidates(X, y, search=Lookahead())
        assert 0 < table["worth"].isna().sum() < 39
        assert table["worth"].isna().is_monotonic_increasing
        assert candidates(X, y, search=Lookahead(top=None))["worth"].notna().all()

    @settings(max_examples=40)
    @given(
        seed=st.integers(0, 2**32 - 1),
        criterion=st.sampled_from(["gini", "entropy", "misclassification"]),
        nominal=st.sampled_from(["subset", "one_vs_rest", "multiway"]),
        missing=st.sampled_from(["category", "fractional"]),
        correction=st.sampled_from(["raw", "corrected"]),
        depth=st.sampled_from([1, 1, 2]),
    )
    def test_it_is_evaluate_split(
        self, seed: int, criterion: Any, nominal: Any, missing: Any, correction: Any, depth: int
    ) -> None:
        """The reference, with exact fractions, says of every question what it gains and what it is worth."""
        X, y = random_table(seed, 8 if depth == 1 else 5)
        rules = make_rules(criterion, missing, nominal, "midpoint", levels=correction)
        columns = [[None if pd.isna(value) else value for value in X[name].tolist()] for name in X]
        kinds = ["nominal" if name == "level" else "numeric" for name in X]
        levels = {2: LEVELS}
        table = read(columns, kinds, y, None, levels, rules.criterion, evenly=rules.counts_weight)
        expected = sorted(
            (
                round(float(split.corrected), 9),
                round(float(evaluate_split(table, rules, table.rows, split, depth=depth)), 9),
            )
            for split in splits_of(table, rules, table.rows)
        )
        found = candidates(
            X,
            y,
            criterion=criterion,
            nominal=nominal,
            missing=missing,
            levels=correction,
            search=Lookahead(depth=depth, top=None),
        )
        divides = [sum(n > 0 for n in children) > 1 for children in found["children"]]
        found = found[np.array(divides, dtype=bool)]
        gain = found["corrected_gain" if "corrected_gain" in found else "gain"]
        pairs = sorted(zip(gain.round(9), found["worth"].round(9), strict=True))
        np.testing.assert_allclose(
            np.array(pairs).reshape(-1, 2), np.array(expected).reshape(-1, 2), atol=1e-8
        )

    @allow_one_leaf
    @settings(max_examples=40)
    @given(
        seed=st.integers(0, 2**32 - 1),
        n_rows=st.integers(4, 60),
        criterion=st.sampled_from(["gini", "entropy", "squared_error", "gain_ratio", GainRatio(guard=None)]),
        nominal=st.sampled_from(["subset", "one_vs_rest", "multiway"]),
        missing=st.sampled_from(["category", "fractional"]),
        ahead=st.sampled_from([Lookahead(), Lookahead(top=2), Lookahead(depth=2, top=5)]),
    )
    def test_the_first_row_is_what_the_engine_asks(
        self, seed: int, n_rows: int, criterion: Any, nominal: Any, missing: Any, ahead: Any
    ) -> None:
        X, y = random_table(seed, n_rows)
        if missing == "fractional" and ahead.depth > 1:  # which five questions are looked behind: rounding
            ahead = Lookahead()
        options: dict[str, Any] = {"nominal": nominal, "missing": missing, "search": ahead}
        estimator = unpruned_regressor if criterion == "squared_error" else unpruned_classifier
        root = estimator(criterion=criterion, **options).fit(X, y).tree_.root
        if root.is_leaf:
            return
        table = candidates(X, y, criterion=criterion, **options)
        assert table["gain"][0] == pytest.approx(root.gain, abs=1e-9)


def random_table(seed: int, n_rows: int) -> tuple[pd.DataFrame, list[int]]:
    rng = np.random.default_rng(seed)
    numbers = rng.integers(0, 4, (n_rows, 2)).astype(float)
    numbers[rng.random((n_rows, 2)) < 0.1] = np.nan
    X = pd.DataFrame(numbers, columns=["a", "b"])
    X["level"] = pd.Categorical(rng.choice(LEVELS[:3], n_rows), categories=LEVELS)
    y = ((np.nan_to_num(numbers).sum(axis=1) + rng.integers(0, 2, n_rows)) % 2).astype(int)
    y[:2] = 0, 1
    return X, y.tolist()
