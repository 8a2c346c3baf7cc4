"""Editing trees whose classes count by weights, priors or losses: rows are counted as in growth.

That every number is that of growth is a law (properties/test_editing.py); here are the stories.
"""

from __future__ import annotations

import json
import pickle
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest
from support.marks import allow_one_leaf
from support.stored_models import FOLDER

from arboretum import DataError, ParameterError, Tree, TreeClassifier, datasets, export, load, plot, save

RANDOM = np.random.RandomState(0)
X = RANDOM.rand(400, 3).round(2)
Y = np.where(X[:, 0] + RANDOM.randn(400) * 0.3 > 1.1, "rare", "common")
DATA = (X, Y)
LOSS = [[0, 1], [8, 0]]
OPTIONS: dict[str, dict[str, Any]] = {
    "balanced": {"class_weight": "balanced"},
    "weights": {"class_weight": {"rare": 7.3}},
    "balanced, with losses": {"class_weight": "balanced", "loss": LOSS},
    "priors": {"priors": [0.5, 0.5]},
    "losses": {"loss": LOSS},
    "priors and losses": {"priors": {"common": 0.7, "rare": 0.3}, "loss": LOSS},
    "a class that counts nothing": {"class_weight": {"common": 0}},
}


def grow(**options: Any) -> Tree:
    tree: Tree = (
        TreeClassifier(**{"prune": None, "max_depth": 2, "criterion": "entropy"} | options).fit(*DATA).tree_
    )
    return tree


def without_edits(tree: Tree) -> str:
    return "\n".join(line for line in str(tree).splitlines() if not line.startswith("edited: "))


def test_a_question_set_again_flips_no_label() -> None:
    """On a balanced tree, rows were counted without their class weights, and leaves changed their labels."""
    tree = grow(class_weight="balanced", criterion="gini")
    assert [leaf.label for leaf in tree.leaves()] == ["rare", "common", "rare", "common"]
    edited = tree.replace((0,), tree.root.children[0].question, DATA)
    assert [leaf.label for leaf in edited.leaves()] == ["rare", "common", "rare", "common"]
    assert without_edits(edited) == without_edits(tree)


@allow_one_leaf
@pytest.mark.parametrize("case", OPTIONS)
def test_set_again_or_regrown_the_tree_is_the_same(case: str) -> None:
    """Whatever makes one class count for more, and also when the tree has been in a file or a pickle."""
    tree = grow(**OPTIONS[case])
    inner = [node for node in tree.walk() if node.children]
    pruned = tree.prune_at(inner[-1]) if inner else tree
    for one in (tree, Tree.from_json(tree.to_json()), pickle.loads(pickle.dumps(tree)), pruned):
        assert one.regrow((), DATA, max_depth=2) == tree
        for node in one.walk():
            if node.children and all(child.is_leaf for child in node.children):
                again = one.replace(node, node.question, DATA)
                assert np.array_equal(again.array("counts"), one.array("counts"))
                assert np.array_equal(again.array("probability"), one.array("probability"))
                assert np.array_equal(again.array("label"), one.array("label"))
                assert np.allclose(again.array("impurity"), one.array("impurity"), rtol=1e-12, atol=1e-15)
                assert np.allclose(again.array("gain"), one.array("gain"), rtol=1e-9, atol=1e-15)


def test_other_rows_count_by_the_weights_of_growth() -> None:
    """Classes keep the weight they had when the tree was grown, however often they occur in the new rows."""
    tree = grow(class_weight="balanced")
    weight = {label: len(Y) / 2 / np.sum(label == Y) for label in ("common", "rare")}
    few = np.concatenate([np.flatnonzero(Y == "rare"), np.arange(30)])
    edited = tree.replace((), "x1 <= 0.5", (X[few], Y[few], np.full(len(few), 2.0)))
    for child, here in zip(edited.root.children, (X[few, 1] <= 0.5, X[few, 1] > 0.5), strict=True):
        expected = [2 * weight[label] * np.sum(Y[few][here] == label) for label in ("common", "rare")]
        assert child.counts == pytest.approx(expected)


def test_edits_replayed_on_another_tree_use_its_weights() -> None:
    """The same edits on this month's tree count rows as that tree does."""
    edits = grow(class_weight="balanced").replace((0,), "x1 <= 0.5", DATA).edits
    other = grow(class_weight={"rare": 3})
    assert other.replay(edits, DATA) == other.replace((0,), "x1 <= 0.5", DATA)


def test_estimators_and_files_remember(tmp_path: Any) -> None:
    """A model that is saved and loaded is edited as before, pruned or not."""
    model = TreeClassifier(class_weight="balanced").fit(*DATA)
    save(model, tmp_path / "m.json")
    back = load(tmp_path / "m.json")
    for mine, its in ((model, back), (model.unpruned(), back.unpruned())):
        edited = its.tree_.replace((), "x0 <= 0.5", DATA)
        assert edited == mine.tree_.replace((), "x0 <= 0.5", DATA)
        assert its.with_tree(edited).predict(X).tolist() == edited.predict(X).tolist()


