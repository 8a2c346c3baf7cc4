"""`arboretum.reference`, the parts of ID3 and C4.5: multiway questions, gain ratio, fractions of rows."""

from __future__ import annotations

import math
from typing import Any

import pytest

from arboretum.errors import DataError, ParameterError
from arboretum.information import entropy
from arboretum.reference import (
    PLAY,
    PLAY_TENNIS,
    Branch,
    GainRatio,
    Leaf,
    Multiway,
    Split,
    Subset,
    Threshold,
    candidate_splits,
    grow,
    predict_row,
)
from arboretum.reference.impurities import criterion_named
from arboretum.reference.nodes import read
from arboretum.reference.plain_tree import rest
from arboretum.reference.splits import passing

TENNIS = [[row[name] for row in PLAY_TENNIS] for name in PLAY_TENNIS[0]]
C45: dict[str, Any] = {
    "criterion": GainRatio(guard="c45", numeric_penalty=True),
    "nominal": "multiway",
    "thresholds": "table",
    "missing": "fractional",
    "min_samples_split": 4,
    "min_samples_leaf": 2,
    "min_impurity_decrease": 5e-324,
}


def bits(*counts: Any) -> float:
    return entropy(counts=counts)


def labels(node: Any) -> list[Any]:
    return [child.label for child in node.children]


class TestMultiway:
    """One child for each declared level."""

    def test_play_tennis_is_the_tree_of_the_notes(self) -> None:
        """Outlook; below sunny humidity, below rain wind; nothing is left to ask below overcast."""
        tree = grow(TENNIS, ["nominal"] * 4, PLAY, criterion="entropy", nominal="multiway")
        assert tree.question == Multiway(0, ("overcast", "rain", "sunny"))
        assert tree.gain == pytest.approx(0.247, abs=5e-4)
        overcast, rain, sunny = tree.children
        assert (overcast.label, overcast.n_rows) == ("yes", 4)
        assert rain.question == Multiway(3, ("strong", "weak"))
        assert labels(rain) == ["no", "yes"]
        assert sunny.question == Multiway(2, ("high", "normal"))
        assert labels(sunny) == ["no", "yes"]

    def test_a_level_without_rows_is_a_leaf_with_the_label_from_above(self) -> None:
        columns, targets = [list("abb")], ["x", "y", "y"]
        tree = grow(columns, ["nominal"], targets, nominal="multiway", levels={0: "abc"})
        empty = tree.children[2]
        assert empty == Leaf("y", 0, 0.0, 0.0)
        assert empty.counts == {"x": 0.0, "y": 0.0}
        assert empty.probabilities == {"x": 1 / 3, "y": 2 / 3}
        assert predict_row(tree, ["c"]) == {"x": 1 / 3, "y": 2 / 3}

    def test_missing_rows_have_a_child_of_their_own(self) -> None:
        """It is the last one, and there is none where nothing is missing; those follow the heaviest child."""
        columns, targets = [["a", "a", "b", None]], ["x", "x", "y", "z"]
        tree = grow(columns, ["nominal"], targets, nominal="multiway", levels={0: "abc"})
        assert [child.n_rows for child in tree.children] == [2, 1, 0, 1]
        assert (tree.missing_child, tree.children[3].label) == (3, "z")
        complete = grow([list("abb")], ["nominal"], list("xyy"), nominal="multiway")
        assert (len(complete.children), complete.missing_child) == (2, 1)
        assert predict_row(complete, [None]) == {"x": 0.0, "y": 1.0}

    def test_two_children_must_be_large_enough(self) -> None:
        """Others may be smaller."""
        options: dict[str, Any] = {"nominal": "multiway", "min_samples_leaf": 2}
        assert isinstance(grow([list("aaabc")], ["nominal"], list("xxxyz"), **options), Leaf)
        tree = grow([list("aabbc")], ["nominal"], list("xxyyz"), **options)
        assert [child.n_rows for child in tree.children] == [2, 2, 1]

    @pytest.mark.parametrize("missing", ["category", "fractional"])
    def test_a_column_is_not_asked_again(self, missing: Any) -> None:
        """Below, all rows that have a value share it: also where rows without one come along."""
        columns = [["a", "a", "a", "b", "b", None, None], [1, 1, 2, 2, 2, 1, 2]]
        tree = grow(columns, ["nominal", "numeric"], list("xyxyyxy"), nominal="multiway", missing=missing)

        def asked(node: Any) -> Any:
            if isinstance(node, Leaf):
                return [[]]
            return [[node.question.column, *way] for child in node.children for way in asked(child)]

        assert any(0 in way for way in asked(tree))
        assert all(way.count(0) <= 1 for way in asked(tree))

    def test_levels_must_be_declared_completely(self) -> None:
        with pytest.raises(DataError, match="Column 0 holds 'c'"):
            grow([list("abc")], ["nominal"], list("xyz"), nominal="multiway", levels={0: "ab"})

    def test_not_with_surrogates(self) -> None:
        with pytest.raises(ParameterError, match="multiway"):
            grow([list("ab")], ["nominal"], list("xy"), nominal="multiway", missing="surrogate")


