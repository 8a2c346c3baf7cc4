"""What the page knows: every figure of every node is the tree's own, and nothing else is told.

A place is where a node stands in the page; its id leads back to the tree as it was grown. Whether the page
shows what it knows is tested in a browser.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from support.composites import TREE
from support.noisy import fitted as noisy_model
from support.pages import KINDS, big, fitted, houses, many_classes

from arboretum import (
    CostComplexity,
    DataError,
    DataTypeError,
    ParameterError,
    Tree,
    TreeClassifier,
    TreeRegressor,
    datasets,
    partial_dependence,
)
from arboretum._show.page.data import page_data
from arboretum._show.page.nodes import MOST_CLASSES

kinds = pytest.mark.parametrize("kind", KINDS)


def tree_of_page(model: Any, page: dict[str, Any]) -> Tree:
    """The tree whose nodes the page holds: the one with as many nodes as it says."""
    trees = [model] if isinstance(model, Tree) else [model._grown, model.tree_]
    return next(tree for tree in trees if len(tree) == page["n_nodes"])


@kinds
def test_every_figure_is_the_trees_own(kind: str) -> None:
    model, _, _ = fitted(kind)
    page = page_data(model)
    tree, nodes = tree_of_page(model, page), page["nodes"]
    by_id = {node.id: node for node in tree.walk()}
    assert nodes["id"] == [node_id for node_id in nodes["id"] if node_id in by_id]
    for place, node_id in enumerate(nodes["id"]):
        node = by_id[node_id]
        parent = node.parent
        assert nodes["parent"][place] == (-1 if parent is None else nodes["id"].index(parent.id))
        assert nodes["depth"][place] == node.depth
        # What is a leaf at every step of the page asks nothing in it.
        asks = bool(nodes["children"][place])
        assert asks or node.is_leaf or nodes["step"][place] == 0
        assert nodes["question"][place] == (str(node.question) if asks else None)
        outcome = f"{node.outcome} or missing" if node.takes_missing else node.outcome
        assert nodes["outcome"][place] == outcome
        assert nodes["takes_missing"][place] == node.takes_missing
        asked = () if not asks else node.question.columns
        assert [page["columns"][number] for number in nodes["asked"][place]] == list(asked)
        assert nodes["n_rows"][place] == node.n_rows
        assert nodes["weight"][place] == node.weight
        assert nodes["impurity"][place] == node.impurity
        assert nodes["gain"][place] == (node.gain if asks else None)
        assert nodes["p_value"][place] == node.p_value
        assert nodes["confidence"][place] == node.confidence
        assert nodes["value"][place] == node.value
        if node.counts is not None:
            assert nodes["counts"][place] == node.counts.tolist()
            assert page["classes"][nodes["class"][place]] == nodes["label"][place]
        if not asks:
            assert not {str(place)} & (page["competitors"].keys() | page["surrogates"].keys())
            continue
        others = page["competitors"].get(str(place), [])
        assert [other["question"] for other in others] == [str(other.question) for other in node.competitors]
        stand_ins = page["surrogates"].get(str(place), [])
        assert [other["agreement"] for other in stand_ins] == [other.agreement for other in node.surrogates]


@kinds
def test_children_are_in_order_and_the_other_way_round_of_parents(kind: str) -> None:
    nodes = page_data(fitted(kind)[0])["nodes"]
    for place, children in enumerate(nodes["children"]):
        assert children == sorted(children)
        assert children == [child for child, above in enumerate(nodes["parent"]) if above == place]
        assert (children == []) == (nodes["question"][place] is None)
    assert all(parent < place for place, parent in enumerate(nodes["parent"]))
    assert len({len(figure) for figure in nodes.values() if figure is not None}) == 1


@kinds
def test_a_page_is_json(kind: str) -> None:
    model, X, y = fitted(kind)
    page = page_data(model, data=(X, y))
    assert json.loads(json.dumps(page, allow_nan=False)) == page


@kinds
def test_rows_of_data_add_up(kind: str) -> None:
    """Of the same rows, the page counts what the tree has; children share their parent's rows."""
    model, X, y = fitted(kind)
    page = page_data(model, data={"training": (X, y), "half": (X[::2], y[::2])})
    nodes, (training, half) = page["nodes"], page["data"]
    assert (training["name"], half["name"]) == ("training", "half")
    if kind not in ("weighted", "reduced error"):  # where the tree saw other weights, or not all rows
        np.testing.assert_allclose(training["weight"], nodes["weight"], rtol=1e-12)
    for told in (training, half):
        for place, children in enumerate(nodes["children"]):
            if children and page["missing"] == "child":
                assert sum(told["n_rows"][child] for child in children) == told["n_rows"][place]
            if told["counts"] is not None:
                assert math.isclose(sum(told["counts"][place]), told["weight"][place], abs_tol=1e-9)
    if training["counts"] is None:
        assert training["counts"] is None
        assert training["mean"][0] == pytest.approx(float(np.mean(y)))


