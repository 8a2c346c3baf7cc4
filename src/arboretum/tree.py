"""The fitted tree: an immutable value that holds structure and numbers, and nodes as light views of it.

Words: *Tree*, *Node*, *Target* (what is predicted: classes or numbers), *Rule* (the path to a leaf).
Text, files and pictures are made elsewhere (show/, files.py); growing and pruning make new trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from arboretum import _core
from arboretum.dataset import Column, ColumnData, Dataset, is_plain_matrix, match_dataset
from arboretum.errors import DataError
from arboretum.questions import LEVELS, MISSING, THRESHOLD, Levels, Missing, Question, Threshold

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["LEVEL_ARRAYS", "Node", "Rule", "Target", "Tree", "arrays_for", "core_dataset"]

Array = npt.NDArray[Any]

# Every array of a tree and its type. The first group is what routing needs.
ROUTING: Final[dict[str, type]] = {
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
ARRAYS: Final[dict[str, type]] = {
    **ROUTING,
    "parent": np.int32,
    "depth": np.int32,
    "missing_seen": np.uint8,
    "n_rows": np.int64,
    "impurity": np.float64,
    "gain": np.float64,
    "improvement": np.float64,
}
LEVEL_ARRAYS: Final = ("level_begin", "level", "level_child")  # these have not one entry per node
_CLASS_ARRAYS: Final[dict[str, type]] = {"counts": np.float64, "probability": np.float64, "label": np.int32}
_NUMBER_ARRAYS: Final[dict[str, type]] = {"value": np.float64}
_NODES_IN_TEXT: Final = 1_000
_CORE_KINDS: Final = {"ordered": "ordered", "nominal": "nominal"}


@dataclass(frozen=True)
class Target:
    """What the tree predicts: one of `classes`, or a number when there are none."""

    classes: tuple[Any, ...] | None = None


def arrays_for(target: Target) -> dict[str, type]:
    """Return the name and type of every array that a tree with this target is made of."""
    return ARRAYS | (_NUMBER_ARRAYS if target.classes is None else _CLASS_ARRAYS)


@dataclass(frozen=True)
class Rule:
    """The path to one leaf: all of the outcomes hold, so the leaf's label is predicted."""

    outcomes: tuple[str, ...]
    label: Any
    n_rows: int
    weight: float
    confidence: float | None

    def __str__(self) -> str:
        from arboretum.show.text import rule_to_text

        return rule_to_text(self)


def core_dataset(data: Dataset) -> _core.Dataset:
    """Return the table in the form the core reads; the values stay where they are."""
    handed = _core.Dataset(data.n_rows)
    for column in data.columns:
        kind = _CORE_KINDS.get(column.column.kind, "numeric")
        handed.add_column(column.values, column.missing, kind, len(column.column.levels or ()))
    return handed