class TestGainRatio:
    """Gain over split information, the guard and the penalty."""

    def test_figures_of_play_tennis(self) -> None:
        """Gains 0.247, 0.029, 0.152, 0.048 over split informations 1.577, 1.557, 1.000, 0.985."""
        splits = candidate_splits(
            TENNIS, ["nominal"] * 4, PLAY, criterion=GainRatio(guard=None), nominal="multiway"
        )
        assert [round(split.gain, 3) for split in splits] == [0.247, 0.029, 0.152, 0.048]
        assert [round(split.gain_ratio, 3) for split in splits] == [0.156, 0.019, 0.152, 0.049]
        tree = grow(TENNIS, ["nominal"] * 4, PLAY, criterion="gain_ratio", nominal="multiway")
        assert tree.question.column == 0
        assert tree.gain_ratio == pytest.approx(0.156, abs=5e-4)

    def test_other_criteria_have_no_ratio(self) -> None:
        tree = grow(TENNIS, ["nominal"] * 4, PLAY, criterion="entropy", competitors=1)
        assert tree.gain_ratio is tree.competitors[0].gain_ratio is None

    RARE = [1, 0, 0, 0, 0, 0, 0, 0]  # one row apart: gains 0.138, and its ratio is 0.254
    HALF = [1, 1, 1, 0, 1, 0, 0, 0]  # three of four right on either side: gain and ratio 0.189
    CLASSES = list("aaaabbbb")

    def test_the_guard_changes_the_winner(self) -> None:
        """The average gain is 0.163: telling one row apart gains less, though its ratio is larger."""
        columns, kinds = [self.RARE, self.HALF], ["numeric"] * 2
        rare, half = candidate_splits(columns, kinds, self.CLASSES, criterion="gain_ratio")
        assert rare.gain == pytest.approx(1 - 7 / 8 * bits(3, 4))
        assert rare.gain_ratio == pytest.approx(rare.gain / bits(1, 7))
        assert half.gain == half.gain_ratio == pytest.approx(1 - bits(3, 1))

        def first(guard: str | None) -> Any:
            options: dict[str, Any] = {"criterion": GainRatio(guard=guard), "max_depth": 1}
            return grow(columns, kinds, self.CLASSES, **options).question.column

        assert first(None) == 0
        assert first("average") == first("c45") == 1

    def test_the_guard_of_c45_has_some_slack(self) -> None:
        """The average of 0.5 and 0.499 is 0.4995, which is less than 0.001 above the lower one."""
        table = read([[0], [0]], ["numeric"] * 2, ["a"], None, None, criterion_named("entropy"))
        strong = Split(Threshold(0, 0), 0.5, ([], []), 0.5, 0.5)
        slim = Split(Threshold(1, 0), 0.499, ([], []), 0.499, 0.6)
        assert passing(GainRatio("c45"), table, [strong, slim]) == [strong, slim]
        assert passing(GainRatio("average"), table, [strong, slim]) == [strong]

    def test_many_levels_do_not_raise_the_average_of_c45(self) -> None:
        """A row number gains 1 bit of 3. The other column gains 0.549 and has the better ratio, 0.575."""
        columns = [list("abcdefgh"), [1, 1, 1, 0, 0, 0, 0, 0]]
        kinds, options = ["nominal", "numeric"], {"nominal": "multiway", "max_depth": 1}
        average = grow(columns, kinds, self.CLASSES, criterion=GainRatio("average"), **options)
        c45 = grow(columns, kinds, self.CLASSES, criterion=GainRatio("c45"), **options)
        assert (average.question.column, average.gain_ratio) == (0, pytest.approx(1 / 3))
        assert (c45.question.column, c45.gain_ratio) == (1, pytest.approx(0.575, abs=5e-4))
        alone = grow(columns[:1], kinds[:1], self.CLASSES, criterion=GainRatio("c45"), **options)
        assert alone.question.column == 0

    def test_equal_ratios_go_to_the_first_column(self) -> None:
        """Both tell a class apart for certain: the ratio is 1, whatever rounding makes of it."""
        targets = list("aaabbbbcccccdd")
        for first, second in (("a", "c"), ("b", "d"), ("c", "b"), ("d", "a")):
            columns = [[int(target == name) for target in targets] for name in (first, second)]
            tree = grow(columns, ["numeric"] * 2, targets, criterion=GainRatio(guard=None), max_depth=1)
            assert (tree.question.column, tree.gain_ratio) == (0, pytest.approx(1.0))

    def test_many_cuts_have_their_price(self) -> None:
        """Both columns tell the classes apart; the one with 7 cuts pays log2(7)/8 for the choice."""
        columns, kinds = [list(range(8)), [0] * 4 + [1] * 4], ["numeric"] * 2
        free = grow(columns, kinds, self.CLASSES, criterion="gain_ratio")
        dear = grow(columns, kinds, self.CLASSES, criterion=GainRatio("average", numeric_penalty=True))
        assert (free.question.column, free.gain) == (0, 1.0)
        assert (dear.question.column, dear.gain) == (1, 1.0)
        alone = grow(columns[:1], kinds[:1], self.CLASSES, criterion=GainRatio(None, numeric_penalty=True))
        assert alone.gain == alone.gain_ratio == pytest.approx(1 - math.log2(7) / 8)

    def test_a_gain_below_its_price_is_no_candidate(self) -> None:
        """0.311 bits for one of three cuts among four rows, which cost log2(3)/4 = 0.396."""
        columns, targets = [[1, 2, 3, 4]], list("abab")
        assert isinstance(grow(columns, ["numeric"], targets, criterion="gain_ratio"), Branch)
        penalty = GainRatio("average", numeric_penalty=True)
        assert isinstance(grow(columns, ["numeric"], targets, criterion=penalty), Leaf)

    def test_what_is_no_candidate_does_not_lower_the_average(self) -> None:
        """Classes that alternate gain 0.138 by one of seven cuts: less than it costs, or RARE would win."""
        columns = [[1, 3, 5, 7, 2, 4, 6, 8], self.RARE, self.HALF]
        penalty = GainRatio("average", numeric_penalty=True)
        tree = grow(columns, ["numeric"] * 3, self.CLASSES, criterion=penalty, competitors=4)
        assert tree.question.column == 2
        assert [competitor.question.column for competitor in tree.competitors] == [1]

    @pytest.mark.parametrize(
        ("n_rows", "weight", "enough"),
        [(60, 1, 3), (60, 13, 3), pytest.param(600, 13, 25, marks=pytest.mark.deep)],
    )
    def test_both_sides_of_a_cut_hold_a_tenth_of_an_average_class(
        self, n_rows: int, weight: Any, enough: Any
    ) -> None:
        """60 rows, 2 classes: 3 rows, whatever they all weigh. Of 600 it would be 30, but 25 are enough."""
        columns, targets = [list(range(n_rows))], ["b"] * 8 + ["a"] * (n_rows - 8)
        for penalty, least in ((False, 1), (True, enough)):
            splits = candidate_splits(
                columns, ["numeric"], targets, weights=[weight] * n_rows, criterion=GainRatio(None, penalty)
            )
            assert min(len(split.children[0]) for split in splits) == least

    def test_one_against_the_rest_goes_by_ratio(self) -> None:
        """u is one row (gain 0.138, ratio 0.254), w is three of four right (gain and ratio 0.189)."""
        columns, kinds = [list("uvvwvwww")], ["nominal"]
        options: dict[str, Any] = {"nominal": "one_vs_rest", "max_depth": 1}
        by_gain = grow(columns, kinds, self.CLASSES, criterion="entropy", **options)
        by_ratio = grow(columns, kinds, self.CLASSES, criterion="gain_ratio", **options)
        assert by_gain.question == Subset(0, frozenset("w"))
        assert by_ratio.question == Subset(0, frozenset("u"))

    def test_thresholds_of_the_whole_table(self) -> None:
        """Between 1 and 10 the middle is 5.5; 5 is the largest value of the table up to there."""
        for thresholds, cut in (("midpoint", 5.5), ("observed", 1), ("table", 5)):
            splits = candidate_splits(
                [[1, 10, 5, 7]], ["numeric"], list("abab"), rows=[0, 1], thresholds=thresholds
            )
            assert [split.question.threshold for split in splits] == [cut]

    def test_objects_with_the_same_options_will_do(self) -> None:
        class Mine:
            guard, numeric_penalty = None, True

        columns = [self.RARE, self.HALF]
        mine = grow(columns, ["numeric"] * 2, self.CLASSES, criterion=Mine())
        assert mine == grow(columns, ["numeric"] * 2, self.CLASSES, criterion=GainRatio(None, True))
        with pytest.raises(ParameterError, match="guard='mean'"):
            grow(columns, ["numeric"] * 2, self.CLASSES, criterion=GainRatio("mean"))


