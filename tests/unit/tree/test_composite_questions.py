"""Trees that ask about several columns: where rows go, what nodes tell, and what files make of them.

Trees are planted by hand. How questions are written is tested in test_composite_question_text.py,
editing them in edit/test_editing_composite_questions.py.
"""

from __future__ import annotations

import copy
import json
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.composites import (
    ASKED,
    COLOUR,
    COLUMNS,
    CUT,
    N_TERMS,
    SIZE,
    SUM,
    TREE,
    TWO_OF,
    WHEN,
    A,
    N,
    Row,
    at_least,
    cut,
    frame,
    level,
    plain_leaf,
    plant,
    total,
)

from arboretum import DataError, Tree, TreeClassifier, importance
from arboretum._data import Column, match_dataset
from arboretum._tree.composites import Linear, LinearTerm, Literal
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Question, Threshold
from arboretum._tree.tree import core_dataset

# Random questions and rows

numbers = st.one_of(st.integers(-3, 3).map(float), st.sampled_from([0.5, -0.5, 1e300, -1e300]))
values: dict[Column, st.SearchStrategy[Any]] = {
    A: st.one_of(st.none(), numbers, st.sampled_from([math.inf, -math.inf])),
    N: st.one_of(st.none(), st.integers(-3, 3), st.sampled_from([2**53, 2**53 + 1, -(2**62)])),
    WHEN: st.one_of(st.none(), st.integers(-3, 3)),
    SIZE: st.one_of(st.none(), st.integers(0, 2)),
    COLOUR: st.one_of(st.none(), st.integers(0, 2)),
}
random_rows = st.lists(st.tuples(*values.values()), min_size=1, max_size=30)


@st.composite
def literals(draw: st.DrawFn) -> Literal:
    column, negated = draw(st.sampled_from(COLUMNS)), draw(st.booleans())
    if column == COLOUR:
        return level(draw(st.integers(0, 2)), negated=negated)
    if column == A:
        return cut(A, draw(numbers), negated=negated)
    whole = draw(st.integers(0, 2) if column == SIZE else st.integers(-3, 3))
    return cut(column, whole + (0.5 if column == N and draw(st.booleans()) else 0.0), negated=negated)


@st.composite
def linear_terms(draw: st.DrawFn) -> LinearTerm:
    column = draw(st.sampled_from([A, N, COLOUR]))
    number = draw(st.integers(0, 2)) if column == COLOUR else None
    return LinearTerm(column, draw(st.floats(-5, 5)), number, draw(st.floats(-5, 5)))


@st.composite
def questions(draw: st.DrawFn) -> Question:
    kind = draw(st.sampled_from(["at least", "sum", "threshold"]))
    if kind == "threshold":
        number = draw(numbers)
        return Threshold(A, draw(st.integers(0, 1)), True, number, floor_of(number))
    if kind == "sum":
        return total(draw(numbers), *draw(st.lists(linear_terms(), min_size=1, max_size=4)))
    listed = draw(st.lists(literals(), min_size=2, max_size=5))
    return at_least(draw(st.integers(1, len(listed))), *listed)


@st.composite
def planted(draw: st.DrawFn) -> Tree:
    paths: list[tuple[int, ...]] = [()]
    asked: dict[tuple[int, ...], Question] = {(): draw(questions())}
    for path in ((0,), (1,), (0, 1), (1, 0)):
        if path[:-1] in paths and draw(st.booleans()):
            paths.append(path)
            asked[path] = draw(questions())
    return plant(asked)


