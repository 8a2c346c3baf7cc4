"""Trees that are stopped by tests: against a plain recursion, in every combination, in files and edits.

The whole tree is grown without tests, the stopped one with them. Which p-value is right is tested in
test_significance_p_values.py, and trees whose columns are chosen by a test in test_conditional_growth.py.
"""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, f_oneway, fisher_exact
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from support.combinations import Combination, choices_tried, combinations, data_for, names, variants
from support.marks import allow_one_leaf
from support.noisy import noisy, noisy_numbers
from support.sweeps import pairwise
from support.trees import estimator

from arboretum import (
    ChiSquare,
    Conditional,
    CostComplexity,
    DataError,
    FTest,
    Lookahead,
    MofN,
    Node,
    Oblique,
    ParameterError,
    Permutation,
    Pessimistic,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
)
from arboretum._options.criteria import CLASS_CRITERIA

Array = npt.NDArray[Any]


def assert_part_of(stopped: Tree, whole: Tree, level: float) -> None:
    """The stopped tree is the whole one, cut off exactly where a p-value is above the level."""
    places = {node.id: node for node in whole.walk()}
    for node in stopped.walk():
        twin = places[node.id]
        assert (node.n_rows, node.weight, node.label) == (twin.n_rows, twin.weight, twin.label)
        if twin.is_leaf:
            assert node.is_leaf
            assert node.p_value is None
        else:
            assert node.p_value is not None
            assert 0.0 <= node.p_value <= 1.0
            assert node.is_leaf == (node.p_value > level)
        if not node.is_leaf:
            assert node.question == twin.question


def same_but_tests(first: Tree, second: Tree) -> bool:
    """Whether two trees differ in nothing but p-values."""
    names = first._arrays.keys() - {"p_value"}
    return names == second._arrays.keys() - {"p_value"} and all(
        np.array_equal(first.array(name), second.array(name)) for name in names
    )


# --- a plain recursion


def n_tried(X: pd.DataFrame) -> int:
    """How many columns vary, missing values being one more value."""
    return max(1, sum(column.nunique(dropna=False) > 1 for _, column in X.items()))


def plain_p_value(children: list[Array], n_columns: int) -> float | None:
    """The test of what is in the children, by scipy; None where rows are dealt out by chance."""
    filled = [child for child in children if len(child)]
    if filled[0].dtype.kind != "f":
        labels = np.unique(np.concatenate(filled))
        table = np.array([[(child == label).sum() for label in labels] for child in filled])
        result = chi2_contingency(table, correction=False)
        if result.expected_freq.min() >= 5:
            return min(1.0, float(result.pvalue) * n_columns)
        return min(1.0, float(fisher_exact(table)[1]) * n_columns) if table.shape == (2, 2) else None
    if sum(map(len, filled)) <= len(filled):
        return 1.0
    if all(len(set(child)) == 1 for child in filled):
        return 0.0
    return min(1.0, float(f_oneway(*filled).pvalue) * n_columns)


def stop_plainly(whole: Node, stopped: Node, rows: Array, X: pd.DataFrame, y: Array, level: float) -> int:
    """Walk down both trees with the rows, and count the questions that were tested."""
    assert stopped.n_rows == len(rows)
    if whole.is_leaf:
        assert stopped.is_leaf
        return 0
    leaves = whole.tree.apply(X.iloc[rows])
    below = [{node.number for node in _walk(child)} for child in whole.children]
    parts = [rows[np.isin(leaves, list(numbers))] for numbers in below]
    expected = plain_p_value([y[part] for part in parts], n_tried(X.iloc[rows]))
    assert stopped.p_value is not None
    if expected is not None:
        assert stopped.p_value == pytest.approx(expected, rel=1e-8, abs=1e-14)
    assert stopped.is_leaf == (stopped.p_value > level)
    if stopped.is_leaf:
        return 1
    pairs = zip(whole.children, stopped.children, parts, strict=True)
    return 1 + sum(stop_plainly(*pair, X, y, level) for pair in pairs)


