"""`arboretum.reference`: figures of the lecture notes, base cases of each algorithm, the order of ties."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from arboretum.errors import DataError, ParameterError
from arboretum.reference import (
    CUSTOMER_CLASSES,
    CUSTOMERS,
    PLAY,
    PLAY_TENNIS,
    Branch,
    IsMissing,
    Leaf,
    Subset,
    Threshold,
    best_candidate,
    candidate_splits,
    decision_tree_test,
    decision_tree_train,
    determine_candidate_numeric_splits,
    determine_candidate_splits,
    find_best_split,
    grow,
    grow_regression_tree,
    grow_tree,
    info_gain,
    make_subtree,
)
from arboretum.reference import decision_tree_train as train_module
from arboretum.reference.decision_tree_train import Leaf as Guess
from arboretum.reference.decision_tree_train import Node as YesNo
from arboretum.reference.decision_tree_train import score
from arboretum.reference.grow_tree import Leaf as Label
from arboretum.reference.grow_tree import Node, classify, draw, levels_of
from arboretum.reference.impurities import CRITERIA, criterion_named
from arboretum.reference.make_subtree import Inner, NominalSplit, NumericSplit
from arboretum.reference.make_subtree import classify as classify_subtree
from arboretum.reference.questions import midpoint, questions_about
from arboretum.reference.regression_tree import Leaf as Mean
from arboretum.reference.regression_tree import Region, predict

KINDS = {"job": "nominal", "goods": "nominal", "weight": "numeric"}
COLUMNS = [[row[name] for row in CUSTOMERS] for name in KINDS]
ALL_WEIGHTS = [46.7, 49.2, 57.95, 66.55, 70.3, 80.75, 90.5, 97.25]


def customers(**options: Any) -> Any:
    return candidate_splits(COLUMNS, list(KINDS.values()), CUSTOMER_CLASSES, **options)


class TestFigures:
    """What the notes print."""

    @pytest.mark.parametrize(
        ("criterion", "printed"), [("entropy", "1.5305"), ("gini", "0.642"), ("misclassification", "0.556")]
    )
    def test_impurity_of_the_customers(self, criterion: str, printed: str) -> None:
        tree = grow(COLUMNS, list(KINDS.values()), CUSTOMER_CLASSES, criterion=criterion, max_depth=0)
        assert isinstance(tree, Leaf)
        assert f"{tree.impurity:.{len(printed) - 2}f}" == printed

    def test_best_first_decrease(self) -> None:
        """Sports goods or not: three pure rows against four and two, 0.642 - 6/9 * 0.444 = 0.346."""
        split = best_candidate(customers(nominal="one_vs_rest"))
        assert split.question == Subset(1, frozenset({3}))
        assert f"{float(split.gain):.3f}" == "0.346"
        assert split.gain == Fraction(28, 81)
        assert split.children == ([1, 6, 8], [0, 2, 3, 4, 5, 7])

    def test_all_thresholds_of_the_weights(self) -> None:
        cuts = [split.question.threshold for split in customers() if split.question.column == 2]
        assert [round(cut, 10) for cut in cuts] == ALL_WEIGHTS

    def test_thresholds_where_the_class_changes(self) -> None:
        splits = determine_candidate_numeric_splits(CUSTOMERS, CUSTOMER_CLASSES, "weight")
        assert [round(split.threshold, 10) for split in splits] == [46.7, 49.2, 66.55, 80.75, 90.5]

    def test_thresholds_of_one_to_five(self) -> None:
        splits = candidate_splits([[1, 2, 3, 4, 5]], ["numeric"], list("abcde"))
        assert [split.question.threshold for split in splits] == [1.5, 2.5, 3.5, 4.5]

    def test_four_hundred_of_each_class(self) -> None:
        """Misclassification sees no difference; gini and entropy prefer the split with a pure node."""
        # (class, side in the first split, side in the second split, weight)
        table = [(0, 0, 0, 100), (0, 0, 1, 200), (0, 1, 0, 100), (1, 0, 0, 100), (1, 1, 0, 300)]
        targets, one, two, weights = (list(column) for column in zip(*table, strict=True))
        gains = {
            criterion: [
                split.gain
                for split in candidate_splits(
                    [one, two], ["numeric", "numeric"], targets, weights=weights, criterion=criterion
                )
            ]
            for criterion in ("misclassification", "gini", "entropy")
        }
        assert gains["misclassification"] == [Fraction(1, 4), Fraction(1, 4)]
        assert gains["gini"][1] > gains["gini"][0]
        assert gains["entropy"][1] > gains["entropy"][0]

    @pytest.mark.parametrize(
        ("column", "printed"),
        [("outlook", "0.247"), ("humidity", "0.152"), ("wind", "0.048"), ("temperature", "0.029")],
    )
    def test_gains_of_playing_tennis(self, column: str, printed: str) -> None:
        assert f"{info_gain(PLAY_TENNIS, PLAY, NominalSplit(column)):.3f}" == printed

    def test_the_tree_of_playing_tennis(self) -> None:
        """Outlook first, then humidity on sunny and wind on rainy days; overcast is always yes."""
        tree = grow_tree(PLAY_TENNIS, PLAY, levels_of(PLAY_TENNIS))
        assert isinstance(tree, Node)
        assert tree.column == "outlook"
        assert {value: getattr(branch, "column", None) for value, branch in tree.branches.items()} == {
            "overcast": None,
            "rain": "wind",
            "sunny": "humidity",
        }
        assert [classify(tree, row) for row in PLAY_TENNIS] == PLAY

    def test_majority_votes_are_the_misclassification_gain(self) -> None:
        """Algorithm 1's score of a question is the number of rows that are not misclassified."""
        for split in customers(nominal="one_vs_rest", criterion="misclassification"):
            rows = [{"answer": row in split.children[0]} for row in range(9)]
            assert score(rows, CUSTOMER_CLASSES, "answer") == 4 + 9 * split.gain


