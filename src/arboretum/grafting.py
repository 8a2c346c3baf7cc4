"""Grafting: another subtree in the place of a leaf.

Words: the *stock* is the tree that is grafted, the *scion* the arrays of the subtree that is put in: its root
stands for the leaf, which keeps its own numbers and asks what that root asks. Where scions come from is told
in asking.py and regrowing.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from arboretum.edits import Edit
from arboretum.leaves import cheapest
from arboretum.pruning.collapse import depths_of, ranges, taken_levels, taken_others, taken_terms
from arboretum.tree import Tree
from arboretum.tree_arrays import LEVEL_ARRAYS, OTHERS, TERMS, array_types

__all__ = ["Scion", "graft", "with_predictions"]

Array = npt.NDArray[Any]
Nodes = npt.NDArray[np.int64]

# What the leaf takes from the root of the scion; all else is its own.
_ASKED: Final = (
    *("n_children", "column", "kind", "threshold", "threshold_floor", "missing_child", "missing_seen"),
    *("gain", "gain_ratio", "improvement"),
)
_STRUCTURE: Final = ("parent", "first_child", "n_children", "depth", "id")


@dataclass(frozen=True)
class Scion:
    """The arrays of a subtree, its root first, of what its nodes remember, and of its questions' terms."""

    arrays: Mapping[str, Array]
    others: Mapping[str, Array]
    missing: str
    terms: Mapping[str, Array]


def graft(stock: Tree, leaf: int, scion: Scion, *, first_id: int, edits: tuple[Edit, ...]) -> Tree:
    """Return the tree with the scion in the place of a leaf; its nodes get ids from `first_id` on."""
    joined, others = _joined(stock, scion)
    n_stock, n_scion = len(stock), len(scion.arrays["parent"])
    # Both sets of nodes one after the other; the root of the scion is passed over for the leaf.
    first_child = np.concatenate([stock.array("first_child"), scion.arrays["first_child"] + n_stock])
    n_children = joined["n_children"]
    first_child[leaf] = first_child[n_stock]
    n_children[leaf] = n_children[n_stock]
    order = _breadth_first(first_child, n_children)

    asked = order.copy()
    if n_children[leaf] > 0:
        asked[order == leaf] = n_stock  # the leaf asks what that root asks
    arrays = {
        name: array[asked if name in _ASKED else order]
        for name, array in joined.items()
        if name not in LEVEL_ARRAYS
    }
    if "p_value" in arrays:  # that of the new question, or of the one that failed; none if it was not tested
        arrays["p_value"][order == leaf] = joined["p_value"][n_stock]
    size = arrays["n_children"]
    arrays["parent"] = np.concatenate([[-1], np.repeat(np.arange(len(order)), size)])
    arrays["first_child"] = np.where(size > 0, 1 + np.cumsum(size) - size, -1)
    arrays["depth"] = depths_of(arrays["parent"])
    new_ids = first_id - 1 + np.arange(n_scion)  # the root of the scion, which comes first, needs none
    arrays["id"] = np.concatenate([stock.array("id"), new_ids])[order]
    arrays |= taken_levels(joined, asked, np.ones(len(order), dtype=np.bool_))
    kept_others = taken_others(others, asked, np.ones(len(order), dtype=np.bool_))
    return Tree(
        stock.columns,
        stock.target,
        stock.criterion,
        arrays,
        missing=_missing_rule(stock, scion, any_others=bool(kept_others)),
        others=kept_others,
        terms=taken_terms(_joined_terms(stock, scion), asked, np.ones(len(order), dtype=np.bool_)),
        rule=stock.rule,
        edits=edits,
    )


def _missing_rule(stock: Tree, scion: Scion, *, any_others: bool) -> str:
    """Return the rule for missing values of both together."""
    rule = scion.missing if len(stock) == 1 or scion.missing == "surrogates" else stock.missing
    return "child" if rule == "surrogates" and not any_others else rule


