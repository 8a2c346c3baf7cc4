"""The fitted tree as a value: nodes, rules, equality, files, and trees that are refused.

Words: those of `Tree` and `Node`.
How trees are grown is the subject of the other files; here one small tree is looked at from all sides.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import DataError, Tree, TreeClassifier, TreeRegressor
from arboretum.dataset import read_dataset
from arboretum.questions import Levels, Missing, Threshold

PLAY = pd.DataFrame(
    {
        "outlook": pd.Categorical(
            ["sunny", "sunny", "rain", "rain", "overcast", "overcast", "sunny", "rain"]
        ),
        "wind": [5.0, 20.0, 5.0, 30.0, 10.0, 25.0, 8.0, None],
    }
)
ANSWERS = ["no", "no", "yes", "no", "yes", "yes", "no", "maybe"]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """outlook = sunny → no; else wind missing → maybe; else wind <= 27.5 → yes; else no."""
    grown: Tree = TreeClassifier(criterion="entropy").fit(PLAY, ANSWERS).tree_
    return grown


@pytest.fixture(scope="module")
def numbers() -> Tree:
    grown: Tree = TreeRegressor().fit([[1], [2], [3], [4]], [1.0, 2.0, 8.0, 9.0]).tree_
    return grown


class TestStructure:
    def test_kinds_of_questions(self, tree: Tree) -> None:
        """Each kind of question is a value that tells its column, its outcomes and where the missing go."""
        asked = [node.question for node in tree.walk() if node.question is not None]
        assert {type(question) for question in asked} == {Levels, Missing, Threshold}
        for question in asked:
            assert len(question.outcomes) == 2
            assert str(question) == question.outcomes[0]
            assert question.column in ("outlook", "wind")

    def test_walk_goes_down_before_it_goes_right(self, tree: Tree) -> None:
        """Every node comes once, after its parent, and the leaves come from left to right."""
        seen: set[int] = set()
        for node in tree.walk():
            assert node.parent is None or node.parent.number in seen
            seen.add(node.number)
        assert seen == set(range(len(tree)))
        assert [leaf.number for leaf in tree.leaves()] == [n.number for n in tree.walk() if n.is_leaf]
        assert tree.n_leaves == len(list(tree.leaves())) == (len(tree) + 1) // 2

    def test_family(self, tree: Tree) -> None:
        """Parents, children and depths agree; the root has no parent, leaves no children."""
        assert tree.root.parent is None
        assert tree.root.outcome is None
        for node in tree.walk():
            assert node.is_leaf == (node.children == ()) == (node.question is None)
            for child in node.children:
                assert child.parent == node
                assert child.depth == node.depth + 1
        assert tree.depth == max(node.depth for node in tree.walk())
        assert tree.node(0) == tree.root

    @pytest.mark.parametrize("number", [-1, 10_000])
    def test_no_such_node(self, tree: Tree, number: int) -> None:
        """A node that is not there is refused in a sentence that names those that are."""
        with pytest.raises(DataError, match=f"nodes 0 to {len(tree) - 1}, but node {number}"):
            tree.node(number)

    def test_classes_or_numbers(self, tree: Tree, numbers: Tree) -> None:
        """Trees for classes have counts and no values, trees for numbers the other way round."""
        assert tree.root.value is None
        assert tree.root.counts is not None
        assert dict(zip(tree.target.classes or (), tree.root.counts.tolist(), strict=True)) == {
            "maybe": 1.0,
            "no": 4.0,
            "yes": 3.0,
        }
        assert tree.root.label == "no"
        assert tree.root.confidence == 0.5
        assert numbers.root.counts is None
        assert numbers.root.probability is None
        assert numbers.root.confidence is None
        assert numbers.root.value == numbers.root.label == 5.0

    def test_missing_values_are_named_where_they_go(self) -> None:
        """A child that takes missing values says so; one that takes them by default does not."""
        X = pd.DataFrame({"x": [1.0, 2.0, 3.0, None]})
        grown = TreeClassifier().fit(X, ["a", "a", "b", "b"]).tree_
        assert [leaf.outcomes for leaf in grown.leaves()] == [("x <= 2.5",), ("x > 2.5 or missing",)]
        assert [leaf.takes_missing for leaf in grown.leaves()] == [False, True]
        plain = TreeClassifier().fit(X.dropna(), ["a", "a", "b"]).tree_
        assert not any(leaf.takes_missing for leaf in plain.leaves())
        assert plain.root.question is not None
        assert not plain.root.question.missing_seen


class TestRules:
    def test_one_rule_per_leaf(self, tree: Tree) -> None:
        """Rules tell the path to each leaf in words, from left to right."""
        rules = tree.rules()
        assert len(rules) == tree.n_leaves
        assert sum(rule.n_rows for rule in rules) == len(PLAY)
        for rule, leaf in zip(rules, tree.leaves(), strict=True):
            assert rule.label == leaf.label
            assert len(rule.outcomes) == leaf.depth
            assert str(rule) == f"{' and '.join(rule.outcomes)} → {rule.label}"

    def test_rule_of_a_single_leaf(self) -> None:
        """Where nothing is asked, the rule always holds."""
        assert str(TreeClassifier().fit([[1.0]], ["a"]).tree_.rules()[0]) == "always → a"


class TestValue:
    def test_arrays_cannot_be_written_to(self, tree: Tree) -> None:
        """A tree is never changed: its arrays are read-only, its nodes frozen."""
        with pytest.raises(ValueError, match="read-only"):
            tree.array("weight")[0] = 7.0
        with pytest.raises(FrozenInstanceError):
            tree.root.number = 1  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            tree.root.question.missing_child = 1  # type: ignore[misc, union-attr]

    def test_equality_sees_every_difference(self, tree: Tree) -> None:
        """Trees are equal by content: another label, weight, threshold, column or criterion makes another."""
        again = TreeClassifier(criterion="entropy").fit(PLAY, ANSWERS).tree_
        assert again == tree
        assert hash(again) == hash(tree)
        others = [
            TreeClassifier(criterion="gini").fit(PLAY, ANSWERS),
            TreeClassifier(criterion="entropy").fit(PLAY.rename(columns={"wind": "gale"}), ANSWERS),
            TreeClassifier(criterion="entropy").fit(PLAY.assign(wind=PLAY["wind"] * 2), ANSWERS),
            TreeClassifier(criterion="entropy").fit(PLAY, [answer.upper() for answer in ANSWERS]),
            TreeClassifier(criterion="entropy").fit(PLAY, ANSWERS, sample_weight=[2.0] * 8),
            TreeClassifier(criterion="entropy", leaf="laplace").fit(PLAY, ANSWERS),
            TreeClassifier(criterion="entropy", max_depth=1).fit(PLAY, ANSWERS),
        ]
        assert all(other.tree_ != tree for other in others)
        assert tree != "a tree"

    def test_nodes_and_questions_compare_by_content(self, tree: Tree) -> None:
        """Nodes of equal trees are equal, and so are their questions."""
        again = Tree.from_json(tree.to_json())
        assert list(again.walk()) == list(tree.walk())
        assert again.root.question == tree.root.question
        assert tree.root != tree.root.children[0]

    def test_copies(self, tree: Tree) -> None:
        """Pickled and copied trees are equal and stay read-only."""
        for twin in (pickle.loads(pickle.dumps(tree)), copy.copy(tree), copy.deepcopy(tree)):
            assert twin == tree
            assert not twin.array("weight").flags.writeable

    def test_a_tree_routes_by_itself(self, tree: Tree) -> None:
        """Without its estimator, from a file, the tree still knows where each row goes."""
        leaves = Tree.from_json(tree.to_json()).leaves_of(read_dataset(PLAY))
        assert [tree.node(int(number)).label for number in leaves] == ANSWERS


def damage(change: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """A change to the document of a tree."""

    def apply(text: str) -> str:
        document = json.loads(text)
        change(document)
        return json.dumps(document)

    return apply


def put(name: str, place: int, value: Any) -> Callable[[str], str]:
    """Another number in one of the tree's arrays."""
    return damage(lambda document: document["nodes"][name].__setitem__(place, value))


