"""The fitted tree: an immutable value that holds structure and numbers; its nodes are light views of it.

Text, files and pictures are made by other layers; growing, pruning and editing make new trees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from arboretum import _core
from arboretum._data import Column, ColumnData, Dataset, Unknown, is_plain_matrix
from arboretum._data.dataset import core_dataset
from arboretum._data.matching import takes_unknown_as_missing
from arboretum._data.scalars import is_integer
from arboretum._tree.asked_columns import are_plain_numbers, look_at_matrix, match_asked
from arboretum._tree.beside import Beside, checked_beside
from arboretum._tree.checks import checked_router, checked_rule, frozen, router_of
from arboretum._tree.edits import Edit
from arboretum._tree.kinds import decode
from arboretum._tree.leaves import LeafRule, cheapest
from arboretum._tree.linear_models import models_of, values_of_rows
from arboretum._tree.node import Node
from arboretum._tree.questions import Question
from arboretum._tree.tables import SURROGATE, TERMS, Table, array_types, questions_of, remembered_types
from arboretum._types import Array, Codes, Indices, Numbers
from arboretum._wording import many, shown
from arboretum.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from arboretum.inspection.rules.rule import Rules

__all__ = ["Node", "Target", "Tree", "core_dataset"]


_NODES_IN_TEXT: Final = 1_000


@dataclass(frozen=True)
class Target:
    """What the tree predicts: one of `classes`, or a number if there are none."""

    classes: tuple[Any, ...] | None = None


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
    missing: str  # where rows go whose value is missing: to a "child", by "surrogates", or in "fractions"
    rule: LeafRule | None  # how class weights become labels; None for numbers
    shrinkage: float  # how strongly predictions are drawn towards the nodes above, in rows; 0: not at all
    edits: tuple[Edit, ...]  # what was changed by hand, in order
    remembered: Mapping[str, Array]  # the arrays of competitors and surrogates; empty if there are none
    terms: Mapping[str, Array]  # the arrays of the parts of questions about several columns; likewise
    beside: Mapping[str, Beside]  # what only some trees have, by name
    _arrays: Mapping[str, Array]
    _router: _core.Router

    def __init__(
        self,
        columns: tuple[Column, ...],
        target: Target,
        criterion: str,
        arrays: Mapping[str, Array],
        *,
        missing: str = "child",
        remembered: Mapping[str, Array] | None = None,
        terms: Mapping[str, Array] | None = None,
        rule: LeafRule | None = None,
        shrinkage: float = 0.0,
        edits: tuple[Edit, ...] = (),
        beside: Mapping[str, Beside] | None = None,
        as_grown: bool = False,
    ) -> None:
        if target.classes is not None:
            rule = checked_rule(rule, len(target.classes))
        if "id" not in arrays:
            arrays = {**arrays, "id": np.arange(len(arrays["parent"]), dtype=np.int32)}
        of_classes = target.classes is not None
        kept = frozen(
            arrays,
            array_types(criterion, arrays, of_classes=of_classes, shrunken=shrinkage > 0),
        )
        others = frozen(remembered, remembered_types(remembered)) if remembered else {}
        parts = frozen(terms, TERMS) if terms else {}
        checked_beside(beside or {}, len(kept["parent"]), len(columns))
        # This bypasses __setattr__, which refuses every assignment.
        self.__dict__.update(
            columns=columns,
            target=target,
            criterion=criterion,
            missing=missing,
            rule=rule,
            shrinkage=shrinkage,
            edits=edits,
            beside=MappingProxyType(dict(beside or {})),
            remembered=MappingProxyType(others),
            terms=MappingProxyType(parts),
            _arrays=MappingProxyType(kept),
            # What the core has just grown need not be checked: cross-validation makes many such trees.
            _router=router_of(kept, others, parts, missing)
            if as_grown
            else checked_router(kept, others, parts, missing, len(columns)),
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A tree is a value and never changes: its {name} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A tree is a value and never changes: its {name} cannot be deleted.")

    # --- structure

    @property
    def root(self) -> Node:
        """The node that every row passes."""
        return Node(self, 0)

    def node(self, number: int) -> Node:
        """Return a node by its number; numbers run from the root downwards, level by level."""
        if not is_integer(number):
            raise ParameterError(f"number={shown(number)} is not the number of a node; give a whole number.")
        if not 0 <= number < len(self):
            raise DataError(f"The tree has nodes 0 to {len(self) - 1}, but node {number} was asked for.")
        return Node(self, int(number))

    @cached_property
    def _questions(self) -> Table:
        """The questions of all nodes."""
        return questions_of(self._arrays, self.remembered, self.terms)

    def _question_of(self, number: int) -> Question:
        """Return the question of a node; the last one is kept, as its children ask for it one by one."""
        kept: tuple[int, Question] | None = self.__dict__.get("_last_question")
        if kept is None or kept[0] != number:
            kept = (number, decode(self._questions, number, self.columns))
            self.__dict__["_last_question"] = kept
        return kept[1]

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
        """The largest number of questions between the root and a leaf."""
        return int(self._arrays["depth"].max())

    def array(self, name: str) -> Array:
        """Return the array `name` of those the tree is made of, one entry per node, read-only."""
        return self._arrays[name]

    @property
    def centre(self) -> str:
        """What a leaf's own rows say of numbers: their "mean" or their "median"."""
        return "median" if self.criterion == "absolute_error" or "median" in self.beside else "mean"

    # --- use

    def predict(self, X: Any, *, unknown: Unknown = "missing") -> Array:
        """Return what the tree predicts for each row of a table: a class or a number.

        Columns are found by name, or by position if they are called x0, x1, … or the table has no names.
        `unknown` says what happens to levels that the tree does not know, as in `TreeClassifier.predict`.
        """
        here = {"named": self._is_named, "owner": "this tree", "unknown": unknown}
        if self.target.classes is None:
            return self._values(X, **here)
        labels: Array = labels_of(self).take(self._labels(X, **here))
        return labels

    def predict_proba(self, X: Any, *, unknown: Unknown = "missing") -> Numbers:
        """Return the probability of each class for each row of a table, in the order of `target.classes`."""
        if self.target.classes is None:
            raise DataError("The tree predicts numbers, which have no probabilities.\nHint: use predict.")
        return self._at_leaves("probability", X, named=self._is_named, owner="this tree", unknown=unknown)

    def _labels(self, X: Any, **matching: Any) -> Codes:
        """Return the number of the class that is predicted for each row."""
        if self.missing == "fractions":
            return cheapest(
                self._at_leaves("probability", X, **matching), None if self.rule is None else self.rule.loss
            )
        return self._at_leaves("label", X, **matching)

    def _values(self, X: Any, **matching: Any) -> Numbers:
        """Return the number that is predicted for each row of a table."""
        if models_of(self) is None:
            return self._at_leaves("value", X, **matching)
        return values_of_rows(self, self._matched(X, **matching))

    def _at_leaves(self, name: str, X: Any, **matching: Any) -> Array:
        """Return an array's entries at the leaves of a table's rows; `matching` holds options of `_route`.

        For a row that is divided it is the mean over its leaves, weighted by the row's share in each.
        """
        if self.missing == "fractions":
            return self._at_rows(name, self._matched(X, **matching))
        found: Array = self._arrays[name].take(self._route(X, **matching), axis=0)
        return found

    def _at_rows(self, name: str, data: Dataset) -> Array:
        """Return the same for the rows of a table that has the tree's own columns."""
        values = self._arrays[name]
        if self.missing != "fractions":
            found: Array = values.take(self._leaves_of(data), axis=0)
            return found
        blended: Array = self._router.blend(core_dataset(data), values.reshape(len(values), -1))
        return blended.reshape(len(blended), *values.shape[1:])

    def apply(self, X: Any, *, unknown: Unknown = "missing") -> Codes:
        """Return the number of the leaf that each row of a table reaches.

        A row that is divided among several leaves counts where most of it is. A row that cannot be sent on,
        where the tree says so, stays at the inner node it has come to.
        """
        return self._route(X, named=self._is_named, owner="this tree", unknown=unknown)

    def _place_of(self, name: str) -> int:
        """Return the position of the column with this name."""
        return self._places[name]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {column.name: place for place, column in enumerate(self.columns)}

    @property
    def _is_named(self) -> bool:
        return any(column.name != f"x{place}" for place, column in enumerate(self.columns))

    def _route(
        self,
        X: Any,
        *,
        named: bool,
        owner: str,
        check: Callable[[ColumnData, str], None] | None = None,
        unknown: Unknown = "missing",
    ) -> Codes:
        """Return the leaves of the rows of a table, whose columns `match_dataset` finds."""
        if (
            check is None
            and takes_unknown_as_missing(unknown)
            and self._all_numbers
            and is_plain_matrix(X, len(self.columns))
        ):
            # Nothing to find, convert or refuse; for a single row, looking would take most of the time.
            leaves: Codes = self._router.leaves_of_matrix(X)
            look_at_matrix(X, self.columns, self._asked_places)
            return leaves
        return self._leaves_of(self._matched(X, named=named, owner=owner, check=check, unknown=unknown))

    def _matched(self, X: Any, *, unknown: Unknown = "missing", **matching: Any) -> Dataset:
        """Return a table in the columns of the tree; `matching` holds options of `match_dataset`."""
        return match_asked(X, self.columns, self._asked_places, unknown, **matching)

    @cached_property
    def _asked(self) -> frozenset[int]:
        """The places of the columns that the tree asks about, or asks a surrogate about."""
        asked = set(self._arrays["column"][self._arrays["n_children"] > 0].tolist())
        if self.terms:
            asked |= set(self.terms["column"].tolist())
        if self.missing == "surrogates" and self.remembered:
            asked |= set(self.remembered["column"][self.remembered["role"] == SURROGATE].tolist())
        return frozenset(asked)

    @cached_property
    def _asked_places(self) -> Indices:
        return np.array(sorted(self._asked), dtype=np.intp)

    @cached_property
    def _all_numbers(self) -> bool:
        """Whether every column holds numbers, stored as they are."""
        return are_plain_numbers(self.columns)

    def _leaves_of(self, data: Dataset) -> Codes:
        leaves: Codes = self._router.leaves_of(core_dataset(data))
        return leaves

    def rules(self) -> Rules:
        """Return one rule per leaf, from left to right, with merged conditions, an interval and the lift."""
        from arboretum.inspection.rules.rule import rules_of

        return rules_of(self)

    # --- editing: nodes are given as such, by `node.id` or by `node.path`; data is (X, y[, sample_weight])

    def prune_at(self, node: Node | int | tuple[int, ...]) -> Tree:
        """Return the tree in which this node is a leaf; all other numbers stay as they are."""
        from arboretum._edit.editing import prune_at

        return prune_at(self, node)

    def replace(
        self, node: Node | int | tuple[int, ...], question: str | Question, data: tuple[Any, ...]
    ) -> Tree:
        """Return the tree that asks another question here, with new leaves counted from the rows of `data`.

        The question is an object such as `node.question`, or text as trees print it: "age <= 41.5",
        "colour in {red, blue}", "colour = ?" (a branch for each level), "age is missing"; or about several
        columns: "at least 2 of: age <= 41.5, colour = red", "0.8*age - 1.2*income <= 3".
        """
        from arboretum._edit.editing import replace_question

        return replace_question(self, node, question, data)

    def regrow(self, node: Node | int | tuple[int, ...], data: tuple[Any, ...], **options: Any) -> Tree:
        """Return the tree in which all below this node is regrown from the rows of `data` that reach it.

        The options are parameters of the estimators; depths, rows and shares are counted from the node.
        """
        from arboretum._edit.editing import regrow

        return regrow(self, node, data, options)

    def replay(self, edits: Iterable[Edit], data: tuple[Any, ...] | None = None) -> Tree:
        """Return the tree after edits that were made to another one, such as its `edits`."""
        from arboretum._edit.editing import replay

        return replay(self, edits, data)

    def to_binary(self) -> Tree:
        """Return the tree with a series of two-way questions for each that has more answers.

        "colour = ?" becomes "colour = blue?", if not "colour = green?", and so on. Every row reaches the
        leaf that it reached before, and the questions of a series gain together what the one gained.
        """
        from arboretum._edit.binary import to_binary

        return to_binary(self)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas data frame with one row per node."""
        from arboretum._show.text import to_frame

        return to_frame(self)

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        max_nodes: int | None = None,
        figures: Sequence[str] | None = None,
        amounts: str = "shares",
        row: Any = None,
        data: Any = None,
    ) -> str:
        """Return the tree as text, one line per node; `print(tree)` shows it with the usual options.

        Options are those of `arboretum.export.to_svg`.
        """
        from arboretum._show.scene import View, scene_of
        from arboretum._show.text import scene_to_text

        view = View(max_depth, max_nodes, figures, amounts, row, data)
        return scene_to_text(scene_of(self, view, "to_text()"))

    def _repr_html_(self) -> str:
        """Return the interactive view for a notebook."""
        from arboretum._show.page.html import notebook_html

        return notebook_html(self)

    def to_json(self) -> str:
        """Return the tree as JSON text; `Tree.from_json` reads it back."""
        from arboretum._store.tree_document import tree_to_json

        return tree_to_json(self)

    @staticmethod
    def from_json(text: str) -> Tree:
        """Return the tree that `to_json` wrote; anything else is refused with a DataError."""
        from arboretum._store.tree_document import tree_from_json

        return tree_from_json(text)

    def __str__(self) -> str:
        from arboretum._show.text import to_text

        return to_text(self, max_nodes=_NODES_IN_TEXT)

    def __repr__(self) -> str:
        edited = ", edited" if self.edits else ""
        return f"<Tree: {many(len(self), 'node')}, {many(self.n_leaves, 'leaf')}, depth {self.depth}{edited}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            (self.columns, self.criterion, self.missing) == (other.columns, other.criterion, other.missing)
            and self.target == other.target
            # Unless rows are divided, what the nodes predict says it all.
            and (self.missing != "fractions" or _loss_of(self.rule) == _loss_of(other.rule))
            # Ids tell where nodes come from, not what this tree is.
            and _same(self._arrays, other._arrays, but="id")
            and _same(self.remembered, other.remembered)
            and _same(self.terms, other.terms)
            and self.beside.keys() == other.beside.keys()
            and all(mine.same(other.beside[name]) for name, mine in self.beside.items())
        )

    @cached_property
    def _hash(self) -> int:
        return hash((self.columns, self.criterion, self._arrays["column"].tobytes()))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.columns, self.target, self.criterion, dict(self._arrays), self.missing)
        others = (dict(self.remembered), self.rule, self.edits, dict(self.terms), self.shrinkage)
        return _unpickle, (*parts, *others, dict(self.beside))


def _same(mine: Mapping[str, Array], theirs: Mapping[str, Array], but: str = "") -> bool:
    return mine.keys() == theirs.keys() and all(
        np.array_equal(array, theirs[name], equal_nan=name == "p_value")
        for name, array in mine.items()
        if name != but
    )


def _loss_of(rule: LeafRule | None) -> Any:
    return None if rule is None or rule.loss is None else rule.loss.tolist()


def _unpickle(
    columns: tuple[Column, ...],
    target: Target,
    criterion: str,
    arrays: Mapping[str, Array],
    missing: str,
    remembered: Mapping[str, Array],
    rule: LeafRule | None,
    edits: tuple[Edit, ...],
    terms: Mapping[str, Array] | None = None,
    shrinkage: float = 0.0,
    others: Mapping[str, Beside] | None = None,
) -> Tree:
    kept: dict[str, Any] = {"remembered": remembered, "terms": terms, "rule": rule, "edits": edits}
    kept |= {"shrinkage": shrinkage, "beside": others}
    return Tree(columns, target, criterion, arrays, missing=missing, **kept)


def labels_of(tree: Tree) -> Array:
    """Return the classes as an array of their own type; of objects where NumPy would change them."""
    classes = tree.target.classes or ()
    array = np.array(classes) if len({type(label) for label in classes}) == 1 else None
    if array is None or array.tolist() != list(classes):
        array = np.empty(len(classes), dtype=object)
        array[:] = classes
    return array
