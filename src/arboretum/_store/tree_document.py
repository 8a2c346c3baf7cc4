"""Trees as JSON text: a documented, versioned form that is safe to open.

Numbers read back to the last bit; infinities, which JSON lacks, are the text "inf" or "-inf", and a p-value
that is not there is null. The *body* of a tree is all but its columns and classes, which several trees may
share. Reading runs no code and checks every index before a tree is made.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Final

import numpy as np

from arboretum._data import Column
from arboretum._data.collisions import first_repeated
from arboretum._data.levels import level_from_json, level_key, level_to_json
from arboretum._options.criteria import CLASS_CRITERIA, NUMBER_CRITERIA, ORDER_CRITERIA
from arboretum._store.strict_json import parse_json
from arboretum._tree.beside import KINDS as BESIDE
from arboretum._tree.beside import Beside, beside_of
from arboretum._tree.edits import Edit
from arboretum._tree.kinds import KINDS
from arboretum._tree.leaves import LeafRule
from arboretum._tree.questions import Row
from arboretum._tree.tables import PER_CLASS, TERMS, Table, array_types, remembered_types
from arboretum._tree.tree import Target, Tree
from arboretum._types import Array, Numbers
from arboretum._wording import shown
from arboretum.errors import DataError

_FORMAT: Final = "arboretum tree"
_VERSION: Final = 1
_FINITE: Final = {"weight", "counts", "probability", "value", "own_value", "impurity"}
_ROUNDED: Final = 1e-6  # how far from 1 probabilities may add up to
_NOT_NEGATIVE: Final = {"weight", "counts", "probability"}


def tree_to_json(tree: Tree) -> str:
    """Return the tree as JSON text."""
    document = {"format": _FORMAT, "version": _VERSION, **target_and_columns(tree), **body_of(tree)}
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def tree_from_json(text: str) -> Tree:
    """Return the tree that `tree_to_json` wrote; anything else is refused with a DataError."""
    if not isinstance(text, str):
        raise DataError(f"The JSON text of a tree is a str, not {type(text).__name__}.")
    try:
        document = parse_json(text)
    except ValueError as error:
        raise DataError(f"This is not the JSON text of a tree: {error}.") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise DataError(f"This JSON text is not a tree: its format is not {_FORMAT!r}.")
    return tree_from_document(document)


def tree_from_document(document: dict[str, Any]) -> Tree:
    """Return the tree of a document whose format is that of trees."""
    if type(document.get("version")) is not int or document["version"] != _VERSION:
        raise DataError(
            f"The tree has version {shown(document.get('version'))}; this program reads version {_VERSION}."
        )
    classes = field_of(document, "classes", list, optional=True)
    return tree_from_body(
        document,
        columns_from(field_of(document, "columns", list)),
        None if classes is None else classes_from(classes),
    )


def target_and_columns(tree: Tree) -> dict[str, Any]:
    """Return the classes of a tree, or null for numbers, and its columns."""
    classes = tree.target.classes
    return {
        "classes": None if classes is None else [level_to_json(label) for label in classes],
        "columns": [column.to_dict() for column in tree.columns],
    }


def columns_from(listed: list[Any]) -> tuple[Column, ...]:
    """Return the columns that `target_and_columns` wrote."""
    columns = tuple(Column.from_dict(column) for column in listed)
    if len({column.name for column in columns}) < len(columns):
        raise DataError("The tree has two columns of the same name.")
    return columns


def classes_from(listed: list[Any]) -> tuple[Any, ...]:
    """Return the classes that `target_and_columns` wrote."""
    classes = tuple(level_from_json(label) for label in listed)
    if first_repeated([level_key(label) for label in classes], "The tree's classes") is not None:
        raise DataError("The tree has the same class twice.")
    return classes


def body_of(tree: Tree) -> dict[str, Any]:
    """Return all but columns and classes: what is asked and predicted, and the edits."""
    return {
        "criterion": tree.criterion,
        "missing": tree.missing,
        "leaf": None if tree.rule is None else _rule_to_dict(tree.rule),
        **({"shrinkage": tree.shrinkage} if tree.shrinkage > 0 else {}),
        "edits": [edit.to_dict() for edit in tree.edits],
        "nodes": {
            name: listed(tree.array(name))
            for name in _types(tree.criterion, tree.target, tree._arrays, shrunken=tree.shrinkage > 0)
        },
        "others": {name: listed(array) for name, array in tree.remembered.items()},
        "terms": {name: listed(array) for name, array in tree.terms.items()},
        **({"beside": _stored_beside(tree)} if tree.beside else {}),
    }


def tree_from_body(
    document: dict[str, Any], columns: tuple[Column, ...], classes: tuple[Any, ...] | None
) -> Tree:
    """Return the tree of a body about these columns; indices, lengths and numbers are checked."""
    target = Target(classes)
    criterion = field_of(document, "criterion", str)
    if criterion not in (CLASS_CRITERIA if classes else NUMBER_CRITERIA + ORDER_CRITERIA):
        raise DataError(f"The tree's criterion {shown(criterion)} does not fit its target, or is not known.")
    nodes = field_of(document, "nodes", dict)
    n_classes = None if classes is None else len(classes)
    shrinkage = _shrinkage_from(document)
    types = _types(criterion, target, nodes, shrunken=shrinkage > 0)
    arrays = {
        name: _array(nodes, name, kind, n_classes)
        for name, kind in types.items()
        if name != "id" or name in nodes
    }
    _check_numbers(arrays)
    if n_classes is not None and ((arrays["label"] < 0) | (arrays["label"] >= n_classes)).any():
        raise DataError(f"The tree's label names a class that is not one of its {n_classes}.")
    remembered = _beside(document, "others", remembered_types)
    terms = _beside(document, "terms", lambda _: TERMS)
    missing = field_of(document, "missing", str, optional=True) or "child"
    rule = _rule_from_dict(field_of(document, "leaf", dict, optional=True))
    if rule is not None and classes is None:
        raise DataError("The tree predicts numbers, but has a rule for the classes of its leaves.")
    edits = tuple(Edit.from_dict(edit) for edit in field_of(document, "edits", list, optional=True) or ())
    beside: dict[str, Any] = {"remembered": remembered, "terms": terms, "rule": rule, "edits": edits}
    beside |= {"shrinkage": shrinkage, "beside": _beside_from(document)}
    tree = Tree(columns, target, criterion, arrays, missing=missing, **beside)
    _check_risks(tree)
    questions = tree._questions
    _check_columns(questions, np.flatnonzero(tree.array("n_children") > 0).tolist(), columns, "question")
    for name, what in (("remembered", "question"), ("terms", "term")):
        listed = questions.lists[name].items
        _check_columns(listed, range(listed.n_rows), columns, what)
    return tree


def _beside(
    document: dict[str, Any], name: str, types: Callable[[Collection[str]], Mapping[str, type]]
) -> dict[str, Array]:
    """Return the arrays of remembered questions or of terms; an empty dict if the tree has none."""
    stored = field_of(document, name, dict, optional=True)
    return {each: _array(stored, each, kind, None) for each, kind in types(stored).items()} if stored else {}


def _stored_beside(tree: Tree) -> dict[str, dict[str, list[Any]]]:
    return {
        name: {each: listed(array) for each, array in kept.arrays.items()}
        for name, kept in tree.beside.items()
    }


def _beside_from(document: dict[str, Any]) -> dict[str, Beside]:
    """Return what only some trees have; every array is read as its type."""
    stored, found = field_of(document, "beside", dict, optional=True) or {}, {}
    for name in stored:
        if name not in BESIDE:
            raise DataError(f"The tree has {shown(name)} beside its nodes, which is not known.")
        kind, given = BESIDE[name], field_of(stored, name, dict)
        types = {**kind.per_node, **kind.whole}
        arrays = {each: _beside_array(given, each, types[each]) for each in types if each in given}
        found[name] = beside_of(name, arrays)
    return found


def _beside_array(given: dict[str, Any], name: str, kind: type) -> Array:
    """Return one array, whose entries may be rows of numbers, all of the same length."""
    values = field_of(given, name, list)
    if not values or type(values[0]) is not list:
        return array_from(values, kind, f"The tree's {name}")
    if not all(type(row) is list and len(row) == len(values[0]) for row in values):
        raise DataError(f"The tree's {name} should have as many numbers for every node.")
    flat = [x for row in values for x in row]
    return array_from(flat, kind, f"The tree's {name}").reshape(len(values), len(values[0]))


def _check_numbers(arrays: Mapping[str, Array]) -> None:
    """Refuse weights and predictions that no rows can have: computing with them would go wrong later."""
    for name in _FINITE & arrays.keys():
        if not np.isfinite(arrays[name]).all():
            raise DataError(f"The tree's {name} is infinite in some node.")
    for name in _NOT_NEGATIVE & arrays.keys():
        if (arrays[name] < 0).any():
            raise DataError(f"The tree's {name} is below zero in some node.")

    if "probability" in arrays and (np.abs(arrays["probability"].sum(axis=1) - 1.0) > _ROUNDED).any():
        raise DataError("The tree has a node whose probabilities do not add up to 1.")


def _check_risks(tree: Tree) -> None:
    """Refuse a tree whose rows weigh nothing, or cost more than a number can hold: it could not be pruned."""
    weight, rule = tree.array("weight"), tree.rule
    with np.errstate(over="ignore", invalid="ignore"):
        if rule is None:
            costs = weight * np.abs(tree.array("impurity"))
        else:
            costs = tree.array("counts").sum(axis=1) * np.abs(rule.factors).max() * np.abs(rule.costs()).max()
        whole = costs.sum()
        sums = np.array([whole, whole / weight[0]]) if weight[0] > 0 else np.array([np.inf])
    if not np.isfinite(sums).all():
        raise DataError("The tree's rows weigh nothing, or more than can be computed with.")


def _rule_to_dict(rule: LeafRule) -> dict[str, Any]:
    loss = None if rule.loss is None else rule.loss.tolist()
    stored = {"m": rule.m, "prior": rule.prior.tolist(), "factors": rule.factors.tolist(), "loss": loss}
    # An old file without it is written again as it was.
    return stored if rule.class_weight is None else stored | {"class_weight": rule.class_weight.tolist()}


def _rule_from_dict(listed: dict[str, Any] | None) -> LeafRule | None:
    if listed is None:
        return None
    prior, factors = (_numbers(field_of(listed, name, list)) for name in ("prior", "factors"))
    loss = field_of(listed, "loss", list, optional=True)
    if loss is not None and not all(isinstance(row, list) and len(row) == len(loss) for row in loss):
        raise DataError("The tree's loss should have a row of numbers for each class.")
    m = _numbers([listed.get("m")])
    if not 0 <= m[0] < np.inf:
        raise DataError("The tree's rule for leaves adds less than no rows to a node.")
    costs = None if loss is None else np.reshape([_numbers(row) for row in loss], (len(loss), -1))
    given = field_of(listed, "class_weight", list, optional=True)
    weights = None if given is None else _numbers(given)
    if weights is not None and not (weights >= 0).all():
        raise DataError("The tree's classes count less than nothing.")
    return LeafRule(float(m[0]), prior, factors, costs, weights)


def _numbers(listed: list[Any]) -> Numbers:
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in listed):
        raise DataError("The tree's rule for leaves holds something that is not a number.")
    try:
        return np.array(listed, dtype=np.float64)
    except OverflowError as error:
        raise DataError("The tree's rule for leaves holds a number that is too large.") from error


def _shrinkage_from(document: dict[str, Any]) -> float:
    strength = document.get("shrinkage", 0.0)
    if type(strength) not in (int, float) or not 0 <= strength <= sys.float_info.max:
        raise DataError(f"The tree's shrinkage is {shown(strength)}, but should be a number of 0 or more.")
    return float(strength)


def _types(criterion: str, target: Target, nodes: Mapping[str, Any], *, shrunken: bool) -> dict[str, type]:
    of_classes = target.classes is not None
    return array_types(criterion, nodes, of_classes=of_classes, shrunken=shrunken)


def _check_columns(table: Table, rows: Iterable[int], columns: tuple[Column, ...], what: str) -> None:
    """Refuse questions, or terms of them, that their column cannot be asked: the core knows no levels."""
    for number in rows:
        row = Row(table, number, columns)
        kind, column = KINDS[int(row["kind"])], row.column
        if not (kind.suits_as_part if what == "term" else kind.suits)(column):
            raise DataError(f"The tree is damaged: {what} {number} cannot be about column {column.name!r}.")
        levels = kind.levels_in(row)
        if levels and not 0 <= min(levels) <= max(levels) < len(column.levels or ()):
            raise DataError(f"The tree is damaged: {what} {number} is about a level {column.name!r} lacks.")


def field_of(
    document: dict[str, Any], name: str, kind: type, *, optional: bool = False, of: str = "tree"
) -> Any:
    """Return a field of a document; refuse it if it is of another type, or not there."""
    value = document.get(name)
    if type(value) is not kind and not (optional and value is None):
        raise DataError(f"The {of}'s {name} should be a {kind.__name__}, but is {type(value).__name__}.")
    return value


def listed(array: Array) -> list[Any]:
    """Return an array in JSON's own types: infinities are text, and what is not a number is null."""
    values: list[Any] = array.tolist()
    if array.dtype.kind != "f" or np.isfinite(array).all():
        return values
    return _map(values, lambda x: x if math.isfinite(x) else None if math.isnan(x) else str(x))