@kinds
def test_distributions_are_those_of_nodes_with_rows(kind: str) -> None:
    model, X, y = fitted(kind)
    page = page_data(model, data={"rows": (X, y)})
    nodes, n_told = page["nodes"], 0
    for place, told in page["distributions"].items():
        at = int(place)
        n_told += 1
        assert told["data"] == "rows"
        assert told["kind"] in ("bins", "bars")
        assert (told["kind"] == "bins") == (told["edges"] is not None)
        width = 1 if page["classes"] is None else len(page["classes"])
        assert {len(row) for row in told["counts"]} == {width}
        total = np.sum(told["counts"]) + np.sum(told["missing"])
        if page["missing"] == "child" and "of: " not in str(nodes["question"][at]):
            assert total == pytest.approx(page["data"][0]["weight"][at])
    inner = [place for place, question in enumerate(nodes["question"]) if question is not None]
    expected = len(inner) if page["classes"] is not None else len(nodes["id"])
    assert n_told == min(expected, 500)


def test_the_answer_lacks_the_name_of_the_column() -> None:
    answers = page_data(fitted("penguins")[0])["nodes"]["answer"]
    assert answers[:3] == [None, "<= 206.5", "> 206.5"]
    counted = page_data(TREE)["nodes"]
    assert {"at least 2", "fewer than 2", "<= 1.5", "> 1.5"} <= set(counted["answer"])


def test_a_headline_is_short_and_the_question_is_whole() -> None:
    rng = np.random.default_rng(1)
    names = [f"department of the hospital in {town}" for town in ("Aachen", "Bonn", "Celle")]
    X = pd.DataFrame({"x": rng.uniform(size=90) / 3e5, "site": rng.choice(names, 90)})
    y = (X["x"] > 1.234567891e-6).astype(int) + (X["site"] == names[0])
    page = page_data(TreeClassifier(prune=None).fit(X, y), data=(X, y))
    nodes, n_thresholds, n_levels = page["nodes"], 0, 0
    for place, question in enumerate(nodes["question"]):
        headline = nodes["headline"][place]
        assert (headline is None) == (question is None)
        if question is None:
            continue
        if nodes["asked"][place] == [0]:
            n_thresholds += 1
            cut = headline.removeprefix("x <= ")
            assert float(cut) == float(f"{float(question.removeprefix('x <= ')):.6g}")
            assert [text for at, text in page["distributions"][str(place)]["ticks"]].count(cut) == 1
        else:
            n_levels += 1
            assert "department of the hospital" in question
            assert "department" not in headline
            assert len(set(page["distributions"][str(place)]["names"])) > 1
            assert all("department" not in name for name in page["distributions"][str(place)]["names"])
            answers = [nodes["answer"][child] for child in nodes["children"][place]]
            assert len(set(answers)) == 2
            assert all("department" not in answer for answer in answers)
    assert n_thresholds > 0
    assert n_levels > 0


