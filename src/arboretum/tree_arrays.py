"""The arrays that a tree is made of: their names and types, and the checks that they make a tree.

Words: *arrays* have one entry per node, those of levels aside; *others* describe the questions that nodes
remember but do not ask: competitors and surrogates; *terms* are the parts of questions about several columns.
What the arrays mean to a reader is told by Tree and Node.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.errors import DataError
from arboretum.leaves import LeafRule
from arboretum.plurals import many
from arboretum.question_values import floor_of
from arboretum.questions import AT_LEAST, COMPOSITE, LEVELS, MISSING, THRESHOLD

__all__ = [
    "COMPETITOR",
    "LEVEL_ARRAYS",
    "MISSING_RULES",
    "OTHERS",
    "PER_CLASS",
    "SURROGATE",
    "TERMS",
    "array_types",
    "checked_router",
    "checked_rule",
    "frozen",
]

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]

# What becomes of rows that miss the value a node asks for.
MISSING_RULES: Final = ("child", "surrogates", "fractions")
COMPETITOR, SURROGATE = 0, 1

# What routing needs.
_ROUTING: Final[dict[str, type]] = {
    "first_child": np.int32,
    "n_children": np.int32,
    "column": np.int32,
    "kind": np.uint8,
    "threshold": np.float64,
    "threshold_floor": np.int64,
    "missing_child": np.int32,
    "level_begin": np.int64,
    "level": np.int32,
    "level_child": np.int32,
    "weight": np.float64,
}
_ARRAYS: Final[dict[str, type]] = {
    **_ROUTING,
    "id": np.int32,
    "parent": np.int32,
    "depth": np.int32,
    "missing_seen": np.uint8,
    "n_rows": np.int64,
    "impurity": np.float64,
    "gain": np.float64,
    "improvement": np.float64,
}
LEVEL_ARRAYS: Final = ("level_begin", "level", "level_child")  # these have not one entry per node
PER_CLASS: Final = ("counts", "probability")  # these have one per class
_CLASS_ARRAYS: Final[dict[str, type]] = {"counts": np.float64, "probability": np.float64, "label": np.int32}
_NUMBER_ARRAYS: Final[dict[str, type]] = {"value": np.float64}
OTHERS: Final[dict[str, type]] = {
    "begin": np.int64,
    "role": np.uint8,
    "kind": np.uint8,
    "flipped": np.uint8,
    "column": np.int32,
    "n_children": np.int32,
    "missing_child": np.int32,
    "missing_seen": np.uint8,
    "threshold": np.float64,
    "threshold_floor": np.int64,
    "n_rows": np.int64,
    "gain": np.float64,
    "gain_ratio": np.float64,
    "agreement": np.float64,
    "adjusted_agreement": np.float64,
    "level_begin": np.int64,
    "level": np.int32,
    "level_child": np.int32,
}
# The terms of node i are those from begin[i] on, up to begin[i + 1].
TERMS: Final[dict[str, type]] = {
    "begin": np.int64,
    "column": np.int32,
    "kind": np.uint8,
    "negated": np.uint8,
    "threshold": np.float64,
    "threshold_floor": np.int64,
    "level": np.int32,
    "coefficient": np.float64,
    "fill": np.float64,
}


def array_types(criterion: str, *, of_classes: bool, tested: bool = False) -> dict[str, type]:
    """Return the name and type of every array that a tree with this criterion and target is made of.

    A tree whose questions were tested has p-values as well, NaN in nodes without a test.
    """
    ratio = {"gain_ratio": np.float64} if criterion == "gain_ratio" else {}
    tests = {"p_value": np.float64} if tested else {}
    return _ARRAYS | ratio | tests | (_CLASS_ARRAYS if of_classes else _NUMBER_ARRAYS)


def frozen(arrays: Arrays, types: Mapping[str, type]) -> dict[str, Array]:
    """Return copies of the arrays that nobody can write to: bytes are behind them, which never change."""
    if lacking := sorted(types.keys() - arrays.keys()):
        raise DataError(f"The tree lacks its {lacking[0]}.")
    copies: dict[str, Array] = {}
    for name, kind in types.items():
        copied: Array = np.ascontiguousarray(arrays[name], dtype=kind)
        copies[name] = np.ndarray(copied.shape, copied.dtype, buffer=copied.tobytes())
    return copies


def checked_router(
    arrays: Arrays, others: Arrays, terms: Arrays, missing: str, n_columns: int
) -> _core.Router:
    """Refuse arrays that do not make a tree: the core checks indices, here lengths and columns are."""
    n_nodes = len(arrays["parent"])
    if uneven := sorted(name for name in arrays.keys() - set(LEVEL_ARRAYS) if len(arrays[name]) != n_nodes):
        raise DataError(f"The tree has {many(n_nodes, 'node')}, but its {uneven[0]} has another length.")
    if missing not in MISSING_RULES:
        raise _damaged(f"rows with missing values follow no rule called {missing!r}")
    _check_columns(arrays["column"][arrays["n_children"] > 0], n_columns)
    if terms:
        _check_columns(terms["column"], n_columns)
    try:
        router = _core.Router(
            **{name: arrays[name] for name in _ROUTING},
            missing=missing,
            others=dict(others),
            terms=dict(terms),
        )
    except ValueError as error:
        raise _damaged(str(error)) from error
    _check_shape(arrays)
    _check_questions(arrays, arrays["n_children"] > 0, n_columns)
    _check_terms(arrays, terms)
    if others:
        _check_others(arrays, others, n_columns)
    elif missing == "surrogates" and (arrays["n_children"] > 0).any():
        raise _damaged("its rows follow surrogates, but it has no list of them")
    return router


def checked_rule(rule: LeafRule | None, n_classes: int) -> LeafRule:
    """Return the rule for leaves of that many classes; refuse one that does not fit them."""
    if rule is None:
        return LeafRule.plain(n_classes)
    per_class = [(part, (n_classes,)) for part in (rule.prior, rule.factors, rule.class_weight)]
    for part, shape in [*per_class, (rule.loss, (n_classes, n_classes))]:
        if part is not None and (part.shape != shape or not np.isfinite(part).all()):
            raise _damaged("its rule for leaves does not have finite numbers for each class")
    return rule


def _damaged(what: str) -> DataError:
    return DataError(f"The tree is damaged: {what}.")


def _check_shape(arrays: Arrays) -> None:
    first, size, parent = (arrays[name] for name in ("first_child", "n_children", "parent"))
    below = np.arange(1, len(parent))
    above = parent[1:]
    if parent[0] != -1 or (above < 0).any() or (above >= below).any():
        raise _damaged("a node comes before its parent")
    agree = (first[above] <= below) & (below < first[above] + size[above])
    if not agree.all() or size.sum() != len(parent) - 1:
        raise _damaged("parents and children do not agree")
    depth = arrays["depth"]
    if depth[0] != 0 or (depth[1:] != depth[above] + 1).any():
        raise _damaged("a node's depth is not its parent's plus one")
    if (arrays["n_rows"] < 0).any():
        raise _damaged("a node has less than no rows")
    if "p_value" in arrays and ((arrays["p_value"] < 0.0) | (arrays["p_value"] > 1.0)).any():
        raise _damaged("a p-value is no probability")


def _check_questions(questions: Arrays, asked: npt.NDArray[np.bool_], n_columns: int) -> None:
    kind = questions["kind"]
    if (questions["n_children"][asked & (kind != LEVELS)] != 2).any():
        raise _damaged("a question with two answers does not have two children")
    _check_thresholds(questions, asked & np.isin(kind, (THRESHOLD, *COMPOSITE)))
    _check_columns(questions["column"][asked], n_columns)


def _check_columns(asked: Array, n_columns: int) -> None:
    if ((asked < 0) | (asked >= n_columns)).any():
        raise _damaged("it asks about a column that is not there")


def _check_thresholds(questions: Arrays, cuts: npt.NDArray[np.bool_]) -> None:
    real, floor = questions["threshold"][cuts], questions["threshold_floor"][cuts]
    near = np.abs(real) < 2**52
    agree = (np.floor(real[near]) == floor[near]).all()
    if not agree or not all(map(_agree, real[~near].tolist(), floor[~near].tolist())):
        raise _damaged("the two forms of a threshold do not agree")


def _agree(real: float, floor: int) -> bool:
    """Tell whether one form of a large threshold is the other one, rounded down."""
    if math.isnan(real):
        return False
    return floor_of(real) == floor or real <= floor < math.nextafter(real, math.inf)


def _check_terms(arrays: Arrays, terms: Arrays) -> None:
    """Refuse terms that do not make the questions of their nodes: the core has checked indices and kinds."""
    if not terms:
        return
    begin, sizes = terms["begin"][:-1], np.diff(terms["begin"])
    composite = sizes > 0
    missing = arrays["missing_seen"].astype(np.bool_) | (arrays["missing_child"] < 0)
    if (missing | (np.diff(arrays["level_begin"]) > 0))[composite].any():
        raise _damaged("a question about several columns has levels, or a rule for missing values")
    if (arrays["column"][composite] != terms["column"][begin[composite]]).any():
        raise _damaged("a question about several columns does not begin with its first column")
    counting = composite & (arrays["kind"] == AT_LEAST)
    m, n = arrays["threshold"][counting], sizes[counting]
    if (n < 2).any() or not ((m >= 1) & (m <= n) & (m == np.floor(m))).all():
        raise _damaged("a question counts literals, but not from 1 to as many as it has, of two or more")
    if (terms["negated"] > np.repeat(arrays["kind"] == AT_LEAST, sizes)).any():
        raise _damaged("a term is negated that cannot be")
    if np.isnan(terms["threshold"]).any():
        raise _damaged("the threshold of a literal is not a number")
    _check_thresholds(terms, terms["kind"] == THRESHOLD)


def _check_others(arrays: Arrays, others: Arrays, n_columns: int) -> None:
    """Refuse lists that lead nowhere: competitors are only shown, so the core has not looked at them."""
    n_others = len(others["role"])
    per_other = others.keys() - {*LEVEL_ARRAYS, "begin"}
    begin, level_begin = others["begin"], others["level_begin"]
    if any(len(others[name]) != n_others for name in per_other) or len(level_begin) != n_others + 1:
        raise _damaged("the lists of its competitors and surrogates differ in length")
    if len(begin) != len(arrays["parent"]) + 1 or begin[0] != 0 or begin[-1] != n_others:
        raise _damaged("its competitors and surrogates do not belong to its nodes")
    if level_begin[0] != 0 or level_begin[-1] != len(others["level"]):
        raise _damaged("the levels of a competitor or surrogate end elsewhere")
    if (np.diff(begin) < 0).any() or (np.diff(level_begin) < 0).any():
        raise _damaged("the lists of its competitors and surrogates run backwards")
    if len(others["level_child"]) != len(others["level"]):
        raise _damaged("the levels of a competitor or surrogate go nowhere")
    if not np.isin(others["role"], (COMPETITOR, SURROGATE)).all():
        raise _damaged("a question is neither a competitor nor a surrogate")
    if not np.isin(others["kind"], (THRESHOLD, LEVELS, MISSING)).all():
        raise _damaged("a competitor or surrogate is of an unknown kind")
    # Every level of a question with many answers is listed, and missing values may have a child of their own.
    n_children, most = others["n_children"], np.maximum(2, np.diff(level_begin) + 1)
    if ((n_children < 2) | (n_children > most)).any() or (n_children[others["role"] == SURROGATE] != 2).any():
        raise _damaged("a competitor or surrogate has not as many answers as it should")
    if ((others["missing_child"] < 0) | (others["missing_child"] >= n_children)).any():
        raise _damaged("missing values of a competitor or surrogate go nowhere")
    _check_questions(others, np.ones(n_others, dtype=np.bool_), n_columns)
    of_question = np.repeat(others["n_children"], np.diff(level_begin))
    if ((others["level_child"] < 0) | (others["level_child"] >= of_question)).any():
        raise _damaged("a level of a competitor or surrogate goes nowhere")