def _walk(node: Node) -> Any:
    yield node
    for child in node.children:
        yield from _walk(child)


@st.composite
def problems(draw: st.DrawFn) -> tuple[pd.DataFrame, Array]:
    """Three columns, one of them nominal, some values missing; a target that has to do with two of them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_rows = draw(st.integers(4, 120))
    a, b, c = rng.integers(0, 12, n_rows), rng.normal(size=n_rows).round(1), rng.integers(0, 4, n_rows)
    X = pd.DataFrame({"a": a.astype(float), "b": b, "c": pd.Categorical.from_codes(c, list("wxyz"))})
    if draw(st.booleans()):
        X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    score = (a > 6) * 2.0 + (c > 1) + rng.normal(size=n_rows)
    if draw(st.booleans()):
        return X, score.round(2)
    return X, np.searchsorted([0.5, 2.0][: draw(st.integers(1, 2))], score)


@allow_one_leaf
@given(problems(), st.sampled_from(["subset", "multiway"]), st.sampled_from([0.001, 0.05, 0.5]))
def test_stopping_is_a_plain_recursion(problem: tuple[Any, Array], nominal: str, level: float) -> None:
    """From the root downwards, each question by scipy, adjusted for the columns that vary there."""
    X, y = problem
    how: dict[str, Any] = {"nominal": nominal, "prune": None}
    make: Any = TreeClassifier if y.dtype.kind != "f" else TreeRegressor
    whole = make(**how).fit(X, y).tree_
    stopped = make(significance=level, **how).fit(X, y).tree_
    stop_plainly(whole.root, stopped.root, np.arange(len(y)), X, y, level)
    assert_part_of(stopped, whole, level)


def test_the_plain_recursion_sees_enough() -> None:
    """The recursion above compares something: here are dozens of tests at once."""
    numbers, y = noisy_numbers()
    whole = TreeRegressor(prune=None).fit(numbers, y).tree_
    stopped = TreeRegressor(significance=0.05, prune=None).fit(numbers, y).tree_
    X = pd.DataFrame(numbers, columns=[f"x{i}" for i in range(4)])
    assert stop_plainly(whole.root, stopped.root, np.arange(len(y)), X, y, 0.05) >= 12
    assert 1 < stopped.n_leaves < whole.n_leaves


# --- every combination


VALID = [c for c in combinations() if c.is_valid and c.constraint != "max_leaf_nodes"]


# Those that try a new pair of choices together, and, in `make test-deep`, the others.
TRIED = pairwise(VALID, choices_tried, names)
FIRST, OTHERS = ([case.values[0] for case in TRIED if bool(case.marks) == deep] for deep in (False, True))


@pytest.mark.parametrize(
    "tried", [FIRST, pytest.param(OTHERS, marks=pytest.mark.deep)], ids=["pairs", "others"]
)
@pytest.mark.parametrize("criterion", sorted({c.criterion for c in VALID}))
@allow_one_leaf
def test_every_combination(criterion: str, tried: list[Combination]) -> None:
    """With every criterion, kind of question, rule for missing values and constraint, by every test."""
    n_stopped = 0
    mine = [combination for combination in tried if combination.criterion == criterion]
    for combination in mine:
        X, y = data_for(combination)
        options = variants(combination)[0]
        whole = estimator(criterion, **options).fit(X, y).tree_
        simple = ChiSquare(0.2) if criterion in CLASS_CRITERIA else FTest(0.2)
        for test in (simple, Permutation(0.2, permutations=9)):
            stopped = estimator(criterion, **options, significance=test).fit(X, y).tree_
            assert_part_of(stopped, whole, 0.2)
            assert Tree.from_json(stopped.to_json()) == stopped
            n_stopped += len(stopped) < len(whole)
        all_pass = estimator(criterion, **options, significance=1.0).fit(X, y).tree_
        assert same_but_tests(all_pass, whole)
        assert_part_of(all_pass, whole, 1.0)
    assert n_stopped > len(mine)


@pytest.mark.parametrize("send", ["always", "surrogates", "never"])
def test_rows_that_rest_at_inner_nodes(send: str) -> None:
    """They belong to the node, but to no child, and do not judge its question."""
    X, y = noisy()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    how: dict[str, Any] = {"missing": Surrogate(max_surrogates=1, send=send), "prune": None}
    whole = TreeClassifier(**how).fit(X, y).tree_
    for test in (ChiSquare(), Permutation(permutations=19)):
        stopped = TreeClassifier(significance=test, **how).fit(X, y).tree_
        assert_part_of(stopped, whole, 0.05)
        assert len(stopped) > 1


def test_rows_at_nodes_are_those_of_growth() -> None:
    """Every rule for missing values, weighted or not: the tests see as many rows and as much weight."""
    from arboretum._grow.significance import stopping

    n_nodes = 0

    def watched(tested: Any, node: int, rows: Any) -> Any:
        nonlocal n_nodes
        n_nodes += 1
        weights = tested.targets.reported_weights
        weight = rows.share if weights is None else weights[rows.number] * rows.share
        assert len(rows.number) == tested.tree.array("n_rows")[node]
        assert weight.sum() == pytest.approx(tested.tree.array("weight")[node], rel=1e-9)
        return ask(tested, node, rows)

    ask = vars(stopping)["ask"]
    X, y = (part[:150] for part in noisy())
    rng = np.random.default_rng(0)
    X = np.where(rng.random(X.shape) < 0.3, np.nan, X.round(1))
    policies = (
        "fractional",
        "surrogate",
        "category",
        Surrogate(1, send="surrogates"),
        Surrogate(send="never"),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stopping, "ask", watched)
        for missing in policies:
            for weights in (None, rng.integers(1, 5, len(y)) * 0.3):
                how: dict[str, Any] = {"significance": 1.0, "missing": missing, "prune": None}
                TreeClassifier(priors=[0.2, 0.3, 0.5], **how).fit(X, y, sample_weight=weights)
                TreeRegressor(**how).fit(X, np.arange(150.0) % 7, sample_weight=weights)
    assert n_nodes > 500


def test_judged_by_known_values_alone() -> None:
    """Where missing values are no answer, the test of a question is that of the other rows."""
    rng = np.random.default_rng(1)
    x = np.repeat([0.0, 1.0], 30)
    y = (rng.random(60) < np.where(x > 0, 0.75, 0.25)).astype(int)
    gaps = np.where(rng.random(60) < 0.3, np.nan, x)
    known = ~np.isnan(gaps)
    table = [[(y[known & (x == side)] == label).sum() for label in (0, 1)] for side in (0, 1)]
    expected = chi2_contingency(table, correction=False).pvalue
    for missing in ("surrogate", "fractional"):
        model = TreeClassifier(significance=1.0, missing=missing, prune=None)
        assert model.fit(gaps[:, None], y).tree_.root.p_value == pytest.approx(expected)


def test_parts_of_rows_count_as_parts() -> None:
    """Rows that miss the first question's value are in both children, and weigh half in each there."""
    first = np.array([0.0] * 20 + [1.0] * 20 + [np.nan] * 8)
    second = np.tile([0.0, 1.0], 24)
    y = np.where(first == 0, 0, 2) + np.where(np.arange(48) % 7 < 5, second, 1 - second) * (first != 0)
    model = TreeClassifier(
        significance=ChiSquare(level=1.0, min_expected=0), missing="fractional", prune=None
    )
    tree = model.fit(np.stack([first, second], axis=1), y).tree_
    node = next(node for node in tree.walk() if node.depth == 1 and not node.is_leaf)
    assert node.question is not None
    assert node.question.column == "x1"
    share = 0.5
    here = {0.0: 0.0, 1.0: 1.0}[float(node.path[0])]
    weight = np.where(np.isnan(first), share, first == here)
    table = np.array([[weight[(second == s) & (y == label)].sum() for label in np.unique(y)] for s in (0, 1)])
    table = table[:, table.sum(axis=0) > 0]
    assert node.p_value == pytest.approx(chi2_contingency(table, correction=False).pvalue)


