"""Packing: a tree kept small, for the many trees of an ensemble. What was packed comes back unchanged.

Nothing is rounded. What follows from other arrays is left out, numbers take the narrowest type that holds
them, and numbers that are the same in all leaves are kept for inner nodes only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from arboretum._data import Column
from arboretum._tree.beside import Beside
from arboretum._tree.leaves import LeafRule
from arboretum._tree.tree import Target, Tree
from arboretum._types import Array, Mask

_NARROWER: Final = tuple(np.dtype(t) for t in (np.uint8, np.int8, np.uint16, np.int16, np.uint32, np.int32))


@dataclass(frozen=True, eq=False)
class PackedArray:
    """An array of numbers; `filler` stands wherever `kept` has nothing."""

    kept: Array  # of all entries or, with a filler, of inner nodes; one entry if all are the same
    dtype: np.dtype[np.generic]
    shape: tuple[int, ...]
    filler: Array | None = None

    def unpacked(self, inner: Mask | None = None) -> Array:
        """Return the array as it was; `inner` says which nodes are no leaves."""
        if self.filler is None:
            return np.broadcast_to(self.kept.astype(self.dtype), self.shape).copy()
        assert inner is not None
        whole = np.full(self.shape, self.filler, dtype=self.dtype)
        whole[inner] = self.kept
        return whole


def _parents(arrays: Mapping[str, Array]) -> Array:
    n_children = arrays["n_children"]
    parents: Array = np.concatenate([[-1], np.repeat(np.arange(len(n_children)), n_children)])
    return parents


def _floors(arrays: Mapping[str, Array]) -> Array:
    # Beyond this range the floors do not agree, and so they are kept.
    floors: Array = np.floor(np.clip(np.nan_to_num(arrays["threshold"]), -(2.0**62), 2.0**62)).astype(
        np.int64
    )
    return floors


# What follows from arrays that are kept. The answer is compared before it is relied on.
_FOLLOWING: Final[dict[str, Callable[[Mapping[str, Array]], Array]]] = {
    "id": lambda arrays: np.arange(len(arrays["n_children"])),
    "parent": _parents,
    "threshold_floor": _floors,
    "weight": lambda arrays: arrays["n_rows"].astype(np.float64),
}


@dataclass(frozen=True, eq=False)
class TreeKind:
    """What the trees of an ensemble share."""

    columns: tuple[Column, ...]
    target: Target
    criterion: str
    missing: str
    rule: LeafRule | None
    shrinkage: float

    @staticmethod
    def of(tree: Tree) -> TreeKind:
        """Return the kind of a tree."""
        return TreeKind(tree.columns, tree.target, tree.criterion, tree.missing, tree.rule, tree.shrinkage)


@dataclass(frozen=True, eq=False)
class PackedTree:
    """A tree without what can be told from the rest."""

    kind: TreeKind
    arrays: dict[str, PackedArray]
    remembered: dict[str, PackedArray]
    terms: dict[str, PackedArray]
    following: frozenset[str]
    predicts_by_rule: bool
    beside: Mapping[str, Beside]

    def unpacked(self) -> Tree:
        """Return the tree."""
        n_children = self.arrays["n_children"].unpacked()
        inner = n_children > 0
        arrays = {name: packed.unpacked(inner) for name, packed in self.arrays.items()}
        for name in _FOLLOWING:
            if name in self.following:
                arrays[name] = _FOLLOWING[name](arrays)
        kind = self.kind
        if self.predicts_by_rule:
            arrays |= _predictions(kind, arrays)
        return Tree(
            kind.columns,
            kind.target,
            kind.criterion,
            arrays,
            missing=kind.missing,
            remembered={name: packed.unpacked() for name, packed in self.remembered.items()},
            terms={name: packed.unpacked() for name, packed in self.terms.items()},
            rule=kind.rule,
            shrinkage=kind.shrinkage,
            beside=self.beside,
            as_grown=True,
        )

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self.arrays["n_children"].shape[0]

    @property
    def n_bytes(self) -> int:
        """The memory that the numbers take."""
        parts = (self.arrays, self.remembered, self.terms)
        return sum(packed.kept.nbytes for part in parts for packed in part.values())


def pack(tree: Tree, kind: TreeKind | None = None) -> PackedTree:
    """Return a tree in its packed form; `kind` is that of another tree of the same ensemble."""
    if kind is None or (tree.missing, tree.shrinkage) != (kind.missing, kind.shrinkage):
        kind = TreeKind.of(tree)  # such as that of a tree without surrogates among others
    arrays = {name: tree.array(name) for name in tree._arrays}
    following = frozenset(
        name
        for name, answer in _FOLLOWING.items()
        if name in arrays and np.array_equal(answer(arrays), arrays[name])
    )
    predictions = _predictions(kind, arrays)
    by_rule = all(np.array_equal(predictions[name], arrays[name]) for name in predictions)
    left_out = following | (predictions.keys() if by_rule else frozenset())
    inner = arrays["n_children"] > 0
    return PackedTree(
        kind,
        {
            name: _packed(arrays[name], None if name == "n_children" else inner)
            for name in arrays
            if name not in left_out
        },
        {name: _packed(array) for name, array in tree.remembered.items()},
        {name: _packed(array) for name, array in tree.terms.items()},
        following,
        by_rule,
        dict(tree.beside),
    )


def _predictions(kind: TreeKind, arrays: Mapping[str, Array]) -> dict[str, Array]:
    """Return what the leaf rule makes of a node's own rows, for classes."""
    return {} if kind.rule is None else kind.rule.leaves(arrays, kind.shrinkage)


def _packed(array: Array, inner: Mask | None = None) -> PackedArray:
    bits = _bits(array)
    if len(array) and (bits == bits[:1]).all():
        return PackedArray(_narrow(array[:1]), array.dtype, array.shape)
    if inner is not None and len(array) == len(inner) and not inner.all():
        leaves = bits[~inner]
        if (leaves == leaves[:1]).all():
            filler = array[~inner][:1].copy()  # a view would keep all of them
            return PackedArray(_narrow(array[inner]), array.dtype, array.shape, filler)
    return PackedArray(_narrow(array), array.dtype, array.shape)


def _bits(array: Array) -> Array:
    """Return numbers that are equal only if those of the array are the same, down to the sign of zero."""
    return np.ascontiguousarray(array).view(f"i{array.dtype.itemsize}")


def _narrow(array: Array) -> Array:
    """Return the same numbers in the narrowest type that holds all of them."""
    if array.size == 0:
        return array.copy()
    bits = _bits(array)
    for dtype in (*_NARROWER, np.dtype(np.float32)):
        if dtype.itemsize >= array.dtype.itemsize:
            continue
        with np.errstate(all="ignore"):
            narrow = array.astype(dtype)
            same = bool((_bits(narrow.astype(array.dtype)) == bits).all())
        if same:
            return narrow
    return array.copy()
