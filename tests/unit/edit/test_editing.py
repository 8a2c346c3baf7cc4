"""Editing fitted trees: what each edit does, with which rows, and what the edited tree remembers.

An edit prunes a node, sets its question, or regrows what is below it. That the numbers are
those of growth is a law (properties/test_editing.py); texts are in tree/test_question_text.py, refusals in
test_refused_edits.py.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arboretum import (
    CostComplexity,
    GainRatio,
    Surrogate,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
    importance,
)
from arboretum._tree.edits import Edit
from arboretum._tree.questions import Levels

IRIS = datasets.load_iris()
PENGUINS = datasets.load_penguins()
TENNIS = datasets.load_tennis()


def grow_iris(**options: Any) -> Tree:
    """Petals, then petals again: five nodes."""
    tree: Tree = TreeClassifier(**{"max_depth": 2, "prune": None} | options).fit(*IRIS).tree_
    return tree


def grow_penguins(**options: Any) -> Tree:
    """Columns of both kinds, of which some miss values."""
    tree: Tree = TreeClassifier(**{"max_depth": 4, "prune": None} | options).fit(*PENGUINS).tree_
    return tree


# Pruning


@pytest.mark.parametrize("node", ["node", "id", "path", "list", "numpy"])
def test_a_pruned_node_is_a_leaf(node: str) -> None:
    """The node keeps its numbers, the others theirs; it can be named in several ways."""
    tree = grow_iris()
    inner = tree.root.children[1]
    named: Any = {"node": inner, "id": inner.id, "path": (1,), "list": [1], "numpy": np.int64(inner.id)}
    pruned = tree.prune_at(named[node])
    assert len(pruned) == 3
    assert pruned.node(2).is_leaf
    assert pruned.node(2).label == inner.label
    assert [n.id for n in pruned.walk()] == [0, 1, 2]
    assert pruned.edits == (Edit("prune", (1,)),)
    assert len(tree) == 5
    assert not tree.edits
    assert repr(pruned) == "<Tree: 3 nodes, 2 leaves, depth 1, edited>"


def test_ids_name_nodes_after_pruning() -> None:
    """In a pruned tree the number of a node is no longer its id: the id finds it."""
    tree: Tree = TreeClassifier(prune=None).fit(*IRIS).tree_
    small = tree.prune_at(tree.root.children[1].children[0])
    deep = next(node for node in small.walk() if node.number != node.id and not node.is_leaf)
    again = small.prune_at(deep.id)
    assert again.edits[-1].path == deep.path


def test_the_last_line_tells_the_edits() -> None:
    """An edited tree says so, below what it shows; long lists and long questions are cut short."""
    tree = grow_iris(max_depth=4)
    edited = tree.prune_at((1, 0)).replace((), "petal_width <= 0.8", IRIS)
    assert str(edited).splitlines()[-1] == "edited: pruned at node 1.0; asks petal_width <= 0.8 at the root"
    many = tree
    for _ in range(10):
        many = many.replace((), "petal_width <= 0.8", IRIS)
    assert str(many).splitlines()[-1].endswith("; 2 more")
    assert "edited" not in str(tree)
    levels = [f"level number {number}" for number in range(40)]
    X = pd.DataFrame({"x": levels})
    y = [number % 2 for number in range(40)]
    wide = TreeClassifier(prune=None, levels="raw").fit(X, y).tree_
    line = str(wide.replace((), f"x in {{{', '.join(levels[:20])}}}", (X, y))).splitlines()[-1]
    assert len(line) < 100
    assert line.endswith("…")


# Replacing


def test_a_question_set_by_hand_has_new_leaves() -> None:
    """The leaves count the rows of data; the node keeps what it had, and its gain is that of the data."""
    tree = grow_iris()
    X, y = IRIS
    some = np.arange(0, 150, 3)
    edited = tree.replace(tree.root, "petal_width <= 0.8", (X.iloc[some], y.iloc[some]))
    assert [str(n.question) if n.question else n.n_rows for n in edited.walk()] == [
        "petal_width <= 0.8",
        17,
        33,
    ]
    assert edited.root.n_rows == 150
    assert edited.root.impurity == tree.root.impurity
    left, right = (child.counts.tolist() for child in edited.root.children)
    assert (left, right) == ([17, 0, 0], [0, 17, 16])
    before, after = 1 - (17**2 + 17**2 + 16**2) / 50**2, 33 / 50 * (1 - (17**2 + 16**2) / 33**2)
    assert edited.root.gain == pytest.approx(before - after, rel=1e-12)
    assert edited.root.improvement == edited.root.gain
    assert edited.predict(X).tolist() == np.where(X["petal_width"] <= 0.8, "setosa", "versicolor").tolist()


def test_new_nodes_have_new_ids() -> None:
    """Nodes that were there before keep their ids, and nobody gets one of those that went."""
    tree = grow_iris(max_depth=3)
    edited = tree.replace((1,), "sepal_length <= 6", IRIS)
    largest = max(node.id for node in tree.walk())
    assert [node.id for node in edited.root.children[1].children] == [largest + 1, largest + 2]
    assert [edited.root.id, *(node.id for node in edited.root.children)] == [0, 1, 2]


def test_a_leaf_can_be_asked_too() -> None:
    """Where nothing was asked, a question is set just the same; numbers are those of growth one level on."""
    tree, deeper = grow_iris(max_depth=2), grow_iris(max_depth=3)
    asked = deeper.node(3).question
    edited = tree.replace(tree.node(3), asked, IRIS)
    assert edited.node(3).question == asked
    assert edited.node(3).gain == pytest.approx(deeper.node(3).gain)
    assert [n.n_rows for n in edited.node(3).children] == [n.n_rows for n in deeper.node(3).children]


def test_a_child_without_rows_predicts_what_the_node_does() -> None:
    """A question that sends all rows of data one way is allowed."""
    tree = grow_iris()
    edited = tree.replace((1,), "petal_width <= 100", IRIS)
    empty = edited.root.children[1].children[1]
    assert (empty.n_rows, empty.weight, empty.impurity) == (0, 0.0, 0.0)
    assert empty.label == edited.root.children[1].label
    assert empty.probability.tolist() == edited.root.children[1].probability.tolist()
    assert edited.root.children[1].gain == 0.0
    numbers = TreeRegressor(prune=None).fit([[1.0], [2.0]], [5.0, 9.0]).tree_
    assert numbers.replace((), "x0 <= 7", ([[1.0], [2.0]], [6.0, 8.0])).predict([[9.0]]).tolist() == [7.0]


def test_weights_count() -> None:
    """A row of weight 3 is three rows, but for the number of rows."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 0, 1, 1])
    tree = TreeClassifier(prune=None).fit(X, y).tree_
    weighted = tree.replace((), "x0 <= 3", (X, y, [1, 1, 3, 1]))
    repeated = tree.replace((), "x0 <= 3", (X[[0, 1, 2, 2, 2, 3]], y[[0, 1, 2, 2, 2, 3]]))
    assert weighted.root.gain == pytest.approx(repeated.root.gain)
    assert [child.counts.tolist() for child in weighted.root.children] == [[2, 3], [0, 1]]
    assert [child.n_rows for child in weighted.root.children] == [3, 1]
    nothing = tree.replace((), "x0 <= 3", (X, y, [1, 0, 1, 1]))
    assert [child.n_rows for child in nothing.root.children] == [2, 1]


