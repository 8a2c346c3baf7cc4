"""The fitted tree as a value: nodes, rules, equality, files, and trees that are refused.

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
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, Tree, TreeClassifier, candidates, datasets
from arboretum._show.text import to_text
from arboretum._tree.question_values import quote
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum._tree.tree import Target

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
    grown: Tree = unpruned_classifier(criterion="entropy").fit(PLAY, ANSWERS).tree_
    return grown


@pytest.fixture(scope="module")
def numbers() -> Tree:
    grown: Tree = unpruned_regressor().fit([[1], [2], [3], [4]], [1.0, 2.0, 8.0, 9.0]).tree_
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
        grown = unpruned_classifier().fit(X, ["a", "a", "b", "b"]).tree_
        assert [leaf.outcomes for leaf in grown.leaves()] == [("x <= 2.5",), ("x > 2.5 or missing",)]
        assert [leaf.takes_missing for leaf in grown.leaves()] == [False, True]
        plain = unpruned_classifier().fit(X.dropna(), ["a", "a", "b"]).tree_
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
            assert 1 <= len(rule.outcomes) <= leaf.depth
            assert str(rule).endswith(f" → {rule.label} (100%, {rule.n_rows} row{'s' * (rule.n_rows > 1)})")
            assert all(outcome in str(rule) for outcome in rule.outcomes)

    @allow_one_leaf
    def test_rule_of_a_single_leaf(self) -> None:
        """Where nothing is asked, the rule always holds."""
        assert str(unpruned_classifier().fit([[1.0]], ["a"]).tree_.rules()[0]) == "always → a (100%, 1 row)"


class TestValue:
    def test_arrays_cannot_be_written_to(self, tree: Tree) -> None:
        """A tree is never changed: its arrays are read-only, its nodes frozen."""
        with pytest.raises(ValueError, match="read-only"):
            tree.array("weight")[0] = 7.0
        with pytest.raises(FrozenInstanceError):
            tree.root.number = 1  # type: ignore[misc]
        with pytest.raises(FrozenInstanceError):
            tree.root.question.missing_child = 1  # type: ignore[misc]

    @pytest.mark.parametrize("name", ["weight", "counts", "level"])
    def test_arrays_cannot_be_made_writeable(self, tree: Tree, name: str) -> None:
        """Nor can writing be switched on again, as it can for a mere view of an array."""
        with pytest.raises(ValueError, match="WRITEABLE"):
            tree.array(name).flags.writeable = True
        assert not hasattr(tree._arrays, "__setitem__")

    def test_given_arrays_are_copied(self, tree: Tree) -> None:
        """Whoever made the tree may go on using the arrays it was made from."""
        given = {name: array.copy() for name, array in tree._arrays.items()}
        made = Tree(tree.columns, tree.target, tree.criterion, given)
        given["weight"][0] = 7.0
        assert made == tree

    def test_nothing_can_be_assigned(self, tree: Tree) -> None:
        """A tree has what it was made with; assigning would make two trees of one hash."""
        for name in ("columns", "criterion", "target", "_arrays", "comment"):
            with pytest.raises(AttributeError, match=f"A tree is a value and never changes: its {name}"):
                setattr(tree, name, None)
        with pytest.raises(AttributeError, match="cannot be deleted"):
            del tree.columns

    def test_equality_sees_every_difference(self, tree: Tree) -> None:
        """Trees are equal by content: another label, weight, threshold, column or criterion makes another."""
        again = unpruned_classifier(criterion="entropy").fit(PLAY, ANSWERS).tree_
        assert again == tree
        assert hash(again) == hash(tree)
        others = [
            unpruned_classifier(criterion="gini").fit(PLAY, ANSWERS),
            unpruned_classifier(criterion="entropy").fit(PLAY.rename(columns={"wind": "gale"}), ANSWERS),
            unpruned_classifier(criterion="entropy").fit(PLAY.assign(wind=PLAY["wind"] * 2), ANSWERS),
            unpruned_classifier(criterion="entropy").fit(PLAY, [answer.upper() for answer in ANSWERS]),
            unpruned_classifier(criterion="entropy").fit(PLAY, ANSWERS, sample_weight=[2.0] * 8),
            unpruned_classifier(criterion="entropy", leaf="laplace").fit(PLAY, ANSWERS),
            unpruned_classifier(criterion="entropy", max_depth=1).fit(PLAY, ANSWERS),
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
        again = Tree.from_json(tree.to_json())
        assert [tree.node(int(number)).label for number in again.apply(PLAY)] == ANSWERS
        assert again.predict(PLAY[["wind", "outlook"]]).tolist() == ANSWERS  # columns are found by name


class TestUse:
    """A tree predicts without an estimator."""

    @pytest.mark.parametrize("y", [["no", "yes", "no"], [1, 5, 1], [True, False, True], [1.0, 2.0, 1.0]])
    def test_labels_have_the_type_of_the_classes(self, y: list[Any]) -> None:
        """Text, numbers and truth values come back as they were given, from a file too."""
        given = np.array(y)
        model = unpruned_classifier().fit([[1.0], [2.0], [1.0]], given)
        again = Tree.from_json(model.tree_.to_json())
        predicted = again.predict([[1.0], [2.0], [1.0]])
        assert isinstance(predicted, np.ndarray)
        assert predicted.dtype.kind == given.dtype.kind
        assert predicted.tolist() == given.tolist()

    def test_classes_that_numpy_would_change(self) -> None:
        """1 and "a" in one array would both be text."""
        tree = unpruned_classifier().fit([[1.0], [2.0]], [1, 2]).tree_
        mixed = Tree(tree.columns, Target((1, "a")), tree.criterion, tree._arrays)
        assert mixed.predict([[1.0], [2.0]]).tolist() == [1, "a"]

    def test_numbers(self, numbers: Tree) -> None:
        """Trees for numbers predict numbers; columns called x0, x1, … are taken by position."""
        assert numbers.predict(pd.DataFrame({"any": [1, 4]})).tolist() == [1.0, 9.0]
        assert numbers.apply([[1], [4]]).dtype == np.int32

    def test_tables_that_do_not_fit(self, tree: Tree) -> None:
        """A column that is asked about must be there."""
        with pytest.raises(DataError, match="X lacks the column 'wind'"):
            tree.predict(PLAY[["outlook"]])
        with pytest.raises(DataError, match="this tree is expecting 2 features"):
            tree.predict([[1.0]])


class TestFrame:
    def test_columns(self) -> None:
        """Outcomes tell where missing values go, parents are whole numbers, the root has none."""
        X = pd.DataFrame({"x": [1.0, 2.0, 3.0, None]})
        grown = unpruned_classifier().fit(X, ["a", "a", "b", "b"]).tree_
        frame = grown.to_frame()
        assert frame["outcome"].tolist()[1:] == ["x <= 2.5", "x > 2.5 or missing"]
        assert frame["takes_missing"].tolist() == [False, False, True]
        assert str(frame["parent"].dtype) == "Int64"
        assert frame["parent"].isna().tolist() == [True, False, False]
        assert frame["improvement"].tolist() == [node.improvement for node in map(grown.node, range(3))]
        assert grown.root.improvement == grown.root.gain == 0.5

    def test_improvement_is_a_share(self) -> None:
        """The gain of a node counts by the weight that comes there; importances add these up."""
        model = unpruned_regressor().fit([[0, 0], [0, 1], [1, 0], [1, 0]], [0.0, 2.0, 9.0, 9.0])
        first = model.tree_.root.children[0]
        assert first.improvement == first.gain / 2 == 0.5
        assert model.feature_importances_[1] == first.improvement / (
            first.improvement + model.tree_.root.improvement
        )


class TestWords:
    @pytest.mark.parametrize("name", ["", " red", "red ", "a, b", "{", "}", 'a"b', "a\nb", "missing"])
    def test_names_that_could_be_misread_are_quoted(self, name: str) -> None:
        """Such levels and columns stand in double quotes, in one line, wherever a question is written."""
        quoted = json.dumps(name)
        X = pd.DataFrame({name: [name, "plain", "plain"]})
        asked = unpruned_classifier().fit(X, ["a", "b", "b"]).tree_.root.question
        assert asked is not None
        assert sorted(asked.outcomes) == sorted([f"{quoted} = {quoted}", f"{quoted} = plain"])
        assert candidates(X, ["a", "b", "b"])["question"][0] in asked.outcomes
        number = unpruned_classifier().fit(pd.DataFrame({name: [1, 2]}), ["a", "b"]).tree_.root.question
        assert str(number) == f"{quoted} <= 1.5"

    @pytest.mark.parametrize("name", ["red", "dark red", "it's", "a=b", "x <= 2", "is missing"])
    def test_plain_names_stay_plain(self, name: str) -> None:
        """Quotes are for what needs them."""
        assert quote(name) == name

    @allow_one_leaf
    def test_rules_tell_what_they_rest_on(self, numbers: Tree) -> None:
        """Rows and confidence follow the label, numbers are rounded as in the tree's text."""
        assert str(numbers.rules()[0]) == "x0 <= 1.5 → 1 (1 row)"
        third = unpruned_regressor().fit([[0.0]] * 3, [0.0, 0.0, 1.0]).tree_
        assert str(third.rules()[0]) == "always → 0.333333 (3 rows)"

    def test_rules_with_missing_values(self) -> None:
        """ "a and b or missing" would read as something else."""
        X = pd.DataFrame({"x": [1.0, 2.0, 3.0, None], "z": [1, 1, 2, 1]})
        both = TreeClassifier(max_depth=2, min_samples_leaf=5).fit(*datasets.load_penguins()).tree_
        words = "(flipper_length_mm <= 206.5 or missing) and bill_length_mm > 43.35 → Chinstrap"
        assert str(both.rules()[1]) == f"{words} (89%; 92% of 63 rows)"
        one = unpruned_classifier().fit(X[["x"]], ["a", "a", "b", "b"]).tree_
        assert str(one.rules()[1]) == "x > 2.5 or missing → b (100%, 2 rows)"


