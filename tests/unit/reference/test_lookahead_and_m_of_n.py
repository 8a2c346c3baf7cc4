"""Lookahead and m-of-n of the lecture notes, against brute force and against the engine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arboretum import Lookahead, MofN, TreeClassifier, candidates
from arboretum.information import conditional_entropy, entropy
from arboretum.reference import (
    AtLeast,
    Literal,
    climb,
    determine_candidate_literals,
    determine_candidate_splits,
    evaluate_split,
    find_best_split,
    find_m_of_n,
    info_gain,
    lookahead_find_best_split,
    make_subtree,
)
from arboretum.reference.m_of_n import operators, start
from arboretum.reference.make_subtree import Inner, NominalSplit, NumericSplit, classify

XOR = [{"c": c, "a": a, "b": b} for c, a, b in map(list, ["000", "001", "010", "111", "111"])]
EXACTLY_ONE = [row["a"] != row["b"] for row in XOR]


@st.composite
def bits(draw: st.DrawFn, n_columns: int = 4) -> tuple[list[dict[str, int]], list[int]]:
    n_rows = draw(st.integers(4, 14))
    bit = st.integers(0, 1)
    rows = [{f"x{i}": draw(bit) for i in range(n_columns)} for _ in range(n_rows)]
    return rows, [draw(bit) for _ in rows]


@st.composite
def mixed(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[str], dict[str, str]]:
    n_rows = draw(st.integers(2, 12))
    values = {
        "age": st.integers(1, 4),
        "colour": st.sampled_from(["blue", "green", "red"]),
        "size": st.integers(1, 3),
    }
    rows = [{name: draw(value) for name, value in values.items()} for _ in range(n_rows)]
    targets = [draw(st.sampled_from("abc")) for _ in rows]
    return rows, targets, {"age": "numeric", "colour": "nominal", "size": "numeric"}


class TestLookahead:
    def test_choice_is_not_myopic(self) -> None:
        kinds = dict.fromkeys("cab", "nominal")
        assert make_subtree(XOR, EXACTLY_ONE, kinds).split == NominalSplit("c")
        tree = make_subtree(XOR, EXACTLY_ONE, kinds, lookahead=True)
        assert isinstance(tree, Inner)
        assert tree.split == NominalSplit("a")
        assert [classify(tree, row) for row in XOR] == EXACTLY_ONE

    def test_a_split_that_separates_the_classes(self) -> None:
        rows, targets = [{"a": 0, "b": 0}, {"a": 0, "b": 1}, {"a": 1, "b": 1}], list("xxy")
        splits = [NominalSplit("b"), NominalSplit("a")]
        gain = info_gain(rows, targets, splits[1])
        assert evaluate_split(rows, targets, splits, splits[1]) == pytest.approx(gain)
        # Below b there is a, so both are worth the same, and the first wins.
        assert lookahead_find_best_split(rows, targets, splits) == splits[0]

    def test_the_only_candidate(self) -> None:
        only = [NominalSplit("a")]
        gain = info_gain(XOR, EXACTLY_ONE, only[0])
        assert evaluate_split(XOR, EXACTLY_ONE, only, only[0]) == pytest.approx(gain)
        assert lookahead_find_best_split(XOR, EXACTLY_ONE, only) == only[0]

    @given(mixed())
    def test_worth_is_that_of_the_best_subtree_of_two_levels(self, table: Any) -> None:
        """H(Y) - H(Y | leaf), for every way to choose one further split per outcome."""
        rows, targets, kinds = table
        splits = determine_candidate_splits(rows, targets, kinds)
        for split in splits:
            others = [other for other in splits if other != split]
            outcomes = sorted({split.outcome(row) for row in rows})
            rests = []
            for outcome in outcomes:
                here = [i for i, row in enumerate(rows) if split.outcome(row) == outcome]
                part = [targets[i] for i in here]
                ways = [conditional_entropy(part, [other.outcome(rows[i]) for i in here]) for other in others]
                rests.append(len(here) / len(rows) * min([entropy(part), *ways]))
            worth = evaluate_split(rows, targets, splits, split)
            assert worth == pytest.approx(entropy(targets) - math.fsum(rests), abs=1e-9)

    @given(mixed())
    def test_equal_to_the_engine(self, table: Any) -> None:
        rows, targets, kinds = table
        splits = determine_candidate_splits(rows, targets, kinds)
        assume(splits and len(set(targets)) > 1)
        lines = candidates(
            pd.DataFrame(rows),
            targets,
            criterion="entropy",
            nominal="multiway",
            levels="raw",
            search=Lookahead(top=None),
        )
        worths = {
            NumericSplit(line["column"], line["threshold"])
            if line["threshold"] == line["threshold"]
            else NominalSplit(line["column"]): line["worth"]
            for _, line in lines.iterrows()
        }
        assert set(splits) <= set(worths)
        for split in splits:
            assert evaluate_split(rows, targets, splits, split) == pytest.approx(worths[split], abs=1e-9)
        best = lookahead_find_best_split(rows, targets, splits)
        assert worths[best] == pytest.approx(max(worths.values()), abs=1e-9)


def best_of(rows: Sequence[Any], targets: Sequence[Any], literals: Sequence[Literal], n: int) -> float:
    """The largest gain of all m-of-n questions with up to n literals."""
    questions = [
        AtLeast(m, chosen)
        for size in range(1, n + 1)
        for chosen in combinations(literals, size)
        for m in range(1, size + 1)
    ]
    return max(info_gain(rows, targets, question) for question in questions)


class TestMofN:
    def test_literals(self) -> None:
        row = {"age": 30, "colour": "red"}
        signs = {"=": False, "!=": True, "<=": True, ">": False}
        assert {sign: Literal("age", sign, 31).outcome(row) for sign in signs} == signs
        assert Literal("colour", "=", "red").outcome(row)
        assert not Literal("age", ">", 30).outcome(row)

    def test_operators(self) -> None:
        a, b, c = literals = [Literal(column, "=", 1) for column in "abc"]
        assert operators(AtLeast(1, (b,)), literals) == [
            AtLeast(1, (b, a)),
            AtLeast(1, (b, c)),
            AtLeast(2, (b, a)),
            AtLeast(2, (b, c)),
        ]
        assert operators(AtLeast(2, (a, b, c)), literals) == []
        assert operators(AtLeast(1, (a,)), [a, a.negation()]) == []

    def test_it_counts(self) -> None:
        question = AtLeast(2, tuple(Literal(column, "=", 1) for column in "abc"))
        answers = [
            question.outcome(dict(zip("abc", map(int, row), strict=True))) for row in ("100", "101", "111")
        ]
        assert answers == [False, True, True]

    @given(bits())
    def test_each_step_is_the_best_and_the_end_is_a_summit(self, table: Any) -> None:
        rows, targets = table
        literals = determine_candidate_literals(rows, targets, dict.fromkeys(rows[0], "nominal"))
        path = climb(rows, targets, literals)
        assert find_m_of_n(rows, targets, literals) == path[-1]

        def gain(question: AtLeast) -> float:
            return info_gain(rows, targets, question)

        assert gain(path[0]) == pytest.approx(best_of(rows, targets, literals, 1), abs=1e-9)
        for before, after in pairwise(path):
            assert gain(after) == pytest.approx(max(map(gain, operators(before, literals))), abs=1e-9)
            assert gain(after) > gain(before)
            assert after.literals[:-1] == before.literals
            assert after.m - before.m in (0, 1)
        assert all(gain(step) <= gain(path[-1]) + 1e-9 for step in operators(path[-1], literals))
        assert gain(path[-1]) <= best_of(rows, targets, literals, len(path)) + 1e-9

    def test_equal_to_the_engine(self) -> None:
        """Where each step is the only best one. (The first has an equal, the negation.)"""
        random = np.random.default_rng(0)
        lengths = []
        for _ in range(250):
            X, y = random.integers(0, 2, (20, 4)), random.integers(0, 2, 20)
            rows = [dict(zip("abcd", row, strict=True)) for row in X.tolist()]
            literals = determine_candidate_literals(rows, y, dict.fromkeys("abcd", "numeric"))
            path = climb(rows, y, literals)
            if not all(is_clear(rows, y, literals, path, number) for number in range(len(path))):
                continue
            questions = MofN(climb="greedy")
            model = TreeClassifier(criterion="entropy", questions=questions, max_depth=1, prune=None)
            assert model.fit(X, y).tree_.root.gain == pytest.approx(info_gain(rows, y, path[-1]), abs=1e-9)
            lengths.append(len(path))
        assert set(lengths) >= {1, 2, 3}
        assert len(lengths) > 30


def is_clear(rows: Any, targets: Any, literals: Sequence[Literal], path: list[AtLeast], number: int) -> bool:
    """Whether a step of the climb gains more than all others."""
    steps = operators(path[number - 1], literals) if number else start(literals)
    gains = sorted(info_gain(rows, targets, step) for step in steps)
    return gains[-1 if number else -2] - gains[-2 if number else -3] > 1e-9


def test_the_best_split_is_the_first_of_equals_on_paper() -> None:
    """Both gains are the same number, computed along different ways."""
    rows = [{"a": i % 3, "b": 2 - i % 3} for i in range(9)]
    targets = [0, 0, 1, 1, 0, 1, 0, 1, 1]
    for order in ("ab", "ba"):
        splits = [NominalSplit(column) for column in order]
        assert find_best_split(rows, targets, splits).column == order[0]
