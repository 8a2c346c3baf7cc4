"""Cuts: where the questions of a tree divide a column. Between two cuts every prediction is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from arboretum._tree.composites import Linear
from arboretum._tree.questions import Threshold
from arboretum._tree.tables import SURROGATE
from arboretum._tree.tree import Tree
from arboretum._types import Array, Mask


def cuts_of(tree: Tree, place: int) -> Array:
    """Return the thresholds of a column in stored form, ascending: cell k holds what is above k of them.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> cuts_of(TreeClassifier(max_depth=2).fit(X, y).tree_, 2).tolist()
    [2.45]
    """
    asked = [
        (arrays["threshold"][chosen], arrays["threshold_floor"][chosen])
        for arrays, chosen in _asked(tree, place)
    ]
    real, floor = (np.concatenate(parts) for parts in zip(*asked, strict=True))
    kind = tree.columns[place].kind
    if kind == "number":
        return np.unique(real)
    inside = real >= -(2.0**63)  # no integer is at most a threshold below them all
    real, floor = real[inside], floor[inside]
    whole, first = np.unique(floor, return_index=True)
    # As questions print them: integers are cut halfway, where a double can say so.
    return real[first] if kind == "integer" and (np.abs(real) < 2.0**51).all() else whole


def is_added(tree: Tree, place: int) -> bool:
    """Return whether a column is a term of a sum, so that it is cut elsewhere in every row."""
    if not tree.terms:
        return False
    return bool(((tree.terms["column"] == place) & (tree.terms["kind"] == Linear.kind)).any())


def _asked(tree: Tree, place: int) -> Iterator[tuple[Mapping[str, Array], Mask]]:
    """Yield arrays of questions and which of them ask `x <= t` about the column."""
    arrays = {name: tree.array(name) for name in ("column", "kind", "threshold", "threshold_floor")}
    yield arrays, _cutting(arrays, place) & (tree.array("n_children") > 0)
    if tree.terms:
        yield tree.terms, _cutting(tree.terms, place)
    if tree.missing == "surrogates" and tree.remembered:
        yield tree.remembered, _cutting(tree.remembered, place) & (tree.remembered["role"] == SURROGATE)


def _cutting(arrays: Mapping[str, Array], place: int) -> Mask:
    chosen: Mask = (arrays["column"] == place) & (arrays["kind"] == Threshold.kind)
    return chosen
