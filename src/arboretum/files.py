"""Trees as JSON text: a documented, versioned form that is safe to open.

Words: *document* is the parsed JSON. Numbers are written so that they read back to the last bit; infinities,
which JSON lacks, as the text "inf" or "-inf", and a p-value that is not there as null. Reading runs no code
and checks every index before a tree is made.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.criteria import CLASS_CRITERIA, NUMBER_CRITERIA
from arboretum.dataset import Column
from arboretum.dataset.levels import level_from_json, level_key, level_to_json
from arboretum.edits import Edit
from arboretum.errors import DataError
from arboretum.leaves import LeafRule
from arboretum.questions import COMPOSITE, LEVELS, LINEAR, MISSING, THRESHOLD, may_be_added
from arboretum.tree import Target, Tree
from arboretum.tree_arrays import LEVEL_ARRAYS, OTHERS, PER_CLASS, TERMS, array_types

__all__ = ["tree_from_json", "tree_to_json"]

_FORMAT: Final = "arboretum tree"
_VERSION: Final = 1
_ASKED: Final = ("column", "kind", "threshold_floor", "level_begin", "level")  # what a question is made of


def tree_to_json(tree: Tree) -> str:
    """Return the tree as JSON text."""
    classes = tree.target.classes
    document = {
        "format": _FORMAT,
        "version": _VERSION,
        "criterion": tree.criterion,
        "classes": None if classes is None else [level_to_json(label) for label in classes],
        "columns": [column.to_dict() for column in tree.columns],
        "missing": tree.missing,
        "leaf": None if tree.rule is None else _rule_to_dict(tree.rule),
        "edits": [edit.to_dict() for edit in tree.edits],
        "nodes": {
            name: _listed(tree.array(name)) for name in _types(tree.criterion, tree.target, tree._arrays)
        },
        "others": {name: _listed(array) for name, array in tree.others.items()},
        "terms": {name: _listed(array) for name, array in tree.terms.items()},
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False)


def tree_from_json(text: str) -> Tree:
    """Return the tree that `tree_to_json` wrote; anything else is refused with a DataError."""
    if not isinstance(text, str):
        raise DataError(f"The JSON text of a tree is a str, not {type(text).__name__}.")
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise DataError(f"This is not the JSON text of a tree: {error}.") from error
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise DataError(f"This JSON text is not a tree: its format is not {_FORMAT!r}.")
    if document.get("version") != _VERSION:
        raise DataError(
            f"The tree has version {document.get('version')!r}; this program reads version {_VERSION}."
        )
    classes = _field(document, "classes", list, optional=True)
    columns = tuple(Column.from_dict(column) for column in _field(document, "columns", list))
    target = Target(None if classes is None else tuple(level_from_json(label) for label in classes))
    if target.classes is not None and len({level_key(label) for label in target.classes}) < len(
        target.classes
    ):
        raise DataError("The tree has the same class twice.")
    criterion = _field(document, "criterion", str)
    if criterion not in (CLASS_CRITERIA if classes else NUMBER_CRITERIA):
        raise DataError(f"The tree's criterion {criterion!r} does not fit its target, or is not known.")
    nodes = _field(document, "nodes", dict)
    n_classes = None if classes is None else len(classes)
    types = _types(criterion, target, nodes)
    arrays = {
        name: _array(nodes, name, kind, n_classes)
        for name, kind in types.items()
        if name != "id" or name in nodes
    }
    if n_classes is not None and ((arrays["label"] < 0) | (arrays["label"] >= n_classes)).any():
        raise DataError(f"The tree's label names a class that is not one of its {n_classes}.")
    listed = _field(document, "others", dict, optional=True)
    others = {name: _array(listed, name, kind, None) for name, kind in OTHERS.items()} if listed else {}
    parts = _field(document, "terms", dict, optional=True)
    terms = {name: _array(parts, name, kind, None) for name, kind in TERMS.items()} if parts else {}
    missing = _field(document, "missing", str, optional=True) or "child"
    tree = Tree(
        columns,
        target,
        criterion,
        arrays,
        missing=missing,
        others=others,
        terms=terms,
        rule=_rule_from_dict(_field(document, "leaf", dict, optional=True)),
        edits=tuple(Edit.from_dict(edit) for edit in _field(document, "edits", list, optional=True) or ()),
    )
    inner = np.flatnonzero(tree.array("n_children") > 0).tolist()
    _check_questions({name: tree.array(name) for name in _ASKED}, inner, columns)
    if others:
        _check_questions(others, range(len(others["role"])), columns)
    if terms:
        _check_terms(terms, columns)
    return tree


def _rule_to_dict(rule: LeafRule) -> dict[str, Any]:
    loss = None if rule.loss is None else rule.loss.tolist()
    return {"m": rule.m, "prior": rule.prior.tolist(), "factors": rule.factors.tolist(), "loss": loss}


def _rule_from_dict(listed: dict[str, Any] | None) -> LeafRule | None:
    if listed is None:
        return None
    prior, factors = (_numbers(_field(listed, name, list)) for name in ("prior", "factors"))
    loss = _field(listed, "loss", list, optional=True)
    if loss is not None and not all(isinstance(row, list) and len(row) == len(loss) for row in loss):
        raise DataError("The tree's loss should have a row of numbers for each class.")
    m = _numbers([listed.get("m")])
    if not 0 <= m[0] < np.inf:
        raise DataError("The tree's rule for leaves adds less than no rows to a node.")
    costs = None if loss is None else np.reshape([_numbers(row) for row in loss], (len(loss), -1))
    return LeafRule(float(m[0]), prior, factors, costs)


def _numbers(listed: list[Any]) -> npt.NDArray[np.float64]:
    if not all(isinstance(x, int | float) and not isinstance(x, bool) for x in listed):
        raise DataError("The tree's rule for leaves holds something that is not a number.")
    try:
        return np.array(listed, dtype=np.float64)
    except OverflowError as error:
        raise DataError("The tree's rule for leaves holds a number that is too large.") from error


def _types(criterion: str, target: Target, nodes: Mapping[str, Any]) -> dict[str, type]:
    return array_types(criterion, of_classes=target.classes is not None, tested="p_value" in nodes)


def _check_questions(
    questions: Mapping[str, npt.NDArray[Any]], places: Iterable[int], columns: tuple[Column, ...]
) -> None:
    """Refuse questions that their column cannot be asked: the core does not know its levels."""
    for place in places:
        column, kind = columns[int(questions["column"][place])], int(questions["kind"][place])
        nominal, n_levels = column.kind == "nominal", len(column.levels or ())
        begin, end = questions["level_begin"][place : place + 2].tolist()
        asked = questions["level"][begin:end]
        if column.kind == "ordered" and kind == THRESHOLD:
            asked = questions["threshold_floor"][place : place + 1]
        if (kind == LEVELS) != nominal and kind not in (MISSING, *COMPOSITE):
            raise DataError(
                f"The tree is damaged: question {place} cannot be asked of column {column.name!r}."
            )
        if ((asked < 0) | (asked >= n_levels)).any():
            raise DataError(f"The tree is damaged: question {place} is about a level {column.name!r} lacks.")


def _check_terms(terms: Mapping[str, npt.NDArray[Any]], columns: tuple[Column, ...]) -> None:
    """Refuse terms that their column cannot have."""
    for place, kind in enumerate(terms["kind"].tolist()):
        column = columns[int(terms["column"][place])]
        fits = {
            THRESHOLD: column.kind != "nominal",
            LEVELS: column.kind == "nominal",
            LINEAR: may_be_added(column),
        }
        if not fits[kind]:
            raise DataError(f"The tree is damaged: term {place} cannot be about column {column.name!r}.")
        level = int(terms["threshold_floor" if kind == THRESHOLD else "level"][place])
        if column.levels is not None and not 0 <= level < len(column.levels):
            raise DataError(f"The tree is damaged: term {place} is about a level {column.name!r} lacks.")


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _field(document: dict[str, Any], name: str, kind: type, *, optional: bool = False) -> Any:
    value = document.get(name)
    if not isinstance(value, kind) and not (optional and value is None):
        raise DataError(f"The tree's {name} should be a {kind.__name__}, but is {type(value).__name__}.")
    return value


def _listed(array: np.ndarray[Any, Any]) -> list[Any]:
    if array.dtype.kind != "f":
        listed: list[Any] = array.tolist()
        return listed
    return _map(array.tolist(), lambda x: x if math.isfinite(x) else None if math.isnan(x) else str(x))


def _map(values: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    return [_map(value, change) if isinstance(value, list) else change(value) for value in values]


def _array(nodes: dict[str, Any], name: str, kind: type, n_classes: int | None) -> np.ndarray[Any, Any]:
    """Return one array of the tree; a number that does not fit its type or shape is refused."""
    listed = _field(nodes, name, list)
    per_class = name in PER_CLASS
    if per_class and not all(isinstance(row, list) and len(row) == n_classes for row in listed):
        raise DataError(f"The tree's {name} should have {n_classes} numbers per node.")
    flat = [x for row in listed for x in row] if per_class else listed
    if name == "p_value":  # null where no question was tested
        flat = [math.nan if x is None else x for x in flat]
    allowed = (int, float, str) if np.issubdtype(kind, np.floating) else (int,)
    for value in flat:
        if (
            not isinstance(value, allowed)
            or isinstance(value, bool)
            or (isinstance(value, str) and value not in _INFINITE)
        ):
            raise DataError(f"The tree's {name} holds {value!r}, which is not a number it can have.")
    try:
        array: np.ndarray[Any, Any] = np.array(
            [float(x) for x in flat] if float in allowed else flat, dtype=kind
        )
    except (OverflowError, ValueError) as error:
        raise DataError(f"The tree's {name} holds a number that is too large.") from error
    if name in LEVEL_ARRAYS or not per_class:
        return array
    return array.reshape(len(listed), n_classes or 0)


_INFINITE: Final = ("inf", "-inf")
