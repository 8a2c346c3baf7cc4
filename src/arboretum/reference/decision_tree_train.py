"""DecisionTreeTrain and DecisionTreeTest: the lecture notes' pair of algorithms on columns of yes and no.

Training asks about the column with the highest score, then trains the rows of each answer on the remaining
columns, so each column is asked about at most once on a path. The lecture notes' second algorithm looks for
yes on the left, where the first has put no; here no is left in both.

>>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
>>> rows = [{"sports goods": row["goods"] == 3, "professor": row["job"] == 3} for row in CUSTOMERS]
>>> decision_tree_train(rows, CUSTOMER_CLASSES, ["professor", "sports goods"])
... # doctest: +NORMALIZE_WHITESPACE
Node(column='sports goods',
     left=Node(column='professor', left=Leaf(guess='w2'), right=Leaf(guess='w2')),
     right=Leaf(guess='w1'))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from arboretum.errors import DataError
from arboretum.reference.reading import reads_tables

Row: TypeAlias = Mapping[str, bool]


@dataclass(frozen=True)
class Leaf:
    guess: Any


@dataclass(frozen=True)
class Node:
    column: str
    left: Leaf | Node  # no
    right: Leaf | Node  # yes


@reads_tables
def decision_tree_train(
    rows: Sequence[Row], targets: Sequence[Any], remaining: Sequence[str], default: Any = None
) -> Leaf | Node:
    """Algorithm 1. Without rows, the guess is `default`, that of the node above."""
    guess = majority_vote(targets)[0] if targets else default
    if len(set(targets)) <= 1 or not remaining:
        return Leaf(guess)
    column = max(remaining, key=lambda column: score(rows, targets, column))
    others = [other for other in remaining if other != column]
    no = [i for i, row in enumerate(rows) if not answer(row, column)]
    yes = [i for i, row in enumerate(rows) if answer(row, column)]
    return Node(
        column,
        left=decision_tree_train([rows[i] for i in no], [targets[i] for i in no], others, guess),
        right=decision_tree_train([rows[i] for i in yes], [targets[i] for i in yes], others, guess),
    )


def score(rows: Sequence[Row], targets: Sequence[Any], column: str) -> int:
    """Return how many rows majority votes get right if only this column is asked about.

    >>> from arboretum.reference.tables import CUSTOMER_CLASSES, CUSTOMERS
    >>> score([{"sports goods": row["goods"] == 3} for row in CUSTOMERS], CUSTOMER_CLASSES, "sports goods")
    7
    """
    answers = list(zip(rows, targets, strict=True))
    no = [target for row, target in answers if not answer(row, column)]
    yes = [target for row, target in answers if answer(row, column)]
    return majority_vote(no)[1] + majority_vote(yes)[1]


def answer(row: Row, column: str) -> bool:
    """Return whether the answer is yes: True or 1."""
    if row[column] not in (True, False):
        raise DataError(
            f"Column {column!r} holds {row[column]!r}; DecisionTreeTrain asks questions of yes and no.\n"
            "Hint: give True or False."
        )
    return bool(row[column])


def majority_vote(targets: Sequence[Any]) -> tuple[Any, int]:
    """Return the most frequent target (of equals, the first in sorted order) and its number of rows."""
    count = Counter(targets)
    return min(count.items(), key=lambda item: (-item[1], item[0]), default=(None, 0))


def decision_tree_test(tree: Leaf | Node, row: Row) -> Any:
    """Algorithm 2: return the guess of the leaf that the row's answers lead to.

    >>> decision_tree_test(Node("sports goods", left=Leaf("w2"), right=Leaf("w1")), {"sports goods": True})
    'w1'
    """
    if isinstance(tree, Leaf):
        return tree.guess
    return decision_tree_test(tree.right if answer(row, tree.column) else tree.left, row)
