"""`arboretum.reference`, the parts of CART: surrogates, competitors, where rows without a value go."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from arboretum.errors import ParameterError
from arboretum.reference import (
    Branch,
    IsMissing,
    Leaf,
    Subset,
    Surrogate,
    Threshold,
    candidate_splits,
    grow,
    predict_row,
)

# Ten rows. x tells the classes apart; y (the other way round) and z (a level) nearly say what x says.
X = [1, 2, 3, 4, None, 6, 7, 8, 9, None]
Y = [9, 8, 7, 2, 8.5, 3, 1, 4, None, None]
Z = ["u", "u", "u", "v", "v", "v", "v", "v", "u", "v"]
CLASSES = list("aaaaabbbbb")
KINDS = ["numeric", "numeric", "nominal"]


def ten_rows(z: Any = Z, **options: Any) -> Any:
    return grow([X, Y, z], KINDS, CLASSES, **{"missing": "surrogate", "max_depth": 1, **options})


def sizes(tree: Any) -> list[int]:
    return [child.n_rows for child in tree.children]


class TestSurrogates:
    """Which questions stand in for another, and how well."""

    def test_gain_counts_for_the_known_rows(self) -> None:
        """Eight of ten rows are known and become pure: 8/10 of one half."""
        tree = ten_rows()
        assert (tree.question, tree.gain) == (Threshold(0, 5), pytest.approx(0.4))

    def test_agreement_in_the_node(self) -> None:
        """Both agree on six of the eight rows that x can send; all to one child would be right for four."""
        y, z = ten_rows().surrogates
        assert y.question == Threshold(1, 5.5, flipped=True)
        assert (z.question, z.question.others) == (Subset(2, frozenset("u")), frozenset("v"))
        assert (y.agreement, y.adjusted_agreement) == (0.75, 0.5)
        assert (z.agreement, z.adjusted_agreement) == (0.75, 0.5)

    def test_agreement_where_both_are_known(self) -> None:
        """Of the seven rows with y, four go left: (6 - 4) / (7 - 4). z is known in all eight."""
        y, z = ten_rows(missing=Surrogate(agreement="known")).surrogates
        assert (y.agreement, y.adjusted_agreement) == (pytest.approx(6 / 7), pytest.approx(2 / 3))
        assert (z.agreement, z.adjusted_agreement) == (0.75, 0.5)

    def test_rows_are_sent_by_the_first_that_can(self) -> None:
        """y knows where the fifth row goes, z has to send the last one."""
        tree = ten_rows()
        assert [surrogate.n_rows for surrogate in tree.surrogates] == [1, 1]
        assert [child.counts for child in tree.children] == [{"a": 5.0, "b": 0.0}, {"a": 0.0, "b": 5.0}]
        assert (tree.missing, tree.missing_child) == ("surrogates", 0)

    def test_the_best_comes_first(self) -> None:
        """With one row less against it z agrees on seven rows of eight."""
        tree = ten_rows(z=["u", "u", "u", "u", "v", "v", "v", "v", "u", "v"])
        assert [surrogate.question.column for surrogate in tree.surrogates] == [2, 1]
        assert tree.surrogates[0].adjusted_agreement == 0.75
        assert [surrogate.n_rows for surrogate in tree.surrogates] == [2, 0]

    def test_most(self) -> None:
        """Without z, the last row goes where more rows go; of equal weights that is child 0."""
        tree = ten_rows(missing=Surrogate(max_surrogates=1))
        assert [surrogate.question.column for surrogate in tree.surrogates] == [1]
        assert sizes(tree) == [6, 4]
        assert ten_rows(missing=Surrogate(max_surrogates=0)).surrogates == ()

    def test_weights(self) -> None:
        """The row on which both disagree with x counts twice: 6 of 9, and all to child 0 would be 5 of 9."""
        y, z = ten_rows(weights=[1, 1, 1, 2, 1, 1, 1, 1, 1, 1]).surrogates
        assert (y.agreement, y.adjusted_agreement) == (pytest.approx(2 / 3), 0.25)
        assert (z.agreement, z.adjusted_agreement) == (pytest.approx(2 / 3), 0.25)
        # Three times: no better than the majority, which is 6 of 10.
        assert ten_rows(weights=[1, 1, 1, 3, 1, 1, 1, 1, 1, 1]).surrogates == ()

    def test_two_rows_must_go_each_way(self) -> None:
        """One row that is right could be chance."""
        x, classes = [1, 2, 3, 4, 5, 6], list("aabbbb")
        for other, n_surrogates in (([0, 1, 1, 1, 1, 1], 0), ([0, 0, 1, 1, 1, 1], 1)):
            tree = grow([x, other], ["numeric"] * 2, classes, missing="surrogate")
            assert len(tree.surrogates) == n_surrogates

    def test_as_good_as_the_majority_is_not_enough(self) -> None:
        x, classes = [1, 2, 3, 4, 5, 6, 7, 8], list("aaaabbbb")
        tree = grow([x, [0, 0, 1, 1, 0, 0, 1, 1]], ["numeric"] * 2, classes, missing="surrogate")
        assert tree.surrogates == ()

    def test_nothing_is_learnt_from_one_side(self) -> None:
        """Where y is known, x sends all rows to child 1: any y would agree."""
        columns = [[1, 2, 3, 4, 5, 6], [None, None, 1, 2, 3, 4]]
        options: dict[str, Any] = {"missing": Surrogate(agreement="known"), "max_depth": 1}
        tree = grow(columns, ["numeric"] * 2, list("aabbbb"), **options)
        assert (tree.question, tree.surrogates) == (Threshold(0, 2.5), ())

    def test_values_of_rows_in_need_are_neighbours(self) -> None:
        """Between 3 and 7 lies 4, in a row without x: the first of two equal cuts is halfway to it."""
        columns = [[1, 2, 3, 4, 5, 6, 7, 8, None], [1, 2, 3, 7, 8, 9, 9, 2, 4]]
        options: dict[str, Any] = {"missing": "surrogate", "max_depth": 1}
        for thresholds, cut in (("midpoint", 3.5), ("observed", 3)):
            tree = grow(columns, ["numeric"] * 2, list("aaabbbbbb"), thresholds=thresholds, **options)
            assert [surrogate.question for surrogate in tree.surrogates] == [Threshold(1, cut)]

    @pytest.mark.parametrize(
        ("weights", "child"), [([1] * 8, 0), ([1, 2, 1, 1, 1, 1, 1, 1], 0), ([1] * 7 + [2], 1)]
    )
    def test_a_level_in_balance_goes_with_the_others(self, weights: Any, child: int) -> None:
        """Of w one row goes each way; where the other levels weigh the same, it goes to child 0."""
        x, levels = [1, 2, 3, 4, 5, 6, 7, 8], list("uuuwwvvv")
        tree = grow(
            [x, levels], ["numeric", "nominal"], list("aaaabbbb"), weights=weights, missing="surrogate"
        )
        question = tree.surrogates[0].question
        assert (tree.question, question.child("u"), question.child("v")) == (Threshold(0, 4.5), 0, 1)
        assert question.child("w") == child

    def test_objects_with_the_same_options_will_do(self) -> None:
        class Mine:
            max_surrogates, send, agreement = 1, "surrogates", "known"

        assert ten_rows(missing=Mine()) == ten_rows(missing=Surrogate(1, "surrogates", "known"))
        for wrong in (Surrogate(send="sometimes"), Surrogate(agreement="both"), "surrogates", 5):
            with pytest.raises(ParameterError, match="is not known; choose"):
                ten_rows(missing=wrong)


class TestSending:
    """Rows that no surrogate can send."""

    NO_Z = [*Z[:9], None]

    def test_always(self) -> None:
        """x sends four rows each way; the row that nobody can send joins child 0."""
        tree = ten_rows(z=self.NO_Z)
        assert sizes(tree) == [6, 4]
        assert predict_row(tree, [None, None, None]) == predict_row(tree, [1, None, None])

    def test_always_with_the_heavier_side(self) -> None:
        tree = ten_rows(z=self.NO_Z, weights=[1] * 5 + [2] * 5)
        assert (tree.missing_child, sizes(tree)) == (1, [5, 5])

    def test_surrogates_only(self) -> None:
        """The row stays in the inner node, and so do later ones, with the inner node's prediction."""
        tree = ten_rows(z=self.NO_Z, missing=Surrogate(send="surrogates"))
        assert (tree.n_rows, sizes(tree), tree.missing_child) == (10, [5, 4], -1)
        assert predict_row(tree, [None, None, None]) == {"a": 0.5, "b": 0.5}
        assert predict_row(tree, [None, 3, None]) == {"a": 0.0, "b": 1.0}

    def test_never(self) -> None:
        """Surrogates are listed, but they send nobody."""
        tree = ten_rows(missing=Surrogate(send="never"))
        assert (sizes(tree), tree.missing, tree.missing_child) == ([4, 4], "child", -1)
        assert [surrogate.n_rows for surrogate in tree.surrogates] == [0, 0]
        assert predict_row(tree, [None, 3, "v"]) == {"a": 0.5, "b": 0.5}

    def test_prediction_asks_the_surrogates_in_order(self) -> None:
        tree = ten_rows()
        assert predict_row(tree, [None, 5.6, "v"]) == {"a": 1.0, "b": 0.0}
        assert predict_row(tree, [None, None, "v"]) == {"a": 0.0, "b": 1.0}

    def test_a_level_without_rows_is_sent_by_surrogates(self) -> None:
        """The node knows nothing about level w."""
        columns = [list("uuuvvvv"), [1, 1, 1, 2, 2, 2, 2]]
        tree = grow(columns, ["nominal", "numeric"], list("aaabbbb"), missing="surrogate")
        assert predict_row(tree, ["w", 1]) == {"a": 1.0, "b": 0.0}
        assert predict_row(tree, ["w", None]) == {"a": 0.0, "b": 1.0}

    def test_a_level_without_rows_follows_the_heavier_child(self) -> None:
        """Where missing is a category, the rows without a value say nothing about it."""
        columns, targets = [["u", "u", "u", "v", None]], list("aaabb")
        tree = grow(columns, ["nominal"], targets)
        assert tree.missing_child == 1
        assert predict_row(tree, [None]) == {"a": 0.0, "b": 1.0}
        assert predict_row(tree, ["w"]) == {"a": 1.0, "b": 0.0}

    def test_no_question_about_missing_values(self) -> None:
        """They are left aside; the sizes of children are those of known rows."""
        columns, targets = [[1, 2, None, None]], list("abcc")
        category = candidate_splits(columns, ["numeric"], targets)
        assert IsMissing(0) in [split.question for split in category]
        for missing in ("surrogate", "fractional"):
            (split,) = candidate_splits(columns, ["numeric"], targets, missing=missing)
            assert (split.question, split.children) == (Threshold(0, 1.5), ([0], [1]))
            assert not candidate_splits(columns, ["numeric"], targets, missing=missing, min_samples_leaf=2)


