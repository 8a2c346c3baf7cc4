"""The optimal tree of a task: its certificate, its size if that is to be chosen, and what to fall back on.

The price of a leaf is chosen along the path of optimal trees: those that are best at some price. Held-out
rows judge them by the same loss that the search minimises.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from arboretum._grow.growth import Growth
from arboretum._grow.optimal import Search
from arboretum._grow.optimality import Alternative, Optimality
from arboretum._options.optimal import Optimal
from arboretum._options.rules import Real
from arboretum._options.strategies import Lookahead
from arboretum._prune.certified import Solved, at_price, cost_of, measure_of
from arboretum._prune.cost_complexity import CostComplexity, choose_step
from arboretum._prune.path import PruningPath
from arboretum._prune.pruning import Pruned, Task, Tuning, errors_at_nodes
from arboretum._prune.sequence import Sequence
from arboretum._tree.surgery import collapse
from arboretum._tree.tree import Tree
from arboretum._types import Numbers, RowNumbers
from arboretum.errors import DataError

_KEPT: Final = 0.1  # of the time, for the trees that an unproven one is compared with
_LARGEST: Final = 0.5  # of the time, for the largest tree of a path
_FOLDS: Final = 0.6  # of what is left then, for the folds
_MOMENT: Final = 1e-3  # seconds
_PATIENCE: Final = 0.3  # seconds, after Ctrl-C


def optimal_tree(search: Optimal, pruner: CostComplexity | None, task: Task) -> Pruned:
    """Return the best tree; with a pruner, at the price of a leaf that it gives or chooses."""
    if pruner is None or not isinstance(pruner.alpha, str):
        price = search.leaf_penalty if pruner is None else float(pruner.alpha)
        solved = solve(search, task, price)
        return Pruned(solved.tree, solved.tree, optimality=solved.optimality)
    return _chosen(search, pruner, task)


class Limit:
    """The seconds that are left of a time limit; None without one."""

    def __init__(self, seconds: float | None) -> None:
        self._end = None if seconds is None else time.monotonic() + seconds

    @property
    def left(self) -> float | None:
        """What is left, and at least a moment: no search takes 0."""
        return None if self._end is None else max(self._end - time.monotonic(), _MOMENT)

    def less(self, share: float) -> float | None:
        """What is left, but for this share of it."""
        left = self.left
        return None if left is None else max(left * (1.0 - share), _MOMENT)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left."""
        return self._end is not None and time.monotonic() >= self._end


def solve(search: Optimal, task: Task, price: float, seconds: float | None = None) -> Solved:
    """Return the best tree at this price of a leaf; if it is not proven, never worse than a greedy one.

    Part of the time is kept for growing those to compare it with.
    """
    growth, limit = task.growth, Limit(search.time_limit if seconds is None else seconds)
    report = _Shown(sys.stderr.write) if task.verbose else None
    found = growth.search(search, task.rows, leaf_penalty=price, seconds=limit.less(_KEPT), report=report)
    tree = growth.tree(task.rows, also_seen=task.also_seen, plan=found.best.plan)
    objective = found.best.objective
    if found.best.bound < objective:
        left = limit.left if found.stopped_by != "interrupt" else _PATIENCE
        for other in _greedy_trees(growth, task, price, left):
            if (cost := cost_of(other, price)) < objective * (1 - 1e-12):
                tree, objective = other, cost
    return Solved(tree, _certificate(found, objective, growth, task), price)


def _certificate(found: Search, objective: float, growth: Growth, task: Task) -> Optimality:
    names = [column.name for column in growth.columns]
    others = [
        Alternative(
            names[each.column],
            each.objective,
            each.bound,
            growth.tree(task.rows, also_seen=task.also_seen, plan=each.plan),
        )
        for each in sorted(found.alternatives, key=lambda each: each.objective)
    ]
    history = found.history
    if objective < found.best.objective:
        history = (*history, (found.seconds, objective, min(objective, found.best.bound)))
    return Optimality(
        objective,
        min(objective, found.best.bound),
        found.stopped_by,
        found.seconds,
        found.work,
        history,
        tuple(others),
    )