@pytest.mark.parametrize("criterion", ["squared_error", "absolute_error", "poisson"])
def test_numbers_are_counted_by_the_criterion(criterion: str) -> None:
    """Leaves predict the mean, or the median; impurity and gain are worked out on paper."""
    X, y = np.arange(6.0).reshape(-1, 1), np.array([1.0, 2.0, 6.0, 3.0, 5.0, 40.0])
    tree = TreeRegressor(criterion=criterion, prune=None, leaf="mean").fit(X, y).tree_
    edited = tree.replace((), "x0 <= 2", (X, y))
    left, right = edited.root.children

    def impurity(y: Any) -> float:
        mean = y.mean()
        by_hand: dict[str, float] = {
            "squared_error": np.mean((y - mean) ** 2),
            "absolute_error": np.mean(np.abs(y - np.median(y))),
            "poisson": np.mean(y * np.log(y / mean) - y + mean),
        }
        return by_hand[criterion]

    middle = np.median if criterion == "absolute_error" else np.mean
    assert (left.value, right.value) == (middle(y[:3]), middle(y[3:]))
    assert left.impurity == pytest.approx(impurity(y[:3]))
    assert right.impurity == pytest.approx(impurity(y[3:]))
    assert edited.root.gain == pytest.approx(impurity(y) - (impurity(y[:3]) + impurity(y[3:])) / 2)


