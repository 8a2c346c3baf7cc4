"""Risks: what the rows of a node cost if the node were a leaf, in training and on held-out rows.

The measure of cost is "misclassification" (or the loss matrix), "brier" or "log_loss" for classes, and the
criterion itself for numbers. A risk is a sum of weight times loss. Other measures are no such sums: they
compare the trees (judges.py) of a sequence that is made by log loss or the criterion. "gini" is another name
of "brier", and "entropy" is "log_loss" in bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, get_args

import numpy as np

from arboretum._options.choices import ClassMeasure
from arboretum._options.criteria import ORDER_CRITERIA
from arboretum._options.measures.of_order import check_order_measure
from arboretum._tree.leaves import LeafRule, cheapest, number_predictions
from arboretum._tree.linear_models import models_of
from arboretum._tree.tree import Tree
from arboretum._types import Array, Codes, Numbers
from arboretum.errors import ParameterError, choices

CLASS_MEASURES: Final[tuple[str, ...]] = get_args(ClassMeasure)
SUMS: Final = ("misclassification", "log_loss", "brier", "gini", "entropy")


def resolve_measure(measure: Any, criterion: str, *, of_classes: bool) -> str:
    """Return the measure that makes the sequence: the one that is named, or log loss if that is no sum.

    None is misclassification; of numbers it is always the criterion. A criterion of order is made of squared
    errors, and the trees are compared by the order that they give.
    """
    if criterion in ORDER_CRITERIA:
        if measure not in (None, "squared_error"):
            check_order_measure(measure)
        return "squared_error"
    allowed = CLASS_MEASURES if of_classes else (criterion,)
    if measure is None:
        return allowed[0]
    if not callable(measure) and (not isinstance(measure, str) or measure not in allowed):
        refused = choices("prune=CostComplexity(…): measure", measure, (None, *allowed))
        raise ParameterError(f"{refused} Or give a function.")
    if not of_classes:
        return criterion
    return measure if measure in SUMS else "log_loss"


def node_risks(tree: Tree, measure: str) -> Numbers:
    """Return what the training rows of each node cost if it were a leaf: weight times loss."""
    rule = tree.rule
    if (models := models_of(tree)) is not None:
        return models.per_node["error"]
    if rule is None:
        risks: Numbers = deciding_array(tree, "weight") * deciding_array(tree, "impurity")
        return risks
    counts = deciding_array(tree, "counts")
    weighed = counts * rule.factors
    if measure == "misclassification":
        # By its own rows: with labels drawn from above, children could cost more than their parent.
        label = (
            cheapest(rule.probability(counts), rule.loss)
            if tree.shrinkage or "structure" in tree.beside
            else tree.array("label")
        )
        return np.asarray((weighed * rule.costs().T[label]).sum(axis=1))
    total = weighed.sum(axis=1, keepdims=True)
    share = np.divide(weighed, total, out=np.zeros_like(weighed), where=total > 0)
    if measure in ("brier", "gini"):
        return np.asarray((weighed * (1.0 - share)).sum(axis=1))
    log = np.log2 if measure == "entropy" else np.log
    logs = log(share, out=np.zeros_like(share), where=share > 0)
    return np.asarray(-(weighed * logs).sum(axis=1))


def deciding_array(tree: Tree, name: str) -> Numbers:
    """Return an array of the rows by which questions were chosen, which honest leaves do not show."""
    structure = tree.beside.get("structure")
    return tree.array(name) if structure is None else structure.per_node[name]


def losses_of(tree: Tree, measure: str) -> Numbers:
    """Return the loss of each node for each class, or the numbers that the nodes predict."""
    predictions = predictions_of(tree, measure)
    return (
        predictions
        if tree.rule is None
        else class_losses(predictions, tree.array("label"), tree.rule, measure)
    )


def predictions_of(tree: Tree, measure: str) -> Numbers:
    """Return what each node is judged by: a number, or the probability of each class."""
    if tree.rule is None:
        return tree.array("value")
    return _hedged(tree) if measure in ("log_loss", "entropy") else tree.array("probability")


def predictions_at(
    tree: Tree, arrays: Mapping[str, Array], measure: str, strengths: Sequence[float]
) -> Numbers:
    """Return the same for nodes of a tree, for each strength of drawing them towards those above.

    `arrays` are those of the nodes, which may be only the upper ones.
    """
    if tree.rule is None:
        return number_predictions(arrays, strengths)
    probability = tree.rule.probabilities(arrays, strengths)
    if measure not in ("log_loss", "entropy"):
        return probability
    hedged = _hedged_path(tree, probability)
    if not tree.rule.m:
        hedged[np.equal(strengths, 0)] = _hedged_nodes(tree, arrays["counts"])
    return hedged


def class_losses(probability: Numbers, label: Codes | None, rule: LeafRule, measure: str) -> Numbers:
    """Return what each prediction, a row of probabilities, costs for each true class."""
    if measure == "misclassification":
        label = cheapest(probability, rule.loss) if label is None else label
        costs: Numbers = rule.costs().T[label]
    elif measure in ("brier", "gini"):
        # Σ (truth - probability)²: its mean over the node's own rows is the Gini index
        costs = 1.0 - 2.0 * probability + (probability**2).sum(axis=1, keepdims=True)
    elif measure in ("log_loss", "entropy"):
        with np.errstate(divide="ignore"):
            costs = -(np.log2 if measure == "entropy" else np.log)(probability)
    else:
        raise ValueError(f"no loss of classes is called {measure!r}")
    return np.ascontiguousarray(costs * rule.factors)


def _hedged(tree: Tree) -> Numbers:
    """Return probabilities as if one more row of average weight had the classes' shares of the whole table.

    A class that a leaf has never seen would otherwise cost infinitely much. Where the tree itself hedges, its
    own probabilities count, and the row is added to the whole table rather than to each node.
    """
    assert tree.rule is not None
    if tree.shrinkage or tree.rule.m:
        return _hedged_path(tree, tree.array("probability"))
    return _hedged_nodes(tree, tree.array("counts"))


def _hedged_path(tree: Tree, probability: Numbers) -> Numbers:
    assert tree.rule is not None
    n_rows = max(1, tree.root.n_rows)
    return np.asarray((probability * n_rows + tree.rule.prior) / (n_rows + 1))


def _hedged_nodes(tree: Tree, counts: Numbers) -> Numbers:
    assert tree.rule is not None
    weighed = counts * tree.rule.factors
    unit = weighed[0].sum() / max(1, tree.root.n_rows)
    hedged: Numbers = (weighed + unit * tree.rule.prior) / (weighed.sum(axis=1, keepdims=True) + unit)
    return hedged
