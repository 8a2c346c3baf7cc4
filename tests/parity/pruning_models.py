"""Our models with the options that rpart was given, and their trees as plain numbers.

A factor is what the weight of a class is multiplied by: its prior over its share of all rows. Nothing is
pruned or compared here; what pruning to do is the caller's choice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

import arboretum
from arboretum import CostComplexity, Node, TreeClassifier, TreeRegressor
from arboretum._tree.questions import Question, Threshold

from .plain_pruning import RiskNode
from .rpart_oracle import Oracle, Table
from .surrogate_comparison import OurTree
from .surrogate_oracle import Candidate, PlainNode, SurrogateOracle
from .test_rpart_surrogates import as_cut, as_frame

__all__ = ["as_plain_nodes", "as_risks", "factors", "fit_like", "only_rows"]

Numbers = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


def fit_like(oracle: SurrogateOracle, **others: Any) -> Any:
    """Return our model, fitted with the options that rpart was given and with `others`."""
    limits, known = oracle.limits, oracle.oracle
    # Without surrogates rpart forgets, when growing, that rows could go with the majority.
    send = (
        ("never", "surrogates", "always")[limits["usesurrogate"]] if limits["maxsurrogate"] > 0 else "never"
    )
    missing = arboretum.Surrogate(
        max_surrogates=limits["maxsurrogate"],
        send=send,
        agreement=("node", "known")[limits["surrogatestyle"]],
    )
    if known.is_classification and isinstance(prune := others.get("prune"), CostComplexity):
        prune.measure = "misclassification"
    options: dict[str, Any] = {
        "missing": missing,
        "competitors": limits["maxcompete"],
        "max_depth": limits["maxdepth"],
        "min_samples_leaf": limits["minbucket"],
        "min_samples_split": limits["minsplit"],
        "column_costs": known.costs,
    } | others
    model: Any = TreeRegressor.cart(**options)
    if known.is_classification:
        criterion = "entropy" if known.uses_entropy else "gini"
        model = TreeClassifier.cart(criterion=criterion, priors=known.priors, loss=known.loss, **options)
    return model.fit(as_frame(oracle, known.table), known.target, known.weights)


def factors(oracle: SurrogateOracle) -> Numbers:
    """Return the factor of each class; no rows, no factor."""
    known = oracle.oracle
    shares = np.bincount(known.target, weights=oracle.case_weights, minlength=known.n_classes)
    shares = shares / shares.sum()
    priors = shares if known.priors is None else known.priors
    return np.asarray(np.divide(priors, shares, out=np.zeros_like(priors), where=shares > 0))


def only_rows(oracle: SurrogateOracle, rows: Rows) -> SurrogateOracle:
    """Return the options of a result together with some of its rows; the classes keep their factors."""
    known, stored = oracle.oracle, dict(oracle.stored)
    values = {column: values[rows] for column, values in known.table.values.items()}
    weights = oracle.case_weights[rows]
    if known.weights is not None:
        stored["weights"] = weights.tolist()
    if known.is_classification:
        sums = np.bincount(known.target[rows], weights=weights, minlength=known.n_classes)
        present = sums > 0
        if known.loss is not None and not present.all():
            raise ValueError(f"{known.name}: a fold has no rows of some class, and its losses are not known.")
        priors = (sums * factors(oracle))[present]
        stored["parms"] = dict(stored["parms"]) | {"prior": (priors / priors.sum()).tolist()}
    part = Oracle(known.name, stored, Table(values, known.table.levels))
    return replace(oracle, oracle=part, kept=oracle.kept[rows])


def as_risks(tree: Any, oracle: SurrogateOracle, weights_of_classes: Numbers) -> RiskNode:
    """Return a tree as pruning sees it: what the label of each node costs, summed over its rows."""
    known = oracle.oracle
    loss = 1.0 - np.eye(known.n_classes) if known.loss is None else known.loss

    def seen(node: Node) -> tuple[float, float]:
        if node.counts is None:
            return node.weight * node.impurity, float(node.label)
        counts = np.zeros(known.n_classes)
        counts[np.array(tree.target.classes)] = node.counts
        return float((counts * weights_of_classes) @ loss[:, node.label]), float(node.label)

    def below(node: Node) -> RiskNode:
        return RiskNode(node.number, *seen(node), tuple(below(child) for child in node.children))

    return below(tree.root)


def as_plain_nodes(tree: Any, oracle: SurrogateOracle) -> OurTree:
    """Return the questions of a tree without its estimator. Thresholds lie half-way, also between levels."""
    n_levels = {name: len(names) for name, names in oracle.oracle.table.levels.items()}

    def candidate(question: Question, *numbers: Any) -> Candidate:
        cut = as_cut(question, n_levels.get(question.column, 0))
        cut = replace(cut, threshold=question.real) if isinstance(question, Threshold) else cut
        return Candidate(cut, *numbers)

    nodes, parents = {}, {}
    for node in tree.walk():
        classes = (node.value,) if node.counts is None else tuple(node.counts)
        plain = PlainNode(node.n_rows, node.weight, classes)
        if node.question is not None:
            surrogates = [(s.question, s.agreement, s.adjusted_agreement, s.n_rows) for s in node.surrogates]
            plain = replace(
                plain,
                split=candidate(node.question, node.gain),
                default=node.question.missing_child,
                surrogates=tuple(candidate(*numbers) for numbers in surrogates),
                competitors=tuple(candidate(c.question, c.gain) for c in node.competitors),
                children=tuple(child.number for child in node.children),
            )
        nodes[node.number] = plain
        parents[node.number] = -1 if node.parent is None else node.parent.number
    return OurTree(nodes, parents)