def test_even_weights_have_two_medians() -> None:
    """The prediction is the mean of the lower and the upper median, by weight."""
    X, y = np.zeros((4, 1)), np.array([1.0, 2.0, 4.0, 9.0])
    X[3] = 1.0
    tree = TreeRegressor(criterion="absolute_error", prune=None, leaf="mean").fit(X, y).tree_
    edited = tree.replace((), "x0 <= 5", (X, y, [1.0, 1.0, 1.0, 1.0]))
    assert edited.root.children[0].value == 3.0
    assert tree.replace((), "x0 <= 5", (X, y, [1.0, 1.0, 1.0, 2.0])).root.children[0].value == 4.0


def test_a_branch_for_each_level() -> None:
    """Text asks for a branch per level; missing values get one of their own if that is said."""
    X, _ = PENGUINS
    tree = grow_penguins()
    edited = tree.replace((), "island = ?", PENGUINS)
    assert [child.outcome for child in edited.root.children] == [
        "island = Biscoe",
        "island = Dream",
        "island = Torgersen",
    ]
    assert sum(child.n_rows for child in edited.root.children) == len(X)
    branch = tree.replace((), "sex = ? or missing", PENGUINS).root
    assert [child.outcome for child in branch.children] == ["sex = female", "sex = male", "sex is missing"]
    assert branch.children[2].n_rows == X["sex"].isna().sum() > 0
    again = edited.replace((), branch.question, PENGUINS)
    assert again == tree.replace((), "sex = ? or missing", PENGUINS)


def test_missing_values_go_to_the_heavier_child() -> None:
    """Or to the one that is said; then the text of the tree tells so."""
    X, _ = PENGUINS
    tree = grow_penguins()
    n_missing = int(X["bill_length_mm"].isna().sum())
    assert n_missing > 0
    low = int((X["bill_length_mm"] <= 40).sum())
    plain = tree.replace((), "bill_length_mm <= 40", PENGUINS).root
    assert plain.question.missing_child == 1
    assert [child.n_rows for child in plain.children] == [low, len(X) - low]
    assert plain.question.missing_seen
    assert "bill_length_mm > 40 or missing  [" in str(plain.tree)
    said = tree.replace((), "bill_length_mm <= 40 or missing", PENGUINS)
    assert [child.n_rows for child in said.root.children] == [low + n_missing, len(X) - low - n_missing]
    assert "bill_length_mm <= 40 or missing  [" in str(said)
    assert said.edits[0].question == "bill_length_mm <= 40 or missing"
    other = tree.replace((), "bill_length_mm > 40, not missing", PENGUINS)
    assert other == said
    # A question of a tree says so itself, where it was chosen by gain.
    chosen = next(n for n in tree.walk() if n.question and n.question.missing_seen)
    assert (
        tree.replace((), chosen.question, PENGUINS).root.question.missing_child
        == chosen.question.missing_child
    )


def test_is_missing_can_be_asked() -> None:
    """The rows that miss the value go left."""
    X, _ = PENGUINS
    edited = grow_penguins().replace((), "sex is missing", PENGUINS)
    assert [child.n_rows for child in edited.root.children] == [X["sex"].isna().sum(), X["sex"].notna().sum()]
    assert edited.root.children[0].outcome == "sex is missing"


def test_levels_without_rows_follow_the_text() -> None:
    """`colour = red` means that every other level goes right, also one that no row of data has."""
    colour = pd.Categorical(["red", "red", "blue", "blue"], ["red", "blue", "green"])
    X, y = pd.DataFrame({"colour": colour, "x": [1, 2, 3, 4]}), ["a", "a", "b", "b"]
    tree = TreeClassifier(prune=None).fit(X, y).tree_
    edited = tree.replace((), "colour = red", (X, y))
    assert edited.root.question.children == ((0,), (1, 2))
    green = pd.DataFrame({"colour": pd.Categorical(["green"], ["green"]), "x": [1]})
    assert edited.predict(green).tolist() == ["b"]