class TestText:
    @pytest.fixture
    def large(self) -> Tree:
        """Every row in a leaf of its own: 1,501 leaves, 3,001 nodes."""
        grown: Tree = unpruned_regressor().fit(np.arange(1501).reshape(-1, 1), np.arange(1501.0) ** 3).tree_
        assert len(grown) == 3001
        return grown

    @staticmethod
    def more_nodes(lines: list[str]) -> int:
        return sum(int(line.split("… ")[1].split()[0].replace(",", "")) for line in lines if "…" in line)

    def test_large_trees_are_cut(self, large: Tree) -> None:
        """At most 1,000 nodes are printed, those hidden are counted where they are and in all."""
        *lines, last = str(large).splitlines()
        shown = [line for line in lines if "…" not in line]
        assert len(shown) <= 1000
        assert len(shown) + self.more_nodes(lines) == 3001
        assert last == f"({len(shown):,} of 3,001 nodes are shown)"

    @pytest.mark.parametrize("max_nodes", [1, 2, 3, 10, 3000, 3001, None])
    def test_max_nodes(self, large: Tree, max_nodes: int | None) -> None:
        """The limit is kept, the root is always there, and nothing is hidden without being counted."""
        lines = to_text(large, max_nodes=max_nodes).splitlines()
        shown = [line for line in lines if "row" in line]
        assert len(shown) <= max(1, 3001 if max_nodes is None else max_nodes)
        assert len(shown) + self.more_nodes(lines) == 3001
        assert ("are shown)" in lines[-1]) == (len(shown) < 3001)

    def test_max_depth(self, numbers: Tree) -> None:
        """What lies below so many questions is counted."""
        assert to_text(numbers, max_depth=1).splitlines() == [
            "[4 rows]  squared_error 12.5, value 5",
            "├── x0 <= 2.5  [2 rows]  squared_error 0.25, value 1.5",
            "│   └── … 2 more nodes",
            "└── x0 > 2.5  [2 rows]  squared_error 0.25, value 8.5",
            "    └── … 2 more nodes",
            "(3 of 7 nodes are shown)",
        ]
        assert to_text(numbers, max_depth=2) == to_text(numbers) == str(numbers)


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
            put("missing_child", 0, -2),
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
        grown = unpruned_regressor().fit(X, rng.random(53) * 1e-7).tree_
        again = Tree.from_json(grown.to_json())
        assert again == grown
        assert again.array("value").tobytes() == grown.array("value").tobytes()
