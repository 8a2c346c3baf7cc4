"""Edits that cannot be made: each is refused in one sentence that names what was found and what is allowed.

A refused edit changes nothing. Texts of questions that
cannot be read are in tree/test_question_text.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold

from arboretum import (
    ArboretumError,
    CostComplexity,
    DataError,
    GainRatio,
    ParameterError,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
)
from arboretum._tree.edits import Edit

X, Y = datasets.load_iris()
DATA = (X, Y)
TREE: Tree = TreeClassifier(max_depth=2, prune=None).fit(X, Y).tree_
NUMBERS: Tree = TreeRegressor(max_depth=2, prune=None).fit(X, X["petal_width"]).tree_
COUNTS: Tree = (
    TreeRegressor(criterion="poisson", max_depth=1, prune=None).fit([[1.0], [2.0]], [1.0, 2.0]).tree_
)
RATIO: Tree = TreeClassifier.c45(prune=None).fit(X, Y).tree_
CART: Tree = TreeClassifier.cart(prune=None).fit(X, Y).tree_
ASK = "petal_width <= 0.8"


def asked(data: Any, tree: Tree = TREE) -> Callable[[], Tree]:
    return lambda: tree.replace((), ASK, data)


def grown(tree: Tree = TREE, **options: Any) -> Callable[[], Tree]:
    return lambda: tree.regrow((1,), DATA, **options)


BAD_NODES = {
    "of another tree": (NUMBERS.root, "is a node of another tree"),
    "of the tree before": (TREE.prune_at((1,)).root, "is a node of another tree"),
    "unknown id": (99, "no node with the id 99"),
    "negative id": (-1, "no node with the id -1"),
    "no child": ((1, 2), "The tree has no node 1.2: node 1 has 2 children"),
    "below a leaf": ((0, 1, 1), "The tree has no node 0.1.1: node 0 is a leaf"),
    "negative step": ((-1,), "The tree has no node -1: the root has 2 children"),
    "truth": (True, "node=True is not allowed; give a node of the tree"),
    "float": (1.0, "node=1.0 is not allowed"),
    "text": ("root", "node='root' is not allowed"),
    "path of text": (("left",), "is not allowed"),
    "nothing": (None, "node=None is not allowed"),
}


@pytest.mark.parametrize("case", BAD_NODES)
@pytest.mark.parametrize("edit", ["prune_at", "replace", "regrow"])
def test_bad_nodes(case: str, edit: str) -> None:
    """Every edit finds its node in the same way."""
    node, said = BAD_NODES[case]
    arguments = {"prune_at": (), "replace": (ASK, DATA), "regrow": (DATA,)}[edit]
    with pytest.raises(ParameterError, match=r".") as caught:
        getattr(TREE, edit)(node, *arguments)
    assert said in str(caught.value)


def test_a_leaf_is_not_pruned() -> None:
    """There is nothing to cut off."""
    with pytest.raises(ParameterError, match=r"nothing to prune at node 0: it is a leaf already"):
        TREE.prune_at((0,))


def test_two_nodes_with_one_id() -> None:
    """A file may say so; then a path is needed."""
    text = TREE.to_json().replace('"id": [0, 1, 2, 3, 4]', '"id": [0, 1, 1, 3, 4]')
    tree = Tree.from_json(text)
    with pytest.raises(ParameterError, match="2 nodes with the id 1"):
        tree.prune_at(1)


N = len(X)
TEXT = X.assign(petal_width="wide")
BAD_DATA: dict[str, tuple[Callable[[], Tree], type[ArboretumError], str]] = {
    "no tuple": (asked(X), DataError, "data is (X, y) or (X, y, sample_weight)"),
    "a list": (asked([X, Y]), DataError, "not list"),
    "none": (asked(None), DataError, "not NoneType"),
    "too long": (asked((X, Y, None, None)), DataError, "not a tuple of 4"),
    "no y": (asked((X, None)), DataError, "but y is None"),
    "column lacks": (asked((X[["petal_width"]], Y)), DataError, "lacks the columns 'sepal_length'"),
    "array too wide": (asked((np.zeros((N, 5)), Y)), DataError, "is expecting 4 features"),
    "text for numbers": (asked((TEXT, Y)), DataError, "Column 'petal_width' was numeric when fitting"),
    "no rows": (asked((X[:0], Y[:0])), DataError, "no rows"),
    "wrong length of y": (asked((X, Y[:10])), DataError, "X has 150 rows, but y has 10"),
    "unknown class": (
        asked((X, Y.replace("setosa", "rose"))),
        DataError,
        "'rose', which the tree does not know",
    ),
    "numbers for classes": (
        asked((X, np.zeros(N, dtype=int))),
        DataError,
        "the class 0, which the tree does not",
    ),
    "fractions for classes": (asked((X, np.full(N, 0.5))), DataError, "fractions are no classes"),
    "classes for numbers": (asked((X, Y), NUMBERS), DataError, "The target should be a number"),
    "y misses": (
        asked((X, np.where(X["petal_width"] > 1, np.nan, 1.0)), NUMBERS),
        DataError,
        "y contains NaN",
    ),
    "class misses": (asked((X, Y.where(Y != "setosa", None))), DataError, "y contains NaN"),
    "infinite": (asked((X, np.full(N, np.inf)), NUMBERS), DataError, "infinity"),
    "weights too short": (asked((X, Y, [1.0])), DataError, "sample_weight.shape"),
    "negative weights": (asked((X, Y, np.full(N, -1.0))), DataError, "not negative"),
    "nan weights": (asked((X, Y, np.full(N, np.nan))), DataError, "sample_weight of row 0 is nan"),
    "no weight": (asked((X, Y, np.zeros(N))), DataError, "zero in every row"),
    "nobody comes": (
        lambda: TREE.replace((0,), ASK, (X[X["petal_length"] > 3], Y[X["petal_length"] > 3])),
        DataError,
        "None of the 99 rows of data reaches node 0",
    ),
    "nobody comes to grow": (
        lambda: TREE.regrow((0,), (X[X["petal_length"] > 3], Y[X["petal_length"] > 3])),
        DataError,
        "None of the 99 rows of data reaches node 0",
    ),
    "negative counts": (lambda: COUNTS.replace((), "x0 <= 1", ([[1.0]], [-1.0])), DataError, "not negative"),
    "nothing happens": (
        lambda: COUNTS.replace((), "x0 <= 1", ([[1.0], [2.0]], [0.0, 1.0])),
        DataError,
        "a child whose targets are all zero",
    ),
    "all miss": (
        lambda: RATIO.replace((), ASK, (X.assign(petal_width=np.nan), Y)),
        DataError,
        "None of the rows of data that reach the node has a value of column 'petal_width'",
    ),
}


@pytest.mark.parametrize("case", BAD_DATA)
def test_bad_data(case: str) -> None:
    """What fitting refuses is refused, and rows that the tree cannot have."""
    edit, kind, said = BAD_DATA[case]
    with pytest.raises(kind) as caught:
        edit()
    assert said in str(caught.value)


BAD_OPTIONS: dict[str, tuple[Callable[[], Tree], str]] = {
    "unknown": (grown(max_dept=3), "regrow: option='max_dept' is not known; choose"),
    "near": (grown(max_dept=3), "Did you mean 'max_depth'?"),
    "for classes": (grown(NUMBERS, class_weight="balanced"), "option='class_weight' is not known"),
    "bad depth": (grown(max_depth=-1), "max_depth=-1 is not allowed"),
    "bad share": (grown(min_samples_leaf=1.5), "min_samples_leaf=1.5 is not allowed"),
    "criterion": (grown(criterion="entropy"), "the tree measures impurity by 'gini'"),
    "criterion object": (grown(criterion=GainRatio()), "the tree measures impurity by 'gini'"),
    "no criterion": (grown(criterion="ginni"), "criterion='ginni' is not known"),
    "criterion of numbers": (grown(criterion="squared_error"), "is for numbers"),
    "leaf": (grown(leaf="laplace"), "leaf='laplace' is not allowed: it belongs to the whole tree"),
    "priors": (grown(priors=[0.2, 0.3, 0.5]), "it belongs to the whole tree"),
    "loss": (grown(loss=np.ones((3, 3))), "it belongs to the whole tree"),
    "monotone": (grown(monotonic_cst=[1, 0, 0, 0]), "it belongs to the whole tree"),
    "columns": (grown(categorical_features=[0]), "it belongs to the whole tree"),
    "missing": (grown(missing="fractional"), "the tree sends rows with missing values to one child"),
    "surrogates": (grown(CART, missing="category"), "the tree sends rows with missing values by surrogates"),
    "never sent": (grown(CART, missing=Surrogate(send="never")), "by surrogates"),
    "fractions": (grown(RATIO, missing="category"), "the tree divides rows with missing values"),
    "unknown missing": (grown(missing="ignore"), "missing='ignore' is not known"),
    "class weights": (grown(class_weight={"rose": 2}), "which is no class of the target"),
    "pruner": (grown(prune="cv"), "prune='cv' is not known"),
    "splitter": (
        grown(prune=CostComplexity(folds=KFold(3))),
        "prune__folds=KFold",
    ),
    "random": (grown(random_state=np.random.RandomState(0)), "cannot be written down"),
    "threads": (grown(n_jobs=0), "n_jobs=0 is not allowed"),
    "verbose": (grown(verbose=-1), "verbose=-1 is not allowed"),
    "together": (grown(CART, nominal="multiway"), 'missing="surrogate" does not go with nominal="multiway"'),
}


@pytest.mark.parametrize("case", BAD_OPTIONS)
def test_bad_options(case: str) -> None:
    """Parameters that growth does not know, or that belong to the whole tree."""
    edit, said = BAD_OPTIONS[case]
    with pytest.raises(ParameterError) as caught:
        edit()
    assert said in str(caught.value)


BAD_QUESTIONS: dict[str, tuple[Any, str]] = {
    "number": (3, "question is text such as 'x <= 3', or a question such as node.question, not int"),
    "nothing": (None, "not NoneType"),
    "competitor": (object(), "not object"),
    "unknown column": ("width <= 3", "begins with no column of the tree"),
    "unreadable": ("petal_width < 3", "cannot be read; ask 'petal_width <= value'"),
    "of other columns": (COUNTS.root.question, "begins with no column of the tree"),
}


@pytest.mark.parametrize("case", BAD_QUESTIONS)
def test_bad_questions(case: str) -> None:
    """Only texts and questions about columns of the tree can be asked."""
    question, said = BAD_QUESTIONS[case]
    with pytest.raises(ParameterError) as caught:
        TREE.replace((), question, DATA)
    assert said in str(caught.value)


def test_where_rows_are_divided_missing_values_go_everywhere() -> None:
    """To say where they go would contradict the tree; what a question of another tree says is passed over."""
    with pytest.raises(ParameterError, match="the tree divides rows with a missing value among all children"):
        RATIO.replace((), ASK + " or missing", DATA)
    island = datasets.load_penguins()
    said = TreeClassifier(max_depth=4, prune=None).fit(*island).tree_
    question = next(n.question for n in said.walk() if n.question and n.question.missing_seen)
    divided = TreeClassifier.c45(prune=None).fit(*island).tree_
    assert divided.replace((), question, island).missing == "fractions"


BAD_EDITS: dict[str, tuple[Any, str]] = {
    "one edit": (Edit("prune", ()), "edits is a list such as tree.edits, not Edit"),
    "text": ("prune", "edits is a list such as tree.edits, not str"),
    "nothing": (None, "not NoneType"),
    "dictionaries": ([Edit("prune", (1,)).to_dict()], "holds dict in place 1"),
    "no such node": (
        [Edit("prune", (1,)), Edit("prune", (1, 0))],
        "Edit 2 of 2 (pruned at node 1.0) cannot be done on this tree: "
        "The tree has no node 1.0: node 1 is a leaf.",
    ),
    "a leaf": ([Edit("prune", (0,))], "Edit 1 of 1 (pruned at node 0) cannot be done on this tree"),
    "unknown action": ([Edit("turn", (1,))], "action='turn' is not known"),
    "bad question": ([Edit("replace", (), "x <= 3")], "(asks x <= 3 at the root) cannot be done"),
    "bad option": ([Edit("regrow", (), options={"depth": 3})], "grown anew below the root with depth=3"),
    "unreadable option": ([Edit("regrow", (), options={"prune": {"Other": {}}})], "cannot be read"),
    "unreadable list": ([Edit("regrow", (), options={"class_weight": [1]})], "cannot be read"),
}


@pytest.mark.parametrize("case", BAD_EDITS)
def test_bad_edits(case: str) -> None:
    """The edit that cannot be done is named."""
    edits, said = BAD_EDITS[case]
    with pytest.raises(ParameterError) as caught:
        TREE.replay(edits, DATA)
    assert said in str(caught.value)


def test_replaying_needs_rows() -> None:
    """All but pruning counts or grows from data."""
    edited = TREE.replace((), ASK, DATA)
    with pytest.raises(DataError, match=r"Edit 1 of 1 .*asks petal_width.* data is \(X, y\)"):
        TREE.replay(edited.edits)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        ({"action": "turn", "path": []}, "none of prune, replace, regrow"),
        ({"action": "prune", "path": [-1]}, "a path that is not a list of children"),
        ({"action": "prune", "path": [True]}, "a path that is not a list of children"),
        ({"action": "prune", "path": "0"}, "a path that is not a list of children"),
        ({"action": "prune", "path": [], "question": "x <= 3"}, "a question where none is set"),
        ({"action": "replace", "path": []}, "lack one that is"),
        ({"action": "replace", "path": [], "question": 3}, "of a kind that is not allowed"),
        ({"action": "regrow", "path": [], "options": [1]}, "of a kind that is not allowed"),
        ("prune", "none of prune, replace, regrow"),
    ],
)
def test_damaged_edits_of_files(edit: Any, said: str) -> None:
    """A file that holds other edits is refused."""
    with pytest.raises(DataError) as caught:
        Edit.from_dict(edit)
    assert said in str(caught.value)


def test_nothing_is_changed() -> None:
    """A tree is a value: neither edits nor refusals touch it."""
    before = TREE.to_json()
    TREE.replace((), ASK, DATA)
    with pytest.raises(ParameterError):
        TREE.replace((), "nothing", DATA)
    assert TREE.to_json() == before


def test_unknown_levels_of_data_are_missing() -> None:
    """As in predicting: the tree cannot learn a level that it does not have."""
    frame = pd.DataFrame({"colour": ["red", "red", "blue", "blue"], "x": [1, 2, 3, 4]})
    tree = TreeClassifier(prune=None).fit(frame, [0, 0, 1, 1]).tree_
    edited = tree.replace(
        (), "colour is missing", (frame.assign(colour=["pink", "red", "blue", "blue"]), [0, 0, 1, 1])
    )
    assert [child.n_rows for child in edited.root.children] == [1, 3]
    with pytest.raises(ParameterError, match="has no level 'pink'"):
        tree.replace((), "colour = pink", (frame, [0, 0, 1, 1]))
