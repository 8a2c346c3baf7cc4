"""Parity with scikit-learn: on float32 data both grow the same tree, until two splits are equally good.

A fork is a tie after which the two trees go on with different rows; below it nothing is compared. All values
lie on a grid, because scikit-learn takes values within 1e-7 of each other for equal and we do not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from arboretum import Node, TreeClassifier, TreeRegressor
from arboretum._tree.questions import Question, Threshold

from .comparison import Comparison, goes_left, match_children
from .plain_gains import agree

Array = npt.NDArray[Any]
Numbers = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]
Record = Callable[[str, object], None]

STEPS: Final = 64  # of the grid, per unit
SHAPES: Final = [(60, 10), (200, 4), (400, 2)]
# criterion, and the number of classes; 0 for numbers
KINDS: Final = [
    ("gini", 2),
    ("gini", 5),
    ("entropy", 2),
    ("entropy", 5),
    ("squared_error", 0),
    ("absolute_error", 0),
    ("poisson", 0),
]
LIMITS: Final[list[dict[str, Any]]] = [
    {},
    {"min_samples_leaf": 5},
    {"min_samples_leaf": 0.04, "max_depth": 5},
    {"min_samples_split": 16},
    {"min_weight_fraction_leaf": 0.03},
    {"min_impurity_decrease": 0.004},
    {"max_leaf_nodes": 9},
    {"max_leaf_nodes": 25, "min_samples_leaf": 3},
]
DIRECTIONS: Final = [[1, 1, 1], [1, -1], [1, 0, 0], [-1, 1, 0], [0, 0, -1]]
MONOTONE_KINDS: Final = [
    ("gini", 2),
    ("entropy", 2),
    ("squared_error", 0),
    ("absolute_error", 0),
    ("poisson", 0),
]


def make_columns(rng: np.random.Generator, shape: tuple[int, int]) -> npt.NDArray[np.float32]:
    """Return random values on the grid; both float32 and float64 hold them exactly."""
    return (np.round(rng.normal(size=shape) * STEPS) / STEPS).astype(np.float32)


def make_target(rng: np.random.Generator, X: Array, criterion: str, n_classes: int) -> Array:
    """Return targets that depend on the first two columns and on chance."""
    signal = X[:, 0].astype(np.float64) + 0.5 * X[:, 1] ** 2 + rng.normal(size=len(X))
    if n_classes:
        cuts = np.quantile(signal, np.linspace(0, 1, n_classes + 1)[1:-1])
        return np.searchsorted(cuts, signal)
    return rng.poisson(np.exp(0.5 * signal)) if criterion == "poisson" else signal


def make_weights(rng: np.random.Generator, criterion: str, n_rows: int) -> Numbers:
    """Return random weights; for Poisson on a grid, whose sums are exact: see README.md on rounding there."""
    w = rng.uniform(0.5, 2.0, size=n_rows)
    return np.round(w * STEPS) / STEPS if criterion == "poisson" else w


def make_models(criterion: str, n_classes: int, **options: Any) -> tuple[Any, Any]:
    """Return our estimator and scikit-learn's, with the same options; neither prunes."""
    ours, theirs = (
        (TreeClassifier, DecisionTreeClassifier) if n_classes else (TreeRegressor, DecisionTreeRegressor)
    )
    options["criterion"] = criterion
    leaf = "frequency" if n_classes else "mean"
    return ours(prune=None, leaf=leaf, **options), theirs(random_state=0, **options)


class SklearnComparison(Comparison):
    """A fitted tree of scikit-learn next to ours; `w` includes the class weights."""

    def __init__(self, ours: Any, theirs: Any, X: Array, y: Array, w: Numbers) -> None:
        self.tree, self.root, self.X = theirs.tree_, ours.tree_.root, X.astype(np.float64)
        super().__init__(ours.tree_.criterion, y, w)
        self.root_total = self.total(np.arange(len(y)))

    def walk(self) -> SklearnComparison:
        """Compare node for node from the root down."""
        open_pairs: list[tuple[int, Node, Rows]] = [(0, self.root, np.arange(len(self.y)))]
        while open_pairs:
            number, node, rows = open_pairs.pop()
            self.n_nodes += 1
            self._compare_numbers(number, node, rows)
            open_pairs += self._compare_splits(number, node, rows)
        return self

    def _compare_numbers(self, number: int, node: Node, rows: Rows) -> None:
        tree, weight = self.tree, self.tree.weighted_n_node_samples[number]
        self.check(number, "number of rows", node.n_rows, tree.n_node_samples[number])
        self.check(number, "weight", node.weight, weight)
        self.check(number, "impurity", node.impurity, tree.impurity[number], tree.impurity[0])
        self.check(number, "impurity times weight", node.impurity * weight, self.total(rows), self.root_total)
        ours = np.atleast_1d(node.label if node.probability is None else node.probability)
        for k, value in enumerate(tree.value[number, 0]):
            self.check(number, f"value {k}", ours[k], value, 1.0)

    def _compare_splits(self, number: int, node: Node, rows: Rows) -> list[tuple[int, Node, Rows]]:
        """Compare the questions, and return the children to go on with: those that hold the same rows."""
        tree, question = self.tree, node.question
        left, right = tree.children_left[number], tree.children_right[number]
        column, threshold = tree.feature[number], tree.threshold[number]
        theirs = None if left < 0 else self.X[rows, column] <= threshold
        if question is None and theirs is None:
            return []
        if question is None or theirs is None:
            self.judge(number, rows, None if question is None else self._our_side(question, rows), theirs)
            return []
        ours = self._our_side(question, rows)
        order = match_children(ours, theirs)
        if order is None or question.column != f"x{column}":
            self.judge(number, rows, ours, theirs)
        else:
            assert isinstance(question, Threshold)
            self.check(number, "threshold", float(question.threshold), threshold, 1.0)
            self.check(number, "gain", node.gain * node.weight, self.gain(rows, ours), self.total(rows))
        if order is None or not self.goes_on(column, question):
            return []
        first, second = order(node)
        return [(left, first, rows[theirs]), (right, second, rows[~theirs])]

    def goes_on(self, column: int, question: Question) -> bool:
        """Return whether the two trees agree below questions that send the same rows to the same sides."""
        return True

    def _our_side(self, question: Question, rows: Rows) -> Mask:
        return goes_left(question, self.X[rows, int(question.column.removeprefix("x"))])