class TestCompetitors:
    """The best questions of the other columns."""

    def test_best_first(self) -> None:
        """y: 8 of 10 rows known, 15/32 - 3/16. z: 9 of 10, 40/81 - 4/9 * 3/8 - 5/9 * 12/25."""
        columns, kinds = [X, [*Z[:9], None], Y], ["numeric", "nominal", "numeric"]
        y, z = grow(columns, kinds, CLASSES, missing="surrogate", competitors=4).competitors
        assert (y.question, y.gain) == (Threshold(2, 5.5), pytest.approx(0.8 * (15 / 32 - 3 / 16)))
        assert z.question == Subset(1, frozenset("u"))
        assert z.gain == pytest.approx(0.9 * (40 / 81 - 1 / 6 - 4 / 15))

    def test_so_many(self) -> None:
        assert ten_rows().competitors == ()
        assert len(ten_rows(competitors=1).competitors) == 1

    def test_equals_stay_in_the_order_of_columns(self) -> None:
        columns = [[0, 0, 1, 1], [0, 0, 0, 1], [1, 0, 0, 0]]
        tree = grow(columns, ["numeric"] * 3, list("abbb"), competitors=4)
        assert tree.question == Threshold(2, 0.5)
        assert [competitor.question.column for competitor in tree.competitors] == [0, 1]
        mirrored = grow([columns[2], columns[1], columns[1]], ["numeric"] * 3, list("abbb"), competitors=4)
        assert [competitor.question.column for competitor in mirrored.competitors] == [1, 2]

    def test_they_gain_something(self) -> None:
        columns, kinds, targets = [[0, 0, 1, 1], [0, 1, 0, 1]], ["numeric"] * 2, list("aabb")
        assert grow(columns, kinds, targets, competitors=4).competitors == ()

    def test_with_gain_ratio_they_are_ordered_by_it(self) -> None:
        columns = [[1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0, 1, 0, 0, 0], [1, 1, 1, 1, 0, 0, 0, 0]]
        tree = grow(columns, ["numeric"] * 3, list("aaaabbbb"), criterion="gain_ratio", competitors=4)
        assert tree.question.column == 2
        assert [c.question.column for c in tree.competitors] == [0, 1]
        assert all(c.gain_ratio is not None and c.gain_ratio >= c.gain for c in tree.competitors)


@pytest.mark.parametrize("seed", range(5))
def test_without_missing_values_all_policies_grow_the_same_tree(seed: int) -> None:
    """Same questions, gains and counts; only what is remembered for later rows differs."""
    draw = random.Random(seed)
    columns = [[draw.randrange(4) for _ in range(20)] for _ in range(3)]
    targets = [draw.choice("abc") for _ in range(20)]

    def shape(node: Any) -> Any:
        if isinstance(node, Leaf):
            return (node, node.counts)
        return (node.question, node.gain, node.counts, *map(shape, node.children))

    trees = [
        grow(columns, ["numeric", "nominal", "ordered"], targets, missing=missing)
        for missing in ("category", "surrogate", "fractional")
    ]
    assert isinstance(trees[0], Branch)
    assert shape(trees[0]) == shape(trees[1]) == shape(trees[2])
    for row in zip(*columns, strict=True):
        predicted = [predict_row(tree, row) for tree in trees]
        assert predicted[0] == predicted[1] == predicted[2]
        assert math.fsum(predicted[0].values()) == pytest.approx(1)
