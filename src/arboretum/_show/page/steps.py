"""The sizes at which a page shows a tree: one step for each tree of its weakest-link sequence.

A tree that is larger than the first of its sequence, because some of its questions save nothing, has a step
of its own in front. Cross-validated risks come from the model; nothing is fitted or pruned here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from arboretum._prune.cost_complexity import CostComplexity, choose_step
from arboretum._prune.path import PruningPath
from arboretum._prune.sequence import Sequence
from arboretum._tree.fitted import tree_of
from arboretum._tree.tree import Tree
from arboretum._types import Integers


@dataclass(frozen=True, eq=False)
class Steps:
    """A tree, and how it shrinks step by step."""

    tree: Tree
    path: PruningPath | None  # None where there is only one size
    at: Integers  # of each node: the first step at which it is a leaf
    gone: Integers  # of each node: the first step at which it no longer exists
    shown: int  # the step of the model itself
    best: int | None = None
    one_se: int | None = None

    def n_nodes(self) -> Integers:
        """Return the number of nodes at each step."""
        n_steps = 1 if self.path is None else len(self.path)
        return np.cumsum(np.bincount(np.minimum(self.gone, n_steps), minlength=n_steps + 1)[::-1])[::-1][1:]

    def first_within(self, max_nodes: int) -> int:
        """Return the first step with at most so many nodes, or that of the model if it comes earlier."""
        return min(self.shown, int(np.argmax(self.n_nodes() <= max_nodes)))


def steps_of(model: Any, asker: str) -> Steps:
    """Return the sizes of a model's tree: those of its pruning path if the tree is on it, else its own."""
    tree = tree_of(model, asker)
    if hasattr(model, "_grown"):  # a fitted estimator
        path = model.pruning_path_
        if model._grown is tree:
            return _steps(tree, model._sequence(), path, shown=None)
        if path.chosen is not None:
            return _steps(model._grown, model._sequence(), path, shown=path.chosen)
    # A tree without its model, or one that was not pruned along the sequence.
    sequence = CostComplexity()._sequence(tree)
    return _steps(tree, sequence, sequence.path(), shown=None)


def _steps(tree: Tree, sequence: Sequence, path: PruningPath, *, shown: int | None) -> Steps:
    """Return the steps of a sequence; without `shown`, the tree itself is shown."""
    at = sequence.steps_at(sequence.alphas).astype(np.int64)
    whole = shown is None and int(path.leaves[0]) < tree.n_leaves
    if whole:
        path = _with_whole_tree(path, tree)
        at[tree.array("n_children") > 0] += 1
    if len(path) < 2 or not np.isfinite(path.risk).all():
        nothing = np.where(tree.array("n_children") == 0, 0, 1)
        return Steps(tree, None, nothing, np.ones(len(tree), dtype=np.int64), 0)
    best, one_se = _advised(path, 1 if whole else 0)
    return Steps(tree, path, at, _gone(tree, at, len(path)), shown or 0, best, one_se)


def _with_whole_tree(path: PruningPath, tree: Tree) -> PruningPath:
    """Return the path with the whole tree in front; its risk is that of the first tree."""
    return PruningPath(
        np.append(0.0, path.alpha),
        np.append(tree.n_leaves, path.leaves),
        np.append(path.risk[0], path.risk),
        np.append(np.nan, path.cv_risk),
        np.append(np.nan, path.cv_se),
        None if path.chosen is None else path.chosen + 1,
    )


def _advised(path: PruningPath, begin: int) -> tuple[int | None, int | None]:
    """Return the step of least cross-validated risk, and the step of the 1-SE rule."""
    risk, error = path.cv_risk[begin:], path.cv_se[begin:]
    if np.isnan(risk).any():
        return None, None
    return begin + choose_step(risk, error, "min"), begin + choose_step(risk, error, "1se")


def _gone(tree: Tree, at: Integers, n_steps: int) -> Integers:
    """Return the step at which each node goes: when the first node above it becomes a leaf."""
    parents, leaf_from = tree.array("parent").tolist(), at.tolist()
    gone = [n_steps] * len(parents)
    for number in range(1, len(parents)):  # parents come before their children
        above = parents[number]
        gone[number] = min(gone[above], leaf_from[above])
    return np.array(gone, dtype=np.int64)