@kinds
def test_weights_are_told_where_they_are_no_numbers_of_rows(kind: str) -> None:
    model, X, y = fitted(kind)
    page = page_data(model, data={"plain": (X, y), "heavy": (X, y, np.full(len(y), 2.5))})
    differ = any(
        not math.isclose(weight, n_rows)
        for weight, n_rows in zip(page["nodes"]["weight"], page["nodes"]["n_rows"], strict=True)
    )
    assert page["weighted"] == differ == (kind in ("fractions", "multiway", "weighted"))
    assert page["data"][1]["weighted"]
    assert not page["data"][0]["weighted"] or kind in ("fractions", "multiway")
    assert ("of weight" in page["subtitle"]) == (kind == "weighted")


@kinds
def test_the_way_of_a_row_is_that_of_the_tree(kind: str) -> None:
    """Through the tree as it was grown, of which the page shows as much as a step has."""
    model, X, _ = fitted(kind)
    row = X[:1] if isinstance(X, list) else X.iloc[[4]]
    page = page_data(model, row=row)
    way, nodes = page["row"], page["nodes"]
    assert page_data(model)["row"] is None
    assert way["nodes"][0] == 0
    assert all(nodes["parent"][place] in way["nodes"] for place in way["nodes"][1:])
    rests = {nodes["id"][place] for place in way["nodes"]}
    assert model.tree_.node(int(model.tree_.apply(row)[0])).id in rests
    # A reason is told of each node from which the row goes on.
    goes_on = {nodes["parent"][place] for place in way["nodes"]}
    for place, why in zip(way["nodes"], way["sentences"], strict=True):
        assert why is not None or place not in goes_on
    predicted = model.predict(row)[0]
    words = f"{predicted:.6g}" if page["classes"] is None else str(predicted)
    assert way["conclusion"].startswith(f"→ {words} (")
    assert way["step"] == page["step"]


def test_the_largest_tree_of_the_path_is_told() -> None:
    page = page_data(fitted("fractions")[0])
    assert page["n_largest"] == len(page["nodes"]["id"]) < page["n_nodes"]
    cut_off = page_data(fitted("unpruned")[0], max_nodes=7)
    assert len(cut_off["nodes"]["id"]) == 7 < cut_off["n_largest"] == cut_off["n_nodes"]


def test_classes_of_any_type_are_text() -> None:
    X = [[0.0], [1.0], [2.0], [3.0]]
    for classes, texts in (
        ([True, False, True, False], ["False", "True"]),
        ([3, 10, 3, 10], ["3", "10"]),
        (["b", "", "b", ""], ["", "b"]),
    ):
        page = page_data(TreeClassifier(prune=None).fit(X, np.array(classes)))
        assert page["classes"] == texts
        assert set(page["nodes"]["label"]) == set(texts)


# --- the pruning path


@pytest.mark.parametrize(
    "kind", ["iris", "penguins", "surrogates", "numbers", "weighted", "entropy", "fractions"]
)
def test_the_steps_are_the_trees_of_the_path(kind: str) -> None:
    """At each step the nodes that remain are those of the model pruned to that price."""
    model, _, _ = fitted(kind)
    page = page_data(model)
    path = model.pruning_path_
    assert page["step"] == path.chosen == page["pruning"]["chosen"]
    assert page["pruning"]["leaves"] == path.leaves.tolist()
    assert page["pruning"]["cv_risk"] == path.cv_risk.tolist()
    assert page["pruning"]["first"] == 0
    for step, alpha in enumerate(path.alpha):
        shown = ids_at(page, step)
        assert shown == {node.id for node in model.pruned(alpha=float(alpha)).tree_.walk()}
    assert ids_at(page, page["step"]) == {node.id for node in model.tree_.walk()}


