"""One is singular: no text says "1 leaves" or "1 rows"."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
from support.command_line import say
from support.marks import allow_one_leaf

from arboretum import Experiment, TreeClassifier
from arboretum._wording import many
from arboretum.export import to_html, to_python, to_rules, to_sql, to_svg

WRONG = re.compile(
    r"(?<![\d.,])1 (?:\w+ )?(leaves|rows|nodes|columns|levels|classes|trees|steps|settings|looks|values)\b"
)
X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]})


def test_many() -> None:
    """Leaves and classes have plurals of their own."""
    assert [many(n, "leaf") for n in (0, 1, 2)] == ["0 leaves", "1 leaf", "2 leaves"]
    assert [many(n, "class") for n in (1, 1000)] == ["1 class", "1,000 classes"]


@allow_one_leaf
def test_texts_about_a_single_leaf() -> None:
    """The tree of one leaf, its path, its exports and its pictures."""
    model = TreeClassifier().fit(X, ["p"] * 4)
    tree = model.tree_
    texts = [repr(tree), str(tree), repr(tree.root), repr(model.pruning_path_), tree._repr_html_()]
    texts += [to_python(model), to_rules(model), to_sql(model), to_svg(model), to_html(model)]
    for text in texts:
        assert not WRONG.search(text), WRONG.search(text)
    assert repr(tree) == "<Tree: 1 node, 1 leaf, depth 0>"
    assert repr(model.pruning_path_) == "<PruningPath: 1 tree of 1 leaf>"
    assert "# 1 node, 1 of them a leaf, depth 0;" in to_python(model)
    assert "A decision tree with 1 node and 1 leaf, grown from 4 rows." in to_svg(model)


@allow_one_leaf
def test_texts_about_single_rows() -> None:
    """Leaves of one row, and a node whose only child is not shown."""
    tree = TreeClassifier(prune=None).fit(X.iloc[:2], ["p", "q"]).tree_
    assert repr(tree.node(1)) == "<Node 1, 1 row, leaf: p>"
    experiment = Experiment(pd.DataFrame({"a": np.arange(9.0)}), ["p", "q", "q"] * 3, split=(0.6, 0.2, 0.2))
    experiment.try_(TreeClassifier())
    score = experiment.test()
    for text in (repr(experiment), str(score), str(tree), tree.to_text(max_depth=0)):
        assert not WRONG.search(text), text


def test_the_command_line(tmp_path: Path) -> None:
    """`fit` of a table without a pattern spoke of a "tree with 1 leaves"."""
    (tmp_path / "rows.csv").write_text("a,y\n" + "1,p\n" * 9 + "1,q\n")
    words = ("fit", tmp_path / "rows.csv", "-t", "y", "-o", tmp_path / "m.json", "--test", "0.1")
    done = say(*words)
    assert "classification tree with 1 leaf, depth 0, from 9 rows" in done.stdout
    assert "tested on 1 row held out:" in done.stdout
    (tmp_path / "one.csv").write_text("a\n1\n")
    predicted = say("predict", tmp_path / "m.json", tmp_path / "one.csv", "-o", tmp_path / "out.csv")
    pruned = say("prune", tmp_path / "m.json", "--leaves", 1, "-o", tmp_path / "small.json")
    assert predicted.stdout.startswith("predicted 1 row; wrote ")
    assert pruned.stdout.startswith("1 leaf became 1; wrote ")
    for text in (done.output, predicted.output, pruned.output):
        assert not WRONG.search(text), text
