"""Ensembles in files: the trees, how their rows were drawn, and what is known out of bag."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from arboretum._data import Column
from arboretum._data.fingerprint import TrainingData
from arboretum._data.queries import Queries
from arboretum._store.tree_document import array_from, body_of, field_of, listed, tree_from_body
from arboretum._tree.importance import column_importance
from arboretum._tree.leaves import rule_bytes
from arboretum._tree.packing import PackedTree, TreeKind, pack
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._wording import shown
from arboretum.errors import DataError
from arboretum.estimators.bagging.bagged_state import BaggedState
from arboretum.estimators.bagging.out_of_bag import OutOfBag
from arboretum.estimators.bagging.samples import Samples

ENSEMBLE_FIELDS: Final = {"trees", "samples", "origin", "n_given", "out_of_bag", "stopped"}
_SAMPLE_FIELDS: Final = {"seed", "n_rows", "n_drawn", "bootstrap", "n_columns", "classes", "queries"}
_MOST_ROWS: Final = 2**32  # that a row number of the core can tell apart


def stored_ensemble(state: BaggedState) -> dict[str, Any]:
    """Return the fields that ensembles alone have."""
    samples, judged = state.samples, state.out_of_bag
    return {
        "samples": {
            "seed": samples.seed,
            "n_rows": samples.n_rows,
            "n_drawn": samples.n_drawn,
            "bootstrap": samples.bootstrap,
            "n_columns": samples.n_columns,
            "classes": _listed(samples.classes),
            **({} if samples.queries is None else {"queries": listed(samples.queries.numbers)}),
        },
        "origin": _listed(state.origin),
        "n_given": state.n_given,
        "out_of_bag": None
        if judged is None
        else {name: _listed(part) for name, part in judged.parts.items()},
        "stopped": state.stopped,
        "trees": [body_of(tree) for tree in state.trees],
    }


def ensemble_from(
    document: dict[str, Any],
    columns: tuple[Column, ...],
    classes: Array | None,
    *,
    of_order: bool,
    training_data: TrainingData,
    n_rows_dropped: int,
    named: bool,
) -> BaggedState:
    """Return the fitted state of an ensemble; what does not fit together is refused."""
    packed, importances, asked = _trees_from(field_of(document, "trees", list, of="model"), columns, classes)
    stored = field_of(document, "samples", dict, of="model")
    samples = _samples_from(stored, training_data, classes, of_order=of_order)
    n_given = _whole(document, "n_given", training_data.n_rows, _MOST_ROWS)
    return BaggedState(
        packed=packed,
        importances=importances,
        asked=np.array(sorted(asked), dtype=np.intp),
        samples=samples,
        origin=_origin_from(field_of(document, "origin", list, optional=True, of="model"), samples, n_given),
        n_given=n_given,
        n_rows_dropped=n_rows_dropped,
        training_data=training_data,
        named=named,
        classes=classes,
        out_of_bag=_out_of_bag_from(document, samples, packed, classes),
        stopped=field_of(document, "stopped", bool, of="model"),
    )


def _listed(array: Array | None) -> list[Any] | None:
    return None if array is None else listed(array)


def _trees_from(
    bodies: list[Any], columns: tuple[Column, ...], classes: Array | None
) -> tuple[tuple[PackedTree, ...], Numbers, set[int]]:
    """Return the trees in packed form, how much columns matter in each, and which columns they ask about."""
    if not bodies:
        raise DataError("The ensemble has no trees.")
    labels = None if classes is None else tuple(classes.tolist())
    packed: list[PackedTree] = []
    importances: list[Numbers] = []
    asked: set[int] = set()
    for number, body in enumerate(bodies):
        tree = _tree_from(body, number, columns, labels)
        kind = packed[0].kind if packed else None
        if kind is not None and not _are_alike(tree, kind):
            raise DataError(f"Tree {number + 1} has another criterion or rule for leaves than the first.")
        packed.append(pack(tree, kind))
        importances.append(column_importance(tree))
        asked |= tree._asked
    return tuple(packed), np.array(importances), asked


def _tree_from(body: Any, number: int, columns: tuple[Column, ...], labels: tuple[Any, ...] | None) -> Tree:
    if not isinstance(body, dict):
        raise DataError(f"Tree {number + 1} is not an object.")
    try:
        tree = tree_from_body(body, columns, labels)
    except DataError as error:
        raise DataError(f"Tree {number + 1} cannot be read: {error}") from error
    if tree.edits:
        raise DataError(f"Tree {number + 1} was edited, which no tree of an ensemble can be.")
    return tree


def _are_alike(tree: Tree, kind: TreeKind) -> bool:
    return tree.criterion == kind.criterion and rule_bytes(tree.rule) == rule_bytes(kind.rule)


def _samples_from(
    stored: dict[str, Any], data: TrainingData, classes: Array | None, *, of_order: bool
) -> Samples:
    """Return how the rows and columns of the trees were drawn."""
    if unknown := sorted(stored.keys() - _SAMPLE_FIELDS):
        raise DataError(f"its samples have a field {shown(unknown[0])}, which is not known")
    bootstrap, codes = stored.get("bootstrap"), stored.get("classes")
    if not (isinstance(bootstrap, bool) or bootstrap == "balanced"):
        raise DataError(f"its rows were drawn with bootstrap={shown(bootstrap)}, which is not known")
    if (codes is not None) != (bootstrap == "balanced"):
        raise DataError("its samples have classes, or lack them, against what bootstrap says")
    n_rows = _whole(stored, "n_rows", data.n_rows, data.n_rows)
    queries = _queries_from(stored.get("queries"), n_rows) if of_order else None
    if queries is None and "queries" in stored:
        raise DataError("its samples have queries, but no order was learnt")
    n_there = n_rows if queries is None else len(queries)
    n_drawn = _whole(stored, "n_drawn", 1, n_there if bootstrap is False else _MOST_ROWS)
    n_columns = stored.get("n_columns")
    if n_columns is not None:
        n_columns = _whole(stored, "n_columns", 1, data.n_columns)
    balanced = None
    if codes is not None:
        n_classes = 0 if classes is None else len(classes)
        balanced = _entries(codes, np.int32, n_rows, "classes of its rows")
        if ((balanced < 0) | (balanced >= n_classes)).any():
            raise DataError("the classes of its rows name one that is not there")
    seed = _whole(stored, "seed", 0, 2**64)
    return Samples(seed, n_rows, n_drawn, bootstrap, n_columns, balanced, queries)


def _queries_from(stored: Any, n_rows: int) -> Queries:
    """Return the queries of the rows, whose numbers run from 0 without gaps."""
    numbers = _entries(stored, np.intp, n_rows, "queries of its rows")
    if not ((numbers >= 0) & (numbers < n_rows)).all() or not np.bincount(numbers).all():
        raise DataError("the queries of its rows are not numbered from 0 without gaps")
    return Queries(numbers)


def _origin_from(stored: list[Any] | None, samples: Samples, n_given: int) -> Array | None:
    """Return the places of the training rows in the table as it was given; None: they are all of it."""
    if stored is None:
        if n_given != samples.n_rows:
            raise DataError("its n_given differs from the number of rows, of which none was left out")
        return None
    origin = _entries(stored, np.intp, samples.n_rows, "places of its rows")
    if (np.diff(origin) <= 0).any() or (len(origin) and not 0 <= origin[0] <= origin[-1] < n_given):
        raise DataError("the places of its rows are not in order, or not in the table")
    return origin


def _out_of_bag_from(
    document: dict[str, Any], samples: Samples, packed: tuple[PackedTree, ...], classes: Array | None
) -> OutOfBag | None:
    stored = field_of(document, "out_of_bag", dict, optional=True, of="model")
    if stored is None:
        return None
    rule, n_rows = packed[0].kind.rule, samples.n_rows
    width = 1 if classes is None else len(classes)
    targets = _entries(stored.get("targets"), np.int32 if rule else np.float64, n_rows, "targets")
    given = stored.get("weights")
    weights = None if given is None else _entries(given, np.float64, n_rows, "weights")
    if weights is not None and not ((weights >= 0) & (weights < np.inf)).all():
        raise DataError("the weights of its rows are below zero, or infinite")
    if rule is not None and ((targets < 0) | (targets >= width)).any():
        raise DataError("the targets of its rows name a class that is not there")
    rows = stored.get("sums")
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise DataError(f"its out-of-bag sums should have {width} numbers for each row")
    sums = _entries([x for row in rows for x in row], np.float64, n_rows * width, "sums").reshape(-1, width)
    times = _entries(stored.get("times"), np.int64, n_rows, "times")
    if ((times < 0) | (times > len(packed))).any():
        raise DataError("its rows were left out more often than there are trees")
    curve = _entries(stored.get("curve"), np.float64, len(packed), "curve", or_none=True)
    found = OutOfBag(targets, weights, width, None if rule is None else rule.loss, samples.queries)
    found.restore(sums, times, curve.tolist())
    return found


def _entries(stored: Any, kind: type, length: int, what: str, *, or_none: bool = False) -> Array:
    """Return a list of so many numbers as an array."""
    if not isinstance(stored, list) or len(stored) != length:
        raise DataError(f"its {what} should be a list of {length:,}")
    return array_from(stored, kind, f"The list of {what}", or_none=or_none)


def _whole(stored: dict[str, Any], name: str, least: int, most: int) -> int:
    number: int = field_of(stored, name, int, of="model")
    if not least <= number <= most:
        raise DataError(f"its {name} is {shown(number)}, but should be between {least:,} and {most:,}")
    return number
