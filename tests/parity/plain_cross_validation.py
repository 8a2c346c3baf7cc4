"""Cross-validation by hand: a tree for each fold, pruned and walked the long way, by our rules or by rpart's.

A way says whose rules hold: how complexities are found, and where a value on the threshold goes; a beta is a
price at which the trees of all folds are cut. Trees are grown by the library, without pruning.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from .plain_pruning import Complexities, RiskNode, rpart_complexities, weakest_links
from .pruning_models import as_plain_nodes, as_risks, factors, fit_like, only_rows
from .surrogate_oracle import PlainNode, SurrogateOracle

__all__ = ["OURS", "RPART", "FoldTree", "HeldOut", "Way", "grow_folds", "held_out"]

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Way:
    """How the trees of the folds are pruned and walked, and what a mistake costs there.

    `closed`: a value on the threshold goes with those below. `transposed`: rpart takes the loss matrix the
    wrong way round when it cross-validates.
    """

    complexities: Callable[[RiskNode, float], Complexities]
    closed: bool
    transposed: bool


OURS: Final = Way(lambda root, _: weakest_links(root), closed=True, transposed=False)
RPART: Final = Way(rpart_complexities, closed=False, transposed=True)


@dataclass(frozen=True)
class HeldOut:
    """The cross-validated risk at each beta and its standard error, summed over the rows."""

    risk: Numbers
    se: Numbers


@dataclass(frozen=True)
class FoldTree:
    """The tree that was grown without one fold."""

    oracle: SurrogateOracle
    rows: Rows  # that it was grown from
    held: Rows  # that it was not
    nodes: dict[int, PlainNode]
    root: RiskNode
    share: float  # of the weight of all rows

    def complexities(self, least: float, way: Way) -> Complexities:
        """Return those of its nodes; prices are those of the whole table."""
        found = way.complexities(self.root, least * self.share)
        return {number: complexity / self.share for number, complexity in found.items()}

    def labels(self, betas: Numbers, least: float, way: Way) -> Numbers:
        """Return what is predicted for each held-out row at each beta."""
        values = {name: column[self.held] for name, column in self.oracle.values.items()}
        by_number = {node.number: node for node in self.root.walk()}
        complexities = self.complexities(least, way)
        labels = np.empty((len(self.held), len(betas)))
        open_nodes = [(0, np.arange(len(self.held)), np.ones(len(betas), dtype=np.bool_))]
        while open_nodes:
            number, rows, reached = open_nodes.pop()
            labels[np.ix_(rows, reached)] = by_number[number].label
            asked = reached & (complexities.get(number, 0.0) > betas)
            if asked.any() and len(rows):
                node = _walked(self.nodes[number], closed=way.closed)
                sent = node.send(values, rows, by_surrogates=self.oracle.sends_by_surrogates)
                open_nodes += [(child, rows[sent == c], asked) for c, child in enumerate(node.children)]
        return labels


def _walked(node: PlainNode, *, closed: bool) -> PlainNode:
    """Return the node with values on its thresholds where the rules want them."""
    assert node.split is not None
    split = replace(node.split, cut=replace(node.split.cut, closed=closed))
    surrogates = tuple(replace(s, cut=replace(s.cut, closed=closed)) for s in node.surrogates)
    return replace(node, split=split, surrogates=surrogates)


def grow_folds(oracle: SurrogateOracle, folds: Rows) -> list[FoldTree]:
    """Return the tree of each fold; class factors are those of all rows."""
    trees = []
    for fold in np.unique(folds).tolist():
        rows, held = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        part = only_rows(oracle, rows)
        tree = fit_like(part, prune=None).tree_
        share = float(part.case_weights.sum() / oracle.case_weights.sum())
        weights = factors(oracle) if oracle.oracle.is_classification else np.empty(0)
        nodes, root = as_plain_nodes(tree, part).nodes, as_risks(tree, part, weights)
        trees.append(FoldTree(oracle, rows, held, nodes, root, share))
    return trees


def held_out(
    oracle: SurrogateOracle, trees: list[FoldTree], betas: Numbers, least: float, way: Way
) -> HeldOut:
    """Return the risk of all rows, each predicted by the tree that was grown without it."""
    y, w = oracle.oracle.target, oracle.case_weights
    losses = np.empty((len(y), len(betas)))
    for tree in trees:
        labels = tree.labels(betas, least, way)
        losses[tree.held] = _losses(oracle, y[tree.held], labels, transposed=way.transposed)
    risk = w @ losses
    return HeldOut(risk, np.sqrt(np.maximum(w @ losses**2 - risk**2 / w.sum(), 0.0)))


def _losses(
    oracle: SurrogateOracle, y: npt.NDArray[np.int64], labels: Numbers, *, transposed: bool
) -> Numbers:
    """Return what each prediction costs."""
    known = oracle.oracle
    if not known.is_classification:
        return np.asarray((y[:, None] - labels) ** 2)
    loss = 1.0 - np.eye(known.n_classes) if known.loss is None else known.loss
    loss = loss.T if transposed else loss
    return np.asarray(loss[y[:, None], labels.astype(np.int64)] * factors(oracle)[y][:, None])
