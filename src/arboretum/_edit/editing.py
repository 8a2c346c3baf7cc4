"""Editing: trees changed by hand, as new trees that remember how.

Here the node, the question and the data of an edit are found. split.py and regrowing.py make the new subtree,
and surgery puts it into the tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from arboretum._data.scalars import is_integer
from arboretum._edit.regrowing import (
    grow_below,
    read_options,
    settings_as_grown,
    settings_for,
    write_options,
)
from arboretum._edit.split import split_rows
from arboretum._grow.given_rows import RowsAtNode, read_rows, share_of_weight
from arboretum._options.settings import Settings
from arboretum._tree.beside import refuse_counting
from arboretum._tree.edits import Edit, place_name
from arboretum._tree.node import Node
from arboretum._tree.question_text import read_question
from arboretum._tree.questions import Question
from arboretum._tree.surgery import Subtree, collapse, graft
from arboretum._tree.tree import Tree
from arboretum._wording import shown
from arboretum.errors import ArboretumError, ParameterError


@dataclass(frozen=True)
class _Place:
    """A node that is to be edited: where it is, and the tree trimmed so that it is a leaf."""

    node: Node
    path: tuple[int, ...]
    trimmed: Tree
    leaf: int


def prune_at(tree: Tree, node: Any) -> Tree:
    """Return the tree in which this node is a leaf."""
    found = _find(tree, node)
    edit = Edit("prune", found.path)
    if found.is_leaf:
        raise ParameterError(f"There is nothing to prune at {edit.place}: it is a leaf already.")
    return _collapsed(found, (*tree.edits, edit))


def replace_question(tree: Tree, node: Any, question: Any, data: Any) -> Tree:
    """Return the tree that asks another question at this node; its children are new leaves."""
    refuse_counting(tree.beside)
    place = _place(tree, node)
    asked = _resolve_question(tree, question)
    edit = Edit("replace", place.path, question=asked.written())
    rows = _rows_at(place, data, settings_as_grown(tree))
    return _grafted(place, split_rows(tree, asked, rows), edit)


def regrow(tree: Tree, node: Any, data: Any, options: Mapping[str, Any]) -> Tree:
    """Return the tree in which everything below this node is regrown."""
    refuse_counting(tree.beside)
    place = _place(tree, node)
    settings, written = settings_for(tree, place.trimmed, options), write_options(options)
    rows = _rows_at(place, data, settings)
    return _grafted(place, grow_below(tree, rows, settings), Edit("regrow", place.path, options=written))


def replay(tree: Tree, edits: Any, data: Any) -> Tree:
    """Return the tree after these edits, one after the other."""
    if isinstance(edits, Edit | str | Mapping) or not isinstance(edits, Iterable):
        raise ParameterError(f"edits is a list such as tree.edits, not {type(edits).__name__}.")
    listed = list(edits)
    for number, edit in enumerate(listed, start=1):
        if not isinstance(edit, Edit):
            raise ParameterError(
                f"edits is a list such as tree.edits, but holds {type(edit).__name__} in place {number}."
            )
        try:
            tree = _do(tree, edit, data)
        except ArboretumError as error:
            raise type(error)(
                f"Edit {number} of {len(listed)} ({edit}) cannot be done on this tree: {error}"
            ) from error
    return tree


def _do(tree: Tree, edit: Edit, data: Any) -> Tree:
    match edit.action:
        case "prune":
            return prune_at(tree, edit.path)
        case "replace":
            return replace_question(tree, edit.path, edit.question, data)
        case "regrow":
            return regrow(tree, edit.path, data, read_options(edit.options))
    raise ParameterError(f"action={shown(edit.action)} is not known; choose 'prune', 'replace', 'regrow'.")


def _rows_at(place: _Place, data: Any, settings: Settings) -> RowsAtNode:
    return read_rows(place.node.tree, place.trimmed, place.leaf, place_name(place.path), data, settings)


def _grafted(place: _Place, subtree: Subtree, edit: Edit) -> Tree:
    """Return the edited tree; new nodes get ids that no node of the tree has."""
    tree = place.node.tree
    return graft(
        place.trimmed,
        place.leaf,
        subtree,
        share=share_of_weight(tree, place.node.number),
        first_id=int(tree.array("id").max()) + 1,
        edits=(*tree.edits, edit),
    )


# Nodes


def _place(tree: Tree, node: Any) -> _Place:
    found = _find(tree, node)
    trimmed = tree if found.is_leaf else _collapsed(found, tree.edits)
    return _Place(found, found.path, trimmed, _follow(trimmed, found.path).number)


def _collapsed(node: Node, edits: tuple[Edit, ...]) -> Tree:
    """Return the tree in which the node is a leaf."""
    leaves = np.zeros(len(node.tree), dtype=np.bool_)
    leaves[node.number] = True
    return collapse(node.tree, leaves, edits=edits)


def _find(tree: Tree, node: Any) -> Node:
    """Return the node that is meant: a node of the tree, an id, or a path."""
    if isinstance(node, Node):
        if node.tree is not tree and node.tree != tree:
            raise ParameterError(
                f"{node!r} is a node of another tree.\nHint: edits make new trees; take the node from the "
                "one that is edited, or give its path, as node.path."
            )
        return Node(tree, node.number)
    if is_integer(node):
        return _with_id(tree, int(node))
    if isinstance(node, tuple | list) and all(is_integer(step) for step in node):
        return _follow(tree, tuple(map(int, node)))
    raise ParameterError(
        f"node={shown(node)} is not allowed; give a node of the tree, its id (node.id), or its path "
        "(node.path)."
    )


def _with_id(tree: Tree, number: int) -> Node:
    found = np.flatnonzero(tree.array("id") == number).tolist()
    if not found:
        raise ParameterError(
            f"The tree has no node with the id {number}; ids are those of node.id, from 0 to "
            f"{tree.array('id').max()}, and some of them may be gone."
        )
    if len(found) > 1:
        raise ParameterError(f"The tree has {len(found)} nodes with the id {number}.\nHint: give a path.")
    return Node(tree, found[0])


def _follow(tree: Tree, path: tuple[int, ...]) -> Node:
    node = tree.root
    for n_steps, step in enumerate(path):
        children = node.children
        if not 0 <= step < len(children):
            above = place_name(path[:n_steps])
            has = f"has {len(children)} children, counted from 0" if children else "is a leaf"
            raise ParameterError(f"The tree has no {place_name(path)}: {above} {has}.")
        node = children[step]
    return node


# Questions


def _resolve_question(tree: Tree, question: Any) -> Question:
    """Return the question as an edit keeps it, so that the edit can be replayed."""
    if isinstance(question, Question):
        # Elsewhere the child that takes missing values was not chosen: it is where most rows went.
        plain = question if tree.missing == "child" else replace(question, missing_seen=False)
        text = plain.written()
    elif isinstance(question, str):
        text = question
    else:
        raise ParameterError(
            f"question is text such as 'x <= 3', or a question such as node.question, not "
            f"{type(question).__name__}."
        )
    asked = read_question(text, tree.columns)
    if tree.missing == "fractions" and asked.missing_seen and not asked.always_answers:
        raise ParameterError(
            f"The question {text!r} says where missing values go, but the tree divides rows with a "
            "missing value among all children.\nHint: leave that out."
        )
    return asked
