"""Models as documents: what a fitted estimator or a tree is, in JSON's own types, and back.

If the tree that predicts is the grown tree with some nodes made leaves, the list of these nodes is stored
instead of the tree. docs/files.md describes the fields.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Final

import numpy as np
from sklearn.base import is_classifier

from arboretum import __version__
from arboretum._data import Column
from arboretum._data.fingerprint import TrainingData
from arboretum._data.levels import level_to_json
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.pruning import Pruned
from arboretum._store.stored_columns import column_facts_from
from arboretum._store.stored_ensemble import ENSEMBLE_FIELDS, ensemble_from, stored_ensemble
from arboretum._store.stored_parameters import parameters_from, parameters_of
from arboretum._store.stored_pruning import (
    alpha_from,
    check_choice,
    log_from,
    path_from,
    sequencer_from,
    stored_log,
    stored_path,
)
from arboretum._store.tree_document import (
    array_from,
    body_of,
    classes_from,
    columns_from,
    field_of,
    tree_from_body,
    tree_from_document,
)
from arboretum._tree.fitted import tree_of
from arboretum._tree.leaves import rule_bytes
from arboretum._tree.multi_tree import MultiTree
from arboretum._tree.surgery import collapse
from arboretum._tree.tree import Tree
from arboretum._types import Array
from arboretum._wording import many, shown
from arboretum.errors import DataError, DataTypeError, listing
from arboretum.estimators import (
    BaggedClassifier,
    BaggedRanker,
    BaggedRegressor,
    TreeClassifier,
    TreeMixed,
    TreeRanker,
    TreeRegressor,
)
from arboretum.estimators.bagging.bagged_state import BaggedState
from arboretum.estimators.bagging.base_bagging import BaseBagging
from arboretum.estimators.base_tree import BaseTree
from arboretum.estimators.fitted_state import FittedState, OutputModels
from arboretum.estimators.several_outputs import SeveralState, several_state

FORMAT: Final = "arboretum model"
VERSION: Final = 1
_ESTIMATORS: Final[dict[str, type[BaseTree]]] = {
    "TreeClassifier": TreeClassifier,
    "TreeRegressor": TreeRegressor,
    "TreeRanker": TreeRanker,
}
_OF_OUTPUTS: Final[dict[str, type[BaseTree]]] = {**_ESTIMATORS, "TreeMixed": TreeMixed}
_OUTPUT_FIELDS: Final = {
    *("format", "version", "package", "model", "parameters", "shares", "alpha", "pruning_path", "outputs"),
}
_ENSEMBLES: Final[dict[str, type[BaseBagging]]] = {
    "BaggedClassifier": BaggedClassifier,
    "BaggedRegressor": BaggedRegressor,
    "BaggedRanker": BaggedRanker,
}
_KNOWN: Final = (*_ESTIMATORS, *_ENSEMBLES, "Tree")
_TREE_FIELDS: Final = {"format", "version", "package", "model", "columns", "classes", "grown", "tree"}
_FITTED_FIELDS: Final = {"parameters", "named", "training_data", "n_rows_dropped"}
_MODEL_FIELDS: Final = _TREE_FIELDS | _FITTED_FIELDS | {"sequence", "alpha", "pruning_path", "pruning_log"}
_BAGGED_FIELDS: Final = (_TREE_FIELDS - {"grown", "tree"}) | _FITTED_FIELDS | ENSEMBLE_FIELDS
_NUMBERS: Final = {
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64"),
}
_WIDEST: Final = 1_000  # of NumPy's text of fixed width, if no class is longer
_FINGERPRINT: Final = re.compile("[0-9a-f]{16}")


def document_of(model: Any, *, grown: bool = True) -> dict[str, Any]:
    """Return a fitted estimator or a tree as a document; without the grown tree if it is not wanted."""
    if isinstance(model, Tree):
        return _head("Tree", model, None) | {"grown": None, "tree": body_of(model)}
    if isinstance(getattr(model, "_state", None), SeveralState):
        return _several_document(model, grown=grown)
    if not isinstance(model, BaseBagging):
        tree_of(model, "save()", models=True)
    # A class that only fits in a way of its own says of which ordinary class its models are.
    kind = vars(type(model)).get("_stored_as", type(model))
    name = kind.__name__
    if kind not in (_ESTIMATORS.get(name), _ENSEMBLES.get(name)):
        raise _no_model(name)
    if isinstance(model, BaseBagging):
        bagged = model._fitted
        head = _head(name, bagged.trees[0], bagged.classes)
        return head | _fitted_fields(model, bagged) | stored_ensemble(bagged)
    fitted: FittedState = model._fitted
    return (
        _head(name, fitted.tree, fitted.classes)
        | _fitted_fields(model, fitted)
        | {
            "sequence": {
                "measure": fitted.sequencer._measure_of(fitted.grown),
                "complexity": fitted.sequencer.complexity,
            },
            "alpha": fitted.alpha,
            "pruning_path": stored_path(fitted.path) if grown else None,
            "pruning_log": stored_log(fitted.log),
        }
        | _stored_trees(fitted.tree, fitted.grown if grown else None)
    )


def _no_model(name: str) -> DataTypeError:
    return DataTypeError(
        f"save() takes {listing((*_OF_OUTPUTS, *_ENSEMBLES), 10)}, fitted, or a Tree, not {name}.\n"
        "Hint: of a pipeline or a search, give its tree; model.tree_ of a class of your own."
    )


def model_from(document: Any) -> Any:
    """Return the estimator or tree of a document; anything else is refused with a DataError."""
    if isinstance(document, dict) and document.get("format") == "arboretum tree":
        return tree_from_document(document)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(f"its format is not {FORMAT!r}")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise DataError(
            f"it has version {shown(version)}, but this program reads version {VERSION}.\n"
            "Hint: if it was written by a newer version of the package, update the package"
        )
    name = _field(document, "model", str)
    if "outputs" in document:
        return _several_from(document, name)
    if name not in _KNOWN:
        raise DataError(f"it holds a model {shown(name)}; known are {', '.join(_KNOWN)}")
    fields = _TREE_FIELDS if name == "Tree" else _MODEL_FIELDS if name in _ESTIMATORS else _BAGGED_FIELDS
    if unknown := sorted(document.keys() - fields):
        raise DataError(f"it has a field {shown(unknown[0])}, which is not known")
    columns = columns_from(_field(document, "columns", list))
    classes = _classes_from(_field(document, "classes", dict, optional=True))
    if name == "Tree":
        return tree_from_body(_field(document, "tree", dict), columns, _labels(classes))
    kind: Any = _ESTIMATORS.get(name) or _ENSEMBLES[name]
    array = classes if isinstance(classes, np.ndarray) else None
    if (array is not None) != is_classifier(kind()) or (array is None) != (classes is None):
        raise DataError(f"its classes, or the lack of them, do not fit a {name}")
    model = kind(**parameters_from(document.get("parameters"), kind))
    if name in _ENSEMBLES:
        model._state = _bagged_from(document, columns, array, of_order=kind._tree_type._of_order)
    else:
        model._state = _state_from(document, _trees_from(document, columns, _labels(classes)), array)
    return model


def _fitted_fields(model: Any, fitted: FittedState | BaggedState) -> dict[str, Any]:
    """Return what is stored of every fitted estimator."""
    return {
        "parameters": parameters_of(model),
        "named": fitted.named,
        "training_data": asdict(fitted.training_data),
        "n_rows_dropped": fitted.n_rows_dropped,
    }


def _bagged_from(
    document: dict[str, Any], columns: tuple[Column, ...], classes: Array | None, *, of_order: bool
) -> BaggedState:
    """Return the fitted state of an ensemble."""
    return ensemble_from(
        document,
        columns,
        classes,
        of_order=of_order,
        training_data=_training_data_from(_field(document, "training_data", dict), columns),
        n_rows_dropped=_count(document, "n_rows_dropped"),
        named=_field(document, "named", bool),
    )


def _state_from(document: dict[str, Any], trees: Trees, classes: Array | None) -> FittedState:
    """Return the fitted state of an estimator with one tree."""
    tree, grown = trees
    n_dropped = _count(document, "n_rows_dropped")
    training_data = _training_data_from(_field(document, "training_data", dict), tree.columns)
    named = _field(document, "named", bool)
    sequencer = sequencer_from(_field(document, "sequence", dict), grown)
    pruned = _pruned_from(document, trees, sequencer)
    return FittedState(pruned, named, n_dropped, training_data, sequencer, classes)


def _pruned_from(document: dict[str, Any], trees: Trees, sequencer: CostComplexity) -> Pruned:
    """Return the trees with the path, log and alpha that led to them."""
    tree, grown = trees
    alpha, path, log = alpha_from(document.get("alpha")), None, None
    stored = _field(document, "pruning_path", dict, optional=True)
    if stored is not None:
        sequence = sequencer._sequence(grown)
        path = path_from(stored, sequence)
        check_choice(path, alpha, tree, sequence)
    steps = _field(document, "pruning_log", dict, optional=True)
    if steps is not None:
        log = log_from(steps, None if document.get("grown") is None else grown)
    return Pruned(tree, grown, path=path, log=log, alpha=alpha)


# --- several outputs


def _several_document(model: Any, *, grown: bool) -> dict[str, Any]:
    """Return the documents of the models of several outputs, and what they share."""
    name, fitted = type(model).__name__, model._fitted
    if _OF_OUTPUTS.get(name) is not type(model):
        raise _no_model(name)
    return {
        "format": FORMAT,
        "version": VERSION,
        "package": __version__,
        "model": name,
        "parameters": parameters_of(model),
        "shares": list(fitted.shares),
        "alpha": fitted.alpha,
        "pruning_path": stored_path(fitted.path) if grown else None,
        "outputs": [
            {"name": output, "model": document_of(own, grown=grown)}
            for output, own in zip(fitted.outputs.names, fitted.outputs, strict=True)
        ],
    }


def _several_from(document: dict[str, Any], name: str) -> BaseTree:
    """Return the model of several outputs."""
    if unknown := sorted(document.keys() - _OUTPUT_FIELDS):
        raise DataError(f"it has a field {shown(unknown[0])}, which is not known")
    if name not in _OF_OUTPUTS:
        raise DataError(f"it holds a model {shown(name)}, which learns no several outputs")
    kind, stored = _OF_OUTPUTS[name], _field(document, "outputs", list)
    names, models = [], []
    for each in stored:
        if not isinstance(each, dict) or each.keys() != {"name", "model"} or "outputs" in each["model"]:
            raise DataError("an output is not stored as a name and a model")
        names.append(_field(each, "name", str))
        own = model_from(each["model"])
        if type(own) not in _ESTIMATORS.values() or (kind in _ESTIMATORS.values() and type(own) is not kind):
            raise DataError(f"an output of a {name} is a {type(own).__name__}")
        models.append(own)
    MultiTree(tuple(names), tuple(own.tree_ for own in models))  # refuses what does not belong together
    MultiTree(tuple(names), tuple(own._grown for own in models))
    shares = array_from(_field(document, "shares", list), np.float64, "The list of shares")
    if len(shares) != len(models) or not (np.isfinite(shares) & (shares >= 0)).all():
        raise DataError("the shares of the outputs are not one for each, or are negative")
    made = kind(**parameters_from(document.get("parameters"), kind))
    alpha, path = alpha_from(document.get("alpha")), None
    state = several_state(OutputModels(models, tuple(names)), tuple(shares.tolist()), None, None)
    kept = _field(document, "pruning_path", dict, optional=True)
    if kept is not None:
        sequence = state.sequence()
        path = path_from(kept, sequence)
        check_choice(path, alpha, state.tree, sequence)
    made._state = replace(state, pruned=replace(state.pruned, path=path, alpha=alpha))
    return made


# --- what all models have


def _head(name: str, tree: Tree, classes: Array | None) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "package": __version__,
        "model": name,
        "columns": [column.to_dict() for column in tree.columns],
        "classes": None if tree.target.classes is None else _stored_classes(tree.target.classes, classes),
    }


def _stored_classes(labels: tuple[Any, ...], array: Array | None) -> dict[str, Any]:
    """Return the classes, and the type of the array that an estimator has of them: that of predictions."""
    values = [level_to_json(label) for label in labels]
    if array is None:
        return {"type": None, "values": values}
    if array.dtype.kind == "U":
        longest = max(map(len, labels))
        return {
            "type": "text",
            "width": min(array.dtype.itemsize // 4, max(longest, _WIDEST)),
            "values": values,
        }
    name = array.dtype.name
    if name not in (*_NUMBERS, "object"):
        raise DataError(f"The classes are of the type {name}, which a model file cannot hold.")
    return {"type": name, "values": values}


def _classes_from(stored: dict[str, Any] | None) -> Array | tuple[Any, ...] | None:
    """Return the classes as the array that `classes_` is, or as they are if only a tree has them."""
    if stored is None:
        return None
    labels = classes_from(_field(stored, "values", list))
    kind = _field(stored, "type", str, optional=True)
    if kind is None:
        return labels
    width = stored.get("width")
    if kind == "text" and all(isinstance(label, str) for label in labels) and type(width) is int:
        longest = max(map(len, labels), default=0)
        if not max(1, longest) <= width <= max(longest, _WIDEST):
            raise DataError(f"the classes are stored with a width of {shown(width)}")
        array = np.array(labels, dtype=f"U{width}")
    elif kind in _NUMBERS and len({type(label) for label in labels}) == 1:
        array = _class_numbers(labels, np.dtype(kind))
    elif kind == "object":
        array = np.empty(len(labels), dtype=object)
        array[:] = labels
    else:
        raise DataError(f"the classes are not of their type, {shown(kind)}")
    if array.tolist() != list(labels):
        raise DataError(f"the classes do not fit into their type, {shown(kind)}")
    return array


def _class_numbers(labels: tuple[Any, ...], kind: np.dtype[Any]) -> Array:
    expected = {"b": bool, "f": float}.get(kind.kind, int)
    if type(labels[0]) is not expected:
        raise DataError(f"the classes are not of their type, {kind.name!r}")
    try:
        with np.errstate(over="ignore"):
            return np.array(labels, dtype=kind)
    except OverflowError as error:
        raise DataError(f"the classes do not fit into their type, {kind.name!r}") from error


def _labels(classes: Array | tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return tuple(classes.tolist()) if isinstance(classes, np.ndarray) else classes


# --- trees

Trees = tuple[Tree, Tree]


def _stored_trees(tree: Tree, grown: Tree | None) -> dict[str, Any]:
    """Return the grown tree and what was made of it: a cut, or a tree of its own."""
    if grown is None:
        return {"grown": None, "tree": body_of(tree)}
    ended = tree.array("id")[tree.array("n_children") == 0]
    leaves = np.isin(grown.array("id"), ended) & (grown.array("n_children") > 0)
    is_cut = tree is grown or _are_the_same(tree, collapse(grown, leaves))
    return {
        "grown": body_of(grown),
        "tree": {"leaves": np.flatnonzero(leaves).tolist()} if is_cut else body_of(tree),
    }


def _are_the_same(one: Tree, other: Tree) -> bool:
    """Return whether two trees with the same columns and classes are the same to the last bit."""
    return (
        (one.criterion, one.missing, one.edits) == (other.criterion, other.missing, other.edits)
        and one.shrinkage == other.shrinkage
        and rule_bytes(one.rule) == rule_bytes(other.rule)
        and _bytes(one._arrays, one.remembered, one.terms, *_beside(one))
        == _bytes(other._arrays, other.remembered, other.terms, *_beside(other))
    )


def _beside(tree: Tree) -> list[Mapping[str, Array]]:
    return [kept.arrays for _, kept in sorted(tree.beside.items())]


def _bytes(*tables: Mapping[str, Array]) -> list[dict[str, bytes]]:
    return [{name: array.tobytes() for name, array in arrays.items()} for arrays in tables]


def _trees_from(
    document: dict[str, Any], columns: tuple[Column, ...], classes: tuple[Any, ...] | None
) -> Trees:
    """Return the tree that predicts, and the one that it was cut from."""
    stored, whole = _field(document, "tree", dict), _field(document, "grown", dict, optional=True)
    if whole is None:
        tree = tree_from_body(stored, columns, classes)
        return tree, tree
    grown = tree_from_body(whole, columns, classes)
    if stored.keys() != {"leaves"}:
        return tree_from_body(stored, columns, classes), grown
    leaves = array_from(_field(stored, "leaves", list), np.int64, "The list of leaves")
    if ((leaves < 0) | (leaves >= len(grown))).any():
        raise DataError("the list of leaves names a node that is not there")
    is_leaf = np.zeros(len(grown), dtype=np.bool_)
    is_leaf[leaves] = True
    return collapse(grown, is_leaf), grown


# --- training data


def _training_data_from(stored: dict[str, Any], columns: tuple[Column, ...]) -> TrainingData:
    fingerprint = _field(stored, "fingerprint", str)
    if not _FINGERPRINT.fullmatch(fingerprint):
        raise DataError(f"its fingerprint {shown(fingerprint)} is not made of 16 hexadecimal digits")
    data = TrainingData(_count(stored, "n_rows"), _count(stored, "n_columns"), fingerprint)
    if data.n_columns != len(columns):
        raise DataError(f"it has {many(len(columns), 'column')}, but its training data had {data.n_columns}")
    return replace(data, **column_facts_from(stored, columns, data.n_rows))


def _count(document: dict[str, Any], name: str) -> int:
    count: int = _field(document, name, int)
    if not 0 <= count < 2**63:
        raise DataError(f"its {name} is {shown(count)}, which is no number of rows or columns")
    return count


def _field(document: dict[str, Any], name: str, kind: type, *, optional: bool = False) -> Any:
    return field_of(document, name, kind, optional=optional, of="model")