class TestDamagedFiles:
    @pytest.mark.parametrize(
        "spoil",
        [
            lambda text: text[:-10],
            lambda text: "[]",
            lambda text: "[" * 100_000,
            lambda text: "null",
            damage(lambda d: d.update(format="something else")),
            damage(lambda d: d.update(version=2)),
            damage(lambda d: d.pop("columns")),
            damage(lambda d: d.update(columns=[])),
            damage(lambda d: d.update(classes=["yes"])),
            damage(lambda d: d.update(classes=5)),
            damage(lambda d: d.update(nodes=[])),
            damage(lambda d: d["nodes"].pop("threshold")),
            damage(lambda d: d["nodes"]["threshold"].pop()),
            damage(lambda d: d["nodes"].update({name: [] for name in d["nodes"]})),
            put("first_child", 0, 0),
            put("first_child", 0, 10_000),
            put("first_child", 0, 2),
            put("first_child", 0, -1),
            put("n_children", 0, 1),
            put("n_children", 0, 3),
            put("n_children", 0, -2),
            put("n_children", 0, 2**40),
            put("parent", 0, 1),
            put("parent", 1, 2),
            put("parent", 1, -1),
            put("column", 0, 99),
            put("column", 0, -1),
            put("kind", 0, 77),
            put("kind", 0, 300),
            put("missing_child", 0, 5),
            put("missing_child", 0, -1),
            put("threshold", 0, "high"),
            put("threshold", 0, None),
            put("threshold", 0, True),
            put("level_begin", 1, 99),
            put("level_begin", 1, -1),
            put("level_begin", 0, 1),
            put("level", 0, 50),
            put("level_child", 0, 9),
            put("label", 0, 99),
            put("label", 0, -1),
            put("counts", 0, [1.0]),
            put("weight", 0, "nan"),
        ],
    )
    def test_refused(self, tree: Tree, spoil: Callable[[str], str]) -> None:
        """Whatever is wrong with a file, the answer is a DataError, never a crash and never a wrong tree."""
        with pytest.raises(DataError):
            Tree.from_json(spoil(tree.to_json()))

    def test_numbers_survive_to_the_last_bit(self) -> None:
        """Thresholds, values and infinities are written so that they read back the same."""
        rng = np.random.default_rng(1)
        X = np.concatenate([rng.random(50), [np.inf, -np.inf, 5e-324]]).reshape(-1, 1)
        grown = TreeRegressor().fit(X, rng.random(53) * 1e-7).tree_
        again = Tree.from_json(grown.to_json())
        assert again == grown
        assert again.array("value").tobytes() == grown.array("value").tobytes()
