"""The checks that arrays make a tree, before they become one.

The core checks indices; here lengths, columns and the numbers of questions are checked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from arboretum import _core
from arboretum._tree.composites import AtLeast
from arboretum._tree.kinds import COMPOSITE
from arboretum._tree.leaves import LeafRule
from arboretum._tree.question_values import floor_of
from arboretum._tree.questions import Levels, Missing, Threshold
from arboretum._tree.tables import COMPETITOR, SURROGATE, Arrays, Part, names_of, routed
from arboretum._types import Array, Mask
from arboretum._wording import many
from arboretum.errors import DataError

# What happens to a row whose value is missing where a node asks for it.
MISSING_RULES: Final = {
    "child": "sends rows with missing values to one child",
    "surrogates": "sends rows with missing values by surrogates",
    "fractions": "divides rows with missing values",
}


def frozen(arrays: Arrays, types: Mapping[str, type]) -> dict[str, Array]:
    """Return copies of the arrays that cannot be written to: views of bytes, which never change."""
    if lacking := sorted(types.keys() - arrays.keys()):
        raise DataError(f"The tree lacks its {lacking[0]}.")
    copies: dict[str, Array] = {}
    for name, kind in types.items():
        copied: Array = np.ascontiguousarray(arrays[name], dtype=kind)
        copies[name] = np.ndarray(copied.shape, copied.dtype, buffer=copied.tobytes())
    return copies


def router_of(arrays: Arrays, remembered: Arrays, terms: Arrays, missing: str) -> _core.Router:
    """Return what routes rows down the tree of these arrays; the core refuses what would lead astray."""
    try:
        return _core.Router(**routed(arrays), missing=missing, others=dict(remembered), terms=dict(terms))
    except ValueError as error:
        raise DataError(f"The tree is damaged: {error}.") from error


def checked_router(
    arrays: Arrays, remembered: Arrays, terms: Arrays, missing: str, n_columns: int
) -> _core.Router:
    """Return the same, but refuse all arrays that do not make a tree."""
    n_nodes = len(arrays["parent"])
    per_node = arrays.keys() - set(names_of(Part.LEVELS, arrays))
    if uneven := sorted(name for name in per_node if len(arrays[name]) != n_nodes):
        raise DataError(f"The tree has {many(n_nodes, 'node')}, but its {uneven[0]} has another length.")
    _refuse_if(missing not in MISSING_RULES, f"rows with missing values follow no rule called {missing!r}")
    _check_columns(arrays["column"][arrays["n_children"] > 0], n_columns)
    if terms:
        _check_columns(terms["column"], n_columns)
    router = router_of(arrays, remembered, terms, missing)
    _check_shape(arrays)
    _check_questions(arrays, arrays["n_children"] > 0, n_columns)
    _check_terms(arrays, terms)
    if remembered:
        _check_remembered(arrays, remembered, n_columns)
    elif missing == "surrogates":
        _refuse_if(arrays["n_children"] > 0, "its rows follow surrogates, but it has no list of them")
    return router


def checked_rule(rule: LeafRule | None, n_classes: int) -> LeafRule:
    """Return the rule for leaves of this many classes; refuse one that does not fit them."""
    if rule is None:
        return LeafRule.plain(n_classes)
    per_class = [(part, (n_classes,)) for part in (rule.prior, rule.factors, rule.class_weight)]
    for part, shape in [*per_class, (rule.loss, (n_classes, n_classes))]:
        odd = part is not None and (part.shape != shape or not np.isfinite(part).all())
        _refuse_if(odd, "its rule for leaves does not have finite numbers for each class")
    return rule


def _refuse_if(wrong: Any, what: str) -> None:
    """Refuse the tree if this is true, or true anywhere in an array."""
    if wrong.any() if isinstance(wrong, np.ndarray) else wrong:
        raise DataError(f"The tree is damaged: {what}.")


def _check_shape(arrays: Arrays) -> None:
    first, size, parent = (arrays[name] for name in ("first_child", "n_children", "parent"))
    depth, below, above = arrays["depth"], np.arange(1, len(parent)), parent[1:]
    _refuse_if(parent[0] != -1 or ((above < 0) | (above >= below)).any(), "a node comes before its parent")
    strays = (first[above] > below) | (below >= first[above] + size[above])
    _refuse_if(strays.any() or size.sum() != len(parent) - 1, "parents and children do not agree")
    _refuse_if(
        depth[0] != 0 or (depth[1:] != depth[above] + 1).any(), "a node's depth is not its parent's plus one"
    )
    _refuse_if(arrays["n_rows"] < 0, "a node has less than no rows")
    if "p_value" in arrays:
        _refuse_if((arrays["p_value"] < 0.0) | (arrays["p_value"] > 1.0), "a p-value is no probability")


def _check_questions(questions: Arrays, asked: Mask, n_columns: int) -> None:
    kind = questions["kind"]
    children = questions["n_children"][asked & (kind != Levels.kind)]
    _refuse_if(children != 2, "a question with two answers does not have two children")
    _check_thresholds(questions, asked & np.isin(kind, (Threshold.kind, *COMPOSITE)))
    _check_columns(questions["column"][asked], n_columns)


def _check_columns(asked: Array, n_columns: int) -> None:
    _refuse_if((asked < 0) | (asked >= n_columns), "it asks about a column that is not there")


def _check_thresholds(questions: Arrays, cuts: Mask) -> None:
    real, floor = questions["threshold"][cuts], questions["threshold_floor"][cuts]
    near = np.abs(real) < 2**52
    agree = (np.floor(real[near]) == floor[near]).all()
    agree = agree and all(map(_agree, real[~near].tolist(), floor[~near].tolist()))
    _refuse_if(not agree, "the two forms of a threshold do not agree")


def _agree(real: float, floor: int) -> bool:
    """Return whether one form of a large threshold is the other one, rounded down."""
    if math.isnan(real):
        return False
    return floor_of(real) == floor or real <= floor < math.nextafter(real, math.inf)


def _check_terms(arrays: Arrays, terms: Arrays) -> None:
    """Refuse terms that do not make the questions of their nodes: the core has checked indices and kinds."""
    if not terms:
        return
    begin, sizes = terms["begin"][:-1], np.diff(terms["begin"])
    composite, counts = sizes > 0, arrays["kind"] == AtLeast.kind
    missing = arrays["missing_seen"].astype(np.bool_) | (arrays["missing_child"] < 0)
    extra = (missing | (np.diff(arrays["level_begin"]) > 0))[composite]
    _refuse_if(extra, "a question about several columns has levels, or a rule for missing values")
    other = arrays["column"][composite] != terms["column"][begin[composite]]
    _refuse_if(other, "a question about several columns does not begin with its first column")
    m, n = arrays["threshold"][composite & counts], sizes[composite & counts]
    possible = (n >= 2) & (m >= 1) & (m <= n) & (m == np.floor(m))
    _refuse_if(~possible, "a question counts literals, but not from 1 to as many as it has, of two or more")
    _refuse_if(terms["negated"] > np.repeat(counts, sizes), "a term is negated that cannot be")
    _refuse_if(np.isnan(terms["threshold"]), "the threshold of a literal is not a number")
    _check_thresholds(terms, terms["kind"] == Threshold.kind)


def _check_remembered(arrays: Arrays, remembered: Arrays, n_columns: int) -> None:
    """Refuse lists that lead nowhere: competitors are only shown, so the core has not looked at them."""
    n_questions = len(remembered["role"])
    single = remembered.keys() - {"begin", *names_of(Part.LEVELS, remembered)}
    begin, level_begin = remembered["begin"], remembered["level_begin"]
    uneven = (
        any(len(remembered[name]) != n_questions for name in single) or len(level_begin) != n_questions + 1
    )
    _refuse_if(uneven, "the lists of its competitors and surrogates differ in length")
    lost = len(begin) != len(arrays["parent"]) + 1 or begin[0] != 0 or begin[-1] != n_questions
    _refuse_if(lost, "its competitors and surrogates do not belong to its nodes")
    lost = level_begin[0] != 0 or level_begin[-1] != len(remembered["level"])
    _refuse_if(lost, "the levels of a competitor or surrogate end elsewhere")
    sizes = np.diff(level_begin)
    backwards = (np.diff(begin) < 0).any() or (sizes < 0).any()
    _refuse_if(backwards, "the lists of its competitors and surrogates run backwards")
    lost = len(remembered["level_child"]) != len(remembered["level"])
    _refuse_if(lost, "the levels of a competitor or surrogate go nowhere")
    role, kind, n_children = (remembered[name] for name in ("role", "kind", "n_children"))
    _refuse_if(~np.isin(role, (COMPETITOR, SURROGATE)), "a question is neither a competitor nor a surrogate")
    known = np.isin(kind, (Threshold.kind, Levels.kind, Missing.kind))
    _refuse_if(~known, "a competitor or surrogate is of an unknown kind")
    # Every level of a question with many answers is listed, and missing values may have a child of their own.
    odd = (
        (n_children < 2) | (n_children > np.maximum(2, sizes + 1)) | ((role == SURROGATE) & (n_children != 2))
    )
    _refuse_if(odd, "a competitor or surrogate has not as many answers as it should")
    lost = (remembered["missing_child"] < 0) | (remembered["missing_child"] >= n_children)
    _refuse_if(lost, "missing values of a competitor or surrogate go nowhere")
    _check_questions(remembered, np.ones(n_questions, dtype=np.bool_), n_columns)
    child = remembered["level_child"]
    lost = (child < 0) | (child >= np.repeat(n_children, sizes))
    _refuse_if(lost, "a level of a competitor or surrogate goes nowhere")