def ids_at(page: dict[str, Any], step: int) -> set[int]:
    """The ids of the nodes that a page shows at a step, by the meaning of "step" alone."""
    nodes, shown, todo = page["nodes"], set(), [0]
    while todo:
        place = todo.pop()
        shown.add(nodes["id"][place])
        if nodes["step"][place] > step:
            todo.extend(nodes["children"][place])
    return shown


def test_the_best_step_and_the_one_of_the_rule_are_told() -> None:
    X, y = houses()
    least, by_rule = (
        TreeRegressor(prune=CostComplexity(rule=rule)).fit(X, y) for rule in ("min", "1se_unpaired")
    )
    page = page_data(least)
    assert (page["pruning"]["best"], page["pruning"]["one_se"]) == (
        least.pruning_path_.chosen,
        by_rule.pruning_path_.chosen,
    )
    assert page["pruning"]["best"] < page["pruning"]["one_se"]


def test_a_tree_that_questions_without_use_made_larger_has_a_step_of_its_own() -> None:
    """The first tree of a path may be smaller than the tree as it was grown; unpruned, that is shown."""
    X = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1], [2, 0]])
    model = TreeClassifier(prune=None).fit(X, np.array([0, 0, 0, 1, 0]), sample_weight=[3, 1, 1, 1, 5])
    useless = TreeClassifier(prune=None, criterion="gini").fit(
        np.arange(40.0)[:, None] % 7, np.array([0, 0, 0, 1] * 10)
    )
    seen = 0
    for found in (model, useless, useless.tree_):
        page = page_data(found)
        tree = found if isinstance(found, Tree) else found.tree_
        assert ids_at(page, page["step"]) == {node.id for node in tree.walk()}
        assert page["pruning"]["leaves"][page["step"]] == tree.n_leaves
        seen += page["pruning"]["leaves"][0] > found_leaves(found)
    assert seen == 2  # the useless one, as a model and as a tree


def found_leaves(model: Any) -> int:
    tree = model if isinstance(model, Tree) else model._grown
    return int(CostComplexity()._sequence(tree).leaves[0])


@pytest.mark.parametrize("kind", ["pessimistic", "reduced error"])
def test_a_tree_that_is_not_on_its_path_has_its_own(kind: str) -> None:
    model, _, _ = fitted(kind)
    model.pruning_path_  # having looked at the path changes nothing
    page = page_data(model)
    assert page["n_nodes"] == len(model.tree_)
    assert page["step"] == 0
    pruning = page["pruning"]
    assert (pruning["cv_risk"], pruning["chosen"], pruning["best"], pruning["one_se"]) == (None,) * 4
    assert pruning["leaves"][0] == model.tree_.n_leaves


def test_an_edited_tree_is_shown_as_it_is() -> None:
    model, X, y = fitted("penguins")
    edited = model.tree_.replace(1, "bill_length_mm <= 40", (X, y))
    for shown in (edited, model.with_tree(edited)):
        page = page_data(shown)
        assert ids_at(page, page["step"]) == {node.id for node in edited.walk()}
        assert "bill_length_mm <= 40" in page["nodes"]["question"]
        assert page["subtitle"].endswith("edited by hand")


def renumbered(tree: Tree) -> Tree:
    """The same tree with its nodes in another order: siblings side by side, but not level by level."""
    order, todo = [0], [0]
    while todo:
        children = [child.number for child in tree.node(todo.pop()).children]
        order += children
        todo += children
    place = np.argsort(order)
    arrays = {name: a if name.startswith("level") else a[order] for name, a in tree._arrays.items()}
    for name in ("parent", "first_child"):
        arrays[name] = np.where(arrays[name] < 0, -1, place[arrays[name]])
    return Tree(tree.columns, tree.target, tree.criterion, arrays | {"id": np.arange(len(order))})


