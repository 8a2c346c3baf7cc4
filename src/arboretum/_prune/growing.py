"""From a task to a pruned tree: the one place where a tree is grown and cut back."""

from __future__ import annotations

from arboretum._options.optimal import Optimal
from arboretum._prune.cost_complexity import CostComplexity
from arboretum._prune.optimal_tree import optimal_tree
from arboretum._prune.pruning import Pruned, Pruner, Task, prepared_for


def grow_and_prune(pruner: Pruner | None, task: Task) -> Pruned:
    """Grow the tree that a pruner asks for, and prune it; without a pruner, return it as grown."""
    return grow_prepared(pruner, prepared_for(pruner, task))


def grow_prepared(pruner: Pruner | None, task: Task) -> Pruned:
    """Grow the tree from the rows that were chosen, and prune it."""
    search = task.growth.settings.search
    if isinstance(search, Optimal) and (pruner is None or isinstance(pruner, CostComplexity)):
        return optimal_tree(search, pruner, task)
    grown = task.grow()
    return Pruned(grown, grown) if pruner is None else pruner._prune(grown, task)