def _breadth_first(first_child: Array, n_children: Array) -> Nodes:
    """Return the nodes below and with node 0, level by level, children side by side."""
    levels = [np.zeros(1, dtype=np.int64)]
    while len(levels[-1]):
        above = levels[-1][n_children[levels[-1]] > 0]
        levels.append(ranges(first_child[above], n_children[above]))
    return np.concatenate(levels)


def _joined(stock: Tree, scion: Scion) -> tuple[dict[str, Array], dict[str, Array]]:
    """Return the arrays of both, those of the stock first, and the same of what nodes remember."""
    types = array_types(stock.criterion, of_classes=stock.target.classes is not None)
    names = types.keys() - {*LEVEL_ARRAYS, *_STRUCTURE} | {"n_children"}
    joined = {name: np.concatenate([stock.array(name), scion.arrays[name]]) for name in names}
    joined |= _joined_levels({name: stock.array(name) for name in LEVEL_ARRAYS}, scion.arrays)
    if "p_value" in stock._arrays or "p_value" in scion.arrays:
        joined["p_value"] = np.concatenate([_tested(arrays) for arrays in (stock._arrays, scion.arrays)])
    if not stock.others and not scion.others:
        return joined, {}
    first = stock.others or _no_others(len(stock))
    second = scion.others or _no_others(len(scion.arrays["parent"]))
    names = OTHERS.keys() - {*LEVEL_ARRAYS, "begin"}
    others = {name: np.concatenate([first[name], second[name]]) for name in names}
    others["begin"] = _joined_begins(first["begin"], second["begin"])
    return joined, others | _joined_levels(first, second)


def _tested(arrays: Mapping[str, Array]) -> Array:
    """Return the p-values of nodes; NaN where no question was tested."""
    return arrays.get("p_value", np.full(len(arrays["parent"]), np.nan))


def _joined_terms(stock: Tree, scion: Scion) -> dict[str, Array]:
    """Return the terms of both, those of the stock first."""
    if not stock.terms and not scion.terms:
        return {}
    first = stock.terms or _no_terms(len(stock))
    second = scion.terms or _no_terms(len(scion.arrays["parent"]))
    terms = {name: np.concatenate([first[name], second[name]]) for name in TERMS if name != "begin"}
    return terms | {"begin": _joined_begins(first["begin"], second["begin"])}


def _joined_levels(first: Mapping[str, Array], second: Mapping[str, Array]) -> dict[str, Array]:
    levels = {name: np.concatenate([first[name], second[name]]) for name in ("level", "level_child")}
    return levels | {"level_begin": _joined_begins(first["level_begin"], second["level_begin"])}


def _joined_begins(first: Array, second: Array) -> Array:
    return np.concatenate([first[:-1], second + first[-1]])


def _no_others(n_nodes: int) -> dict[str, Array]:
    """Return the arrays of nodes that remember nothing."""
    nothing: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in OTHERS.items()}
    return nothing | {"begin": np.zeros(n_nodes + 1, np.int64), "level_begin": np.zeros(1, np.int64)}


def _no_terms(n_nodes: int) -> dict[str, Array]:
    """Return the arrays of nodes that ask about one column each."""
    nothing: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in TERMS.items()}
    return nothing | {"begin": np.zeros(n_nodes + 1, np.int64)}


def with_predictions(tree: Tree, node: int, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return the arrays of a scion for this node with what its nodes predict.

    A node without rows predicts what its parent does, which may be the node of the tree itself.
    """
    parent, empty = arrays["parent"], arrays["n_rows"] == 0
    if tree.rule is None or tree.target.classes is None:
        value = np.array(arrays["value"], dtype=np.float64)
        value[0] = tree.array("value")[node]
        value[empty] = value[parent[empty]]
        return {**arrays, "value": value}
    probability = tree.rule.probability(np.asarray(arrays["counts"], dtype=np.float64))
    probability[0] = tree.array("probability")[node]
    probability[empty] = probability[parent[empty]]
    return {**arrays, "probability": probability, "label": cheapest(probability, tree.rule.loss)}
