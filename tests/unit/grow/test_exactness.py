"""Exactness traps of the engine: numbers at which an engine that is nearly right goes wrong.

Neighbours are floats with none between them; an outlier is a target far away from all others. The general
proof is in `tests/oracle`; each case here has a reason of its own.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.trees import estimator, shape, unpruned_classifier, unpruned_regressor

from arboretum import Node, Tree
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum._show.text import to_text
from arboretum.reference import candidate_splits

CRITERIA = (*CLASS_CRITERIA, *NUMBER_CRITERIA)


def same_below(ours: Node, its: Node) -> bool:
    """Whether two subtrees ask the same of as many rows and predict the same, up to the last digit."""
    if (ours.n_rows, str(ours.question)) != (its.n_rows, str(its.question)):
        return False
    if ours.value is None or its.value is None:
        if ours.label != its.label:
            return False
    elif not math.isclose(ours.value, its.value, rel_tol=1e-12):
        return False
    if not math.isclose(ours.impurity, its.impurity, rel_tol=1e-9, abs_tol=1e-15):
        return False
    return all(same_below(a, b) for a, b in zip(ours.children, its.children, strict=True))


def first_question(model: Any) -> Any:
    """What the root asks."""
    return model.tree_.root.question


# --- thresholds next to values ----------------------------------------------------------------------------


def neighbours(number: float, kind: type[np.floating[Any]], n: int) -> Any:
    """A run of n neighbouring floats, from the number upwards."""
    run = [kind(number)]
    while len(run) < n:
        run.append(np.nextafter(run[-1], kind(math.inf)))
    return np.array(run, dtype=kind)


@pytest.mark.parametrize("thresholds", ["midpoint", "observed"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("start", [1.0, 0.0, -1.0, 1e-300, -1e-40, 5e-324, 3e38, -3e38, 1e308, 16777216.0])
def test_neighbouring_floats_are_told_apart(
    start: float, kind: type[np.floating[Any]], thresholds: str
) -> None:
    """A midpoint that rounds up to the higher value would send it left; each row must find its leaf."""
    if kind is np.float32 and abs(start) > 3.4e38:
        start = math.copysign(3e38, start)
    with np.errstate(under="ignore"):
        x = neighbours(start, kind, 12)
    y = np.arange(12) % 2
    model = unpruned_classifier(thresholds=thresholds).fit(x.reshape(-1, 1), y)
    assert model.predict(x.reshape(-1, 1)).tolist() == y.tolist()
    assert model.get_n_leaves() == 12


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@given(data=st.data())
def test_training_rows_find_their_leaf(kind: type[np.floating[Any]], data: st.DataObject) -> None:
    """Any floats at all, infinities and denormals too: a full tree tells each distinct value apart."""
    floats = st.floats(width=32 if kind is np.float32 else 64, allow_nan=False)
    x = np.array(
        data.draw(st.lists(floats, min_size=2, max_size=20, unique_by=lambda v: v + 0.0)), dtype=kind
    )
    y = np.arange(len(x))
    model = unpruned_regressor().fit(x.reshape(-1, 1), y)
    assert model.predict(x.reshape(-1, 1)).tolist() == y.tolist()
    # The same numbers in the other width go the same way where nothing is rounded.
    if kind is np.float32:
        assert model.predict(x.astype(np.float64).reshape(-1, 1)).tolist() == y.tolist()


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=2, max_size=20, unique=True))
def test_integers_keep_all_their_digits(values: list[int]) -> None:
    """Integers that no double can hold are cut and routed exactly."""
    x = np.array(values, dtype=np.int64).reshape(-1, 1)
    y = np.arange(len(values))
    model = unpruned_regressor().fit(x, y)
    assert model.predict(x).tolist() == y.tolist()


@given(st.lists(st.integers(0, 2**64 - 1), min_size=2, max_size=20, unique=True))
def test_unsigned_integers_keep_all_their_digits(values: list[int]) -> None:
    """The same beyond the range of signed integers."""
    x = np.array(values, dtype=np.uint64).reshape(-1, 1)
    y = np.arange(len(values))
    model = unpruned_regressor().fit(x, y)
    assert model.predict(x).tolist() == y.tolist()


def test_two_zeros_are_one_value() -> None:
    """-0.0 and 0.0 are equal: no threshold lies between them, and both go to one leaf."""
    X = np.array([[-0.0], [0.0], [1.0]])
    model = unpruned_classifier(thresholds="observed").fit(X, ["a", "b", "c"])
    assert model.get_n_leaves() == 2
    assert model.apply([[0.0], [-0.0]]).tolist() == [1, 1]
    assert math.copysign(1.0, first_question(model).threshold) == 1.0


def test_midpoint_beyond_the_largest_float() -> None:
    """The sum of two huge values overflows, their midpoint does not."""
    model = unpruned_classifier().fit([[1.6e308], [1.7e308]], [0, 1])
    assert 1.6e308 < first_question(model).threshold < 1.7e308


@pytest.mark.parametrize(
    "values", [(-math.inf, math.inf), (-math.inf, 0.0), (0.0, math.inf), (1e308, math.inf)]
)
def test_thresholds_beside_infinity(values: tuple[float, float]) -> None:
    """There is no midpoint beside an infinity: the lower value separates the two."""
    X = np.array(values).reshape(-1, 1)
    model = unpruned_classifier().fit(X, ["low", "high"])
    assert model.predict(X).tolist() == ["low", "high"]
    assert first_question(model).threshold == values[0]


# --- numbers of very different size -----------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("outlier", [1e15, -1e15])
def test_an_outlier_does_not_blur_the_rest(criterion: str, weighted: bool, outlier: float) -> None:
    """Below the question that sets the outlier apart, the tree is the one grown without it.

    Sums are kept in integers of a common unit. One target of 1e15 makes that unit coarse, and with weights
    that differ it once stayed coarse after the outlier had gone.
    """
    rng = np.random.default_rng(0)
    X = rng.random((150, 2))
    y = (X[:, 0] + 0.3 * (X[:, 1] > 0.5)).round(6)
    weights = rng.integers(1, 4, 150).astype(float) if weighted else np.ones(150)
    without = estimator(criterion).fit(X, y, sample_weight=weights).tree_
    far = unpruned_regressor(criterion=criterion).fit(
        np.vstack([X, [[5.0, 0.5]]]), np.append(y, outlier), sample_weight=np.append(weights, 1.0)
    )
    root = far.tree_.root
    assert [child.n_rows for child in root.children] == [150, 1]
    assert same_below(root.children[0], without.root)


def test_outliers_on_several_scales() -> None:
    """Targets of 1, 1e6, 1e12 and 1e18 with small differences: each group is told apart to the last row."""
    base = np.repeat([1.0, 1e6, 1e12, 1e18], 8)
    y = base * (1 + np.tile(np.arange(8), 4) * 2.0**-20)
    X = np.arange(32.0).reshape(-1, 1)
    model = unpruned_regressor().fit(X, y)
    assert model.predict(X).tolist() == y.tolist()


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_of_very_different_size(criterion: str) -> None:
    """Weights of 1e-8 beside 1e7: nothing is lost, nothing is NaN, and a full tree is pure."""
    rng = np.random.default_rng(2)
    X = rng.permutation(60).reshape(-1, 1).astype(float)
    y = rng.integers(0, 3, 60) + 1
    weights = rng.choice([1e-8, 1.0, 1e7], 60)
    model = estimator(criterion).fit(X, y, sample_weight=weights)
    assert model.predict(X).tolist() == y.tolist()
    for node in model.tree_.walk():
        assert all(map(math.isfinite, (node.weight, node.impurity, node.gain)))
        assert node.weight > 0
        assert node.gain >= 0
        assert not node.is_leaf or node.impurity == 0


@pytest.mark.parametrize("criterion", CRITERIA)
def test_light_rows_alone_are_weighed_exactly(criterion: str) -> None:
    """Once the heavy rows are gone, light ones are told apart as if there had been no others.

    Beside the heavy rows, the light weights are rounded to a few digits.
    """
    rng = np.random.default_rng(4)
    X = rng.random((80, 2))
    y = rng.integers(1, 4, 80) + (X[:, 0] > 0.4)
    light = rng.random(80) * 2.0**-15
    alone = estimator(criterion, max_depth=5).fit(X, y, sample_weight=light).tree_
    both = estimator(criterion, max_depth=6).fit(
        np.vstack([X, [[9.0, 0.5]] * 2]),
        np.append(y, [1000, 1000]),
        sample_weight=np.append(light, [2.0**20] * 2),
    )
    root = both.tree_.root
    assert [child.n_rows for child in root.children] == [80, 2]
    assert same_below(root.children[0], alone.root)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson"])
def test_an_outlier_does_not_blur_the_means(criterion: str) -> None:
    """Each leaf predicts the mean of its own targets, however far away others are.

    Sums were once centred between the smallest and the largest target of the whole table, and the means of
    small targets drowned beside 1e15: the leaf of 0.1 and 0.2 predicted 0.125.
    """
    X, y = [[1.0], [1.0], [2.0], [2.0], [9.0]], [0.1, 0.2, 0.7, 0.75, 1e15]
    tree = unpruned_regressor(criterion=criterion).fit(X, y).tree_
    alone = unpruned_regressor(criterion=criterion).fit(X[:4], y[:4]).tree_
    assert same_below(tree.root.children[0], alone.root)
    assert [leaf.value for leaf in tree.leaves()] == pytest.approx([0.15, 0.725, 1e15], rel=1e-12)


@allow_one_leaf
def test_equal_targets_are_pure_however_rounded() -> None:
    """0.1 added ten times is not 1.0, but ten targets of 0.1 have the mean 0.1 and no variance."""
    root = unpruned_regressor().fit(np.arange(10.0).reshape(-1, 1), [0.1] * 10).tree_.root
    assert (root.value, root.impurity, root.is_leaf) == (0.1, 0.0, True)


@pytest.mark.parametrize("shift", [0.0, 1e6, 1e9])
def test_variance_far_from_zero(shift: float) -> None:
    """The variance does not drown in the square of the mean."""
    y = shift + np.array([0.0, 1.0, 2.0, 3.0])
    root = unpruned_regressor().fit([[1.0], [2.0], [3.0], [4.0]], y).tree_.root
    assert (root.impurity, root.gain, root.value) == (1.25, 1.0, shift + 1.5)


# --- ties -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("criterion", CRITERIA)
def test_equal_columns_the_first_is_asked(criterion: str) -> None:
    """Copies of a column tie in every cut: the first of them is asked everywhere."""
    rng = np.random.default_rng(9)
    x = rng.integers(0, 9, 100).astype(float)
    y = rng.integers(1, 4, 100)
    tree = estimator(criterion).fit(np.column_stack([x, x, -x]), y).tree_
    assert {node.question.column for node in tree.walk() if node.question} == {"x0"}


@pytest.mark.parametrize("criterion", CRITERIA)
def test_mirrored_cuts_the_lower_is_taken(criterion: str) -> None:
    """Targets that read the same from both ends: the cuts tie in pairs, and the lower one is taken."""
    y = [1, 1, 2, 1, 1]
    root = estimator(criterion).fit([[0.0], [1.0], [2.0], [3.0], [4.0]], y).tree_.root
    splits = candidate_splits([[0, 1, 2, 3, 4]], ["numeric"], y, criterion=criterion)
    best = max(split.gain for split in splits)
    lowest = next(split for split in splits if split.gain == best)
    assert root.question.threshold == lowest.question.threshold


def test_seed_example_of_misclassification() -> None:
    """(400, 400) as (300, 100) + (100, 300) or as (200, 400) + (200, 0): equal errors, unequal gini."""
    y = [0] * 400 + [1] * 400
    a = [0.0] * 300 + [1.0] * 100 + [0.0] * 100 + [1.0] * 300
    b = [0.0] * 200 + [1.0] * 200 + [1.0] * 400
    X = np.column_stack([a, b])
    stumps = {name: estimator(name, max_depth=1).fit(X, y) for name in CLASS_CRITERIA}
    asked = {name: first_question(stump).column for name, stump in stumps.items()}
    assert asked == {"gini": "x1", "entropy": "x1", "misclassification": "x0", "gain_ratio": "x1"}
    assert stumps["misclassification"].tree_.root.gain == 0.25
    assert stumps["gini"].tree_.root.gain == pytest.approx(
        float(Fraction(1, 2) - Fraction(3, 4) * Fraction(4, 9))
    )


# --- levels -----------------------------------------------------------------------------------------------


def test_two_classes_left_of_three() -> None:
    """In a node with two of three classes the levels are ordered by a class that is there.

    They were once ordered by the last class of all, which had no rows in the node, and so not at all.
    """
    colours = ["a", "a", "b", "b", "c", "c", "d", "d"]
    X = pd.DataFrame({"x": pd.Categorical(colours + ["a", "b", "c", "d"] * 5), "z": [0.0] * 8 + [1.0] * 20})
    tree = unpruned_classifier().fit(X, [0, 0, 1, 1, 0, 0, 1, 1] + [2] * 20).tree_
    assert [str(node.question) for node in tree.walk() if node.question] == ["z <= 0.5", "x in {a, c}"]


def test_levels_of_zeros_under_poisson() -> None:
    """A level of zeros cannot stand alone; the best subset is then no cut of the levels in order of means.

    Ordering by means once found {a, b} with a gain of 6e-6, where {a, c} has 7e-3.
    """
    levels, y = [0] * 10 + [1] * 10 + [2], [0.0] * 10 + [1.0] * 10 + [1.1]
    weights = [1.0] * 10 + [100.0] * 10 + [1.0]
    X = pd.DataFrame({"x": pd.Categorical(["abc"[level] for level in levels])})
    root = unpruned_regressor(criterion="poisson", max_depth=1).fit(X, y, sample_weight=weights).tree_.root
    best = max(
        s.gain for s in candidate_splits([levels], ["nominal"], y, weights=weights, criterion="poisson")
    )
    assert root.gain == pytest.approx(float(best), rel=1e-9)


def test_missing_zeros_under_poisson() -> None:
    """The same where the missing rows have nothing but zeros: {a, c} against {b} and the missing."""
    codes = (2, 0, 1, 0, 0, 0, 2, 0, 0, 2, None)
    y = (5.0, 0.0, 2.0, 1.0, 1.0, 1.0, 1.0, 2.0, 5.0, 0.0, 0.0)
    X = pd.DataFrame({"x": pd.Categorical([None if code is None else "abc"[code] for code in codes])})
    root = unpruned_regressor(criterion="poisson", max_depth=1).fit(X, y).tree_.root
    best = max(split.gain for split in candidate_splits([codes], ["nominal"], y, criterion="poisson"))
    assert root.gain == pytest.approx(float(best), rel=1e-9)


@pytest.mark.parametrize("nominal", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("known", [["a"] * 11, ["a"] * 10 + ["b"], ["a"] * 9 + ["b", "c"]])
def test_all_levels_against_missing_is_asked_as_missing(known: list[str], nominal: str) -> None:
    """ "x in {every level}" is "x is known" in disguise: the plain question is asked.

    The other child of such a question had no level to name.
    """
    X = pd.DataFrame({"x": pd.Categorical([*known, None])})
    model = unpruned_classifier(max_depth=1, nominal=nominal).fit(X, ["p"] * 11 + ["q"])
    assert first_question(model).outcomes == ("x is missing", "x is known")


@pytest.mark.parametrize("criterion", [*CLASS_CRITERIA, "squared_error", "poisson"])
def test_many_levels_of_two_kinds(criterion: str) -> None:
    """1,000 levels, each of one target: the one question that tells the targets apart is found at once."""
    rng = np.random.default_rng(11)
    kind = rng.integers(0, 2, 1000)
    level = np.repeat(np.arange(1000), 3)
    X = pd.DataFrame({"x": [f"level {number}" for number in level]})
    tree = estimator(criterion).fit(X, kind[level] + 1).tree_
    assert len(tree) == 3
    sizes = sorted(len(group) for group in tree.root.question.children)
    assert sizes == sorted([int(kind.sum()), 1000 - int(kind.sum())])


def test_unseen_levels_and_missing_values_follow_the_heavier_child() -> None:
    """Nothing was missing in training, so what is missing or unknown goes where most of the weight went."""
    X = pd.DataFrame({"x": pd.Categorical(["a", "a", "b"])})
    new = pd.DataFrame({"x": pd.Series(["zebra", None, "b"], dtype="object")})
    assert unpruned_classifier().fit(X, [0, 0, 1]).predict(new).tolist() == [0, 0, 1]
    assert unpruned_classifier().fit(X, [0, 0, 1], sample_weight=[1, 1, 9]).predict(new).tolist() == [1, 1, 1]


# --- the order of growth ----------------------------------------------------------------------------------


def test_nodes_are_numbered_level_by_level() -> None:
    """However the tree was grown, node numbers rise from the root downwards and from left to right."""
    rng = np.random.default_rng(12)
    X, y = rng.random((200, 3)), rng.integers(0, 3, 200)
    for max_leaf_nodes in (None, 20):
        tree: Tree = unpruned_classifier(max_leaf_nodes=max_leaf_nodes).fit(X, y).tree_
        depth, parent = tree.array("depth"), tree.array("parent")
        assert (np.diff(depth) >= 0).all()
        assert (np.diff(parent) >= 0).all()


def test_deep_trees_do_not_overflow_the_stack() -> None:
    """A tree as deep as it has rows is grown, printed, stored and used without recursion."""
    n_rows = 1500
    x = np.arange(n_rows, dtype=float).reshape(-1, 1)
    y = 2.0 ** (np.arange(n_rows) / 40)
    model = unpruned_regressor(criterion="squared_error").fit(x, y)
    assert model.predict(x).tolist() == y.tolist()
    chain = unpruned_classifier().fit(x, np.arange(n_rows) % 2)
    assert chain.get_depth() > 100
    assert len(to_text(chain.tree_).splitlines()) == len(chain.tree_)
    assert Tree.from_json(chain.tree_.to_json()) == chain.tree_
    assert shape(chain.tree_)[0] == shape(Tree.from_json(chain.tree_.to_json()))[0]