def _greedy_trees(growth: Growth, task: Task, price: float, seconds: float | None) -> list[Tree]:
    """Return the trees that would be grown otherwise, cut back at this price."""
    grown = []
    for search in ("greedy", Lookahead(time_limit=seconds)):
        settings = replace(growth.settings, search=search)
        tree = replace(growth, settings=settings).tree(task.rows, also_seen=task.also_seen)
        grown.append(Sequence(tree, measure_of(tree)).cut(price))
    return grown


# --- the path


def at_size(pruned: Pruned, *, leaves: int | None, alpha: float | None) -> Pruned:
    """Return the largest optimal tree with at most so many leaves, or the one that is best at a price."""
    path = pruned.path
    assert path is not None
    if leaves is not None:
        step = int(np.argmax(path.leaves <= leaves))
    else:
        price = Real("a number of 0 or more", finite=True).read(alpha, "alpha")
        assert price is not None
        step = int(np.flatnonzero(path.alpha <= max(price, path.alpha[0]))[-1])
    solved = pruned.optimal_path[step]
    return replace(
        pruned,
        tree=solved.tree,
        path=replace(path, chosen=step),
        alpha=float(path.alpha[step]),
        optimality=solved.optimality,
    )


def _chosen(search: Optimal, pruner: CostComplexity, task: Task) -> Pruned:
    """Return the tree at the price of a leaf that held-out rows choose."""
    limit = Limit(search.time_limit)
    path, searches = _path(replace(search, alternatives=False), task, limit)
    alphas, leaves, risks = _steps(path)
    path = [at_price(each, float(alpha), searches) for each, alpha in zip(path, alphas, strict=True)]
    chosen, held_out, errors = 0, np.full(len(path), np.nan), np.full(len(path), np.nan)
    if len(path) > 1 and not any(map(_is_interrupted, searches)):
        prices = np.append(np.sqrt(alphas[:-1]) * np.sqrt(alphas[1:]), alphas[-1] * 2)
        held_out, errors = _held_out(search, pruner, task, prices, limit)
        if not np.isnan(held_out).any():
            chosen = choose_step(held_out, errors, "min" if pruner.rule == "average" else pruner.rule)
    solved = path[chosen]
    if search.alternatives:
        solved = solve(search, task, float(alphas[chosen]), limit.left)
    table = PruningPath(alphas, leaves, risks, held_out, errors, chosen)
    return Pruned(
        solved.tree,
        path[0].tree,
        path=table,
        alpha=float(alphas[chosen]),
        optimality=solved.optimality,
        optimal_path=tuple(path),
    )


def _path(search: Optimal, task: Task, limit: Limit) -> tuple[list[Solved], list[Solved]]:
    """Return the trees that are best at some price of a leaf, from the price that was asked for on, and what
    every search found.

    Between two of them, the price at which both cost the same finds another, or shows that there is none.
    """
    largest = solve(search, task, search.leaf_penalty, limit.less(1.0 - _LARGEST))
    searches = [largest]
    weight = float(largest.tree.root.weight)
    alone = _alone(largest)
    between_sizes = Limit(limit.less(_FOLDS))

    def between(larger: Solved, smaller: Solved) -> list[Solved]:
        more, fewer = larger.tree.n_leaves, smaller.tree.n_leaves
        if more - fewer < 2 or between_sizes.is_over or any(map(_is_interrupted, searches)):
            return []
        price = (cost_of(smaller.tree, 0.0) - cost_of(larger.tree, 0.0)) / (more - fewer) / weight
        found = solve(search, task, price, between_sizes.left)
        searches.append(found)
        if not fewer < found.tree.n_leaves < more:
            return []
        return [*between(larger, found), found, *between(found, smaller)]

    if largest.tree.n_leaves == 1:
        return [largest], searches
    return [largest, *between(largest, alone), alone], searches