def training_impurity(weight: Numbers, impurity: Numbers, is_leaf: Mask) -> float:
    """Return the mean impurity of the leaves, weighted."""
    return float((weight * impurity)[is_leaf].sum() / weight[0])


def assert_same(
    ours: Any, theirs: Any, X: Array, y: Array, w: Numbers, record: Record | None = None
) -> SklearnComparison:
    """Walk both trees; where nothing forks, also compare what depends on the whole tree."""
    found = SklearnComparison(ours, theirs, X, y, w).walk()
    if record is not None:
        found.record("scikit-learn", record)
    assert not found.differences, "\n".join(found.differences)
    if not found.forks:
        assert len(ours.tree_) == theirs.tree_.node_count
        get = ours.tree_.array
        mine = training_impurity(get("weight"), get("impurity"), get("n_children") == 0)
        tree = theirs.tree_
        other = training_impurity(tree.weighted_n_node_samples, tree.impurity, tree.children_left < 0)
        assert agree(mine, other, tree.impurity[0])
    if not found.ties:
        np.testing.assert_allclose(
            ours.feature_importances_, theirs.feature_importances_, rtol=1e-9, atol=1e-12
        )
    return found


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
@pytest.mark.parametrize("depth", range(1, 9))
def test_same_tree_at_every_depth(
    criterion: str, n_classes: int, shape: tuple[int, int], depth: int, record_property: Record
) -> None:
    """Questions, numbers and training impurity are those of scikit-learn, as far as the first fork."""
    rng = np.random.default_rng([1, *shape])
    X = make_columns(rng, shape)
    y = make_target(rng, X, criterion, n_classes)
    ours, theirs = make_models(criterion, n_classes, max_depth=depth)
    assert_same(ours.fit(X, y), theirs.fit(X, y), X, y, np.ones(len(y)), record_property)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
@pytest.mark.parametrize("limits", LIMITS, ids=lambda limits: "-".join(limits) or "none")
def test_same_tree_within_the_same_limits(
    criterion: str, n_classes: int, limits: dict[str, Any], weighted: bool, record_property: Record
) -> None:
    """The limits of growth mean what they mean in scikit-learn, with and without weights."""
    rng = np.random.default_rng(2)
    X = make_columns(rng, (200, 4))
    y = make_target(rng, X, criterion, n_classes)
    w = make_weights(rng, criterion, len(y)) if weighted else np.ones(len(y))
    ours, theirs = make_models(criterion, n_classes, **limits)
    ours.fit(X, y, sample_weight=w if weighted else None)
    theirs.fit(X, y, sample_weight=w if weighted else None)
    assert_same(ours, theirs, X, y, w, record_property)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("criterion", "n_classes"), [kind for kind in KINDS if kind[1]])