class TestGrowTree:
    """One branch per value, and its base cases."""

    def test_homogeneous_rows_are_a_leaf(self) -> None:
        assert grow_tree([{"a": 1}, {"a": 2}], ["x", "x"], {"a": [1, 2]}) == Label("x")

    def test_an_empty_branch_takes_the_label_from_above(self) -> None:
        rows = [{"a": 1}, {"a": 1}, {"a": 2}]
        tree = grow_tree(rows, ["x", "x", "y"], {"a": [1, 2, 3]})
        assert tree == Node("a", {1: Label("x"), 2: Label("y"), 3: Label("x")})

    def test_rows_that_look_the_same_are_a_leaf(self) -> None:
        assert grow_tree([{"a": 1}] * 3, ["y", "x", "y"], {"a": [1, 2]}) == Label("y")

    def test_no_columns(self) -> None:
        assert grow_tree([{}, {}], ["b", "a"], {}) == Label("a")

    def test_a_column_is_not_asked_again(self) -> None:
        """The rows of one value differ no more in this column."""
        rows = [{"a": a, "b": b} for a in (0, 1) for b in (0, 1)]
        tree = grow_tree(rows, [0, 1, 1, 0], {"a": [0, 1], "b": [0, 1]})
        assert tree.column == "a"
        assert {branch.column for branch in tree.branches.values()} == {"b"}


