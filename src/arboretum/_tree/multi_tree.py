"""MultiTree: one set of questions with the numbers of several outputs. Each output is a Tree of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from arboretum._data import Unknown
from arboretum._tree.importance import column_importance
from arboretum._tree.tree import Tree, labels_of
from arboretum._types import Array, Numbers
from arboretum._wording import many
from arboretum.errors import DataError, listing


class MultiTree:
    """A tree that predicts several outputs, as a value: printed as text, compared by content.

    `outputs` holds one Tree for each output. They ask the same questions; labels, counts and impurities are
    each output's own. `tree["price"]` and `tree[0]` are two ways to one of them.

    >>> from arboretum import TreeRegressor
    >>> tree = TreeRegressor(prune=None).fit([[1], [2], [3]], [[1, 30], [1, 20], [4, 10]]).tree_
    >>> print(tree)
    [3 rows]  y0: mean 2; y1: mean 20
    ├── x0 <= 2.5  [2 rows]  y0: mean 1; y1: mean 25
    │   ├── x0 <= 1.5  [1 row]  → y0: 1.76923; y1: 21.9872
    │   └── x0 > 1.5  [1 row]  → y0: 1.76923; y1: 20.3205
    └── x0 > 2.5  [1 row]  → y0: 2.46154; y1: 17.6923
    """

    names: tuple[str, ...]
    outputs: tuple[Tree, ...]

    def __init__(self, names: tuple[str, ...], outputs: tuple[Tree, ...]) -> None:
        if len(outputs) < 2 or len(names) != len(outputs):
            raise DataError("A MultiTree holds two outputs or more, each with a name.")
        first = outputs[0]
        for name, tree in zip(names, outputs, strict=True):
            if not _ask_the_same(first, tree):
                raise DataError(f"The outputs {names[0]!r} and {name!r} do not ask the same questions.")
        self.__dict__.update(names=names, outputs=outputs)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A tree is a value and never changes: its {name} cannot be set.")

    if not TYPE_CHECKING:  # which would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            """Say how to get what a tree of one output has."""
            if name.startswith("_") or not (hasattr(Tree, name) or name in Tree.__annotations__):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            raise AttributeError(
                f"{name} is for one output, but {len(self.names)} were learnt.\n"
                f"Hint: tree[{self.names[0]!r}].{name} is that of one of them, with the same questions."
            )

    def __getitem__(self, output: int | str) -> Tree:
        if isinstance(output, str):
            if output not in self.names:
                raise KeyError(f"no output is called {output!r}; there are {listing(self.names)}")
            return self.outputs[self.names.index(output)]
        return self.outputs[output]

    def __iter__(self) -> Iterator[Tree]:
        return iter(self.outputs)

    def __len__(self) -> int:
        """The number of nodes."""
        return len(self.outputs[0])

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return self.outputs[0].n_leaves

    @property
    def depth(self) -> int:
        """The largest number of questions between the root and a leaf."""
        return self.outputs[0].depth

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return what is predicted for each row of a table: rows × outputs."""
        leaves = self.outputs[0].apply(X, unknown=unknown)
        return at_leaves(self.outputs, leaves)

    def to_text(self, *, max_depth: int | None = None, max_nodes: int | None = None) -> str:
        """Return the tree as text, with all outputs in each node; `max_depth` and `max_nodes` shorten it."""
        from arboretum._show.several_text import several_text

        return several_text(self, max_depth=max_depth, max_nodes=max_nodes)

    def _repr_html_(self) -> str:
        """Return the interactive page for a notebook."""
        from arboretum._show.page.html import notebook_html

        return notebook_html(self)

    def __str__(self) -> str:
        return self.to_text(max_nodes=1_000)

    def __repr__(self) -> str:
        size = f"{many(len(self), 'node')}, {many(self.n_leaves, 'leaf')}, depth {self.depth}"
        return f"<MultiTree of {many(len(self.outputs), 'output')}: {size}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MultiTree):
            return NotImplemented
        return (self.names, self.outputs) == (other.names, other.outputs)

    def __hash__(self) -> int:
        return hash((self.names, self.outputs))

    def __reduce__(self) -> tuple[Any, ...]:
        return MultiTree, (self.names, self.outputs)


def several_of(model: Any) -> MultiTree | None:
    """Return the tree of a model of several outputs, or such a tree itself; None for anything else."""
    tree = model if isinstance(model, MultiTree) else getattr(model, "tree_", None)
    return tree if isinstance(tree, MultiTree) and not isinstance(model, type) else None


def at_leaves(outputs: tuple[Tree, ...], leaves: Array) -> Array:
    """Return what the outputs predict at these leaves: leaves × outputs, of objects if kinds differ."""
    found = [
        labels_of(tree).take(tree.array("label")[leaves])
        if tree.rule is not None
        else tree.array("value")[leaves]
        for tree in outputs
    ]
    return side_by_side(found)


def side_by_side(columns: list[Array]) -> Array:
    """Return columns as one array: of text if all are text, of numbers if all are, else of objects."""
    kinds = {"n" if column.dtype.kind in "biuf" else column.dtype.kind for column in columns}
    if len(kinds) == 1 and (kinds == {"U"} or kinds == {"n"}):
        return np.stack(columns, axis=1)
    joined = np.empty((len(columns[0]), len(columns)), dtype=object)
    for place, column in enumerate(columns):
        joined[:, place] = column
    return joined


def _ask_the_same(one: Tree, other: Tree) -> bool:
    names = ("parent", "kind", "column", "threshold", "threshold_floor", "missing_child", "level_begin")
    more = ("level", "level_child", "n_rows")
    return one.columns == other.columns and all(
        np.array_equal(one.array(name), other.array(name)) for name in (*names, *more) if name in one._arrays
    )


def importance_of(outputs: tuple[Tree, ...], shares: tuple[float, ...]) -> Numbers:
    """Return how much each column lowers the combined impurity, in shares of that at the root."""
    total = np.zeros(len(outputs[0].columns))
    for tree, share in zip(outputs, shares, strict=True):
        root = float(tree.array("impurity")[0])
        if root > 0:
            total += share * column_importance(tree) / root
    return total