class Tree:
    """A decision tree as a value: never changed, compared by content, printed as text.

    >>> from arboretum import TreeClassifier, datasets
    >>> X, y = datasets.load_iris()
    >>> tree = TreeClassifier(max_depth=2).fit(X, y).tree_
    >>> tree.root.question
    petal_length <= 2.45
    >>> [leaf.label for leaf in tree.leaves()]
    ['setosa', 'versicolor', 'virginica']
    >>> tree == Tree.from_json(tree.to_json())
    True
    """

    columns: tuple[Column, ...]
    target: Target
    criterion: str
    _arrays: Mapping[str, Array]
    _router: _core.Router

    def __init__(
        self, columns: tuple[Column, ...], target: Target, criterion: str, arrays: Mapping[str, Array]
    ) -> None:
        wanted = arrays_for(target)
        if lacking := sorted(wanted.keys() - arrays.keys()):
            raise DataError(f"The tree lacks its {lacking[0]}.")
        frozen = {name: _frozen(arrays[name], kind) for name, kind in wanted.items()}
        # Past __setattr__, which lets nobody assign anything later.
        self.__dict__.update(columns=columns, target=target, criterion=criterion)
        self.__dict__["_arrays"] = MappingProxyType(frozen)
        self.__dict__["_router"] = self._checked_router()

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A tree is a value and never changes: its {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A tree is a value and never changes: its {name} cannot be deleted.")

    def _checked_router(self) -> _core.Router:
        """Refuse arrays that do not make a tree: the core checks indices, here lengths and columns are."""
        n_nodes = len(self._arrays["parent"])
        per_node = self._arrays.keys() - set(LEVEL_ARRAYS)
        if uneven := sorted(name for name in per_node if len(self._arrays[name]) != n_nodes):
            raise DataError(f"The tree has {n_nodes} nodes, but its {uneven[0]} has another length.")
        try:
            router = _core.Router(**{name: self._arrays[name] for name in ROUTING})
        except ValueError as error:
            raise DataError(f"The tree is damaged: {error}.") from error
        first, size, parent = (self._arrays[name] for name in ("first_child", "n_children", "parent"))
        below = np.arange(1, n_nodes)
        above = parent[1:]
        if parent[0] != -1 or (above < 0).any() or (above >= below).any():
            raise DataError("The tree is damaged: a node comes before its parent.")
        agree = (first[above] <= below) & (below < first[above] + size[above])
        if not agree.all() or size.sum() != n_nodes - 1:
            raise DataError("The tree is damaged: parents and children do not agree.")
        depth = self._arrays["depth"]
        if depth[0] != 0 or (depth[1:] != depth[above] + 1).any():
            raise DataError("The tree is damaged: a node's depth is not its parent's plus one.")
        if (self._arrays["n_rows"] < 0).any():
            raise DataError("The tree is damaged: a node has less than no rows.")
        inner = size > 0
        kind = self._arrays["kind"]
        if (size[inner & (kind != LEVELS)] != 2).any():
            raise DataError("The tree is damaged: a question with two answers does not have two children.")
        asked = inner & (kind == THRESHOLD) & (np.abs(self._arrays["threshold"]) < 2**52)
        if (np.floor(self._arrays["threshold"][asked]) != self._arrays["threshold_floor"][asked]).any():
            raise DataError("The tree is damaged: the two forms of a threshold do not agree.")
        if (self._arrays["column"][inner] >= len(self.columns)).any():
            raise DataError("The tree is damaged: it asks about a column that is not there.")
        return router

    # --- structure

    @property
    def root(self) -> Node:
        """The node all rows come through."""
        return Node(self, 0)

    def node(self, number: int) -> Node:
        """Return a node by its number; numbers run from the root downwards, level by level."""
        if not 0 <= number < len(self):
            raise DataError(f"The tree has nodes 0 to {len(self) - 1}, but node {number} was asked for.")
        return Node(self, number)

    def walk(self) -> Iterator[Node]:
        """Yield every node, each before its children, left before right."""
        open_nodes = [0]
        while open_nodes:
            node = Node(self, open_nodes.pop())
            yield node
            open_nodes.extend(child.number for child in reversed(node.children))

    def leaves(self) -> Iterator[Node]:
        """Yield the leaves from left to right."""
        return (node for node in self.walk() if node.is_leaf)

    def __len__(self) -> int:
        return len(self._arrays["parent"])

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self._arrays["n_children"] == 0).sum())

    @property
    def depth(self) -> int:
        """The largest number of questions on the way to a leaf."""
        return int(self._arrays["depth"].max())

    def array(self, name: str) -> Array:
        """Return one of the arrays the tree is made of, one entry per node, read-only."""
        return self._arrays[name]

    # --- use

    def predict(self, X: Any) -> Array:
        """Return what the tree predicts for each row of a table: a class or a number.

        Columns are found by name, or by position if they are called x0, x1, … or the table has no names.
        """
        leaves = self.apply(X)
        if self.target.classes is None:
            values: Array = self._arrays["value"].take(leaves)
            return values
        labels: Array = _as_array(self.target.classes).take(self._arrays["label"].take(leaves))
        return labels

    def apply(self, X: Any) -> npt.NDArray[np.int32]:
        """Return the number of the leaf in which each row of a table comes to rest."""
        named = any(column.name != f"x{place}" for place, column in enumerate(self.columns))
        return self._route(X, named=named, owner="this tree")

    def _route(
        self,
        X: Any,
        *,
        named: bool,
        owner: str,
        check: Callable[[ColumnData, str], None] | None = None,
    ) -> npt.NDArray[np.int32]:
        """Return the leaves of the rows of a table, whose columns are found as `match_dataset` says."""
        if check is None and self._all_numbers and is_plain_matrix(X, len(self.columns)):
            # Nothing to find, convert or refuse: for a single row, looking would take most of the time.
            return self._router.leaves_of_matrix(X)
        return self._leaves_of(match_dataset(X, self.columns, named=named, owner=owner, check=check))

    @cached_property
    def _all_numbers(self) -> bool:
        """Whether every column holds numbers that are stored as they are."""
        return all(column.kind in ("number", "integer") and not column.offset for column in self.columns)

    def _leaves_of(self, data: Dataset) -> npt.NDArray[np.int32]:
        leaves: npt.NDArray[np.int32] = self._router.leaves_of(core_dataset(data))
        return leaves

    def rules(self) -> list[Rule]:
        """Return one rule per leaf, from left to right."""
        return [Rule(n.outcomes, n.label, n.n_rows, n.weight, n.confidence) for n in self.leaves()]

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per node."""
        from arboretum.show.frame import to_frame

        return to_frame(self)

    def to_json(self) -> str:
        """Return the tree as JSON text; `Tree.from_json` reads it back."""
        from arboretum.files import tree_to_json

        return tree_to_json(self)

    @staticmethod
    def from_json(text: str) -> Tree:
        """Return the tree that `to_json` wrote; anything else is refused with a DataError."""
        from arboretum.files import tree_from_json

        return tree_from_json(text)

    def __str__(self) -> str:
        from arboretum.show.text import to_text

        return to_text(self, max_nodes=_NODES_IN_TEXT)

    def __repr__(self) -> str:
        return f"<Tree: {len(self)} nodes, {self.n_leaves} leaves, depth {self.depth}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            (self.columns, self.criterion) == (other.columns, other.criterion)
            and self.target == other.target
            and all(np.array_equal(mine, other._arrays[name]) for name, mine in self._arrays.items())
        )

    @cached_property
    def _hash(self) -> int:
        return hash((self.columns, self.criterion, self._arrays["column"].tobytes()))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        return Tree, (self.columns, self.target, self.criterion, dict(self._arrays))


def _frozen(array: Array, kind: type) -> Array:
    """Return a copy of the array that nobody can write to: bytes are behind it, which never change."""
    copied: Array = np.ascontiguousarray(array, dtype=kind)
    return np.ndarray(copied.shape, copied.dtype, buffer=copied.tobytes())


def _as_array(classes: tuple[Any, ...]) -> Array:
    """Return the classes as an array of their own type; of objects where NumPy would change them."""
    array = np.array(classes) if len({type(label) for label in classes}) == 1 else None
    if array is None or array.tolist() != list(classes):
        array = np.empty(len(classes), dtype=object)
        array[:] = classes
    return array


@dataclass(frozen=True)
class Node:
    """One node of a tree: a light view, made when it is looked at."""

    tree: Tree
    number: int

    def _get(self, name: str) -> Any:
        return self.tree.array(name)[self.number]

    @property
    def is_leaf(self) -> bool:
        """Whether nothing is asked here."""
        return bool(self._get("n_children") == 0)

    @property
    def children(self) -> tuple[Node, ...]:
        """The nodes below, one per outcome of the question."""
        first = int(self._get("first_child"))
        return tuple(Node(self.tree, first + i) for i in range(int(self._get("n_children"))))

    @property
    def parent(self) -> Node | None:
        """The node above; None for the root."""
        above = int(self._get("parent"))
        return None if above < 0 else Node(self.tree, above)

    @property
    def depth(self) -> int:
        """The number of questions on the way here."""
        return int(self._get("depth"))

    @property
    def question(self) -> Question | None:
        """What is asked here; None in a leaf."""
        if self.is_leaf:
            return None
        column = self.tree.columns[int(self._get("column"))]
        missing = (int(self._get("missing_child")), bool(self._get("missing_seen")))
        match int(self._get("kind")):
            case int(kind) if kind == THRESHOLD:
                return Threshold(
                    column, *missing, float(self._get("threshold")), int(self._get("threshold_floor"))
                )
            case int(kind) if kind == LEVELS:
                return Levels(column, *missing, self._levels())
            case int(kind) if kind == MISSING:
                return Missing(column, *missing)
        raise DataError(f"Node {self.number} of the tree asks a question of an unknown kind.")

    def _levels(self) -> tuple[tuple[int, ...], ...]:
        begin, end = self.tree.array("level_begin")[self.number : self.number + 2]
        levels, child = self.tree.array("level")[begin:end], self.tree.array("level_child")[begin:end]
        return tuple(tuple(levels[child == c].tolist()) for c in range(int(self._get("n_children"))))

    @property
    def outcome(self) -> str | None:
        """The answer that leads here from the parent; None for the root."""
        parent = self.parent
        if parent is None or parent.question is None:
            return None
        return parent.question.outcomes[self.number - int(parent._get("first_child"))]

    @property
    def takes_missing(self) -> bool:
        """Whether rows with a missing value come here on purpose: some did when the tree was grown."""
        parent = self.parent
        if parent is None or parent.question is None or isinstance(parent.question, Missing):
            return False
        place = self.number - int(parent._get("first_child"))
        return parent.question.missing_seen and parent.question.missing_child == place

    @property
    def outcomes(self) -> tuple[str, ...]:
        """All answers on the way from the root to here."""
        path: list[str] = []
        node: Node | None = self
        while node is not None and node.outcome is not None:
            path.append(f"{node.outcome} or missing" if node.takes_missing else node.outcome)
            node = node.parent
        return tuple(reversed(path))

    @property
    def n_rows(self) -> int:
        """The number of rows that came here when the tree was grown."""
        return int(self._get("n_rows"))

    @property
    def weight(self) -> float:
        """The sum of their weights."""
        return float(self._get("weight"))

    @property
    def impurity(self) -> float:
        """How mixed their targets are, by the tree's criterion."""
        return float(self._get("impurity"))

    @property
    def gain(self) -> float:
        """By how much the question lowers the impurity, on average over the rows of the node; 0 in a leaf."""
        return float(self._get("gain"))

    @property
    def improvement(self) -> float:
        """The gain times the node's share of the whole weight: what `feature_importances_` adds up."""
        return float(self._get("improvement"))

    @property
    def counts(self) -> npt.NDArray[np.float64] | None:
        """The weight of each class, in the order of `tree.target.classes`; None for numbers."""
        return None if self.tree.target.classes is None else np.asarray(self._get("counts"))

    @property
    def probability(self) -> npt.NDArray[np.float64] | None:
        """The estimated probability of each class; None for numbers."""
        return None if self.tree.target.classes is None else np.asarray(self._get("probability"))

    @property
    def value(self) -> float | None:
        """The number that is predicted here; None for classes."""
        return float(self._get("value")) if self.tree.target.classes is None else None

    @property
    def label(self) -> Any:
        """What is predicted here: a class or a number."""
        classes = self.tree.target.classes
        return self.value if classes is None else classes[int(self._get("label"))]

    @property
    def confidence(self) -> float | None:
        """The estimated probability of the label; None for numbers."""
        probability = self.probability
        return None if probability is None else float(probability[int(self._get("label"))])

    def __repr__(self) -> str:
        asked = f"leaf: {self.label}" if self.is_leaf else str(self.question)
        return f"<Node {self.number}, {self.n_rows} rows, {asked}>"