def test_a_question_of_another_tree_is_asked_by_name() -> None:
    """Its levels may have other numbers there."""
    colour = ["red", "blue", "green", "red"]
    other = pd.DataFrame({"colour": pd.Categorical(colour, ["green", "red", "blue"])})
    own = pd.DataFrame({"x": [1, 2, 3, 4], "colour": pd.Categorical(colour, ["blue", "green", "red"])})
    y = [1, 0, 0, 1]
    asked = TreeClassifier(prune=None).fit(other, y).tree_.root.question
    assert isinstance(asked, Levels)
    edited = (
        TreeClassifier(prune=None).fit(own[["x", "colour"]], [0, 0, 1, 1]).tree_.replace((), asked, (own, y))
    )
    assert {str(asked), edited.root.question.outcomes[0]} == {
        "colour in {green, blue}",
        "colour in {blue, green}",
    }
    assert [child.label for child in edited.root.children] == [0, 1]


def test_competitors_and_surrogates_can_be_asked() -> None:
    """A surrogate that is turned asks the same; new leaves have no memories of old questions."""
    tree = TreeClassifier.cart(prune=None).fit(*PENGUINS).tree_
    root = tree.root
    flipped = next(s.question for s in root.surrogates if str(s.question).count(">"))
    edited = tree.replace((), flipped, PENGUINS)
    assert str(edited.root.question) == str(flipped).replace(">", "<=")
    assert not edited.root.surrogates
    assert not edited.root.competitors
    best = root.competitors[0]
    asked = tree.replace((), best.question, PENGUINS)
    assert asked.root.gain == pytest.approx(best.gain)


def test_surrogates_of_other_nodes_stay() -> None:
    """Rows still find their way to the node by surrogates; at the node they follow the heavier child."""
    tree = TreeClassifier.cart(prune=None).fit(*PENGUINS).tree_
    node = next(n for n in tree.walk() if not n.is_leaf and n.depth == 1)
    edited = tree.replace(node, "body_mass_g <= 4000", PENGUINS)
    assert edited.missing == "surrogates"
    assert edited.root.surrogates == tree.root.surrogates
    assert edited.node(node.number).question.missing_child in (0, 1)
    below = edited.node(node.number)
    assert sum(child.n_rows for child in below.children) == node.n_rows
    whole = tree.replace((), "body_mass_g <= 4000", PENGUINS)
    assert whole.missing == "child"
    assert len(whole.predict(PENGUINS[0])) == len(PENGUINS[0])


