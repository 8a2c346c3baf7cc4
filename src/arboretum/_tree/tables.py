"""The arrays of a tree as tables, and what surgery needs of them: taking rows, and appending tables.

A node has a place in the tree, a question and the numbers of its rows. Its question is a row of a table with
three lists: the *levels* of a question about levels, the questions it has *remembered* (competitors and
surrogates), and the *terms* of a question about several columns. Files and the core keep the same numbers as
flat arrays, in which the list of row i runs from `begin[i]` up to `begin[i + 1]`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Final

import numpy as np

from arboretum._types import Array, Integers

Arrays = Mapping[str, Array]


class Part(Enum):
    """What a number of a node belongs to."""

    SHAPE = auto()  # its place in the tree
    QUESTION = auto()
    LEVELS = auto()  # of the question; these arrays do not have one entry per node
    ROWS = auto()  # the rows that came there, and what it predicts


@dataclass(frozen=True)
class Field:
    """An array of the nodes; `nothing` is its entry where a node asks nothing."""

    type: type
    part: Part = Part.ROWS
    nothing: float = 0


# In the order in which files have them. The core's router gets the first ones.
_ROUTED: Final = {
    "first_child": Field(np.int32, Part.SHAPE),
    "n_children": Field(np.int32, Part.QUESTION),
    "column": Field(np.int32, Part.QUESTION, nothing=-1),
    "kind": Field(np.uint8, Part.QUESTION),
    "threshold": Field(np.float64, Part.QUESTION),
    "threshold_floor": Field(np.int64, Part.QUESTION),
    "missing_child": Field(np.int32, Part.QUESTION, nothing=1),
    "level_begin": Field(np.int64, Part.LEVELS),
    "level": Field(np.int32, Part.LEVELS),
    "level_child": Field(np.int32, Part.LEVELS),
    "weight": Field(np.float64),
}
_FIELDS: Final = _ROUTED | {
    "id": Field(np.int32),
    "parent": Field(np.int32, Part.SHAPE),
    "depth": Field(np.int32, Part.SHAPE),
    "missing_seen": Field(np.uint8, Part.QUESTION),
    "n_rows": Field(np.int64),
    "impurity": Field(np.float64),
    "gain": Field(np.float64, Part.QUESTION),
    "improvement": Field(np.float64, Part.QUESTION),
    "gain_ratio": Field(np.float64, Part.QUESTION),
    "corrected_gain": Field(np.float64, Part.QUESTION),
    "p_value": Field(np.float64),
    "counts": Field(np.float64),
    "probability": Field(np.float64),
    "label": Field(np.int32),
    "value": Field(np.float64),
    "own_value": Field(np.float64),  # by the node's rows alone, where predictions are drawn along the path
}
PER_CLASS: Final = ("counts", "probability")  # these have an entry per class
_OF_CLASSES: Final = {"counts", "probability", "label"}
# Only in trees whose questions were tested (NaN in nodes without a test), or whose gains were corrected.
_SOMETIMES: Final = {"p_value", "corrected_gain"}
_TYPES: Final[dict[str, type]] = {name: kept.type for name, kept in _FIELDS.items()} | {
    "begin": np.int64,
    "role": np.uint8,
    "flipped": np.uint8,
    "negated": np.uint8,
}
REMEMBERED: Final[dict[str, type]] = {
    name: _TYPES.get(name, np.float64)
    for name in (
        *("begin", "role", "kind", "flipped", "column", "n_children", "missing_child", "missing_seen"),
        *("threshold", "threshold_floor", "n_rows", "gain", "gain_ratio", "corrected_gain"),
        *("agreement", "adjusted_agreement", "level_begin", "level", "level_child"),
    )
}
COMPETITOR, SURROGATE = 0, 1  # the roles of remembered questions
TERMS: Final[dict[str, type]] = {
    name: _TYPES.get(name, np.float64)
    for name in (
        *("begin", "column", "kind", "negated", "threshold", "threshold_floor", "level"),
        *("coefficient", "fill"),
    )
}
_IN_OTHER_TERMS: Final = {"level": -1, "coefficient": 1.0}  # where a term has none of its own


def array_types(
    criterion: str, given: Collection[str], *, of_classes: bool, shrunken: bool = False
) -> dict[str, type]:
    """Return the name and type of every array that a tree with this criterion and target is made of.

    Arrays that only some trees have are expected if they are among those given. A tree whose numbers are
    drawn along the path has the nodes' own ones.
    """
    absent = _SOMETIMES - set(given)
    absent |= {"value", "own_value"} if of_classes else _OF_CLASSES
    absent |= set() if shrunken else {"own_value"}
    absent |= {"gain_ratio"} if criterion != "gain_ratio" else set()
    return {name: kept.type for name, kept in _FIELDS.items() if name not in absent}


def remembered_types(given: Collection[str]) -> dict[str, type]:
    """Return the name and type of every array of remembered questions; see `array_types`."""
    absent = _SOMETIMES - set(given)
    return {name: kind for name, kind in REMEMBERED.items() if name not in absent}


def names_of(part: Part, arrays: Arrays) -> list[str]:
    """Return which of the arrays of the nodes belong to this part."""
    return [name for name in arrays if name in _FIELDS and _FIELDS[name].part is part]


def routed(arrays: Arrays) -> dict[str, Any]:
    """Return the arrays of the nodes that the core's router needs, in its types."""
    return {name: np.ascontiguousarray(arrays[name], dtype=kept.type) for name, kept in _ROUTED.items()}


