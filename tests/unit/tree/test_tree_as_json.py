"""Trees as JSON text: what is written reads back to the last bit, and what is damaged is refused.

Reading a damaged document must end in a DataError, never in a crash or in a tree that goes wrong later.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.marks import allow_one_leaf
from support.trees import unpruned_classifier, unpruned_regressor

from arboretum import DataError, Oblique, Tree, TreeClassifier, datasets
from arboretum._prune.pruning import Pruned


def grow_penguins() -> Tree:
    """Return a tree with thresholds, levels and missing values."""
    return unpruned_classifier(max_depth=4).fit(*datasets.load_penguins()).tree_


def grow_ordered() -> Tree:
    """Return a tree that cuts ordered levels."""
    levels = pd.Categorical(["small", "large", "large"], ["small", "large"], ordered=True)
    return unpruned_classifier().fit(pd.DataFrame({"size": levels}), [1, 2, 2]).tree_


GROW: dict[str, Callable[[], Tree]] = {
    "numbers, levels, missing": grow_penguins,
    "ordered": grow_ordered,
    "regression": lambda: unpruned_regressor().fit([[0.1], [0.2], [1e300]], [1 / 3, 2 / 3, 1e-300]).tree_,
    "infinities": lambda: unpruned_classifier().fit([[-np.inf], [0.0], [np.inf], [None]], [3, 1, 2, 1]).tree_,
    "huge integers": lambda: (
        unpruned_classifier().fit(np.array([[2**64 - 1], [1]], np.uint64), [True, False]).tree_
    ),
    "dates": lambda: unpruned_classifier().fit(np.array([["2024"], ["2025"]], "M8[s]"), ["a", "b"]).tree_,
    "one leaf": lambda: unpruned_classifier().fit([["ä"]], ["ü"]).tree_,
}
DOCUMENT = json.loads(grow_penguins().to_json())
ISLAND = [column["name"] for column in DOCUMENT["columns"]].index("island")


@allow_one_leaf
@pytest.mark.parametrize("kind", GROW)
def test_what_is_written_is_read(kind: str) -> None:
    """Text and back is the same tree, and so is its text."""
    tree = GROW[kind]()
    text = tree.to_json()
    back = Tree.from_json(text)
    assert back == tree
    assert back.to_json() == text
    assert str(back) == str(tree)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(format="other"), "its format is not 'arboretum tree'"),
        (lambda d: d.update(version=99), "has version 99; this program reads version 1"),
        (lambda d: d.update(criterion="squared_error"), "criterion 'squared_error' does not fit its target"),
        (lambda d: d.update(criterion="ginni"), "criterion 'ginni' does not fit its target, or is not known"),
        (lambda d: d.update(classes=[]), "does not fit its target"),
        (lambda d: d.update(classes="abc"), "classes should be a list, but is str"),
        (lambda d: d["classes"].pop(), "should have 2 numbers per node"),
        (lambda d: d["classes"].__setitem__(0, None), "None is not a stored level"),
        (lambda d: d.update(columns=[]), "a column that is not there"),
        (lambda d: d["columns"][0].update(kind="odd"), "odd"),
        (lambda d: d.pop("nodes"), "nodes should be a dict, but is NoneType"),
        (lambda d: d["nodes"].pop("gain"), "gain should be a list, but is NoneType"),
        (lambda d: d["nodes"]["gain"].pop(), "gain has another length"),
        (lambda d: d["nodes"]["label"].__setitem__(0, 3), "label names a class that is not one of its 3"),
        (lambda d: d["nodes"]["label"].__setitem__(0, -1), "label names a class that is not one of its 3"),
        (
            lambda d: d["nodes"]["label"].__setitem__(0, 1.0),
            "label holds 1.0, which is not a number it can have",
        ),
        (lambda d: d["nodes"]["label"].__setitem__(0, 2**40), "label holds a number that is too large"),
        (lambda d: d["nodes"]["weight"].__setitem__(0, "many"), "weight holds 'many'"),
        (lambda d: d["nodes"]["weight"].__setitem__(0, True), "weight holds True"),
        (lambda d: d["nodes"]["parent"].__setitem__(1, 2), "a node comes before its parent"),
        (lambda d: d["nodes"]["first_child"].__setitem__(0, 0), "damaged"),
        (lambda d: d["nodes"]["first_child"].__setitem__(0, 10**9), "damaged"),
        (lambda d: d["nodes"]["column"].__setitem__(0, 99), "damaged"),
        (
            lambda d: d["nodes"]["column"].__setitem__(0, ISLAND),
            "question 0 cannot be about column 'island'",
        ),
        (lambda d: d["classes"].__setitem__(0, d["classes"][1]), "the same class twice"),
        (lambda d: d["nodes"]["depth"].__setitem__(0, 1), "depth is not its parent's plus one"),
        (lambda d: d["nodes"]["depth"].__setitem__(3, 1), "depth is not its parent's plus one"),
        (lambda d: d["nodes"]["n_rows"].__setitem__(0, -1), "less than no rows"),
        (lambda d: d["nodes"]["threshold"].__setitem__(0, 207.5), "two forms of a threshold do not agree"),
        (lambda d: d["nodes"]["threshold_floor"].__setitem__(0, 7), "two forms of a threshold do not agree"),
        (lambda d: d["nodes"]["level"].__setitem__(2, 3), "is about a level 'island' lacks"),
    ],
)
def test_damaged_documents(change: Any, words: str) -> None:
    """Each damage is named."""
    document = copy.deepcopy(DOCUMENT)
    change(document)
    with pytest.raises(DataError, match=words):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '"tree"', "[" * 100_000, '{"format": NaN}'])
def test_what_is_no_document(text: str) -> None:
    """Text that is no JSON, or the JSON of something else, is refused."""
    with pytest.raises(DataError, match=r"JSON text"):
        Tree.from_json(text)


@pytest.mark.parametrize("found", [None, 5, b"{}", {"format": "arboretum tree"}])
def test_what_is_no_text(found: Any) -> None:
    """Only text is read."""
    with pytest.raises(DataError, match=f"is a str, not {type(found).__name__}"):
        Tree.from_json(found)


@pytest.mark.parametrize(
    "stored",
    [
        {"datetime64": ["NaT"]},
        {"datetime64": ["now"]},
        {"datetime64": [5, "Y"]},
        {"datetime64": [9, "ps"]},
        {"datetime64": [9.0, "ns"]},
        {"datetime64": [True, "ns"]},
        {"datetime64": [9, ["ns"]]},
        {"datetime64": [-(2**63), "ns"]},
        {"datetime64": "5s"},
        {"timedelta64": [5]},
        {"timedelta64": ["NaT", "ns"]},
        {"timedelta64": [2**70, "ns"]},
        {"float": "nan"},
        {"float": 1.5},
        {"date": 5},
    ],
)
@pytest.mark.parametrize("place", ["classes", "levels"])
def test_levels_that_were_never_written(stored: Any, place: str) -> None:
    """NumPy would read more than we write: times without a value, the time of reading, units of no length."""
    document = copy.deepcopy(DOCUMENT)
    held = document["classes"] if place == "classes" else document["columns"][ISLAND]["levels"]
    held[0] = stored
    with pytest.raises(DataError, match="is not a stored level"):
        Tree.from_json(json.dumps(document))


def test_nan_is_not_json() -> None:
    """Python would read NaN, which no tree contains and which equals nothing."""
    document = copy.deepcopy(DOCUMENT)
    document["nodes"]["threshold"][0] = float("nan")
    with pytest.raises(DataError, match="NaN is not JSON"):
        Tree.from_json(json.dumps(document))


paths = [(name, i) for name, values in DOCUMENT["nodes"].items() for i in range(len(values))]
odd = st.one_of(st.integers(-3, 40), st.integers(), st.floats(), st.text(max_size=3), st.none(), st.just([]))


@given(st.sampled_from(paths), odd)
def test_any_single_damage(path: tuple[str, int], value: Any) -> None:
    """A document with one value changed is refused, or it is a tree that can be used from end to end."""
    document = copy.deepcopy(DOCUMENT)
    document["nodes"][path[0]][path[1]] = value
    try:
        tree = Tree.from_json(json.dumps(document))
    except DataError:
        return
    X, _ = datasets.load_penguins()
    model = unpruned_classifier().fit(*datasets.load_penguins())
    model = model._with(model._state, Pruned(tree, tree))
    model.apply(X)
    str(tree)
    assert tree.rules()
    tree.to_frame()


@pytest.mark.parametrize("kind", [1, 3])
def test_two_answers_two_children(kind: int) -> None:
    """Thresholds and "is missing" have two answers; a third child could never be reached."""
    document = json.loads(unpruned_classifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"]).tree_.to_json())
    nodes = document["nodes"]
    for name, values in nodes.items():
        if name not in ("level", "level_child"):
            values.append(copy.deepcopy(values[-1]))
    nodes["n_children"][0] = 3
    nodes["kind"][0] = kind
    with pytest.raises(DataError, match="does not have two children"):
        Tree.from_json(json.dumps(document))


def test_probabilities_that_do_not_add_up_are_refused() -> None:
    """A file with [5, 5, 5] for every node was read, and gave them back."""
    document = copy.deepcopy(DOCUMENT)
    document["nodes"]["probability"] = [[5.0] * len(row) for row in document["nodes"]["probability"]]
    with pytest.raises(DataError, match="probabilities do not add up to 1"):
        Tree.from_json(json.dumps(document))


def oblique_tree() -> Tree:
    X = np.random.default_rng(0).normal(size=(100, 2))
    tree: Tree = TreeClassifier(questions=Oblique()).fit(X, X.sum(axis=1) > 0).tree_
    assert len(tree) == 3
    return tree


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        (lambda d: d["terms"].update(begin=[0, 10**9, 2, 2]), "terms run backwards"),
        (lambda d: d["terms"].update(column=[0, 2**31 - 1]), "a column that is not there"),
        (lambda d: d["nodes"].update(column=[2**31 - 1, -1, -1]), "a column that is not there"),
        (lambda d: d["terms"].update(begin=[0, 2, 2]), "terms"),
    ],
)
def test_damaged_terms_are_refused(damage: Callable[[Any], None], what: str) -> None:
    """Before any of them is used as an index, or as a size."""
    document = json.loads(oblique_tree().to_json())
    damage(document)
    with pytest.raises(DataError, match=what):
        Tree.from_json(json.dumps(document))