@pytest.mark.parametrize("given", ["balanced", {"common": 1.0, "rare": 2.0}])
def test_weights_belong_to_the_whole_tree(given: Any) -> None:
    """A subtree with other weights would not add up with the rest: it is refused, and the same is allowed."""
    with pytest.raises(ParameterError, match="is not allowed: it belongs to the whole tree, which has"):
        grow().regrow((0,), DATA, class_weight=given, max_depth=1)
    tree = grow(class_weight=given)
    assert tree.regrow((), DATA, class_weight=given, max_depth=2) == tree


@allow_one_leaf
def test_rows_that_count_nothing_are_no_data() -> None:
    """If only a class of weight zero is there, nothing can be counted."""
    tree = grow(class_weight={"common": 0})
    common = Y == "common"
    with pytest.raises(DataError, match="class_weight gives every row of data the weight zero"):
        tree.replace((), "x1 <= 0.5", (X[common], Y[common]))


# Files of before class weights were kept


def forgetful(tree: Tree) -> Tree:
    """The tree as an older version would have stored it."""
    stored = json.loads(tree.to_json())
    del stored["leaf"]["class_weight"]
    return Tree.from_json(json.dumps(stored))


def test_what_is_not_known_is_refused() -> None:
    """A tree of an older file does not tell its class weights: an edit that would count rows says so."""
    tree = forgetful(grow(class_weight="balanced"))
    with pytest.raises(DataError, match="a file that does not tell what its classes were weighted by"):
        tree.replace((0,), "x1 <= 0.5", DATA)
    with pytest.raises(DataError, match="to regrow, class_weight= tells it"):
        tree.regrow((), DATA)
    assert tree.prune_at((0,)).n_leaves == tree.n_leaves - 1
    assert tree.regrow((), DATA, class_weight="balanced", max_depth=2) == grow(class_weight="balanced")
    assert "class_weight" not in json.loads(tree.to_json())["leaf"]


@pytest.mark.parametrize("options", [{}, {"priors": [0.5, 0.5]}, {"loss": LOSS}])
def test_what_can_be_proven_is_known(options: dict[str, Any]) -> None:
    """Where rows can only have counted 1 each, the tree of an older file is edited as before."""
    tree = grow(**options)
    old = forgetful(tree)
    assert old.replace((0,), "x1 <= 0.5", DATA) == tree.replace((0,), "x1 <= 0.5", DATA)
    with pytest.raises(DataError, match="does not tell"):  # one leaf of 400 rows could be anything
        old.prune_at(()).replace((), "x1 <= 0.5", DATA)


def test_stored_files_are_edited_or_refused() -> None:
    """Of the files of version 1, that with class weights is refused, and that of plain rows is edited."""
    iris = load(FOLDER / "v1" / "iris.model.json").tree_
    data = datasets.load_iris()
    assert iris.replace((), iris.root.question, data).root.children[0].counts is not None
    weighted = load(FOLDER / "v1" / "class_weights.model.json").tree_
    with pytest.raises(DataError, match="does not tell"):
        weighted.replace((), weighted.root.question, datasets.load_penguins())


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ([1.0], "does not have finite numbers for each class"),
        ([1.0, -1.0], "count less than nothing"),
        ([1.0, "2"], "something that is not a number"),
        ("balanced", "should be a list"),
        ([1.0, 1e400], "finite"),
    ],
)
def test_damaged_weights_are_refused(stored: Any, words: str) -> None:
    """One number of 0 or more for each class."""
    document = json.loads(grow(class_weight="balanced").to_json())
    document["leaf"]["class_weight"] = stored
    with pytest.raises(DataError, match=words):
        Tree.from_json(json.dumps(document).replace("Infinity", "1e999"))


# Pictures of other rows


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"class_weight": "balanced"}, "without the tree's class_weight"),
        ({"priors": [0.5, 0.5]}, "without the tree's priors"),
        ({"loss": LOSS}, "without the tree's loss"),
        ({"class_weight": {"rare": 2}, "loss": LOSS}, "without the tree's class_weight and loss"),
        ({"priors": [0.5, 0.5], "loss": LOSS}, "without the tree's priors and loss"),
    ],
)
def test_pictures_of_data_say_what_they_count(options: dict[str, Any], words: str) -> None:
    """Beside a label that weights have decided, shares of plain rows look wrong: the picture tells."""
    tree = grow(**options)
    assert (
        str(tree.to_text(data=DATA)).splitlines()[-1] == f"(counted on 400 rows of the data given, {words})"
    )
    assert f"data are counted {words}" in export.to_html(tree, data=DATA).replace("&#x27;", "'")
    for options in ({}, {"max_depth": 0}):  # a small picture breaks the note into lines, and cuts nothing off
        svg = ElementTree.fromstring(export.to_svg(tree, data=DATA, **options))
        lines = ["".join(text.itertext()) for text in svg.iter("{http://www.w3.org/2000/svg}text")]
        plotted = [text.get_text() for text in plot.tree(tree, data=DATA, **options).texts]
        for written in (lines, plotted):
            assert f"counted on 400 rows of the data given, {words}" in " ".join(written)
    for shown in (tree.to_text(), export.to_svg(tree), export.to_html(tree), grow().to_text(data=DATA)):
        assert "without the tree" not in shown
