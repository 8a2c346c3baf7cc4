"""GrowTree: the feature tree of the lecture notes, one branch for each value of a nominal column.

GrowTree, Homogeneous, Label and BestSplit keep their names. The data D are `rows` and `targets`, the features
F are `columns`, and the subsets D_i, one for each literal `column = value`, are what `divide` returns.

>>> from arboretum.reference.tables import PLAY, PLAY_TENNIS
>>> columns = levels_of(PLAY_TENNIS)
>>> tree = grow_tree(PLAY_TENNIS, PLAY, columns)
>>> print(draw(tree))
outlook = overcast: yes
outlook = rain
|   wind = strong: no
|   wind = weak: yes
outlook = sunny
|   humidity = high: no
|   humidity = normal: yes
>>> classify(tree, {"outlook": "sunny", "humidity": "normal"})
'yes'
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arboretum._wording import visible
from arboretum.information import entropy
from arboretum.reference.reading import reads_tables, rows_of

Row: TypeAlias = Mapping[str, Any]
Columns: TypeAlias = Mapping[str, Sequence[Any]]  # F: each column with the values it can take
Part: TypeAlias = tuple[list[Row], list[Any]]  # D: some rows and their targets


@dataclass(frozen=True)
class Leaf:
    label: Any


@dataclass(frozen=True)
class Node:
    column: str
    branches: Mapping[Any, Leaf | Node]


@reads_tables
def grow_tree(rows: Sequence[Row], targets: Sequence[Any], columns: Columns) -> Leaf | Node:
    """Grow a tree until every leaf is homogeneous, or no column tells its rows apart.

    A value without rows gets a leaf with the label of the node above:

    >>> rows, targets = [{"colour": "red"}, {"colour": "blue"}, {"colour": "red"}], ["a", "b", "a"]
    >>> print(draw(grow_tree(rows, targets, {"colour": ["blue", "green", "red"]})))
    colour = blue: b
    colour = green: a
    colour = red: a
    """
    if homogeneous(targets):
        return Leaf(label(targets))
    column = best_split(rows, targets, columns)
    if column is None:
        return Leaf(label(targets))
    parts = divide(rows, targets, column, columns[column])
    return Node(
        column,
        {
            value: grow_tree(*part, columns) if part[0] else Leaf(label(targets))
            for value, part in parts.items()
        },
    )


def homogeneous(targets: Sequence[Any]) -> bool:
    """Return whether all rows share one label."""
    return len(set(targets)) <= 1


def label(targets: Sequence[Any]) -> Any:
    """Return the most frequent label; of equals, the first in sorted order."""
    count = Counter(targets)
    return min(count, key=lambda target: (-count[target], target))


@reads_tables
def best_split(rows: Sequence[Row], targets: Sequence[Any], columns: Columns) -> str | None:
    """Return the column whose literals decrease the impurity most; None if all rows look the same.

    A column with one value left is skipped: its only branch would hold the same rows again, without end.
    So no path asks about a column twice.
    """
    usable = [column for column in columns if not homogeneous([row[column] for row in rows])]
    return max(usable, key=lambda column: impurity_decrease(rows, targets, column), default=None)


def impurity_decrease(rows: Sequence[Row], targets: Sequence[Any], column: str) -> float:
    """Imp(parent) - sum of n_i/N Imp(child_i), with entropy as the impurity.

    >>> from arboretum.reference.tables import PLAY, PLAY_TENNIS
    >>> [round(impurity_decrease(PLAY_TENNIS, PLAY, column), 3) for column in PLAY_TENNIS[0]]
    [0.247, 0.029, 0.152, 0.048]
    """
    parts = divide(rows, targets, column, {row[column] for row in rows})
    children = (len(part) / len(rows) * entropy(part) for _, part in parts.values())
    return entropy(targets) - sum(children)


def divide(rows: Sequence[Row], targets: Sequence[Any], column: str, values: Any) -> dict[Any, Part]:
    """Return the rows and targets of each literal `column = value`."""
    parts: dict[Any, Part] = {value: ([], []) for value in values}
    for row, target in zip(rows, targets, strict=True):
        parts[row[column]][0].append(row)
        parts[row[column]][1].append(target)
    return parts


def classify(tree: Leaf | Node, row: Row) -> Any:
    """Follow the branches that agree with the row, and return the label of the leaf."""
    while isinstance(tree, Node):
        tree = tree.branches[row[tree.column]]
    return tree.label


def levels_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the values that occur in each column."""
    listed = rows_of(rows)
    return {column: sorted({row[column] for row in listed}) for column in listed[0]}


def draw(tree: Leaf | Node, indent: str = "") -> str:
    """Return the tree as text, one line for each branch."""
    if isinstance(tree, Leaf):
        return f"{indent}{visible(str(tree.label))}"
    lines = []
    for value, branch in tree.branches.items():
        literal = indent + visible(f"{tree.column} = {value}")
        if isinstance(branch, Leaf):
            lines.append(f"{literal}: {visible(str(branch.label))}")
        else:
            lines += [literal, draw(branch, indent + "|   ")]
    return "\n".join(lines)