def _is_interrupted(solved: Solved) -> bool:
    """Return whether Ctrl-C ended a search whose best tree is to be kept: then nothing more is looked for."""
    return solved.optimality.stopped_by == "interrupt"


def _alone(solved: Solved) -> Solved:
    """Return the root alone, which is the best tree of one leaf."""
    tree = collapse(solved.tree, np.ones(len(solved.tree), dtype=np.bool_))
    cost = cost_of(tree, 0.0)
    return Solved(tree, Optimality(cost, cost, "proof", 0.0, 0, ((0.0, cost, cost),)), 0.0)


def _steps(path: list[Solved]) -> tuple[Numbers, Any, Numbers]:
    """Return the prices from which on each tree of the path is the best, their leaves and mean losses."""
    leaves = np.array([each.tree.n_leaves for each in path])
    risks = np.array([cost_of(each.tree, 0.0) for each in path]) / float(path[0].tree.root.weight)
    alphas = np.append(path[0].price, np.diff(risks) / -np.diff(leaves))
    return np.maximum.accumulate(alphas), leaves, risks


def _held_out(
    search: Optimal, pruner: CostComplexity, task: Task, prices: Numbers, limit: Limit
) -> tuple[Numbers, Numbers]:
    """Return what held-out rows cost on average at each price, and the standard errors; NaN after Ctrl-C."""
    sums = np.zeros((4, len(prices)))
    if task.tuning is not None:
        trials: list[tuple[RowNumbers | None, Tuning]] = [(task.rows, task.tuning)]
    else:
        folds = next(iter(task.folds.rounds(pruner.folds, 1)), [])
        if not folds:
            raise DataError(
                "All rows are of one group, or no fold holds out some rows and keeps others, so that the "
                "price of a leaf cannot be chosen.\nHint: give a number as alpha, or prune=None."
            )
        trials = [(fold[0], task.held_out(fold[1])) for fold in folds]
    quiet, to_do = replace(search, alternatives=False), len(trials) * len(prices)
    for rows, tuning in trials:
        for step, price in enumerate(prices):
            seconds = limit.less(1.0 - 1.0 / to_do)  # what one of them leaves is for the others
            to_do -= 1
            found = task.growth.search(quiet, rows, leaf_penalty=float(price), seconds=seconds)
            if found.stopped_by == "interrupt":
                unknown = np.full(len(prices), np.nan)
                return unknown, unknown
            tree = task.growth.tree(rows, bare=True, plan=found.best.plan)
            sums[:, step] += _losses(tree, tuning)
    n_rows, weight, losses, squares = sums
    mean = losses / weight
    spread = np.sqrt(np.maximum(squares / weight - mean**2, 0.0))
    return mean, spread / np.sqrt(n_rows)


def _losses(tree: Tree, tuning: Tuning) -> Numbers:
    """Return the number of held-out rows, their weight, Σ w · loss and Σ w · loss²."""
    measure = measure_of(tree)
    (losses, squares, _) = errors_at_nodes(tree, tuning, measure)
    is_leaf = tree.array("n_children") == 0
    weights = tuning.targets.reported_weights
    weight = float(tuning.targets.n_rows if weights is None else weights.sum())
    return np.array(
        [
            float(tuning.targets.n_rows),
            weight,
            losses[0][is_leaf].sum() + losses[1].sum(),
            squares[0][is_leaf].sum() + squares[1].sum(),
        ]
    )


class _Shown:
    """Writes the progress of a search, at most once a second."""

    def __init__(self, write: Callable[[str], Any]) -> None:
        self._write = write
        self._told = 0.0

    def __call__(self, seconds: float, objective: float, bound: float) -> None:
        if seconds - self._told >= 1.0:
            self._told = seconds
            self._write(f"{seconds:.0f} s: objective {objective:.6g}, bound {bound:.6g}\n")