@pytest.mark.parametrize(
    ("name", "test"),
    [
        ("classes", ChiSquare(0.5)),
        ("classes", Permutation(0.5, permutations=30)),
        ("classes", Conditional(0.5)),
        ("classes", Conditional(0.5, statistic="maximum")),
        ("numbers", FTest(0.5)),
        ("numbers", Permutation(0.5, permutations=30)),
        ("numbers", Conditional(0.5)),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
@pytest.mark.parametrize("weighted", [False, True])
def test_order_of_rows_does_not_matter(name: str, test: Any, weighted: bool) -> None:
    """To the last bit: neither to sums nor to shuffles."""
    X, y = noisy() if name == "classes" else noisy_numbers()
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    weights = np.random.default_rng(1).integers(1, 4, len(y)).astype(float) if weighted else None
    order = np.random.default_rng(2).permutation(len(y))
    make: Any = TreeClassifier if name == "classes" else TreeRegressor
    how: dict[str, Any] = {"significance": test, "max_depth": 3, "prune": None}
    first = make(**how).fit(X, y, sample_weight=weights).tree_
    second = (
        make(**how).fit(X[order], y[order], sample_weight=None if weights is None else weights[order]).tree_
    )
    assert len(first) > 1
    assert first == second


def test_threads_do_not_matter() -> None:
    """Nor does a search that was started before."""
    X, y = noisy()
    trees = [
        TreeClassifier(significance=Permutation(permutations=40), prune=None, n_jobs=n_jobs).fit(X, y).tree_
        for n_jobs in (None, 1, 2)
    ]
    assert trees[0] == trees[1] == trees[2]


@pytest.mark.parametrize("strategy", [MofN(), Oblique()], ids=lambda strategy: type(strategy).__name__)
def test_questions_about_several_columns(strategy: Any) -> None:
    """They are tested as they send the rows."""
    X, y = noisy()
    how: dict[str, Any] = {"questions": strategy, "max_depth": 3, "prune": None}
    whole = TreeClassifier(**how).fit(X, y).tree_
    for test in (ChiSquare(0.01), Permutation(permutations=19)):
        stopped = TreeClassifier(significance=test, **how).fit(X, y).tree_
        assert_part_of(stopped, whole, test.level)


@allow_one_leaf
def test_lookahead() -> None:
    """A question that pays off only below does not pass by itself: XOR is stopped at once."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (200, 4)).astype(float)
    y = (X[:, 0] != X[:, 1]).astype(int)
    how: dict[str, Any] = {"search": Lookahead(), "prune": None}
    whole = TreeClassifier(**how).fit(X, y).tree_
    assert whole.n_leaves == 4
    for test in (ChiSquare(), Permutation(permutations=99)):
        stopped = TreeClassifier(significance=test, **how).fit(X, y).tree_
        assert_part_of(stopped, whole, 0.05)
        assert len(stopped) == 1
        assert stopped.root.p_value is not None
        assert stopped.root.p_value > 0.05


# --- with pruning


def test_trees_of_folds_are_stopped_too() -> None:
    """The path of a stopped tree starts from it, and no fold knows more."""
    X, y = noisy()
    prune = CostComplexity(repeats=1)
    model = TreeClassifier(significance=0.001, leaf="frequency", prune=prune).fit(X, y)
    stopped = TreeClassifier(significance=0.001, leaf="frequency", prune=None).fit(X, y).tree_
    assert model.unpruned().tree_ == stopped
    assert model.pruning_path_.leaves[0] <= stopped.n_leaves
    grown: list[Tree] = []
    from arboretum._grow.growth import Growth

    whole_tree = Growth.tree

    def watched(self: Growth, *args: Any, **how: Any) -> Tree:
        grown.append(whole_tree(self, *args, **how))
        return grown[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Growth, "tree", watched)
        TreeClassifier(significance=0.001, prune=prune).fit(X, y)
    assert len(grown) == 11
    for tree in grown:
        assert all(
            node.p_value is not None and node.p_value <= 0.001 for node in tree.walk() if not node.is_leaf
        )


def test_a_fold_is_stopped_like_a_table_of_its_rows() -> None:
    """Shuffles do not know which rows of the table are meant."""
    X, y = noisy_numbers()
    rows = np.arange(0, 300, 2, dtype=np.uint32)
    from arboretum._grow.growth import Growth

    seen: list[Growth] = []
    with pytest.MonkeyPatch.context() as patch:
        whole_tree = Growth.tree

        def remember(self: Growth, *given: Any, **how: Any) -> Any:
            seen.append(self)
            return whole_tree(self, *given, **how)

        patch.setattr(Growth, "tree", remember)
        how: dict[str, Any] = {"significance": Permutation(permutations=19), "prune": None}
        TreeRegressor(**how).fit(X, y)
        alone = TreeRegressor(**how).fit(X[rows], y[rows]).tree_
    assert seen[0].tree(rows) == alone


def test_raised_branches_have_no_p_value() -> None:
    """They hold other rows than those that were tested."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 3)).round(1)
    y = ((X[:, 0] > 0) ^ (rng.random(300) < 0.3)).astype(int)
    model = TreeClassifier(significance=1.0, prune=Pessimistic()).fit(X, y)
    grown = {node.id: node for node in model.unpruned().tree_.walk()}
    assert "raise" in model.pruning_log_.action
    n_moved = 0
    for node in model.tree_.walk():
        moved = node.n_rows != grown[node.id].n_rows
        n_moved += moved
        assert node.p_value == (None if moved else grown[node.id].p_value)
    assert n_moved == 7


# --- in nodes, tables and files


def test_without_tests_there_are_no_p_values() -> None:
    """Neither in nodes nor in tables nor in files."""
    X, y = noisy()
    tree = TreeClassifier(prune=None).fit(X, y).tree_
    assert {node.p_value for node in tree.walk()} == {None}
    assert "p_value" not in tree.to_frame()
    assert "p_value" not in json.loads(tree.to_json())["nodes"]
    assert tree != TreeClassifier(significance=1.0, prune=None).fit(X, y).tree_


def test_frame_json_and_pickle() -> None:
    """NaN in the table, null in the file, and the same tree again."""
    tree = TreeClassifier(significance=0.05, prune=None).fit(*noisy()).tree_
    frame = tree.to_frame()
    assert frame["p_value"].dtype == np.float64
    listed = [node.p_value for node in map(tree.node, range(len(tree)))]
    assert [None if np.isnan(p) else p for p in frame["p_value"]] == listed
    document = json.loads(tree.to_json())
    assert document["nodes"]["p_value"] == listed
    assert Tree.from_json(tree.to_json()) == tree
    assert pickle.loads(pickle.dumps(tree)) == tree
    other = json.loads(tree.to_json())
    other["nodes"]["p_value"][0] = 0.5
    assert Tree.from_json(json.dumps(other)) != tree


@pytest.mark.parametrize("crafted", [[1.5], [-0.1], ["x"], [True], ["inf"], None, [0.5, 0.5, 0.5]])
def test_crafted_p_values_are_refused(crafted: Any) -> None:
    """What is no probability, or not one for each node."""
    document = json.loads(TreeClassifier(significance=0.05, prune=None).fit(*noisy()).tree_.to_json())
    listed = document["nodes"]["p_value"]
    document["nodes"]["p_value"] = crafted if crafted is None else [*crafted, *listed[1:]]
    with pytest.raises(DataError):
        Tree.from_json(json.dumps(document))


def test_null_is_allowed_for_p_values_alone() -> None:
    """Elsewhere a number is needed."""
    document = json.loads(TreeClassifier(significance=0.05, prune=None).fit(*noisy()).tree_.to_json())
    document["nodes"]["gain"][0] = None
    with pytest.raises(DataError, match="gain"):
        Tree.from_json(json.dumps(document))


# --- edits


def test_editing_keeps_what_was_tested() -> None:
    """A node that is pruned keeps its p-value; a question that is asked by hand has none."""
    X, y = noisy()
    tree = TreeClassifier(significance=0.05, prune=None).fit(X, y).tree_
    before = tree.root.p_value
    assert before is not None
    child = next(node for node in tree.root.children if not node.is_leaf)
    pruned = tree.prune_at(child)
    assert (pruned.root.p_value, pruned.node(child.number).p_value) == (before, child.p_value)
    replaced = tree.replace(child, "x3 <= 0.25", (X, y))
    assert replaced.root.p_value == before
    assert replaced.node(child.number).p_value is None
    assert all(node.p_value is None for node in replaced.node(child.number).children)
    assert Tree.from_json(replaced.to_json()) == replaced


@pytest.mark.parametrize("stock", [None, 0.05])
@pytest.mark.parametrize("significance", [None, 0.05, Permutation(permutations=19), ChiSquare(1e-200)])
def test_regrowing_with_tests(stock: Any, significance: Any) -> None:
    """New nodes have p-values if they were tested; the option is written down and replayed."""
    X, y = noisy()
    tree = TreeClassifier(significance=stock, max_depth=2, prune=None).fit(X, y).tree_
    child = next(node for node in tree.root.children if not node.is_leaf)
    grown = tree.regrow(child, (X, y), significance=significance, max_depth=3)
    new = grown.node(child.number)
    assert grown.root.p_value == tree.root.p_value
    assert (new.p_value is None) == (significance is None)
    if isinstance(significance, ChiSquare):
        assert new.is_leaf
        assert new.p_value is not None
        assert new.p_value > 1e-200
    assert tree.replay(grown.edits, (X, y)) == grown
    again = Tree.from_json(grown.to_json())
    assert again == grown
    assert tree.replay(again.edits, (X, y)) == grown


@allow_one_leaf
def test_regrown_tests_are_those_of_the_rows_there() -> None:
    """As if they were the whole table."""
    X, y = noisy_numbers()
    tree = TreeRegressor(max_depth=1, prune=None).fit(X, y).tree_
    here = tree.apply(X) == 1
    grown = tree.regrow(tree.node(1), (X, y), significance=0.05).node(1)
    alone = TreeRegressor(significance=0.05, prune=None).fit(X[here], y[here]).tree_.root
    assert alone.p_value is not None
    pairs = zip(_walk(grown), _walk(alone), strict=True)
    assert all(first.p_value == second.p_value for first, second in pairs)


# --- options


def test_objects_are_small_estimators() -> None:
    """clone, repr, nested parameters and searches work."""
    model = TreeClassifier(significance=Permutation(permutations=19), prune=None)
    assert model.get_params()["significance__permutations"] == 19
    assert clone(model).significance.permutations == 19
    assert repr(Conditional(level=0.01)) == "Conditional(level=0.01)"
    search = GridSearchCV(
        TreeClassifier(significance=ChiSquare(), prune=None), {"significance__level": [1e-4, 1.0]}, cv=3
    )
    search.fit(*noisy())
    assert search.best_params_ == {"significance__level": 1e-4}


def test_numbers_stand_for_the_usual_tests() -> None:
    """ChiSquare for classes, FTest for numbers."""
    for make, data, test in (
        (TreeClassifier, noisy(), ChiSquare(0.01)),
        (TreeRegressor, noisy_numbers(), FTest(0.01)),
    ):
        by_number = make(significance=0.01, prune=None).fit(*data).tree_
        assert by_number == make(significance=test, prune=None).fit(*data).tree_
        assert (
            by_number
            == make(significance=np.float32(0.01).astype(float).round(8), prune=None).fit(*data).tree_
        )


REFUSED: dict[str, tuple[Any, str]] = {
    "zero": (0, "significance=0 is not allowed; give None, a level above 0 and up to 1, or ChiSquare"),
    "above one": (1.5, "significance=1.5 is not allowed"),
    "nan": (float("nan"), "significance=nan is not allowed"),
    "true": (True, "significance=True is not allowed"),
    "text": ("chi_square", "significance='chi_square' is not allowed"),
    "class": (ChiSquare, "significance=ChiSquare is a class, not an object of it"),
    "numbers": (FTest(), r"significance=FTest\(…\) tests numbers, but the targets are classes"),
    "level": (ChiSquare(level=2), r"significance=ChiSquare\(level=2\) is not allowed; give a number above 0"),
    "no level": (Permutation(level=None), r"Permutation\(level=None\) is not allowed"),
    "adjust": (ChiSquare(adjust="holm"), r"ChiSquare\(…\): adjust='holm' is not known; choose 'bonferroni'"),
    "expected": (ChiSquare(min_expected=-1), r"ChiSquare\(min_expected=-1\) is not allowed"),
    "simulations": (ChiSquare(simulations=0), r"ChiSquare\(simulations=0\) is not allowed"),
    "permutations": (Permutation(permutations=2.5), r"Permutation\(permutations=2.5\) is not allowed"),
    "too few": (Permutation(permutations=18), "no p-value could be so small; give at least 19"),
    "statistic": (
        Conditional(statistic="max"),
        "statistic='max' is not known; choose 'quadratic', 'maximum'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    """One sentence, before anything is grown; the estimator stays as it was."""
    significance, sentence = REFUSED[case]
    model = TreeClassifier(significance=significance)
    with pytest.raises(ParameterError, match=sentence):
        model.fit(*noisy())
    assert not hasattr(model, "tree_")


def test_chi_square_is_not_for_numbers() -> None:
    """The other way round."""
    with pytest.raises(
        ParameterError, match=r"significance=ChiSquare\(…\) tests classes, but the targets are"
    ):
        TreeRegressor(significance=ChiSquare()).fit(*noisy_numbers())


def test_enough_permutations_are_allowed() -> None:
    """19 are just enough for 0.05."""
    tree = TreeClassifier(significance=Permutation(permutations=19), prune=None).fit(*noisy()).tree_
    assert tree.root.p_value == 0.05
    assert len(tree) > 1


def test_not_with_max_leaf_nodes() -> None:
    """The leaves that a failed test saves would be spent elsewhere."""
    with pytest.raises(ParameterError, match="significance does not go with max_leaf_nodes: leaves that"):
        TreeClassifier(significance=0.05, max_leaf_nodes=5).fit(*noisy())
    tree = TreeClassifier(max_depth=1, prune=None).fit(*noisy()).tree_
    with pytest.raises(ParameterError, match="significance does not go with max_leaf_nodes"):
        tree.regrow(tree.node(1), noisy(), significance=0.05, max_leaf_nodes=5)


@allow_one_leaf
@pytest.mark.parametrize("test", [0.05, Permutation(permutations=19), Conditional()])
def test_nothing_to_test(test: Any) -> None:
    """One class, one row, one value: a leaf without a p-value."""
    for X, y in (([[1.0], [2.0]], ["a", "a"]), ([[1.0]], ["a"]), ([[1.0], [1.0]], ["a", "b"])):
        tree = TreeClassifier(significance=test, prune=None).fit(X, y).tree_
        assert len(tree) == 1
        assert tree.root.p_value is None
        assert Tree.from_json(tree.to_json()) == tree


def test_interrupted_shuffles_leave_the_estimator_as_it_was() -> None:
    """Ctrl-C between two shuffles."""
    model = TreeClassifier(significance=Permutation())

    def interrupted(*_: Any) -> float:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arboretum._grow.significance.permutation._best", interrupted)
        with pytest.raises(KeyboardInterrupt):
            model.fit(*noisy())
    assert not hasattr(model, "tree_")
