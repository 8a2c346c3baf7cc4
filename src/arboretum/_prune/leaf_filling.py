"""The leaf options that need rows: which rows grow the tree, and which give its nodes their values."""

from __future__ import annotations

from dataclasses import replace

from arboretum._grow.leaves.filling import Filler, LeafRows
from arboretum._grow.leaves.honest import Honest
from arboretum._prune.growing import grow_prepared
from arboretum._prune.pruning import Pruned, Pruner, Task, prepared_for
from arboretum._tree.tree import Tree
from arboretum._types import RowNumbers
from arboretum.errors import DataError


def grow_prune_and_fill(pruner: Pruner | None, task: Task) -> tuple[Pruned, Task]:
    """Grow the tree, prune it and fill its leaves; return it with the task of the rows that it grew from."""
    layers = task.growth.settings.leaf_layers
    fillers = [layer for layer in layers if isinstance(layer, Filler)]
    # What is counted anew comes first; what others make of the rows, after it.
    fillers.sort(key=lambda filler: not isinstance(filler, Honest))
    structure, values = task, None
    for honest in layers:
        if isinstance(honest, Honest):
            grown_from, values = _apart(honest, task)
            structure = task.part(grown_from)
    prepared = prepared_for(pruner, structure)
    pruned = grow_prepared(pruner, prepared)
    if not fillers:
        return pruned, prepared
    rows = _leaf_rows(prepared, prepared.rows) if values is None else _leaf_rows(task, values)

    def filled(tree: Tree) -> Tree:
        for filler in fillers:
            tree = filler._filled(tree, rows)
        return tree

    grown = filled(pruned.grown)
    tree = grown if pruned.tree is pruned.grown else filled(pruned.tree)
    return replace(pruned, grown=grown, tree=tree, optimal_path=()), prepared


def _leaf_rows(task: Task, rows: RowNumbers | None) -> LeafRows:
    """Return these of the training rows, or all of them."""
    growth = task.growth
    return (
        LeafRows(growth.data, growth.targets, growth.table)
        if rows is None
        else LeafRows(growth.data.take(rows), growth.targets.take(rows), growth.table.take(rows))
    )


def _apart(honest: Honest, task: Task) -> tuple[RowNumbers, RowNumbers]:
    """Return the rows that choose the questions, and those that give leaves their values."""
    try:
        return task.folds.holdout(float(honest.share))
    except DataError as error:
        raise DataError(
            f"leaf=Honest(share={honest.share}) cannot set rows apart: {task.growth.n_rows} rows, or their "
            "groups, are too few to have some on either side.\nHint: give more rows, or another leaf=…."
        ) from error