class TestMakeSubtree:
    """Nominal and numeric candidates, the best by information gain."""

    def test_candidates(self) -> None:
        rows = [{"colour": "red", "size": 1}, {"colour": "blue", "size": 3}]
        assert determine_candidate_splits(rows, ["x", "y"], {"colour": "nominal", "size": "numeric"}) == [
            NominalSplit("colour"),
            NumericSplit("size", 2),
        ]

    def test_leaf_with_probabilities(self) -> None:
        leaf = make_subtree([{"a": 1}] * 4, list("xyyy"), {"a": "nominal"})
        assert leaf.label == "y"
        assert leaf.probabilities == {"x": 0.25, "y": 0.75}

    def test_a_change_inside_equal_values_is_a_candidate(self) -> None:
        """Rows of one value with two classes differ from either neighbour."""
        rows = [{"a": value} for value in (1, 1, 2, 3)]
        splits = determine_candidate_numeric_splits(rows, list("xyyy"), "a")
        assert [split.threshold for split in splits] == [1.5]
        mixed = determine_candidate_numeric_splits(rows[:2] + rows[2:3] * 2, list("xyxy"), "a")
        assert [split.threshold for split in mixed] == [1.5]

    def test_the_first_of_equal_gains_is_taken(self) -> None:
        rows = [{"a": value, "b": value} for value in (0, 1)]
        candidates = determine_candidate_splits(rows, [0, 1], {"b": "numeric", "a": "numeric"})
        assert find_best_split(rows, [0, 1], candidates).column == "b"

    def test_the_customers_are_learnt(self) -> None:
        tree = make_subtree(CUSTOMERS, CUSTOMER_CLASSES, KINDS)
        assert isinstance(tree, Inner)
        assert [classify_subtree(tree, row) for row in CUSTOMERS] == CUSTOMER_CLASSES

    def test_a_value_never_seen_gets_the_label_of_the_node(self) -> None:
        tree = make_subtree([{"a": value} for value in "uvv"], list("xyy"), {"a": "nominal"})
        assert classify_subtree(tree, {"a": "w"}) == "y"

    def test_neighbouring_floats_are_separated(self) -> None:
        """The midpoint rounds onto one of them; the recursion still ends."""
        high = math.nextafter(math.nextafter(1.0, 2.0), 2.0)
        rows = [{"a": math.nextafter(1.0, 2.0)}, {"a": high}]
        tree = make_subtree(rows, ["x", "y"], {"a": "numeric"})
        assert [classify_subtree(tree, row) for row in rows] == ["x", "y"]


class TestDecisionTreeTrain:
    """Yes and no, majority votes, and the base cases."""

    def test_unambiguous(self) -> None:
        assert decision_tree_train([{"f": True}], ["x"], ["f"]) == Guess("x")

    def test_nothing_left_to_ask(self) -> None:
        assert decision_tree_train([{}, {}, {}], ["y", "x", "y"], []) == Guess("y")

    def test_no_rows_take_the_guess_from_above(self) -> None:
        rows = [{"f": True}, {"f": True}, {"f": True}]
        assert decision_tree_train(rows, ["x", "y", "y"], ["f"]) == YesNo(
            "f", left=Guess("y"), right=Guess("y")
        )

    def test_no_is_left_and_yes_is_right(self) -> None:
        rows = [{"f": False}, {"f": True}]
        tree = decision_tree_train(rows, ["x", "y"], ["f"])
        assert tree == YesNo("f", left=Guess("x"), right=Guess("y"))
        assert [decision_tree_test(tree, row) for row in rows] == ["x", "y"]

    def test_the_highest_score_is_asked_first(self) -> None:
        rows = [{"weak": i % 2 == 0, "strong": i < 2} for i in range(4)]
        assert decision_tree_train(rows, list("aabb"), ["weak", "strong"]).column == "strong"

    def test_module_and_function_can_both_be_imported(self) -> None:
        assert callable(train_module)


class TestRegressionTree:
    """Least squares, averages, and a minimum node size of five."""

    def test_minimum_node_size(self) -> None:
        """Five rows are not split, six are."""
        rows = [(float(i),) for i in range(6)]
        assert grow_regression_tree(rows[:5], [0, 0, 1, 1, 1]) == Mean(0.6)
        assert grow_regression_tree(rows, [0, 0, 0, 1, 1, 1]) == Region(0, 2.5, Mean(0.0), Mean(1.0))

    def test_equal_targets_are_a_leaf(self) -> None:
        assert grow_regression_tree([(float(i),) for i in range(9)], [2.0] * 9) == Mean(2.0)

    def test_rows_that_look_the_same_are_a_leaf(self) -> None:
        assert grow_regression_tree([(1.0,)] * 8, list(range(8))) == Mean(3.5)

    def test_the_better_column_is_split(self) -> None:
        rows = [(i % 2, i) for i in range(8)]
        targets = [0.0] * 3 + [1.0] * 5
        tree = grow_regression_tree(rows, targets, min_node_size=1)
        assert (tree.column, tree.split_point) == (1, 2.5)
        assert [predict(tree, row) for row in rows] == targets


