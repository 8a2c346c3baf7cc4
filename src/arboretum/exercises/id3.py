"""ID3 on a small table: the entropy, the gain of every column, the tree, and the class of a new row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from arboretum._show.document.blocks import Grid, Paragraph
from arboretum.exercises.answers import Amount, Name, tidy
from arboretum.exercises.drawing import MARGIN, draw_until
from arboretum.exercises.exercise import Exercise, Step
from arboretum.information import entropy
from arboretum.reference.grow_tree import (
    Leaf,
    Node,
    classify,
    divide,
    draw,
    grow_tree,
    homogeneous,
    impurity_decrease,
)

_COLUMNS: Final = {
    "weather": ("cloud", "rain", "sun"),
    "wind": ("strong", "weak"),
    "day": ("holiday", "weekday"),
}
_N_ROWS: Final = 8

Table: TypeAlias = tuple[list[dict[str, Any]], list[str]]


def make_id3(random: np.random.RandomState) -> Exercise:
    """Draw an exercise about the whole of ID3."""
    rows, targets = draw_until(random, _draw, _is_clear)
    tree = grow_tree(rows, targets, _COLUMNS)
    assert isinstance(tree, Node)
    gains = {column: impurity_decrease(rows, targets, column) for column in _COLUMNS}
    counts = [targets.count(name) for name in ("no", "yes")]
    steps = [
        Step(
            "entropy",
            "What is the entropy of the class, in bits?",
            Amount(entropy(targets)),
            f"{counts[0]} no and {counts[1]} yes: {tidy(entropy(targets), 3)}.",
            "Add up −p · log₂ p of both classes.",
        ),
        *(_gain_of(column, gain, rows, targets) for column, gain in gains.items()),
        Step(
            "root",
            "Which column does ID3 ask about first?",
            Name(tree.column),
            f"{tree.column} gains most.",
            "The one with the largest gain.",
        ),
        *(_branch_of(tree, value, rows, targets) for value in tree.branches),
    ]
    new = _new_row(random, rows, tree)
    steps.append(
        Step(
            "new row",
            f"What does the tree predict for {', '.join(f'{c} = {v}' for c, v in new.items())}?",
            Name(classify(tree, new)),
            _in_words(tree),
            "Follow the branches from the root.",
        )
    )
    text = Paragraph(
        "Grow a tree with ID3: one branch for each value, the column with the largest information gain "
        "first, until all rows of a branch are of one class. Give numbers to three places."
    )
    cells = [
        (str(i), *row.values(), target) for i, (row, target) in enumerate(zip(rows, targets, strict=True), 1)
    ]
    return Exercise(
        "id3", "ID3 by hand", (text, Grid(("row", *_COLUMNS, "play"), tuple(cells))), tuple(steps)
    )


def _in_words(tree: Node) -> str:
    """Return the tree in one sentence."""
    return f"The tree: {'; '.join(line.strip('| ') for line in draw(tree).splitlines())}."


def _gain_of(column: str, gain: float, rows: Sequence[Any], targets: Sequence[str]) -> Step:
    parts = divide(rows, targets, column, sorted({row[column] for row in rows}))
    terms = " − ".join(
        f"{len(part)}/{_N_ROWS} · {tidy(entropy(part), 3)}" for _, part in parts.values() if part
    )
    return Step(
        f"gain {column}",
        f"What is the information gain of {column}?",
        Amount(gain),
        f"{tidy(entropy(targets), 3)} − {terms} = {tidy(gain, 3)}.",
        f"Divide the rows by {column}, and weight the entropy of each part by its share of the rows.",
    )


def _branch_of(tree: Node, value: Any, rows: Sequence[Any], targets: Sequence[str]) -> Step:
    branch = tree.branches[value]
    _, part = divide(rows, targets, tree.column, _COLUMNS[tree.column])[value]
    asked = f"What is below {tree.column} = {value}: a class, or the next column?"
    name = f"below {value}"
    hint = f"Look only at the rows with {tree.column} = {value}."
    if isinstance(branch, Leaf):
        return Step(name, asked, Name(branch.label), f"All rows are {branch.label}.", hint)
    return Step(
        name, asked, Name(branch.column), f"Its rows are {', '.join(part)}: {branch.column} tells them.", hint
    )


def _new_row(random: np.random.RandomState, rows: Sequence[Any], tree: Node) -> dict[str, str]:
    """Return a row that is not in the table, and that passes two questions if there is one."""
    unseen = [
        dict(zip(_COLUMNS, values, strict=True))
        for values in np.stack(np.meshgrid(*_COLUMNS.values()), axis=-1).reshape(-1, len(_COLUMNS)).tolist()
    ]
    unseen = [row for row in unseen if row not in rows]
    deep = [row for row in unseen if isinstance(tree.branches[row[tree.column]], Node)]
    chosen = deep or unseen
    return chosen[random.randint(len(chosen))]


def _draw(random: np.random.RandomState) -> Table:
    rows = [
        {column: str(random.choice(values)) for column, values in _COLUMNS.items()} for _ in range(_N_ROWS)
    ]
    return rows, random.choice(["no", "yes"], _N_ROWS).tolist()


def _is_clear(drawn: Table) -> bool:
    """Return whether every column is clearly best where it is asked for, and the tree has two levels."""
    rows, targets = drawn
    for column, values in _COLUMNS.items():
        if {row[column] for row in rows} != set(values):
            return False
    if targets.count("yes") not in (2, 4, 6) or not _has_winner(rows, targets):
        return False
    tree = grow_tree(rows, targets, _COLUMNS)
    if not isinstance(tree, Node):
        return False
    parts = divide(rows, targets, tree.column, _COLUMNS[tree.column])
    below = [part for part in parts.values() if not homogeneous(part[1])]
    if not 1 <= len(below) < len(parts):
        return False
    return all(_has_winner(*part) and _ends_below(part) for part in below)


def _has_winner(rows: list[Any], targets: list[Any]) -> bool:
    gains = sorted(impurity_decrease(rows, targets, column) for column in _COLUMNS)
    return gains[-1] - gains[-2] > MARGIN


def _ends_below(part: tuple[list[Any], list[Any]]) -> bool:
    """Return whether one more question tells all rows."""
    below = grow_tree(*part, _COLUMNS)
    if not isinstance(below, Node):
        return False
    divided = divide(*part, below.column, _COLUMNS[below.column])
    return all(found and homogeneous(found) for _, found in divided.values())