@dataclass(frozen=True)
class Table:
    """Columns with an entry for each row, and lists: for each row some rows of another table."""

    n_rows: int
    columns: Arrays
    lists: Mapping[str, Lists] = field(default_factory=dict)

    def take(self, rows: Integers) -> Table:
        """Return these rows, in this order."""
        return Table(
            len(rows),
            {name: column[rows] for name, column in self.columns.items()},
            {name: lists.take(rows) for name, lists in self.lists.items()},
        )

    def then(self, other: Table) -> Table:
        """Return the rows of both; the other table has the same columns, or more.

        Gains that were not corrected stand for themselves.
        """
        if self.n_rows == 0:
            return other
        theirs = other.columns
        if "corrected_gain" in self.columns and "corrected_gain" not in theirs:
            theirs = {**theirs, "corrected_gain": theirs["gain"]}
        return Table(
            self.n_rows + other.n_rows,
            {name: np.concatenate([column, theirs[name]]) for name, column in self.columns.items()},
            {name: lists.then(other.lists[name]) for name, lists in self.lists.items()},
        )


@dataclass(frozen=True)
class Lists:
    """A list for each row of a table: that of row i is `items` from `begin[i]` up to `begin[i + 1]`."""

    begin: Array
    items: Table

    def range(self, row: int) -> range:
        """Return where the items of a row are."""
        return range(*self.begin[row : row + 2].tolist())

    def of(self, row: int) -> dict[str, Array]:
        """Return the columns of the items of a row."""
        here = slice(*self.begin[row : row + 2].tolist())
        return {name: column[here] for name, column in self.items.columns.items()}

    def take(self, rows: Integers) -> Lists:
        """Return the lists of these rows."""
        begin = self.begin[rows]
        sizes = self.begin[rows + 1] - begin
        items = self.items.take(ranges(begin, sizes))
        return Lists(np.concatenate([[0], np.cumsum(sizes)]), items)

    def then(self, other: Lists) -> Lists:
        """Return the lists of both."""
        begin = np.concatenate([self.begin[:-1], other.begin + self.begin[-1]])
        return Lists(begin, self.items.then(other.items))


def ranges(begins: Array, sizes: Array) -> Integers:
    """Return ranges of these sizes, each starting at its begin, one after the other.

    >>> ranges(np.array([5, 1]), np.array([2, 3])).tolist()
    [5, 6, 1, 2, 3]
    """
    starts = np.repeat(begins - np.concatenate([[0], np.cumsum(sizes)[:-1]]), sizes)
    numbers: Integers = starts + np.arange(int(sizes.sum()))
    return numbers


def questions_of(arrays: Arrays, remembered: Arrays, terms: Arrays) -> Table:
    """Return the questions of nodes, given as flat arrays, as a table with its lists."""
    n_nodes = len(arrays["kind"])
    columns = {name: arrays[name] for name in names_of(Part.QUESTION, arrays)}
    lists = {
        "levels": _levels(arrays),
        "remembered": _grouped(remembered, remembered_types(remembered or REMEMBERED), n_nodes),
        "terms": _grouped(terms, TERMS, n_nodes),
    }
    return Table(n_nodes, columns, lists)


def _levels(arrays: Arrays) -> Lists:
    items = {name: arrays[name] for name in ("level", "level_child")}
    return Lists(arrays["level_begin"], Table(len(arrays["level"]), items))


def _grouped(arrays: Arrays, types: Mapping[str, type], n_nodes: int) -> Lists:
    if not arrays:
        nothing: dict[str, Array] = {name: np.zeros(0, dtype=kind) for name, kind in types.items()}
        arrays = nothing | {"begin": np.zeros(n_nodes + 1, np.int64), "level_begin": np.zeros(1, np.int64)}
    has_levels = "level_begin" in types
    separate = {"begin", *(("level_begin", "level", "level_child") if has_levels else ())}
    columns = {name: arrays[name] for name in types if name not in separate}
    lists = {"levels": _levels(arrays)} if has_levels else {}
    return Lists(arrays["begin"], Table(len(arrays["column"]), columns, lists))


def flat(questions: Table) -> tuple[dict[str, Array], dict[str, Array], dict[str, Array]]:
    """Return the arrays of questions, of what they remember and of their terms; nothing for empty lists."""
    remembered, terms = (
        {"begin": lists.begin, **_flat(lists.items)} if lists.items.n_rows else {}
        for lists in (questions.lists["remembered"], questions.lists["terms"])
    )
    return _flat(questions), remembered, terms


def _flat(table: Table) -> dict[str, Array]:
    if "levels" not in table.lists:
        return dict(table.columns)
    levels = table.lists["levels"]
    return {**table.columns, "level_begin": levels.begin, **levels.items.columns}


def question_row(
    fields: Mapping[str, Any],
    levels: Sequence[tuple[int, int]] = (),
    terms: Sequence[Mapping[str, Any]] = (),
) -> Table:
    """Return a table of one question, which remembers no others; fields that are not given stay neutral.

    Each level comes with the child it leads to.
    """
    arrays: dict[str, Array] = {
        name: np.array([fields.get(name, kept.nothing)], dtype=kept.type)
        for name, kept in _FIELDS.items()
        if kept.part is Part.QUESTION
    }
    listed = np.array(levels, dtype=np.int32).reshape(-1, 2)
    arrays |= {"level_begin": np.array([0, len(listed)]), "level": listed[:, 0], "level_child": listed[:, 1]}
    parts: dict[str, Array] = {}
    if terms:
        parts = {
            name: np.array([term.get(name, _IN_OTHER_TERMS.get(name, 0)) for term in terms], dtype=kind)
            for name, kind in TERMS.items()
        }
        parts["begin"] = np.array([0, len(terms)])
    return questions_of(arrays, {}, parts)


NOTHING: Final = question_row({})  # the question of a leaf