class TestQuestions:
    """Every question, once, in the order that decides ties."""

    def test_order_with_missing_values(self) -> None:
        assert list(questions_about(4, "numeric", [3, None, 1, 2, 1])) == [
            Threshold(4, 1.5, False),
            Threshold(4, 1.5, True),
            Threshold(4, 2.5, False),
            Threshold(4, 2.5, True),
            IsMissing(4),
        ]

    def test_one_value_and_missing(self) -> None:
        assert list(questions_about(0, "numeric", [1, None])) == [IsMissing(0)]
        assert list(questions_about(0, "nominal", ["a", None])) == [IsMissing(0)]
        assert list(questions_about(0, "numeric", [None, None])) == []

    @pytest.mark.parametrize("n_levels", range(2, 7))
    def test_every_partition_once(self, n_levels: int) -> None:
        """2^(k-1) - 1 partitions in two sides, none empty, none twice."""
        levels = frozenset(range(n_levels))
        sides = [question.levels for question in questions_about(0, "nominal", list(levels))]
        partitions = {frozenset({side, levels.difference(side)}) for side in sides}
        assert len(sides) == len(partitions) == 2 ** (n_levels - 1) - 1
        assert all(0 in side and side != levels for side in sides)

    def test_one_against_the_rest(self) -> None:
        questions = list(questions_about(0, "nominal", ["b", "a", "c"], nominal="one_vs_rest"))
        assert [question.levels for question in questions] == [{"a"}, {"b"}, {"c"}]

    def test_observed_thresholds(self) -> None:
        assert [q.threshold for q in questions_about(0, "numeric", [1, 4, 2], thresholds="observed")] == [
            1,
            2,
        ]

    def test_ordered_levels_are_cut_like_numbers(self) -> None:
        assert [q.threshold for q in questions_about(0, "ordered", [0, 3, 1])] == [0.5, 2]

    @pytest.mark.parametrize(
        ("low", "high", "expected"),
        [
            (1.0, math.nextafter(1.0, 2.0), 1.0),
            (math.nextafter(1.0, 2.0), 1.0 + 2**-51, math.nextafter(1.0, 2.0)),
            (-math.inf, 3.0, -math.inf),
            (3.0, math.inf, 3.0),
            (-math.inf, math.inf, -math.inf),
            (1.5 * 2.0**1023, 1.75 * 2.0**1023, 1.625 * 2.0**1023),
            (0.0, 5e-324, 0.0),
            (2**62 + 1, 2**62 + 2, 2**62 + 1),
            (2**62 + 1, 2**62 + 5, 2**62 + 3),
            (-3, -2, -2.5),
        ],
    )
    def test_midpoints_at_the_edges_of_floats(self, low: float, high: float, expected: Any) -> None:
        """low <= t < high, whatever rounding does."""
        assert midpoint(low, high) == expected
        assert low <= midpoint(low, high) < high

    def test_unknown_names(self) -> None:
        for options in ({"nominal": "subsets"}, {"thresholds": "middle"}):
            with pytest.raises(ParameterError, match="is not known; choose"):
                candidate_splits([[1, 2], ["a", "b"]], ["numeric", "nominal"], [0, 1], **options)
        with pytest.raises(ParameterError, match="kind='number'"):
            candidate_splits([[1, 2]], ["number"], [0, 1])
        with pytest.raises(ParameterError, match="criterion='ginni'"):
            grow([[1, 2]], ["numeric"], [0, 1], criterion="ginni")