class TestRoutes:
    @given(planted(), random_rows, st.sampled_from([None, "pink"]))
    def test_rows_go_where_plain_python_sends_them(
        self, tree: Tree, rows: list[Row], unknown: str | None
    ) -> None:
        """By both ways of the engine, with missing values and unknown levels, and after a file."""
        expected = [plain_leaf(tree, row) for row in rows]
        X = frame(rows, unknown=unknown)
        assert tree.apply(X).tolist() == expected
        data = core_dataset(match_dataset(X, tree.columns, named=True, owner="this test"))
        assert tree._router.leaves_of(data, plain=True).tolist() == expected
        again = Tree.from_json(tree.to_json())
        assert again == tree
        assert again.apply(X).tolist() == expected

    @pytest.mark.parametrize("dtype", [np.float64, np.float32])
    def test_matrices_are_walked_alike(self, dtype: Any) -> None:
        """A matrix of numbers, which takes a way of its own."""
        columns = tuple(Column(f"x{place}", "number") for place in range(3))
        first, second, third = columns
        tree = plant(
            {
                (): total(0.3, LinearTerm(first, 0.7, fill=0.1), LinearTerm(third, -1.3, fill=-0.2)),
                (0,): at_least(2, cut(first, 0.1), cut(second, 0.0, negated=True), cut(third, 0.2)),
                (1,): Threshold(second, 0, True, 0.0, 0),
            },
            columns,
        )
        X = np.random.default_rng(1).normal(size=(500, 3)).astype(dtype)
        X[np.random.default_rng(2).random(X.shape) < 0.2] = np.nan
        rows = [tuple(None if math.isnan(x) else x for x in row) for row in X.tolist()]
        found = tree.apply(X)
        assert found.tolist() == [plain_leaf(tree, row, columns) for row in rows]
        assert len(set(found.tolist())) == 4
        assert tree.apply(X.copy(order="F")).tolist() == found.tolist()

    def test_nothing_is_known(self) -> None:
        """About a missing value no literal holds, nor its opposite; a sum takes the mean instead."""
        opposites = [cut(A, 0), cut(A, 0, negated=True)]
        row = (None,) * len(COLUMNS)
        assert plant({(): at_least(1, *opposites)}).apply(frame([row])).tolist() == [2]
        for fill, leaf in ((2.0, 1), (4.0, 2)):
            tree = plant({(): total(3.0, LinearTerm(A, 1.0, fill=fill))})
            assert tree.apply(frame([row])).tolist() == [leaf]


class TestTree:
    def test_nodes_have_their_questions(self) -> None:
        """Each question is the one that was planted, fills and all."""
        for node in TREE.walk():
            assert node.question == ASKED.get(node.path)
        found = TREE.node(2).question
        assert isinstance(found, Linear)
        assert [term.fill for term in found.terms] == [0.25, 0.5, 0.0]
        assert found.column == "a"
        assert found.columns == ("a", "colour", "n")

    def test_text(self) -> None:
        """The outcomes stand in front of the nodes."""
        lines = str(TREE).splitlines()
        listed = "a <= 0.5, colour = red, size > medium"
        assert lines[1].startswith("├── n <= 1 or missing  [")
        assert lines[2].startswith(f"│   ├── at least 2 of: {listed}  [")
        assert lines[3].startswith(f"│   └── fewer than 2 of: {listed}  [")
        assert lines[5].startswith("    ├── 0.8·a − 1.2·[colour = green] + 2·n <= 1.5  [")

    def test_rules_keep_lists_together(self) -> None:
        """In a rule, "and" does not reach into a list."""
        rules = list(map(str, TREE.rules()))
        listed = "a <= 0.5, colour = red, size > medium"
        assert rules[0].startswith(f"(n <= 1 or missing) and (at least 2 of: {listed}) → ")
        sums = "0.8·a − 1.2·[colour = green] + 2·n > 1.5"
        assert rules[-1].startswith(f"n > 1 and {sums} and (fewer than 2 of: {listed}) → ")
        assert str(plant({(): TWO_OF}).rules()[0]).startswith(f"at least 2 of: {listed} → ")

    def test_frame(self) -> None:
        """The table has the same words."""
        table = TREE.to_frame()
        assert table["question"][1] == str(TWO_OF)
        assert table["outcome"][4] == TWO_OF.outcomes[1]
        assert not table["takes_missing"][[3, 4, 5, 6]].any()

    def test_copies_are_equal(self) -> None:
        """JSON and pickle give back all of it; files of trees that have no terms say so or nothing."""
        text = TREE.to_json()
        assert Tree.from_json(text) == TREE
        assert Tree.from_json(text).to_json() == text
        assert pickle.loads(pickle.dumps(TREE)) == TREE
        plain = plant({(): CUT})
        assert not plain.terms
        document = json.loads(plain.to_json())
        old: dict[str, Any] | None
        for old in ({}, None):
            assert Tree.from_json(json.dumps(document | {"terms": old})) == plain
        del document["terms"]
        assert Tree.from_json(json.dumps(document)) == plain

    @pytest.mark.parametrize("name", sorted(TREE.terms.keys() - {"begin", "kind"}))
    def test_every_part_tells_trees_apart(self, name: str) -> None:
        """A tree with one number of one term changed is another tree, where it is a tree at all."""
        document = json.loads(TREE.to_json())
        # Each is changed where that leaves a term which is sound.
        change: dict[str, tuple[int, Any]] = {
            "column": (5, 0),
            "negated": (0, 1),
            "threshold": (0, 0.75),
            "threshold_floor": (5, 3),
            "level": (1, 0),
            "coefficient": (3, 0.9),
            "fill": (4, 0.25),
        }
        place, value = change[name]
        document["terms"][name][place] = value
        assert Tree.from_json(json.dumps(document)) != TREE

    def test_terms_cannot_be_changed(self) -> None:
        """They are as read-only as all else, and copies of what was given."""
        with pytest.raises(ValueError, match="read-only"):
            TREE.terms["coefficient"][0] = 7.0
        assert not hasattr(TREE.terms, "__setitem__")
        with pytest.raises(AttributeError):
            TREE.terms = {}

    def test_importance_is_shared(self) -> None:
        """Equally among the terms; a column with two of them has two shares."""
        twice = at_least(1, cut(A, 0.5), cut(A, 2, negated=True), level(0))
        tree = plant({(): twice, (1,): SUM})
        root, below = (float(tree.array("improvement")[number]) for number in (0, 2))
        expected = {
            "a": 2 * root / 3 + below / 3,
            "n": below / 3,
            "when": 0.0,
            "size": 0.0,
            "colour": root / 3 + below / 3,
        }
        assert importance(tree) == pytest.approx(expected)
        assert sum(importance(TREE).values()) == pytest.approx(TREE.array("improvement").sum())