def _map(values: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    return [_map(value, change) if isinstance(value, list) else change(value) for value in values]


def _array(nodes: dict[str, Any], name: str, kind: type, n_classes: int | None) -> Array:
    """Return one array of the tree; a number that does not fit its type or shape is refused."""
    values = field_of(nodes, name, list)
    if name not in PER_CLASS:
        return array_from(values, kind, f"The tree's {name}", or_none=name == "p_value")
    if not all(isinstance(row, list) and len(row) == n_classes for row in values):
        raise DataError(f"The tree's {name} should have {n_classes} numbers per node.")
    flat = [x for row in values for x in row]
    return array_from(flat, kind, f"The tree's {name}").reshape(len(values), n_classes or 0)


def array_from(values: list[Any], kind: type, what: str, *, or_none: bool = False) -> Array:
    """Return numbers that `listed` wrote as an array; `what` names them where they are refused."""
    is_real = np.issubdtype(kind, np.floating)
    types = set(map(type, values))
    if not types <= ({int, float} if is_real else {int}):  # else there is no need to look at each
        allowed = (int, float, str, *([type(None)] if or_none else [])) if is_real else (int,)
        for value in values:
            if type(value) not in allowed or (isinstance(value, str) and value not in _INFINITE):
                raise DataError(f"{what} holds {shown(value)}, which is not a number it can have.")
    try:
        if is_real and not types <= {int, float}:
            values = [math.nan if value is None else float(value) for value in values]
        return np.array(values, dtype=kind)
    except (OverflowError, ValueError) as error:
        raise DataError(f"{what} holds a number that is too large.") from error


_INFINITE: Final = ("inf", "-inf")