def test_same_tree_with_class_weights(
    criterion: str, n_classes: int, weighted: bool, record_property: Record
) -> None:
    """`class_weight` multiplies the weights of the rows, as in scikit-learn."""
    rng = np.random.default_rng(3)
    X = make_columns(rng, (200, 4))
    y = make_target(rng, X, criterion, n_classes)
    w = make_weights(rng, criterion, len(y)) if weighted else np.ones(len(y))
    factors = dict(enumerate(rng.uniform(0.2, 5.0, size=n_classes).tolist()))
    ours, theirs = make_models(criterion, n_classes, class_weight=factors, min_samples_leaf=2)
    ours.fit(X, y, sample_weight=w if weighted else None)
    theirs.fit(X, y, sample_weight=w if weighted else None)
    assert_same(ours, theirs, X, y, w * np.array(list(factors.values()))[y], record_property)


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("largest_weight", [1, 3])
def test_balanced_classes_count_weights(n_classes: int, largest_weight: int, record_property: Record) -> None:
    """A listed difference: for us "balanced" is by weight, so that a row of weight 2 is the same as two rows.

    scikit-learn balances by the number of rows, whatever they weigh, so it is given the repeated rows here.
    Without weights both are the same.
    """
    rng = np.random.default_rng(4)
    X = make_columns(rng, (150, 4))
    y = np.where(
        rng.uniform(size=len(X)) < 0.3, 0, make_target(rng, X, "gini", n_classes)
    )  # class 0 is frequent
    times = rng.integers(1, largest_weight + 1, size=len(y))
    ours, theirs = make_models("gini", n_classes, class_weight="balanced", max_depth=6)
    ours.fit(X, y, sample_weight=times)
    theirs.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    balance = times.sum() / (n_classes * np.bincount(y, weights=times))
    # The repeated rows are one row each for us: everything but their number agrees.
    found = SklearnComparison(ours, theirs, X, y, times * balance[y]).walk()
    found.differences = [text for text in found.differences if "number of rows" not in text]
    found.record("scikit-learn", record_property)
    assert not found.differences, "\n".join(found.differences)


class MonotoneComparison(SklearnComparison):
    """The same under constraints; a tie between columns of other directions sets other bounds below."""

    def __init__(self, ours: Any, theirs: Any, X: Array, y: Array, w: Numbers) -> None:
        super().__init__(ours, theirs, X, y, w)
        self.directions = theirs.monotonic_cst

    def goes_on(self, column: int, question: Question) -> bool:
        """Return whether both questions set the same bounds for the nodes below."""
        ours = self.directions[int(question.column.removeprefix("x"))]
        return bool(abs(ours) == abs(self.directions[column]))


def monotone_case(
    criterion: str, n_classes: int, directions: list[int], seed: int
) -> tuple[Any, Any, Array, Array, Numbers]:
    """Return both models, grown under constraints, and their data.

    Shares of classes are simple fractions, which lie exactly on a bound now and then: there the last digit
    decides. With random weights they do not.
    """
    rng = np.random.default_rng([5, seed])
    X = make_columns(rng, (150, len(directions)))
    y = make_target(rng, X, criterion, n_classes)
    limits: dict[str, Any] = {"min_samples_leaf": 1 + seed % 3, "max_depth": 10}
    ours, theirs = make_models(criterion, n_classes, monotonic_cst=directions, **limits)
    w = make_weights(rng, criterion, len(y)) if n_classes else np.ones(len(y))
    return ours.fit(X, y, w), theirs.fit(X, y, w), X, y, w


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("directions", DIRECTIONS, ids=str)
@pytest.mark.parametrize(("criterion", "n_classes"), MONOTONE_KINDS)
def test_same_tree_under_monotone_constraints(
    criterion: str, n_classes: int, directions: list[int], seed: int, record_property: Record
) -> None:
    """The constraints admit the same splits and bound the same values."""
    found = MonotoneComparison(*monotone_case(criterion, n_classes, directions, seed))
    found.walk()
    found.record("scikit-learn", record_property)
    assert not found.differences, "\n".join(found.differences)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("directions", DIRECTIONS, ids=str)
@pytest.mark.parametrize(("criterion", "n_classes"), MONOTONE_KINDS)
def test_predictions_are_monotone(criterion: str, n_classes: int, directions: list[int], seed: int) -> None:
    """Along a constrained column the prediction only rises or only falls, whatever the other columns say."""
    ours, _, X, _, _ = monotone_case(criterion, n_classes, directions, seed)
    grid = np.linspace(X.min() - 1, X.max() + 1, 200)
    for column, direction in enumerate(directions):
        for row in X[:20].astype(np.float64):
            rows = np.repeat(row[None, :], len(grid), axis=0)
            rows[:, column] = grid
            predicted = ours.predict_proba(rows)[:, 1] if n_classes else ours.predict(rows)
            assert (np.diff(predicted) * direction >= 0).all()


@pytest.mark.parametrize(("criterion", "n_classes"), KINDS)
def test_to_sklearn_predicts_the_same(criterion: str, n_classes: int) -> None:
    """The twin of a tree in scikit-learn sends every float32 row to the same leaf and predicts the same."""
    rng = np.random.default_rng(6)
    X, others = make_columns(rng, (200, 4)), rng.normal(size=(500, 4)).astype(np.float32)
    y = make_target(rng, X, criterion, n_classes)
    ours, _ = make_models(criterion, n_classes)
    twin = ours.fit(X, y, sample_weight=make_weights(rng, criterion, len(y))).to_sklearn()
    for rows in (X, others):
        assert np.array_equal(twin.apply(rows), ours.apply(rows))
        assert np.array_equal(twin.predict(rows), ours.predict(rows))
        if n_classes:
            assert np.array_equal(twin.predict_proba(rows), ours.predict_proba(rows))
    np.testing.assert_allclose(twin.feature_importances_, ours.feature_importances_, rtol=1e-9, atol=1e-12)
