"""Distributions of what a node asks about: bins, bars, ticks, and the values that are hard on them.

That every row is shown once and on its side, on random tables, is shown in `tests/properties`.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest
from support.composites import TREE, frame
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError
from arboretum._show.rows.bins import edges_around, edges_of
from arboretum._show.rows.distribution import Distribution, distribution, target_distribution
from arboretum._show.rows.node_rows import rows_in_nodes

YES = "yes"


def shown(column: Any, y: Any, *, other: Any = None, options: Any = None, **limits: int) -> Distribution:
    """The distribution at the root of a tree of one question about one column, perhaps of another one."""
    X = pd.DataFrame({"x": column})
    tree = unpruned_classifier(max_depth=1, **(options or {})).fit(X, y).tree_
    if other is not None:
        X, y = pd.DataFrame({"x": other}), [YES] * len(other)
    found = distribution(tree, 0, rows_in_nodes(tree, (X, y)), **limits)
    assert found is not None
    return found


def sides(found: Distribution) -> tuple[float, float]:
    assert found.edges is not None
    assert found.cut is not None
    left = found.edges[1:] <= found.cut
    return float(found.counts[left].sum()), float(found.counts[~left].sum())


# Bins


def test_bins_by_hand() -> None:
    found = shown([1, 2, 2, 3, 5, 5], ["no", "no", YES, YES, YES, YES], bins=5)
    assert (found.kind, found.title, found.cut) == ("bins", "x", 2.5)
    assert found.edges is not None
    assert found.edges.tolist() == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]
    assert found.counts.tolist() == [[1, 0], [1, 1], [0, 1], [0, 0], [0, 2]]
    assert found.ticks == ((1.0, "1"), (2.5, "2.5"), (5.0, "5"))
    assert found.missing.tolist() == [0, 0]
    assert (found.names, found.child, found.mean, found.points) == (None, None, None, None)


def test_widths_are_equal_and_the_cut_is_an_edge() -> None:
    found = shown(np.random.default_rng(0).normal(size=200), ["no", YES] * 100)
    assert found.edges is not None
    assert np.ptp(np.diff(found.edges)) < 1e-12
    assert found.cut in found.edges
    assert 20 <= len(found.counts) <= 24


def test_values_at_the_cut_are_left_of_it() -> None:
    """With observed thresholds the cut is a value: `x <= 2` holds for 2, so its bin ends there."""
    found = shown([1.0, 2.0, 3.5], ["no", "no", YES], options={"thresholds": "observed"})
    assert found.cut == 2.0
    assert sides(found) == (2, 1)


def test_bins_end_with_their_last_value() -> None:
    """Whole numbers and a whole cut lie on the edges: each belongs to the bin that ends there."""
    found = shown([1, 2, 2, 3, 5], ["no", "no", "no", YES, YES], options={"thresholds": "observed"})
    assert found.edges is not None
    assert found.edges.tolist() == [1, 2, 3, 4, 5]
    assert found.counts.tolist() == [[3, 0], [0, 1], [0, 0], [0, 1]]
    wider = shown([1, 2, 2, 3, 5, 7, 7], ["no"] * 3 + [YES] * 4, options={"thresholds": "observed"}, bins=4)
    assert wider.edges is not None
    assert wider.edges.tolist() == [0, 2, 4, 6, 8]
    assert wider.counts.sum(axis=1).tolist() == [3, 1, 1, 2]


def test_missing_values_are_counted_by_class() -> None:
    found = shown([1.0, 2.0, 3.0, np.nan, np.nan], ["no", "no", YES, YES, YES])
    assert found.missing.tolist() == [0, 2]
    assert sides(found) == (2, 1)


def test_integers_that_doubles_cannot_tell_apart_keep_their_side() -> None:
    big = 2**53
    found = shown(np.array([big, big + 1, big + 1, big + 2]), ["no", YES, YES, YES])
    assert sides(found) == (1, 3)
    assert found.ticks[0][1] == str(big)  # the cut, which is where the least value is
    assert found.ticks[-1][1] == str(big + 2)


def test_integers_beyond_int64_show_their_own_values() -> None:
    """They are stored less an offset, which must be seen neither on the axis nor in the texts."""
    values = np.array([1, 2**63 + 10, 2**64 - 1], dtype=np.uint64)
    found = shown(values, ["no", YES, YES])
    assert found.edges is not None
    assert found.edges[-1] >= 2.0**64
    assert [text for _, text in found.ticks][::2] == ["1", str(2**64 - 1)]
    assert sides(found) == (1, 2)


def test_dates_have_ticks_that_are_dates() -> None:
    days = [dt.date(2024, 1, 1), dt.date(2024, 1, 3), dt.date(2024, 3, 1)]
    found = shown(np.array(days, dtype="M8[D]"), ["no", "no", YES])
    assert [text for _, text in found.ticks] == ["2024-01-01", "2024-02-01", "2024-03-01"]
    assert sides(found) == (2, 1)


def test_datetimes_and_durations_have_texts_of_their_own() -> None:
    instants = np.array(["2024-01-01T10:00", "2024-01-01T12:00"], dtype="M8[s]")
    assert [text for _, text in shown(instants, ["no", YES]).ticks] == [
        "2024-01-01T10:00:00", "2024-01-01T11:00:00", "2024-01-01T12:00:00",
    ]  # fmt: skip
    found = shown(np.array([3600, 7200], dtype="m8[s]"), ["no", YES])
    assert [text for _, text in found.ticks] == ["01:00:00", "01:30:00", "02:00:00"]


def test_infinite_values_are_in_the_outermost_bins() -> None:
    found = shown([-np.inf, 0.0, 1.0, 2.0, np.inf], ["no", "no", "no", YES, YES])
    assert found.edges is not None
    assert np.isfinite(found.edges).all()
    assert found.counts[0].tolist() == [2, 0]  # -inf and 0
    assert found.counts[-1].tolist() == [0, 2]
    assert sides(found) == (3, 2)


def test_a_cut_that_only_infinite_values_pass() -> None:
    found = shown([-np.inf, -np.inf, 3.0, 4.0], ["no", "no", YES, YES])
    assert sides(found) == (2, 2)
    found = shown([3.0, 4.0, np.inf], ["no", "no", YES])
    assert sides(found) == (2, 1)


def test_numbers_near_the_largest_do_not_overflow() -> None:
    found = shown([-1.7e308, 1.7e308, 0.0, 1.0], ["no", YES, "no", YES])
    assert found.edges is not None
    assert np.isfinite(np.diff(found.edges)).all()
    assert sides(found) == (2, 2)


def test_neighbouring_doubles_are_apart() -> None:
    found = shown([1.0, np.nextafter(1.0, 2.0)], ["no", YES])
    assert sides(found) == (1, 1)
    found = shown([0.0, 5e-324], ["no", YES])
    assert sides(found) == (1, 1)


def test_one_value_is_one_bin() -> None:
    found = shown([1.0, 3.0], ["no", YES], other=[7.0, 7.0])
    assert found.counts.tolist() == [[0, 2]]
    assert found.edges is not None
    assert found.edges[0] < 7.0 < found.edges[1]
    assert found.ticks == ((7.0, "7"),)  # the cut is elsewhere
    at_the_cut = shown([1.0, 3.0], ["no", YES], other=[2.0])
    assert at_the_cut.edges is not None
    assert at_the_cut.edges[-1] == at_the_cut.cut == 2.0


def test_a_cut_far_from_all_rows_leaves_them_their_room() -> None:
    found = shown([1.0, 3.0], ["no", YES], other=[1000.0, 1000.5, 1001.0])
    assert found.edges is not None
    assert found.edges[0] >= 999
    assert found.cut == 2.0
    assert [text for _, text in found.ticks] == ["1000", "1001"]


def test_all_values_missing_leaves_an_empty_axis_about_the_cut() -> None:
    found = shown([1.0, 3.0], ["no", YES], other=[np.nan, np.nan])
    assert found.counts.sum() == 0
    assert found.missing.tolist() == [0, 2]
    assert sides(found) == (0, 0)


def test_leaves_and_empty_nodes_have_none() -> None:
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})
    tree = unpruned_classifier().fit(X, ["a", "b", "c", "d"]).tree_
    rows = rows_in_nodes(tree, (X[:1], ["a"]))
    assert distribution(tree, len(tree) - 1, rows) is None
    empty = next(node for node in tree.walk() if not node.is_leaf and rows.n_rows[node.number] == 0)
    assert distribution(tree, empty.number, rows) is None


def test_fewest_bins() -> None:
    found = shown([1.0, 2.0, 3.0, 4.5], ["no", "no", YES, YES], bins=1)
    assert len(found.counts) == 2
    assert sides(found) == (2, 2)


# Numbers as targets


def test_numbers_have_means_and_points() -> None:
    X = pd.DataFrame({"x": [0.0, 1.0, 10.0, np.nan, np.inf]})
    y = np.array([1.0, 3.0, 50.0, 2.0, 70.0])
    tree = unpruned_regressor(max_depth=1).fit(X, y).tree_
    found = distribution(tree, 0, rows_in_nodes(tree, (X, y, [1.0, 3.0, 1.0, 1.0, 1.0])), bins=2)
    assert found is not None
    assert found.mean is not None
    assert found.counts.tolist() == [[4], [2]]
    assert found.mean.tolist() == [2.5, 60.0]
    assert found.missing.tolist() == [1]
    assert found.points is not None
    assert found.points.tolist() == [[0, 1], [1, 3], [10, 50]]  # infinite values have no place


def test_points_are_thinned_evenly() -> None:
    x = np.arange(5000.0)
    tree = unpruned_regressor(max_depth=1).fit(x[:, None], x).tree_
    found = distribution(tree, 0, rows_in_nodes(tree, (x[:, None], x)))
    assert found is not None
    assert found.points is not None
    assert found.points.shape == (300, 2)
    assert set(np.diff(found.points[:, 0])) == {16.0, 17.0}
    assert found.points[[0, -1], 0].tolist() == [0.0, 4999.0]


def test_target_distribution() -> None:
    x, y = np.arange(6.0), np.array([0.0, 0.0, 1.0, 5.0, 5.0, 7.5])
    tree = unpruned_regressor(max_depth=1).fit(x[:, None], y).tree_
    rows = rows_in_nodes(tree, (x[:, None], y))
    found = target_distribution(tree, 2, rows, bins=5)
    assert (found.kind, found.title, found.cut) == ("bins", "target", None)
    assert found.edges is not None
    assert found.edges.tolist() == [5.0, 5.5, 6.0, 6.5, 7.0, 7.5]
    assert found.counts.tolist() == [[2], [0], [0], [0], [1]]
    assert found.ticks == ((5.0, "5"), (7.5, "7.5"))
    nobody = target_distribution(tree, 2, rows_in_nodes(tree, (x[:1, None], y[:1])))
    assert nobody.counts.sum() == 0
    classes = unpruned_classifier().fit(x[:, None], ["a", "b"] * 3).tree_
    with pytest.raises(DataError, match="predicts classes"):
        target_distribution(classes, 0, rows_in_nodes(classes, (x[:, None], ["a", "b"] * 3)))


# Bars


def test_levels_are_most_frequent_first_within_each_child() -> None:
    colours = ["red"] * 3 + ["blue"] * 2 + ["grey"] * 4 + ["pink"]
    found = shown(colours, ["no"] * 5 + [YES] * 5)
    assert (found.kind, found.names) == ("bars", ("red", "blue", "grey", "pink"))
    assert found.child is not None
    assert found.child.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    assert found.counts.tolist() == [[3, 0], [2, 0], [0, 4], [0, 1]]
    assert (found.edges, found.cut, found.ticks) == (None, None, ())


def test_rare_levels_are_one_bar_per_child() -> None:
    levels = [f"l{i:02}" for i in range(30) for _ in range(30 - i)]
    y = [YES if i % 2 else "no" for i in range(30) for _ in range(30 - i)]
    found = shown(levels, y, bars=6)
    assert found.names is not None
    assert found.child is not None
    assert found.names == ("l00", "l02", "… 13 more", "l01", "l03", "… 13 more")
    assert found.child.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.counts.sum() == len(y)


def test_a_level_is_never_called_one_more() -> None:
    """Of three levels and two bars, the one that is left keeps its name."""
    found = shown(["a", "a", "b", "c"], ["no", "no", YES, YES], bars=2)
    assert found.names is not None
    assert found.names[0] == "a"
    assert found.names[1:] == ("… 2 more",)


def test_a_branch_for_every_level() -> None:
    y = ["no", "no", YES, YES]
    found = shown(["a", "b", "c", None], y, options={"nominal": "multiway"})
    assert found.names == ("a", "b", "c")
    assert found.child is not None
    assert found.child.tolist() == [0, 1, 2]
    assert found.missing.tolist() == [0, 1]


@pytest.mark.parametrize(("missing", "child"), [("category", 0), ("surrogate", -1), ("fractional", -1)])
def test_levels_that_the_node_never_saw(missing: str, child: int) -> None:
    """They follow the heavier child where missing values go to one; elsewhere each row goes its own way."""
    X = pd.DataFrame({"side": [0.0] * 5 + [1.0] * 6, "x": list("aabbbcccccc")})
    y = [YES] * 2 + ["no"] * 3 + ["maybe"] * 6
    tree = unpruned_classifier(missing=missing).fit(X, y).tree_
    asking = next(
        node
        for node in tree.walk()
        if node.question is not None and node.question.column == "x" and node.depth
    )
    stranger = pd.DataFrame({"x": ["a", "c"], "side": [0.0, 0.0]})
    found = distribution(tree, asking.number, rows_in_nodes(tree, (stranger, [YES, YES])))
    assert found is not None
    assert found.names is not None
    assert found.child is not None
    assert dict(zip(found.names, found.child.tolist(), strict=True)) == {"a": 1, "c": child}


def test_ordered_levels_stay_in_order() -> None:
    sizes = pd.Categorical(["s", "m", "m", "xl", "l"], ["s", "m", "l", "xl"], ordered=True)
    found = shown(sizes, ["no", "no", "no", YES, YES])
    assert (found.kind, found.names) == ("bars", ("s", "m", "l", "xl"))
    assert found.child is not None
    assert found.child.tolist() == [0, 0, 1, 1]
    assert found.counts.tolist() == [[1, 0], [2, 0], [0, 1], [0, 1]]


def test_all_levels_missing_shows_the_levels_of_the_question() -> None:
    found = shown(["a", "b"], ["no", YES], other=[None, "unheard of"])
    assert found.names == ("a", "b")
    assert found.counts.sum() == 0
    assert found.missing.sum() == 2


def test_the_question_whether_a_value_is_missing() -> None:
    found = shown([1.0, 1.0, np.nan], ["no", "no", YES])
    assert (found.kind, found.names) == ("bars", ("missing", "known"))
    assert found.counts.tolist() == [[0, 1], [2, 0]]
    assert found.missing.tolist() == [0, 0]


# Questions about several columns

ROWS: list[Any] = [
    # a, n, when, size, colour
    (0.25, 0, 0, 2, 2),  # n <= 1: all three parts of TWO_OF hold
    (None, 1, 0, None, 2),  # only colour = red is known to hold
    (0.9, 0, 0, 0, 0),  # none
    (3.0, 2, 0, 0, 1),  # n > 1: 0.8*3 - 1.2 + 2*2 = 5.2
    (None, 5, 0, 0, None),  # 0.8*0.25 - 1.2*0.5 + 10 = 9.6
]


def test_parts_that_hold_are_counted() -> None:
    rows = rows_in_nodes(TREE, (frame(ROWS), ["yes", "no", "no", "no", "yes"]))
    found = distribution(TREE, 1, rows)
    assert found is not None
    assert (found.title, found.names) == ("parts that hold", ("0", "1", "2", "3"))
    assert found.child is not None
    assert found.child.tolist() == [1, 1, 0, 0]
    assert found.counts.tolist() == [[1, 0], [1, 0], [0, 0], [0, 1]]
    assert found.missing.tolist() == [0, 0]


def test_sums_have_bins() -> None:
    rows = rows_in_nodes(TREE, (frame(ROWS), ["yes", "no", "no", "no", "yes"]))
    found = distribution(TREE, 2, rows)
    assert found is not None
    assert (found.kind, found.cut) == ("bins", 1.5)
    assert found.title == "0.8·a \N{MINUS SIGN} 1.2·[colour = green] + 2·n"
    assert [text for _, text in found.ticks] == ["5.2", "9.6"]
    assert found.counts.sum(axis=0).tolist() == [1, 1]
    assert found.missing.tolist() == [0, 0]


# Edges


def test_edges_of_few_whole_numbers_are_between_them() -> None:
    assert edges_of(np.array([1.0, 4.0, 2.0]), 24).tolist() == [0.5, 1.5, 2.5, 3.5, 4.5]
    assert edges_of(np.array([3.0]), 24).tolist() == [2.5, 3.5]


def test_every_bin_holds_as_many_whole_numbers() -> None:
    """Ages from 17 to 90 in 24 bins: of a width of 3.17, some bins would have four ages, others three."""
    values = np.arange(17.0, 91.0)
    edges = edges_around(values, (values > 40.5).astype(np.int64), 40.5, 24)
    counts = np.histogram(values, edges)[0]
    assert set(counts[1:-1]) == {4}
    assert 40.5 in edges
