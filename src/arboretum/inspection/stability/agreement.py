"""How alike trees predict: pair by pair, row by row, and which of them is nearest to all others.

The tables of all predictions would be large; they are made for some rows at a time and added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from arboretum._data import Dataset
from arboretum._tree.leaves import cheapest
from arboretum._tree.tree import Tree
from arboretum._types import Array, Numbers

_CELLS: Final = 4_000_000  # of a table of predictions: trees by rows by classes


@dataclass(frozen=True, eq=False)
class Agreement:
    """What the predictions of the trees have in common.

    `agreement` (trees by trees) is the share of the rows for which two trees predict the same class; of
    numbers, Lin's concordance: 1 - E(a - b)² / (var a + var b + (mean a - mean b)²). `distance` (trees) is
    the root mean squared distance of a tree's predictions to those of the others: of numbers, or of
    probabilities, where half the squared distance counts, so that it is 1 if both are sure and differ.
    """

    agreement: Numbers
    distance: Numbers
    prediction: Array  # of each row: the number of the class that most trees predict, or the mean number
    disagreement: Numbers | None  # of each row: the share of the trees that predict another class
    deviation: Numbers  # of each row: the standard deviation of that class's probability, or of the number

    @property
    def pairs(self) -> Numbers:
        """The agreement of each pair of trees."""
        pairs: Numbers = self.agreement[np.triu_indices(len(self.agreement), 1)]
        return pairs


def compare(trees: Sequence[Tree], data: Dataset, weights: Numbers | None) -> Agreement:
    """Compare what the trees predict for the rows of a table; averages are weighted."""
    if trees[0].target.classes is None:
        return _compare_numbers(trees, data, weights)
    return _compare_classes(trees, data, weights)


def _chunks(data: Dataset, weights: Numbers | None, width: int) -> Iterator[tuple[slice, Dataset, Numbers]]:
    """Yield some rows at a time, with their weights."""
    every = np.ones(data.n_rows) if weights is None else weights
    step = max(1, _CELLS // width)
    for begin in range(0, data.n_rows, step):
        rows = slice(begin, min(begin + step, data.n_rows))
        whole = rows.stop - rows.start == data.n_rows
        yield rows, data if whole else data.take(np.arange(rows.start, rows.stop)), every[rows]


def _compare_classes(trees: Sequence[Tree], data: Dataset, weights: Numbers | None) -> Agreement:
    n_trees, n_classes = len(trees), len(trees[0].target.classes or ())
    same, apart, total = np.zeros((n_trees, n_trees)), np.zeros(n_trees), 0.0
    prediction = np.zeros(data.n_rows, dtype=np.int32)
    disagreement, deviation = np.zeros(data.n_rows), np.zeros(data.n_rows)
    for rows, part, weight in _chunks(data, weights, n_trees * n_classes):
        chance = np.array([tree._at_rows("probability", part) for tree in trees])
        labels = np.array([_labels(tree, part, own) for tree, own in zip(trees, chance, strict=True)])
        votes = np.zeros((part.n_rows, n_classes))
        for number in range(n_classes):
            voted = (labels == number).astype(np.float64)
            same += (voted * weight) @ voted.T
            votes[:, number] = voted.sum(axis=0)
        total += weight.sum()
        apart += np.sum((chance - chance.mean(axis=0)) ** 2, axis=2) @ weight / 2
        prediction[rows] = votes.argmax(axis=1)
        disagreement[rows] = 1 - votes.max(axis=1) / n_trees
        of_most = np.take_along_axis(chance, prediction[rows][None, :, None], axis=2)[..., 0]
        deviation[rows] = of_most.std(axis=0, ddof=1)
    return Agreement(same / total, _to_others(apart / total), prediction, disagreement, deviation)


def _labels(tree: Tree, data: Dataset, chance: Numbers) -> Array:
    if tree.missing == "fractions":
        return cheapest(chance, None if tree.rule is None else tree.rule.loss)
    return tree._at_rows("label", data)


def _compare_numbers(trees: Sequence[Tree], data: Dataset, weights: Numbers | None) -> Agreement:
    n_trees = len(trees)
    # Squares of large numbers may be infinite, and those of nearly equal ones lose their digits.
    centre = float(trees[0].array("value")[0])
    unit = max(float(np.abs(tree.array("value") - centre).max()) for tree in trees) or 1.0
    products, sums, apart, total = np.zeros((n_trees, n_trees)), np.zeros(n_trees), np.zeros(n_trees), 0.0
    prediction, deviation = np.zeros(data.n_rows), np.zeros(data.n_rows)
    for rows, part, weight in _chunks(data, weights, n_trees):
        numbers = np.array([(tree._at_rows("value", part) - centre) / unit for tree in trees])
        products += (numbers * weight) @ numbers.T
        sums += numbers @ weight
        total += weight.sum()
        apart += (numbers - numbers.mean(axis=0)) ** 2 @ weight
        prediction[rows] = numbers.mean(axis=0) * unit + centre
        deviation[rows] = numbers.std(axis=0, ddof=1) * unit
    distance = _to_others(apart / total) * unit
    return Agreement(_concordance(products / total, sums / total), distance, prediction, None, deviation)


def _to_others(apart: Numbers) -> Numbers:
    """Return the root mean squared distance to the others, from the mean squared distance to the average.

    The sum of |a - b|² over all b is n |a - m|² plus the sum of |b - m|², with m the mean of all n.
    """
    n_trees = len(apart)
    return np.asarray(np.sqrt((n_trees * apart + apart.sum()) / (n_trees - 1)), dtype=np.float64)


def _concordance(products: Numbers, means: Numbers) -> Numbers:
    squares = np.diag(products)
    variances = np.maximum(squares - means**2, 0.0)
    apart = np.maximum(squares[:, None] + squares - 2 * products, 0.0)
    most = variances[:, None] + variances + (means[:, None] - means) ** 2
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.where(most > 0, 1 - apart / most, 1.0)  # two constants that are equal
    np.fill_diagonal(found, 1.0)
    return np.asarray(found, dtype=np.float64)


def nearest(agreement: Agreement, trees: Sequence[Tree]) -> int:
    """Return the place of the tree that is nearest to all others; of equals the smallest, then the first.

    Distances that differ by no more than rounding are equal.
    """
    least = agreement.distance.min()
    equal = np.flatnonzero(agreement.distance <= least * (1 + 1e-9))
    return int(min(equal.tolist(), key=lambda place: (trees[place].n_leaves, place)))
