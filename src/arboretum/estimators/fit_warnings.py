"""What the caller of `fit` is warned of: each class of warning once, with all columns or classes in it."""

from __future__ import annotations

from typing import Final, get_args

from arboretum._data import Dataset
from arboretum._data.reading import choose_columns
from arboretum._data.suspicions import Suspicion, TextMeaning, suspicious_columns, vanishing_rows
from arboretum._grow.growth import Growth
from arboretum._grow.optimality import Optimality
from arboretum._options.settings import Settings
from arboretum._prune.folds import RareClasses
from arboretum._prune.one_leaf import OneLeaf, why_one_leaf
from arboretum._prune.pruning import Pruned, Pruner, Task
from arboretum._tree.linear_models import formula_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers
from arboretum._warning import give
from arboretum._wording import many, shown
from arboretum.errors import (
    IdentifierWarning,
    OneLeafWarning,
    RareClassWarning,
    TextWarning,
    UnprovenWarning,
    WeightWarning,
    some_of,
)

_MORE_OF: Final = {
    "time": "raise time_limit",
    "work": "raise work_limit",
    "memory": "raise memory_limit",
    "gap": "lower gap",
    "interrupt": "let the search go on",
}


def find_suspicions(data: Dataset, settings: Settings) -> tuple[Suspicion, ...]:
    """Return the columns that are probably not what they were meant to be."""
    declared = choose_columns(
        "categorical_features", settings.categorical_features, data.names, default="from_dtype"
    )
    return suspicious_columns(data, {data.names[place] for place in declared})


def warn_of_data(found: tuple[Suspicion, ...], weights: Numbers | None) -> None:
    """Warn of suspicious columns, and of weights; before growth."""
    if names := [each for each in found if each.looks_like == "identifier"]:
        _warn_of_identifiers(names)
    if texts := [each for each in found if each.looks_like in get_args(TextMeaning)]:
        _warn_of_texts(texts)
    if (effective := vanishing_rows(weights)) is not None and weights is not None:
        _warn_of_weights(effective, weights)


def warn_of_tree(pruned: Pruned, task: Task, found: tuple[Suspicion, ...]) -> None:
    """Warn of a tree that asks nothing or about row numbers, and of classes too rare to judge it by."""
    growth, pruner = task.growth, task.growth.settings.prune
    if isinstance(pruner, Pruner) and (rare := pruner._rare_classes(pruned.grown, task)) is not None:
        _warn_of_rare_classes(rare, growth)
    asked = {pruned.tree.columns[place].name for place in pruned.tree._asked}
    if numbers := [each for each in found if each.looks_like == "row number" and each.column in asked]:
        _warn_of_row_numbers(numbers)
    if pruned.optimality is not None and not pruned.optimality.proven:
        _warn_of_unproven(pruned.optimality)
    if (why := why_one_leaf(pruned, growth)) is not None:
        _warn_of_one_leaf(why, pruned.tree)


def _warn_of_identifiers(found: list[Suspicion]) -> None:
    # Without counts and examples, the text is the same in every fit of a search, and Python shows it once.
    columns = [repr(each.column) for each in found]
    give(
        IdentifierWarning(
            f"Nearly every value is there once, as in an identifier: column {some_of(columns)}. What a tree "
            "learns from such values says nothing about other rows.\n"
            "Hint: leave the column out, or keep only what it has in common with other rows.",
            {each.column: each.example for each in found},
        )
    )


def _warn_of_row_numbers(found: list[Suspicion]) -> None:
    columns = [repr(each.column) for each in found]
    give(
        IdentifierWarning(
            f"The tree asks about a number that counts the rows: column {some_of(columns)} rises by one from "
            "row to row. What a tree learns from the order of the rows says nothing about other rows.\n"
            "Hint: leave the column out, unless the order has a meaning, as that of years has.",
            {each.column: each.example for each in found},
        )
    )


def _warn_of_texts(found: list[Suspicion]) -> None:
    columns = [f"{each.column!r} ({_text_example(each)})" for each in found]
    give(
        TextWarning(
            "Numbers or dates are stored as text, so that each value is a level of its own, without order: "
            f"column {some_of(columns)}.\n"
            "Hint: convert the column before fitting (pandas.to_numeric, pandas.to_datetime), with missing "
            "values for the rest. If its values are codes, name it in categorical_features.",
            {each.column: each.example for each in found},
        )
    )


def _text_example(found: Suspicion) -> str:
    but = "" if found.odd is None else f", but not {shown(found.odd)}"
    return f"{found.looks_like}, such as {shown(found.example)}{but}"


def _warn_of_weights(effective: float, weights: Array) -> None:
    give(
        WeightWarning(
            f"sample_weight makes nearly all rows vanish: the {many(len(weights), 'row')} say as much as "
            f"{effective:.1f} of equal weight; the largest weight is {weights.max() / weights.sum():.0%} of "
            "all.\nHint: check that these are the weights you mean; limit the largest, or leave them out."
        )
    )


def _warn_of_rare_classes(rare: RareClasses, growth: Growth) -> None:
    classes = growth.target.classes or ()
    named = [f"{shown(classes[k])} ({many(n_rows, 'row')})" for k, n_rows in rare.n_rows.items()]
    fewest = min(rare.n_rows.values())
    fewer = f"; prune=CostComplexity(folds={fewest}) makes fewer folds" if fewest > 1 else ""
    give(
        RareClassWarning(
            f"The size of the tree is chosen by {rare.n_folds} folds, but some classes have fewer rows: "
            f"{some_of(named)}. Some folds cannot judge them.\n"
            f"Hint: give more rows of these classes, or merge them with others{fewer}."
        )
    )


def _warn_of_unproven(found: Optimality) -> None:
    give(
        UnprovenWarning(
            f"The search for the optimal tree was stopped by {found.stopped_by} after {found.seconds:.3g} s: "
            f"the tree costs {found.objective:.6g}, and no tree costs less than {found.bound:.6g}.\n"
            f"Hint: {_MORE_OF[found.stopped_by]}, lower max_depth, or raise leaf_penalty."
        )
    )


def _warn_of_one_leaf(why: OneLeaf, tree: Tree) -> None:
    root = tree.root
    label = f"{root.label:.6g}" if tree.target.classes is None else shown(root.label)
    if root.formula is not None:
        label = formula_of(tree, 0, most=6)
    give(
        OneLeafWarning(
            f"The tree is one leaf and predicts {label} for every row: {why.found}.\nHint: {why.hint}."
        )
    )