def test_rows_are_divided_where_the_tree_divides_them() -> None:
    """Rows that miss the value are in both children, in shares as large as those of the others."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, None]})
    y = ["a", "a", "b", "b", "b"]
    tree = TreeClassifier(missing="fractional", prune=None).fit(X, y).tree_
    edited = tree.replace((), "x <= 3", (X, y))
    left, right = edited.root.children
    assert left.counts.tolist() == [2, 1.75]
    assert right.counts.tolist() == [0, 1.25]
    assert (left.n_rows, right.n_rows) == (4, 2)
    assert edited.root.question.missing_child == 0
    known = 1 - 0.25 - 0.25 - 3 / 4 * (1 - (4 + 1) / 9)
    assert edited.root.gain == pytest.approx(known * 4 / 5)
    assert edited.predict_proba(X)[4] == pytest.approx(
        0.75 * np.asarray(left.probability) + 0.25 * np.asarray(right.probability)
    )


def test_only_the_part_of_a_row_that_comes_is_counted() -> None:
    """Below a divided node, rows that miss its value count as much as their share."""
    X = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, None], "z": [0.0, 1.0, 0.0, 1.0, 1.0]})
    y = ["a", "a", "b", "b", "b"]
    tree = TreeClassifier(missing="fractional", max_depth=1, prune=None).fit(X, y).tree_
    assert str(tree.root.question) == "x <= 2.5"
    edited = tree.replace((0,), "z <= 0.5", (X, y))
    low, high = edited.root.children[0].children
    assert low.counts.tolist() == [1, 0]
    assert high.counts.tolist() == [1, 0.5]


def test_priors_and_losses_hold_in_new_leaves() -> None:
    """Labels are those of least expected loss, gains are judged by altered weights: as in growth."""
    X, y = IRIS
    options: dict[str, Any] = {
        "priors": [0.2, 0.2, 0.6],
        "loss": [[0, 1, 1], [5, 0, 5], [1, 1, 0]],
        "prune": None,
    }
    tree = TreeClassifier(max_depth=1, **options).fit(X, y).tree_
    edited = tree.replace((), tree.root.question, (X, y))
    assert edited.root.gain == pytest.approx(tree.root.gain, rel=1e-12)
    assert [n.label for n in edited.walk()] == [n.label for n in tree.walk()]
    for mine, its in zip(edited.walk(), tree.walk(), strict=True):
        assert mine.probability == pytest.approx(its.probability)
        assert mine.impurity == pytest.approx(its.impurity)


def test_gain_ratio_is_told() -> None:
    """The gain over the information of the answer, also where growth would have subtracted a penalty."""
    days, play = TENNIS
    tree = TreeClassifier.c45(prune=None).fit(days, play).tree_
    edited = tree.replace((), "outlook = ?", TENNIS)
    assert edited.root.gain == pytest.approx(0.24674982)
    assert edited.root.gain_ratio == pytest.approx(0.24674982 / 1.57740628)


# Growing anew


def test_a_subtree_is_grown_from_other_rows() -> None:
    """The rows of data that reach the node grow it; depths are counted from the node."""
    X, y = IRIS
    tree = grow_iris(max_depth=1)
    half = np.arange(150) % 2 == 0
    edited = tree.regrow((1,), (X[half], y[half]), max_depth=1)
    alone = TreeClassifier(max_depth=1, prune=None).fit(*(t[half & (X["petal_length"] > 2.45)] for t in IRIS))
    assert edited.node(2).question == alone.tree_.root.question
    assert [n.n_rows for n in edited.node(2).children] == [n.n_rows for n in alone.tree_.root.children]
    assert edited.node(2).n_rows == 100
    assert edited.node(2).improvement == pytest.approx(edited.node(2).gain * 100 / 150)
    assert edited.edits == (Edit("regrow", (1,), options={"max_depth": 1}),)


def test_a_node_where_nothing_grows_becomes_a_leaf() -> None:
    """Pure rows, or limits that allow no question: the node is a leaf with its own numbers."""
    tree = grow_iris(max_depth=3)
    edited = tree.regrow((1,), IRIS, min_samples_split=1000)
    assert edited == tree.prune_at((1,))
    assert str(edited.edits[0]) == "grown anew below node 1 with min_samples_split=1000"


def test_growth_can_be_pruned() -> None:
    """`prune` is an option like the others; what the whole tree would be pruned to comes out at the root."""
    model = TreeClassifier(prune=CostComplexity(folds=5)).fit(*IRIS)
    raw = model.unpruned().tree_
    edited = raw.regrow((), IRIS, prune=CostComplexity(folds=5))
    assert edited == model.tree_
    assert raw.replay(edited.edits, IRIS) == edited
    assert raw.regrow((), IRIS, prune="pessimistic").n_leaves < raw.n_leaves


@pytest.mark.parametrize(
    ("model", "options"),
    [
        (TreeClassifier.c45(prune=None), {"criterion": GainRatio("c45", True), "thresholds": "table"}),
        (TreeClassifier.cart(prune=None), {"missing": Surrogate(), "competitors": 4}),
        (TreeClassifier(class_weight="balanced", prune=None), {"class_weight": "balanced"}),
        (TreeClassifier(class_weight={"Adelie": 3}, prune=None), {"class_weight": {"Adelie": 3}}),
        (TreeClassifier(missing="drop", prune=None), {"missing": "drop"}),
        (TreeClassifier(max_bins=7, max_leaf_nodes=6, prune=None), {"max_bins": 7, "max_leaf_nodes": 6}),
    ],
    ids=["c45", "cart", "balanced", "class weights", "drop", "bins"],
)
def test_regrown_from_the_root_all_comes_back(model: TreeClassifier, options: dict[str, Any]) -> None:
    """With the estimator's options the whole tree comes back; the edit keeps them, in files too."""
    tree = model.fit(*PENGUINS).tree_
    shared = (
        "min_samples_split",
        "min_samples_leaf",
        "max_depth",
        "min_impurity_decrease",
        "nominal",
        "levels",
    )
    options = options | {name: model.get_params()[name] for name in shared}
    edited = tree.regrow(tree.root, PENGUINS, **options, n_jobs=1)
    assert edited == tree
    assert len(tree) > 5
    assert "n_jobs" not in edited.edits[0].options
    back = Tree.from_json(edited.to_json())
    assert back.edits == edited.edits
    assert tree.replay(back.edits, PENGUINS) == tree