def test_nodes_may_be_numbered_in_any_order() -> None:
    """Files may hold such trees."""
    tree = fitted("iris")[0]._grown
    other = renumbered(tree)
    assert (np.diff(other.array("depth")) < 0).any()
    told, expected = page_data(other), page_data(tree)
    assert told["pruning"] == expected["pruning"]
    for step in range(len(told["pruning"]["leaves"])):
        outcomes = []
        for page in (told, expected):
            shown = ids_at(page, step)
            nodes = page["nodes"]
            outcomes.append({(nodes["outcome"][i], nodes["n_rows"][i]) for i in shown})
        assert outcomes[0] == outcomes[1]
    assert len(page_data(other, max_nodes=7)["nodes"]["id"]) == 7


def test_the_root_alone_has_nothing_to_prune() -> None:
    page = page_data(fitted("root alone")[0])
    assert page["pruning"] is None
    assert page["nodes"]["label"] == ["a"]
    assert page["nodes"]["gain"] == [None]


# --- bounds


def test_a_large_tree_begins_further_along_its_path() -> None:
    model = noisy_model()
    sizes = [len(model.pruned(alpha=float(alpha)).tree_) for alpha in model.pruning_path_.alpha]
    assert sizes[0] > 40 > sizes[model.pruning_path_.chosen]
    page = page_data(model, max_nodes=40)
    first = page["pruning"]["first"]
    assert first == next(step for step, size in enumerate(sizes) if size <= 40)
    assert len(page["nodes"]["id"]) == sizes[first]
    assert not any(page["nodes"]["hidden"])
    assert len(page["pruning"]["leaves"]) == len(sizes)
    assert page["step"] == model.pruning_path_.chosen


@pytest.mark.parametrize("max_nodes", [1, 2, 3, 10, 501])
def test_of_a_tree_that_is_too_large_the_heaviest_nodes_stay(max_nodes: int) -> None:
    model, _, _ = big()
    page = page_data(model, max_nodes=max_nodes)
    nodes = page["nodes"]
    n_kept = len(nodes["id"])
    assert max_nodes - 1 <= n_kept <= max_nodes
    assert n_kept + sum(nodes["hidden"]) == page["n_nodes"] == len(model.tree_)
    lightest_opened = min(
        (nodes["n_rows"][i] for i, c in enumerate(nodes["children"]) if c), default=math.inf
    )
    for place, children in enumerate(nodes["children"]):
        if children:
            assert nodes["hidden"][place] == 0
        elif nodes["hidden"][place]:
            assert nodes["n_rows"][place] <= lightest_opened
            assert nodes["question"][place] is not None


def test_ten_thousand_nodes() -> None:
    model, X, y = big()
    page = page_data(model, data=(X, y))
    assert len(page["nodes"]["id"]) == len(model.tree_) == 9_999
    assert 100 <= len(page["distributions"]) <= 500
    heaviest = np.argsort(-np.array(page["nodes"]["weight"]), kind="stable")[:50]
    inner = {str(i) for i in heaviest.tolist() if page["nodes"]["children"][i]}
    assert inner <= page["distributions"].keys()


def test_of_many_classes_the_rare_ones_are_counted_together() -> None:
    model, X, y = many_classes()
    page = page_data(model, data=(X, y))
    assert len(page["classes"]) == MOST_CLASSES == 1_000 - page["n_merged_classes"] + 1
    assert page["classes"][-1] == "969 other classes"
    assert {len(row) for row in page["nodes"]["counts"]} == {MOST_CLASSES}
    assert {len(colours) for colours in page["class_colours"].values()} == {MOST_CLASSES}
    sums = [sum(row) for row in page["nodes"]["counts"]]
    np.testing.assert_allclose(sums, page["nodes"]["weight"])
    np.testing.assert_allclose([sum(row) for row in page["data"][0]["counts"]], page["nodes"]["weight"])
    frequent = set(range(0, 1_000, 7))
    assert {int(name) for name in page["classes"][:-1]} <= frequent
    labels = [
        (label, page["classes"][place])
        for label, place in zip(page["nodes"]["label"], page["nodes"]["class"], strict=True)
    ]
    alone = [label for label, name in labels if label == name]
    assert set(page["classes"][:-1]) == set(alone)
    assert all(name == "969 other classes" for label, name in labels if label != name)