class TestFractions:
    """Rows without a value go to all children, in pieces."""

    COLUMN = ["a", "a", "b", "b", "b", None]
    CLASSES = list("pnppnp")

    def tree(self, **options: Any) -> Any:
        return grow(
            [self.COLUMN],
            ["nominal"],
            self.CLASSES,
            **{"criterion": "gain_ratio", "nominal": "multiway", "missing": "fractional", **options},
        )

    def test_gain_counts_for_the_known_rows(self) -> None:
        """Five of six rows are known, and the answer "unknown" is one more part of the split information."""
        tree = self.tree()
        of_known = bits(3, 2) - (2 * bits(1, 1) + 3 * bits(2, 1)) / 5
        assert tree.gain == pytest.approx(5 / 6 * of_known)
        assert tree.gain_ratio == pytest.approx(5 / 6 * of_known / bits(2, 3, 1))

    def test_a_row_is_divided_as_the_known_weight(self) -> None:
        """Two fifths of the last row go to a, three fifths to b."""
        tree = self.tree()
        assert [child.counts for child in tree.children] == [{"n": 1.0, "p": 1.4}, {"n": 1.0, "p": 2.6}]
        assert [child.n_rows for child in tree.children] == [3, 4]
        assert [child.weight for child in tree.children] == [2.4, 3.6]
        assert (tree.n_rows, tree.weight, tree.missing) == (6, 6.0, "fractions")

    def test_case_weights_divide_too(self) -> None:
        """a weighs 6, b 3: of the last row, which weighs 3, 2 go to a and 1 to b."""
        tree = self.tree(weights=[3, 3, 1, 1, 1, 3])
        assert [child.weight for child in tree.children] == [8.0, 4.0]

    def test_prediction_mixes_the_leaves(self) -> None:
        """0.4 * 1.4/2.4 + 0.6 * 2.6/3.6 = 2/3, the share of p in all six rows."""
        tree = self.tree()
        assert predict_row(tree, ["a"]) == pytest.approx({"n": 1 / 2.4, "p": 1.4 / 2.4})
        assert predict_row(tree, [None]) == pytest.approx({"n": 1 / 3, "p": 2 / 3})

    def test_an_empty_child_gets_no_share(self) -> None:
        tree = self.tree(levels={0: "abc"})
        assert (tree.children[2].n_rows, tree.children[2].weight) == (0, 0.0)
        nodes, shares = zip(*rest(tree, [None]), strict=True)
        assert nodes == tree.children[:2]
        assert shares == pytest.approx((0.4, 0.6))
        assert predict_row(tree, [None]) == pytest.approx({"n": 1 / 3, "p": 2 / 3})
        assert predict_row(tree, ["c"]) == pytest.approx({"n": 1 / 3, "p": 2 / 3})

    def test_a_level_without_rows_is_one_of_the_rest(self) -> None:
        """Asked for one level, it says no. Of a subset nobody knows on which side it belongs."""
        columns, targets = [["a", "b", "b", None]], list("xyyx")
        options: dict[str, Any] = {"missing": "fractional", "levels": {0: "abc"}}
        one = grow(columns, ["nominal"], targets, nominal="one_vs_rest", **options)
        assert predict_row(one, ["c"]) == predict_row(one, ["b"]) == pytest.approx({"x": 0.25, "y": 0.75})
        subset = grow(columns, ["nominal"], targets, nominal="subset", **options)
        assert predict_row(subset, ["c"]) == predict_row(subset, [None]) == {"x": 0.5, "y": 0.5}

    def test_pieces_are_divided_again(self) -> None:
        """3/8 of the first row go right, and of these 1/3 go left below: 1/8; the rest of 1/4 goes right."""
        columns = [[None, 1, 1, 1, 1, 1, 2, 2, 2], [None, 5, 5, 5, 5, 5, 1, 2, 2]]
        targets = list("yxxxxxzyy")
        tree = grow(columns, ["numeric"] * 2, targets, missing="fractional", criterion="entropy")
        right: Any = tree.children[1]
        assert (tree.question, right.question) == (Threshold(0, 1.5), Threshold(1, 1.5))
        assert right.counts == {"x": 0.0, "y": 2.375, "z": 1.0}
        assert [leaf.counts["y"] for leaf in right.children] == [0.125, 2.25]
        shares: Any = predict_row(tree, [2, None])
        assert shares["z"] == pytest.approx(1.125 / 3.375 * 1 / 1.125)

    def test_limits_count_weight(self) -> None:
        """Child a holds three rows that weigh 2.4; only two of them are known, and these judge."""
        columns: list[list[Any]] = [self.COLUMN, [1, 2, 1, 2, 1, 2]]
        options: dict[str, Any] = {"nominal": "multiway", "missing": "fractional", "criterion": "entropy"}

        def below(**limits: Any) -> Any:
            splits = candidate_splits(columns[:1], ["nominal"], self.CLASSES, **limits, **options)
            return [len(split.children[0]) for split in splits]

        assert below(min_samples_leaf=2) == [2]
        assert below(min_samples_leaf=3) == []
        rows = [row for row in range(6) if columns[0][row] != "b"]
        part = [[column[row] for row in rows] for column in columns]
        classes = [self.CLASSES[row] for row in rows]
        # An average row counts as one: three rows are three, and the lightest of them is half a row.
        options = {"weights": [1, 1, 0.4], "missing": "fractional"}
        assert isinstance(grow(part[1:], ["numeric"], classes, min_samples_split=3, **options), Branch)
        assert isinstance(grow(part[1:], ["numeric"], classes, min_samples_split=4, **options), Leaf)
        splits = candidate_splits([[1, 2, 3]], ["numeric"], classes, **options)
        assert [split.question.threshold for split in splits] == [1.5]

    def test_numbers_are_mixed_too(self) -> None:
        tree = grow(
            [[1, 2, 2, None]], ["numeric"], [0, 3, 3, 2], criterion="squared_error", missing="fractional"
        )
        low, high = (child.label for child in tree.children)
        assert (low, high) == (pytest.approx(0.5), pytest.approx((6 + 4 / 3) / (2 + 2 / 3)))
        assert predict_row(tree, [None]) == pytest.approx(2.0)
        assert predict_row(tree, [1]) == low


