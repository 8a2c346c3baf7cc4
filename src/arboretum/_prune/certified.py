"""Trees with their certificates, and what searches at several prices of a leaf say of one price.

A search says that no tree costs less than b at the price p. So a tree of m leaves costs at least
b + (q - p) m W at the price q, where W is the weight of all rows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import accumulate, combinations
from typing import Final

from arboretum._grow.optimality import Optimality
from arboretum._prune.risks import node_risks
from arboretum._tree.tree import Tree

_EXACT: Final = 1e-12  # sums that differ by this share of what the root costs are equal
_EQUAL: Final = 1e-9  # so are squared errors that do by this share; a search counts it for every leaf
_STEP: Final = 1e-6  # of a mistake: a search rounds losses and the price of a leaf to less than that


@dataclass(frozen=True)
class Solved:
    """A tree with its certificate, at the price of a leaf that it was searched for."""

    tree: Tree
    optimality: Optimality
    price: float


def cost_of(tree: Tree, price: float) -> float:
    """Return what the search minimises: the cost of the leaves, and their price."""
    is_leaf = tree.array("n_children") == 0
    risks = node_risks(tree, measure_of(tree))
    return float(risks[is_leaf].sum()) + price * float(tree.root.weight) * int(is_leaf.sum())


def measure_of(tree: Tree) -> str:
    """Return what a leaf costs."""
    return "misclassification" if tree.rule is not None else "squared_error"


def at_price(solved: Solved, price: float, searches: list[Solved]) -> Solved:
    """Return the tree with its certificate at another price, to which all of these searches bear witness."""
    tree = solved.tree
    objective, slack = cost_of(tree, price), _slack(tree)
    best = list(accumulate((cost_of(each.tree, price) for each in searches), min))
    best = [cost if cost > objective + slack else objective for cost in best]
    bounds = [_bound(searches[: n + 1], price) for n in range(len(searches))]
    bounds = [objective if bound >= objective - slack else bound for bound in bounds]
    seconds = list(accumulate(each.optimality.seconds for each in searches))
    proven = bounds[-1] >= objective
    # If every search was proven, time was over before the next one.
    ends = [each.optimality.stopped_by for each in (solved, *searches)]
    certificate = replace(
        solved.optimality,
        objective=objective,
        bound=bounds[-1],
        stopped_by="proof" if proven else next((end for end in ends if end != "proof"), "time"),
        seconds=seconds[-1],
        work=sum(each.optimality.work for each in searches),
        history=(*zip(seconds, best, bounds, strict=True),),
    )
    return Solved(tree, certificate, price)


def _slack(tree: Tree) -> float:
    """Return by how much costs may differ that are equal but for rounding."""
    root_cost = float(node_risks(tree, measure_of(tree))[0])
    if tree.rule is None:
        return _EQUAL * root_cost * tree.n_leaves
    loss = tree.rule.loss
    mistake = float(tree.root.weight) / tree.root.n_rows
    if loss is None:
        return _EXACT * root_cost + _STEP * mistake * tree.n_leaves
    return 2 * _STEP * (root_cost + float(loss.max()) * mistake * tree.n_leaves)


def _bound(searches: list[Solved], price: float) -> float:
    """Return what every tree costs at least: by the number of its leaves, the most that any search says.

    There is only one tree of one leaf, and what it costs is known.
    """
    root = searches[0].tree.root
    weight, most = float(root.weight), float(root.n_rows)
    alone = float(node_risks(searches[0].tree, measure_of(searches[0].tree))[0]) + price * weight
    lines = [(each.optimality.bound, (price - each.price) * weight) for each in searches]
    # The greatest of lines is least at an end, or beside a point where two of them cross.
    leaves = {2.0, most}
    for (one, slope), (other, steeper) in combinations(lines, 2):
        if slope != steeper:
            crossing = (one - other) / (steeper - slope)
            leaves |= {float(math.floor(crossing)), float(math.ceil(crossing))}
    larger = [max(bound + slope * n for bound, slope in lines) for n in leaves if 2.0 <= n <= most]
    return min([alone, *larger])