# --- refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_nodes": 0}, "max_nodes=0 is not allowed"),
        ({"max_nodes": 2.5}, "max_nodes=2.5 is not allowed"),
        ({"title": 7}, "title=7 is not allowed"),
        ({"data": {1: ()}}, "data has a table called 1"),
    ],
)
def test_options_that_are_not_allowed(options: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        page_data(fitted("iris")[0], **options)


def test_data_that_do_not_fit_are_named() -> None:
    X, y = datasets.load_iris()
    with pytest.raises(DataError, match=r"data\['test'\]: .*petal_width"):
        page_data(fitted("iris")[0], data={"test": (X.drop(columns="petal_width"), y)})
    with pytest.raises(DataError):
        page_data(fitted("iris")[0], data=X)


def test_what_has_no_tree_is_refused() -> None:
    with pytest.raises(DataTypeError, match=r"to_html\(\) needs a fitted tree estimator or a Tree, not str"):
        page_data("tree")
    with pytest.raises(NotFittedError):
        page_data(TreeClassifier())


def test_numbers_that_are_not_finite_are_null() -> None:
    X, y = houses()
    frame = pd.DataFrame({"x": np.where(np.arange(len(y)) % 9 == 0, np.inf, X["age"])})
    page = page_data(
        TreeClassifier(prune=None, max_depth=2).fit(frame, y > y.mean()), data=(frame, y > y.mean())
    )
    assert json.dumps(page, allow_nan=False)


@kinds
def test_dependence_is_that_of_the_tree_alone(kind: str) -> None:
    """Of the model's own tree, for columns that it asks about; classes may be merged."""
    model, _, _ = fitted(kind)
    tree = model if isinstance(model, Tree) else model.tree_
    page = page_data(model)
    assert page["dependence"]["step"] == page["step"]
    for place, shown in page["dependence"]["columns"].items():
        found = partial_dependence(tree, int(place), kind="tree")
        assert int(place) in tree._asked
        if page["n_merged_classes"] == 0:
            np.testing.assert_allclose(np.array(shown["values"]), found.values.T, rtol=1e-4)
        if shown["levels"] is None:
            assert shown["edges"] == sorted(shown["edges"])
            assert len(shown["edges"]) == len(shown["values"]) + 1
        else:
            assert len(shown["levels"]) == len(shown["values"])


def test_dependence_reaches_as_far_as_the_data() -> None:
    """Of a single cut a tree does not know how far its column reaches; the first of the tables does."""
    X = pd.DataFrame({"when": pd.date_range("2020-01-01", "2024-12-31", periods=60), "size": np.arange(60.0)})
    y = X["size"] > 40
    for column, ends in (("when", ["2020-01-01", "2024-12-31"]), ("size", ["0", "59"])):
        model = TreeClassifier(prune=None).fit(X[[column]], y)
        (alone,) = page_data(model)["dependence"]["columns"].values()
        (shown,) = page_data(model, data={"a": (X[[column]], y), "b": (X[[column]][:9], y[:9])})[
            "dependence"
        ]["columns"].values()
        assert shown["ends"] == ends != alone["ends"]
        assert shown["edges"][1] == alone["edges"][1]
        assert shown["values"] == alone["values"]


def test_a_page_holds_few_numbers_of_dependence() -> None:
    """Columns with hundreds of cuts are left out, before anything is computed."""
    assert page_data(big()[0])["dependence"]["columns"] == {}
    columns = page_data(big(600)[0])["dependence"]["columns"]
    assert sorted(columns) == list("012345")
    assert all(1 < len(shown["values"]) <= 400 for shown in columns.values())