class TestGolf:
    """Quinlan's fourteen days with numbers for temperature and humidity, as C4.5 learns them."""

    OUTLOOK = list("ssorrrossrsoor")
    TEMPERATURE = [85, 80, 83, 70, 68, 65, 64, 72, 69, 75, 75, 72, 81, 71]
    HUMIDITY = [85, 90, 86, 96, 80, 70, 65, 95, 70, 80, 70, 90, 75, 91]

    def test_the_textbook_tree(self) -> None:
        """Outlook; sunny days up to a humidity of 75, rainy days without strong wind."""
        columns = [self.OUTLOOK, self.TEMPERATURE, self.HUMIDITY, TENNIS[3]]
        kinds = ["nominal", "numeric", "numeric", "nominal"]
        tree = grow(columns, kinds, PLAY, **C45)
        overcast, rain, sunny = tree.children
        assert (tree.question, overcast.label) == (Multiway(0, ("o", "r", "s")), "yes")
        assert (rain.question, labels(rain)) == (Multiway(3, ("strong", "weak")), ["no", "yes"])
        assert (sunny.question, labels(sunny)) == (Threshold(2, 75), ["yes", "no"])
        # Two cuts of the five sunny days leave two rows on either side.
        assert sunny.gain == pytest.approx(bits(2, 3) - math.log2(2) / 5)