def test_a_pruned_cart_tree_can_have_surrogates_again() -> None:
    """Without questions nothing tells that the tree followed surrogates; they may come back all the same."""
    tree = TreeClassifier.cart(prune=None).fit(*PENGUINS).tree_
    root = tree.prune_at(())
    assert root.missing == "child"
    options: dict[str, Any] = {
        "levels": "raw",
        "competitors": 4,
        "min_samples_split": 20,
        "min_samples_leaf": 7,
        "max_depth": 30,
    }
    again = root.regrow((), PENGUINS, missing="surrogate", **options, min_impurity_decrease=5e-324)
    assert again == tree
    assert root.regrow((), PENGUINS, missing="fractional").missing == "fractions"


def test_one_question_of_a_cart_tree_can_be_grown_below() -> None:
    """The only surrogates went with a subtree: those of the new one join a tree that says it has none."""
    X, y = PENGUINS
    known = X.notna().all(axis=1)
    tree = TreeClassifier(missing=Surrogate(max_surrogates=0), max_depth=1, prune=None).fit(X, y).tree_
    assert tree.missing == "child"
    edited = tree.regrow((1,), (X[known], y[known]), missing="surrogate")
    assert edited.missing == "surrogates"
    assert (edited.predict(X[known]) == y[known]).mean() > 0.7


# What an edited tree is


def test_an_edited_tree_is_a_tree() -> None:
    """It is compared, kept, printed and used as others are."""
    X, _ = PENGUINS
    tree = grow_penguins()
    edited = tree.replace((), "island = ?", PENGUINS).regrow((0,), PENGUINS, max_depth=2)
    for back in (Tree.from_json(edited.to_json()), pickle.loads(pickle.dumps(edited))):
        assert back == edited
        assert back.edits == edited.edits
        assert str(back) == str(edited)
        assert back.predict(X).tolist() == edited.predict(X).tolist()
    assert edited != tree
    assert importance(edited)["island"] == edited.root.improvement > 0
    assert len(edited.to_frame()) == len(edited)
    assert sum(rule.n_rows for rule in edited.rules()) == len(X)
    assert hash(edited.edits) == hash(Tree.from_json(edited.to_json()).edits)


def test_an_estimator_takes_an_edited_tree() -> None:
    """`with_tree` puts it back, and the estimator predicts by it."""
    X, y = IRIS
    model = TreeClassifier(max_depth=2, prune=None).fit(X, y)
    edited = model.tree_.replace((), "petal_width <= 0.8", IRIS)
    other = model.with_tree(edited)
    assert other.tree_ == edited
    assert other.predict(X).tolist() == edited.predict(X).tolist()
    assert model.tree_ != edited


def test_edits_are_replayed_on_other_trees() -> None:
    """A tree of other rows gets the same edits, with numbers of its own."""
    X, y = IRIS
    edited = grow_iris().replace((), "petal_width <= 0.8", IRIS).regrow((1,), IRIS, max_depth=1)
    half = np.arange(150) % 2 == 0
    other = TreeClassifier(prune=None).fit(X[half], y[half]).tree_
    again = other.replay(edited.edits, (X[half], y[half]))
    assert str(again.root.question) == "petal_width <= 0.8"
    assert [n.n_rows for n in again.root.children] == [25, 50]
    assert again.edits == edited.edits
    assert other.replay([], None) is other
    pruned = other.replay([Edit("prune", (1,))])
    assert pruned == other.prune_at((1,))


def test_edits_are_added_to_those_before() -> None:
    """Replaying on a tree that was edited already goes on from there."""
    tree = grow_iris().replace((), "petal_width <= 0.8", IRIS)
    again = tree.replay(tree.edits, IRIS)
    assert again.edits == tree.edits * 2
    assert again == tree


def test_classes_of_other_types_are_matched() -> None:
    """Classes of data may be floats where the tree has whole numbers, and some may lack."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([0, 1, 2, 2])
    tree = TreeClassifier(prune=None).fit(X, y).tree_
    edited = tree.replace((), "x0 <= 2", (X, [2.0, 2.0, 0.0, 2.0]))
    assert [child.counts.tolist() for child in edited.root.children] == [[0, 0, 2], [1, 0, 1]]


def test_columns_are_found_by_name() -> None:
    """In data as in predicting: in any order, with others between them."""
    X, y = IRIS
    tree = grow_iris()
    turned = X[X.columns[::-1]].assign(other=1)
    assert tree.replace((), "petal_width <= 0.8", (turned, y)) == tree.replace((), "petal_width <= 0.8", IRIS)