class TestGrow:
    """The engine's twin: base cases, limits, weights, exact ties."""

    def test_base_cases(self) -> None:
        assert grow([[1, 2]], ["numeric"], ["x", "x"]) == Leaf("x", 2, 2.0, 0.0)
        assert grow([[1, 1]], ["numeric"], ["y", "x"]) == Leaf("x", 2, 2.0, 0.5)
        assert grow([], [], ["y", "x", "y"]).label == "y"

    def test_a_gain_of_zero_is_a_split(self) -> None:
        """Exactly one of two: no first question helps, and the tree is found all the same."""
        tree = grow([[0, 0, 1, 1], [0, 1, 0, 1]], ["numeric"] * 2, [0, 1, 1, 0])
        assert isinstance(tree, Branch)
        assert tree.gain == 0.0
        assert [[leaf.label for leaf in child.children] for child in tree.children] == [[0, 1], [1, 0]]
        assert isinstance(grow([[0, 0, 1, 1]], ["numeric"], [0, 1, 1, 0], min_impurity_decrease=1e-9), Leaf)

    def test_minimum_decrease_counts_the_share_of_the_node(self) -> None:
        """The second split gains 1/2 in half of the rows: 1/4 of the root's weight."""
        columns, targets = [[0, 0, 1, 2]], ["a", "a", "b", "c"]
        assert isinstance(grow(columns, ["numeric"], targets, min_impurity_decrease=0.25).children[1], Branch)
        assert isinstance(grow(columns, ["numeric"], targets, min_impurity_decrease=0.2501).children[1], Leaf)

    def test_limits(self) -> None:
        columns, targets = [[1, 2, 3, 4, 5]], list("abbbb")
        assert grow(columns, ["numeric"], targets).question.threshold == 1.5
        assert grow(columns, ["numeric"], targets, min_samples_leaf=2).question.threshold == 2.5
        assert isinstance(grow(columns, ["numeric"], targets, min_samples_leaf=3), Leaf)
        assert isinstance(grow(columns, ["numeric"], targets, min_samples_split=6), Leaf)
        assert isinstance(grow(columns, ["numeric"], targets, max_depth=0), Leaf)

    def test_ties_go_to_the_lower_column_and_then_the_lower_cut(self) -> None:
        columns, targets = [[1, 2, 3, 4], [1, 2, 3, 4]], list("abab")
        assert grow(columns, ["numeric"] * 2, targets, max_depth=1).question == Threshold(0, 1.5)

    def test_missing_rows_join_the_better_side(self) -> None:
        columns, targets = [[1, 2, None]], list("aba")
        assert grow(columns, ["numeric"], targets).question == Threshold(0, 1.5, missing_left=True)
        assert grow(columns, ["numeric"], list("abb")).question == Threshold(0, 1.5, missing_left=False)
        assert grow([[1, 2, None]], ["numeric"], list("aab")).question == IsMissing(0)

    def test_rows_of_weight_zero_are_removed(self) -> None:
        columns, targets = [[1, 2, 3]], list("aba")
        assert grow(columns, ["numeric"], targets, weights=[1, 0, 2]) == Leaf("a", 2, 3.0, 0.0)
        splits = candidate_splits(columns, ["numeric"], list("abb"), weights=[1, 0, 1])
        assert [split.question.threshold for split in splits] == [2]

    def test_weights_are_repeated_rows(self) -> None:
        columns, targets, weights = [[1, 2, 3, 4]], [1.0, 5.0, 2.0, 8.0], [2, 1, 3, 1]
        repeated = [i for i, weight in enumerate(weights) for _ in range(weight)]
        for criterion in CRITERIA:
            weighted = candidate_splits(columns, ["numeric"], targets, weights=weights, criterion=criterion)
            plain = candidate_splits(
                [[columns[0][i] for i in repeated]],
                ["numeric"],
                [targets[i] for i in repeated],
                criterion=criterion,
            )
            assert [split.question for split in weighted] == [split.question for split in plain]
            assert [float(split.gain) for split in weighted] == pytest.approx(
                [float(split.gain) for split in plain], abs=1e-12
            )

    def test_some_rows_of_a_node(self) -> None:
        splits = candidate_splits([[1, 2, 3, 4]], ["numeric"], list("abab"), rows=[3, 0])
        assert [(split.question.threshold, split.children) for split in splits] == [(2.5, ([0], [3]))]

    @pytest.mark.parametrize(
        ("criterion", "label", "impurity"),
        [("squared_error", 3.75, 9.6875), ("absolute_error", 2.5, 2.25), ("poisson", 3.75, None)],
    )
    def test_regression_by_hand(self, criterion: str, label: Any, impurity: Any) -> None:
        """Targets 1, 2, 3, 9: mean 3.75, median between 2 and 3."""
        targets = [1, 2, 3, 9]
        if impurity is None:
            impurity = sum(y * math.log(y / 3.75) - y + 3.75 for y in targets) / 4
        leaf = grow([], [], targets, criterion=criterion)
        assert leaf.label == label
        assert leaf.impurity == pytest.approx(impurity, abs=1e-12)

    def test_weighted_median(self) -> None:
        """Half of the weight lies at 1: the median is between 1 and 2."""
        assert grow([], [], [1, 2, 7], weights=[2, 1, 1], criterion="absolute_error").label == 1.5
        assert grow([], [], [1, 2, 7], weights=[2, 1.5, 1], criterion="absolute_error").label == 2.0

    def test_no_child_of_zeros_with_poisson(self) -> None:
        columns, targets = [[1, 2, 3, 4]], [0, 0, 1, 5]
        splits = candidate_splits(columns, ["numeric"], targets, criterion="poisson")
        assert [split.question.threshold for split in splits] == [3.5]
        assert grow(columns, ["numeric"], [0, 0, 0, 0], criterion="poisson").label == 0.0

    def test_targets_that_a_criterion_cannot_hold(self) -> None:
        for criterion, target in (("poisson", -1), ("squared_error", "x"), ("absolute_error", math.nan)):
            with pytest.raises(DataError, match="target"):
                grow([[1, 2]], ["numeric"], [1, target], criterion=criterion)

    def test_shapes(self) -> None:
        with pytest.raises(DataError, match="lengths"):
            grow([[1, 2, 3]], ["numeric"], [0, 1])
        with pytest.raises(DataError, match="weight above zero"):
            grow([[1]], ["numeric"], [0], weights=[0])

    def test_gains_are_exact_where_they_can_be(self) -> None:
        for criterion in ("gini", "misclassification", "squared_error", "absolute_error"):
            gains = [
                s.gain for s in candidate_splits([[1, 2, 3]], ["numeric"], [0, 1, 2], criterion=criterion)
            ]
            assert all(isinstance(gain, Fraction) for gain in gains)
            assert gains[0] == gains[1]

    def test_mirrored_splits_tie_with_logarithms_too(self) -> None:
        """fsum does not depend on the order of the classes."""
        targets = list("aaabbcc")
        gains = [
            s.gain for s in candidate_splits([list(range(7))], ["numeric"], targets, criterion="entropy")
        ]
        mirrored = [
            s.gain
            for s in candidate_splits([list(range(7))], ["numeric"], targets[::-1], criterion="entropy")
        ]
        assert gains == mirrored[::-1]

    def test_gini_of_the_customers_is_a_fraction(self) -> None:
        pairs = [(label, Fraction(1)) for label in CUSTOMER_CLASSES]
        assert criterion_named("gini").impurity(pairs) == Fraction(52, 81)


def test_draw_spells_out_what_a_terminal_would_obey() -> None:
    rows = [{"colour\n": "red\x1b[31m"}, {"colour\n": "blue"}]
    text = draw(grow_tree(rows, ["a\x07", "b"], levels_of(rows)))
    assert text.splitlines() == [r"colour\n = blue: b", r"colour\n = red\x1b[31m: a\x07"]