# Files that nobody wrote

DOCUMENT = json.loads(TREE.to_json())
FIRST = {name: i for i, name in enumerate(column.name for column in COLUMNS)}
# Terms 0 to 2: a <= 0.5, colour = red, size > medium; 3 to 5: the sum of a, [colour = green] and n.


def put(name: str, place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda d: d["terms"][name].__setitem__(place, value)


def put_node(name: str, place: int, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda d: d["nodes"][name].__setitem__(place, value)


def bound_of(place: int, value: float) -> Callable[[dict[str, Any]], None]:
    def change(d: dict[str, Any]) -> None:
        d["nodes"]["threshold"][place] = value
        d["nodes"]["threshold_floor"][place] = math.floor(value) if abs(value) < 2**60 else 0

    return change


DAMAGES: list[tuple[Any, str]] = [
    (lambda d: d.update(terms={}), "damaged"),
    (lambda d: d.update(terms=[]), "terms should be a dict, but is list"),
    (lambda d: d["terms"].pop("fill"), "fill should be a list, but is NoneType"),
    (lambda d: d["terms"]["fill"].pop(), "differ in length"),
    (lambda d: d["terms"]["begin"].pop(), "terms .*do not belong to its nodes"),
    (put("begin", 0, 1), "terms .*do not belong to its nodes|do not agree"),
    (put("begin", -1, N_TERMS + 1), "do not belong to its nodes"),
    (put("begin", 2, -1), "damaged"),
    (put("begin", 2, 10**9), "damaged"),
    (put("begin", 1, 1), "its question and its terms do not agree"),
    (put("column", 0, 99), "a column that is not there"),
    (put("column", 4, -1), "a column that is not there"),
    (put("column", 0, FIRST["n"]), "does not begin with its first column"),
    (put("column", 1, FIRST["size"]), "term 1 cannot be about column 'size'"),
    (put("column", 1, FIRST["n"]), "term 1 cannot be about column 'n'"),
    (put("column", 2, FIRST["colour"]), "term 2 cannot be about column 'colour'"),
    (put("column", 5, FIRST["colour"]), "term 5 cannot be about column 'colour'"),
    (put("column", 5, FIRST["size"]), "term 5 cannot be about column 'size'"),
    (put("kind", 0, 0), "a term of an unknown kind"),
    (put("kind", 0, 3), "a term of an unknown kind"),
    (put("kind", 0, 5), "a term of an unknown kind"),
    (put("kind", 5, 1), "a term of an unknown kind"),
    (put("kind", 0, 2), "damaged"),
    (put("kind", 5, 2), "damaged"),
    (put("kind", 0, 300), "kind holds a number that is too large"),
    (put("negated", 0, 2), "a term is negated that cannot be"),
    (put("negated", 3, 1), "a term is negated that cannot be"),
    (put("level", 1, 3), "term 1 is about a level 'colour' lacks"),
    (put("level", 1, -1), "a term about no level"),
    (put("level", 4, 9), "term 4 is about a level 'colour' lacks"),
    (put("threshold", 0, 7.5), "two forms of a threshold do not agree"),
    (put("threshold_floor", 0, 7), "two forms of a threshold do not agree"),
    (put("threshold", 0, None), "threshold holds None"),
    (lambda d: (put("threshold", 2, 3.0)(d), put("threshold_floor", 2, 3)(d)), "a level 'size' lacks"),
    (put("coefficient", 3, "inf"), "a term that is no number"),
    (put("coefficient", 3, "many"), "coefficient holds 'many'"),
    (put("fill", 3, "-inf"), "a term that is no number"),
    (put_node("kind", 1, 5), "a term of an unknown kind"),
    (put_node("kind", 2, 4), "a term of an unknown kind"),
    (put_node("kind", 1, 6), "an unknown kind of question"),
    (put_node("kind", 0, 4), "its question and its terms do not agree"),
    (put_node("kind", 1, 1), "its question and its terms do not agree"),
    (put_node("column", 1, FIRST["n"]), "does not begin with its first column"),
    (put_node("missing_seen", 1, 1), "has levels, or a rule for missing values"),
    (put_node("missing_child", 1, -1), "has levels, or a rule for missing values"),
    (put_node("threshold_floor", 1, 1), "two forms of a threshold do not agree"),
    (put_node("threshold_floor", 2, 7), "two forms of a threshold do not agree"),
    (bound_of(1, 0.0), "counts literals, but not from 1"),
    (bound_of(1, 4.0), "counts literals, but not from 1"),
    (bound_of(1, 1.5), "counts literals, but not from 1"),
    (put_node("threshold", 2, "inf"), "the bound of its question is no number"),
]


@pytest.mark.parametrize(("change", "words"), DAMAGES)
def test_damaged_documents(change: Any, words: str) -> None:
    """Each damage is named."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(DataError, match=words):
        Tree.from_json(json.dumps(document))


def test_a_single_literal_is_no_list() -> None:
    """At least one of one is never asked so."""
    document = json.loads(plant({(): at_least(1, cut(A, 1), level(2))}).to_json())
    document["terms"] = {name: values[:1] for name, values in document["terms"].items()}
    document["terms"]["begin"] = [0, 1, 1, 1]
    with pytest.raises(DataError, match="of two or more"):
        Tree.from_json(json.dumps(document))


places = [(name, i) for name, listed in DOCUMENT["terms"].items() for i in range(len(listed))]
odd = st.one_of(st.integers(-3, 12), st.integers(), st.floats(), st.text(max_size=3), st.none(), st.just([]))


@given(st.sampled_from(places), odd)
def test_any_single_damage(place: tuple[str, int], value: Any) -> None:
    """A document with one value changed is refused, or it is a tree that can be used from end to end."""
    document = copy.deepcopy(DOCUMENT)
    document["terms"][place[0]][place[1]] = value
    try:
        tree = Tree.from_json(json.dumps(document))
    except DataError:
        return
    tree.apply(frame([(None,) * 5, (0.5, 1, 1, 1, 1)]))
    assert len(str(tree).splitlines()) == len(tree)
    assert len(tree.rules()) == tree.n_leaves
    importance(tree)
    tree.to_frame()


@pytest.mark.parametrize("name", ["coefficient", "fill", "threshold"])
def test_what_is_not_a_number(name: str) -> None:
    """JSON has no NaN, but arrays do."""
    terms = {key: array.copy() for key, array in TREE.terms.items()}
    terms[name][0] = math.nan
    with pytest.raises(DataError, match="damaged"):
        Tree(TREE.columns, TREE.target, TREE.criterion, TREE._arrays, terms=terms)


def test_scikit_learn_has_no_such_trees() -> None:
    """One sentence tells which node, and what is needed."""
    columns = (Column("x0", "number"), Column("x1", "number"))
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = TreeClassifier(prune=None).fit(X, np.where(X[:, 0] > X[:, 1], "no", "yes"))
    tree = plant({(): total(0.0, LinearTerm(columns[0], 1.0), LinearTerm(columns[1], -1.0))}, columns)
    with pytest.raises(DataError, match=r"Node 0 asks '1·x0 − 1·x1 <= 0', which scikit-learn's trees cannot"):
        model.with_tree(tree).to_sklearn()
